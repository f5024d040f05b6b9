// SPDX-License-Identifier: Apache-2.0
#include "host/options/time_range.hpp"

#include <fmt/format.h>

#include "host/options/wave_window.hpp"
#include "host/traces/trace_formats.hpp"

namespace headstack::options {
namespace {

Picoseconds time_of(const std::string& text) {
  Picoseconds time = 0;
  try {
    time = parse_time(text);
  } catch (const WindowError& error) {
    throw TimeRangeError(error.what());
  }
  if (time > traces::kLongestTime) throw TimeRangeError(fmt::format("'{}' is over 30 days", text));
  return time;
}

}  // namespace

TimeRange parse_time_range(const std::string& text) {
  const std::size_t dots = text.find("..");
  TimeRange range;
  range.earliest = time_of(text.substr(0, dots));
  range.latest = dots == std::string::npos ? range.earliest : time_of(text.substr(dots + 2));
  if (range.latest < range.earliest) {
    throw TimeRangeError(
        fmt::format("'{}' ends before it begins: say the earlier time first", text));
  }
  return range;
}

TimeRange parse_slack(const std::string& text) {
  std::string range = text;
  if (const std::size_t colon = range.find(':'); colon != std::string::npos) {
    range.replace(colon, 1, "..");
  }
  if (range.find("..") == std::string::npos) {
    throw TimeRangeError(fmt::format("'{}' is no range of times: say 10ms:100ms", text));
  }
  return parse_time_range(range);
}

}  // namespace headstack::options
