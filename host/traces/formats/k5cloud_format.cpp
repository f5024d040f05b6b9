// SPDX-License-Identifier: Apache-2.0
// Traces of K5cloud of 2018: `ID,Timestamp,Type,Offset,Length`, in seconds and bytes.
#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

class K5cloudReader : public TextReader {
 public:
  K5cloudReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file, {',', 5, 5, "ID,Timestamp,Type,Offset,Length"}) {
    header_.source = "K5cloud trace";
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    parse_integer(at(), "ID", fields[0], UINT32_MAX);
    raw.device = fields[0];
    raw.time = parse_clock(at(), "Timestamp", fields[1], kPicosecondsPerSecond);
    const auto operation = operation_of_word(fields[2]);
    if (!operation) {
      fail("Type", fmt::format("'{}' is not known", printable(fields[2], 40)), "use R or W");
    }
    raw.request.operation = *operation;
    return set_bytes(raw, parse_integer(at(), "Offset", fields[3], INT64_MAX),
                     parse_integer(at(), "Length", fields[4], INT64_MAX));
  }
};

bool detect(const TraceSample& sample) {
  const Fields& columns = sample.columns();
  return columns.size() == 5 && is_number(columns[0]) && is_decimal(columns[1]) &&
         operation_of_word(columns[2]).has_value() && is_number(columns[3]) &&
         is_number(columns[4]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<K5cloudReader>(in, file);
}

}  // namespace

const TraceFormat kK5cloudFormat = {"k5cloud",
                                    "K5cloud 2018: ID,Timestamp,Type,Offset,Length",
                                    "volume id",
                                    "",
                                    TimeBase::kAsWritten,
                                    1024,
                                    detect,
                                    open};

}  // namespace headstack::traces
