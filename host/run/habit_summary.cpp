// SPDX-License-Identifier: Apache-2.0
#include "host/run/habit_flags.hpp"

#include <fmt/format.h>

#include <map>

#include "host/cli/validators.hpp"
#include "host/options/cache_option.hpp"

namespace headstack::run {
namespace {

using cli::parsed_by;
using options::ActRepeat;
using options::EachNth;
using options::HostHabits;
using options::parse_change;
using options::parse_repeat;
using options::parse_reset;
using options::Repeat;
using options::RetryPolicy;
using traces::Act;

constexpr std::uint64_t kMostRequests = 1'000'000'000;

/// Options that change every Nth request, by a flag of its own.
struct NthFlag {
  const char* name;
  EachNth HostHabits::*value;
  const char* text;
};
// Options of tags in their order of precedence: where two apply to one request, the first counts.
constexpr NthFlag kTagFlags[] = {
    {"--untagged-every", &HostHabits::untagged_every,
     "each Nth request has no queue tag, and is the only outstanding one of its host; 1: all"},
    {"--head-of-queue-every", &HostHabits::head_of_queue_every,
     "each Nth request has HEAD OF QUEUE TAG"},
    {"--ordered-every", &HostHabits::ordered_every, "each Nth request has ORDERED QUEUE TAG"},
};
constexpr NthFlag kOtherFlags[] = {
    {"--no-disconnect-every", &HostHabits::no_disconnect_every,
     "each Nth request has no privilege to disconnect"},
    {"--fua-every", &HostHabits::fua_every, "each Nth request, if it reads or writes, has FUA set"},
    {"--dpo-every", &HostHabits::dpo_every, "each Nth request, if it reads or writes, has DPO set"},
    {"--verify-every", &HostHabits::verify_every, "each Nth request, if it is a read, is a VERIFY"},
    {"--flush-every", &HostHabits::flush_every,
     "after each Nth request of the trace its host sends SYNCHRONIZE CACHE"},
};

/// A setting that hosts change while commands are outstanding.
struct SettingFlag {
  options::Setting setting;
  const char* name;
  std::vector<std::string> RunOptions::*values;

