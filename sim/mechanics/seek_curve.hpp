// SPDX-License-Identifier: Apache-2.0
// Seek time over distance, and a motion that takes exactly that time.
//
// The time of a seek over x cylinders is published: rows of a table, a formula in pieces, or both
// (description.hpp defines how they combine). It includes settling. time(0) = 0.
//
// The motion is bang-bang and coast: full acceleration to a top speed, coasting, full deceleration.
// With acceleration a and top speed v the ideal time is (source: Ruemmler & Wilkes 1994, section
// "seeking")
//
//     t(x) = settle + 2 sqrt(x / a)       for x <= v^2 / a
//     t(x) = settle + x / v + v / a       beyond
//
// A published curve is close to that, but not equal. So each seek keeps the published time T =
// time(x) - settle and the published top speed v, and uses the acceleration that fits:
//
//     triangle    2 x / T <= v:  a = 4 x / T^2, peak speed 2 x / T
//     trapezoid   otherwise:     ramps of T - x / v each, coasting at v between them
//
// If the curve is faster than v allows (ramps shorter than T / 16), the ramps are T / 16. The
// coasting speed is then the one that covers x.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/units.hpp"

namespace headstack::mechanics {

/// The published time of a seek over any number of `cylinders`, in ms; 0 for 0. O(log rows).
double seek_time_ms(const drive::Seek& seek, std::uint32_t cylinders);

/// The published times of seeks over 0, 1, ... `count` - 1 cylinders, in ms.
std::vector<double> seek_times_ms(const drive::Seek& seek, std::uint32_t count);

/// The ideal bang-bang-coast seek, for comparison with published curves.
struct BangBangCoast {
  double settle_ms = 0;
  double acceleration_cylinders_per_ms2 = 0;
  double top_speed_cylinders_per_ms = 0;

  double time_ms(double cylinders) const;
};

/// One seek's motion, from rest at 0 to rest at `distance`, as a closed form of time.
class SeekProfile {
 public:
  SeekProfile() = default;
  SeekProfile(double distance_cylinders, Picoseconds motion_time, double coast_cylinders_per_ms);

  Picoseconds motion_time() const { return motion_time_; }
  Picoseconds ramp_time() const { return ramp_time_; }

  /// Cylinders moved by time `since_start`: 0 before the motion, the whole distance after it.
  double position_cylinders(Picoseconds since_start) const;
  /// Velocity in cylinders per ms; 0 outside the motion.
  double velocity_cylinders_per_ms(Picoseconds since_start) const;

 private:
  double distance_ = 0;
  double peak_speed_ = 0;  // cylinders per ms
  Picoseconds motion_time_ = 0;
  Picoseconds ramp_time_ = 0;
};

/// A table of the seek times for all distances of one drive.
class SeekCurve {
 public:
  explicit SeekCurve(const drive::Design& design);

  /// Seek time with settling; `cylinders` below the drive's cylinder count.
  Picoseconds time(std::uint32_t cylinders) const { return times_[cylinders]; }
  /// The settling part of time(); 0 for a distance of 0.
  Picoseconds settle(std::uint32_t cylinders) const { return cylinders == 0 ? 0 : settle_; }
  SeekProfile profile(std::uint32_t cylinders) const;

  std::uint32_t cylinder_count() const { return static_cast<std::uint32_t>(times_.size()); }
  /// Mean time of a seek over all ordered pairs of different cylinders, each equally likely.
  double mean_ms() const;

 private:
  std::vector<Picoseconds> times_;
  Picoseconds settle_ = 0;
  double coast_cylinders_per_ms_ = 0;
};

}  // namespace headstack::mechanics
