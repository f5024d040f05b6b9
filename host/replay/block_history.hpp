// Which version of a block a read may bring, whatever became of the writes before it: with several
// hosts, ORDERED and HEAD OF QUEUE tasks, and writes that were aborted, reset or cleared.
//
// A write that ended with GOOD has taken effect on all of its blocks. One that ended otherwise may
// have, block by block. What is known of the order in which the drive carries two commands out is
// (SCSI-2 7.8, SAM-2 7.6, SPC-2 table 154):
//
//   a before b   when a had ended, as its host knows, before the drive received b; and, both being
//                there at a time, when a was received first, b is no HEAD OF QUEUE task, and one of
//                the two is not SIMPLE or reordering is restricted.
//
// So a read may bring version c if c may lie before it, and no write that took effect lies for
// certain between c and the read. A read that was right shows more: what it brought took effect,
// and what lay for certain before the read, and was not seen, is older or never took effect.
// Whatever is seen is settled by that.
//
// Time is the order of calls. A write's version names it: each attempt at a write has one of its
// own, 1 or more. Version 0 is what a block has before all writes.
//
// Memory: 4 bytes a block; some 100 more for each block whose version is not settled, because
// writes to it are out, reads are out that came before them, or a write is not known to have taken
// effect.
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
  using Moment = std::uint64_t;  // 1, 2, ...; 0: not yet

  enum class Fate : std::uint8_t {
    kOut,       // it has not ended
    kDone,      // GOOD
    kPerhaps,   // it ended otherwise, and any of its blocks may be written
    kNoEffect,  // the drive did not begin with it: BUSY, QUEUE FULL, a unit attention, ...
  };

  /// A read that the drive has received.
  struct Read {
    Moment arrival = 0;
    Moment end = 0;  // when it was asked about first
    traces::Tagging tagging = traces::Tagging::kSimple;
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
  };

  enum class Verdict {
    kRight,
    kWrong,
    kOpen,  // right or wrong, as writes end that are still out
  };

  /// `restricted`: the drive keeps the order of what overlaps (SPC-2 table 154, 0h).
  explicit BlockHistory(bool restricted) : restricted_(restricted) {}

  void write_arrived(Version version, std::uint64_t lba, std::uint32_t blocks,
                     traces::Tagging tagging);
  /// Of one that arrived; once, and not with kOut.
  void write_ended(Version version, Fate fate);

  Read read_arrived(std::uint64_t lba, std::uint32_t blocks, traces::Tagging tagging);
  /// Whether the read, which has ended, may have brought these versions, one for each block. What
  /// is right is settled by it, and so is done once; what is open may be asked for again.
  Verdict check(Read& read, const std::vector<Version>& brought);
  /// The read is over, and will not be asked about any more.
  void read_ended(const Read& read);

  /// What a read may bring of a block by what is known now; those that hang on writes still out
  /// are among them.
  std::vector<Version> allowed(const Read& read, std::uint64_t lba) const;

  /// Blocks of which more is remembered than a number.
  std::size_t unsettled_count() const { return logs_.size(); }

 private:
  struct Write {
    Moment arrival = 0;
    Moment end = 0;
    traces::Tagging tagging = traces::Tagging::kSimple;
    Fate fate = Fate::kOut;
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
    std::uint32_t logs = 0;  // that have it
  };
  /// A write in a block's log.
  struct Entry {
    Version version = 0;
    const Write* write = nullptr;
    Moment seen = 0;  // by a read that had ended by then
  };
  /// What may have become of a block since its settled version.
  struct Log {
    bool base_gone = false;  // no read can bring the settled version any more
    std::vector<Entry> entries;
    std::vector<std::pair<Version, Version>> before;  // shown by reads: the first came before
  };
  /// A command in the drive, as far as order goes.
  struct Span {
    Moment arrival;
    Moment end;  // 0: still there
    traces::Tagging tagging;
  };
  /// To be looked at again when all reads from before `since` have ended.
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
  std::unordered_map<std::uint64_t, Log> logs_;  // by block
  std::unordered_map<Version, Write> writes_;    // references to its values stay
  std::multiset<Moment> reads_out_;              // arrivals
  std::deque<Due> due_;
};

}  // namespace headstack::replay
