// SPDX-License-Identifier: Apache-2.0
/// @file
/// The versions of a block that a read may return. A block is a register with concurrent
/// operations.
///
/// An operation (a READ or WRITE in the drive) begins when its CDB is complete. It ends when its
/// status comes, or when it is known to be dropped. The rules, each with its source:
///
///  R1 An operation that ended before another began precedes it, for any tags. A write with status
///     GOOD counts for all later commands, cached or not.
///  R2 An ORDERED task comes after all that arrived before it and before all that arrive later,
///     except HEAD OF QUEUE (SCSI-2 7.8).
///  R3 A HEAD OF QUEUE task may come before tasks under way, and comes before later arrivals
///     (SCSI-2 7.8).
///  R4 With restricted reordering, tasks of one initiator that overlap come in the order of their
///     arrival (control page, queue algorithm modifier 0h; SCSI-2 8.3.3.1).
///  R5 A write without GOOD may have changed any of its blocks whose data had moved, each
///     completely or not at all. Content that a later read saw stays.
///  R6 A write that was refused before its data moved has no effect.
///
/// A read may return version v of a block on two conditions. The write of v does not come after the
/// read, and no write that was certainly done lies between them. Each read is judged by itself,
/// with the results of earlier reads.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/initiator/command.hpp"
#include "tests/fuzz/drive/block_content.hpp"

namespace headstack::fuzz {

/// Names an operation; a write's is its blocks' version.
using OperationId = Version;

/// A time in the future.
constexpr Picoseconds kOpen = std::numeric_limits<Picoseconds>::max();

enum class Effect : std::uint8_t {
  kPossible,  // under way, or ended without GOOD
  kCertain,   // GOOD
  kNone,      // refused
};

struct BlockOperation {
  bool is_write = false;
  std::uint8_t host = 0;
  initiator::TagType attribute = initiator::TagType::kUntagged;
  bool restricted = true;  // R4 held when it arrived
  std::uint32_t lba = 0;
  std::uint32_t blocks = 0;
  Picoseconds begin = kOpen;  // time of its arrival
  std::uint64_t arrival = 0;  // number of the arrival; 0: has not arrived
  Picoseconds end = kOpen;
  Effect effect = Effect::kPossible;
  std::uint32_t blocks_moved = std::numeric_limits<std::uint32_t>::max();  // most that came from
                                                                           // the host
};

class BlockModel {
 public:
  /// Adds an operation that the drive does not have yet. @return 1, 2, ...
  OperationId add(const BlockOperation& operation);
  /// Its CDB is complete. If the drive requests the CDB again, the last time counts.
  void arrive(OperationId id, Picoseconds at, bool restricted);
  /// The operation has ended.
  void end(OperationId id, Picoseconds at, Effect effect, std::uint32_t blocks_moved);
  const BlockOperation& operation(OperationId id) const { return operations_[id - 1]; }
  /// A write that might have been lost after its GOOD was not.
  void confirm(OperationId id) { operations_[id - 1].effect = Effect::kCertain; }

  /// A read that has ended saw this version of a block. @return the violation, or "": then the
  /// version is known to have been there.
  std::string see(OperationId read, std::uint32_t lba, Version version);

  /// Checks that the media may hold this version now. Each write that ended with GOOD before
  /// `since` must be there, or a later one. The same applies to the write `demanded`, if any.
  std::string find_media_error(std::uint32_t lba, Version version, Picoseconds since,
                               OperationId demanded = 0) const;

  /// Whether this version of a block was there before a write to it.
  bool is_older(std::uint32_t lba, Version version, OperationId write) const;

  /// After a repair that ended by `at`, the blocks may hold anything until a later write ends with
  /// GOOD.
  void forget(std::uint32_t lba, std::uint32_t blocks, Picoseconds at);
  /// Whether an operation that begins at `begin` may find any content there.
  bool is_forgotten(std::uint32_t lba, Picoseconds begin) const;

  /// Blocks of all writes, in order.
  std::vector<std::uint32_t> touched() const;
  /// Describes a write: its host, its content, and its end.
  std::string tell(Version version) const;

 private:
  struct Touch {  // what a write did to one block; write 0 is the drive's initial content
    OperationId write = 0;
    Picoseconds seen = kOpen;                // the end of the first read that saw it
    bool void_here = false;                  // not done to this block, as the result of a read
                                             // shows
    std::vector<OperationId> replaced_by{};  // writes that replaced it, as results of reads show
  };
  using Touches = std::vector<Touch>;
  struct Forgotten {
    std::uint32_t lba = 0;
    std::uint32_t blocks = 0;
    Picoseconds at = 0;
  };

  static bool precedes(const BlockOperation& a, const BlockOperation& b);
  bool comes_before(const Touch& a, const Touch& b) const;
  bool is_done_before(const Touch& write, const BlockOperation& read) const;
  std::string find_fault(const Touch* touch, std::uint32_t lba, Version version) const;
  void settle(Touches* touches, Touch* seen, const BlockOperation& read);
  Touches& touches_of(std::uint32_t lba);
  const Touches* find_touches(std::uint32_t lba) const;

  std::vector<BlockOperation> operations_;
  std::uint64_t arrivals_ = 0;
  std::map<std::uint32_t, Touches> touches_;  // the writes to each block
  std::vector<Forgotten> forgotten_;
};

}  // namespace headstack::fuzz
