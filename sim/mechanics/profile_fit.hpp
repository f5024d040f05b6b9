// SPDX-License-Identifier: Apache-2.0
// Settling time and top speed of an arm, estimated from its seek curve.
//
// The time of a bang-bang-coast seek (seek_curve.hpp) has two straight ends. Over sqrt(x), the line
// of short seeks meets x = 0 at the settling time. Over x, the line of long seeks rises by 1 / v.
// Both are fitted by least squares: the settling time over the first quarter of the distances, the
// speed over the last half.
#pragma once

#include "sim/description/description.hpp"

namespace headstack::mechanics {

struct ProfileFit {
  double settle_ms = 0;               // at most 0.8 of the shortest seek, in steps of 1 us
  double coast_cylinders_per_ms = 0;  // top speed, in steps of 0.01
};

/// Fits the design's seek curve over its cylinders; the design's own settle time and coast speed
/// are ignored.
ProfileFit fit_profile(const drive::Design& design);

}  // namespace headstack::mechanics
