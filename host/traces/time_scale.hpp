// Times of a trace multiplied by a number that is written as a decimal, exactly.
#pragma once

#include <cstdint>
#include <string>

#include "sim/units.hpp"

namespace headstack::traces {

class TimeScale {
 public:
  /// "0.5", "3", "1.25": above 0, at most 9 digits before the point and 9 behind it. Throws
  /// TraceError.
  static TimeScale by_factor(const std::string& factor);
  /// So that `gaps` arrivals behind the first, over `span`, come `rate` to the second; `rate` as in
  /// by_factor(). Exact as long as the reduced fraction has 63-bit parts, else to 1 part in 2^62.
  static TimeScale to_rate(std::uint64_t gaps, Picoseconds span, const std::string& rate);
  /// Throws TraceError for what to_rate() does not take.
  static void require_rate(const std::string& rate) { by_factor(rate); }

  /// Rounded down. Throws TraceError past the 75 days that a trace may have.
  Picoseconds apply(Picoseconds time) const;

 private:
  TimeScale(Uint128 numerator, Uint128 denominator);

  std::uint64_t numerator_;
  std::uint64_t denominator_;
};

}  // namespace headstack::traces
