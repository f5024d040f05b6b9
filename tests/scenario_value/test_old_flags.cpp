// SPDX-License-Identifier: Apache-2.0
// The flags of `headstack run` and the keys in their place: both ways give the same options.
//
// The flags are those that the parser of `headstack run` has. So a new flag needs a row here, and a
// key or another fate in host/scenario.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "host/options/stream_option.hpp"
#include "host/options/wave_window.hpp"
#include "host/run/command_line.hpp"
#include "host/run/run.hpp"
#include "host/run/scenario_options.hpp"
#include "host/scenario/load.hpp"
#include "host/scenario/old_flags.hpp"
#include "tests/scenario_value/errors.hpp"
#include "tests/support.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;

using scenario::error_of;
using scenario::Fate;
using scenario::old_flags;
using scenario::OldFlag;
using scenario::OldWords;
using scenario::settings_of_flags;
using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(const std::string& value) { return value; }
std::string text_of(const Words& values) {
  std::string text;
  for (const std::string& value : values) text += "<" + value + ">";
  return text;
}
template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
std::string text_of(Number value) {
  std::ostringstream out;
  out.precision(17);
  out << +value;
  return out.str();
}
template <class Enum, class = std::enable_if_t<std::is_enum_v<Enum>>, class = void>
std::string text_of(Enum value) {
  return std::to_string(static_cast<int>(value));
}
template <class Value>
std::string text_of(const std::optional<Value>& value) {
  return value ? text_of(*value) : "none";
}
std::string text_of(const options::Repeat& repeat) {
  return text_of(repeat.requests) + "," + text_of(repeat.time) + "," +
         text_of(repeat.delay.earliest) + ".." + text_of(repeat.delay.latest);
}

using Texts = std::map<std::string, std::string>;

void add_habits(const options::HostHabits& habits, Texts& texts) {
#define ADD(field) texts["habits." #field] = text_of(habits.field)
  ADD(untagged_every);
  ADD(head_of_queue_every);
  ADD(ordered_every);
  ADD(fua_every);
  ADD(dpo_every);
  ADD(no_disconnect_every);
  ADD(verify_every);
  ADD(flush_every);
  ADD(save_every);
  ADD(reassign_every);
  ADD(format_every);
  ADD(cdb);
  ADD(retry);
  ADD(queue_error);
  ADD(unrestricted);
#undef ADD
  for (const options::ActRepeat& act : habits.acts) {
    texts["habits.acts"] += text_of(act.act) + ":" + text_of(act.repeat) + ";";
  }
  for (const options::Repeat& change : habits.changes) {
    texts["habits.changes"] += text_of(change) + ";";
  }
}

/// Streams by what their words mean: their order is free.
std::string streams_text(const Words& streams) {
  std::string text;
  for (const options::StreamSetting& one : options::parse_streams(streams)) {
    text += text_of(one.stream) + ":" + text_of(one.values.u_milli) + "," +
            text_of(one.values.p_ms) + "," + text_of(one.values.share) + "," +
            text_of(one.values.weight) + "," + text_of(one.values.round_quota) + ";";
  }
  return text;
}

/// Every field of the options but those that torture alone has.
Texts texts_of(const RunOptions& options) {
  Texts texts;
#define ADD(field) texts[#field] = text_of(options.field)
  ADD(drive);
  ADD(drive_over);
  ADD(trace);
  ADD(trace_text);
  ADD(reading.format);
  ADD(reading.devices);
  ADD(reading.device);
  ADD(reading.skip_bad);
  ADD(reading.sort_window);
  ADD(reading.events);
  ADD(reading.allow_empty);
  ADD(policies);
  ADD(predictor_margin_us);
  ADD(queue_depth);
  ADD(loop);
  ADD(speedup);
  ADD(think_time);
  ADD(think_scale);
  ADD(map_addresses);
  ADD(trace_end);
  ADD(initiators);
  ADD(warm_up);
  ADD(warm_up_time);
  ADD(caches);
  ADD(deadlines);
  ADD(duration_policy);
  ADD(write_threshold);
  ADD(remap.maps);
  ADD(remap.chooses);
  ADD(remap.share_percent);
  ADD(remap.idle_ms);
  ADD(remap.learn_blocks);
  ADD(remap.settles);
  ADD(map_choices);
  ADD(published_controller);
  ADD(seed);
  ADD(limit);
  ADD(expected_requests);
  ADD(verify_data);
  ADD(ideal_electronics);
  ADD(out);
  ADD(firmware);
  ADD(gdb);
  ADD(run_until);
  ADD(snapshot_every_ms);
  ADD(snapshots);
  ADD(post_mortem);
  ADD(words);
  ADD(platform);
  ADD(watchdog_s);
  ADD(gating);
  ADD(access_price);
  ADD(reference);
  ADD(bus);
  ADD(force);
  ADD(wave);
  ADD(wave_windows);
  ADD(wave_triggers);
  ADD(fail_on);
  ADD(timeline);
  ADD(event_log);
  ADD(access_log);
  ADD(event_ledger);
  ADD(profile);
  ADD(media);
  ADD(power_cut);
  ADD(power_loss);
  ADD(power_again);
  ADD(is_torture);
#undef ADD
  texts["reading.on_bad"] = text_of(static_cast<bool>(options.reading.on_bad));
  texts["streams"] = streams_text(options.streams);
  texts["wave_after"] = text_of(options::parse_time(options.wave_after));
  add_habits(options.habits, texts);
  return texts;
}

