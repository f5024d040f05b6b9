// SPDX-License-Identifier: Apache-2.0
// Tests of `scanrt`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Scanrt", "scanrt", 19, 0, 0, 0, "scanrt"},
    {"ScanrtExact", "scanrt:price=exact", 19, 1, 0, 0, "scanrt:price=exact"},
};

const Rows<OrderCase> kOrders{
    {"Scanrt_WithoutDeadlines_IsScan", "scanrt", 50, {40, 60, 10, 70}, {60, 70, 40, 10}},
};

// Heads at 50. An access to 70 takes 4 ms, half a turn of 5 ms and the transfer
// (hundred_cylinders): 9 ms. After one to 60 (3 + 5 ms) the next takes 3 + 5 ms, 16 ms in all.
TEST(Scanrt, ArrivalThatMakesADeadlineMissed_GoesToTheTail) {
  for (const int due_ms : {15, 17}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("scanrt");
    bench.place_heads(50);
    bench.make_due(bench.add(70), due_ms * kMs);
    bench.add(60);
    if (due_ms == 15) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 60));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 70));
    }
  }
}

// A deadline that even an immediate access would miss holds no request back.
TEST(Scanrt, HopelessDeadline_HoldsBackNoArrival) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scanrt");
  bench.place_heads(50);
  bench.make_due(bench.add(70), 8 * kMs);
  bench.add(60);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 70));
}

// The tail waits for the whole main list, including members that arrived later.
TEST(Scanrt, TailIsServedAfterTheMainList) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scanrt");
  bench.place_heads(50);
  bench.make_due(bench.add(70), 15 * kMs);
  bench.add(60);
  bench.add(90);
  bench.serve(*bench.choose());
  bench.add(72);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(72, 90, 60));
}

// When the policy is selected, the waiting requests are announced, the oldest first, as if they
// arrived then.
TEST(Scanrt, SelectedWhileSomeWait_TheyAreAnnounced) {
  PolicyBench bench(hundred_cylinders());
  bench.place_heads(50);
  bench.make_due(bench.add(70), 15 * kMs);
  bench.add(60);
  bench.select("scanrt");
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 60));
}

}  // namespace
}  // namespace headstack::test
