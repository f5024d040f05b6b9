// SPDX-License-Identifier: Apache-2.0
// Files of scenarios: values, paths, what they extend, and the errors of wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/scenario/load.hpp"
#include "tests/scenario_value/errors.hpp"

namespace headstack::scenario {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr Picoseconds kMs = kPicosecondsPerMillisecond;

Scenario read(const std::string& text) { return load_text(text, "s.toml").scenario; }

TEST(ScenarioFile, EmptyFile_HasTheDefaults) {
  EXPECT_EQ(read(""), Scenario());
  EXPECT_EQ(read("").drive.name, "cheetah_9lp");
  EXPECT_EQ(platform_of(read("")), Platform::kVp);
}

TEST(ScenarioFile, ValuesOfEachKind_AreRead) {
  const Scenario s = read(R"(
drive.name = "eagle"
platform = "rtl"
load.synthetic = { pattern = "zipf", requests = 4000, write_share = 0.3, gap = "250us" }
hosts = { depth = 16, verify = true, every.abort = "40:0ms..20ms", cdb = 16 }
settings.policy = "gstf:group=210,frozen"
settings.streams = [{ number = 3, u = 0.25, period = "100ms" }, { number = 4, w = 2 }]
observe.waves.windows = ["time:1ms..2ms", "cmd:17"]
stop.fail_on = ["not-good", "missed-revolution=1%"]
)");
  EXPECT_EQ(s.drive.name, "eagle");
  EXPECT_EQ(s.platform.kind, Platform::kRtl);
  ASSERT_TRUE(s.load.synthetic);
  EXPECT_EQ(s.load.synthetic->pattern, Pattern::kZipf);
  EXPECT_EQ(s.load.synthetic->requests, 4000U);
  EXPECT_EQ(s.load.synthetic->write_share, 0.3);
  EXPECT_EQ(s.load.synthetic->gap, 250 * kPicosecondsPerMicrosecond);
  EXPECT_EQ(s.hosts.depth, 16U);
  EXPECT_TRUE(s.hosts.verify);
  EXPECT_THAT(s.hosts.every.abort, ElementsAre("40:0ms..20ms"));
  EXPECT_EQ(s.hosts.cdb, Cdb::k16);
  EXPECT_THAT(s.settings.policy, ElementsAre("gstf:group=210,frozen"));
  ASSERT_EQ(s.settings.streams.size(), 2U);
  EXPECT_EQ(stream_word(s.settings.streams[0]), "3:u=0.250000,p=100ms");
  EXPECT_EQ(stream_word(s.settings.streams[1]), "4:w=2");
  EXPECT_THAT(s.observe.waves.windows, ElementsAre("time:1ms..2ms", "cmd:17"));
  EXPECT_THAT(s.stop.fail_on, ElementsAre("not-good", "missed-revolution=1%"));
}

TEST(ScenarioFile, Times_AreExactToThePicosecond) {
  EXPECT_EQ(read("load.think = \"12.5ms\"").load.think, 12 * kMs + kMs / 2);
  EXPECT_EQ(read("load.think = \"0.000000001ms\"").load.think, 1);
  EXPECT_EQ(read("stop.watchdog = \"0s\"").stop.watchdog, 0);
}

TEST(ScenarioFile, SeedsAboveADoublesPrecision_AreExact) {
  EXPECT_EQ(read("hosts.seed = 9007199254740993").hosts.seed, 9007199254740993U);
  EXPECT_EQ(read("hosts.seed = 9000000000000000000").hosts.seed, 9000000000000000000U);
}

TEST(ScenarioFile, WarmUp_IsANumberATimeOrBoth) {
  EXPECT_EQ(read("load.warm_up = 50").load.warm_up.requests, 50U);
  EXPECT_EQ(read("load.warm_up = \"10s\"").load.warm_up.time, 10 * kPicosecondsPerSecond);
  const WarmUp both = read("load.warm_up = [50, \"1ms\"]").load.warm_up;
  EXPECT_EQ(both.requests, 50U);
  EXPECT_EQ(both.time, kMs);
}

TEST(ScenarioFile, RequestsInRows_HaveOperationPlaceAndArrival) {
  const auto requests =
      read(R"(load.requests = [["r", 1000, 8], ["w", 5, 1, "1.5ms"], ["f"], ["v", 0, 2]])")
          .load.requests;
  using Operation = traces::Operation;
  EXPECT_THAT(requests, ElementsAre(InlineRequest{Operation::kRead, 1000, 8, {}},
                                    InlineRequest{Operation::kWrite, 5, 1, kMs + kMs / 2},
                                    InlineRequest{Operation::kFlush, 0, 0, {}},
                                    InlineRequest{Operation::kVerify, 0, 2, {}}));
}

TEST(ScenarioFile, TextForDriveOrPlatform_IsNameOrKind) {
  EXPECT_EQ(read("drive = \"eagle\"\nplatform = \"native\""),
            read("[drive]\nname = \"eagle\"\n[platform]\nkind = \"native\""));
}

TEST(ScenarioFile, WavesWithoutAPlatform_RunOnRtl) {
  EXPECT_EQ(platform_of(read("observe.waves.file = \"a.fst\"")), Platform::kRtl);
  EXPECT_EQ(platform_of(read("observe.post_mortem = true")), Platform::kRtl);
  EXPECT_EQ(platform_of(read("observe.timeline = true")), Platform::kVp);
}

TEST(ScenarioFile, KeysForRegress_ArePassedOver) {
  EXPECT_EQ(read("[[expect]]\nkind = \"times\"\n[regress]\ncost_s = 2"), Scenario());
}

TEST(ScenarioFile, KeysOfADrive_AreCheckedByItsSchema) {
  const Scenario s =
      read("drive.specimen = { flaw_seed = 7, flaws = [{ kind = \"unreadable\", lba = 5 }] }");
  EXPECT_EQ(s.drive.specimen.toml,
            "{ flaw_seed = 7, flaws = [{ kind = \"unreadable\", lba = 5 }] }");
  EXPECT_EQ(read("drive.design.seek.settle_ms = 1").drive.design.toml,
            "{ seek = { settle_ms = 1 } }");
}

struct Wrong {
  const char* text;
  const char* error;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.text; }

class WrongScenario : public testing::TestWithParam<Wrong> {};

TEST_P(WrongScenario, ErrorHasFileLineKeyAndRemedy) {
  EXPECT_EQ(error_of([] { load_text(GetParam().text, "s.toml"); }), GetParam().error);
}

constexpr Wrong kUnknownKeys[] = {
    {"[hosts]\nverfy = true", "s.toml:2: hosts.verfy: unknown key; did you mean 'verify'?"},
    {"host.depth = 3", "s.toml:1: host: unknown key; did you mean 'hosts'?"},
    {"depth = 3", "s.toml:1: depth: unknown key; did you mean 'hosts.depth'?"},
    {"hosts.policy = \"stf\"",
     "s.toml:1: hosts.policy: unknown key; did you mean 'settings.policy'?"},
    {"hosts.queue_depth = 3",
     "s.toml:1: hosts.queue_depth: unknown key; did you mean 'hosts.depth'?"},
    {"load.warm_up_time = \"1s\"",
     "s.toml:1: load.warm_up_time: unknown key; did you mean 'load.warm_up'?"},
    {"\n\n[[settings.streams]]\nnumber = 1\nperoid = \"1ms\"",
     "s.toml:5: settings.streams[0].peroid: unknown key; did you mean 'period'?"},
    {"[drive.specimen]\nflaw_sed = 7",
     "s.toml:2: drive.specimen.flaw_sed: unknown key; did you mean 'flaw_seed'?"},
};
INSTANTIATE_TEST_SUITE_P(UnknownKeys, WrongScenario, testing::ValuesIn(kUnknownKeys));

constexpr Wrong kWrongValues[] = {
    {"[hosts]\ndepth = 0", "s.toml:2: hosts.depth: 0 is out of range; give 1 .. 5120 commands"},
    {"hosts.depth = 5121", "s.toml:1: hosts.depth: 5121 is out of range; give 1 .. 5120 commands"},
    {"hosts.depth = 1.5",
     "s.toml:1: hosts.depth: '1.5' is no whole number; give 1 .. 5120 commands"},
    {"hosts.depth = \"8\"",
     "s.toml:1: hosts.depth: '8' is no whole number; give 1 .. 5120 commands"},
    {"hosts = 3", "s.toml:1: hosts: '3' is no table; write its keys under [hosts]"},
    {"hosts.verify = 1", "s.toml:1: hosts.verify: '1' is no boolean; write true or false"},
    {"load.speedup = 0", "s.toml:1: load.speedup: 0 is out of range; give 1e-06 .. 1000000"},
    {"load.speedup = nan", "s.toml:1: load.speedup: nan is out of range; give 1e-06 .. 1000000"},
    {"load.think_scale = true",
     "s.toml:1: load.think_scale: 'true' is no number; give 0 .. 1000000"},
    {"load.think = \"5\"", "s.toml:1: load.think: '5' is no time; write it as in \"12.5ms\""},
    {"load.think = 5", "s.toml:1: load.think: '5' is no time; write it as in \"12.5ms\""},
    {"\n[[settings.streams]]\nnumber = 1\nperiod = \"100\"",
     "s.toml:4: settings.streams[0].period: '100' is no time; write it as in \"12.5ms\""},
    {"observe.snapshot_every = \"1001s\"",
     "s.toml:1: observe.snapshot_every: '1001s' is out of range; give 0s .. 1000s"},
    {"platform.kind = \"vpp\"", "s.toml:1: platform.kind: 'vpp' is not known; did you mean 'vp'?"},
    {"settings.qerr = 2", "s.toml:1: settings.qerr: '2' is not known; did you mean '0'?"},
    {"title = 3", "s.toml:1: title: '3' is no text; write it in quotes"},
    {"settings.policy = [\"stf\",\n  \"stff\"]",
     "s.toml:2: settings.policy[1]: unknown policy 'stff'; did you mean 'stf'?"},
    {"hosts.bus = \"fsat\"", "s.toml:1: hosts.bus: unknown bus 'fsat'; did you mean 'fast'?"},
    {"hosts.bus = \"\"",
     "s.toml:1: hosts.bus: the text is empty; leave the key out for its default"},
    {"hosts.every.policy = \"5:1ms\"",
     "s.toml:1: hosts.every.policy: '5:1ms': say a number of requests or a time: 500 or 100ms; "
     "write it as in \"100ms\""},
    {"load.format = \"blktrac\"",
     "s.toml:1: load.format: there is no format 'blktrac'; did you mean 'blktrace'?"},
    {"observe.waves.file = \"run.vcd\"",
     "s.toml:1: observe.waves.file: 'run.vcd' does not end in .fst; add it"},
    {"load.trace = \"\"",
     "s.toml:1: load.trace: the path is empty; leave the key out for its default"},
    {"load.warm_up = [5, 6]",
     "s.toml:1: load.warm_up[1]: a second one of its kind; give one number and one time at most"},
    {"load.warm_up = true",
     "s.toml:1: load.warm_up: neither a number nor a time; write 50, or \"10s\""},
    {"load.requests = [\n  [\"r\", 5]]",
     "s.toml:2: load.requests[0]: the row has 2 values; write [\"r\", LBA, BLOCKS], and the "
     "arrival "
     "behind it if there is one: \"1ms\""},
    {"load.requests = [[\"r\", 5, 0]]",
     "s.toml:1: load.requests[0][2]: 0 is out of range; give 1 .. 16777215 blocks"},
    {"load.requests = 5", "s.toml:1: load.requests: '5' is no list; write [ ... ]"},
    {"drive.specimen.flaw_seed = -1",
     "s.toml:1: drive.specimen.flaw_seed: -1 is out of range; give 0 .. 9000000000000000 "},
    {"schema = 2\nunknown = 1",
     "s.toml:1: schema: 2, but this version of headstack knows 1 alone; use a newer version"},
    {"schema = 0", "s.toml:1: schema: 0 is out of range; give 1 .. 1"},
};
INSTANTIATE_TEST_SUITE_P(WrongValues, WrongScenario, testing::ValuesIn(kWrongValues));

TEST(ScenarioFile, BrokenToml_NamesTheLine) {
  EXPECT_THAT(error_of([] { load_text("\nhosts = {", "s.toml"); }),
              testing::StartsWith("s.toml:2: not valid TOML: "));
  EXPECT_EQ(error_of([] { load_text("a" + std::string(101, '.') + "b = 1", "s.toml"); }),
            "s.toml:1: a key of more than 100 parts; correct the line");
}

class ScenarioFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("scenario-") + test->name());
    fs::create_directories(folder_ / "below");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(ScenarioFolder, Paths_AreRelativeToTheFileThatNamesThem) {
  const std::string file = write("below/s.toml", R"(
drive.name = "../my.toml"
load.trace = "a.trace"
remap.maps = ["../one.json", "/absolute/two.json"]
)");
  const Scenario s = load(file).scenario;
  EXPECT_EQ(s.drive.name, path("my.toml"));
  EXPECT_EQ(s.load.trace, path("below/a.trace"));
  EXPECT_THAT(s.remap.maps, ElementsAre(path("one.json"), "/absolute/two.json"));
  // A name from sim/drives and standard input are no paths; a setting's are those of the user.
  EXPECT_EQ(load(write("names.toml", "drive = \"eagle\"\nload.trace = \"-\"")).scenario.drive.name,
            "eagle");
  EXPECT_EQ(load(path("names.toml")).scenario.load.trace, "-");
  EXPECT_EQ(load(file, {"trace=b.trace"}).scenario.load.trace, "b.trace");
}

