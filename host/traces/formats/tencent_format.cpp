// SPDX-License-Identifier: Apache-2.0
// Tencent CBS of 2018 (SNIA IOTTA): `Timestamp,Offset,Size,IOType,VolumeID`. The timestamp is in
// whole seconds. Offset and size are in sectors of 512 bytes. Type is 0 for a read and 1 for a
// write. All requests of a second arrive at once, so the trace shows nothing about queues.
#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

class TencentReader : public TextReader {
 public:
  TencentReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file, {',', 5, 5, "Timestamp,Offset,Size,IOType,VolumeID"}) {
    header_.source = "Tencent CBS trace";
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    raw.time =
        Int128{parse_integer(at(), "Timestamp", fields[0], INT64_MAX)} * kPicosecondsPerSecond;
    const bool write = parse_integer(at(), "IOType", fields[3], 1) == 1;
    raw.request.operation = write ? Operation::kWrite : Operation::kRead;
    parse_integer(at(), "VolumeID", fields[4], UINT32_MAX);
    raw.device = fields[4];
    return set_blocks(raw, parse_integer(at(), "Offset", fields[1], kLargestLba),
                      parse_integer(at(), "Size", fields[2], kMostBlocks));
  }
};

bool detect(const TraceSample& sample) {
  const Fields& columns = sample.columns();
  return columns.size() == 5 && is_number(columns[0]) && is_number(columns[1]) &&
         is_number(columns[2]) && (columns[3] == "0" || columns[3] == "1") && is_number(columns[4]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<TencentReader>(in, file);
}

}  // namespace

const TraceFormat kTencentFormat = {"tencent",
                                    "Tencent CBS 2018: Timestamp,Offset,Size,IOType,VolumeID",
                                    "volume",
                                    "",
                                    TimeBase::kFirstRequest,
                                    1024,
                                    detect,
                                    open};

}  // namespace headstack::traces
