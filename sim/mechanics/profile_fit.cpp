// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/profile_fit.hpp"

#include <algorithm>
#include <cmath>

#include "sim/mechanics/seek_curve.hpp"

namespace headstack::mechanics {
namespace {

/// Sums of a least-squares line y = intercept + slope x.
struct LineFit {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;

  void add(double px, double py) {
    n += 1;
    x += px;
    y += py;
    xx += px * px;
    xy += px * py;
  }
  double slope() const {
    const double spread = n * xx - x * x;
    return spread > 0 ? (n * xy - x * y) / spread : 0;
  }
  double intercept() const { return n > 0 ? (y - slope() * x) / n : 0; }
};

}  // namespace

ProfileFit fit_profile(const drive::Design& design) {
  const std::uint32_t longest = std::max(design.cylinders, 2U) - 1;
  LineFit short_seeks;
  LineFit long_seeks;
  double shortest_ms = seek_time_ms(design.seek, 1);
  for (std::uint32_t x = 1; x <= longest; ++x) {
    const double ms = seek_time_ms(design.seek, x);
    shortest_ms = std::min(shortest_ms, ms);
    if (x <= std::max(longest / 4, 2U)) short_seeks.add(std::sqrt(x), ms);
    if (x >= longest / 2) long_seeks.add(x, ms);
  }
  ProfileFit fit;
  fit.settle_ms = std::clamp(short_seeks.intercept(), 0.0, 0.8 * std::max(shortest_ms, 0.0));
  fit.settle_ms = std::floor(fit.settle_ms * 1000) / 1000;
  const double motion_ms = seek_time_ms(design.seek, longest) - fit.settle_ms;
  // A flat or falling end has no slope to use. Then the peak of a triangle is assumed: twice the
  // mean speed over the whole stroke.
  const double speed = long_seeks.slope() > 1e-9 ? 1 / long_seeks.slope() : 2 * longest / motion_ms;
  fit.coast_cylinders_per_ms = std::max(std::round(speed * 100) / 100, 0.01);
  return fit;
}

}  // namespace headstack::mechanics