TEST_F(ScenarioFolder, Extends_GivesTheDifferencesToAnotherFile) {
  write("base.toml", R"(
title = "base"
drive = "eagle"
load.trace = "base.trace"
hosts = { depth = 8, verify = true, every.fua = 3 }
settings.policy = ["fcfs", "stf"]
)");
  const Scenario s = load(write("below/s.toml", R"(
extends = "../base.toml"
drive.media = "m.img"
hosts.depth = 16
hosts.every.dpo = 2
settings.policy = "stf"
)"))
                         .scenario;
  EXPECT_EQ(s.title, "base");
  EXPECT_EQ(s.drive.name, "eagle");
  EXPECT_EQ(s.drive.media, path("below/m.img"));
  EXPECT_EQ(s.load.trace, path("base.trace"));
  EXPECT_EQ(s.hosts.depth, 16U);
  EXPECT_TRUE(s.hosts.verify);
  EXPECT_EQ(s.hosts.every.fua, 3U);
  EXPECT_EQ(s.hosts.every.dpo, 2U);
  EXPECT_THAT(s.settings.policy, ElementsAre("stf")) << "a list is replaced as a whole";
}

TEST_F(ScenarioFolder, SourceOfRequests_TakesThePlaceOfTheBasesSource) {
  write("base.toml", "load.synthetic = { requests = 5, seed = 2 }");
  const Scenario trace =
      load(write("trace.toml", "extends = \"base.toml\"\nload.trace = \"a\"")).scenario;
  EXPECT_FALSE(trace.load.synthetic);
  const Scenario other =
      load(write("other.toml", "extends = \"base.toml\"\nload.synthetic.seed = 3")).scenario;
  ASSERT_TRUE(other.load.synthetic);
  EXPECT_EQ(other.load.synthetic->requests, 5U);
  EXPECT_EQ(other.load.synthetic->seed, 3U);
}

TEST_F(ScenarioFolder, ErrorInWhatIsExtended_NamesThatFileAndLine) {
  const std::string base = write("base.toml", "\n\nhosts.depth = 0");
  const std::string file = write("s.toml", "extends = \"base.toml\"\nhosts.number = 2");
  EXPECT_EQ(error_of([&] { load(file); }),
            base + ":3: hosts.depth: 0 is out of range; give 1 .. 5120 commands");
}

TEST_F(ScenarioFolder, ExtendedFileThatExtends_IsRefused) {
  write("first.toml", "");
  const std::string second = write("second.toml", "extends = \"first.toml\"");
  const std::string third = write("third.toml", "\nextends = \"second.toml\"");
  EXPECT_EQ(error_of([&] { load(third); }),
            third + ":2: extends: " + second +
                " extends another file itself; give what differs from that file");
}

TEST_F(ScenarioFolder, ExtendedFileThatIsMissing_IsNamedWithTheLine) {
  const std::string file = write("s.toml", "\nextends = \"none.toml\"");
  EXPECT_EQ(error_of([&] { load(file); }),
            file + ":2: extends: " + path("none.toml") +
                ": cannot be read; check that the file exists and is not empty");
  const std::string number = write("n.toml", "extends = 3");
  EXPECT_EQ(error_of([&] { load(number); }),
            number + ":1: extends: not a text; name a scenario's file");
}

TEST_F(ScenarioFolder, MissingFile_IsNamed) {
  EXPECT_EQ(error_of([&] { load(path("none.toml")); }),
            path("none.toml") + ": cannot be read; check that the file exists and is not empty");
}

}  // namespace
}  // namespace headstack::scenario
