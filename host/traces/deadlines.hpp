// SPDX-License-Identifier: Apache-2.0
// Gives deadlines to the requests of a trace: arrival plus a base plus a slack, which is uniform
// within a range. The same options give the same deadlines on every machine.
#pragma once

#include "host/traces/synth_random.hpp"
#include "host/traces/trace.hpp"

namespace headstack::traces {

/// The requests that get deadlines; kRead includes verifies.
enum class DeadlineTarget { kRead, kWrite, kAll };

struct DeadlineOptions {
  DeadlineTarget target = DeadlineTarget::kAll;
  Picoseconds base = 0;
  Picoseconds least_slack = 0, most_slack = 0;  // range of the slack, both ends included
  std::uint64_t seed = 1;
};

class DeadlineMaker {
 public:
  explicit DeadlineMaker(const DeadlineOptions& options)
      : options_(options), random_(options.seed) {}

  /// Gives a request its deadline. Must be called for each request of the trace, in order. A
  /// request outside of the target stays unchanged, but also draws a number. So reads get the same
  /// deadlines with target kAll as with kRead.
  void give(TraceRequest& request);

 private:
  DeadlineOptions options_;
  SynthRandom random_;
};

}  // namespace headstack::traces
