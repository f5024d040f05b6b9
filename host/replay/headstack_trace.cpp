// headstack's own trace format, version 1: see traces/README.md.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <array>

#include "host/replay/trace_formats.hpp"
#include "host/replay/trace_line.hpp"

namespace headstack::replay {
namespace {

struct TimeUnit {
  std::string_view name;
  Picoseconds unit;
};
constexpr std::array<TimeUnit, 5> kTimeUnits = {{{"ps", 1},
                                                 {"ns", 1'000},
                                                 {"us", kPicosecondsPerMicrosecond},
                                                 {"ms", kPicosecondsPerMillisecond},
                                                 {"s", kPicosecondsPerSecond}}};
constexpr std::string_view kNone = "-";

class HeadstackReader : public TraceReader {
 public:
  HeadstackReader(std::istream& in, std::string file) : source_(in, std::move(file)) {
    read_header();
  }

  const TraceHeader& header() const override { return header_; }
  std::uint64_t line() const override { return source_.line(); }

  std::optional<TraceRequest> next() override {
    std::string text;
    while (source_.next(text)) {
      const auto fields = split_fields(text);
      if (fields.empty() || fields[0][0] == '#') continue;
      return request(fields);
    }
    return std::nullopt;
  }

 private:
  void read_header() {
    std::string text;
    if (!source_.next(text) || text.rfind(kHeadstackMagic, 0) != 0) {
      source_.fail("version", "not a headstack trace",
                   fmt::format("start with '{} 1'", kHeadstackMagic));
    }
    if (text != std::string(kHeadstackMagic) + " 1") {
      source_.fail("version", fmt::format("'{}' is not known", text),
                   "this program reads version 1");
    }
    while (source_.next(text)) {
      const auto fields = split_fields(text);
      if (fields.empty() || fields[0][0] == '#') continue;
      if (fields[0] == "requests") return require_unit();
      header_line(fields, text);
    }
    source_.fail("requests", "the header does not end",
                 "write 'requests' before the first request");
  }

  void require_unit() const {
    if (unit_ == 0) source_.fail("time-unit", "missing", "add a line 'time-unit us' to the header");
  }

  void header_line(const std::vector<std::string_view>& fields, const std::string& text) {
    if (fields[0] == "source") {
      header_.source = text.substr(text.find("source") + 6);
      header_.source.erase(0, header_.source.find_first_not_of(" \t"));
      return;
    }
    if (fields.size() != 2) source_.fail(fields[0], "needs one value", "write 'key value'");
    if (fields[0] == "block-bytes") {
      header_.block_bytes =
          static_cast<std::uint32_t>(parse_integer(source_, fields[0], fields[1], 65'536));
      if (header_.block_bytes == 0) source_.fail(fields[0], "0 bytes", "give 1 or more");
    } else if (fields[0] == "time-unit") {
      unit_ = unit_named(fields[1]);
    } else if (fields[0] == "loop") {
      header_.loop = loop_named(fields[1]);
    } else {
      source_.fail(fields[0], "unknown key",
                   "use block-bytes, time-unit, loop, source or requests");
    }
  }

  Picoseconds unit_named(std::string_view name) const {
    for (const TimeUnit& unit : kTimeUnits) {
      if (unit.name == name) return unit.unit;
    }
    source_.fail("time-unit", fmt::format("'{}' is not known", name), "use ps, ns, us, ms or s");
  }

  Loop loop_named(std::string_view name) const {
    if (name == "open") return Loop::kOpen;
    if (name == "closed") return Loop::kClosed;
    source_.fail("loop", fmt::format("'{}' is not known", name), "use open or closed");
  }

  /// time operation lba blocks deadline
  TraceRequest request(const std::vector<std::string_view>& fields) {
    if (fields.size() != 5) {
      source_.fail("fields", fmt::format("{} of 5", fields.size()),
                   "write: time operation lba blocks deadline");
    }
    TraceRequest request;
    if (header_.loop == Loop::kOpen) {
      request.arrival = parse_time(source_, "time", fields[0], unit_);
      if (request.arrival < last_arrival_) {
        source_.fail("time", "earlier than the request before", "sort the trace by time");
      }
      last_arrival_ = request.arrival;
    } else if (fields[0] != kNone) {
      source_.fail("time", "a closed loop has no times", "write - or make the loop open");
    }
    request.operation = operation_named(fields[1]);
    request.lba = parse_integer(source_, "lba", fields[2], kLargestLba);
    request.blocks =
        static_cast<std::uint32_t>(parse_integer(source_, "blocks", fields[3], kMostBlocks));
    check_extent(source_, request);
    if (fields[4] != kNone) request.deadline = parse_time(source_, "deadline", fields[4], unit_);
    return request;
  }

  Operation operation_named(std::string_view name) const {
    for (const Operation operation : {Operation::kRead, Operation::kWrite, Operation::kFlush}) {
      if (name == operation_letter(operation)) return operation;
    }
    source_.fail("operation", fmt::format("'{}' is not known", name), "use R, W or F");
  }

  LineSource source_;
  TraceHeader header_;
  Picoseconds unit_ = 0;
  Picoseconds last_arrival_ = 0;
};

/// Picoseconds as decimal microseconds without needless zeros, exactly.
std::string in_microseconds(Picoseconds time) {
  std::string text =
      fmt::format("{}.{:06}", time / kPicosecondsPerMicrosecond, time % kPicosecondsPerMicrosecond);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string_view operation_letter(Operation operation) {
  switch (operation) {
    case Operation::kRead: return "R";
    case Operation::kWrite: return "W";
    case Operation::kFlush: return "F";
  }
  return "?";
}

void check_extent(const LineSource& at, const TraceRequest& request) {
  const bool flush = request.operation == Operation::kFlush;
  if (flush && (request.blocks != 0 || request.lba != 0)) {
    at.fail("lba", "a flush has no extent", "write 0 0 for lba and blocks");
  }
  if (!flush && request.blocks == 0) at.fail("blocks", "0", "a read or write has 1 or more");
}

std::unique_ptr<TraceReader> read_headstack(std::istream& in, const std::string& file) {
  return std::make_unique<HeadstackReader>(in, file);
}

TraceWriter::TraceWriter(std::ostream& out, const TraceHeader& header)
    : out_(out), loop_(header.loop) {
  fmt::print(out_, "{} 1\nblock-bytes {}\ntime-unit us\nloop {}\n", kHeadstackMagic,
             header.block_bytes, header.loop == Loop::kOpen ? "open" : "closed");
  if (!header.source.empty()) fmt::print(out_, "source {}\n", header.source);
  fmt::print(out_, "requests\n");
}

void TraceWriter::write(const TraceRequest& request) {
  fmt::print(out_, "{} {} {} {} {}\n",
             loop_ == Loop::kOpen ? in_microseconds(request.arrival) : std::string(kNone),
             operation_letter(request.operation), request.lba, request.blocks,
             request.deadline ? in_microseconds(*request.deadline) : std::string(kNone));
}

}  // namespace headstack::replay