  [[nodiscard]] std::string every() const { return fmt::format("{}-every", name); }
  [[nodiscard]] const Repeat& change_of(const HostHabits& habits) const {
    return habits.changes[static_cast<std::size_t>(setting)];
  }
};
const SettingFlag kSettingFlags[] = {
    {options::Setting::kCache, "--cache", &RunOptions::caches},
    {options::Setting::kPolicy, "--policy", &RunOptions::policies},
    {options::Setting::kMap, "--map", &RunOptions::map_choices},
};

// State that the drive has to keep: host/replay/upkeep_ledger.hpp.
constexpr NthFlag kUpkeepFlags[] = {
    {"--save-every", &HostHabits::save_every,
     "after each Nth request its host saves mode pages (MODE SELECT with SP), with AWRE and ARRE "
     "set, and one value that differs from save to save"},
    {"--reassign-every", &HostHabits::reassign_every,
     "after each Nth request its host reassigns one of its blocks (REASSIGN BLOCKS)"},
    {"--format-every", &HostHabits::format_every,
     "after each Nth request its host sends FORMAT UNIT, once no other command is outstanding"},
};

const std::map<std::string, RetryPolicy> kRetryPolicies = {
    {"none", RetryPolicy::kNone}, {"lost", RetryPolicy::kLost}, {"all", RetryPolicy::kAll}};

void add_nth(CLI::App& app, HostHabits& habits, const NthFlag& flag) {
  app.add_option(flag.name, habits.*flag.value, flag.text)
      ->type_name("N")
      ->transform(cli::whole_number(1, kMostRequests));
}

void add_act(CLI::App& app, HostHabits& habits, const char* name, const char* text,
             ActRepeat (*parse)(const std::string&)) {
  app.add_option_function<std::vector<std::string>>(
         name,
         [&habits, parse](const std::vector<std::string>& words) {
           for (const std::string& word : words) habits.acts.push_back(parse(word));
         },
         text)
      ->type_name("EVERY")
      ->allow_extra_args(false)
      ->check(parsed_by(parse));
}

ActRepeat parse_abort(const std::string& text) { return {Act::kAbort, parse_repeat(text, false)}; }
ActRepeat parse_clear(const std::string& text) {
  return {Act::kClearQueue, parse_repeat(text, true)};
}

void add_change(CLI::App& app, HostHabits& habits, const SettingFlag& flag) {
  Repeat& change = habits.changes[static_cast<std::size_t>(flag.setting)];
  app.add_option_function<std::string>(
         flag.every(), [&change](const std::string& word) { change = parse_change(word); },
         fmt::format("N or TIME: after each Nth request, or after each such time, a host sets the "
                     "next of several {} while commands are outstanding",
                     flag.name))
      ->type_name("EVERY")
      ->check(parsed_by(parse_change));
}

std::string repeat_text(const Repeat& repeat) {
  if (repeat.requests == 0) return fmt::format("{} ps", repeat.time);
  return fmt::format("{} requests, {} to {} ps later", repeat.requests, repeat.delay.earliest,
                     repeat.delay.latest);
}

void add_control_options(CLI::App& app, HostHabits& habits) {
  app.add_option("--qerr", habits.queue_error,
                 "QERR of the control page: the effect of a failing command on others. 0: they "
                 "continue; 1: those of all hosts are cleared; 3: those of its host are cleared")
      ->capture_default_str()
      ->check(CLI::IsMember({0, 1, 3}));
  app.add_option_function<std::string>(
         "--reordering",
         [&habits](const std::string& word) { habits.unrestricted = word == "unrestricted"; },
         "restricted: commands that overlap are carried out in order; unrestricted: with simple "
         "tags in any order (control page)")
      ->default_str("restricted")
      ->check(CLI::IsMember({"restricted", "unrestricted"}));
}

}  // namespace

void add_habit_options(CLI::App& app, RunOptions& options) {
  HostHabits& habits = options.habits;
  for (const NthFlag& flag : kTagFlags) add_nth(app, habits, flag);
  for (const NthFlag& flag : kOtherFlags) add_nth(app, habits, flag);
  for (const NthFlag& flag : kUpkeepFlags) add_nth(app, habits, flag);
  app.add_option("--cdb", habits.cdb,
                 "length of the CDBs of READ and WRITE: 10; 16; 6 (10 for requests that do not "
                 "fit); or mixed")
      ->capture_default_str()
      ->check(CLI::IsMember({"6", "10", "16", "mixed"}));
  add_act(app, habits, "--abort-every",
          "N[:DELAY]: each Nth request is aborted DELAY after its issue, by ABORT TAG, or ABORT "
          "without a tag; DELAY is a time or a range, 0ms..20ms by default",
          parse_abort);
  add_act(app, habits, "--clear-queue-every",
          "N[:DELAY]: the host of each Nth request sends CLEAR QUEUE, DELAY after the issue; or "
          "TIME: after each such time, each host in turn",
          parse_clear);
  add_act(app, habits, "--reset-every",
          "[bus:|device:]N[:DELAY] or TIME: the same with RST (bus, the default) or BUS DEVICE "
          "RESET; may be given again for the other",
          parse_reset);
  app.add_option("--retry", habits.retry,
                 "commands that hosts send again, at most 20 times: none; lost (ended by a reset, "
                 "by clearing, or by a unit attention); all: aborted ones, too")
      ->default_str("lost")
      ->transform(cli::one_of(kRetryPolicies));
  add_control_options(app, habits);
  for (const SettingFlag& flag : kSettingFlags) add_change(app, habits, flag);
}

void check_habit_options(const RunOptions& options) {
  const HostHabits& habits = options.habits;
  for (std::size_t i = 0; i < std::size(kTagFlags); ++i) {
    for (std::size_t j = i + 1; j < std::size(kTagFlags); ++j) {
      const EachNth stronger = habits.*kTagFlags[i].value;
      const EachNth weaker = habits.*kTagFlags[j].value;
      if (stronger == 0 || weaker == 0 || weaker % stronger != 0) continue;
      throw CLI::ValidationError(
          kTagFlags[j].name,
          fmt::format(
              "{} selects each {}th request, too, and counts first; give a number that is no "
              "multiple of {}",
              kTagFlags[i].name, weaker, stronger));
    }
  }
  for (const SettingFlag& flag : kSettingFlags) {
    const bool changes = flag.change_of(habits).is_asked_for();
    const bool several = (options.*flag.values).size() > 1;
    if (changes && !several) {
      throw CLI::ValidationError(
          flag.every(), fmt::format("goes with several {}, which it sets in turn", flag.name));
    }
    if (!changes && several) {
      throw CLI::ValidationError(flag.name,
                                 fmt::format("several of them go with {}", flag.every()));
    }
  }
}

void add_habits(const HostHabits& habits, nlohmann::ordered_json& json) {
  nlohmann::ordered_json hosts;
  const auto add = [&](const NthFlag& flag) {
    if (habits.*flag.value != 0) hosts[flag.name + 2] = habits.*flag.value;
  };
  for (const NthFlag& flag : kTagFlags) add(flag);
  for (const NthFlag& flag : kOtherFlags) add(flag);
  for (const NthFlag& flag : kUpkeepFlags) add(flag);
  if (habits.cdb != "10") hosts["cdb"] = habits.cdb;
  for (const ActRepeat& habit : habits.acts) {
    hosts[std::string(to_string(habit.act)) + "-every"] = repeat_text(habit.repeat);
  }
  if (habits.queue_error != 0) hosts["qerr"] = habits.queue_error;
  if (habits.unrestricted) hosts["reordering"] = "unrestricted";
  for (const SettingFlag& flag : kSettingFlags) {
    const Repeat& change = flag.change_of(habits);
    const std::string key = flag.every().substr(2);
    if (change.requests != 0) hosts[key] = change.requests;
    if (change.time != 0) hosts[key] = repeat_text(change);
  }
  for (const auto& [name, policy] : kRetryPolicies) {
    if (policy == habits.retry && policy != RetryPolicy::kLost) hosts["retry"] = name;
  }
  if (!hosts.is_null()) json["hosts"] = hosts;
}

bool has_request_options(const HostHabits& habits) {
  const auto is_set = [&habits](const NthFlag& flag) { return habits.*flag.value != 0; };
  return std::any_of(std::begin(kTagFlags), std::end(kTagFlags), is_set) ||
         std::any_of(std::begin(kOtherFlags), std::end(kOtherFlags), is_set) ||
         habits.cdb != "10" || !habits.acts.empty();
}

}  // namespace headstack::run