/// As `headstack run` reads the words.
RunOptions parsed(const Words& words) {
  CLI::App app;
  RunOptions options;
  add_run_options(app, options);
  app.parse(Words(words.rbegin(), words.rend()));
  check_run_options(app, options);
  return options;
}

/// By settings and a scenario.
RunOptions converted(const Words& words) {
  const OldWords old = settings_of_flags(words);
  const scenario::Loaded loaded = scenario::load_settings(old.settings);
  scenario::require_good(loaded);
  Places places;
  for (std::size_t i = 0; i < old.others.size(); ++i) {
    if (old.others[i] == "--out") places.out = old.others[i + 1];
    if (old.others[i] == "--force") places.force = true;
  }
  return options_of(loaded.scenario, places);
}

const Words kLeast = {"--drive", "eagle", "--trace", "t.trace", "--out", "OUT"};

Words with_least(Words words, const char* platform) {
  if (std::find(words.begin(), words.end(), "--platform") == words.end()) {
    words.insert(words.begin(), {"--platform", platform});
  }
  words.insert(words.begin(), kLeast.begin(), kLeast.end());
  return words;
}

/// A flag, and a line that has it.
struct Row {
  const char* flag;
  std::vector<Words> lines;
  const char* platform = "vp";
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"--drive", {{}}},
      {"--trace", {{}}},
      {"--out", {{}}},
      {"--force", {{"--force"}}},
      {"--trace-format", {{"--trace-format", "spc"}}},
      {"--device", {{"--device", "8,0"}, {"--device", "\"sda\""}, {"--device=[1]"}}},
      {"--all-devices", {{"--all-devices"}}},
      {"--skip-bad", {{"--skip-bad"}}},
      {"--sort-window", {{"--sort-window", "0"}, {"--sort-window", "0100"}}},
      {"--events", {{"--events", "queue"}, {"--events", "issue"}}},
      {"--allow-empty", {{"--allow-empty"}}},
      {"--policy", {{"--policy", "gstf:group=210,frozen"}}},
      {"--reference", {{"--reference", "opt-t"}}, "native"},
      {"--predictor-margin", {{"--predictor-margin", "0"}, {"--predictor-margin", "500"}}},
      {"--queue-depth", {{"--queue-depth", "1"}, {"--queue-depth=5120"}}},
      {"--open", {{"--open"}}},
      {"--closed", {{"--closed"}}},
      {"--think", {{"--think"}}},
      {"--speedup", {{"--speedup", "2"}, {"--speedup", ".5"}, {"--speedup", "1e-6"}}},
      {"--think-time", {{"--think-time", "3.7ms"}, {"--think", "--think-time", "0ms"}}},
      {"--think-scale", {{"--think-scale", "0.1"}, {"--think-scale", "0"}}},
      {"--map-addresses", {{"--map-addresses", "fold"}, {"--map-addresses", "scale"}}},
      {"--trace-end", {{"--map-addresses", "scale", "--trace-end", "9223372036854775807"}}},
      {"--initiators", {{"--initiators", "15"}}},
      {"--limit", {{"--limit", "60"}}},
      {"--expect-requests", {{"--expect-requests", "0"}, {"--expect-requests", "7"}}},
      {"--warm-up", {{"--warm-up", "50"}, {"--warm-up", "50", "--warm-up-time", "1s"}}},
      {"--warm-up-time", {{"--warm-up-time", "10s"}}},
      {"--seed", {{"--seed", "0"}, {"--seed", "9000000000000000000"}}},
      {"--bus", {{"--bus", "sync:204:8:in=300"}}},
      {"--cache",
       {{"--cache", "read:segments=4"},
        {"--cache", "off", "--cache", "read", "--cache-every", "100ms"}}},
      {"--write-threshold", {{"--cache", "read-write", "--write-threshold", "time:10:0.5"}}},
      {"--stream",
       {{"--stream", "3:u=0.25,p=100ms"},
        {"--stream", "3:w=01,k=255", "--stream", "15:share=100,p=50000ms,u=0.001"}}},
      {"--controller", {{"--controller", "published"}}},
      {"--deadlines", {{"--deadlines", "message"}, {"--deadlines", "cdl"}}},
      {"--cdl-policy", {{"--deadlines", "cdl", "--cdl-policy", "abort"}}},
      {"--remap", {{"--remap", "a.json"}, {"--remap", "a.json", "--remap", "b.json"}}},
      {"--map", {{"--map", "0"}, {"--map", "1"}, {"--map", "1", "--map", "0", "--map-every", "3"}}},
      {"--remap-share", {{"--map", "1", "--remap-share", "99"}}},
      {"--remap-idle", {{"--map", "1", "--remap-idle", "0"}}},
      {"--remap-settled", {{"--map", "1", "--remap-settled"}}},
      {"--learn", {{"--learn", "160"}}},
      {"--untagged-every", {{"--untagged-every", "1"}}},
      {"--head-of-queue-every", {{"--head-of-queue-every", "2"}}},
      {"--ordered-every", {{"--ordered-every", "3"}}},
      {"--no-disconnect-every", {{"--no-disconnect-every", "4"}}},
      {"--fua-every", {{"--fua-every", "5"}}},
      {"--dpo-every", {{"--dpo-every", "6"}}},
      {"--verify-every", {{"--verify-every", "7"}}},
      {"--flush-every", {{"--flush-every", "8"}}},
      {"--save-every", {{"--save-every", "9"}}},
      {"--reassign-every", {{"--reassign-every", "10"}}},
      {"--format-every", {{"--format-every", "1000000000"}}},
      {"--cdb", {{"--cdb", "6"}, {"--cdb", "16"}, {"--cdb", "mixed"}}},
      {"--abort-every",
       {{"--abort-every", "40"},
        {"--abort-every", "40:0ms..5ms", "--abort-every", "7:1ms", "--clear-queue-every", "3"}}},
      {"--clear-queue-every", {{"--clear-queue-every", "100ms"}, {"--clear-queue-every", "5:2ms"}}},
      {"--reset-every",
       {{"--reset-every", "5"},
        {"--reset-every", "bus:500ms"},
        {"--reset-every", "bus:5:1ms..1ms", "--reset-every", "device:8:1ms..1ms"},
        {"--reset-every", "device:19ms", "--abort-every", "3"}}},
      {"--retry", {{"--retry", "none"}, {"--retry", "all"}}},
      {"--qerr", {{"--qerr", "1"}, {"--qerr", "3"}}},
      {"--reordering", {{"--reordering", "unrestricted"}}},
      {"--cache-every", {{"--cache", "off", "--cache", "read", "--cache-every", "3"}}},
      {"--policy-every",
       {{"--policy", "stf", "--policy", "fcfs", "--policy", "sstf", "--policy-every", "100ms"}}},
      {"--map-every", {{"--map", "2", "--map", "0", "--map-every", "50ms"}}},
      {"--platform", {{"--platform", "native"}, {"--platform", "rtl"}, {"--platform", "vp"}}},
      {"--post-mortem", {{"--post-mortem"}}, "rtl"},
      {"--watchdog",
       {{"--watchdog", "0"},
        {"--watchdog", "2.5"},
        {"--watchdog", "1e6"},
        {"--watchdog", ".125"},
        {"--watchdog", "0.1"}}},
      {"--fail-on", {{"--fail-on", "sense"}, {"--fail-on", "sense=3", "--fail-on", "not-good=1%"}}},
      {"--verify-data", {{"--verify-data"}}},
      {"--no-gating", {{"--no-gating"}}, "rtl"},
      {"--wave", {{"--wave", "a.fst"}}, "rtl"},
      {"--wave-window",
       {{"--wave", "a.fst", "--wave-window", "cmd:17"},
        {"--wave", "a.fst", "--wave-window", "cmd:17", "--wave-window", "time:1ms..2.5ms"}},
       "rtl"},
      {"--wave-on",
       {{"--wave", "a.fst", "--wave-on", "sense", "--wave-on", "missed-revolution"}},
       "rtl"},
      {"--wave-after", {{"--wave", "a.fst", "--wave-after", "0.5ms"}}, "rtl"},
      {"--media", {{"--media", "m.img"}}},
      {"--power-cut", {{"--power-cut", "time:2.5ms"}, {"--power-cut", "byte:0"}}},
      {"--power-again", {{"--power-cut", "cmd:3", "--power-again", "0"}}},
      {"--power-loss",
       {{"--power-cut", "cmd:3", "--power-loss", "torn"},
        {"--power-cut", "cmd:3", "--power-loss", "finished"}}},
      {"--timeline", {{"--timeline", "OUT/timeline.perfetto"}}},
      {"--event-log", {{"--event-log"}}},
      {"--event-ledger", {{"--event-ledger"}}},
      {"--access-log", {{"--access-log"}}},
      {"--profile", {{"--profile"}}},
      {"--firmware", {{"--firmware", "f.elf"}}},
      {"--snapshot-every", {{"--snapshot-every", "0"}, {"--snapshot-every", "2.5"}}},
      {"--snapshots", {{"--snapshot-every", "1", "--snapshots", "2"}}},
      {"--ideal-electronics", {{"--ideal-electronics"}}, "native"},
      {"--access-price", {{"--access-price", "0"}}, "native"},
  };
  return kRows;
}

