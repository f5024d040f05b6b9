// SPDX-License-Identifier: Apache-2.0
// A scenario: all that a run depends on, as one value.
//
// schema.hpp gives each member its key, range and meaning. A member's initial value is the key's
// default. Times are in picoseconds, addresses and lengths in blocks of the drive. Texts with a
// syntax of their own (policy, cache, bus) stay texts; host/options parses them.
//
// Where results go, and how many runs are made at a time, is no part of a scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "host/options/host_habits.hpp"
#include "host/traces/address_map.hpp"
#include "host/traces/trace.hpp"
#include "sim/description/description.hpp"
#include "sim/units.hpp"

namespace headstack::scenario {

/// Version of the keys' meaning; it increases when a default changes.
inline constexpr std::uint32_t kSchema = 1;

enum class Controller : std::uint8_t { kOwn, kPublished };
enum class Platform : std::uint8_t { kVp, kRtl, kNative };
enum class Pattern : std::uint8_t { kUniform, kSequential, kZipf };
enum class OnBad : std::uint8_t { kStop, kSkip };
enum class Loop : std::uint8_t { kTrace, kOpen, kClosed, kThink };
enum class Cdb : std::uint8_t { k6, k10, k16, kMixed };
enum class Deadlines : std::uint8_t { kNone, kMessage, kCdl };
enum class CdlPolicy : std::uint8_t { kComplete, kAbort };
enum class Reordering : std::uint8_t { kRestricted, kUnrestricted };
enum class Records : std::uint8_t { kFull, kSummary, kNone };

/// Keys that override those of a drive's file: a TOML table in braces; "": none. Its values are
/// checked one by one. Their relations can be checked only with the drive's file.
template <class Structure>
struct Overlay {
  std::string toml;
};

struct Drive {
  std::string name = "cheetah_9lp";  // name in sim/drives, or a file
  std::string media;                 // file that keeps the media's content; "": none
  Controller controller = Controller::kOwn;
  Overlay<drive::Design> design;
  Overlay<drive::Specimen> specimen;
};

struct PlatformChoice {
  std::optional<Platform> kind;               // default: platform_of()
  std::string firmware;                       // the firmware's ELF file; "": the build's
  bool gating = true;                         // rtl: clocks of idle blocks are gated
  bool ideal_electronics = false;             // native: instructions and bus take no time
  std::optional<std::uint32_t> access_price;  // native: price of an access in clock cycles
  std::string reference;                      // native: a name in host/reference, or MODULE:CLASS
};

/// A random load; host/regress/synthetic.py defines it.
struct Synthetic {
  Pattern pattern = Pattern::kUniform;
  std::uint64_t requests = 1000;
  std::uint64_t first = 0;
  std::uint64_t span = 0;                   // number of blocks; 0: to the drive's end
  std::vector<std::uint32_t> blocks = {8};  // possible lengths, each equally likely
  double write_share = 0;
  std::uint64_t flush_every = 0;  // every Nth request is a flush; 0: none
  Picoseconds gap = 0;            // mean time between arrivals; 0: a closed loop
  std::string deadline;           // range of times after the arrival; "": none
  double best_effort_share = 0;
  std::uint32_t streams = 0;              // number of streams; 0: requests name none
  std::vector<std::uint32_t> priorities;  // possible priorities, each equally likely; empty: none
  std::uint64_t seed = 1;
};

struct InlineRequest {
  traces::Operation operation = traces::Operation::kRead;
  std::uint64_t lba = 0;
  std::uint32_t blocks = 0;            // 0 for a flush
  std::optional<Picoseconds> arrival;  // if requests have arrivals, the loop is open

