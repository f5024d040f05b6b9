// SPDX-License-Identifier: Apache-2.0
// The canonical form: what it has, and that it reads as the same scenario.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/scenario/fields.hpp"
#include "host/scenario/load.hpp"
#include "host/scenario/value_text.hpp"
#include "host/scenario/write.hpp"

namespace headstack::scenario {
namespace {

Scenario read(const std::string& text) { return load_text(text, "s.toml").scenario; }

TEST(ScenarioText, Times_HaveTheLargestUnitThatFits) {
  const std::pair<Picoseconds, const char*> texts[] = {
      {0, "0s"},
      {1, "1ps"},
      {999, "999ps"},
      {1'001, "1.001ns"},
      {12'500'000'000, "12.5ms"},
      {999'999'999'999, "999.999999999ms"},
      {1'000'000'000'000, "1s"},
      {60'000'000'000'001, "60.000000000001s"},
  };
  for (const auto& [time, text] : texts) EXPECT_EQ(time_text(time), text);
}

TEST(ScenarioText, Quotes_AreThoseOfToml) {
  EXPECT_EQ(quoted("a \"b\" \\ c"), R"("a \"b\" \\ c")");
  EXPECT_EQ(quoted("a\nb"), R"("a\u000Ab")");
}

TEST(ScenarioText, Default_IsAnEmptyText) { EXPECT_EQ(to_toml(Scenario()), ""); }

TEST(ScenarioText, WhatDiffers_InTheOrderOfTheSchema) {
  const Scenario s = read(R"(
settings = { policy = "stf", qerr = 3, streams = [{ w = 2, number = 4 }] }
stop.fail_on = ["sense", "not-good=1%"]
hosts = { every.fua = 3, depth = 32, seed = 2 }
load.synthetic = {}
title = "a title"
)");
  EXPECT_EQ(to_toml(s), R"(title = "a title"

[load.synthetic]

[hosts]
seed = 2

[hosts.every]
fua = 3

[settings]
policy = "stf"
qerr = 3
streams = [{ number = 4, w = 2 }]

[stop]
fail_on = ["sense", "not-good=1%"]
)");
}

/// A value for each key that differs from its default.
const std::pair<const char*, const char*> kOther[] = {
    {"schema", ""},  // there is one alone
    {"title", "\"quotes \\\" and \\u00e9\""},
    {"drive.name", "\"eagle\""},
    {"drive.media", "\"m.img\""},
    {"drive.controller", "\"published\""},
    {"drive.design", "{ rpm = 5400.5, seek = { settle_ms = 1 }, zones = [{ spares = 2 }] }"},
    {"drive.specimen", "{ flaws = [{ kind = \"unreadable\", lba = 3 }], speed_error_ppm = -3.5 }"},
    {"platform.kind", "\"native\""},
    {"platform.firmware", "\"f.elf\""},
    {"platform.gating", "false"},
    {"platform.ideal_electronics", "true"},
    {"platform.access_price", "0"},
    {"platform.reference", "\"opt-t\""},
    {"load.trace", "\"-\""},
    {"load.requests", "[[\"r\", 0, 8], [\"f\"], [\"w\", 5, 1, \"1.5ms\"], [\"f\", 0, 0, \"2ms\"]]"},
    {"load.format", "\"spc\""},
    {"load.device", "\"all\""},
    {"load.events", "\"issue\""},
    {"load.on_bad", "\"skip\""},
    {"load.sort_window", "0"},
    {"load.map", "\"scale\""},
    {"load.trace_end", "9223372036854775807"},
    {"load.loop", "\"think\""},
    {"load.think", "\"0s\""},
    {"load.think_scale", "0.1"},
    {"load.speedup", "1e-06"},
    {"load.limit", "5"},
    {"load.expect", "0"},
    {"load.warm_up", "[5, \"10ps\"]"},
    {"load.synthetic.pattern", "\"sequential\""},
    {"load.synthetic.requests", "3"},
    {"load.synthetic.first", "4"},
    {"load.synthetic.span", "5"},
    {"load.synthetic.blocks", "[8, 16]"},
    {"load.synthetic.write_share", "0.30000000000000004"},
    {"load.synthetic.flush_every", "20"},
    {"load.synthetic.gap", "\"250us\""},
    {"load.synthetic.deadline", "\"10ms..40ms\""},
    {"load.synthetic.best_effort_share", "0.5"},
    {"load.synthetic.streams", "4"},
    {"load.synthetic.priorities", "[1, 2]"},
    {"load.synthetic.seed", "9000000000000000000"},
    {"hosts.number", "7"},
    {"hosts.depth", "1"},
    {"hosts.seed", "0"},
    {"hosts.bus", "\"sync:200:8:wide\""},
    {"hosts.cdb", "6"},
    {"hosts.retry", "\"none\""},
    {"hosts.verify", "true"},
    {"hosts.every.untagged", "1"},
    {"hosts.every.head_of_queue", "2"},
    {"hosts.every.ordered", "3"},
    {"hosts.every.no_disconnect", "4"},
    {"hosts.every.fua", "5"},
    {"hosts.every.dpo", "6"},
    {"hosts.every.verify", "7"},
    {"hosts.every.flush", "8"},
    {"hosts.every.save", "9"},
    {"hosts.every.reassign", "10"},
    {"hosts.every.format", "11"},
    {"hosts.every.abort", "[\"40:0ms..20ms\", \"3\"]"},
    {"hosts.every.clear_queue", "\"100ms\""},
    {"hosts.every.bus_reset", "\"500ms\""},
    {"hosts.every.device_reset", "\"40:5ms\""},
    {"hosts.every.policy", "\"100ms\""},
    {"hosts.every.cache", "\"5\""},
    {"hosts.every.map", "\"6\""},
    {"settings.policy", "[\"fcfs\", \"stf\"]"},
    {"settings.cache", "\"read:segments=4\""},
    {"settings.predictor_margin_us", "0"},
    {"settings.write_threshold", "\"space:3\""},
    {"settings.deadlines", "\"cdl\""},
    {"settings.cdl_policy", "\"abort\""},
    {"settings.qerr", "3"},
    {"settings.reordering", "\"unrestricted\""},
    {"settings.scan_idle_ms", "250"},
    {"settings.streams", "[{ number = 0, u = 0.25, period = \"100ms\" }, { number = 1, k = 2 }]"},
    {"remap.maps", "[\"a.json\", \"b.json\"]"},
    {"remap.use", "[0, 1, 2]"},
    {"remap.share_percent", "99"},
    {"remap.idle_ms", "0"},
    {"remap.settled", "true"},
    {"remap.learn_blocks", "160"},
    {"faults.power_cut", "\"time:2.5ms\""},
    {"faults.power_again", "0"},
    {"faults.power_loss", "\"torn\""},
    {"observe.records", "\"none\""},
    {"observe.events", "true"},
    {"observe.ledger", "true"},
    {"observe.accesses", "true"},
    {"observe.profile", "true"},
    {"observe.timeline", "true"},
    {"observe.post_mortem", "true"},
    {"observe.snapshot_every", "\"0s\""},
    {"observe.snapshots", "2"},
    {"observe.waves.file", "\"a.fst\""},
    {"observe.waves.windows", "[\"time:1ms..2ms\", \"cmd:17\"]"},
    {"observe.waves.on", "\"sense\""},
    {"observe.waves.after", "\"1ps\""},
    {"stop.watchdog", "\"0s\""},
    {"stop.until", "\"1s\""},
    {"stop.fail_on", "[\"sense\", \"not-good=1%\"]"},
    {"stop.allow_empty", "true"},
};

/// The value above as the canonical form has it.
std::string canonical_of(const std::string& path, const std::string& value) {
  Scenario scenario = read(path + " = " + value);
  return find_field(fields_of(scenario), path)->value();
}

TEST(ScenarioText, EachKey_ReadsAsItWasWritten) {
  for (const Field& field : schema_fields().fields) {
    const std::string path = field.path();
    const auto* row = std::find_if(std::begin(kOther), std::end(kOther),
                                   [&](const auto& one) { return path == one.first; });
    ASSERT_NE(row, std::end(kOther)) << path << ": give it a value in this test's table";
    if (*row->second == '\0') continue;
    const Scenario s = read(path + " = " + row->second);
    const std::string text = to_toml(s);
    EXPECT_NE(text, to_toml(read(path.compare(0, 15, "load.synthetic.") == 0 ? "load.synthetic = {}"
                                                                             : "")))
        << path << ": the table has its default";
    EXPECT_EQ(read(text), s) << text;
    EXPECT_EQ(to_toml(read(text)), text);
    const std::string all = to_toml(s, Written::kAll);
    EXPECT_EQ(read(all), s) << all;
    EXPECT_EQ(to_toml(read(all), Written::kAll), all);
    EXPECT_EQ(to_toml(read(all)), text);
  }
}

TEST(ScenarioText, CanonicalValues_AreThoseOfTheTable) {
  for (const auto& [path, value] : kOther) {
    const std::string given = value;
    if (given.empty() || given.find("\\u") != std::string::npos) continue;
    EXPECT_EQ(canonical_of(path, given), given) << path;
  }
}

TEST(ScenarioText, AllKeysTogether_ReadAsTheyWereWritten) {
  std::string text;
  for (const auto& [path, value] : kOther) {
    if (*value != '\0') text += std::string(path) + " = " + value + "\n";
  }
  const Scenario s = read(text);
  EXPECT_EQ(read(to_toml(s)), s);
  EXPECT_EQ(to_toml(read(to_toml(s))), to_toml(s));
}

TEST(ScenarioText, All_HasEachKeyWithADefault) {
  const std::string all = to_toml(Scenario(), Written::kAll);
  for (const char* line :
       {"schema = 1\n", "[drive]\nname = \"cheetah_9lp\"\n", "policy = \"fcfs\"\n",
        "watchdog = \"30s\"\n", "fail_on = []\n", "cdb = 10\n"}) {
    EXPECT_THAT(all, testing::HasSubstr(line));
  }
}

TEST(ScenarioText, EqualValuesWrittenInAnotherWay_AreEqual) {
  EXPECT_EQ(read("settings.policy = [\"stf\"]"), read("[settings]\npolicy = \"stf\""));
  EXPECT_EQ(read("load.think = \"1000us\""), read("load.think = \"1ms\""));
  EXPECT_NE(read("load.think = \"0s\""), Scenario()) << "no think time is not the trace's";
}

}  // namespace
}  // namespace headstack::scenario
