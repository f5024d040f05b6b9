// SPDX-License-Identifier: Apache-2.0
// MSR Cambridge (SNIA IOTTA 388): `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
// Offset and size are in bytes, both times in 100 ns; the timestamp is a Windows FILETIME. Requests
// were logged as they completed, so timestamps are a little out of order.
#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr Picoseconds kFiletimeTick = 100'000;  // a tick of 100 ns

class MsrReader : public TextReader {
 public:
  MsrReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file,
                   {',', 7, 7, "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"}) {
    header_.source = "MSR Cambridge trace";
    header_.has_service = true;
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    raw.time = Int128{parse_integer(at(), "Timestamp", fields[0], INT64_MAX)} * kFiletimeTick;
    // The published files are named host_disk.csv.
    device_.assign(fields[1]).append("_").append(fields[2]);
    raw.device = device_;
    const auto operation = operation_of_word(fields[3]);
    if (!operation) {
      fail("Type", fmt::format("'{}' is not known", printable(fields[3], 40)), "use Read or Write");
    }
    raw.request.operation = *operation;
    raw.request.service = parse_time(at(), "ResponseTime", fields[6], kFiletimeTick);
    return set_bytes(raw, parse_integer(at(), "Offset", fields[4], INT64_MAX),
                     parse_integer(at(), "Size", fields[5], INT64_MAX));
  }

  std::string device_;
};

bool detect(const TraceSample& sample) {
  const Fields& columns = sample.columns();
  return columns.size() == 7 && is_number(columns[0]) && is_number(columns[2]) &&
         operation_of_word(columns[3]).has_value() && is_number(columns[4]) &&
         is_number(columns[5]) && is_number(columns[6]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<MsrReader>(in, file);
}

}  // namespace

const TraceFormat kMsrFormat = {
    "msr",
    "MSR Cambridge: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    "host_disk, as hm_1",
    "response time in the host",
    TimeBase::kFirstRequest,
    1024,
    detect,
    open};

}  // namespace headstack::traces
