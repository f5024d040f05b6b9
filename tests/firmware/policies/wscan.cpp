// SPDX-License-Identifier: Apache-2.0
// Tests of `wscan`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<OrderCase> kOrders{
    // The window is 45 .. 49, and stays there when 46 has been served.
    {"Wscan_WindowGoesFirst_AndStays", "wscan:window=5", 50, {52, 46, 44}, {46, 52, 44}},
    {"Wscan_WindowsLastCylinder", "wscan:window=5", 50, {52, 45}, {45, 52}},
    {"Wscan_JustBehindTheWindow", "wscan:window=5", 50, {52, 44}, {52, 44}},
    {"Wscan_PresentCylinderIsNotInTheWindow", "wscan:window=5", 50, {50, 49}, {49, 50}},
    {"Wscan_AtTheLowestCylinder_NothingIsBehind", "wscan:window=5", 0, {1, 0, 3}, {0, 1, 3}},
    {"Wscan_NearestOfTheWindow", "wscan:window=5", 50, {46, 49, 48, 60}, {49, 48, 46, 60}},
    // After 46, the sweep goes on from 50: 47 is in the window, 51 ahead.
    {"Wscan_DirectionStays", "wscan:window=5", 50, {46, 51, 40}, {46, 51, 40}},
    // At 60 nothing is ahead: it turns for 40, and 42 would be behind now, in the window 41 .. 45.
    {"Wscan_WindowTurnsWithTheSweep", "wscan:window=5", 50, {60, 40, 30}, {60, 40, 30}},
    {"Wscan_AtTheLowestCylinder", "wscan:window=5", 0, {3, 0}, {0, 3}},
    {"Wscan_WindowReachesTheEdge", "wscan:window=5", 2, {3, 0, 1}, {1, 0, 3}},
};

const Rows<TextCase> kTexts{
    {"WindowOfNothing", "wscan:window=0", 7, 0, POLICY_PARAMETER_ZERO, 0, "wscan:window=0"},
    {"Wscan", "wscan", 7, 0, 0, 0, "wscan:window=13"},  // a 64th of 840
    {"Wscan_MostValue", "wscan:window=65535", 7, 0, 65535, 0, "wscan:window=65535"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"Wscan_AboveTheRange", "wscan:window=65536",
     "policy 'wscan': 'window=65536' is not possible: 0 to 65535 cylinders"},
};

// Upward from 50 the window is below. When 60 has been served and the sweep turned for 55, the
// window is above: 58 is in it.
TEST(Wscan, TurnedWindow_IsAbove) {
  PolicyBench bench(hundred_cylinders());
  bench.select("wscan:window=3");
  bench.place_heads(60);
  ::candidate& turns = bench.add(55);
  bench.add(50);
  EXPECT_EQ(bench.choose(), &turns);
  bench.serve(turns);
  bench.add(58);
  bench.add(59);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(58, 50, 59));
}

// The window is a 64th of the drive's cylinders, at least one.
TEST(Wscan, InitialWindow) {
  for (const auto& [cylinders, window] : {std::pair{640U, 10U}, {63U, 1U}}) {
    for (const std::uint32_t behind : {window, window + 1}) {
      PolicyBench bench(hundred_cylinders(cylinders));
      bench.select("wscan");
      bench.place_heads(30);
      ::candidate& ahead = bench.add(40);
      ::candidate& near = bench.add(30 - behind);
      EXPECT_EQ(bench.choose(), behind == window ? &near : &ahead) << cylinders;
    }
  }
}

}  // namespace
}  // namespace headstack::test
