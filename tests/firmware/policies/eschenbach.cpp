// SPDX-License-Identifier: Apache-2.0
// Tests of `eschenbach`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<GroupCase> kGroups{
    {"Eschenbach", "eschenbach:order=10", {50, 59, 60, 95, 20, 49}},
};

const Rows<SweepCase> kSweeps{{"eschenbach", true}};

const Rows<EqualPriceCase> kEqualPrices{{"Eschenbach", "eschenbach:order=100"}};

const Rows<TextCase> kTexts{
    {"Eschenbach", "eschenbach", 8, 0, 0, 0, "eschenbach:order=1"},
    {"Eschenbach_20", "eschenbach:order=20", 8, 0, 20, 0, "eschenbach:order=20"},
    {"Eschenbach_MostValue", "eschenbach:order=65535", 8, 0, 65535, 0, "eschenbach:order=65535"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"Eschenbach_BelowTheRange", "eschenbach:order=0",
     "policy 'eschenbach': 'order=0' is not possible: 1 to 65535 cylinders"},
    {"Eschenbach_AboveTheRange", "eschenbach:order=65536", "'order=65536' is not possible"},
};

// The heads are half a turn after the index: the long request begins first, the short one ends
// first.
TEST(Eschenbach, OrdersByTheBeginOfSectors_GstfByTheirEnd) {
  for (const bool eschenbach : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(eschenbach ? "eschenbach" : "gstf:group=1");
    bench.place_heads(50);
    ::candidate& brief = bench.add(50, 0, turn32(0.65), turn24(0.05));
    ::candidate& lengthy = bench.add(50, 0, turn32(0.6), turn24(0.5));
    EXPECT_EQ(bench.choose(), eschenbach ? &lengthy : &brief);
  }
}

// The own cylinder is served to its end, though the sector on the next one passes sooner. Then the
// next one above follows, though the one below is nearer.
TEST(Eschenbach, GoesByCylinderFirst) {
  PolicyBench bench(hundred_cylinders());
  bench.select("eschenbach");
  bench.place_heads(50);
  bench.add(49, 0, turn32(0.8));
  bench.add(51, 0, turn32(0.75));
  bench.add(50, 0, turn32(0.4));
  bench.add(50, 0, turn32(0.7));
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(50, 50, 51, 49));
}

}  // namespace
}  // namespace headstack::test
