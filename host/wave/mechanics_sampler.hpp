// SPDX-License-Identifier: Apache-2.0
// The times at which waves sample the mechanics, which are closed forms of time without events.
//
// - the arm: every 10 us while it moves, and when its state changes. These are the start and the
//   end of the motion, settled, heads switched, and write ready;
// - the angle: every 50 us while the spindle turns, just before the index and at it. So lines
//   between samples form a saw-tooth;
// - the sector under the head: at the start of each.
//
// All times but those of movements are multiples of the grid or angles of the disk. They do not
// depend on the start of sampling.
#pragma once

#include <array>

#include "sim/channel/head_disk_assembly.hpp"

namespace headstack::wave {

class MechanicsSampler {
 public:
  static constexpr Picoseconds kArmGrid = 10 * kPicosecondsPerMicrosecond;
  static constexpr Picoseconds kAngleGrid = 50 * kPicosecondsPerMicrosecond;

  /// `hda` must outlive this object.
  explicit MechanicsSampler(const channel::HeadDiskAssembly& hda) : hda_(hda) {}

  /// Reports that the heads leave at `at`.
  void seek_began(Picoseconds at, const mechanics::Positioning& parts);

  /// The next time to sample after `time`. It holds if no movement begins and the spindle gets no
  /// command before.
  Picoseconds next_after(Picoseconds time) const;

 private:
  Picoseconds next_of_arm(Picoseconds time) const;
  Picoseconds next_of_angle(Picoseconds time) const;
  Picoseconds next_of_sector(Picoseconds time) const;

  const channel::HeadDiskAssembly& hda_;
  // The last movement: its start, the end of the motion, settled, read ready, write ready.
  std::array<Picoseconds, 5> steps_{};
};

}  // namespace headstack::wave
