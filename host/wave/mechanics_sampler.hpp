// When to look at the mechanics for waves: they are closed forms of time, and say nothing by
// themselves.
//
// - the arm: every 10 us while it moves, and when its state changes: at the start, at the end of
//   the motion, when it has settled, when the heads are switched, when writing is possible;
// - the angle: every 50 us while the spindle turns, just before the index and at it, so that lines
//   between samples are a saw-tooth;
// - the sector under the head: where each begins.
//
// All but the movements' times are multiples of the grid or angles of the disk, so that they do not
// depend on since when somebody looks.
#pragma once

#include <array>

#include "sim/channel/head_disk_assembly.hpp"

namespace headstack::wave {

class MechanicsSampler {
 public:
  static constexpr Picoseconds kArmGrid = 10 * kPicosecondsPerMicrosecond;
  static constexpr Picoseconds kAngleGrid = 50 * kPicosecondsPerMicrosecond;

  /// Must outlive this.
  explicit MechanicsSampler(const channel::HeadDiskAssembly& hda) : hda_(hda) {}

  /// The heads leave at `at`.
  void seek_began(Picoseconds at, const mechanics::Positioning& parts);

  /// The first time after `time` to look at, if no movement begins before, and the spindle is not
  /// told anything.
  Picoseconds next_after(Picoseconds time) const;

 private:
  Picoseconds next_of_arm(Picoseconds time) const;
  Picoseconds next_of_angle(Picoseconds time) const;
  Picoseconds next_of_sector(Picoseconds time) const;

  const channel::HeadDiskAssembly& hda_;
  // Of the last movement: its start, the end of the motion, settled, read ready, write ready.
  std::array<Picoseconds, 5> steps_{};
};

}  // namespace headstack::wave
