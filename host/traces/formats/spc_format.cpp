// SPDX-License-Identifier: Apache-2.0
// SPC trace files, such as the UMass repository's Financial and WebSearch:
// `ASU,LBA,size_bytes,R|W,time_s[,...]` (SPC-1 trace file format specification 1.0.1). LBAs count
// blocks of 512 bytes, from 0 in each application storage unit. Further fields are optional in the
// specification, and ignored here.
#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::uint64_t kBlockBytes = 512;

class SpcReader : public TextReader {
 public:
  SpcReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file, {',', 5, Fields::kMost, "ASU,LBA,size_bytes,R|W,time_s"}) {
    header_.source = "SPC trace";
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    parse_integer(at(), "ASU", fields[0], UINT32_MAX);
    raw.device = fields[0];
    const auto operation = operation_of_word(fields[3]);
    if (!operation) {
      fail("opcode", fmt::format("'{}' is not known", printable(fields[3], 40)), "use R or W");
    }
    raw.request.operation = *operation;
    raw.time = parse_clock(at(), "time_s", fields[4], kPicosecondsPerSecond);
    return set_bytes(raw, parse_integer(at(), "LBA", fields[1], kLargestLba) * kBlockBytes,
                     parse_integer(at(), "size_bytes", fields[2], kMostBlocks * kBlockBytes));
  }
};

bool detect(const TraceSample& sample) {
  const Fields& columns = sample.columns();
  return columns.size() >= 5 && is_number(columns[0]) && is_number(columns[1]) &&
         is_number(columns[2]) && operation_of_word(columns[3]).has_value() &&
         is_decimal(columns[4]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<SpcReader>(in, file);
}

}  // namespace

const TraceFormat kSpcFormat = {"spc",
                                "SPC, UMass: ASU,LBA,size_bytes,R|W,time_s",
                                "application storage unit (ASU)",
                                "",
                                TimeBase::kAsWritten,
                                1024,
                                detect,
                                open};

}  // namespace headstack::traces
