// SPDX-License-Identifier: Apache-2.0
// The options that each key of a scenario gives a run, and runs of scenarios.
//
// The expected fields are those that the former flags of `headstack run` set, by their parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "host/options/stream_option.hpp"
#include "host/options/wave_window.hpp"
#include "host/run/run.hpp"
#include "host/run/scenario_options.hpp"
#include "host/scenario/fields.hpp"
#include "host/scenario/load.hpp"
#include "tests/support.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;

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

/// Every field that a scenario sets.
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
  ADD(scan_idle_ms);
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
  ADD(firmware);
  ADD(snapshot_every_ms);
  ADD(snapshots);
  ADD(post_mortem);
  ADD(platform);
  ADD(watchdog_s);
  ADD(gating);
  ADD(access_price);
  ADD(reference);
  ADD(bus);
  ADD(wave);
  ADD(wave_windows);
  ADD(wave_triggers);
  ADD(records);
  ADD(stop_at);
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
#undef ADD
  texts["streams"] = streams_text(options.streams);
  texts["wave_after"] = text_of(options::parse_time(options.wave_after));
  add_habits(options.habits, texts);
  return texts;
}

RunOptions options_for(Words settings) {
  settings.insert(settings.begin(), {"drive.name=eagle", "load.trace=t.trace"});
  const scenario::Loaded loaded = scenario::load_settings(settings);
  scenario::require_good(loaded);
  return options_of(loaded.scenario, {});
}

