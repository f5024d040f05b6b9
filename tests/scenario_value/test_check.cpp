// SPDX-License-Identifier: Apache-2.0
// Keys that exclude each other, need each other, or have no effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/scenario/load.hpp"
#include "tests/scenario_value/errors.hpp"

namespace headstack::scenario {
namespace {

constexpr const char* kTrace = "load.trace = \"a.trace\"\n";

std::string error_in(const std::string& text, Purpose purpose = Purpose::kRun) {
  return error_of([&] { require_good(load_text(text, "s.toml"), purpose); });
}

struct Case {
  const char* text;   // after the line with the trace
  const char* error;  // "": none
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.text; }

class ScenarioCheck : public testing::TestWithParam<Case> {};

TEST_P(ScenarioCheck, FindingHasFileLineKeyAndRemedy) {
  EXPECT_EQ(error_in(std::string(kTrace) + GetParam().text), GetParam().error);
}

constexpr Case kOfLoads[] = {
    {"", ""},
    {"load.synthetic = {}",
     "s.toml:2: load.synthetic: the requests come from load.trace, too; leave one of them out"},
    {"load.requests = [[\"f\"]]",
     "s.toml:2: load.requests: the requests come from load.trace, too; leave one of them out"},
    {"load.trace_end = 5",
     "s.toml:2: load.trace_end: is for scaled addresses alone; set load.map to scale"},
    {"load.trace_end = 5\nload.map = \"scale\"", ""},
    {"load.loop = \"think\"\nload.speedup = 2",
     "s.toml:3: load.speedup: divides arrival times, and this loop has none; use "
     "load.think_scale"},
    {"load.loop = \"open\"\nload.think = \"1ms\"",
     "s.toml:3: load.think: this loop has no think times; set load.loop to think"},
    {"load.loop = \"closed\"\nload.think_scale = 2",
     "s.toml:3: load.think_scale: this loop has no think times; set load.loop to think"},
    {"load.loop = \"think\"\nload.think = \"1ms\"", ""},
    {"load.think = \"1ms\"", ""},
    {"load.limit = 5\nload.warm_up = 5",
     "s.toml:3: load.warm_up: 5 requests of 5 leave none for records; reduce it, or raise "
     "load.limit"},
    {"load.limit = 5\nload.warm_up = 4", ""},
};
INSTANTIATE_TEST_SUITE_P(Loads, ScenarioCheck, testing::ValuesIn(kOfLoads));

constexpr Case kOfHosts[] = {
    {"hosts = { number = 8, bus = \"fast\" }",
     "s.toml:2: hosts.number: 8 on a narrow bus, which has ids for 7; set hosts.bus to fast-wide"},
    {"hosts = { number = 7, bus = \"fast\" }", ""},
    {"hosts.number = 15", ""},
    {"hosts.every = { untagged = 2, ordered = 4 }",
     "s.toml:2: hosts.every.ordered: hosts.every.untagged selects each 4th request, too, and "
     "counts "
     "first; give a number that is no multiple of 2"},
    {"hosts.every = { untagged = 2, head_of_queue = 3, ordered = 5 }", ""},
    {"hosts.every.policy = \"5\"",
     "s.toml:2: hosts.every.policy: sets the next of several, and settings.policy has one; give "
     "settings.policy a list"},
    {"settings.cache = [\"off\", \"read\"]",
     "s.toml:2: settings.cache: several of them are set in turn; give hosts.every.cache"},
    {"settings.cache = [\"off\", \"read\"]\nhosts.every.cache = \"5\"", ""},
    {"remap.use = [1, 0]",
     "s.toml:2: remap.use: several of them are set in turn; give hosts.every.map"},
};
INSTANTIATE_TEST_SUITE_P(Hosts, ScenarioCheck, testing::ValuesIn(kOfHosts));

constexpr Case kOfSettings[] = {
    {"settings.policy = []", "s.toml:2: settings.policy: the list is empty; name one"},
    {"settings.cache = []", "s.toml:2: settings.cache: the list is empty; give \"off\""},
    {"settings.cdl_policy = \"abort\"",
     "s.toml:2: settings.cdl_policy: there are no duration limits; set settings.deadlines to cdl"},
    {"settings = { cdl_policy = \"abort\", deadlines = \"cdl\" }", ""},
    {"settings.streams = [{ number = 1, u = 0.25 }]",
     "s.toml:2: settings.streams: '1:u=0.250000': u and p go together, as in u=0.25,p=100ms; "
     "change it"},
    {"settings.write_threshold = \"time\"",
     "s.toml:2: settings.write_threshold: is about writes that are reported from the buffer, and "
     "none are; set settings.cache to read-write"},
    {"settings = { write_threshold = \"time\", cache = \"read-write\" }", ""},
    {"remap.maps = [\"a\", \"b\", \"c\"]",
     "s.toml:2: remap.maps: the drive has room for two maps; leave some out"},
    {"remap.idle_ms = 5", "s.toml:2: remap.idle_ms: no block moves; give remap.maps or remap.use"},
    {"remap.settled = true",
     "s.toml:2: remap.settled: no block moves; give remap.maps or remap.use"},
    {"remap = { idle_ms = 5, use = 1 }", ""},
};
INSTANTIATE_TEST_SUITE_P(Settings, ScenarioCheck, testing::ValuesIn(kOfSettings));

constexpr Case kOfPlatforms[] = {
    {"platform = { gating = false, kind = \"vp\" }",
     "s.toml:2: platform.gating: does not work on vp; set platform.kind to rtl"},
    {"platform.gating = false", ""},
    {"platform = \"vp\"\nobserve.waves.file = \"a.fst\"",
     "s.toml:3: observe.waves.file: does not work on vp; set platform.kind to rtl"},
    {"observe.waves.file = \"a.fst\"", ""},
    {"platform.ideal_electronics = true",
     "s.toml:2: platform.ideal_electronics: does not work on vp; set platform.kind to native"},
    {"platform.access_price = 0",
     "s.toml:2: platform.access_price: does not work on vp; set platform.kind to native"},
    {"platform = { kind = \"native\", access_price = 3, ideal_electronics = true }",
     "s.toml:2: platform.access_price: with ideal electronics an access takes no time; leave one "
     "of "
     "them out"},
    {"platform = \"native\"\nobserve.profile = true",
     "s.toml:3: observe.profile: does not work on native; set platform.kind to vp or rtl"},
    {"platform = { kind = \"native\", reference = \"opt-q\" }",
     "s.toml:2: platform.reference: 'opt-q' is not known; did you mean 'opt-t'?"},
    {"platform = { kind = \"native\", reference = \"mine:Policy\" }", ""},
    {"platform = { kind = \"native\", reference = \"opt-t\" }\nsettings.policy = \"stf\"",
     "s.toml:2: platform.reference: chooses in place of a policy; leave settings.policy out"},
};
INSTANTIATE_TEST_SUITE_P(Platforms, ScenarioCheck, testing::ValuesIn(kOfPlatforms));

constexpr Case kOfObservers[] = {
    {"observe.snapshots = 5",
     "s.toml:2: observe.snapshots: there are none; give observe.snapshot_every or "
     "observe.post_mortem"},
    {"observe = { snapshots = 5, snapshot_every = \"1ms\" }", ""},
    {"observe.snapshot_every = \"1ms\"\nobserve.ledger = true",
     "s.toml:3: observe.ledger: does not go with snapshots; leave one of them out"},
    {"observe = { post_mortem = true, waves.file = \"a.fst\" }",
     "s.toml:2: observe.waves.file: a wave file cannot be rewound to a snapshot; leave it or the "
     "snapshots out; a post-mortem has waves of its own"},
    {"observe.snapshot_every = \"1ms\"\ndrive.media = \"m\"",
     "s.toml:3: drive.media: a media file cannot be rewound to a snapshot; leave it, or "
     "observe.snapshot_every and observe.post_mortem out"},
    {"observe.waves.on = \"sense\"",
     "s.toml:2: observe.waves.on: there are no waves; give observe.waves.file"},
    {"observe.waves.after = \"1ms\"",
     "s.toml:2: observe.waves.after: there are no waves; give observe.waves.file"},
    {"observe.records = \"none\"\nstop.fail_on = \"sense\"",
     "s.toml:3: stop.fail_on: judges records, and there are none; set observe.records to summary"},
    {"observe.records = \"summary\"\nstop.fail_on = \"sense\"", ""},
    {"faults.power_again = 5",
     "s.toml:2: faults.power_again: there is no first cut; give faults.power_cut"},
    {"faults.power_loss = \"torn\"",
     "s.toml:2: faults.power_loss: the power is not cut; give faults.power_cut"},
    {"faults = { power_loss = \"torn\", power_cut = \"cmd:5\", power_again = 0 }", ""},
};
INSTANTIATE_TEST_SUITE_P(Observers, ScenarioCheck, testing::ValuesIn(kOfObservers));

TEST(ScenarioSources, NoRequests_AreAnError) {
  EXPECT_EQ(error_in(""),
            "s.toml: load: there are no requests; give load.trace, load.synthetic or "
            "load.requests");
  EXPECT_EQ(error_of([] { require_good(load_settings({"depth=3"})); }),
            "(command line): load: there are no requests; give load.trace, load.synthetic or "
            "load.requests");
}

TEST(ScenarioSources, HowATraceIsRead_GoesWithATrace) {
  EXPECT_EQ(error_in("load = { synthetic = {}, on_bad = \"skip\" }"),
            "s.toml:1: load.on_bad: says how a trace is read, and there is none; leave it out");
}

TEST(ScenarioSources, RowsOfRequests_ArriveInOrderOrNotAtAll) {
  EXPECT_EQ(error_in("load.requests = [[\"r\", 0, 1, \"2ms\"], [\"r\", 0, 1, \"1ms\"]]"),
            "s.toml:1: load.requests: arrivals are out of order; sort the rows");
  EXPECT_EQ(error_in("load.requests = [[\"r\", 0, 1, \"2ms\"], [\"r\", 0, 1]]"),
            "s.toml:1: load.requests: some rows have an arrival, and others have none; give it in "
            "all of them, or in none");
  EXPECT_EQ(error_in("load.requests = [[\"r\", 0, 1, \"1ms\"], [\"f\", 0, 0, \"1ms\"]]"), "");
}

TEST(ScenarioSources, SyntheticLoads_HaveDeadlinesForStreams) {
  const std::pair<const char*, const char*> wrong[] = {
      {"{ span = 8, blocks = 9 }",
       "blocks: a request is larger than the span; raise load.synthetic.span"},
      {"{ blocks = [] }", "blocks: the list is empty; give a length, such as 8"},
      {"{ streams = 2 }", "streams: streams need deadlines; give load.synthetic.deadline"},
      {"{ priorities = [1], deadline = \"1ms..2ms\" }",
       "priorities: priorities need streams; give load.synthetic.streams"},
      {"{ best_effort_share = 0.5 }",
       "best_effort_share: no request has a deadline; give load.synthetic.deadline"},
  };
  for (const auto& [table, error] : wrong) {
    EXPECT_EQ(error_in(std::string("load.synthetic = ") + table),
              std::string("s.toml:1: load.synthetic.") + error);
  }
  EXPECT_EQ(error_in("load.synthetic = { span = 8, streams = 2, deadline = \"1ms..2ms\" }"), "");
}

TEST(ScenarioPurpose, Torture_CutsAtEveryWriteOfItsOwnMedia) {
  const std::string trace = kTrace;
  EXPECT_EQ(error_in(trace + "faults.power_loss = \"torn\"", Purpose::kTorture), "");
  EXPECT_EQ(error_in(trace + "faults.power_cut = \"cmd:1\"", Purpose::kTorture),
            "s.toml:2: faults.power_cut: torture cuts at every write; leave it out");
  EXPECT_EQ(error_in(trace + "drive.media = \"m\"", Purpose::kTorture),
            "s.toml:2: drive.media: torture works on copies of media in memory; leave it out");
  EXPECT_EQ(error_in(trace + "observe.snapshot_every = \"1ms\"", Purpose::kTorture),
            "s.toml:2: observe.snapshot_every: torture has no snapshots; leave it out");
}

TEST(ScenarioPurpose, Debugger_HasSnapshotsAndACore) {
  const std::string trace = kTrace;
  EXPECT_EQ(error_in(trace + "observe.snapshots = 5", Purpose::kDebug), "");
  EXPECT_EQ(error_in(trace + "platform = \"native\"", Purpose::kDebug),
            "s.toml:2: platform.kind: the debugger does not work on native; set it to vp or rtl");
  EXPECT_EQ(error_in("load.trace = \"-\"", Purpose::kDebug),
            "s.toml:1: load.trace: standard input cannot be rewound to a snapshot; name a file");
}

}  // namespace
}  // namespace headstack::scenario
