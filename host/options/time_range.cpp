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

}  // namespace headstack::options
