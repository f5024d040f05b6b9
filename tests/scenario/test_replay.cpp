// A trace end to end: every byte right, every record summing, the same bits every time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <nlohmann/json.hpp>

#include "tests/support.hpp"

namespace headstack {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

std::string slurp(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Replay : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("headstack_replay_" + std::to_string(::getpid()) + "_" + name);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  /// A closed-loop trace of seeded requests: half of them anywhere, half in a corner of `hot`
  /// blocks, so that reads meet writes.
  void write_trace(std::uint32_t seed, int requests, std::uint64_t blocks, std::uint64_t hot) {
    std::mt19937_64 random(seed);
    std::ofstream out(file("trace"));
    out << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n";
    const int sizes[] = {1, 2, 7, 8, 8, 8, 33, 128};
    for (int i = 0; i < requests; ++i) {
      const int size = sizes[random() % 8];
      const std::uint64_t lba = random() % ((random() % 2 == 0 ? blocks : hot) - 128);
      out << "- " << (random() % 2 == 0 ? 'R' : 'W') << ' ' << lba << ' ' << size << " -\n";
    }
  }

  int run(const std::string& arguments, const std::string& out) {
    const std::string command = "HEADSTACK_ROOT='" + test::source_dir().string() + "' '" +
                                HEADSTACK_RUN + "' --trace '" + file("trace") + "' --out '" +
                                file(out) + "' " + arguments + " >'" + file("stdout") + "' 2>'" +
                                file("stderr") + "'";
    return WEXITSTATUS(std::system(command.c_str()));
  }
  Json summary(const std::string& out) const {
    return Json::parse(slurp(std::filesystem::path(file(out)) / "summary.json"));
  }
  std::string errors() const { return slurp(file("stderr")); }

 private:
  std::filesystem::path folder_;
};

void expect_sound(const Json& summary, int commands) {
  EXPECT_EQ(summary["result"]["commands"], commands);
  EXPECT_EQ(summary["result"]["failed"], 0);
  EXPECT_EQ(summary["result"]["record_faults"], 0);
  EXPECT_EQ(summary["bus_violations"], 0) << "SCSI-2 timing, by the bus's own checker";
  EXPECT_EQ(summary["failure"], "");
}

struct Load {
  const char* what;
  const char* drive;
  std::uint64_t blocks;
  const char* arguments;
};

const Load kLoads[] = {
    {"Fcfs_Depth1_Async", "hp_c3323a", 2'056'008, "--policy fcfs --queue-depth 1 --bus async"},
    {"Fcfs_Depth16_Fast", "hp_c3323a", 2'056'008, "--policy fcfs --queue-depth 16 --bus fast"},
    {"Sstf_Depth16_Wide", "cheetah_9lp", 17'918'387, "--policy sstf --queue-depth 16"},
    {"Stf_Depth64_Wide", "cheetah_9lp", 17'918'387, "--policy stf --queue-depth 64"},
};

class ReplayOf : public Replay, public testing::WithParamInterface<Load> {};

// The reference is the host's own map of what it wrote: every byte read must be the newest version.
TEST_P(ReplayOf, EveryByteReadIsTheNewestWritten) {
  constexpr int kRequests = 80;
  write_trace(77, kRequests, GetParam().blocks, 400);
  ASSERT_EQ(
      run(std::string("--verify-data --drive ") + GetParam().drive + " " + GetParam().arguments,
          "out"),
      0)
      << errors();
  const Json result = summary("out");
  expect_sound(result, kRequests);
  EXPECT_GT(result["verified_blocks"], 100);
}

INSTANTIATE_TEST_SUITE_P(Scenario, ReplayOf, testing::ValuesIn(kLoads), test::case_name<Load>);

// Determinism: the event log (edge, number, argument of every firmware event) and the records.
TEST_F(Replay, WithAndWithoutClockGating_AndTwice_TheSameBits) {
  write_trace(5, 12, 2'056'008, 300);
  const std::string arguments = "--drive hp_c3323a --policy stf --queue-depth 8 ";
  ASSERT_EQ(run(arguments, "once"), 0) << errors();
  ASSERT_EQ(run(arguments, "again"), 0) << errors();
  ASSERT_EQ(run(arguments + "--no-gating", "ungated"), 0) << errors();
  const Json once = summary("once");
  for (const char* other : {"again", "ungated"}) {
    EXPECT_EQ(summary(other)["event_hash"], once["event_hash"]) << other;
    EXPECT_EQ(slurp(file(other) + "/records.csv"), slurp(file("once") + "/records.csv")) << other;
  }
  EXPECT_LT(once["clock_on_share"], 0.9) << "gating saves something";
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
}

TEST_F(Replay, UnknownPolicy_SuggestsTheNearest) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n";
  EXPECT_EQ(run("--drive hp_c3323a --policy sttf", "out"), 1);
  EXPECT_THAT(errors(), HasSubstr("did you mean"));
}

TEST_F(Replay, DriveThatTheElectronicsCannotServe_IsAnError) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n";
  EXPECT_EQ(run("--drive abstract_1000_track", "out"), 1);
  EXPECT_THAT(errors(), HasSubstr("rotational_latency"));
}

}  // namespace
}  // namespace headstack
