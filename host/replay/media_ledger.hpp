// SPDX-License-Identifier: Apache-2.0
// Content that the media must hold after a power loss, derived from the drive's acknowledgements.
//
// A write counts once the drive has promised that it outlives a power cut. Its own GOOD is that
// promise. A write that may have been reported from the cache counts later, with the GOOD of a
// SYNCHRONIZE CACHE that was sent after its report. Any other write may or may not be found. Which
// version may replace which other follows from the order of commands (block_history.hpp).
//
// The touched blocks are read once and judged, after power_lost().
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
  /// `is_early` means that the write ended with GOOD, and that its data may be only in the buffer.
  void write_ended(Version version, BlockHistory::Fate fate, bool is_early);

  /// The number of reported writes: a flush sent at this time covers all of them. flush_done()
  /// takes that number when the flush has ended with GOOD.
  std::uint64_t flush_sent() const { return reported_count_; }
  void flush_done(std::uint64_t sent);
  /// Notes that a write which ended with GOOD is lost. All writes that were only reported become
  /// uncertain. @return their blocks, which may have their earlier content.
  std::vector<Range> deferred_error();

  /// Notes a successful FORMAT UNIT, during which no other command was outstanding: all blocks
  /// count as never written. ranges() does not change.
  void formatted();

  /// Notes the loss of power. No call for a command follows.
  void power_lost();
  /// Ranges of the blocks that hosts have touched, ascending, without overlap.
  std::vector<Range> ranges() const;
  /// Whether the block may be torn or have more than one version. This is so when a write to it was
  /// outstanding, or only reported. It is also so when a write that ended without GOOD may be on
  /// the media. The reason is that a host learns of a reset before the sector under the head is
  /// done.
  bool is_uncertain(std::uint64_t lba);
  /// Whether a read may return this version of the block. Called once for each block.
  bool may_hold(std::uint64_t lba, Version version);
  /// The versions that may_hold() accepts.
  std::vector<Version> allowed(std::uint64_t lba);

 private:
  struct Pending {
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
    std::optional<std::uint64_t> reported;  // the write's number among the reported writes, from 1
  };

  bool restricted_;
  BlockHistory history_;
  std::map<Version, Pending> pending_;           // writes that may not be on the media yet
  std::map<std::uint64_t, std::uint64_t> ends_;  // touched ranges: end by first block
  std::uint64_t reported_count_ = 0;
};

}  // namespace headstack::replay
