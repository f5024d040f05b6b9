// SPDX-License-Identifier: Apache-2.0
// Tests of `ssedv`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Ssedv", "ssedv", 18, 0, 0, 0, "ssedv:m=3,alpha=0.8"},
    {"SsedvBoth", "ssedv:m=8,alpha=0.25", 18, 0, 8, 25, "ssedv:m=8,alpha=0.25"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"SsedvM9", "ssedv:m=9", "is not possible"},
    {"SsedvAbove1", "ssedv:alpha=1.01", "is not possible"},
};

// Heads at 50; a seek takes 2 ms and 0.1 ms a cylinder. 90 is due in 10 ms: 0.8 * 6 + 0.2 * 10 =
// 6.8. 55 is 0.8 * 2.5 = 2 and a fifth of the time that it has left.
TEST(Ssedv, SeekAgainstTimeLeft) {
  for (const int left_ms : {23, 25}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("ssedv");
    bench.place_heads(50);
    bench.make_due(bench.add(90), 10 * kMs);
    bench.make_due(bench.add(55), left_ms * kMs);  // 6.6, or 7
    EXPECT_EQ(bench.choose()->cylinder, left_ms == 23 ? 55U : 90U);
  }
}

// What is past has nothing left, however long ago: 0.8 * 4 against 0.8 * 3.
TEST(Ssedv, PastDeadlines_HaveNothingLeft) {
  PolicyBench bench(hundred_cylinders());
  bench.select("ssedv");
  bench.place_heads(50);
  bench.make_due(bench.add(70), -50 * kMs);
  bench.make_due(bench.add(60), -1 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 60U);
}

// Best effort counts as due in 500 ms: 100 for it alone. 90 is at 4.8 and a fifth of its time.
TEST(Ssedv, BestEffort_IsDueIn500Ms) {
  for (const int left_ms : {475, 477}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("ssedv");
    bench.place_heads(50);
    bench.add(50);                                 // 0 + 100
    bench.make_due(bench.add(90), left_ms * kMs);  // 4.8 + 95, or 4.8 + 95.4
    EXPECT_EQ(bench.choose()->cylinder, left_ms == 475 ? 90U : 50U);
  }
}

}  // namespace
}  // namespace headstack::test
