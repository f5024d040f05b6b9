// SPDX-License-Identifier: Apache-2.0
// Tests of `csfc`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Csfc", "csfc", 26, 0, 0, 0, "csfc:p=3,dmax=60"},
    {"CsfcBoth", "csfc:p=16,dmax=0.5", 26, 0, 16, 5, "csfc:p=16,dmax=0.5"},
    {"CsfcPriority", "csfc:priority=first", 26, 1, 0, 0, "csfc:p=3,dmax=60,priority=first"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"CsfcP17", "csfc:p=17", "is not possible"},
    {"CsfcDmax", "csfc:dmax=6000.1", "is not possible"},
};

// Three partitions of 20 ms each. The first ends just before 20 ms.
TEST(Csfc, Partitions_EndJustBeforeTheNext) {
  for (const bool first : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("csfc");
    bench.place_heads(50);
    bench.make_due(bench.add(40), 10 * kMs);
    bench.make_due(bench.add(55), 20 * kMs - (first ? 64 : 0));
    EXPECT_EQ(bench.choose()->cylinder, first ? 55U : 40U);
  }
}

// Past deadlines are in the first partition; far ones are in the last, with best effort.
TEST(Csfc, PastIsFirst_FarAndBestEffortAreLast) {
  PolicyBench bench(hundred_cylinders());
  bench.select("csfc");
  bench.place_heads(50);
  bench.add(60);
  bench.make_due(bench.add(55), 1000 * kMs);
  bench.make_due(bench.add(20), -1000 * kMs);
  bench.make_due(bench.add(30), 5 * kMs);
  // None of the first partition lies above 50: it begins at its lowest, 20, then 30; the next goes
  // upward from there.
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(20, 30, 55, 60));
}

TEST(Csfc, Priority_OneFirst_NoneLast) {
  PolicyBench bench(hundred_cylinders());
  bench.select("csfc:priority=first");
  bench.place_heads(50);
  bench.make_due(bench.add(51), 1 * kMs);
  bench.add(90).priority = 15;
  bench.add(80).priority = 1;
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(80, 90, 51));
}

}  // namespace
}  // namespace headstack::test
