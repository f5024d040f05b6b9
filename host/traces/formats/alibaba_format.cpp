// SPDX-License-Identifier: Apache-2.0
// Alibaba block traces of 2020: `device_id,opcode,offset,length,timestamp`, bytes and microseconds.
#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

class AlibabaReader : public TextReader {
 public:
  AlibabaReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file, {',', 5, 5, "device_id,opcode,offset,length,timestamp"}) {
    header_.source = "Alibaba block trace";
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    parse_integer(at(), "device_id", fields[0], UINT32_MAX);
    raw.device = fields[0];
    const auto operation = operation_of_word(fields[1]);
    if (!operation) {
      fail("opcode", fmt::format("'{}' is not known", printable(fields[1], 40)), "use R or W");
    }
    raw.request.operation = *operation;
    raw.time =
        Int128{parse_integer(at(), "timestamp", fields[4], INT64_MAX)} * kPicosecondsPerMicrosecond;
    return set_bytes(raw, parse_integer(at(), "offset", fields[2], INT64_MAX),
                     parse_integer(at(), "length", fields[3], INT64_MAX));
  }
};

bool detect(const TraceSample& sample) {
  const Fields& columns = sample.columns();
  return columns.size() == 5 && is_number(columns[0]) &&
         operation_of_word(columns[1]).has_value() && is_number(columns[2]) &&
         is_number(columns[3]) && is_number(columns[4]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<AlibabaReader>(in, file);
}

}  // namespace

const TraceFormat kAlibabaFormat = {"alibaba",
                                    "Alibaba 2020: device_id,opcode,offset,length,timestamp",
                                    "device id",
                                    "",
                                    TimeBase::kFirstRequest,
                                    1024,
                                    detect,
                                    open};

}  // namespace headstack::traces
