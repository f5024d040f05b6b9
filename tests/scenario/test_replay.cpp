// SPDX-License-Identifier: Apache-2.0
// A whole replay: every byte is right, every record sums up, and repetitions have the same bits.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Replay : public ReplayFixture {};

const DriveLoad kLoads[] = {
    {"Fcfs_Depth1_Async", "hp_c3323a", 2'056'008, "--policy fcfs --depth 1 hosts.bus=async"},
    {"Fcfs_Depth16_Fast", "hp_c3323a", 2'056'008, "--policy fcfs --depth 16 hosts.bus=fast"},
    {"Sstf_Depth16_Wide", "cheetah_9lp", 17'918'387, "--policy sstf --depth 16"},
    {"Stf_Depth64_Wide", "cheetah_9lp", 17'918'387, "--policy stf --depth 64"},
    {"ScanEdge_Depth16", "hp_c3323a", 2'056'008, "--policy scan:edge --depth 16"},
    {"GstfFrozen_Depth32", "hp_c3323a", 2'056'008, "--policy gstf:group=300,frozen --depth 32"},
    {"Wstf_Depth32", "cheetah_9lp", 17'918'387, "--policy wstf:m=0.1 --depth 32"},
};

class ReplayOf : public Replay, public testing::WithParamInterface<DriveLoad> {};

// The reference is the host's own map of what it wrote: every byte read must be the newest version.
TEST_P(ReplayOf, EveryByteReadIsTheNewestWritten) {
  constexpr int kRequests = 80;
  write_trace(77, kRequests, GetParam().blocks, 400);
  ASSERT_EQ(
      run(std::string("--verify --drive ") + GetParam().drive + " " + GetParam().arguments, "out"),
      0)
      << errors();
  const Json result = summary("out");
  expect_sound(result, kRequests);
  EXPECT_GT(result["verified_blocks"], 100);
}

INSTANTIATE_TEST_SUITE_P(Scenario, ReplayOf, testing::ValuesIn(kLoads), test::case_name<DriveLoad>);

// Determinism: the event log (edge, number, argument of every firmware event) and the records.
TEST_F(Replay, WithAndWithoutClockGating_AndTwice_TheSameBits) {
  write_trace(5, 12, 2'056'008, 300);
  const std::string arguments = "--drive hp_c3323a --policy stf --depth 8 ";
  ASSERT_EQ(run(arguments, "once"), 0) << errors();
  ASSERT_EQ(run(arguments, "again"), 0) << errors();
  ASSERT_EQ(run(arguments + "platform.gating=false", "ungated"), 0) << errors();
  const Json once = summary("once");
  for (const char* other : {"again", "ungated"}) {
    EXPECT_EQ(summary(other)["event_hash"], once["event_hash"]) << other;
    EXPECT_EQ(summary(other)["firmware_cycles"], once["firmware_cycles"]) << other;
    EXPECT_EQ(slurp(file(other) + "/records.csv"), slurp(file("once") + "/records.csv")) << other;
  }
  EXPECT_LT(once["clock_on_share"], 0.9) << "gating saves something";
}

// Observers have no effect: the build with assertions and waves gives the same bits.
TEST_F(Replay, WithWaves_TheSameBits) {
  write_trace(6, 3, 2'056'008, 300);
  const std::string arguments = "--drive hp_c3323a --policy stf --depth 3 ";
  ASSERT_EQ(run(arguments, "plain"), 0) << errors();
  ASSERT_EQ(run(arguments + "--wave '" + file("run.fst") + "'", "waves"), 0) << errors();
  EXPECT_EQ(summary("waves")["event_hash"], summary("plain")["event_hash"]);
  EXPECT_EQ(slurp(file("waves") + "/records.csv"), slurp(file("plain") + "/records.csv"));
  EXPECT_GT(std::filesystem::file_size(file("run.fst")), 1'000'000U) << "the waves are there";
}

TEST_F(Replay, Interrupted_KeepsItsResultsSoFar) {
  constexpr int kRequests = 100'000;  // far more than are served before the interrupt
  write_trace(7, kRequests, 2'056'008, 300);
  const std::string records = file("out") + "/records.csv";
  const auto lines = [&records] {
    const std::string text = slurp(records);
    return std::count(text.begin(), text.end(), '\n');
  };
  const ::pid_t child = start("--drive hp_c3323a --depth 8", "out");
  while (lines() < 2 && ::waitpid(child, nullptr, WNOHANG) == 0) ::usleep(10'000);
  ASSERT_EQ(::kill(child, SIGINT), 0) << errors();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 130) << "128 + SIGINT, as shells have it";
  const Json result = summary("out");
  EXPECT_EQ(result["interrupted"], true);
  EXPECT_LT(result["result"]["commands"], kRequests);
  EXPECT_EQ(result["result"]["record_faults"], 0);
  EXPECT_EQ(lines(), 1 + result["result"]["commands"].get<int>())
      << "one a command, and the header";
}

