// SPDX-License-Identifier: Apache-2.0
// Systor '17 (SNIA IOTTA, enterprise VDI): `Timestamp,Response,IOType,LUN,Offset,Size`, times in
// seconds, offset and size in bytes. The type is blank for operations other than read and write.
// The response time may be blank, too.
#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

class SystorReader : public TextReader {
 public:
  SystorReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file, {',', 6, 6, "Timestamp,Response,IOType,LUN,Offset,Size"}) {
    header_.source = "Systor '17 trace";
    header_.has_service = true;
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    if (fields[2].empty()) {
      skip("blank IOType");
      return false;
    }
    raw.time = parse_clock(at(), "Timestamp", fields[0], kPicosecondsPerSecond);
    if (!fields[1].empty()) {
      raw.request.service = parse_time(at(), "Response", fields[1], kPicosecondsPerSecond);
    }
    const auto operation = operation_of_word(fields[2]);
    if (!operation) {
      fail("IOType", fmt::format("'{}' is not known", printable(fields[2], 40)), "use R or W");
    }
    raw.request.operation = *operation;
    raw.device = fields[3];
    return set_bytes(raw, parse_integer(at(), "Offset", fields[4], INT64_MAX),
                     parse_integer(at(), "Size", fields[5], INT64_MAX));
  }
};

bool is_empty_or_decimal(std::string_view text) { return text.empty() || is_decimal(text); }
bool is_empty_or_number(std::string_view text) { return text.empty() || is_number(text); }

bool detect(const TraceSample& sample) {
  const Fields& columns = sample.columns();
  return columns.size() == 6 && is_decimal(columns[0]) && is_empty_or_decimal(columns[1]) &&
         (columns[2].empty() || operation_of_word(columns[2]).has_value()) &&
         is_number(columns[3]) && is_empty_or_number(columns[4]) && is_empty_or_number(columns[5]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<SystorReader>(in, file);
}

}  // namespace

const TraceFormat kSystorFormat = {"systor",
                                   "Systor '17: Timestamp,Response,IOType,LUN,Offset,Size",
                                   "LUN",
                                   "response time in the host",
                                   TimeBase::kFirstRequest,
                                   1024,
                                   detect,
                                   open};

}  // namespace headstack::traces
