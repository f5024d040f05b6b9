// SPDX-License-Identifier: Apache-2.0
#include "host/run/habit_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/scenario/words.hpp"
#include "sim/description/words.hpp"

namespace headstack::run {
namespace {

using options::EachNth;
using options::HostHabits;
using options::Repeat;

/// A habit that changes every Nth request.
struct NthHabit {
  const char* name;
  EachNth HostHabits::*value;
};
constexpr NthHabit kRequestHabits[] = {
    {"untagged-every", &HostHabits::untagged_every},
    {"head-of-queue-every", &HostHabits::head_of_queue_every},
    {"ordered-every", &HostHabits::ordered_every},
    {"no-disconnect-every", &HostHabits::no_disconnect_every},
    {"fua-every", &HostHabits::fua_every},
    {"dpo-every", &HostHabits::dpo_every},
    {"verify-every", &HostHabits::verify_every},
    {"flush-every", &HostHabits::flush_every},
};
// These habits change state that the drive has to keep: host/replay/upkeep_ledger.hpp.
constexpr NthHabit kUpkeepHabits[] = {
    {"save-every", &HostHabits::save_every},
    {"reassign-every", &HostHabits::reassign_every},
    {"format-every", &HostHabits::format_every},
};

constexpr std::pair<const char*, options::Setting> kChanges[] = {
    {"cache-every", options::Setting::kCache},
    {"policy-every", options::Setting::kPolicy},
    {"map-every", options::Setting::kMap},
};

std::string repeat_text(const Repeat& repeat) {
  if (repeat.requests == 0) return fmt::format("{} ps", repeat.time);
  return fmt::format("{} requests, {} to {} ps later", repeat.requests, repeat.delay.earliest,
                     repeat.delay.latest);
}

}  // namespace

void add_habits(const HostHabits& habits, nlohmann::ordered_json& json) {
  nlohmann::ordered_json hosts;
  const auto add = [&](const NthHabit& habit) {
    if (habits.*habit.value != 0) hosts[habit.name] = habits.*habit.value;
  };
  for (const NthHabit& habit : kRequestHabits) add(habit);
  for (const NthHabit& habit : kUpkeepHabits) add(habit);
  if (habits.cdb != HostHabits().cdb) hosts["cdb"] = habits.cdb;
  for (const options::ActRepeat& habit : habits.acts) {
    hosts[std::string(to_string(habit.act)) + "-every"] = repeat_text(habit.repeat);
  }
  if (habits.queue_error != 0) hosts["qerr"] = habits.queue_error;
  if (habits.unrestricted) hosts["reordering"] = "unrestricted";
  for (const auto& [name, setting] : kChanges) {
    const Repeat& change = habits.changes[static_cast<std::size_t>(setting)];
    if (change.requests != 0) hosts[name] = change.requests;
    if (change.time != 0) hosts[name] = repeat_text(change);
  }
  if (habits.retry != HostHabits().retry) {
    hosts["retry"] = drive::name_of(scenario::kRetries, habits.retry);
  }
  if (!hosts.is_null()) json["hosts"] = hosts;
}

bool has_request_options(const HostHabits& habits) {
  const auto is_set = [&habits](const NthHabit& habit) { return habits.*habit.value != 0; };
  return std::any_of(std::begin(kRequestHabits), std::end(kRequestHabits), is_set) ||
         habits.cdb != HostHabits().cdb || !habits.acts.empty();
}

}  // namespace headstack::run
