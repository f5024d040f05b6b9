// SPDX-License-Identifier: Apache-2.0
// The versions of a block that a read may return. This covers several hosts, ORDERED and HEAD OF
// QUEUE tasks, and writes that were aborted, reset or cleared.
//
// A write that ended with GOOD has taken effect on all of its blocks. A write that ended otherwise
// may have taken effect, block by block. The order in which the drive carries out two commands is
// known in these cases (SCSI-2 7.8, SAM-2 7.6, SPC-2 table 156):
//
//   a before b   when a had ended, as its host knows, before the drive received b; and, both being
//                there at a time, when a was received first, b is no HEAD OF QUEUE task, and one of
//                the two is not SIMPLE or reordering is restricted.
//
// So a read may return version c if two conditions hold. Write c does not certainly come after the
// read. No write that took effect certainly lies between c and the read. A correct read shows more.
// The version that it returned took effect. Any other write certainly before the read is older, or
// never took effect. These conclusions hold for all later reads.
//
// Time is measured by the order of calls. A version names a write: each attempt at a write has its
// own, 1 or more. Version 0 is a block's content before all writes.
//
// Memory: 4 bytes a block, and some 100 more for each block whose version is not settled. A block
// is unsettled while writes to it are outstanding, or reads that arrived before these writes. It is
// also unsettled while it is open whether a write took effect.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/replay/version_map.hpp"
#include "host/traces/request_options.hpp"

namespace headstack::replay {

class BlockHistory {
 public:
  using Version = std::uint32_t;
  using Moment = std::uint64_t;  // counted from 1; 0: not yet

  enum class Fate : std::uint8_t {
    kOut,       // the write has not ended
    kDone,      // the write ended with GOOD
    kPerhaps,   // the write ended otherwise, and may have changed any of its blocks
    kNoEffect,  // the drive did not begin the write: BUSY, QUEUE FULL, a unit attention, ...
  };

  /// A read that the drive has received.
  struct Read {
    Moment arrival = 0;
    Moment end = 0;  // time of the first call of check()
    traces::Tagging tagging = traces::Tagging::kSimple;
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
  };

  enum class Verdict {
    kRight,
    kWrong,
    kOpen,  // depends on outstanding writes
  };

  /// With `restricted`, the drive keeps the order of commands that overlap (SPC-2 table 156, 0h).
  explicit BlockHistory(bool restricted) : restricted_(restricted) {}

  void write_arrived(Version version, std::uint64_t lba, std::uint32_t blocks,
                     traces::Tagging tagging);
  /// Notes the fate of a write that has arrived, which is not kOut. Called once for each.
  void write_ended(Version version, Fate fate);

  Read read_arrived(std::uint64_t lba, std::uint32_t blocks, traces::Tagging tagging);
  /// Whether the read, which has ended, may have returned these versions, one for each block.
  /// kRight settles the versions, so it is returned once. After kOpen the caller may ask again.
  Verdict check(Read& read, const std::vector<Version>& brought);
  /// Ends a read, for which check() is not called again.
  void read_ended(const Read& read);

  /// The versions of a block that a read may return, by what is known when it is called. They
  /// include those that depend on outstanding writes.
  std::vector<Version> allowed(const Read& read, std::uint64_t lba) const;

  /// Number of blocks with an unsettled version.
  std::size_t unsettled_count() const { return logs_.size(); }

 private:
  struct Write {
    Moment arrival = 0;
    Moment end = 0;
    traces::Tagging tagging = traces::Tagging::kSimple;
    Fate fate = Fate::kOut;
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
    std::uint32_t logs = 0;  // number of logs that contain the write
  };
  /// A write in a block's log.
  struct Entry {
    Version version = 0;
    const Write* write = nullptr;
    Moment seen = 0;  // end of a read that returned this version; 0: no such read
  };
  /// Writes to a block since its settled version.
  struct Log {
    bool base_gone = false;  // no later read can return the settled version
    std::vector<Entry> entries;
    std::vector<std::pair<Version, Version>> before;  // pairs of versions whose order a read showed
  };
  /// Properties of a command that determine its order.
  struct Span {
    Moment arrival;
    Moment end;  // 0: the command is outstanding
    traces::Tagging tagging;
  };
  /// Blocks to prune when all reads that arrived before `since` have ended.
  struct Due {
    Moment since;
    std::uint64_t lba;
    std::uint32_t blocks;
  };

  bool precedes(const Span& a, const Span& b) const;
  bool precedes(const Log& log, const Entry& a, const Entry& b) const;
  static Span span_of(const Entry& entry);
  static Span span_of(const Read& read) { return {read.arrival, read.end, read.tagging}; }
  static bool took_effect(const Entry& entry);
  std::vector<const Entry*> behind(const Log& log, const std::function<bool(const Entry&)>& begins,
                                   bool strict) const;
  bool is_hidden(const Log& log, const Entry* candidate, const Read& read, bool strict) const;
  bool is_later(const Log& log, const Entry& candidate, const Read& read, bool strict) const;
  bool may_bring(const Log& log, const Read& read, Version version, bool strict) const;
  Verdict check_block(const Read& read, std::uint64_t lba, Version version) const;
  void settle(const Read& read, std::uint64_t lba, Version version);
  void settle_entry(Log& log, const Read& read, Entry& seen);
  void put_before(Log& log, const Entry& a, const Entry& b);
  void join_around(Log& log, const Entry& middle);
  void forget(Version version, std::uint64_t lba, std::uint32_t blocks);
  void drop(Log& log, Version version);
  void prune(std::uint64_t lba);
  void prune_due();
  void release(Version version);

  bool restricted_;
  Moment now_ = 0;
  VersionMap settled_;
  std::unordered_map<std::uint64_t, Log> logs_;  // logs of unsettled blocks, by address
  std::unordered_map<Version, Write> writes_;    // an unordered_map, because references to its
                                                 // values stay valid
  std::multiset<Moment> reads_out_;              // arrivals of the reads that have not ended
  std::deque<Due> due_;
};

}  // namespace headstack::replay
