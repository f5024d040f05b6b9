// SPDX-License-Identifier: Apache-2.0
// SPC traces as SSDsim and MQSim encode them: `time_ns device lba sectors op`, op 1 for a read and
// 0 for a write, sectors of 512 bytes.
#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr Picoseconds kNanosecond = 1000;

class SsdsimReader : public TextReader {
 public:
  SsdsimReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file, {' ', 5, 5, "time_ns device lba sectors op"}) {
    header_.source = "SSDsim trace";
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    raw.time = parse_clock(at(), "time_ns", fields[0], kNanosecond);
    parse_integer(at(), "device", fields[1], UINT32_MAX);
    raw.device = fields[1];
    const bool read = parse_integer(at(), "op", fields[4], 1) == 1;
    raw.request.operation = read ? Operation::kRead : Operation::kWrite;
    return set_blocks(raw, parse_integer(at(), "lba", fields[2], kLargestLba),
                      parse_integer(at(), "sectors", fields[3], kMostBlocks));
  }
};

bool is_request(const Fields& words) {
  return words.size() == 5 && is_number(words[0]) && is_number(words[1]) && is_number(words[2]) &&
         is_number(words[3]) && (words[4] == "0" || words[4] == "1");
}

/// Whether a line can only be DiskSim ASCII. It has five fields, too, but its time is a decimal
/// fraction, or its flags have more than one bit.
bool is_disksim_only(const Fields& words) {
  return words.size() == 5 && is_decimal(words[0]) && is_number(words[1]) &&
         (!is_number(words[0]) || (is_number(words[4]) && words[4] != "0" && words[4] != "1"));
}

/// Detects the format. A DiskSim trace in whole milliseconds with only plain reads and writes looks
/// the same, so its user must name the format.
bool detect(const TraceSample& sample) {
  for (const std::string_view line : sample.lines()) {
    if (is_disksim_only(split_blanks(line))) return false;
  }
  return is_request(sample.words());
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<SsdsimReader>(in, file);
}

}  // namespace

const TraceFormat kSsdsimFormat = {"ssdsim",
                                   "SSDsim, MQSim: time_ns device lba sectors op (1: read)",
                                   "device number",
                                   "",
                                   TimeBase::kAsWritten,
                                   1024,
                                   detect,
                                   open};

}  // namespace headstack::traces
