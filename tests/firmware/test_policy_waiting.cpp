// SPDX-License-Identifier: Apache-2.0
// The longest wait of a request, for policies whose definition promises one. The load never ends,
// and puts every new request where it harms the oldest most.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

constexpr int kServices = 4000;
constexpr std::uint32_t kSeed = 7;

/// Serves a closed queue; new requests arrive on the heads' own cylinder, or nearby.
/// @return the most services that any request saw between its arrival and its own.
std::uint64_t longest_wait(const char* policy) {
  PolicyBench bench(hundred_cylinders());
  bench.select(policy);
  bench.place_heads(50);
  std::mt19937 random(kSeed);
  std::map<const ::candidate*, int> arrived;
  for (std::uint32_t i = 0; i < kQueueThatWaits; ++i) {
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

class Waiting : public testing::TestWithParam<WaitCase> {};

TEST_P(Waiting, IsBounded_WhereThatIsPromised) {
  const std::uint64_t longest = longest_wait(GetParam().policy);
  if (GetParam().most > 0) {
    EXPECT_LE(longest, GetParam().most);
  } else {
    EXPECT_GT(longest, 20 * kQueueThatWaits) << "the load of this test is not cruel enough";
  }
}

INSTANTIATE_TEST_SUITE_P(Policy, Waiting, testing::ValuesIn(rows_of<WaitCase>()),
                         case_name<WaitCase>);

// Without arrivals a sweep is over after one turn, or one jump.
TEST(WaitingWithoutArrivals, ScanTurnsOnce_CscanJumpsOnce) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 500; ++i) {
    for (const auto& [policy, jumps] : rows_of<SweepCase>()) {
      PolicyBench bench(hundred_cylinders());
      bench.select(policy);
      bench.place_heads(static_cast<std::uint32_t>(random() % 100));
      for (int k = 0; k < 40; ++k) bench.add(static_cast<std::uint32_t>(random() % 100));
      const std::uint32_t heads_at = bench.heads().cylinder;
      const std::vector<std::uint32_t> served = bench.cylinders_served();
      ASSERT_EQ(served.size(), 40U);
      // Upward from the heads, then all requests below them, in one direction.
      const auto below = std::find_if(served.begin(), served.end(),
                                      [&](std::uint32_t cylinder) { return cylinder < heads_at; });
      ASSERT_TRUE(std::is_sorted(served.begin(), below)) << policy;
      ASSERT_TRUE(jumps ? std::is_sorted(below, served.end())
                        : std::is_sorted(below, served.end(), std::greater<>()))
          << policy;
      ASSERT_TRUE(std::all_of(below, served.end(),
                              [&](std::uint32_t cylinder) { return cylinder < heads_at; }));
    }
  }
}

}  // namespace
}  // namespace headstack::test
