// DiskSim ASCII: `time_ms device block blocks flags`, blocks of 512 bytes, flags hexadecimal with
// bit 0 set for a read (DiskSim 4.0 manual, "ASCII trace format"). One device per trace.
#include <fmt/format.h>

#include "host/replay/trace_formats.hpp"
#include "host/replay/trace_line.hpp"

namespace headstack::replay {
namespace {

constexpr std::uint64_t kReadFlag = 1;
// Bits that the manual defines: read/write, time-critical, time-limited, background and the like.
constexpr std::uint64_t kAllFlags = 0xFFFF'FFFF;

class DiskSimReader : public TraceReader {
 public:
  DiskSimReader(std::istream& in, std::string file) : source_(in, std::move(file)) {}

  const TraceHeader& header() const override { return header_; }
  std::uint64_t line() const override { return source_.line(); }

  std::optional<TraceRequest> next() override {
    std::string text;
    while (source_.next(text)) {
      const auto fields = split_fields(text);
      if (!fields.empty()) return request(fields);
    }
    return std::nullopt;
  }

 private:
  TraceRequest request(const std::vector<std::string_view>& fields) {
    if (fields.size() != 5) {
      source_.fail("fields", fmt::format("{} of 5", fields.size()),
                   "a DiskSim line is: time_ms device block blocks flags");
    }
    TraceRequest request;
    request.arrival = parse_time(source_, "time_ms", fields[0], kPicosecondsPerMillisecond);
    if (request.arrival < last_arrival_) {
      source_.fail("time_ms", "earlier than the request before", "sort the trace by time");
    }
    last_arrival_ = request.arrival;
    check_device(parse_integer(source_, "device", fields[1], 0xFFFF'FFFF));
    request.lba = parse_integer(source_, "block", fields[2], kLargestLba);
    request.blocks =
        static_cast<std::uint32_t>(parse_integer(source_, "blocks", fields[3], kMostBlocks));
    const std::uint64_t flags = parse_integer(source_, "flags", fields[4], kAllFlags, 16);
    request.operation = (flags & kReadFlag) != 0 ? Operation::kRead : Operation::kWrite;
    check_extent(source_, request);
    return request;
  }

  void check_device(std::uint64_t device) {
    if (!device_) device_ = device;
    if (device == *device_) return;
    source_.fail("device", fmt::format("{} after {}", device, *device_),
                 "a trace is replayed on one drive: keep one device's lines");
  }

  LineSource source_;
  TraceHeader header_;
  std::optional<std::uint64_t> device_;
  Picoseconds last_arrival_ = 0;
};

}  // namespace

std::unique_ptr<TraceReader> read_disksim(std::istream& in, const std::string& file) {
  return std::make_unique<DiskSimReader>(in, file);
}

}  // namespace headstack::replay
