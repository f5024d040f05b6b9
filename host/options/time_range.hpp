// SPDX-License-Identifier: Apache-2.0
// The command line's words for a time: 5ms, or 0ms..20ms for one chosen anew each time, anywhere in
// that range.
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
  Picoseconds latest = 0;  // included
};

/// Times as options::parse_time() reads them, up to 30 days. Throws TimeRangeError.
TimeRange parse_time_range(const std::string& text);

/// Parses a range, 10ms:100ms or 10ms..100ms; a single time is an error. Times and errors as above.
TimeRange parse_slack(const std::string& text);

}  // namespace headstack::options
