// SPDX-License-Identifier: Apache-2.0
// CloudPhysics' vSCSI traces, little-endian records without a header, all of one version:
//
//     1, 32 bytes: u32 serial, u32 bytes, u32 scatter-gather entries, u16 operation code,
//                  u16 version << 8, u64 block, u64 microseconds
//     2, 40 bytes: u16 operation code, u16 version << 8, u32 serial, u32 bytes, u32 entries,
//                  u64 block, u64 microseconds, u64 response time in microseconds
//     2, 48 bytes: the same with eight bytes of padding after them
//
// The operation code is that of the SCSI command; blocks have 512 bytes. Each file has one virtual
// disk.
#include <fmt/format.h>

#include "host/traces/binary_input.hpp"
#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::uint64_t kBlockBytes = 512;

struct Layout {
  std::uint64_t version;
  std::size_t bytes;
  std::size_t length, operation, version_at, lba, time, response;  // offsets of the fields; 0: not
                                                                   // present
};
constexpr Layout kLayouts[] = {
    {1, 32, 4, 12, 14, 16, 24, 0}, {2, 40, 8, 0, 2, 16, 24, 32}, {2, 48, 8, 0, 2, 16, 24, 32}};
constexpr std::size_t kLongestRecord = 48;

struct OperationCode {
  std::uint8_t code;
  Operation operation;
};
// Operation codes of SBC: READ and WRITE with 6, 10, 12 and 16 bytes, SYNCHRONIZE CACHE with 10 and
// 16.
constexpr OperationCode kOperationCodes[] = {{0x08, Operation::kRead},  {0x28, Operation::kRead},
                                             {0xA8, Operation::kRead},  {0x88, Operation::kRead},
                                             {0x0A, Operation::kWrite}, {0x2A, Operation::kWrite},
                                             {0xAA, Operation::kWrite}, {0x8A, Operation::kWrite},
                                             {0x35, Operation::kFlush}, {0x91, Operation::kFlush}};

const Operation* find_operation(std::uint64_t code) {
  for (const OperationCode& row : kOperationCodes) {
    if (row.code == code) return &row.operation;
  }
  return nullptr;
}

std::uint64_t version_of(std::string_view record, const Layout& layout) {
  return load(record, layout.version_at, 2, Endian::kLittle) >> 8;
}

/// Finds the layout by the first two records, since there is no magic number. Both contain their
/// version; a file with one record has that length. Their operations must be SCSI commands.
const Layout* find_layout(std::string_view head) {
  for (const Layout& layout : kLayouts) {
    const std::size_t records = std::min<std::size_t>(head.size() / layout.bytes, 2);
    bool fits = records == 2 || (records == 1 && head.size() == layout.bytes);
    for (std::size_t i = 0; i < records; ++i) {
      const std::string_view record = head.substr(i * layout.bytes, layout.bytes);
      fits = fits && version_of(record, layout) == layout.version &&
             load(record, layout.operation, 2, Endian::kLittle) <= UINT8_MAX;
    }
    if (fits) return &layout;
  }
  return nullptr;
}

class VscsiReader : public BinaryReader {
 public:
  VscsiReader(InputBuffer& in, const std::string& file)
      : BinaryReader(in, file), layout_(find_layout(in.peek(2 * kLongestRecord))) {
    if (layout_ == nullptr) {
      throw TraceError(fmt::format(
          "{}: version: its first records are neither of version 1 nor of 2; is it a vSCSI trace?",
          file));
    }
    header_.source = fmt::format("CloudPhysics vSCSI trace, version {}", layout_->version);
    header_.has_service = layout_->response != 0;
  }

  RawItem next(RawRequest& raw) override {
    while (true) {
      if (begin_record(layout_->bytes).empty()) return RawItem::kEnd;
      if (take(take_record(layout_->bytes), raw)) return RawItem::kRequest;
    }
  }

 private:
  bool take(std::string_view record, RawRequest& raw) {
    const auto number = [&](std::size_t at, std::size_t bytes) {
      return load(record, at, bytes, Endian::kLittle);
    };
    if (version_of(record, *layout_) != layout_->version) {
      fail("version", fmt::format("{} after {}", version_of(record, *layout_), layout_->version),
           "a file has one version: fetch it again");
    }
    const std::uint64_t code = number(layout_->operation, 2);
    const Operation* operation = find_operation(code);
    if (operation == nullptr) {
      skip(fmt::format("SCSI command {:02X}h", code));
      return false;
    }
    raw = RawRequest{};
    raw.request.operation = *operation;
    raw.time = Int128{number(layout_->time, 8)} * kPicosecondsPerMicrosecond;
    if (layout_->response != 0) set_service(raw, number(layout_->response, 8));
    if (*operation == Operation::kFlush) return true;
    const std::uint64_t lba = number(layout_->lba, 8);
    if (lba > kLargestLba) fail("lba", fmt::format("{}", lba), "no drive has so many blocks");
    return set_bytes(raw, lba * kBlockBytes, number(layout_->length, 4));
  }

  void set_service(RawRequest& raw, std::uint64_t microseconds) const {
    if (microseconds > kLongestTime / kPicosecondsPerMicrosecond) {
      fail("response", fmt::format("{} us are more than 30 days", microseconds),
           "leave the record out");
    }
    raw.request.service = static_cast<Picoseconds>(microseconds) * kPicosecondsPerMicrosecond;
  }

  const Layout* layout_;
};

bool detect(const TraceSample& sample) { return find_layout(sample.bytes()) != nullptr; }

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<VscsiReader>(in, file);
}

}  // namespace

const TraceFormat kVscsiFormat = {"vscsi",
                                  "CloudPhysics vSCSI, binary, versions 1 and 2",
                                  "",
                                  "response time (version 2)",
                                  TimeBase::kFirstRequest,
                                  1024,
                                  detect,
                                  open,
                                  false};

}  // namespace headstack::traces