  friend bool operator==(const InlineRequest& a, const InlineRequest& b) {
    return std::tie(a.operation, a.lba, a.blocks, a.arrival) ==
           std::tie(b.operation, b.lba, b.blocks, b.arrival);
  }
};

/// Warm-up requests, which make no records: a number of them, or those within a time.
struct WarmUp {
  std::uint64_t requests = 0;
  Picoseconds time = 0;
};

struct Load {
  std::string trace;  // a trace file; "-": standard input
  std::vector<InlineRequest> requests;
  std::string format;                        // name of the format; "": detected from the content
  std::string device;                        // device to replay; "": the only one; "all": every one
  std::optional<traces::BlockEvent> events;  // default: issue
  OnBad on_bad = OnBad::kStop;
  std::optional<std::uint32_t> sort_window;  // number of requests; default: the format's
  traces::AddressMapping map = traces::AddressMapping::kNone;
  std::uint64_t trace_end = 0;  // map = scale: last block + 1; 0: found by reading
  Loop loop = Loop::kTrace;
  std::optional<Picoseconds> think;  // default: the trace's
  double think_scale = 1;
  double speedup = 1;
  std::uint64_t limit = 0;              // most requests to replay; 0: all
  std::optional<std::uint64_t> expect;  // number of requests; any other is an error
  WarmUp warm_up;
  std::optional<Synthetic> synthetic;
};

/// Periodic host actions. A number N means every Nth request (0: never). A text has the syntax of
/// its key.
struct Every {
  std::uint64_t untagged = 0;
  std::uint64_t head_of_queue = 0;
  std::uint64_t ordered = 0;
  std::uint64_t no_disconnect = 0;
  std::uint64_t fua = 0;
  std::uint64_t dpo = 0;
  std::uint64_t verify = 0;
  std::uint64_t flush = 0;
  std::uint64_t save = 0;
  std::uint64_t reassign = 0;
  std::uint64_t format = 0;
  std::vector<std::string> abort;
  std::vector<std::string> clear_queue;
  std::vector<std::string> bus_reset;
  std::vector<std::string> device_reset;
  std::string policy;  // period of the changes; "": never
  std::string cache;
  std::string map;
};

struct Hosts {
  std::uint32_t number = 1;
  std::uint32_t depth = 32;  // most commands outstanding, summed over all hosts
  std::uint64_t seed = 1;    // seed of the data written
  std::string bus = "fast-wide";
  Cdb cdb = Cdb::k10;
  options::RetryPolicy retry = options::RetryPolicy::kLost;
  bool verify = false;  // every byte read is checked
  Every every;
};

/// Parameters of a stream for policies, as defined in host/options/stream_option.hpp.
struct Stream {
  std::uint32_t number = 0;
  std::optional<double> u;
  std::optional<Picoseconds> period;
  std::optional<std::uint32_t> share;
  std::optional<std::uint32_t> w;
  std::optional<std::uint32_t> k;
};

struct Settings {
  std::vector<std::string> policy = {"fcfs"};
  std::vector<std::string> cache = {"off"};
  std::optional<std::uint32_t> predictor_margin_us;  // default: the drive's
  std::optional<std::uint32_t> scan_idle_ms;  // default: the drive does no background medium scan
  std::string write_threshold = "none";
  Deadlines deadlines = Deadlines::kNone;
  CdlPolicy cdl_policy = CdlPolicy::kComplete;
  std::uint32_t qerr = 0;
  Reordering reordering = Reordering::kRestricted;
  std::vector<Stream> streams;
};

struct Remap {
  std::vector<std::string> maps;   // files with block maps
  std::vector<std::uint32_t> use;  // maps in force; empty: 1 if there are maps, else the drive's
                                   // choice
  std::uint32_t share_percent = 0;
  std::uint32_t idle_ms = 20;
  bool settled = false;
  std::uint32_t learn_blocks = 0;  // group size in blocks; 0: accesses are not counted
};

struct Faults {
  std::string power_cut;  // text parsed by host/options/power_cut.hpp; "": none
  std::optional<std::uint64_t> power_again;
  std::optional<drive::PowerLoss> power_loss;  // default: the specimen's
};

struct Waves {
  std::string file;  // .fst file; "": none
  std::vector<std::string> windows;
  std::vector<std::string> on;
  Picoseconds after = 10 * kPicosecondsPerMillisecond;
};

struct Observe {
  Records records = Records::kFull;
  bool events = false;
  bool ledger = false;
  bool accesses = false;
  bool profile = false;
  bool timeline = false;
  bool post_mortem = false;
  std::optional<Picoseconds> snapshot_every;  // 0: a single one at the beginning
  std::uint32_t snapshots = 16;
  Waves waves;
};

struct Stop {
  Picoseconds watchdog = 30 * kPicosecondsPerSecond;  // time without a completed command; 0: never
                                                      // ends the run
  std::optional<Picoseconds> until;                   // end of the run; default: the load's end
  std::vector<std::string> fail_on;                   // texts parsed by
                                                      // host/options/failure_limit.hpp
  bool allow_empty = false;
};

struct Scenario {
  std::uint32_t schema = kSchema;
  std::string title;
  Drive drive;
  PlatformChoice platform;
  Load load;
  Hosts hosts;
  Settings settings;
  Remap remap;
  Faults faults;
  Observe observe;
  Stop stop;
};

/// Platform of the run: the one that the scenario names, or rtl for waves, or else vp.
Platform platform_of(const Scenario& scenario);

/// Whether the run keeps snapshots.
bool wants_snapshots(const Scenario& scenario);

/// The keys that override the drive's file, for drive::load_over(); "" if there are none.
std::string drive_keys(const Drive& drive);

/// The stream as a text that options::parse_stream() reads.
std::string stream_word(const Stream& stream);

/// Whether both have the same values, however they were written.
bool operator==(const Scenario& a, const Scenario& b);
inline bool operator!=(const Scenario& a, const Scenario& b) { return !(a == b); }

}  // namespace headstack::scenario
