// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the head-disk assembly reports to an observer: movements, levels, and the passes of
/// sectors, each at its exact picosecond. The electronics do not depend on it.
///
/// Every call comes at its time, before the electronics get the same event. So the SoC's reaction
/// comes later. An observer records: it must not act on the world, and nothing in the simulation
/// depends on whether there is one. Passes are reported only while the assembly has an event for
/// them anyway.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/channel/hda_sink.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/head_stack.hpp"
#include "sim/units.hpp"

namespace headstack::channel {

class HdaObserver {
 public:
  virtual ~HdaObserver() = default;

  /// The heads leave for a track (`track.sector` is 0). Read ready follows after parts.total() -
  /// parts.write_settle, write ready after parts.total(). If that takes no time, the level does not
  /// change. Movements that are ignored, or lead nowhere, are not reported.
  virtual void seek_began(Picoseconds at, const geometry::Chs& track,
                          const mechanics::Positioning& parts) {
    (void)at, (void)track, (void)parts;
  }
  /// A level changed; `levels` has all of them as they are now.
  virtual void levels_changed(Picoseconds at, const HdaLevels& levels) { (void)at, (void)levels; }

  /// A fault of the specimen strikes. `what` is its kind as a drive file spells it: settle,
  /// dropout, write_fault, ... In addition, power_back ends a dropout, and missing_index is one
  /// missing pulse. `where` is the cylinder that the arm moves to or the head writes on, otherwise
  /// the turn of the spindle.
  virtual void fault_struck(Picoseconds at, std::string_view what, std::uint64_t where) {
    (void)at, (void)what, (void)where;
  }

  /// Byte 0 of a sector begins to pass, while the electronics use sector pulses or a gate is open.
  virtual void sector_began(Picoseconds at, const geometry::Chs& sector) { (void)at, (void)sector; }
  /// A sector's last check byte is strobed, with a gate open.
  virtual void sector_ended(Picoseconds at, const geometry::Chs& sector) { (void)at, (void)sector; }
};

}  // namespace headstack::channel