/// The long names of the parser's options, but for --help.
std::set<std::string> flags_of_the_parser() {
  CLI::App app;
  RunOptions options;
  add_run_options(app, options);
  std::set<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help") names.insert("--" + name);
    }
  }
  return names;
}

TEST(OldFlags, Table_HasTheFlagsOfTheParser) {
  std::set<std::string> known;
  for (const OldFlag& flag : old_flags()) {
    EXPECT_TRUE(known.insert(flag.name).second) << flag.name << " is there twice";
  }
  EXPECT_EQ(known, flags_of_the_parser())
      << "a new flag needs a key in host/scenario/schema.hpp, or a fate in old_flags.cpp";
}

TEST(OldFlags, EachFlagThatIsAKey_HasALineInThisTest) {
  for (const OldFlag& flag : old_flags()) {
    const bool has_row = std::any_of(rows().begin(), rows().end(),
                                     [&](const Row& row) { return flag.name == row.flag; });
    const bool needs_row = flag.fate == Fate::kKey || flag.fate == Fate::kStays;
    EXPECT_EQ(has_row, needs_row) << flag.name;
  }
}

TEST(OldFlags, OptionsOfAScenario_AreThoseOfTheFlags) {
  for (const Row& row : rows()) {
    for (const Words& line : row.lines) {
      const Words words = with_least(line, row.platform);
      SCOPED_TRACE(text_of(words));
      const bool has_flag = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return word.substr(0, word.find('=')) == row.flag;
      });
      EXPECT_TRUE(has_flag) << row.flag;
      EXPECT_EQ(texts_of(converted(words)), texts_of(parsed(words)));
    }
  }
}

