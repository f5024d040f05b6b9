// SPDX-License-Identifier: Apache-2.0
// The definition of a percentile, for figures of runs and of traces. host/report/spread.py uses the
// same.
//
// The p-th percentile of n values is the value of rank ceil(p n / 100) in ascending order, so it is
// always a measured value. Shares are in thousandths, so that 99.9 % is a whole number.
#pragma once

#include <algorithm>
#include <cstdint>

namespace headstack::statistics {

/// The rank of the percentile. 1 is that of the smallest value, and is also returned for no values.
constexpr std::uint64_t nearest_rank(std::uint64_t count, std::uint64_t per_mille) {
  return std::max<std::uint64_t>((count * per_mille + 999) / 1000, 1);
}

}  // namespace headstack::statistics
