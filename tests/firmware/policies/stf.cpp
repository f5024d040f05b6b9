// SPDX-License-Identifier: Apache-2.0
// Tests of `stf`, and its rows of the tables.
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

const Rows<EqualPriceCase> kEqualPrices{{"Stf", "stf"}, {"Sptf", "stf:price=positioning"}};

const Rows<TextCase> kTexts{
    {"Stf", "stf", 2, 0, 0, 0, "stf"},
    {"Sptf", "stf:price=positioning", 2, 1, 0, 0, "stf:price=positioning"},
};

TEST(Stf, FartherCylinderWins_WhenItsSectorComesSooner) {
  PolicyBench bench(hundred_cylinders());
  bench.select("stf");
  bench.place_heads(50);
  bench.add(50, 0, turn32(0.4));                          // 9 ms
  ::candidate& farther = bench.add(51, 0, turn32(0.75));  // 2.1 ms to 0.71, then 0.4 ms
  EXPECT_EQ(bench.choose(), &farther);
}

// Both are on the heads' track, which is at 0.5 of a turn of 10 ms. One begins at 0.9 and takes
// 0.3: it ends after 7 ms. The other begins at 1.0, after 5 ms, and ends at once.
TEST(Stf, LongTransfer_CountsInTheAccess_AndNotInThePositioning) {
  for (const bool is_positioning : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(is_positioning ? "stf:price=positioning" : "stf");
    bench.place_heads(50);
    ::candidate& longer = bench.add(50, 0, turn32(0.9), turn32(0.3) >> 8);
    ::candidate& later = bench.add(50, 0, turn32(0.0));
    EXPECT_EQ(bench.choose(), is_positioning ? &longer : &later);
  }
}

// The 2.1 ms seek ends at 0.71 of a turn: a sector that begins there is caught, one that began just
// before has passed.
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
