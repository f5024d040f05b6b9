// SPDX-License-Identifier: Apache-2.0
// MODE SELECT changes the policy of the queue, again and again, while commands wait. It goes from
// each policy of the table to others, in random orders, under hosts that abort, reset, order and
// clear.
//
// The expectation does not depend on any order. Every command of the trace ends once, all reads
// bring what some order allows (host/replay/block_history.hpp), and no rule of the bus is broken. A
// command that a policy forgets never ends, and the run's watchdog says so; one that it chooses
// twice is an assertion of the firmware's. A failure prints the line that repeats it.
#include <random>

#include "tests/policy_selections.hpp"
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

struct ChangeLoad {
  const char* what;
  const char* drive;
  int depth;
  const char* arguments;
};

class PolicyChanges : public ReplayFixture, public testing::WithParamInterface<ChangeLoad> {
 protected:
  static constexpr int kHosts = 3;

  /// Half of them are in a corner, so that they overlap. They have deadlines from "late already" to
  /// "far away", or are best effort. Some are sequential, so that the drive reads ahead.
  void write_requests(std::uint32_t seed, int requests) const {
    constexpr std::uint64_t kCorner = 2'000;
    constexpr std::uint64_t kRoom = 1'500'000;
    std::mt19937_64 random(seed);
    std::ofstream out(file("trace"));
    out << "headstack-trace 4\ntime-unit ms\nloop closed\n"
           "columns operation lba blocks initiator deadline class stream priority\nrequests\n";
    std::uint64_t lba = 0;
    for (int i = 0; i < requests; ++i) {
      const std::uint64_t size = 1 + random() % 40;
      lba = random() % 4 == 0 ? (lba + size) % kRoom
                              : random() % (random() % 2 == 0 ? kCorner : kRoom);
      out << (random() % 2 == 0 ? 'W' : 'R') << ' ' << lba << ' ' << size << ' '
          << random() % kHosts;
      if (random() % 3 == 0) {
        out << " - best-effort ";
      } else {
        out << ' ' << random() % 400 << " real-time ";
      }
      out << random() % 16 << ' ' << random() % 8 << '\n';
    }
  }

  /// All policies of the table, each with its parameters, in an order by the seed.
  static std::string policies(std::mt19937_64& random) {
    std::vector<std::string> all = test::policy_selections();
    std::shuffle(all.begin(), all.end(), random);
    std::string words;
    for (const std::string& selection : all) words += " --policy " + selection;
    return words;
  }
};

TEST_P(PolicyChanges, EveryCommandEndsOnce_WithItsData) {
  constexpr int kRequests = 700;
  constexpr std::uint32_t kSeeds = 4;
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    write_requests(seed, kRequests);
    const std::string arguments =
        std::string("--platform vp --verify --deadlines message") + " --drive " + GetParam().drive +
        " --hosts 3 --seed " + std::to_string(seed) + " --depth " +
        std::to_string(GetParam().depth) + " " + GetParam().arguments + policies(random);
    const std::string out = "out" + std::to_string(seed);
    const std::string line = "seed " + std::to_string(seed) + ": headstack-run " + arguments;
    ASSERT_EQ(run(arguments, out), 0) << line << "\n" << errors();
    const Json result = summary(out);
    EXPECT_EQ(result["result"]["commands"], kRequests) << line;
    EXPECT_EQ(result["result"]["record_faults"], 0) << line;
    EXPECT_EQ(result["bus_violations"], 0) << line;
    EXPECT_EQ(result["failure"], "") << line;
    EXPECT_GT(result["verified_blocks"], kRequests) << "or nothing was looked at";
    EXPECT_GT(result["hosts"]["policy-every"], 0);
    EXPECT_GT(result["policy_changes"], 40) << "or most policies were never met";
  }
}

/// A choice of msedf waits for the steps of its search (queue/policy.h: POLICY_WAITS), whatever
/// hosts do meanwhile. The counter of searches made at once stays 0.
TEST_P(PolicyChanges, ChoicesThatWait_AreNeverMadeAtOnce) {
  constexpr int kRequests = 500;
  for (std::uint32_t seed = 11; seed <= 12; ++seed) {
    write_requests(seed, kRequests);
    const std::string arguments =
        std::string(
            "--platform vp --verify --deadlines message --policy msedf "
            "hosts.every.abort=9 hosts.every.head_of_queue=7 hosts.every.bus_reset=150 "
            "--drive ") +
        GetParam().drive + " --hosts 3 --seed " + std::to_string(seed) + " --depth " +
        std::to_string(GetParam().depth);
    const std::string line = "seed " + std::to_string(seed) + ": headstack-run " + arguments;
    ASSERT_EQ(run(arguments, "steps"), 0) << line << "\n" << errors();
    const Json result = summary("steps");
    EXPECT_EQ(result["result"]["commands"], kRequests) << line;
    EXPECT_EQ(result["failure"], "") << line;
    EXPECT_GT(result["scheduler"]["batches"], 10) << line;
    EXPECT_EQ(result["scheduler"]["at_once"], 0) << line;
  }
}

const ChangeLoad kLoads[] = {
    {"Queue", "cheetah_9lp", 48, "hosts.every.policy=7"},
    {"Deep_ByTime", "cheetah_9lp", 200, "hosts.every.policy=40ms"},
    {"Aborts", "hp_c3323a", 24, "hosts.every.policy=6 hosts.every.abort=5 hosts.retry=all"},
    {"Resets", "hp_c3323a", 24,
     "hosts.every.policy=7 hosts.every.device_reset=90 hosts.every.bus_reset=131 "
     "hosts.every.clear_queue=61"},
    {"TagsAndCaches", "cheetah_9lp", 64,
     "hosts.every.policy=8 hosts.every.ordered=9 hosts.every.head_of_queue=11 "
     "hosts.every.no_disconnect=19 hosts.every.cache=31 --cache read --cache read-write "
     "--cache read-write:segments=2,segment-blocks=100"},
    {"Unrestricted", "cheetah_9lp", 64,
     "hosts.every.policy=9 settings.reordering=unrestricted --cache read-write "
     "settings.write_threshold=space:4"},
};

INSTANTIATE_TEST_SUITE_P(Scenario, PolicyChanges, testing::ValuesIn(kLoads),
                         test::case_name<ChangeLoad>);

}  // namespace
}  // namespace headstack::scenario
