// SPDX-License-Identifier: Apache-2.0
// Every key of a scenario: name, kind, range, unit, meaning, short name, and the flag of `headstack
// run` that it replaces. They are defined here alone.
//
// visit(visitor, structure) calls the visitor once per key, in the order of the canonical form. A
// structure's own keys come before its tables, as TOML needs it. The visitor has the functions
// below. That of `fields.hpp` makes the table from which everything else is generated.
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
  const char* flags = "";       // former flags of `headstack run`, separated by blanks
  const char* short_name = "";  // name on a command line, without the path
};

/// Limits of a whole number. They are integers because the doubles of drive::Bounds cannot
/// represent every seed.
struct Whole {
  std::int64_t low = 0;
  std::int64_t high = 0;
  const char* unit = "";
};

struct Times {
  Picoseconds low = 0;
  Picoseconds high = 0;
};

/// Role of a file, which decides how it enters the identity (identity.hpp).
enum class FileRole : std::uint8_t {
  kDrive,  // a file, or a name from sim/drives; only read
  kRead,
  kKept,  // read and written; need not exist yet
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
  v.file({"name", "name of a drive in `drive list`, or path of a .toml file", "--drive", "drive"},
         d.name, FileRole::kDrive);
  v.file({"media",
          "file with the content of the media; it is created if missing, and updated by the run",
          "--media"},
         d.media, FileRole::kKept);
  v.choice({"controller",
            "controller overhead per command. own: that of this firmware and electronics; "
            "published: the published figures of the real drive",
            "--controller"},
           d.controller, kControllers);
  v.overlay({"design", "keys that override [design] in the drive's file"}, d.design);
  v.overlay({"specimen",
             "keys that override [specimen] in the drive's file: flaws and faults of this copy"},
            d.specimen);
}

template <class V>
void visit(V& v, PlatformChoice& p) {
  v.optional_choice({"kind",
                     "vp: fast models of the electronics, cycle-equal to rtl; rtl: the Verilog "
                     "electronics; native: the firmware compiled for the host machine (default: "
                     "vp; rtl if waves are recorded)",
                     "--platform", "platform"},
                    p.kind, kPlatforms);
  v.file({"firmware", "drive.elf to run in place of the build's own (default: the build's)",
          "--firmware", "firmware"},
         p.firmware, FileRole::kRead);
  v.boolean({"gating", "rtl: clocks of idle blocks are gated", "--no-gating"}, p.gating);
  v.boolean({"ideal_electronics", "native: instructions and bus transfers take no simulated time",
             "--ideal-electronics"},
            p.ideal_electronics);
  v.optional_integer({"access_price",
                      "native: price of a register access in clock cycles, which includes the "
                      "instructions up to the next access",
                      "--access-price"},
                     p.access_price, {0, 1'000'000, "cycles"});
  v.text({"reference",
          "native: idealized reference scheduler that replaces the policy; no real drive could "
          "implement it",
          "--reference"},
         p.reference);
}

