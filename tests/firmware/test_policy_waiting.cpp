// How long a request can wait, where a policy's definition promises an end: under a load that never
// ends, and that puts every new request where it harms the oldest most.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/firmware/policy_bench.hpp"

namespace headstack {
namespace {

using test::PolicyBench;

constexpr std::uint32_t kQueue = 20;  // requests that wait, always
constexpr int kServices = 4000;
constexpr std::uint32_t kSeed = 7;

/// Serves a closed queue; new requests arrive on the heads' own cylinder, or nearby.
/// @return the most services that any request saw between its arrival and its own.
std::uint64_t longest_wait(const char* policy) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select(policy);
  bench.place_heads(50);
  std::mt19937 random(kSeed);
  std::map<const ::candidate*, int> arrived;
  for (std::uint32_t i = 0; i < kQueue; ++i) {
    arrived[&bench.add(static_cast<std::uint32_t>(random() % 100), 0,
                       static_cast<std::uint32_t>(random()))] = 0;
  }
  int longest = 0;
  for (int now = 0; now < kServices; ++now) {
    ::candidate* chosen = bench.choose();
    bench.serve(*chosen);
    longest = std::max(longest, now - arrived.at(chosen));
    arrived.erase(chosen);
    const std::uint32_t cylinder =
        std::min(99U, chosen->cylinder + static_cast<std::uint32_t>(random() % 50 == 0));
    arrived[&bench.add(cylinder, 0, static_cast<std::uint32_t>(random()))] = now + 1;
  }
  for (const auto& [candidate, since] : arrived) longest = std::max(longest, kServices - since);
  return static_cast<std::uint64_t>(longest);
}

struct Case {
  const char* what;
  const char* policy;
  std::uint64_t most;  // services in between; 0: no promise
};

const Case kCases[] = {
    {"Fcfs", "fcfs", kQueue - 1},
    // The rest of a set, and a set of its own.
    {"Fscan", "fscan", 2 * kQueue - 1},
    // A set for each of the ten groups, and the rest of one.
    {"Gstf_Frozen", "gstf:group=10,frozen", 11 * kQueue},
    // To and fro: every group but the last ones twice.
    {"Gstf_Frozen_Bounce", "gstf:group=10,frozen,bounce", 19 * kQueue},
    // What this load does to those that promise nothing.
    {"Sstf", "sstf", 0},
    {"Scan", "scan", 0},
    {"Gstf", "gstf:group=10", 0},
};

class Waiting : public testing::TestWithParam<Case> {};

TEST_P(Waiting, IsBounded_WhereThatIsPromised) {
  const std::uint64_t longest = longest_wait(GetParam().policy);
  if (GetParam().most > 0) {
    EXPECT_LE(longest, GetParam().most);
  } else {
    EXPECT_GT(longest, 20 * kQueue) << "the load of this test is not cruel enough";
  }
}

INSTANTIATE_TEST_SUITE_P(Policy, Waiting, testing::ValuesIn(kCases), test::case_name<Case>);

// With floor=0 the overdue are served by age, before all others: what is overdue at a choice is
// passed by nothing.
TEST(WaitingOfWstf, Floor0_NothingPassesTheOldestOverdue) {
  constexpr std::uint64_t kM = 400'000;  // 10 ms
  PolicyBench bench(test::hundred_cylinders());
  bench.select("wstf:m=0.01,floor=0");
  std::mt19937 random(kSeed);
  int overdue_served = 0;
  for (int i = 0; i < 5000; ++i) {
    while (bench.waiting_count() < kQueue) {
      bench.add(static_cast<std::uint32_t>(random() % 100), 0,
                static_cast<std::uint32_t>(random()));
    }
    const ::candidate* oldest = bench.scheduler().waiting->first;
    const std::uint64_t now = bench.heads().at_tick / 64;
    const bool overdue = now - oldest->arrived_64ticks >= kM / 64;
    ::candidate* chosen = bench.choose();
    if (overdue) {
      ++overdue_served;
      ASSERT_EQ(chosen, oldest);
    }
    bench.serve(*chosen);
  }
  EXPECT_GT(overdue_served, 1000);
}

// Without arrivals a sweep is over after one turn, or one jump.
TEST(WaitingWithoutArrivals, ScanTurnsOnce_CscanJumpsOnce) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 500; ++i) {
    for (const char* policy : {"scan", "cscan", "fscan", "vr:r=1", "eschenbach"}) {
      PolicyBench bench(test::hundred_cylinders());
      bench.select(policy);
      bench.place_heads(static_cast<std::uint32_t>(random() % 100));
      for (int k = 0; k < 40; ++k) bench.add(static_cast<std::uint32_t>(random() % 100));
      const std::uint32_t heads_at = bench.heads().cylinder;
      const std::vector<std::uint32_t> served = bench.cylinders_served();
      ASSERT_EQ(served.size(), 40U);
      // Upward from the heads, then all that lies below them, in one direction.
      const auto below = std::find_if(served.begin(), served.end(),
                                      [&](std::uint32_t cylinder) { return cylinder < heads_at; });
      ASSERT_TRUE(std::is_sorted(served.begin(), below)) << policy;
      const bool jumps = std::string(policy) == "cscan" || std::string(policy) == "eschenbach";
      ASSERT_TRUE(jumps ? std::is_sorted(below, served.end())
                        : std::is_sorted(below, served.end(), std::greater<>()))
          << policy;
      ASSERT_TRUE(std::all_of(below, served.end(),
                              [&](std::uint32_t cylinder) { return cylinder < heads_at; }));
    }
  }
}

}  // namespace
}  // namespace headstack
