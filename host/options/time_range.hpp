// The command line's words for a time that is chosen anew each time: 5ms, or 0ms..20ms for any from
// one to the other.
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
  Picoseconds latest = 0;  // with it
};

/// Times as options::parse_time() has them, up to 30 days. Throws TimeRangeError.
TimeRange parse_time_range(const std::string& text);

/// A range alone: 10ms:100ms, or 10ms..100ms. Likewise.
TimeRange parse_slack(const std::string& text);

}  // namespace headstack::options
