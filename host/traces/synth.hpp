// SPDX-License-Identifier: Apache-2.0
// Synthetic traces, with options for addresses, sizes, operations and times. The same options give
// the same bits on every host.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/traces/synth_random.hpp"
#include "host/traces/trace.hpp"

namespace headstack::traces {

enum class SynthPattern { kUniform, kZipf, kSequential, kMixed, kRealtime };
enum class SynthArrivals { kPoisson, kBursty, kClosed, kThink };

struct SizeWeight {
  std::uint32_t blocks;
  double weight;
};

/// A word of a request's options, and the share of the requests that get it.
struct OptionShare {
  std::string word;
  std::optional<Picoseconds> earliest;  // least time, if the word has one; times are uniform up to
                                        // `latest`
  Picoseconds latest = 0;               // greatest time
  double share = 0;
};

struct SynthOptions {
  SynthPattern pattern = SynthPattern::kUniform;
  std::uint64_t begin_lba = 0, end_lba = 0;  // requests lie in begin_lba .. end_lba - 1
  std::uint32_t align_blocks = 8;            // random addresses are begin_lba plus a multiple of it
  std::vector<SizeWeight> sizes = {{8, 1}};
  double read_share = 1;
  double verify_share = 0;  // share of the reads that are made verifies
  double flush_share = 0;   // share of all requests that are made flushes
  /// Option words for shares of the requests, applied independently in this order. A request that
  /// already has a word of this kind, or cannot have this one, stays unchanged.
  std::vector<OptionShare> options;
  std::uint64_t seed = 1;

  double theta = 0.99;            // zipf: rank i is chosen with weight i^-theta
  std::uint32_t places = 65'536;  // zipf: parts of the range; hot ones are scattered over it
  std::uint32_t streams = 1;      // sequential, mixed, realtime: each uses a part of the range
  double sequential_share = 0.5;  // mixed: share of sequential requests; the rest is uniform

  SynthArrivals arrivals = SynthArrivals::kPoisson;
  double rate = 100;                      // poisson, bursty: mean requests per second
  Picoseconds on_time = 0, off_time = 0;  // bursty: means of exponential times
  Picoseconds think = 0;                  // think: mean of exponential times

  // Used by realtime: each stream sends a request in each period, with this deadline. The first
  // comes at a random time in the first period. A stream is an initiator; `arrivals` does not
  // apply.
  Picoseconds period = 0, deadline = 0;

  // Deadlines of the other patterns, and a slack added to those of realtime. There are none without
  // a range.
  struct Slack {
    Picoseconds least = 0, most = 0;
  };
  std::optional<Slack> slack;         // added to each deadline, uniform within this range
  double best_effort_share = 0;       // share of all requests with class best-effort and no
                                      // deadline
  std::uint32_t service_streams = 0;  // each request names one of these, uniform; 0: none
  std::uint32_t priorities = 0;       // each request has one of 1 .. this, uniform; 0: none
};

class Synth {
 public:
  /// Throws TraceError, which names the option, when options contradict each other.
  explicit Synth(const SynthOptions& options);
  TraceHeader header() const;
  TraceRequest next();

 private:
  void change_operation(TraceRequest& request);
  void add_options(TraceRequest& request);
  void add_urgency(TraceRequest& request);
  void place(TraceRequest& request);
  void place_uniform(TraceRequest& request, std::uint64_t begin, std::uint64_t end);
  void place_zipf(TraceRequest& request);
  void place_stream(TraceRequest& request, std::uint32_t stream);
  void set_time(TraceRequest& request);
  void advance_bursty();
  void set_realtime(TraceRequest& request);
  std::uint64_t stream_begin(std::uint32_t stream) const;
  void check() const;
  void make_places();
  void make_streams();

  SynthOptions options_;
  SynthRandom random_;
  WeightedChoice sizes_;
  std::uint32_t largest_ = 0;  // largest of the sizes, in blocks
  std::unique_ptr<WeightedChoice> ranks_;
  std::vector<std::uint32_t> place_of_rank_;
  std::vector<std::uint64_t> stream_next_;  // next block of each stream
  std::vector<Picoseconds> stream_phase_;   // first time of each stream in its period, ascending
  std::uint64_t count_ = 0;
  Picoseconds now_ = 0;
  Picoseconds on_left_ = 0;
};

}  // namespace headstack::traces
