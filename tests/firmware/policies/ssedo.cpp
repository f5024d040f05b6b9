// SPDX-License-Identifier: Apache-2.0
// Tests of `ssedo`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Ssedo", "ssedo", 17, 0, 0, 0, "ssedo:m=3,beta=2"},
    {"SsedoBoth", "ssedo:m=8,beta=1.5", 17, 0, 8, 15, "ssedo:m=8,beta=1.5"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"SsedoM0", "ssedo:m=0", "is not possible"},
    {"SsedoM9", "ssedo:m=9", "is not possible"},
    {"SsedoBelow1", "ssedo:beta=0.9", "is not possible"},
    {"SsedoAbove10", "ssedo:beta=10.1", "is not possible"},
};

// Heads at 50. The earliest deadline is 9 + 1 = 10 away; the second counts (distance + 1) twice,
// the third four times.
TEST(Ssedo, LaterDeadlines_WeighMore) {
  for (const bool nearer : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("ssedo");
    bench.place_heads(50);
    bench.make_due(bench.add(59), 10 * kMs);
    bench.make_due(bench.add(nearer ? 53U : 54U), 20 * kMs);  // 8, or 10: the earlier one's
    bench.make_due(bench.add(52), 30 * kMs);                  // 12
    EXPECT_EQ(bench.choose()->cylinder, nearer ? 53U : 59U);
  }
}

// The fourth request by deadline is not examined, wherever it lies.
TEST(Ssedo, WindowHasThree) {
  PolicyBench bench(hundred_cylinders());
  bench.select("ssedo");
  bench.place_heads(50);
  bench.make_due(bench.add(50), 40 * kMs);
  bench.make_due(bench.add(90), 30 * kMs);
  bench.make_due(bench.add(91), 20 * kMs);
  bench.make_due(bench.add(10), 10 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 10U);  // 41; 84; 164
}

// Best effort fills the window after real time, the oldest first.
TEST(Ssedo, BestEffort_ByArrival) {
  PolicyBench bench(hundred_cylinders());
  bench.select("ssedo");
  bench.place_heads(50);
  bench.add(60);  // second in the window: 22
  bench.add(55);  // third: 24
  bench.add(50);  // fourth
  bench.make_due(bench.add(90), -10 * kMs);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 55, 50, 90));
}

}  // namespace
}  // namespace headstack::test