/// Settings, and the fields that differ from those of a scenario without them.
struct Row {
  Words settings;
  Texts fields;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {{"load.format=spc"}, {{"reading.format", "spc"}}},
      {{"load.device=8,0"}, {{"reading.device", "8,0"}, {"reading.devices", "1"}}},
      {{R"(load.device="\"sda\"")"}, {{"reading.device", R"("sda")"}, {"reading.devices", "1"}}},
      {{R"(load.device="[1]")"}, {{"reading.device", "[1]"}, {"reading.devices", "1"}}},
      {{"load.device=all"}, {{"reading.devices", "2"}}},
      {{"load.on_bad=skip"}, {{"reading.skip_bad", "true"}}},
      {{"load.sort_window=0"}, {{"reading.sort_window", "0"}}},
      {{"load.sort_window=100"}, {{"reading.sort_window", "100"}}},
      {{"load.events=queue"}, {{"reading.events", "1"}}},
      {{"load.events=issue"}, {{"reading.events", "0"}}},
      {{"stop.allow_empty=true"}, {{"reading.allow_empty", "true"}}},
      {{"settings.policy=gstf:group=210,frozen"}, {{"policies", "<gstf:group=210,frozen>"}}},
      {{"platform.kind=native", "platform.reference=opt-t"},
       {{"platform", "native"}, {"reference", "opt-t"}}},
      {{"settings.predictor_margin_us=0"}, {{"predictor_margin_us", "0"}}},
      {{"settings.predictor_margin_us=500"}, {{"predictor_margin_us", "500"}}},
      {{"hosts.depth=1"}, {{"queue_depth", "1"}}},
      {{"hosts.depth=5120"}, {{"queue_depth", "5120"}}},
      {{"load.loop=open"}, {{"loop", "0"}}},
      {{"load.loop=closed"}, {{"loop", "1"}}},
      {{"load.loop=think"}, {{"loop", "2"}}},
      {{"load.speedup=2"}, {{"speedup", "2"}}},
      {{"load.speedup=0.5"}, {{"speedup", "0.5"}}},
      {{"load.speedup=1e-06"}, {{"speedup", "9.9999999999999995e-07"}}},
      {{"load.think=3.7ms"}, {{"think_time", "3700000000"}}},
      {{"load.loop=think", "load.think=0ms"}, {{"loop", "2"}, {"think_time", "0"}}},
      {{"load.think_scale=0.1"}, {{"think_scale", "0.10000000000000001"}}},
      {{"load.think_scale=0"}, {{"think_scale", "0"}}},
      {{"load.map=fold"}, {{"map_addresses", "1"}}},
      {{"load.map=scale"}, {{"map_addresses", "2"}}},
      {{"load.map=scale", "load.trace_end=9223372036854775807"},
       {{"map_addresses", "2"}, {"trace_end", "9223372036854775807"}}},
      {{"hosts.number=15"}, {{"initiators", "15"}}},
      {{"load.limit=60"}, {{"limit", "60"}}},
      {{"load.expect=0"}, {{"expected_requests", "0"}}},
      {{"load.expect=7"}, {{"expected_requests", "7"}}},
      {{"load.warm_up=50"}, {{"warm_up", "50"}}},
      {{R"(load.warm_up=[50, "1s"])"}, {{"warm_up", "50"}, {"warm_up_time", "1000000000000"}}},
      {{"load.warm_up=10s"}, {{"warm_up_time", "10000000000000"}}},
      {{"hosts.seed=0"}, {{"seed", "0"}}},
      {{"hosts.seed=9000000000000000000"}, {{"seed", "9000000000000000000"}}},
      {{"hosts.bus=sync:204:8:in=300"}, {{"bus", "sync:204:8:in=300"}}},
      {{"settings.cache=read:segments=4"}, {{"caches", "<read:segments=4>"}}},
      {{"hosts.every.cache=100ms", R"(settings.cache=["off", "read"])"},
       {{"caches", "<off><read>"}, {"habits.changes", "0,100000000000,0..0;0,0,0..0;0,0,0..0;"}}},
      {{"settings.cache=read-write", "settings.write_threshold=time:10:0.5"},
       {{"caches", "<read-write>"}, {"write_threshold", "time:10:0.5"}}},
      {{R"(settings.streams=[{ number = 3, u = 0.25, period = "100ms" }])"},
       {{"streams", "3:250,100,0,0,0;"}}},
      {{R"(settings.streams=[{ number = 3, w = 1, k = 255 }, { number = 15, share = 100, period = "50000ms", u = 0.001 }])"},
       {{"streams", "3:0,0,0,1,255;15:1,50000,100,0,0;"}}},
      {{"drive.controller=published"}, {{"published_controller", "true"}}},
      {{"settings.deadlines=message"}, {{"deadlines", "1"}}},
      {{"settings.deadlines=cdl"}, {{"deadlines", "2"}}},
      {{"settings.deadlines=cdl", "settings.cdl_policy=abort"},
       {{"deadlines", "2"}, {"duration_policy", "15"}}},
      {{"remap.maps=a.json"}, {{"remap.chooses", "true"}, {"remap.maps", "<a.json>"}}},
      {{R"(remap.maps=["a.json", "b.json"])"},
       {{"remap.chooses", "true"}, {"remap.maps", "<a.json><b.json>"}}},
      {{"remap.use=0"}, {{"map_choices", "<0>"}, {"remap.chooses", "true"}}},
      {{"remap.use=1"}, {{"remap.chooses", "true"}}},
      {{"hosts.every.map=3", "remap.use=[1, 0]"},
       {{"habits.changes", "0,0,0..0;0,0,0..0;3,0,0..20000000000;"},
        {"map_choices", "<1><0>"},
        {"remap.chooses", "true"}}},
      {{"remap.use=1", "remap.share_percent=99"},
       {{"remap.chooses", "true"}, {"remap.share_percent", "99"}}},
      {{"remap.use=1", "remap.idle_ms=0"}, {{"remap.chooses", "true"}, {"remap.idle_ms", "0"}}},
      {{"remap.use=1", "remap.settled=true"},
       {{"remap.chooses", "true"}, {"remap.settles", "true"}}},
      {{"remap.learn_blocks=160"}, {{"remap.learn_blocks", "160"}}},
      {{"hosts.every.untagged=1"}, {{"habits.untagged_every", "1"}}},
      {{"hosts.every.head_of_queue=2"}, {{"habits.head_of_queue_every", "2"}}},
      {{"hosts.every.ordered=3"}, {{"habits.ordered_every", "3"}}},
      {{"hosts.every.no_disconnect=4"}, {{"habits.no_disconnect_every", "4"}}},
      {{"hosts.every.fua=5"}, {{"habits.fua_every", "5"}}},
      {{"hosts.every.dpo=6"}, {{"habits.dpo_every", "6"}}},
      {{"hosts.every.verify=7"}, {{"habits.verify_every", "7"}}},
      {{"hosts.every.flush=8"}, {{"habits.flush_every", "8"}}},
      {{"hosts.every.save=9"}, {{"habits.save_every", "9"}}},
      {{"hosts.every.reassign=10"}, {{"habits.reassign_every", "10"}}},
      {{"hosts.every.format=1000000000"}, {{"habits.format_every", "1000000000"}}},
      {{"hosts.cdb=6"}, {{"habits.cdb", "6"}}},
      {{"hosts.cdb=16"}, {{"habits.cdb", "16"}}},
      {{"hosts.cdb=mixed"}, {{"habits.cdb", "mixed"}}},
      {{"hosts.every.abort=40"}, {{"habits.acts", "1:40,0,0..20000000000;"}}},
      {{R"(hosts.every.abort=["40:0ms..5ms", "7:1ms"])", "hosts.every.clear_queue=3"},
       {{"habits.acts",
         "1:40,0,0..5000000000;1:7,0,1000000000..1000000000;2:3,0,0..20000000000;"}}},
      {{"hosts.every.clear_queue=100ms"}, {{"habits.acts", "2:0,100000000000,0..0;"}}},
      {{"hosts.every.clear_queue=5:2ms"}, {{"habits.acts", "2:5,0,2000000000..2000000000;"}}},
      {{"hosts.every.bus_reset=5"}, {{"habits.acts", "4:5,0,0..20000000000;"}}},
      {{"hosts.every.bus_reset=500ms"}, {{"habits.acts", "4:0,500000000000,0..0;"}}},
      {{"hosts.every.bus_reset=5:1ms..1ms", "hosts.every.device_reset=8:1ms..1ms"},
       {{"habits.acts", "4:5,0,1000000000..1000000000;3:8,0,1000000000..1000000000;"}}},
      {{"hosts.every.abort=3", "hosts.every.device_reset=19ms"},
       {{"habits.acts", "1:3,0,0..20000000000;3:0,19000000000,0..0;"}}},
      {{"hosts.retry=none"}, {{"habits.retry", "0"}}},
      {{"hosts.retry=all"}, {{"habits.retry", "2"}}},
      {{"settings.scan_idle_ms=0"}, {{"scan_idle_ms", "0"}}},
      {{"settings.scan_idle_ms=250"}, {{"scan_idle_ms", "250"}}},
      {{"settings.qerr=1"}, {{"habits.queue_error", "1"}}},
      {{"settings.qerr=3"}, {{"habits.queue_error", "3"}}},
      {{"settings.reordering=unrestricted"}, {{"habits.unrestricted", "true"}}},
      {{"hosts.every.cache=3", R"(settings.cache=["off", "read"])"},
       {{"caches", "<off><read>"}, {"habits.changes", "3,0,0..20000000000;0,0,0..0;0,0,0..0;"}}},
      {{"hosts.every.policy=100ms", R"(settings.policy=["stf", "fcfs", "sstf"])"},
       {{"habits.changes", "0,0,0..0;0,100000000000,0..0;0,0,0..0;"},
        {"policies", "<stf><fcfs><sstf>"}}},
      {{"hosts.every.map=50ms", "remap.use=[2, 0]"},
       {{"habits.changes", "0,0,0..0;0,0,0..0;0,50000000000,0..0;"},
        {"map_choices", "<2><0>"},
        {"remap.chooses", "true"}}},
      {{"platform.kind=native"}, {{"platform", "native"}}},
      {{"platform.kind=rtl"}, {{"platform", "rtl"}}},
      {{"platform.kind=rtl", "observe.post_mortem=true"},
       {{"platform", "rtl"}, {"post_mortem", "true"}}},
      {{"stop.watchdog=0s"}, {{"watchdog_s", "0"}}},
      {{"stop.watchdog=2.5s"}, {{"watchdog_s", "2.5"}}},
      {{"stop.watchdog=1000000s"}, {{"watchdog_s", "1000000"}}},
      {{"stop.watchdog=125ms"}, {{"watchdog_s", "0.125"}}},
      {{"stop.watchdog=0.1s"}, {{"watchdog_s", "0.10000000000000001"}}},
      {{"stop.fail_on=sense"}, {{"fail_on", "<sense>"}}},
      {{R"(stop.fail_on=["sense=3", "not-good=1%"])"}, {{"fail_on", "<sense=3><not-good=1%>"}}},
      {{"hosts.verify=true"}, {{"verify_data", "true"}}},
      {{"platform.kind=rtl", "platform.gating=false"}, {{"gating", "false"}, {"platform", "rtl"}}},
      {{"platform.kind=rtl", "observe.waves.file=a.fst"}, {{"platform", "rtl"}, {"wave", "a.fst"}}},
      {{"platform.kind=rtl", "observe.waves.file=a.fst", "observe.waves.windows=cmd:17"},
       {{"platform", "rtl"}, {"wave", "a.fst"}, {"wave_windows", "<cmd:17>"}}},
      {{"platform.kind=rtl", "observe.waves.file=a.fst",
        R"(observe.waves.windows=["cmd:17", "time:1ms..2.5ms"])"},
       {{"platform", "rtl"}, {"wave", "a.fst"}, {"wave_windows", "<cmd:17><time:1ms..2.5ms>"}}},
      {{"platform.kind=rtl", "observe.waves.file=a.fst",
        R"(observe.waves.on=["sense", "missed-revolution"])"},
       {{"platform", "rtl"}, {"wave", "a.fst"}, {"wave_triggers", "<sense><missed-revolution>"}}},
      {{"platform.kind=rtl", "observe.waves.file=a.fst", "observe.waves.after=0.5ms"},
       {{"platform", "rtl"}, {"wave", "a.fst"}, {"wave_after", "500000000"}}},
      {{"drive.media=m.img"}, {{"media", "m.img"}}},
      {{"faults.power_cut=time:2.5ms"}, {{"power_cut", "time:2.5ms"}, {"verify_data", "true"}}},
      {{"faults.power_cut=byte:0"}, {{"power_cut", "byte:0"}, {"verify_data", "true"}}},
      {{"faults.power_cut=cmd:3", "faults.power_again=0"},
       {{"power_again", "0"}, {"power_cut", "cmd:3"}, {"verify_data", "true"}}},
      {{"faults.power_cut=cmd:3", "faults.power_loss=torn"},
       {{"power_cut", "cmd:3"}, {"power_loss", "1"}, {"verify_data", "true"}}},
      {{"faults.power_cut=cmd:3", "faults.power_loss=finished"},
       {{"power_cut", "cmd:3"}, {"power_loss", "0"}, {"verify_data", "true"}}},
      {{"observe.timeline=true"}, {{"timeline", "true"}}},
      {{"observe.events=true"}, {{"event_log", "true"}}},
      {{"observe.ledger=true"}, {{"event_ledger", "true"}}},
      {{"observe.accesses=true"}, {{"access_log", "true"}}},
      {{"observe.profile=true"}, {{"profile", "true"}}},
      {{"platform.firmware=f.elf"}, {{"firmware", "f.elf"}}},
      {{"observe.snapshot_every=0ms"}, {{"snapshot_every_ms", "0"}}},
      {{"observe.snapshot_every=2.5ms"}, {{"snapshot_every_ms", "2.5"}}},
      {{"observe.snapshot_every=1ms", "observe.snapshots=2"},
       {{"snapshot_every_ms", "1"}, {"snapshots", "2"}}},
      {{"platform.kind=native", "platform.ideal_electronics=true"},
       {{"ideal_electronics", "true"}, {"platform", "native"}}},
      {{"platform.kind=native", "platform.access_price=0"},
       {{"access_price", "0"}, {"platform", "native"}}},
      {{"observe.records=summary"}, {{"records", "1"}}},
      {{"observe.records=none"}, {{"records", "2"}}},
      {{"stop.until=1.5s"}, {{"stop_at", "1500000000000"}}},
  };
  return kRows;
}

