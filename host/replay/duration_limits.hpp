// Command duration limits (SPC-5, SBC-4) made from the deadlines of a trace: two mode pages with
// seven descriptors each, for READ(16) and for WRITE(16), which name one by its number.
//
// A descriptor here limits the whole of a command's time, from its arrival at the drive to its
// status ("duration guideline"). Where a direction has more different deadlines than descriptors,
// these are its quantiles, nearest rank: 1/7, 2/7, ... and the longest. A deadline's descriptor is
// the smallest that is not shorter; by how much it is longer is told at the end of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "host/replay/replay_options.hpp"
#include "host/traces/trace.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

/// A time that a descriptor can say: at most 65,535 units of 500 ns, 1 us, 10 ms or 500 ms.
struct Duration {
  std::uint8_t unit_code = 0;  // T2 command duration limit units
  std::uint16_t value = 0;

  Picoseconds time() const;
};

/// The shortest that is not shorter than this time; none above 65,535 times 500 ms. A time of 0 or
/// less becomes the shortest there is, since 0 would be no limit.
std::optional<Duration> round_up(Picoseconds time);

/// Counts deadlines in constant memory: by what they become when they are rounded up.
class DurationCounts {
 public:
  void add(Picoseconds deadline);
  /// Ascending, 7 at most.
  std::vector<Duration> descriptors() const;

 private:
  std::vector<std::uint64_t> counts_;  // by unit and value
  std::uint64_t total_ = 0;
};

struct DurationLimits {
  std::vector<Duration> reads, writes;  // descriptors 1, 2, ...

  /// The descriptor for a request that has so long left: 1 .. 7, or 0, which is none. Only reads
  /// and writes of class real-time have one.
  unsigned number_for(const traces::TraceRequest& request, Picoseconds left) const;
  const std::vector<Duration>& of(traces::Operation operation) const {
    return operation == traces::Operation::kWrite ? writes : reads;
  }
};

/// Reads the trace once, as far as the run goes. Throws TraceError for one that can be read only
/// once, or has no such deadline.
DurationLimits find_duration_limits(const ReplayOptions& options);

/// MODE SELECT(10) of both pages. They are each initiator's own, and are lost by a reset.
initiator::Command select_limits(const DurationLimits& limits, DurationPolicy policy);

/// What of a run's deadlines the drive has heard by descriptors.
struct DurationRounding {
  std::uint64_t told = 0;
  std::uint64_t untold = 0;  // deadlines of what has no descriptor
  Int128 longer = 0;         // the descriptors than what was left, in all
  Picoseconds most = 0;

  void add(Picoseconds left, const Duration& duration);
  Picoseconds mean() const;
};

}  // namespace headstack::replay
