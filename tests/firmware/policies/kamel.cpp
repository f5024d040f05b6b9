// SPDX-License-Identifier: Apache-2.0
// Tests of `kamel`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Kamel", "kamel", 20, 0, 0, 0, "kamel"},
    {"KamelExact", "kamel:price=exact", 20, 1, 0, 0, "kamel:price=exact"},
};

const Rows<OrderCase> kOrders{
    {"Kamel_WithoutDeadlines_IsScan", "kamel", 50, {40, 60, 10, 70}, {60, 70, 40, 10}},
};

// Heads at 50; each access up to 80 takes some 8 ms (hundred_cylinders). 80 is due after two of
// them, so one of 55, 60 and 65 has to wait. It is the last of the order, though it came first.
TEST(Kamel, LastBestEffortBeforeTheMissedDeadline_IsPutOff) {
  PolicyBench bench(hundred_cylinders());
  bench.select("kamel");
  bench.place_heads(50);
  bench.add(65);
  bench.add(55);
  bench.add(60);
  bench.make_due(bench.add(80), 25 * kMs);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(55, 60, 80, 65));
}

// The same case, where the host gave priorities: the lowest, 15, is put off. A request without one
// is lower still.
TEST(Kamel, LowestPriority_IsPutOff) {
  for (const bool without : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("kamel");
    bench.place_heads(50);
    bench.add(65).priority = 1;
    bench.add(55).priority = 15;
    bench.add(60).priority = without ? 0 : 2;
    bench.make_due(bench.add(80), 25 * kMs);
    if (without) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(55, 65, 80, 60));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 65, 80, 55));
    }
  }
}

// No request before it is less important, so the real-time arrival that makes a deadline missed
// waits.
TEST(Kamel, RealTimeArrival_IsPutOffItself) {
  PolicyBench bench(hundred_cylinders());
  bench.select("kamel");
  bench.place_heads(50);
  bench.make_due(bench.add(80), 12 * kMs);
  bench.make_due(bench.add(60), 100 * kMs);
  bench.add(90);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(80, 90, 60));
}

}  // namespace
}  // namespace headstack::test
