// SPDX-License-Identifier: Apache-2.0
// Tests of `stf`: its definition, and its rows of the tables.
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// stf: the shortest access.
class Stf : public Policy {
 public:
  Request choose(const Queue& waiting, const Moment& moment) const override {
    return cheapest(waiting, moment);
  }
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

const Rows<RandomCase> kRandom{
    {"Stf", "stf", as<reference::Stf>()},
};

const Rows<EqualPriceCase> kEqualPrices{{"Stf", "stf"}};

const Rows<TextCase> kTexts{
    {"Stf", "stf", 2, 0, 0, 0, "stf"},
};

TEST(Stf, FartherCylinderWins_WhenItsSectorComesSooner) {
  PolicyBench bench(hundred_cylinders());
  bench.select("stf");
  bench.place_heads(50);
  bench.add(50, 0, turn32(0.4));                          // 9 ms
  ::candidate& farther = bench.add(51, 0, turn32(0.75));  // 2.1 ms to 0.71, then 0.4 ms
  EXPECT_EQ(bench.choose(), &farther);
}

// The 2.1 ms seek ends at 0.71 of a turn: a sector that begins there is caught, one that began just
// before has gone by.
TEST(Stf, SectorJustCaught_AndJustMissed) {
  for (const bool caught : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("stf");
    bench.place_heads(50);
    ::candidate& own = bench.add(50, 0, turn32(0.9));
    ::candidate& edge = bench.add(51, 0, turn32(0.71) + (caught ? 256 : -1024));
    EXPECT_EQ(bench.choose(), caught ? &edge : &own);
  }
}

}  // namespace
}  // namespace headstack::test
