// What the media must hold when the power goes, by what the drive has acknowledged.
//
// A write counts once the drive has promised that it outlives a power cut. That is its own GOOD. A
// write that may have been reported from the cache counts with the GOOD of a SYNCHRONIZE CACHE that
// was sent after that. Blocks of any other write may be there or not. Which version may lie on top
// of which follows from the order of commands (block_history.hpp).
//
// After power_lost() each block that the hosts have touched is read once and judged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/replay/block_history.hpp"

namespace headstack::replay {

class MediaLedger {
 public:
  using Version = BlockHistory::Version;

  /// `lba`, and the block behind the last.
  struct Range {
    std::uint64_t lba = 0;
    std::uint64_t end = 0;
  };

  explicit MediaLedger(bool restricted) : history_(restricted) {}

  void touched(std::uint64_t lba, std::uint32_t blocks);
  void write_arrived(Version version, std::uint64_t lba, std::uint32_t blocks,
                     traces::Tagging tagging);
  /// `is_early`: it was GOOD, and its data may be in the buffer alone.
  void write_ended(Version version, BlockHistory::Fate fate, bool is_early);

  /// What a flush that is sent now stands for, and that it was GOOD.
  std::uint64_t flush_sent() const { return reported_count_; }
  void flush_done(std::uint64_t sent);
  /// A host has heard that a write which was GOOD is lost: none of those that were only reported is
  /// counted on any more.
  void deferred_error();

  /// Nothing else comes.
  void power_lost();
  /// Ascending, and apart.
  std::vector<Range> ranges() const;
  /// Whether a write to the block was under way, or only reported; or one that ended otherwise than
  /// with GOOD may be there: its host hears of a reset before the sector under the head is done.
  bool is_uncertain(std::uint64_t lba);
  /// Whether a read may bring this version of the block. Asked once for each block.
  bool may_hold(std::uint64_t lba, Version version);
  /// Those that it may.
  std::vector<Version> allowed(std::uint64_t lba);

 private:
  struct Pending {
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
    std::optional<std::uint64_t> reported;  // as the how manieth
  };

  BlockHistory history_;
  std::map<Version, Pending> pending_;           // not on the media for certain
  std::map<std::uint64_t, std::uint64_t> ends_;  // of what was touched: first block, behind last
  std::uint64_t reported_count_ = 0;
};

}  // namespace headstack::replay
