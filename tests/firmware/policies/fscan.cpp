// SPDX-License-Identifier: Apache-2.0
// Tests of `fscan`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<OrderCase> kOrders{
    {"Fscan_IsScan_WhileNobodyArrives", "fscan", 50, {10, 60, 40, 70}, {60, 70, 40, 10}},
};

const Rows<DetourCase> kDetours{
    {"OthersHaveNone", "fscan", false, 50, 49, POLICY_NO_DETOUR},
};

const Rows<WaitCase> kWaits{
    // A request waits for the rest of a set, and for its own set.
    {"Fscan", "fscan", 2 * kQueueThatWaits - 1},
};

const Rows<SweepCase> kSweeps{{"fscan", false}};

const Rows<TextCase> kTexts{
    {"Fscan", "fscan", 5, 0, 0, 0, "fscan"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"NoParameters", "fscan:edge",
     "policy 'fscan': 'edge' is unknown; this policy has no parameters"},
};

// Arrivals while the set is served wait for the next one, though they lie on the way.
TEST(Fscan, ArrivalsWaitForTheNextSet) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  bench.add(80);
  bench.add(40);
  EXPECT_EQ(bench.choose(), &first);
  bench.serve(first);
  bench.add(61);
  bench.add(60);
  // The set is served to its end, with its turn. Then the next set goes on in the same direction.
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(80, 40, 60, 61));
}

// Requests that arrive before the set's first one is served take part.
TEST(Fscan, ArrivalsBeforeTheFirstIsServed_TakePart) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  bench.add(80);
  EXPECT_EQ(bench.choose(), &first);
  bench.add(55);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(55, 60, 80));
}

TEST(Fscan, SetWhoseRestIsHeldBack_IsOver) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  ::candidate& rest = bench.add(80);
  bench.serve(first);
  bench.add(70);
  bench.add(65);
  bench.withdraw(rest);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(65, 70));
}

}  // namespace
}  // namespace headstack::test
