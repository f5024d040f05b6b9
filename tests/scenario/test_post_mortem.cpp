// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves after a failure of the drive.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/soc/soc_ports.hpp"
#include "tests/paths.hpp"
#include "tests/scenario/patched_program.hpp"
#include "tests/scenario/replay_fixture.hpp"
#include "tests/wave/fst_file.hpp"

namespace headstack::scenario {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class PostMortem : public ReplayFixture {
 protected:
  /// The watchdog ends the run during the first accesses, which take longer than 6 ms. The boot
  /// does not.
  int run_into_watchdog(const std::string& more = "") const {
    write_trace(1, 20, 2'056'008, 40'000);
    return run("--drive hp_c3323a --depth 4 stop.watchdog=6ms" + more, "out");
  }
};

TEST_F(PostMortem, Watchdog_EndsTheRun_AndNamesTheFiles) {
  EXPECT_EQ(run_into_watchdog(), 1);
  // The run looks at its watchdog once per simulated millisecond.
  EXPECT_THAT(errors(), AllOf(ContainsRegex("watchdog: no command has completed for 0.00[67] s"),
                              HasSubstr("post-mortem.txt has the details")));
  EXPECT_EQ(summary("out")["result"]["record_faults"], 0) << "what was done by then is sound";
  const std::string text = slurp(file("out") + "/post-mortem.txt");
  EXPECT_THAT(text, AllOf(HasSubstr("watchdog: no command"), HasSubstr("TASK_CHOSEN"),
                          HasSubstr("./headstack debug --launch --trace"),
                          HasSubstr("--run-until 'time ")));
}

// The run is repeated from a snapshot, and takes the same way: to the picosecond, and in its files.
TEST_F(PostMortem, WithSnapshots_LeavesWavesOfTheTimeBefore) {
  ASSERT_EQ(run_into_watchdog(), 1);
  const std::string records = slurp(file("out") + "/records.csv");
  const Json plain = summary("out");
  ASSERT_EQ(run_into_watchdog(" observe.post_mortem=true observe.snapshot_every=100us"), 1)
      << errors();
  EXPECT_EQ(summary("out")["event_hash"], plain["event_hash"]);
  EXPECT_EQ(summary("out")["simulated_ps"], plain["simulated_ps"]);
  EXPECT_EQ(slurp(file("out") + "/records.csv"), records);
  EXPECT_THAT(slurp(file("out") + "/post-mortem.txt"),
              AllOf(HasSubstr("post-mortem.fst"), Not(HasSubstr("observe.post_mortem"))));

  const wave::test::FstFile waves(file("out") + "/post-mortem.fst");
  const Picoseconds failed = plain["simulated_ps"].get<Picoseconds>();
  constexpr Picoseconds kMs = kPicosecondsPerMillisecond;
  // From the last snapshot on that lies 2 ms before it, or more. A sleeping core makes no
  // snapshots. The last may be of the set-up, 2.5 ms before the commands came, and the watchdog
  // waits for 6, and up to 1 more.
  EXPECT_LE(waves.begin(), failed - 2 * kMs);
  EXPECT_GE(waves.begin(), failed - 19 * kMs / 2);
  EXPECT_LE(waves.end(), failed);
  EXPECT_GE(waves.end(), failed - 1 * kMs);
  EXPECT_TRUE(waves.has("drive.queue.depth[15:0]"));
}

// Exception 3 is a breakpoint (RISC-V privileged architecture, mcause).
TEST_F(PostMortem, FirmwareThatStops_LeavesItsPlaceAndTheTimeBefore) {
  write_patched_firmware("scheduler_plan", code::kBreak, file("broken.elf"));
  write_trace(1, 20, 2'056'008, 40'000);
  EXPECT_EQ(run("--drive hp_c3323a --depth 4 observe.post_mortem=true observe.snapshot_every=1ms "
                "--firmware '" +
                    file("broken.elf") + "'",
                "out"),
            1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("the firmware stopped: exception 3 (mcause)"),
                              HasSubstr("scheduler_plan")));
  const std::string text = slurp(file("out") + "/post-mortem.txt");
  EXPECT_THAT(text, AllOf(HasSubstr("exception 3"), HasSubstr("PLAN_BEGIN"),
                          HasSubstr("broken.elf"), HasSubstr("post-mortem.fst")));
  const wave::test::FstFile waves(file("out") + "/post-mortem.fst");
  EXPECT_GT(waves.end(), waves.begin() + 2 * kPicosecondsPerMillisecond);
}

// The same failure at the same time after the same events. The debugger goes to vp in either case,
// where it is at the failure sooner.
TEST_F(PostMortem, OnVp_IsTheSame) {
  write_patched_firmware("scheduler_plan", code::kBreak, file("broken.elf"));
  write_trace(1, 20, 2'056'008, 40'000);
  std::vector<std::string> texts;
  for (const char* platform : {"rtl", "vp"}) {
    EXPECT_EQ(run(std::string("--drive hp_c3323a --depth 4 --platform ") + platform +
                      " --firmware '" + file("broken.elf") + "'",
                  "out"),
              1);
    texts.push_back(slurp(file("out") + "/post-mortem.txt"));
    EXPECT_THAT(texts.back(), testing::AllOf(HasSubstr("./headstack debug --launch"),
                                             Not(HasSubstr("--platform"))));
  }
  EXPECT_THAT(texts[0], HasSubstr("exception 3"));
  EXPECT_EQ(texts[1], texts[0]);
}

// Exception 1 is an instruction access fault.
TEST_F(PostMortem, JumpOutOfMemory_NamesTheCaller) {
  write_patched_firmware("scheduler_plan", code::kCallNowhere, file("broken.elf"));
  write_trace(1, 20, 2'056'008, 40'000);
  for (const char* platform : {"rtl", "vp"}) {
    EXPECT_EQ(run(std::string("--drive hp_c3323a --platform ") + platform + " --firmware '" +
                      file("broken.elf") + "'",
                  "out"),
              1);
    EXPECT_THAT(errors(),
                ContainsRegex("exception 1 \\(mcause\\), instruction access fault, a bus error, at "
                              "0x50001000 in no function; mtval 0x50001000, sp 0x[0-9a-f]+, "
                              "called from scheduler_plan"))
        << platform;
  }
}

// The fault is at the last of the firmware's events, not at the watchdog's end.
TEST_F(PostMortem, FirmwareThatHangs_PointsToItsLastEvent) {
  write_trace(1, 20, 2'056'008, 40'000);
  const std::pair<std::string_view, const char*> cases[] = {{code::kSpin, "is busy"},
                                                            {code::kSleep, "sleeps"}};
  for (const auto& [instructions, state] : cases) {
    write_patched_firmware("scheduler_plan", instructions, file("broken.elf"));
    EXPECT_EQ(
        run("--drive hp_c3323a --platform vp stop.watchdog=500ms observe.events=true --firmware '" +
                file("broken.elf") + "'",
            "out"),
        1);
    std::istringstream events(slurp(file("out") + "/events.txt"));
    std::uint64_t edge = 0, last = 0;
    for (std::string name, argument; events >> edge >> name >> argument;) last = edge;
    const std::string at = fmt::format("{:.6f} ms", to_ms(soc::time_of_edge(last)));
    EXPECT_THAT(errors(), AllOf(HasSubstr(std::string("the firmware's core ") + state),
                                HasSubstr("its last event was at " + at)));
    EXPECT_THAT(slurp(file("out") + "/post-mortem.txt"),
                HasSubstr("\nat " + at + " of simulated time"));
  }
}

TEST_F(PostMortem, BadTrace_IsNotTheDrivesFault) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n0 R 1 1 -\n1 R 2";
  EXPECT_EQ(run("--drive hp_c3323a", "out"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("truncated"), Not(HasSubstr("post-mortem"))));
  EXPECT_FALSE(std::filesystem::exists(file("out") + "/post-mortem.txt"));
}

}  // namespace
}  // namespace headstack::scenario
