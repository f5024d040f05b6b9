// SPDX-License-Identifier: Apache-2.0
// Tests of `dmscan`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Dmscan", "dmscan", 21, 0, 0, 0, "dmscan"},
    {"DmscanExact", "dmscan:price=exact", 21, 1, 0, 0, "dmscan:price=exact"},
};

const Rows<OrderCase> kOrders{
    {"Dmscan_WithoutDeadlines_IsScan", "dmscan", 50, {40, 60, 10, 70}, {60, 70, 40, 10}},
};

// Heads at 50. 70 alone ends at 9 ms, after 60 at 16 ms (hundred_cylinders).
TEST(Dmscan, GroupGrowsWhileTheFirstDeadlineIsMet) {
  for (const int due_ms : {15, 17}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("dmscan");
    bench.place_heads(50);
    bench.make_due(bench.add(70), due_ms * kMs);
    bench.make_due(bench.add(60), 100 * kMs);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 15 ? 70U : 60U);
  }
}

// Serving 40 and 90 upward first takes 9 + 5 = 11 ms and then 50 cylinders back, 12 ms. Downward
// first takes 3 + 5 and 7 + 5, 20 ms in all instead of 23.
TEST(Dmscan, BetterOfBothSweeps) {
  PolicyBench bench(hundred_cylinders());
  bench.select("dmscan");
  bench.place_heads(50);
  bench.make_due(bench.add(90), 30 * kMs);
  bench.make_due(bench.add(40), 31 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 40U);
}

// The first deadline cannot be met, but it is served at once.
TEST(Dmscan, HopelessFirst_IsServed) {
  PolicyBench bench(hundred_cylinders());
  bench.select("dmscan");
  bench.place_heads(50);
  bench.make_due(bench.add(90), -5 * kMs);
  bench.make_due(bench.add(51), 20 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 90U);
}

}  // namespace
}  // namespace headstack::test
