// SPDX-License-Identifier: Apache-2.0
// DiskSim ASCII: `time_ms device block blocks flags`, blocks of 512 bytes, flags hexadecimal with
// bit 0 set for a read (DiskSim 4.0 manual, "ASCII trace format").
#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::uint64_t kReadFlag = 1;
// The bits that the manual defines: read/write, time-critical, time-limited, background and the
// like.
constexpr std::uint64_t kAllFlags = 0xFFFF'FFFF;

class DiskSimReader : public TextReader {
 public:
  DiskSimReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file, {' ', 5, 5, "time_ms device block blocks flags"}) {
    header_.source = "DiskSim ASCII trace";
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    raw.time = parse_clock(at(), "time_ms", fields[0], kPicosecondsPerMillisecond);
    parse_integer(at(), "device", fields[1], UINT32_MAX);
    raw.device = fields[1];
    const std::uint64_t flags = parse_integer(at(), "flags", fields[4], kAllFlags, 16);
    raw.request.operation = (flags & kReadFlag) != 0 ? Operation::kRead : Operation::kWrite;
    return set_blocks(raw, parse_integer(at(), "block", fields[2], kLargestLba),
                      parse_integer(at(), "blocks", fields[3], kMostBlocks));
  }
};

bool is_hexadecimal(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

bool detect(const TraceSample& sample) {
  const Fields& words = sample.words();
  return words.size() == 5 && is_decimal(words[0]) && is_number(words[1]) && is_number(words[2]) &&
         is_number(words[3]) && is_hexadecimal(words[4]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<DiskSimReader>(in, file);
}

}  // namespace

const TraceFormat kDiskSimFormat = {"disksim",
                                    "DiskSim ASCII: time_ms device block blocks flags",
                                    "device number",
                                    "",
                                    TimeBase::kAsWritten,
                                    0,
                                    detect,
                                    open};

}  // namespace headstack::traces