// If texts_of() lacks a field, no comparison covers the flag that sets it.
TEST(OldFlags, EachFlag_ChangesWhatIsCompared) {
  for (const Row& row : rows()) {
    const Words words = with_least(row.lines.front(), row.platform);
    Words without;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool is_it = words[i].substr(0, words[i].find('=')) == row.flag;
      const auto flag = std::find_if(old_flags().begin(), old_flags().end(),
                                     [&](const OldFlag& one) { return one.name == row.flag; });
      if (!is_it) without.push_back(words[i]);
      if (is_it && flag->takes_value && words[i] == row.flag) ++i;
    }
    RunOptions options;
    CLI::App app;
    add_run_options(app, options);
    try {
      app.parse(Words(without.rbegin(), without.rend()));
    } catch (const CLI::RequiredError&) {
      continue;  // --drive, --trace, --out, and --wave: others need them
    }
    EXPECT_NE(texts_of(options), texts_of(parsed(words))) << row.flag;
  }
}

TEST(OldFlags, FlagsThatAreNoKeys_AreGivenBack) {
  const OldWords old = settings_of_flags({"--torture", "--torture-every=3", "--gdb", ":1234",
                                          "--queue-depth", "3", "--out", "x", "--force"});
  EXPECT_THAT(old.settings, ElementsAre("hosts.depth=3"));
  EXPECT_THAT(old.others, ElementsAre("--torture", "--torture-every", "3", "--gdb", ":1234",
                                      "--out", "x", "--force"));
  const OldWords gone = settings_of_flags({"--strict", "--remap-counts", "--timeline", "t"});
  EXPECT_THAT(gone.settings, ElementsAre("observe.timeline=true"));
  EXPECT_THAT(gone.notes, ElementsAre("--strict: is the default",
                                      "--remap-counts: the counters are in each summary",
                                      "--timeline: the file is now OUT/timeline.perfetto"));
}

