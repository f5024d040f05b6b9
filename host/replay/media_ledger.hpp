// SPDX-License-Identifier: Apache-2.0
// Content that the media must hold after a power loss, derived from the drive's acknowledgements.
//
// A write counts once the drive has promised that it outlives a power cut. Its own GOOD is that
// promise. A write that may have been reported from the cache counts later: with the GOOD of a
// SYNCHRONIZE CACHE that was sent after its report. Blocks of any other write may be there or not.
// Which version may replace which follows from the order of commands (block_history.hpp).
//
// After power_lost() each block that the hosts have touched is read once and judged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "host/replay/block_history.hpp"

namespace headstack::replay {

class MediaLedger {
 public:
  using Version = BlockHistory::Version;

  /// A range of blocks: the first, and the one after the last.
  struct Range {
    std::uint64_t lba = 0;
    std::uint64_t end = 0;
  };

  explicit MediaLedger(bool restricted) : restricted_(restricted), history_(restricted) {}

  void touched(std::uint64_t lba, std::uint32_t blocks);
  void write_arrived(Version version, std::uint64_t lba, std::uint32_t blocks,
                     traces::Tagging tagging);
  /// `is_early`: the write ended with GOOD, and its data may be in the buffer alone.
  void write_ended(Version version, BlockHistory::Fate fate, bool is_early);

  /// flush_sent() gives the number of writes that a flush sent now covers. flush_done() takes that
  /// number when the flush ended with GOOD.
  std::uint64_t flush_sent() const { return reported_count_; }
  void flush_done(std::uint64_t sent);
  /// Notes that a write which ended with GOOD is lost. All writes that were only reported are then
  /// uncertain. @return their blocks, which may have their earlier content.
  std::vector<Range> deferred_error();

  /// Notes a successful FORMAT UNIT, during which no other command was outstanding: all blocks
  /// count as never written. ranges() does not change.
  void formatted();

  /// Notes the loss of power. No call for a command follows.
  void power_lost();
  /// Ranges of the blocks that hosts have touched, ascending, without overlap.
  std::vector<Range> ranges() const;
  /// Whether the block may be torn or have more than one version. That is so when a write to it was
  /// outstanding, or only reported. It is so, too, when a write that ended without GOOD may be
  /// there. A host learns of a reset before the sector under the head is done.
  bool is_uncertain(std::uint64_t lba);
  /// Whether a read may bring this version of the block. Called once for each block.
  bool may_hold(std::uint64_t lba, Version version);
  /// The versions that may_hold() accepts.
  std::vector<Version> allowed(std::uint64_t lba);

 private:
  struct Pending {
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
    std::optional<std::uint64_t> reported;  // its number among the reported writes, from 1
  };

  bool restricted_;
  BlockHistory history_;
  std::map<Version, Pending> pending_;           // writes that may not be on the media
  std::map<std::uint64_t, std::uint64_t> ends_;  // touched blocks: first, end
  std::uint64_t reported_count_ = 0;
};

}  // namespace headstack::replay
