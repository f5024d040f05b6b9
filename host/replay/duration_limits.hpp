// SPDX-License-Identifier: Apache-2.0
// Command duration limits (SPC-5, SBC-4) made from the deadlines of a trace. There are two mode
// pages with seven descriptors each: one for READ(16), and one for WRITE(16). A command names a
// descriptor by its number.
//
// A descriptor here limits the whole time of a command, from its arrival at the drive to its status
// ("duration guideline"). If a direction has more different deadlines than descriptors, the
// descriptors are quantiles of the deadlines, by nearest rank: 1/7, 2/7, ... and the longest. A
// deadline gets the smallest descriptor that is not shorter. At the end, the run reports by how
// much the descriptors exceed the deadlines.
#pragma once

#include <cstdint>
#include <vector>

#include "host/replay/replay_options.hpp"
#include "host/traces/trace.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

/// A time that a descriptor can express: at most 65,535 units of 500 ns, 1 us, 10 ms or 500 ms.
struct Duration {
  std::uint8_t unit_code = 0;  // field T2 command duration limit units
  std::uint16_t value = 0;

  Picoseconds time() const;
};

/// The shortest duration that is not shorter than this time; nothing above 65,535 times 500 ms. A
/// time of 0 or less gives the shortest duration, since 0 would mean no limit.
std::optional<Duration> round_up(Picoseconds time);

/// Counts deadlines in constant memory, by the durations to which they are rounded up.
class DurationCounts {
 public:
  void add(Picoseconds deadline);
  /// The descriptors for these deadlines: ascending, at most 7.
  std::vector<Duration> descriptors() const;

 private:
  std::vector<std::uint64_t> counts_;  // counts indexed by unit and value
  std::uint64_t total_ = 0;
};

struct DurationLimits {
  std::vector<Duration> reads, writes;  // descriptors 1, 2, ... of each direction

  /// Number of the descriptor for a request with `left` until its deadline: 1 .. 7, or 0 for none.
  /// Only reads and writes of class real-time have one.
  unsigned number_for(const traces::TraceRequest& request, Picoseconds left) const;
  const std::vector<Duration>& of(traces::Operation operation) const {
    return operation == traces::Operation::kWrite ? writes : reads;
  }
};

/// Makes the limits for a run. Reads the trace once, as far as the run goes. Throws TraceError for
/// a trace that can be read only once, or that has no deadline of a real-time read or write.
DurationLimits find_duration_limits(const ReplayOptions& options);

/// The MODE SELECT(10) that sets both pages. Each initiator has its own, and a reset reverts them.
initiator::Command select_limits(const DurationLimits& limits, DurationPolicy policy);

/// Rounding error of the descriptors against the deadlines of a run.
struct DurationRounding {
  std::uint64_t told = 0;
  std::uint64_t untold = 0;  // number of deadlines whose request has no descriptor
  Int128 longer = 0;         // sum of the times by which descriptors exceeded the time left
  Picoseconds most = 0;

  void add(Picoseconds left, const Duration& duration);
  Picoseconds mean() const;
};

}  // namespace headstack::replay