template <class V>
void visit(V& v, Synthetic& s) {
  v.choice({"pattern",
            "distribution of addresses: uniform; sequential; zipf: the k-th most popular region is "
            "1/k as likely as the first"},
           s.pattern, kPatterns);
  v.integer({"requests", "number of requests"}, s.requests, {1, 1'000'000'000, "requests"});
  v.integer({"first", "first block that requests may touch"}, s.first, kLba);
  v.integer(
      {"span",
       "number of blocks from `first` on that requests may touch; 0: up to the drive's last block"},
      s.span, {0, kLba.high, "blocks"});
  v.integers({"blocks", "possible request lengths, each equally likely"}, s.blocks,
             {1, static_cast<std::int64_t>(traces::kMostBlocks), "blocks"});
  v.number({"write_share", "fraction of the requests that are writes"}, s.write_share, {0, 1, ""});
  v.integer({"flush_every", "every Nth request is a flush (SYNCHRONIZE CACHE)"}, s.flush_every,
            kEach);
  v.time({"gap", "mean time between arrivals of a Poisson process; 0s: closed loop"}, s.gap,
         kLongTime);
  v.word({"deadline", "range of the time from arrival to deadline, uniformly distributed"},
         s.deadline, kTimeRangeWord);
  v.number({"best_effort_share",
            "fraction of the requests that have no deadline; with streams, fraction of the "
            "streams, counted from the last one"},
           s.best_effort_share, {0, 1, ""});
  v.integer({"streams", "number of streams that the requests are divided among; 0: no streams"},
            s.streams, {0, 256, "streams"});
  v.integers({"priorities", "possible priorities of requests with a stream, each equally likely"},
             s.priorities, {0, traces::Urgency::kLargestPriority, ""});
  v.integer({"seed", "seed of all random choices"}, s.seed, kSeed);
}

template <class V>
void visit(V& v, Load& l) {
  v.file({"trace", "I/O trace to replay; -: standard input", "--trace", "trace"}, l.trace,
         FileRole::kRead);
  v.requests({"requests",
              "requests in place of a trace, one row each: [\"r\", LBA, BLOCKS] reads, w writes, v "
              "verifies, [\"f\"] flushes; an optional fourth value is the arrival time"},
             l.requests);
  v.word({"format", "trace format, a name in `trace formats` (default: detected from the content)",
          "--trace-format"},
         l.format, kTraceFormatWord);
  v.text({"device",
          "device whose requests are replayed; all: every device of the trace, each as an "
          "initiator of its own",
          "--device --all-devices"},
         l.device);
  v.optional_choice({"events",
                     "block-layer event that counts as a request: issue (to the driver; the "
                     "default) or queue (by programs)",
                     "--events"},
                    l.events, kBlockEvents);
  v.choice({"on_bad", "action at an unreadable line: stop, or skip and count it", "--skip-bad"},
           l.on_bad, kOnBad);
  v.optional_integer(
      {"sort_window",
       "requests up to this many places out of order are sorted by time (default: the format's)",
       "--sort-window"},
      l.sort_window, {0, traces::kLargestSortWindow, "requests"});
  v.choice({"map",
            "mapping of addresses from a drive of another size. none: no mapping; fold: modulo the "
            "capacity; scale: the trace's range onto the drive's",
            "--map-addresses"},
           l.map, kMappings);
  v.integer({"trace_end",
             "end of the trace's address range (last block + 1), for map = scale; 0: found by "
             "reading the trace twice",
             "--trace-end"},
            l.trace_end, {0, INT64_MAX, "block"});
  v.choice({"loop",
            "when requests are issued. trace: as the trace specifies; open: at their arrival "
            "times; closed: as soon as the queue has room; think: a think time after the "
            "initiator's previous request",
            "--open --closed --think", "loop"},
           l.loop, kLoops);
  v.optional_time({"think", "think time after each request (default: the trace's)", "--think-time"},
                  l.think, kAnyTime);
  v.number({"think_scale", "factor by which think times are multiplied", "--think-scale"},
           l.think_scale, {0, 1e6, ""});
  v.number({"speedup", "factor by which arrival times are divided", "--speedup"}, l.speedup,
           kFactor);
  v.integer({"limit", "largest number of requests to replay; 0: all", "--limit", "limit"}, l.limit,
            kRequestCount);
  v.optional_integer({"expect",
                      "number of requests that the run must replay, warm-up and inserted flushes "
                      "included; any other number is an error",
                      "--expect-requests"},
                     l.expect, kRequestCount);
  v.count_or_time({"warm_up",
                   "warm-up at the beginning, which makes no records: a number of requests, a "
                   "time, or a list of both",
                   "--warm-up --warm-up-time"},
                  l.warm_up, kRequestCount, kAnyTime);
  v.optional_table({"synthetic", "random load in place of a trace"}, l.synthetic);
}

template <class V>
void visit(V& v, Every& e) {
  v.integer(
      {"untagged",
       "every Nth request is sent untagged, with no other command of its host outstanding; 1: all",
       "--untagged-every"},
      e.untagged, kEach);
  v.integer({"head_of_queue", "every Nth request is sent with a HEAD OF QUEUE TAG message",
             "--head-of-queue-every"},
            e.head_of_queue, kEach);
  v.integer(
      {"ordered", "every Nth request is sent with an ORDERED QUEUE TAG message", "--ordered-every"},
      e.ordered, kEach);
  v.integer({"no_disconnect", "every Nth request is sent without disconnect privilege",
             "--no-disconnect-every"},
            e.no_disconnect, kEach);
  v.integer({"fua", "every Nth request, if it is a read or write, has FUA set", "--fua-every"},
            e.fua, kEach);
  v.integer({"dpo", "every Nth request, if it is a read or write, has DPO set", "--dpo-every"},
            e.dpo, kEach);
  v.integer({"verify", "every Nth request, if it is a read, is sent as VERIFY", "--verify-every"},
            e.verify, kEach);
  v.integer({"flush", "the host sends SYNCHRONIZE CACHE after every Nth request", "--flush-every"},
            e.flush, kEach);
  v.integer({"save", "the host saves its mode pages (MODE SELECT with SP) after every Nth request",
             "--save-every"},
            e.save, kEach);
  v.integer(
      {"reassign",
       "the host sends REASSIGN BLOCKS for one of the request's blocks after every Nth request",
       "--reassign-every"},
      e.reassign, kEach);
  v.integer(
      {"format",
       "the host sends FORMAT UNIT, with no other command outstanding, after every Nth request",
       "--format-every"},
      e.format, kEach);
  v.words(
      {"abort", "N[:DELAY]: every Nth request is aborted DELAY after its issue", "--abort-every"},
      e.abort, kAbortWord);
  v.words({"clear_queue",
           "N[:DELAY]: the host sends CLEAR QUEUE, DELAY after the issue of every Nth request; or "
           "a time: the period of CLEAR QUEUE",
           "--clear-queue-every"},
          e.clear_queue, kClearWord);
  v.words({"bus_reset",
           "N[:DELAY]: the host resets the bus (RST), DELAY after the issue of every Nth request; "
           "or a time: the period of RST",
           "--reset-every"},
          e.bus_reset, kBusResetWord);
  v.words({"device_reset",
           "N[:DELAY]: the host sends BUS DEVICE RESET, DELAY after the issue of every Nth "
           "request; or a time: the period of BUS DEVICE RESET",
           "--reset-every"},
          e.device_reset, kDeviceResetWord);
  v.word({"policy",
          "period at which a host selects the next of several policies: N requests, or a time",
          "--policy-every"},
         e.policy, kChangeWord);
  v.word({"cache", "period at which a host sets the next of several caches: N requests, or a time",
          "--cache-every"},
         e.cache, kChangeWord);
  v.word({"map",
          "period at which a host selects the next of several maps in remap.use: N requests, or a "
          "time",
          "--map-every"},
         e.map, kChangeWord);
}

template <class V>
void visit(V& v, Hosts& h) {
  v.integer({"number", "number of hosts (initiators) on the bus; at most 7 on a narrow bus",
             "--initiators", "hosts"},
            h.number, {1, observe::kMostHostsWide, "hosts"});
  v.integer({"depth", "queue depth: most commands outstanding in the drive, summed over all hosts",
             "--queue-depth", "depth"},
            h.depth, {1, TASK_SET_CAPACITY, "commands"});
  v.integer({"seed", "seed of the data written", "--seed", "seed"}, h.seed, kSeed);
  v.word({"bus",
          "transfer agreement that the hosts negotiate: async, fast, fast-wide or "
          "sync:PERIOD_NS[:OFFSET][:wide]",
          "--bus"},
         h.bus, kBusWord);
  v.choice({"cdb", "length of READ and WRITE CDBs, in bytes; mixed: all lengths", "--cdb"}, h.cdb,
           kCdbs);
  v.choice({"retry",
            "commands that the hosts send again. none; lost: ended by a reset, CLEAR QUEUE, QErr "
            "or a unit attention; all: aborted ones, too",
            "--retry"},
           h.retry, kRetries);
  v.boolean({"verify", "every byte read is compared with what was last written", "--verify-data",
             "verify"},
            h.verify);
  v.table({"every", "periodic host actions, at every Nth request or after a time"}, h.every);
}

template <class V>
void visit(V& v, Stream& s) {
  v.integer({"number", "stream number"}, s.number, {0, 15, ""});
  v.optional_number(
      {"u", "fraction of the heads' time reserved for the stream, in each period (fahrrad)"}, s.u,
      {0.001, 1, ""});
  v.optional_time({"period", "period of the reservation, in whole ms (fahrrad)"}, s.period,
                  {kPicosecondsPerMillisecond, 50 * kPicosecondsPerSecond});
  v.optional_integer({"share", "the stream's share of the time in percent (cello:by=stream)"},
                     s.share, {1, 100, "percent"});
  v.optional_integer({"w", "requests of the stream per round (wrrscan)"}, s.w,
                     {1, 255, "requests"});
  v.optional_integer({"k", "requests of the stream per round (wrrscan:inner=fcfs)"}, s.k,
                     {1, 255, "requests"});
}

template <class V>
void visit(V& v, Settings& s) {
  v.words({"policy",
           "scheduling policy in the form NAME[:KEY=VALUE|FLAG,...]; `policy list` has the names, "
           "keys and flags",
           "--policy", "policy"},
          s.policy, kPolicyWord);
  v.words({"cache",
           "cache mode: off; or read or read-write, with parameters as in "
           "read:segments=4,read-ahead=64",
           "--cache", "cache"},
          s.cache, kCacheWord);
  v.optional_integer({"predictor_margin_us",
                      "predictor margin: a sector counts as reachable if it passes the head at "
                      "least this long after the end of the seek (default: the drive's)",
                      "--predictor-margin"},
                     s.predictor_margin_us, {0, UINT16_MAX, "us"});
  v.word({"write_threshold",
          "threshold at which reported (cached) writes precede all other requests: none, space:F, "
          "free:F or time[:RATE[:SCALE]]",
          "--write-threshold"},
         s.write_threshold, kWriteThresholdWord);
  v.choice({"deadlines",
            "how deadlines, classes, streams and priorities reach the drive. none: not at all; "
            "message: vendor message 81h; cdl: command duration limits",
            "--deadlines", "deadlines"},
           s.deadlines, kDeadlines);
  v.choice(
      {"cdl_policy", "action when a command exceeds its duration limit: complete it, or abort it",
       "--cdl-policy"},
      s.cdl_policy, kCdlPolicies);
  v.choice({"qerr",
            "QErr field: effect of a failed command on other queued commands. 0: they continue; 1: "
            "those of all hosts are aborted; 3: those of the same host are aborted",
            "--qerr"},
           s.qerr, kQueueErrors);
  v.choice({"reordering",
            "queue algorithm modifier: order of overlapping commands with simple tags. restricted: "
            "order of arrival; unrestricted: any order",
            "--reordering"},
           s.reordering, kReorderings);
  v.optional_integer({"scan_idle_ms",
                      "background medium scan: the drive verifies its blocks, again and again, "
                      "whenever no command "
                      "has come for this long (default: no scan)"},
                     s.scan_idle_ms, {0, UINT16_MAX, "ms"});
  v.tables({"streams", "parameters of streams, used by some policies", "--stream"}, s.streams);
}

template <class V>
void visit(V& v, Remap& r) {
  v.files({"maps", "block maps that the drive applies, files from `remap arrange`; at most two",
           "--remap"},
          r.maps, FileRole::kRead);
  v.integers(
      {"use", "map in force: 1, 2, or 0 for none; a list is stepped through by hosts.every.map",
       "--map"},
      r.use, {0, 2, ""});
  v.integer({"share_percent",
             "percentage of the media's time that moves may take under load; 0: moves only when "
             "the drive is idle",
             "--remap-share"},
            r.share_percent, {0, 99, "percent"});
  v.integer(
      {"idle_ms", "time without commands after which the drive counts as idle", "--remap-idle"},
      r.idle_ms, {0, UINT16_MAX, "ms"});
  v.boolean({"settled", "the load begins only after all blocks have moved", "--remap-settled"},
            r.settled);
  v.integer(
      {"learn_blocks",
       "group size, in blocks, for the drive's counts of which group follows which; 0: no counting",
       "--learn"},
      r.learn_blocks, {0, UINT16_MAX, "blocks"});
}

template <class V>
void visit(V& v, Faults& f) {
  v.word({"power_cut",
          "power cut at time:T, event:NAME[:N], cmd:N or byte:N; acknowledged data are checked "
          "after the restart",
          "--power-cut"},
         f.power_cut, kPowerCutWord);
  v.optional_integer(
      {"power_again", "second power cut, before the drive writes this byte after the restart",
       "--power-again"},
      f.power_again, kByte);
  v.optional_choice({"power_loss",
                     "fate of the sector being written at a power cut: finished, or torn (default: "
                     "the specimen's)",
                     "--power-loss"},
                    f.power_loss, drive::kPowerLossKinds);
}

template <class V>
void visit(V& v, Waves& w) {
  v.file({"file", ".fst file for the waveforms of electronics and drive", "--wave", "wave"}, w.file,
         FileRole::kMade, &kWaveFileWord);
  v.words(
      {"windows", "windows to which recording is limited: time:T..U, cmd:N..M or event:NAME[:N]",
       "--wave-window"},
      w.windows, kWindowWord);
  v.words({"on", "events at which a recording starts, each into a file of its own", "--wave-on"},
          w.on, kTriggerWord);
  v.time({"after", "length of a recording that an event starts", "--wave-after"}, w.after,
         kAnyTime);
}

template <class V>
void visit(V& v, Observe& o) {
  v.choice({"records",
            "amount of records. full: a line per command; summary: statistics only; none: error "
            "counts only"},
           o.records, kRecords);
  v.boolean({"events", "events.txt lists every event of the firmware", "--event-log"}, o.events);
  v.boolean({"ledger", "ledger.txt lists every event of the firmware, with its cycles by function",
             "--event-ledger"},
            o.ledger);
  v.boolean({"accesses", "accesses.txt lists every access to a register or the sector buffer",
             "--access-log"},
            o.accesses);
  v.boolean({"profile", "profile.txt lists the firmware's cycles by function", "--profile"},
            o.profile);
  v.boolean({"timeline", "timeline.perfetto has tracks for ui.perfetto.dev", "--timeline"},
            o.timeline);
  v.boolean(
      {"post_mortem", "rtl: waveforms of the time before a failure are kept", "--post-mortem"},
      o.post_mortem);
  v.optional_time(
      {"snapshot_every", "simulated time between snapshots; 0s: a single snapshot at the beginning",
       "--snapshot-every"},
      o.snapshot_every, {0, 1'000'000 * kPicosecondsPerMillisecond});
  v.integer({"snapshots", "largest number of snapshots kept", "--snapshots"}, o.snapshots,
            {2, 1000, "snapshots"});
  v.table({"waves", "waveforms (platform rtl)"}, o.waves);
}

template <class V>
void visit(V& v, Stop& s) {
  v.time(
      {"watchdog", "simulated time without a completed command after which the run ends; 0s: never",
       "--watchdog"},
      s.watchdog, kSimulated);
  v.optional_time({"until", "simulated time at which the run ends"}, s.until, kSimulated);
  v.words({"fail_on",
           "WHAT[=N|=SHARE%]: the run fails if it has more of WHAT than N, or than SHARE percent",
           "--fail-on"},
          s.fail_on, kFailureWord);
  v.boolean({"allow_empty", "an empty trace or measurement is not an error", "--allow-empty"},
            s.allow_empty);
}

template <class V>
void visit(V& v, Scenario& s) {
  v.integer({"schema", "version of the keys' meaning; it increases when a default changes"},
            s.schema, {1, kSchema, ""});
  v.text({"title", "free text, one line"}, s.title);
  v.table({"drive", "the drive; a plain text is drive.name"}, s.drive);
  v.table({"platform", "platform on which the firmware runs; a plain text is platform.kind"},
          s.platform);
  v.table({"load", "the requests"}, s.load);
  v.table({"hosts", "hosts (initiators) and the SCSI bus"}, s.hosts);
  v.table({"settings", "drive settings, made before the load begins"}, s.settings);
  v.table({"remap", "block remapping by the drive"}, s.remap);
  v.table({"faults", "power cuts (drive.specimen has the other faults)"}, s.faults);
  v.table({"observe", "files and statistics that a run writes"}, s.observe);
  v.table({"stop", "end of a run, and criteria of failure"}, s.stop);
}

}  // namespace headstack::scenario
