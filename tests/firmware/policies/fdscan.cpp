// SPDX-License-Identifier: Apache-2.0
// Tests of `fdscan`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Fdscan", "fdscan", 13, 0, 0, 0, "fdscan"},
    {"FdscanExact", "fdscan:price=exact", 13, 1, 0, 0, "fdscan:price=exact"},
    {"FdscanSlack", "fdscan:target=slack", 13, 2, 0, 0, "fdscan:target=slack"},
    {"FdscanScans", "fdscan:idle=scan", 13, 4, 0, 0, "fdscan:idle=scan"},
};

// A seek of 20 cylinders takes 4 ms, half a turn 5 ms (hundred_cylinders). That is 9 ms and the
// transfer, 100 of 2^24 turns, which is 2.4 ticks. A deadline at 9 ms and 64 ticks is feasible, one
// at 9 ms is not.
TEST(Fdscan, MeanAccess_JustInTime_AndJustLate) {
  for (const bool feasible : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fdscan");
    bench.place_heads(50);
    bench.make_due(bench.add(30), 9 * kMs + (feasible ? 64 : 0));
    bench.add(52);
    bench.add(45);
    EXPECT_EQ(bench.choose()->cylinder, feasible ? 45U : 52U);
  }
}

// The seek is the same, and the sector begins 1 ms after its end: 5 ms by the drive's predictor.
TEST(Fdscan, ExactAccess_JustInTime_AndJustLate) {
  for (const bool feasible : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fdscan:price=exact");
    bench.place_heads(50);
    const std::uint32_t ends_at = bench.heads().angle_turn32 + turn32(0.5);
    bench.make_due(bench.add(30, 0, ends_at), 5 * kMs + (feasible ? 64 : -64));
    bench.add(52);
    bench.add(45);
    EXPECT_EQ(bench.choose()->cylinder, feasible ? 45U : 52U);
  }
}

// 20 is due first, and cannot be met; 70 can.
TEST(Fdscan, TargetIsFeasible) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fdscan");
  bench.place_heads(50);
  bench.make_due(bench.add(20), 6 * kMs);
  bench.make_due(bench.add(70), 30 * kMs);
  bench.add(49);
  bench.add(55);
  EXPECT_EQ(bench.choose()->cylinder, 55U);
}

// 80 is due later than 48, and its access takes longer: its slack is the smaller one.
TEST(Fdscan, LeastSlack) {
  for (const bool by_slack : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(by_slack ? "fdscan:target=slack" : "fdscan");
    bench.place_heads(50);
    bench.make_due(bench.add(48), 20 * kMs);
    bench.make_due(bench.add(80), 21 * kMs);
    EXPECT_EQ(bench.choose()->cylinder, by_slack ? 80U : 48U);
  }
}

// No deadline is feasible: 46 is nearer, 55 lies ahead.
TEST(Fdscan, Idle_IsSstfOrScan) {
  for (const bool scans : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(scans ? "fdscan:idle=scan" : "fdscan");
    bench.place_heads(50);
    bench.make_due(bench.add(46), -1 * kMs);
    bench.add(55);
    EXPECT_EQ(bench.choose()->cylinder, scans ? 55U : 46U);
  }
}

}  // namespace
}  // namespace headstack::test
