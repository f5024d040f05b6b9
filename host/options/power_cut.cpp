// SPDX-License-Identifier: Apache-2.0
#include "host/options/power_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "host/options/wave_window.hpp"

namespace headstack::options {
namespace {

std::uint64_t number_of(const std::string& text, const std::string& digits, const char* example) {
  constexpr std::size_t kMostDigits = 18;
  const bool is_number =
      !digits.empty() && digits.size() <= kMostDigits &&
      std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c); });
  if (is_number) return std::stoull(digits);
  throw WindowError(fmt::format("'{}' has no number: say {}", text, example));
}

}  // namespace

PowerCut parse_power_cut(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  PowerCut cut;
  cut.text = text;
  if (word == "time") {
    cut.kind = PowerCut::Kind::kTime;
    cut.time = parse_time(rest);
  } else if (word == "event") {
    const WaveWindow window = parse_window(text);  // the words for an event are those of a wave
                                                   // window
    cut.kind = PowerCut::Kind::kEvent;
    cut.event = window.event;
    cut.count = window.count;
  } else if (word == "cmd") {
    cut.kind = PowerCut::Kind::kCommands;
    cut.count = number_of(text, rest, "cmd:17, for when 17 commands are done");
  } else if (word == "byte") {
    cut.kind = PowerCut::Kind::kByte;
    cut.count = number_of(text, rest, "byte:516, for the second sector's first byte");
  } else {
    throw WindowError(
        fmt::format("'{}' is no power cut: say time:T, event:NAME:N, cmd:N or byte:N", text));
  }
  if (cut.kind == PowerCut::Kind::kCommands && cut.count == 0) {
    throw WindowError("cmd:0 comes before the run: say cmd:1 or more");
  }
  return cut;
}

}  // namespace headstack::options
