// SPDX-License-Identifier: Apache-2.0
// The binary records of blktrace, 48 bytes in the byte order of the traced machine. Each gives the
// number of bytes that follow it (Linux, include/uapi/linux/blktrace_api.h; version 7):
//
//     u32 magic | version, u32 sequence, u64 ns, u64 sector, u32 bytes, u32 action, u32 process,
//     u32 device, u32 cpu, u16 error, u16 bytes that follow
//
// A request is what the driver gets (action D, issue) or, as an option, what a program queues (Q).
// Its completion (C) gives the service time, and a requeue (R) withdraws an issue until the next
// one. Discards, passed-through commands and the like are counted as skipped.
#include <fmt/format.h>

#include "host/traces/binary_input.hpp"
#include "host/traces/block_events.hpp"
#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::uint64_t kMagic = 0x656174;
constexpr std::uint64_t kVersion = 7;
constexpr std::size_t kRecordBytes = 48;
constexpr Picoseconds kNanosecond = 1000;

// Actions, in the low 16 bits, are numbers from 1 on in the order of kBlockActions. Categories, in
// the high 16, are bits.
constexpr std::uint64_t kReadBit = 1U << 0, kWriteBit = 1U << 1, kFlushBit = 1U << 2,
                        kPassThroughBit = 1U << 9, kNotifyBit = 1U << 10, kDiscardBit = 1U << 13,
                        kDriverDataBit = 1U << 14, kForcedBit = 1U << 15;

class BlktraceReader : public BinaryReader {
 public:
  BlktraceReader(InputBuffer& in, const std::string& file) : BinaryReader(in, file) {
    header_.source = "blktrace";
    header_.has_service = true;
  }

  RawItem next(RawRequest& raw) override {
    while (true) {
      const std::string_view head = begin_record(kRecordBytes);
      if (head.empty()) return RawItem::kEnd;
      const Endian endian = byte_order(head);
      const std::uint64_t follow = load(head, 46, 2, endian);
      const std::string_view record = take_record(kRecordBytes);
      std::array<char, kRecordBytes> copy = {};
      record.copy(copy.data(), copy.size());
      in_.take(in_.peek(follow).size());
      RawItem item = RawItem::kEnd;
      if (take({copy.data(), copy.size()}, endian, raw, item)) return item;
    }
  }

  bool choose_events(BlockEvent event) override {
    events_.choose(event);
    return true;
  }
  std::vector<EventCount> events() const override { return events_.counts(); }

 private:
  Endian byte_order(std::string_view head) const {
    for (const Endian endian : {Endian::kLittle, Endian::kBig}) {
      const std::uint64_t magic = load(head, 0, 4, endian);
      if (magic >> 8 != kMagic) continue;
      if ((magic & 0xFF) != kVersion) {
        fail_for_good("version", fmt::format("{}", magic & 0xFF), "this program reads version 7");
      }
      return endian;
    }
    fail_for_good("magic", "this is not the beginning of a record",
                  "the file is damaged: fetch it again");
  }

  bool take(std::string_view record, Endian endian, RawRequest& raw, RawItem& item) {
    const std::uint64_t action = load(record, 28, 4, endian) & 0xFFFF;
    const std::uint64_t category = load(record, 28, 4, endian) >> 16;
    if ((category & (kNotifyBit | kDriverDataBit)) != 0) return false;
    if (action == 0 || action > std::size(kBlockActions)) return false;
    const char letter = kBlockActions[action - 1].letter;
    events_.count(letter);
    const bool begins = events_.begins(letter);
    if (!begins && !events_.ends(letter) && !events_.withdraws(letter)) return false;
    const std::uint64_t bytes = load(record, 24, 4, endian);
    const std::uint64_t sector = load(record, 16, 8, endian);
    const auto operation = operation_of(category, bytes, begins);
    if (!operation) return false;
    raw = RawRequest{};
    raw.time = Int128{load(record, 8, 8, endian)} * kNanosecond;
    set_device(load(record, 36, 4, endian));
    raw.device = device_;
    raw.request.operation = *operation;
    raw.tag = block_event_tag(sector, *operation);
    item = begins                 ? RawItem::kRequest
           : events_.ends(letter) ? RawItem::kCompletion
                                  : RawItem::kWithdrawal;
    if (item != RawItem::kRequest || *operation == Operation::kFlush) return true;
    if (sector > kLargestLba) fail("sector", fmt::format("{}", sector), "no drive has so many");
    if (!set_bytes(raw, sector * 512, bytes)) return false;
    raw.forced = *operation == Operation::kWrite && (category & kForcedBit) != 0;
    return true;
  }

  /// The operation of an event; nothing for one without a counterpart here, which is counted.
  std::optional<Operation> operation_of(std::uint64_t category, std::uint64_t bytes, bool counts) {
    const char* other = (category & kDiscardBit) != 0       ? "discard"
                        : (category & kPassThroughBit) != 0 ? "passed-through command"
                                                            : nullptr;
    if (other == nullptr) {
      if ((category & kFlushBit) != 0 && bytes == 0) return Operation::kFlush;
      if ((category & kWriteBit) != 0) return Operation::kWrite;
      if ((category & kReadBit) != 0) return Operation::kRead;
      other = "without data";
    }
    if (counts) skip(other);
    return std::nullopt;
  }

  void set_device(std::uint64_t number) {
    if (!device_.empty() && number == device_number_) return;
    device_number_ = number;
    device_ = fmt::format("{},{}", number >> 20, number & 0xF'FFFF);
  }

  std::uint64_t device_number_ = 0;
  std::string device_;  // major and minor number: "8,0"
  BlockEvents events_;
};

bool detect(const TraceSample& sample) {
  const std::string_view head = sample.bytes();
  return head.size() >= kRecordBytes && (load(head, 0, 4, Endian::kLittle) >> 8 == kMagic ||
                                         load(head, 0, 4, Endian::kBig) >> 8 == kMagic);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<BlktraceReader>(in, file);
}

}  // namespace

const TraceFormat kBlktraceFormat = {
    "blktrace",
    "blktrace, binary, version 7: events of action D, or Q with --events queue",
    "major,minor",
    "from issue (D), or queueing (Q), to completion (C)",
    TimeBase::kFirstRequest,
    4096,
    detect,
    open,
    false};

}  // namespace headstack::traces