TEST(ScenarioOptions, EachKey_SetsItsFields) {
  const Texts usual = texts_of(options_for({}));
  for (const Row& row : rows()) {
    SCOPED_TRACE(text_of(row.settings));
    Texts expected = usual;
    for (const auto& [field, text] : row.fields) {
      ASSERT_EQ(expected.count(field) != 0 || field == "habits.acts", true) << field;
      expected[field] = text;
    }
    EXPECT_EQ(texts_of(options_for(row.settings)), expected);
  }
}

TEST(ScenarioOptions, EachKey_HasARowInThisTest) {
  // Given in each row, or no option of a run, or a table whose keys have tests of their own.
  const Words others = {"schema",     "title",         "drive.name",    "drive.design",
                        "load.trace", "load.requests", "drive.specimen"};
  for (const scenario::Field& field : scenario::schema_fields().fields) {
    const std::string path = field.path();
    if (path.compare(0, 15, "load.synthetic.") == 0) continue;
    if (std::find(others.begin(), others.end(), path) != others.end()) continue;
    EXPECT_TRUE(std::any_of(rows().begin(), rows().end(), [&path](const Row& row) {
      return std::any_of(row.settings.begin(), row.settings.end(), [&path](const auto& setting) {
        return setting.substr(0, setting.find('=')) == path;
      });
    })) << path;
  }
}

TEST(ScenarioOptions, WhatARunCannotDoYet_IsRefusedByItsKey) {
  const std::pair<Words, const char*> wrong[] = {
      {{"platform=native", "platform.reference=mine:Policy"},
       "platform.reference: a run cannot do this yet; name a scheduler of host/reference"},
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
