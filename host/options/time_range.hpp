// SPDX-License-Identifier: Apache-2.0
// The command line's words for a time: 5ms, or 0ms..20ms for a range from which each time is drawn.
#pragma once

#include <stdexcept>
#include <string>

#include "sim/units.hpp"

namespace headstack::options {

struct TimeRangeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TimeRange {
  Picoseconds earliest = 0;
  Picoseconds latest = 0;  // end of the range, which includes it
};

/// Parses a range of times up to 30 days, each as options::parse_time() does. Throws
/// TimeRangeError.
TimeRange parse_time_range(const std::string& text);

/// Parses a range, 10ms:100ms or 10ms..100ms. A single time is an error. Limits and errors are as
/// in parse_time_range().
TimeRange parse_slack(const std::string& text);

}  // namespace headstack::options
