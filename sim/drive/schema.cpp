// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/schema.hpp"

#include <fmt/format.h>

#include <cmath>

namespace headstack::drive {

void check_bounds(double value, const std::string& path, Bounds bounds) {
  if (std::isfinite(value) && value >= bounds.low && value <= bounds.high) return;
  throw Fault(path, fmt::format("{} is out of range", value),
              fmt::format("give {} .. {} {}", bounds.low, bounds.high, bounds.unit));
}

}  // namespace headstack::drive
