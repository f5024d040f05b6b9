// The log of nbdkit's log filter: a line when a request arrives, one when it completes.
//
//     2026-11-20 23:33:28.424242 connection=1 Write id=7 offset=0x1000 count=0x2000 fua=0 ...
//     2026-11-20 23:33:28.425000 connection=1 ...Write id=7 return=0
//
// Reads, writes and flushes become requests at their arrival, counted from the first of them. A
// write with fua=1 (forced unit access) is followed by a flush at the same time. Trim, zero and
// other requests transfer no data and have no counterpart here: skipped() counts them. Completions
// and lines that are no requests are passed over.
#include <fmt/format.h>

#include <map>

#include "host/replay/trace_formats.hpp"
#include "host/replay/trace_line.hpp"

namespace headstack::replay {
namespace {

constexpr std::uint64_t kBlockBytes = 512;
constexpr std::size_t kWindow = 64;

class NbdkitReader : public TraceReader {
 public:
  NbdkitReader(std::istream& in, std::string file) : source_(in, std::move(file)) {
    header_.source = "nbdkit log filter";
  }

  const TraceHeader& header() const override { return header_; }
  std::uint64_t line() const override { return source_.line(); }
  std::map<std::string, std::uint64_t> skipped() const override { return skipped_; }

  std::optional<TraceRequest> next() override {
    std::string text;
    while (waiting_.size() <= kWindow && source_.next(text)) take(split_fields(text));
    if (waiting_.empty()) return std::nullopt;
    const TraceRequest request = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    emitted_ = request.arrival;
    return request;
  }

 private:
  /// date time connection=N Operation key=value ...
  void take(const std::vector<std::string_view>& fields) {
    if (fields.size() < 4 || fields[2].rfind("connection=", 0) != 0) return;
    TraceRequest request;
    if (fields[3] == "Read") {
      request.operation = Operation::kRead;
    } else if (fields[3] == "Write") {
      request.operation = Operation::kWrite;
    } else if (fields[3] == "Flush") {
      request.operation = Operation::kFlush;
    } else {
      if (!value_of(fields, "id").empty() && fields[3].rfind("...", 0) != 0) {
        ++skipped_[std::string(fields[3])];
      }
      return;
    }
    request.arrival = arrival(fields[0], fields[1]);
    if (request.operation != Operation::kFlush) set_extent(fields, request);
    waiting_.emplace(request.arrival, request);
    if (request.operation == Operation::kWrite && value_of(fields, "fua") == "1") {
      const TraceRequest flush{request.arrival, Operation::kFlush, 0, 0, std::nullopt};
      waiting_.emplace(flush.arrival, flush);
    }
  }

  void set_extent(const std::vector<std::string_view>& fields, TraceRequest& request) {
    const std::uint64_t offset = bytes_of(fields, "offset");
    const std::uint64_t count = bytes_of(fields, "count");
    request.lba = offset / kBlockBytes;
    request.blocks = static_cast<std::uint32_t>(count / kBlockBytes);
    check_extent(source_, request);
  }

  std::uint64_t bytes_of(const std::vector<std::string_view>& fields, std::string_view key) {
    std::string_view text = value_of(fields, key);
    if (text.rfind("0x", 0) != 0) source_.fail(key, "missing", "mend the line");
    const std::uint64_t bytes = parse_integer(source_, key, text.substr(2), kMostBlocks << 32, 16);
    if (bytes % kBlockBytes != 0) {
      source_.fail(key, fmt::format("{} bytes are not whole blocks of 512", bytes),
                   "log a disk with 512-byte blocks");
    }
    return bytes / kBlockBytes * kBlockBytes;
  }

  static std::string_view value_of(const std::vector<std::string_view>& fields,
                                   std::string_view key) {
    for (const std::string_view field : fields) {
      if (field.size() > key.size() && field.rfind(key, 0) == 0 && field[key.size()] == '=') {
        return field.substr(key.size() + 1);
      }
    }
    return "";
  }

  /// Time of day after the first request's; a log over midnight goes on into the next day.
  Picoseconds arrival(std::string_view date, std::string_view time) {
    if (time.size() < 9 || time[2] != ':' || time[5] != ':') {
      source_.fail("time", fmt::format("'{}' is not a time of day", time), "mend the line");
    }
    const auto hours =
        static_cast<Picoseconds>(parse_integer(source_, "time", time.substr(0, 2), 23));
    const auto minutes =
        static_cast<Picoseconds>(parse_integer(source_, "time", time.substr(3, 2), 59));
    const Picoseconds seconds = parse_time(source_, "time", time.substr(6), kPicosecondsPerSecond);
    if (!date_.empty() && date > date_) days_ += 1;
    if (date > date_) date_ = std::string(date);
    const Picoseconds now =
        ((days_ * 24 + hours) * 60 + minutes) * 60 * kPicosecondsPerSecond + seconds;
    if (!start_) start_ = now;
    const Picoseconds after = now - *start_;
    if (after < emitted_) {
      source_.fail("time", fmt::format("more than {} requests out of order", kWindow),
                   "sort the log by time");
    }
    return after;
  }

  LineSource source_;
  TraceHeader header_;
  std::multimap<Picoseconds, TraceRequest> waiting_;  // equal times keep the order of their lines
  std::map<std::string, std::uint64_t> skipped_;
  std::string date_;
  Picoseconds days_ = 0;
  std::optional<Picoseconds> start_;
  Picoseconds emitted_ = 0;
};

}  // namespace

std::unique_ptr<TraceReader> read_nbdkit_log(std::istream& in, const std::string& file) {
  return std::make_unique<NbdkitReader>(in, file);
}

}  // namespace headstack::replay
