// SPDX-License-Identifier: Apache-2.0
// Every key of a scenario: name, kind, range, unit, meaning, short name, and the flag of
// `headstack run` that it replaces. No other place defines them.
//
// visit(visitor, structure) calls the visitor once per key, in the order of the canonical form. A
// structure's own keys come before its tables, as TOML needs it. The visitor has these functions;
// `fields.hpp` has one that makes the table from which everything else is generated.
//
//   boolean, integer, number, time, text     one value; integer, number and time have bounds
//   optional_...                             the same without a default
//   integers                                 one value or a list
//   choice, optional_choice                  a word of an enumeration
//   word, words                              a text with a parser; one or several
//   file, files                              paths, relative to the file that names them
//   count_or_time                            a number, a time, or a list of both
//   requests, overlay                        requests in rows; keys of a drive's file
//   table, optional_table, tables            structures below a key
#pragma once

#include <cstdint>

#include "firmware/queue/task_set.h"
#include "host/observe/host_tag.hpp"
#include "host/scenario/scenario.hpp"
#include "host/scenario/words.hpp"
#include "host/traces/trace_formats.hpp"
#include "sim/drive/schema.hpp"

namespace headstack::scenario {

struct Key {
  const char* name;
  const char* help;
  const char* flags = "";       // of `headstack run`, separated by blanks
  const char* short_name = "";  // on a command line
};

/// Limits of a whole number. A double, as drive::Bounds has, holds no seed exactly.
struct Whole {
  std::int64_t low = 0;
  std::int64_t high = 0;
  const char* unit = "";
};

struct Times {
  Picoseconds low = 0;
  Picoseconds high = 0;
};

/// What a path names. It decides how an identity takes it.
enum class FileRole : std::uint8_t {
  kDrive,  // a file, or a name from sim/drives; read
  kRead,
  kKept,  // read and written; may not exist yet
  kMade,
};

constexpr Whole kRequestCount = {0, 1'000'000'000, "requests"};
constexpr Whole kEach = {0, 1'000'000'000, "requests; 0: never"};
constexpr Whole kSeed = {0, 9'000'000'000'000'000'000, ""};
constexpr Whole kByte = {0, 1'000'000'000'000, "bytes"};
constexpr Whole kLba = {0, static_cast<std::int64_t>(traces::kLargestLba), "block"};
constexpr Times kLongTime = {0, traces::kLongestTime};
constexpr Times kSimulated = {0, 1'000'000 * kPicosecondsPerSecond};
constexpr Times kAnyTime = {0, 100 * 86'400 * kPicosecondsPerSecond};
constexpr drive::Bounds kFactor = {1e-6, 1e6, ""};

template <class V>
void visit(V& v, Drive& d) {
  v.file({"name", "a name from `drive list`, or a .toml file", "--drive", "drive"}, d.name,
         FileRole::kDrive);
  v.file({"media", "a file that keeps the content of the drive's media, made if it does not exist",
          "--media"},
         d.media, FileRole::kKept);
  v.choice({"controller",
            "the controller's time for a command: this firmware's and electronics' own, or the "
            "published one of the described drive",
            "--controller"},
           d.controller, kControllers);
  v.overlay({"design", "keys of [design] of the drive's file, laid over it"}, d.design);
  v.overlay({"specimen", "keys of [specimen] of the drive's file, laid over it: flaws and faults"},
            d.specimen);
}

template <class V>
void visit(V& v, PlatformChoice& p) {
  v.optional_choice({"kind",
                     "vp: fast models, in the cycles of rtl; rtl: the electronics; native: the "
                     "firmware compiled for this machine (default: vp, with waves rtl)",
                     "--platform", "platform"},
                    p.kind, kPlatforms);
  v.file({"firmware", "another drive.elf (default: the build's)", "--firmware", "firmware"},
         p.firmware, FileRole::kRead);
  v.boolean({"gating", "rtl: clocks stop where nothing happens", "--no-gating"}, p.gating);
  v.boolean(
      {"ideal_electronics", "native: instructions and bus take no time", "--ideal-electronics"},
      p.ideal_electronics);
  v.optional_integer({"access_price",
                      "native: clock cycles for each register access, with all that lies between "
                      "two",
                      "--access-price"},
                     p.access_price, {0, 1'000'000, "cycles"});
  v.text({"reference",
          "native: a reference scheduler, which no real drive can have, in place of the policy",
          "--reference"},
         p.reference);
}

template <class V>
void visit(V& v, Synthetic& s) {
  v.choice(
      {"pattern",
       "uniform; sequential; zipf: the k-th most popular region is 1/k as likely as the first"},
      s.pattern, kPatterns);
  v.integer({"requests", "how many"}, s.requests, {1, 1'000'000'000, "requests"});
  v.integer({"first", "first block of the span"}, s.first, kLba);
  v.integer({"span", "blocks from `first` on that requests touch; 0: to the drive's end"}, s.span,
            {0, kLba.high, "blocks"});
  v.integers({"blocks", "lengths of requests, each equally likely"}, s.blocks,
             {1, static_cast<std::int64_t>(traces::kMostBlocks), "blocks"});
  v.number({"write_share", "share of the requests that write"}, s.write_share, {0, 1, ""});
  v.integer({"flush_every", "each Nth request is a flush"}, s.flush_every, kEach);
  v.time({"gap", "mean time between arrivals, a Poisson process; 0s: a closed loop"}, s.gap,
         kLongTime);
  v.word({"deadline", "range of times after the arrival, each equally likely"}, s.deadline,
         kTimeRangeWord);
  v.number({"best_effort_share",
            "share of the requests without a deadline, or of the streams, the last of them"},
           s.best_effort_share, {0, 1, ""});
  v.integer({"streams", "number of streams that requests belong to; 0: none"}, s.streams,
            {0, 256, "streams"});
  v.integers({"priorities", "of requests with a stream, each equally likely"}, s.priorities,
             {0, traces::Urgency::kLargestPriority, ""});
  v.integer({"seed", "of all random choices"}, s.seed, kSeed);
}

template <class V>
void visit(V& v, Load& l) {
  v.file({"trace", "the I/O trace; -: standard input", "--trace", "trace"}, l.trace,
         FileRole::kRead);
  v.requests({"requests",
              "rows in place of a trace: [\"r\", LBA, BLOCKS], w or v; [\"f\"]; a fourth value is "
              "the arrival"},
             l.requests);
  v.word(
      {"format", "the trace's format, of `trace formats` (default: by content)", "--trace-format"},
      l.format, kTraceFormatWord);
  v.text({"device", "read only this device of the trace; all: each device is an initiator",
          "--device --all-devices"},
         l.device);
  v.optional_choice({"events",
                     "events of a block layer that are requests: issue (to the driver; the "
                     "default) or queue (by programs)",
                     "--events"},
                    l.events, kBlockEvents);
  v.choice({"on_bad", "a line that cannot be read: stop, or skip and count it", "--skip-bad"},
           l.on_bad, kOnBad);
  v.optional_integer({"sort_window",
                      "sort requests that are at most this many places late (default: the "
                      "format's)",
                      "--sort-window"},
                     l.sort_window, {0, traces::kLargestSortWindow, "requests"});
  v.choice({"map",
            "addresses from a drive of another size: none; fold (modulo the capacity); scale (the "
            "trace's range onto the drive's)",
            "--map-addresses"},
           l.map, kMappings);
  v.integer(
      {"trace_end", "map = scale: the block after the trace's last; 0: the trace is read twice",
       "--trace-end"},
      l.trace_end, {0, INT64_MAX, "block"});
  v.choice({"loop",
            "when requests are issued. trace: as the trace says; open: at their arrival; closed: "
            "when the queue has room; think: a think time after the initiator's last one",
            "--open --closed --think", "loop"},
           l.loop, kLoops);
  v.optional_time(
      {"think", "think time after every request (default: the trace's)", "--think-time"}, l.think,
      kAnyTime);
  v.number({"think_scale", "think times are multiplied by this", "--think-scale"}, l.think_scale,
           {0, 1e6, ""});
  v.number({"speedup", "arrival times are divided by this", "--speedup"}, l.speedup, kFactor);
  v.integer({"limit", "stop after this many requests; 0: all", "--limit", "limit"}, l.limit,
            kRequestCount);
  v.optional_integer({"expect",
                      "an error unless the run replays exactly this many requests, with those of a "
                      "warm-up and inserted flushes",
                      "--expect-requests"},
                     l.expect, kRequestCount);
  v.count_or_time({"warm_up",
                   "requests that come first and make no records: a number of them, a time, or a "
                   "list of both",
                   "--warm-up --warm-up-time"},
                  l.warm_up, kRequestCount, kAnyTime);
  v.optional_table({"synthetic", "a load made by chance, in place of a trace"}, l.synthetic);
}

template <class V>
void visit(V& v, Every& e) {
  v.integer({"untagged", "each Nth request has no queue tag, and is alone of its host; 1: all",
             "--untagged-every"},
            e.untagged, kEach);
  v.integer({"head_of_queue", "each Nth request has HEAD OF QUEUE TAG", "--head-of-queue-every"},
            e.head_of_queue, kEach);
  v.integer({"ordered", "each Nth request has ORDERED QUEUE TAG", "--ordered-every"}, e.ordered,
            kEach);
  v.integer(
      {"no_disconnect", "each Nth request has no privilege to disconnect", "--no-disconnect-every"},
      e.no_disconnect, kEach);
  v.integer({"fua", "each Nth request, if it reads or writes, has FUA set", "--fua-every"}, e.fua,
            kEach);
  v.integer({"dpo", "each Nth request, if it reads or writes, has DPO set", "--dpo-every"}, e.dpo,
            kEach);
  v.integer({"verify", "each Nth request, if it is a read, is a VERIFY", "--verify-every"},
            e.verify, kEach);
  v.integer({"flush", "after each Nth request its host sends SYNCHRONIZE CACHE", "--flush-every"},
            e.flush, kEach);
  v.integer({"save", "after each Nth request its host saves mode pages", "--save-every"}, e.save,
            kEach);
  v.integer({"reassign", "after each Nth request its host reassigns one of its blocks",
             "--reassign-every"},
            e.reassign, kEach);
  v.integer(
      {"format", "after each Nth request its host sends FORMAT UNIT, alone", "--format-every"},
      e.format, kEach);
  v.words(
      {"abort", "N[:DELAY]: each Nth request is aborted DELAY after its issue", "--abort-every"},
      e.abort, kAbortWord);
  v.words({"clear_queue",
           "N[:DELAY]: the host of each Nth request sends CLEAR QUEUE; or a time: after each such "
           "time",
           "--clear-queue-every"},
          e.clear_queue, kClearWord);
  v.words({"bus_reset", "N[:DELAY] or a time: the same with RST", "--reset-every"}, e.bus_reset,
          kBusResetWord);
  v.words({"device_reset", "N[:DELAY] or a time: the same with BUS DEVICE RESET", "--reset-every"},
          e.device_reset, kDeviceResetWord);
  v.word({"policy", "N or a time: each time a host sets the next of several policies",
          "--policy-every"},
         e.policy, kChangeWord);
  v.word({"cache", "the same for several caches", "--cache-every"}, e.cache, kChangeWord);
  v.word({"map", "the same for several maps of remap.use", "--map-every"}, e.map, kChangeWord);
}

template <class V>
void visit(V& v, Hosts& h) {
  v.integer({"number", "hosts on the bus, 7 at most on a narrow one", "--initiators", "hosts"},
            h.number, {1, observe::kMostHostsWide, "hosts"});
  v.integer(
      {"depth", "commands outstanding at most, of all hosts together", "--queue-depth", "depth"},
      h.depth, {1, TASK_SET_CAPACITY, "commands"});
  v.integer({"seed", "of the data written", "--seed", "seed"}, h.seed, kSeed);
  v.word(
      {"bus", "agreement that hosts negotiate: async, fast, fast-wide or sync:PERIOD_NS[:OFFSET]",
       "--bus"},
      h.bus, kBusWord);
  v.choice({"cdb", "length of the CDBs of READ and WRITE", "--cdb"}, h.cdb, kCdbs);
  v.choice({"retry", "commands that hosts send again: none; lost (by a reset); all (aborted, too)",
            "--retry"},
           h.retry, kRetries);
  v.boolean({"verify", "check every byte read", "--verify-data", "verify"}, h.verify);
  v.table({"every", "what hosts do at each Nth request"}, h.every);
}

template <class V>
void visit(V& v, Stream& s) {
  v.integer({"number", "the stream"}, s.number, {0, 15, ""});
  v.optional_number({"u", "reserved share of the heads' time, with period (fahrrad)"}, s.u,
                    {0.001, 1, ""});
  v.optional_time({"period", "of the reservation, in whole ms"}, s.period,
                  {kPicosecondsPerMillisecond, 50 * kPicosecondsPerSecond});
  v.optional_integer({"share", "percent of the time (cello:by=stream)"}, s.share,
                     {1, 100, "percent"});
  v.optional_integer({"w", "requests a round (wrrscan)"}, s.w, {1, 255, "requests"});
  v.optional_integer({"k", "requests a round (wrrscan:inner=fcfs)"}, s.k, {1, 255, "requests"});
}

template <class V>
void visit(V& v, Settings& s) {
  v.words({"policy", "scheduling policy: NAME[:KEY=VALUE|FLAG,...], of `policy list`", "--policy",
           "policy"},
          s.policy, kPolicyWord);
  v.words({"cache", "off, read or read-write, and then [:KEY=VALUE,...]", "--cache", "cache"},
          s.cache, kCacheWord);
  v.optional_integer({"predictor_margin_us",
                      "a sector counts as reachable if it passes at least this much after the "
                      "seek's end (default: the drive's)",
                      "--predictor-margin"},
                     s.predictor_margin_us, {0, UINT16_MAX, "us"});
  v.word({"write_threshold", "when reported writes go before all else", "--write-threshold"},
         s.write_threshold, kWriteThresholdWord);
  v.choice({"deadlines",
            "how the drive learns of deadlines, classes, streams and priorities: none, message or "
            "cdl (command duration limits)",
            "--deadlines", "deadlines"},
           s.deadlines, kDeadlines);
  v.choice({"cdl_policy", "a command whose limit passes: complete it, or abort it", "--cdl-policy"},
           s.cdl_policy, kCdlPolicies);
  v.choice({"qerr",
            "effect of a failing command on others. 0: they continue; 1: those of all hosts are "
            "cleared; 3: those of its host",
            "--qerr"},
           s.qerr, kQueueErrors);
  v.choice({"reordering", "whether simple tags may be served in any order, if they overlap",
            "--reordering"},
           s.reordering, kReorderings);
  v.tables({"streams", "parameters of streams, for policies", "--stream"}, s.streams);
}

template <class V>
void visit(V& v, Remap& r) {
  v.files({"maps", "maps by which the drive moves its blocks, from `remap arrange`: two at most",
           "--remap"},
          r.maps, FileRole::kRead);
  v.integers(
      {"use", "the map in force: 1, 2, or 0 for none; several with hosts.every.map", "--map"},
      r.use, {0, 2, ""});
  v.integer(
      {"share_percent", "of the media's time that moves may take under load; 0: only when idle",
       "--remap-share"},
      r.share_percent, {0, 99, "percent"});
  v.integer({"idle_ms", "time without commands until the drive counts as idle", "--remap-idle"},
            r.idle_ms, {0, UINT16_MAX, "ms"});
  v.boolean({"settled", "the load begins when all blocks have moved", "--remap-settled"},
            r.settled);
  v.integer({"learn_blocks",
             "the drive counts how often one group of this many blocks follows another; 0: none",
             "--learn"},
            r.learn_blocks, {0, UINT16_MAX, "blocks"});
}

template <class V>
void visit(V& v, Faults& f) {
  v.word({"power_cut", "cut the power at time:T, event:NAME[:N], cmd:N or byte:N, and judge it",
          "--power-cut"},
         f.power_cut, kPowerCutWord);
  v.optional_integer(
      {"power_again", "cut it again before this byte that the drive then writes", "--power-again"},
      f.power_again, kByte);
  v.optional_choice({"power_loss",
                     "the sector under the head at a cut: finished, or torn (default: the "
                     "specimen's)",
                     "--power-loss"},
                    f.power_loss, drive::kPowerLossKinds);
}

template <class V>
void visit(V& v, Waves& w) {
  v.file({"file", "record electronics and drive into this .fst file", "--wave", "wave"}, w.file,
         FileRole::kMade, &kWaveFileWord);
  v.words({"windows", "only then: time:T..U, cmd:N..M or event:NAME[:N]", "--wave-window"},
          w.windows, kWindowWord);
  v.words({"on", "only from each such event on, a file for each", "--wave-on"}, w.on, kTriggerWord);
  v.time({"after", "how long a window of an event lasts", "--wave-after"}, w.after, kAnyTime);
}

template <class V>
void visit(V& v, Observe& o) {
  v.choice({"records",
            "full: a line for each command; summary: figures alone; none: counts of errors alone"},
           o.records, kRecords);
  v.boolean({"events", "every event of the firmware, into events.txt", "--event-log"}, o.events);
  v.boolean({"ledger", "the same with the firmware's cycles by function, into ledger.txt",
             "--event-ledger"},
            o.ledger);
  v.boolean({"accesses", "every access to a register or the sector buffer, into accesses.txt",
             "--access-log"},
            o.accesses);
  v.boolean({"profile", "the firmware's cycles by function, into profile.txt", "--profile"},
            o.profile);
  v.boolean({"timeline", "tracks for ui.perfetto.dev, into timeline.perfetto", "--timeline"},
            o.timeline);
  v.boolean({"post_mortem", "rtl: waves of the time before a failure", "--post-mortem"},
            o.post_mortem);
  v.optional_time({"snapshot_every", "simulated time between snapshots; 0s: one at the beginning",
                   "--snapshot-every"},
                  o.snapshot_every, {0, 1'000'000 * kPicosecondsPerMillisecond});
  v.integer({"snapshots", "the most snapshots to keep", "--snapshots"}, o.snapshots,
            {2, 1000, "snapshots"});
  v.table({"waves", "waveforms, on rtl"}, o.waves);
}

template <class V>
void visit(V& v, Stop& s) {
  v.time(
      {"watchdog", "end if no command completes for this simulated time; 0s: never", "--watchdog"},
      s.watchdog, kSimulated);
  v.optional_time({"until", "end at this simulated time"}, s.until, kSimulated);
  v.words({"fail_on", "a failure if the run has more of WHAT than N or SHARE%: WHAT[=N|=SHARE%]",
           "--fail-on"},
          s.fail_on, kFailureWord);
  v.boolean(
      {"allow_empty", "no error where no request is left to read or to measure", "--allow-empty"},
      s.allow_empty);
}

template <class V>
void visit(V& v, Scenario& s) {
  v.integer({"schema", "counts up when a default changes its meaning"}, s.schema, {1, kSchema, ""});
  v.text({"title", "one line for people"}, s.title);
  v.table({"drive", "the drive; a text is its name"}, s.drive);
  v.table({"platform", "where the firmware runs; a text is its kind"}, s.platform);
  v.table({"load", "the requests"}, s.load);
  v.table({"hosts", "hosts and bus"}, s.hosts);
  v.table({"settings", "of the drive, made before the load begins"}, s.settings);
  v.table({"remap", "a drive that moves its blocks"}, s.remap);
  v.table({"faults", "power cuts; other faults are in drive.specimen"}, s.faults);
  v.table({"observe", "what a run notes"}, s.observe);
  v.table({"stop", "when a run ends, and when it has failed"}, s.stop);
}

}  // namespace headstack::scenario
