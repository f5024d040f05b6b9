// SPDX-License-Identifier: Apache-2.0
#include "host/options/wave_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "host/options/event_names.hpp"
#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

struct TimeUnit {
  const char* name;
  Picoseconds picoseconds;
};
constexpr TimeUnit kTimeUnits[] = {
    {"ps", 1},
    {"ns", 1'000},
    {"us", kPicosecondsPerMicrosecond},
    {"ms", kPicosecondsPerMillisecond},
    {"s", kPicosecondsPerSecond},
};
constexpr Picoseconds kLongest = 100 * 86'400 * kPicosecondsPerSecond;

/// Parses decimal digits. Nothing for an empty text, another character or too many digits.
std::optional<std::uint64_t> whole_number(const std::string& text) {
  constexpr std::size_t kMostDigits = 18;
  const bool digits =
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (text.empty() || !digits || text.size() > kMostDigits) return std::nullopt;
  return std::stoull(text);
}

/// Splits "A..B" into A and B. Nothing without "..".
std::optional<std::pair<std::string, std::string>> range(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  return std::pair(text.substr(0, dots), text.substr(dots + 2));
}

void read_times(const std::string& text, WaveWindow& window) {
  const auto ends = range(text);
  if (!ends) throw WindowError(fmt::format("'{}' is no span of time: say time:T..U", text));
  window.begin = parse_time(ends->first);
  window.end = ends->second.empty() ? kNever : parse_time(ends->second);
  if (window.end <= window.begin) {
    throw WindowError(
        fmt::format("'{}' ends before it has begun: say the earlier time first", text));
  }
}

void read_commands(const std::string& text, WaveWindow& window) {
  const auto ends = range(text).value_or(std::pair(text, text));
  const auto first = whole_number(ends.first);
  const auto last = whole_number(ends.second);
  if (!first || !last) {
    throw WindowError(fmt::format(
        "'{}' names no commands: say cmd:17 or cmd:17..20, as records.csv counts them", text));
  }
  if (*last < *first) {
    throw WindowError(
        fmt::format("'{}' ends before it has begun: say cmd:{}..{}", text, *last, *first));
  }
  window.first = *first;
  window.last = *last;
}

unsigned event_called(const std::string& name) {
  if (const auto number = event_number(name)) return *number;
  std::vector<std::string> names;
  for (unsigned number = 0; number < TRACE_EVENT_COUNT; ++number) {
    if (*event_name(number) != '?') names.emplace_back(event_name(number));
  }
  throw WindowError(fmt::format("there is no event '{}'; {}", name, drive::suggest(name, names)));
}

void read_event(const std::string& text, WaveWindow& window) {
  const std::size_t colon = text.find(':');
  window.event = event_called(text.substr(0, colon));
  window.count = 1;
  if (colon == std::string::npos) return;
  const auto count = whole_number(text.substr(colon + 1));
  if (!count || *count == 0) {
    throw WindowError(fmt::format("'{}' is no occurrence of {}: say 1 for the first",
                                  text.substr(colon + 1), text.substr(0, colon)));
  }
  window.count = *count;
}

struct WindowKind {
  const char* name;
  WaveWindow::Kind kind;
  void (*read)(const std::string&, WaveWindow&);
};
constexpr WindowKind kWindowKinds[] = {
    {"time", WaveWindow::Kind::kTime, read_times},
    {"cmd", WaveWindow::Kind::kCommands, read_commands},
    {"event", WaveWindow::Kind::kEvent, read_event},
};

}  // namespace

Picoseconds parse_time(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number = text.substr(0, digits);
  const std::string unit_name = text.substr(digits);
  const auto* const unit = std::find_if(std::begin(kTimeUnits), std::end(kTimeUnits),
                                        [&](const TimeUnit& u) { return unit_name == u.name; });
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string fraction = point < number.size() ? number.substr(point + 1) : "0";
  const auto whole = whole_number(number.substr(0, point));
  const auto part = whole_number(fraction);
  if (!whole || !part || unit == std::end(kTimeUnits)) {
    throw WindowError(fmt::format("'{}' is no time: say a number and ps, ns, us, ms or s", text));
  }
  if (*whole > static_cast<std::uint64_t>(kLongest / unit->picoseconds)) {
    throw WindowError(fmt::format("'{}' is more than 100 days", text));
  }
  Picoseconds scale = 1;
  for (std::size_t i = 0; i < fraction.size(); ++i) scale *= 10;
  const Int128 parts = Int128{*part} * unit->picoseconds;
  if (parts % scale != 0) throw WindowError(fmt::format("'{}' is finer than a picosecond", text));
  return static_cast<Picoseconds>(*whole) * unit->picoseconds +
         static_cast<Picoseconds>(parts / scale);
}

WaveWindow parse_window(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  for (const WindowKind& known : kWindowKinds) {
    if (kind != known.name || colon == std::string::npos) continue;
    WaveWindow window;
    window.kind = known.kind;
    window.text = "observe.waves.windows " + text;
    known.read(text.substr(colon + 1), window);
    return window;
  }
  throw WindowError(
      fmt::format("'{}' is no window: say time:1ms..2.5ms, cmd:17..20 or event:NAME[:N]", text));
}

WaveWindow parse_trigger(const std::string& text) {
  std::vector<std::string> names;
  for (const WaveTrigger& trigger : wave_triggers()) {
    names.emplace_back(trigger.name);
    if (text != trigger.name) continue;
    WaveWindow window;
    window.kind =
        trigger.event == TRACE_WAVE_ON ? WaveWindow::Kind::kFirmware : WaveWindow::Kind::kEvent;
    window.text = "observe.waves.on " + text;
    window.event = trigger.event;
    return window;
  }
  throw WindowError(fmt::format("there is no trigger '{}'; {}", text, drive::suggest(text, names)));
}

const std::vector<WaveTrigger>& wave_triggers() {
  static const std::vector<WaveTrigger> kTriggers = {
      {"missed-revolution", TRACE_MISSED_REVOLUTION,
       "a command ended a revolution or more later than predicted"},
      {"media-retry", TRACE_MEDIA_RETRY, "the formatter retries a sector"},
      {"sense", TRACE_SENSE_SET, "a command fails (sense data)"},
      {"bus-reset", TRACE_BUS_RESET, "the bus is reset"},
      {"bus-violation", kBusViolation, "a device violates the bus protocol"},
      {"missed-deadline", kMissedDeadline,
       "a command ends after its deadline, or with a status other than GOOD"},
      {"firmware", TRACE_WAVE_ON, "the firmware logs WAVE_ON; recording lasts until WAVE_OFF"},
  };
  return kTriggers;
}

std::string trigger_list() {
  std::string text = "Triggers of observe.waves.on:\n";
  for (const WaveTrigger& trigger : wave_triggers()) {
    text += fmt::format("  {:<18} {}\n", trigger.name, trigger.text);
  }
  return text;
}

}  // namespace headstack::options
