// SPDX-License-Identifier: Apache-2.0
// Multiplies times of a trace exactly by a decimal number.
#pragma once

#include <cstdint>
#include <string>

#include "sim/units.hpp"

namespace headstack::traces {

class TimeScale {
 public:
  /// The scale of a text such as "0.5" or "3": above 0, at most 9 digits before the point and 9
  /// after it. Throws TraceError.
  static TimeScale by_factor(const std::string& factor);
  /// The scale that gives `gaps` arrivals after the first, over `span`, the mean rate of `rate` per
  /// second. `rate` is written as in by_factor(). Exact as long as the reduced fraction has 63-bit
  /// parts, otherwise to 1 part in 2^62.
  static TimeScale to_rate(std::uint64_t gaps, Picoseconds span, const std::string& rate);
  /// Throws TraceError for a rate that to_rate() does not accept.
  static void require_rate(const std::string& rate) { by_factor(rate); }

  /// The scaled time, rounded down. Throws TraceError past the 75 days that a trace may have.
  Picoseconds apply(Picoseconds time) const;

 private:
  TimeScale(Uint128 numerator, Uint128 denominator);

  std::uint64_t numerator_;
  std::uint64_t denominator_;
};

}  // namespace headstack::traces