TEST(OldFlags, Settings_AreInTheOrderOfTheSchema) {
  EXPECT_THAT(
      settings_of_flags(
          {"--fail-on", "sense", "--policy", "stf", "--drive", "eagle", "--policy", "fcfs"})
          .settings,
      ElementsAre("drive.name=eagle", R"(settings.policy=["stf", "fcfs"])", "stop.fail_on=sense"));
}

TEST(OldFlags, WhatAScenarioCannotSay_IsRefused) {
  const std::pair<Words, const char*> wrong[] = {
      {{"--queue-deph", "3"}, "--queue-deph: unknown flag; did you mean '--queue-depth'?"},
      {{"--queue-depth"}, "--queue-depth: has no value; give one"},
      {{"--verify-data=false"}, "--verify-data: takes no value; leave it out"},
      {{"--limit", "1", "--limit", "2"}, "--limit: load.limit is given twice; leave one out"},
      {{"--open", "--closed"}, "--closed: load.loop is given twice; leave one out"},
      {{"--device", "all"},
       "--device: a device of this name cannot be told from all of them; rename it"},
      {{"--reset-every", "device:8", "--reset-every", "5"},
       "--reset-every: resets of the bus come before those of the device in a scenario; give bus: "
       "first"},
      {{"--watchdog", "x"}, "--watchdog: 'x' is no number; give one"},
  };
  for (const auto& [words, error] : wrong) {
    const Words& given = words;
    EXPECT_EQ(error_of([&] { settings_of_flags(given); }), std::string("(command line): ") + error);
  }
}

TEST(OldFlags, Sentence_NamesTheKey) {
  using scenario::old_flag_sentence;
  EXPECT_EQ(old_flag_sentence("--queue-depth"),
            "--queue-depth: is a key now; write hosts.depth=VALUE");
  EXPECT_EQ(old_flag_sentence("--verify-data"),
            "--verify-data: is a key now; write hosts.verify=true");
  EXPECT_EQ(old_flag_sentence("--open"), "--open: is a key now; write load.loop=open");
  EXPECT_EQ(old_flag_sentence("--no-gating"),
            "--no-gating: is a key now; write platform.gating=false");
  EXPECT_EQ(old_flag_sentence("--reset-every"),
            "--reset-every: is a key now; write hosts.every.bus_reset=VALUE or "
            "hosts.every.device_reset=VALUE");
  EXPECT_EQ(old_flag_sentence("--torture-seed"),
            "--torture-seed: is for `headstack torture`; use that command");
  EXPECT_EQ(old_flag_sentence("--gdb"), "--gdb: is for `headstack debug`; use that command");
  EXPECT_EQ(old_flag_sentence("--strict"), "--strict: is the default; leave it out");
  EXPECT_EQ(old_flag_sentence("--out"), "");
  EXPECT_EQ(old_flag_sentence("--nothing"), "");
  for (const OldFlag& flag : old_flags()) {
    EXPECT_EQ(old_flag_sentence(flag.name).empty(), flag.fate == Fate::kStays) << flag.name;
  }
}

TEST(ScenarioOptions, WhatARunCannotDoYet_IsRefusedByItsKey) {
  const std::pair<Words, const char*> wrong[] = {
      {{"platform=native", "platform.reference=mine:Policy"},
       "platform.reference: a run cannot do this yet; name a scheduler of host/reference"},
      {{"observe.records=summary"}, "observe.records: a run cannot do this yet; leave it out"},
      {{"stop.until=1s"}, "stop.until: a run cannot do this yet; use load.limit"},
  };
  for (const auto& [settings, error] : wrong) {
    const scenario::Scenario s = scenario::load_settings(settings).scenario;
    try {
      options_of(s, {});
      ADD_FAILURE() << "no error: " << error;
    } catch (const drive::Fault& fault) {
      EXPECT_STREQ(fault.what(), error);
    }
  }
}

