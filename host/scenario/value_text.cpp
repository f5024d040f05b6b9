// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/value_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headstack::scenario {
namespace {

struct Unit {
  Picoseconds picoseconds;
  const char* name;
};
constexpr Unit kUnits[] = {
    {kPicosecondsPerSecond, "s"},
    {kPicosecondsPerMillisecond, "ms"},
    {kPicosecondsPerMicrosecond, "us"},
    {1'000, "ns"},
    {1, "ps"},
};

std::string with_unit(std::string range, const char* unit) {
  return *unit == '\0' ? range : fmt::format("{} {}", range, unit);
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", c);
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string time_text(Picoseconds time) {
  if (time == 0) return "0s";
  for (const Unit& unit : kUnits) {
    if (time < unit.picoseconds) continue;
    const Picoseconds rest = time % unit.picoseconds;
    std::string text = std::to_string(time / unit.picoseconds);
    if (rest != 0) {
      // One digit for each zero of the unit, without zeros at the end.
      std::string digits = std::to_string(unit.picoseconds + rest).substr(1);
      digits.erase(digits.find_last_not_of('0') + 1);
      text += '.' + digits;
    }
    return text + unit.name;
  }
  return "0s";
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::string list_text(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string range_text(const Whole& whole) {
  return with_unit(fmt::format("{} .. {}", whole.low, whole.high), whole.unit);
}

std::string range_text(const drive::Bounds& bounds) {
  return with_unit(fmt::format("{} .. {}", bounds.low, bounds.high), bounds.unit);
}

std::string range_text(const Times& times) {
  return fmt::format("{} .. {}", time_text(times.low), time_text(times.high));
}

}  // namespace headstack::scenario
