// SPDX-License-Identifier: Apache-2.0
#include "host/options/host_habits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/options/wave_window.hpp"

namespace headstack::options {
namespace {

using traces::Act;
using traces::Operation;
using traces::RequestOptions;
using traces::Tagging;
using traces::TraceRequest;

constexpr std::uint32_t kMostRequests = 1'000'000'000;

// The shortest interval is twice the 250 ms from RST to the first selection (SCSI-2 5.7), so that
// commands can run between resets.
constexpr Picoseconds kShortestBusReset = 500 * kPicosecondsPerMillisecond;
constexpr Picoseconds kShortestTime = kPicosecondsPerMillisecond;

// The longest delay if none is given: a little more than two revolutions of a drive of 7200 rpm. So
// an act can meet a command at any stage.
constexpr Picoseconds kLatestAct = 20 * kPicosecondsPerMillisecond;

enum Purpose : std::uint64_t { kCdbPurpose, kDelayPurpose };

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Picoseconds time_from(const std::string& text) {
  try {
    return parse_time(text);
  } catch (const WindowError& error) {
    throw OptionError(error.what());
  }
}

TimeRange delay_from(const std::string& text) {
  try {
    return parse_time_range(text);
  } catch (const TimeRangeError& error) {
    throw OptionError(error.what());
  }
}

bool moves_data(const TraceRequest& request) {
  return request.operation == Operation::kRead || request.operation == Operation::kWrite;
}

void choose_tag(const HostHabits& habits, std::uint64_t number, RequestOptions& options) {
  // If two habits apply to one request, the first counts.
  if (is_each_nth(number, habits.untagged_every)) {
    options.tagging = Tagging::kUntagged;
  } else if (is_each_nth(number, habits.head_of_queue_every)) {
    options.tagging = Tagging::kHeadOfQueue;
  } else if (is_each_nth(number, habits.ordered_every)) {
    options.tagging = Tagging::kOrdered;
  }
}

std::uint8_t choose_cdb(const HostHabits& habits, std::uint64_t seed, std::uint64_t number) {
  constexpr std::uint8_t kLengths[] = {6, 10, 16};
  if (habits.cdb == "6") return 6;
  if (habits.cdb == "16") return 16;
  return kLengths[chance(seed, number, kCdbPurpose) % std::size(kLengths)];
}

void choose_act(const HostHabits& habits, std::uint64_t seed, std::uint64_t number,
                RequestOptions& options) {
  if (options.act != Act::kNone) return;
  for (const ActRepeat& habit : habits.acts) {
    if (!is_each_nth(number, habit.repeat.requests)) continue;
    const TimeRange& delay = habit.repeat.delay;
    const auto span = static_cast<std::uint64_t>(delay.latest - delay.earliest) + 1;
    options.act = habit.act;
    options.act_delay =
        delay.earliest + static_cast<Picoseconds>(chance(seed, number, kDelayPurpose) % span);
    return;
  }
}

}  // namespace

std::uint64_t chance(std::uint64_t seed, std::uint64_t number, std::uint64_t purpose) {
  // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Two odd factors spread its state.
  std::uint64_t z = seed + (number + 1) * 0x9E37'79B9'7F4A'7C15 + purpose * 0xD134'2543'DE82'EF95;
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
  return z ^ (z >> 31);
}

Repeat parse_repeat(const std::string& text, bool may_be_time) {
  const std::size_t colon = text.find(':');
  const std::string count = text.substr(0, colon);
  Repeat repeat;
  if (is_number(count)) {
    repeat.requests = number_from("requests", count, 1, kMostRequests);
    repeat.delay = {0, kLatestAct};
    if (colon != std::string::npos) repeat.delay = delay_from(text.substr(colon + 1));
    return repeat;
  }
  if (!may_be_time) {
    throw OptionError(
        fmt::format("'{}' is no number of requests: say 50, or 50:0ms..20ms with a delay", text));
  }
  if (colon != std::string::npos) {
    throw OptionError(
        fmt::format("'{}': only a number of requests takes a delay, as in 50:5ms; a time takes "
                    "none: 100ms",
                    text));
  }
  repeat.time = time_from(text);
  if (repeat.time < kShortestTime) {
    throw OptionError(fmt::format("'{}' is too often: give 1ms or more", text));
  }
  return repeat;
}

Repeat parse_change(const std::string& text) {
  if (text.find(':') != std::string::npos) {
    throw OptionError(fmt::format("'{}': say a number of requests or a time: 500 or 100ms", text));
  }
  return parse_repeat(text, true);
}

Repeat parse_bus_reset(const std::string& text) {
  const Repeat repeat = parse_repeat(text, true);
  if (repeat.requests == 0 && repeat.time < kShortestBusReset) {
    throw OptionError(
        fmt::format("'{}' is too often: the bus stays free for 250 ms after RST (SCSI-2 5.7); give "
                    "500ms or more, or hosts.every.device_reset={}",
                    text, text));
  }
  return repeat;
}

void apply_habits(const HostHabits& habits, std::uint64_t seed, std::uint64_t number,
                  TraceRequest& request) {
  RequestOptions& options = request.options;
  if (request.operation == Operation::kRead && is_each_nth(number, habits.verify_every)) {
    request.operation = Operation::kVerify;
    options.force_unit_access = false;
    options.cdb_bytes = RequestOptions::kUsualCdbBytes;
  }
  choose_tag(habits, number, options);
  choose_act(habits, seed, number, options);
  if (is_each_nth(number, habits.no_disconnect_every)) options.keeps_bus = true;
  const bool can_disable_page_out = request.operation != Operation::kFlush;
  if (can_disable_page_out && is_each_nth(number, habits.dpo_every))
    options.disable_page_out = true;
  if (!moves_data(request)) return;
  if (is_each_nth(number, habits.fua_every)) options.force_unit_access = true;
  const bool trace_says = options.cdb_bytes != RequestOptions::kUsualCdbBytes;
  if (habits.cdb != "10" && !trace_says) options.cdb_bytes = choose_cdb(habits, seed, number);
}

bool may_lose_commands(const HostHabits& habits) {
  return !habits.acts.empty() || habits.queue_error != 0;
}

bool changes_settings(const HostHabits& habits) {
  return std::any_of(habits.changes.begin(), habits.changes.end(),
                     [](const Repeat& change) { return change.is_asked_for(); });
}

bool may_reset(const HostHabits& habits) {
  return std::any_of(habits.acts.begin(), habits.acts.end(), [](const ActRepeat& habit) {
    return habit.act == Act::kBusReset || habit.act == Act::kDeviceReset;
  });
}

}  // namespace headstack::options
