// Gives the requests of a trace deadlines: a base and a slack behind their arrival, the slack
// uniform within a range. The same options give the same deadlines on every machine.
#pragma once

#include <optional>

#include "host/traces/synth_random.hpp"
#include "host/traces/trace.hpp"

namespace headstack::traces {

/// Which requests: kRead has verifies, too.
enum class DeadlineTarget { kRead, kWrite, kAll };

struct DeadlineOptions {
  DeadlineTarget target = DeadlineTarget::kAll;
  Picoseconds base = 0;
  Picoseconds least_slack = 0, most_slack = 0;  // both may come
  std::uint64_t seed = 1;
};

class DeadlineMaker {
 public:
  explicit DeadlineMaker(const DeadlineOptions& options)
      : options_(options), random_(options.seed) {}

  /// Request after request of the trace. One that is not of the target stays as it is, and draws
  /// all the same: who asks for all gives reads the deadlines that reads alone would get.
  void give(TraceRequest& request);

 private:
  DeadlineOptions options_;
  SynthRandom random_;
};

}  // namespace headstack::traces
