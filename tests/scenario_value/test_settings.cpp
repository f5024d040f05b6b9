// SPDX-License-Identifier: Apache-2.0
// KEY=VALUE, laid over a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/scenario/load.hpp"
#include "tests/scenario_value/errors.hpp"

namespace headstack::scenario {
namespace {

using testing::ElementsAre;
using Settings = std::vector<std::string>;

Scenario with(const Settings& settings) { return load_settings(settings).scenario; }

TEST(ScenarioSetting, PathOrShortName_SetsTheKey) {
  EXPECT_EQ(with({"hosts.depth=64"}).hosts.depth, 64U);
  EXPECT_EQ(with({"depth=64"}).hosts.depth, 64U);
  EXPECT_EQ(with({"drive=eagle", "platform=rtl"}), with({"drive.name=eagle", "platform.kind=rtl"}));
  EXPECT_EQ(with({"hosts=3"}).hosts.number, 3U);
}

TEST(ScenarioSetting, EachShortName_NamesAKey) {
  const std::pair<const char*, const char*> names[] = {
      {"drive=x", "drive.name=x"},
      {"trace=x", "load.trace=x"},
      {"policy=stf", "settings.policy=stf"},
      {"depth=3", "hosts.depth=3"},
      {"cache=read", "settings.cache=read"},
      {"platform=rtl", "platform.kind=rtl"},
      {"firmware=x", "platform.firmware=x"},
      {"deadlines=cdl", "settings.deadlines=cdl"},
      {"limit=3", "load.limit=3"},
      {"seed=3", "hosts.seed=3"},
      {"hosts=3", "hosts.number=3"},
      {"verify=true", "hosts.verify=true"},
      {"wave=x.fst", "observe.waves.file=x.fst"},
      {"loop=open", "load.loop=open"},
  };
  for (const auto& [name, path] : names) {
    EXPECT_EQ(with({name}), with({path})) << name;
    EXPECT_NE(with({name}), Scenario()) << name;
  }
}

TEST(ScenarioSetting, Value_IsTomlOrElseAText) {
  EXPECT_THAT(with({R"(policy=["fcfs","sstf"])"}).settings.policy, ElementsAre("fcfs", "sstf"));
  EXPECT_THAT(with({"policy=gstf:group=210,frozen"}).settings.policy,
              ElementsAre("gstf:group=210,frozen"));
  EXPECT_THAT(with({"policy=\"stf\""}).settings.policy, ElementsAre("stf"));
  EXPECT_EQ(with({"load.think=5ms"}).load.think, 5 * kPicosecondsPerMillisecond);
  EXPECT_EQ(with({"load.warm_up=10s"}).load.warm_up.time, 10 * kPicosecondsPerSecond);
  EXPECT_EQ(with({"load.warm_up=10"}).load.warm_up.requests, 10U);
  EXPECT_EQ(with({"load.speedup=2.5"}).load.speedup, 2.5);
  EXPECT_EQ(with({"hosts.cdb=16"}).hosts.cdb, Cdb::k16);
}

TEST(ScenarioSetting, TextKeys_KeepWhatLooksLikeToml) {
  EXPECT_EQ(with({"title=true"}).title, "true");
  EXPECT_EQ(with({"title=1979-05-27"}).title, "1979-05-27");
  EXPECT_EQ(with({"title=a=b"}).title, "a=b");
  EXPECT_EQ(with({"trace=7"}).load.trace, "7");
}

TEST(ScenarioSetting, ValueWithALineBreak_SetsNoOtherKey) {
  EXPECT_EQ(error_of([] { with({"depth=1\nhosts.number=2"}); }),
            "(command line): hosts.depth: '1\nhosts.number=2' is no whole number; give 1 .. 5120 "
            "commands");
}

TEST(ScenarioSetting, LaterOne_WinsOverAnEarlierOneAndOverTheFile) {
  const Scenario s =
      load_text("hosts.depth = 2\nhosts.number = 2", "s.toml", {"depth=3", "depth=4"}).scenario;
  EXPECT_EQ(s.hosts.depth, 4U);
  EXPECT_EQ(s.hosts.number, 2U);
}

TEST(ScenarioSetting, WithoutAValue_TheKeyHasItsDefault) {
  const char* text = "hosts.depth = 2\nload.synthetic.seed = 3\ndrive.specimen.flaw_seed = 7";
  const Scenario s =
      load_text(text, "s.toml", {"depth=", "load.synthetic=", "drive.specimen="}).scenario;
  EXPECT_EQ(s, Scenario());
}

TEST(ScenarioSetting, TablesAndTheirKeys_CanBeSet) {
  const Scenario s =
      with({"load.synthetic={pattern=\"zipf\",requests=7}", "load.synthetic.seed=3"});
  ASSERT_TRUE(s.load.synthetic);
  EXPECT_EQ(s.load.synthetic->pattern, Pattern::kZipf);
  EXPECT_EQ(s.load.synthetic->requests, 7U);
  EXPECT_EQ(s.load.synthetic->seed, 3U);
  EXPECT_EQ(with({"drive.specimen.flaw_seed=7"}).drive.specimen.toml, "{ flaw_seed = 7 }");
  EXPECT_EQ(with({"settings.streams=[{number=3,w=2}]"}).settings.streams.size(), 1U);
}

TEST(ScenarioSetting, OtherSourceOfRequests_ReplacesTheFiles) {
  const Scenario s = load_text("load.synthetic.seed = 3", "s.toml", {"trace=a"}).scenario;
  EXPECT_FALSE(s.load.synthetic);
  EXPECT_EQ(s.load.trace, "a");
}

TEST(ScenarioSetting, Errors_NameTheCommandLineOrTheFile) {
  const std::pair<Settings, const char*> wrong[] = {
      {{"depth"}, "(command line): 'depth' is no setting; write KEY=VALUE"},
      {{"=3"}, "(command line): '=3' is no setting; write KEY=VALUE"},
      {{"dept=3"}, "(command line): dept: unknown key; did you mean 'depth'?"},
      {{"hosts.verfy=true"},
       "(command line): hosts.verfy: unknown key; did you mean 'hosts.verify'?"},
      {{"queue_depth=3"}, "(command line): queue_depth: unknown key; did you mean 'hosts.depth'?"},
      {{"xyzzyxyzzy=3"}, "(command line): xyzzyxyzzy: unknown key; `run --keys` lists all keys"},
      {{"platform=vpp"}, "(command line): platform.kind: 'vpp' is not known; did you mean 'vp'?"},
      {{"depth=0"}, "(command line): hosts.depth: 0 is out of range; give 1 .. 5120 commands"},
      {{"drive.specimen.flaw_sed=7"},
       "(command line): drive.specimen.flaw_sed: unknown key; did you mean 'flaw_seed'?"},
      {{"hosts.every=3"},
       "(command line): hosts.every: '3' is no table; write its keys under [hosts.every]"},
  };
  for (const auto& [settings, error] : wrong) {
    const Settings& given = settings;
    EXPECT_EQ(error_of([&] { with(given); }), error);
  }
  // The file's own error is still the file's.
  EXPECT_EQ(error_of([] { load_text("hosts.seed = -1", "s.toml", {"depth=3"}); }),
            "s.toml:1: hosts.seed: -1 is out of range; give 0 .. 9000000000000000000");
}

}  // namespace
}  // namespace headstack::scenario