/// Runs scenarios on `native`.
class ScenarioRun : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HEADSTACK_ROOT", test::source_root(), 1);
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(testing::TempDir()) / (std::string("run-") + test->name());
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  RunOptions options_for(Words settings) const {
    settings.insert(settings.begin(), {"platform=native", "drive=eagle"});
    const scenario::Loaded loaded = scenario::load_settings(settings);
    scenario::require_good(loaded);
    Places places;
    places.out = (folder / "out").string();
    return options_of(loaded.scenario, places);
  }

  /// The lines of records.csv without that of its columns.
  Words records_of(const Words& settings) const {
    EXPECT_EQ(run_trace(options_for(settings), nullptr), 0);
    std::ifstream file(folder / "out/records.csv");
    Words lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
  }

  fs::path folder;
};

TEST_F(ScenarioRun, RowsOfRequests_AreReplayed) {
  const Words records =
      records_of({R"(load.requests=[["r",1000,8],["w",5,1],["f"],["v",0,2]])", "depth=1"});
  ASSERT_EQ(records.size(), 4U);
  EXPECT_THAT(records[0], HasSubstr(",read,1000,8,"));
  EXPECT_THAT(records[1], HasSubstr(",write,5,1,"));
  EXPECT_THAT(records[2], HasSubstr(",flush,"));
  EXPECT_THAT(records[3], HasSubstr(",verify,0,2,"));
}

TEST_F(ScenarioRun, SyntheticLoad_IsReplayed) {
  EXPECT_EQ(records_of({"load.synthetic.requests=20", "load.synthetic.write_share=0.5"}).size(),
            20U);
}

TEST_F(ScenarioRun, SyntheticLoad_CanBeReadTwice) {
  EXPECT_EQ(records_of({"load.synthetic={requests=20,deadline=\"10ms..40ms\",gap=\"5ms\"}",
                        "deadlines=cdl"})
                .size(),
            20U);
  fs::remove_all(folder / "out");
  EXPECT_EQ(records_of({"load.synthetic={requests=20,span=90000000}", "load.map=scale"}).size(),
            20U);
}

TEST_F(ScenarioRun, SyntheticLoadThatDoesNotFit_IsRefusedByItsKey) {
  try {
    (void)options_for({"load.synthetic.first=90000000"});
    ADD_FAILURE();
  } catch (const drive::Fault& fault) {
    EXPECT_EQ(fault.key, "load.synthetic.blocks");
  }
}

TEST_F(ScenarioRun, KeysOfADrive_AreThoseOfTheDriveThatRuns) {
  std::ofstream(folder / "t.trace") << "headstack-trace 1\ntime-unit ns\nloop closed\nrequests\n"
                                       "- R 100 8 -\n";
  const Words settings = {"trace=" + (folder / "t.trace").string(), "drive.specimen.flaw_seed=7",
                          "drive.specimen.flaws=[{kind=\"correctable\",lba=100,retries=1}]",
                          "drive.design.rpm=3600"};
  EXPECT_EQ(records_of(settings).size(), 1U);
  const drive::DriveDescription drive = drive::load(folder / "out/drive.toml").description;
  EXPECT_EQ(drive.specimen.flaw_seed, 7U);
  ASSERT_EQ(drive.specimen.flaws.size(), 1U);
  EXPECT_EQ(drive.specimen.flaws.front().lba, 100U);
  EXPECT_EQ(drive.design.rpm, 3600);
  EXPECT_EQ(drive.design.cylinders, test::shipped("eagle").design.cylinders);
}

TEST(ScenarioOptions, Firmware_IsTheBuildsUnlessItIsGiven) {
  Places places;
  places.firmware = "build.elf";
  places.words = {"s.toml", "depth=3"};
  const auto options = [&](const Words& settings) {
    return options_of(scenario::load_settings(settings).scenario, places);
  };
  EXPECT_EQ(options({}).firmware, "build.elf");
  EXPECT_EQ(options({"firmware=mine.elf"}).firmware, "mine.elf");
  EXPECT_EQ(options({"platform=native"}).firmware, "");
  EXPECT_EQ(options({}).words, places.words);
  EXPECT_EQ(options({}).platform, "vp");
  EXPECT_EQ(options({"wave=a.fst"}).platform, "rtl");
}

}  // namespace
}  // namespace headstack::run
