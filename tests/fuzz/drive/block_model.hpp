/// @file
/// Which versions of a block a read may return: a register per block that many operate on at once.
///
/// An operation (a READ or WRITE in the drive) has a beginning, when its CDB was complete, and an
/// end, when its status came or it was known to be gone. The rules, each with its source:
///
///  R1 What ended before another began comes before it, whatever the tags say: a write whose status
///     was GOOD counts for all that is sent later, cached or not.
///  R2 An ORDERED task comes behind all that arrived before it and before all that arrive later,
///     but for HEAD OF QUEUE (SCSI-2 7.8.3).
///  R3 A HEAD OF QUEUE task may come before what is under way, and comes before what arrives later
///     (SCSI-2 7.8.2).
///  R4 With restricted reordering, tasks of one initiator that overlap come in the order of their
///     arrival (control page, queue algorithm modifier 0h; SCSI-2 8.3.3.1).
///  R5 A write that did not end with GOOD may have been done to each of its blocks whose data had
///     moved, whole or not at all. What a later read saw stays.
///  R6 A write that was refused before its data moved was not done at all.
///
/// A read may return version v of a block if v's write does not come behind the read, and no write
/// that was certainly done lies between the two. Each read is looked at by itself, with what reads
/// before it saw.
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

/// Not yet.
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
  Picoseconds begin = kOpen;  // its arrival
  std::uint64_t arrival = 0;  // place among all arrivals; 0: has not arrived
  Picoseconds end = kOpen;
  Effect effect = Effect::kPossible;
  std::uint32_t blocks_moved = std::numeric_limits<std::uint32_t>::max();  // from the host, at most
};

class BlockModel {
 public:
  /// A new operation, which the drive does not have yet. 1, 2, ...
  OperationId add(const BlockOperation& operation);
  /// Its CDB is complete. The last time counts, if the drive asked for it again.
  void arrive(OperationId id, Picoseconds at, bool restricted);
  /// It is over.
  void end(OperationId id, Picoseconds at, Effect effect, std::uint32_t blocks_moved);
  const BlockOperation& operation(OperationId id) const { return operations_[id - 1]; }
  /// A write that might have been lost behind its GOOD was not.
  void confirm(OperationId id) { operations_[id - 1].effect = Effect::kCertain; }

  /// A read that has ended saw this version of a block. What is wrong with it, empty when nothing
  /// is; then it is settled that this was there.
  std::string see(OperationId read, std::uint32_t lba, Version version);

  /// The media hold this version now. Each write that ended with GOOD before `since` must be there
  /// by then, or one that comes behind it; and so must the one that is `demanded`, if any.
  std::string find_media_error(std::uint32_t lba, Version version, Picoseconds since,
                               OperationId demanded = 0) const;

  /// A repair that was over by `at`: the blocks may hold anything until the next write that begins
  /// later and is GOOD.
  void forget(std::uint32_t lba, std::uint32_t blocks, Picoseconds at);
  /// Whether an operation that begins at `begin` may find anything there.
  bool is_forgotten(std::uint32_t lba, Picoseconds begin) const;

  /// Blocks that some write was about, in order.
  std::vector<std::uint32_t> touched() const;
  /// A write in words: who wrote what, and how that ended.
  std::string tell(Version version) const;

 private:
  struct Touch {  // of a block by a write; write 0 is what the drive came with
    OperationId write = 0;
    Picoseconds seen = kOpen;                // the end of the first read that saw it
    bool void_here = false;                  // not done to this block, as a read told
    std::vector<OperationId> replaced_by{};  // as reads told
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
  std::map<std::uint32_t, Touches> touches_;  // by block
  std::vector<Forgotten> forgotten_;
};

}  // namespace headstack::fuzz
