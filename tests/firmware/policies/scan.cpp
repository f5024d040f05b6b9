// SPDX-License-Identifier: Apache-2.0
// Tests of `scan`, and its rows of the tables.
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

const Rows<OrderCase> kOrders{
    {"Scan_BeginsUpward_AndTurnsAtTheLast", "scan", 50, {10, 60, 40, 70}, {60, 70, 40, 10}},
    {"Scan_EmptyAhead_TurnsAtOnce", "scan", 50, {10, 40}, {40, 10}},
    {"Scan_PresentCylinderIsAhead", "scan", 50, {51, 49, 50}, {50, 51, 49}},
    {"Scan_FromTheLowestCylinder", "scan", 0, {1, 0}, {0, 1}},
    {"Scan_FromTheHighestCylinder", "scan", 99, {98, 99, 0}, {99, 98, 0}},
};

const Rows<DetourCase> kDetours{
    {"Scan_WithoutEdge", "scan", false, 50, 49, POLICY_NO_DETOUR},
    {"Scan_Ahead", "scan:edge", false, 50, 51, POLICY_NO_DETOUR},
    {"Scan_OwnCylinder", "scan:edge", false, 50, 50, POLICY_NO_DETOUR},
    {"Scan_Turns", "scan:edge", false, 50, 49, 99},
    {"Scan_NextToTheEdge", "scan:edge", false, 98, 97, 99},
    {"Scan_AtTheEdge", "scan:edge", false, 99, 98, POLICY_NO_DETOUR},
    {"Scan_Downward_Ahead", "scan:edge", true, 50, 49, POLICY_NO_DETOUR},
    {"Scan_Downward_Turns", "scan:edge", true, 50, 51, 0},
    {"Scan_Downward_AtTheEdge", "scan:edge", true, 0, 1, POLICY_NO_DETOUR},
};

const Rows<WaitCase> kWaits{
    {"Scan", "scan", 0},
};

const Rows<SweepCase> kSweeps{{"scan", false}};

const Rows<TextCase> kTexts{
    {"Edge", "scan:edge", 3, 1, 0, 0, "scan:edge"},
    {"Scan", "scan", 3, 0, 0, 0, "scan"},
};

TEST(Scan, DirectionTurns_WhenServed_NotWhenChosen) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scan");
  bench.place_heads(50);
  ::candidate& behind = bench.add(40);
  EXPECT_EQ(bench.choose(), &behind);
  ::candidate& ahead = bench.add(90);
  EXPECT_EQ(bench.choose(), &ahead) << "still upward";
}

TEST(Scan, HoldingBack_TurnsNothing) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scan");
  bench.place_heads(50);
  bench.withdraw(bench.add(40));
  bench.add(45);
  ::candidate& ahead = bench.add(90);
  EXPECT_EQ(bench.choose(), &ahead);
}

}  // namespace
}  // namespace headstack::test