TEST_F(Replay, BlockPastTheEnd_NamesTheLineOfTheTrace) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n0 R 1 1 -\n"
                                  "1 R 2056008 1 -\n";
  EXPECT_EQ(run("--drive hp_c3323a", "out"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("trace:5: lba"), HasSubstr("2056008")));
}

TEST_F(Replay, TruncatedTrace_IsAnError) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n0 R 1 1 -\n1 R 2";
  EXPECT_EQ(run("--drive hp_c3323a", "out"), 1);
  EXPECT_THAT(errors(), HasSubstr("truncated"));
  EXPECT_EQ(summary("out")["result"]["commands"], 1) << "the request before it was served";
  EXPECT_THAT(summary("out")["failure"].get<std::string>(), HasSubstr("truncated"));
}

TEST_F(Replay, UnknownPolicy_SuggestsTheNearest) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n";
  EXPECT_EQ(run("--drive hp_c3323a --policy sttf", "out"), 2);
  EXPECT_THAT(errors(), HasSubstr("did you mean"));
  EXPECT_EQ(run("--drive hp_c3323a --policy gstf:group=0", "out"), 2);
  EXPECT_THAT(errors(), AllOf(HasSubstr("group=0"), HasSubstr("1 to 65535 cylinders")));
}

TEST_F(Replay, DriveThatTheElectronicsCannotServe_IsAnError) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n0 R 0 8 -\n";
  for (const std::string platform : {"rtl", "vp"}) {
    EXPECT_EQ(run("--drive abstract_1000_track --platform " + platform, platform), 1);
    EXPECT_THAT(errors(),
                AllOf(HasSubstr("design.rotational_latency"), HasSubstr("--platform native")));
  }
  EXPECT_EQ(run("--drive abstract_1000_track --platform native", "out"), 0) << errors();
  EXPECT_EQ(summary("out")["result"]["commands"], 1);
}

// 7200 rpm, 840 sectors of 560 bytes: 17.7 ns a byte.
TEST_F(Replay, DriveThatIsTooFastForTheElectronics_IsAnErrorOnThem_AndAWarningOnVp) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n0 R 0 8 -\n";
  const std::string drive =
      "--drive '" + (test::source_dir() / "host/experiment/drives/gscan.toml").string() + "'";
  EXPECT_EQ(run(drive + " --platform rtl", "rtl"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("error"), HasSubstr("17.7 ns"), HasSubstr("use vp")));
  EXPECT_EQ(run(drive + " --platform vp", "vp"), 0) << errors();
  EXPECT_THAT(errors(), AllOf(HasSubstr("warning"), HasSubstr("17.7 ns")));
  EXPECT_EQ(summary("vp")["result"]["commands"], 1);
}

// The pre-seeking sweep (Table I): rounds of SCAN, and the drive reads ahead in the time that is
// left. Ten periodic streams read on where they were. A cached block costs neither seek nor turn.
// If more than half of the reads find theirs, more than half of the time is saved.
TEST_F(Replay, PreSeekingSweep_IsRoundsOfScanWithReadAhead) {
  constexpr int kStreams = 10;
  std::ofstream out(file("trace"));
  out << "headstack-trace 4\ntime-unit ms\nloop open\n"
         "columns time operation lba blocks deadline class stream priority\nrequests\n";
  for (int i = 0; i < 100 * kStreams; ++i) {
    out << 15 * i << " R " << i % kStreams * 1'000'000 + i / kStreams * 32 << " 32 150 real-time "
        << i % kStreams << " 0\n";
  }
  out.close();
  const std::string load =
      "--drive cheetah_9lp --platform vp --deadlines message --policy wrrscan ";
  ASSERT_EQ(run(load, "off"), 0) << errors();
  ASSERT_EQ(run(load + "--cache read:segments=10", "ahead"), 0) << errors();
  const auto mean = [this](const char* name) -> double {
    return summary(name)["result"]["response_ps"]["mean"];
  };
  EXPECT_LT(mean("ahead"), mean("off") / 2);
  EXPECT_EQ(summary("ahead")["result"]["deadlines"]["missed"], 0);
}

}  // namespace
}  // namespace headstack::scenario
