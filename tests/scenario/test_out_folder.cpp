// SPDX-License-Identifier: Apache-2.0
// `headstack run --out`: one run per folder, and none replaced silently.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class OutFolder : public ReplayFixture {
 protected:
  void SetUp() override {
    ReplayFixture::SetUp();
    keep_runs();
    write_trace(3, 4, 2'056'008, 300);
  }
  static constexpr const char* kFcfs = "--platform vp --drive hp_c3323a ";
  static constexpr const char* kStf = "--platform vp --drive hp_c3323a --policy stf ";
  bool is_there(const std::string& name) const { return std::filesystem::exists(file(name)); }
};

TEST_F(OutFolder, WithARun_IsRefused_AndThatRunStays) {
  ASSERT_EQ(run(kFcfs, "out"), 0) << errors();
  const std::string before = slurp(file("out/summary.json"));
  EXPECT_EQ(run(kStf, "out"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("holds a run already"), HasSubstr("--force")));
  EXPECT_TRUE(slurp(file("out/summary.json")) == before);
}

// No file of the older run remains that could be taken for the new one's.
TEST_F(OutFolder, WithForce_HoldsTheNewRunAlone) {
  ASSERT_EQ(run(std::string(kFcfs) + "observe.events=true observe.timeline=true", "out"), 0)
      << errors();
  EXPECT_TRUE(is_there("out/timeline.perfetto"));
  std::ofstream(file("out/notes.txt")) << "mine";
  EXPECT_EQ(run(std::string(kStf) + "--force", "out"), 0) << errors();
  EXPECT_EQ(summary("out")["policy"], "stf");
  EXPECT_FALSE(is_there("out/events.txt"));
  EXPECT_FALSE(is_there("out/timeline.perfetto"));
  EXPECT_EQ(slurp(file("out/notes.txt")), "mine");
  ASSERT_EQ(run(kStf, "fresh"), 0);
  EXPECT_TRUE(slurp(file("out/records.csv")) == slurp(file("fresh/records.csv")));
}

TEST_F(OutFolder, WithForce_AndInputThatIsWrong_KeepsTheOlderRun) {
  ASSERT_EQ(run(kFcfs, "out"), 0) << errors();
  EXPECT_EQ(run("--platform vp --drive no_such_drive --force", "out"), 1);
  EXPECT_EQ(run(std::string(kFcfs) + "--trace '" + file("none") + "' --force", "out"), 2)
      << "--trace is given twice";
  std::filesystem::rename(file("trace"), file("trace.moved"));
  EXPECT_EQ(run(std::string(kFcfs) + "--force", "out"), 1);
  EXPECT_TRUE(is_there("out/records.csv"));
  EXPECT_TRUE(is_there("out/summary.json"));
}

// The first run is stopped and keeps its folder, with and without processes beside it.
TEST_F(OutFolder, WhileARunLasts_AnotherIsRefused_AndNothingMixes) {
  for (const std::string snapshots : {"", "observe.snapshot_every=1ms "}) {
    const std::string out = snapshots.empty() ? "out" : "out-with-snapshots";
    write_trace(3, 8, 2'056'008, 300);
    const std::string arguments = "--drive hp_c3323a --policy stf " + snapshots;
    const ::pid_t first = start(arguments, out);
    while (!is_there(out + "/records.csv")) ::usleep(1'000);
    ::kill(first, SIGSTOP);
    for (const std::string force : {"", "--force"}) {
      EXPECT_EQ(run(kFcfs + force, out), 1);
      EXPECT_THAT(errors(), HasSubstr("process " + std::to_string(first) +
                                      " is writing a run there; wait for its end"));
    }
    ::kill(first, SIGCONT);
    int status = 0;
    ::waitpid(first, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(summary(out)["result"]["commands"], 8);
    // The run has ended, and the folder is free at once.
    EXPECT_EQ(run(std::string(kFcfs) + "--limit 2 --force", out), 0) << errors();
    EXPECT_EQ(summary(out)["result"]["commands"], 2);
  }
}

TEST_F(OutFolder, OfAKilledRun_IsReusedOnlyWithForce) {
  write_trace(3, 30, 2'056'008, 300);
  const ::pid_t first = start("--drive hp_c3323a", "out");
  while (!is_there("out/records.csv")) ::usleep(1'000);
  ::kill(first, SIGKILL);
  ::waitpid(first, nullptr, 0);
  EXPECT_EQ(run(kFcfs, "out"), 1);
  EXPECT_THAT(errors(), HasSubstr("holds a run already"));
  EXPECT_EQ(run(std::string(kFcfs) + "--force", "out"), 0) << errors();
}

TEST_F(OutFolder, FilesUnderARunsNames_AreNotOverwritten) {
  std::filesystem::create_directories(file("out"));
  std::ofstream(file("out/drive.toml")) << "my drive";
  for (const std::string force : {"", "--force"}) {
    EXPECT_EQ(run(kFcfs + force, "out"), 1);
    EXPECT_THAT(errors(), AllOf(HasSubstr("out/drive.toml: has the name of a run's file"),
                                HasSubstr("move it")));
  }
  EXPECT_EQ(slurp(file("out/drive.toml")), "my drive");
}

// A user who repeats the line of a post-mortem must not lose the run that failed.
TEST_F(OutFolder, OfAPostMortem_IsNotTheOneThatItsLineNames) {
  ASSERT_EQ(run("--drive hp_c3323a stop.watchdog=1ms", "out"), 1);
  const std::string text = slurp(file("out/post-mortem.txt"));
  EXPECT_THAT(text, AllOf(HasSubstr(" --out " + file("out/debug") + " --force "),
                          testing::Not(HasSubstr("--out " + file("out") + " "))));
}

}  // namespace
}  // namespace headstack::scenario
