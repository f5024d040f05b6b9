// SPDX-License-Identifier: Apache-2.0
// Tests of `vr`, and its rows of the tables.
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

const Rows<OrderCase> kOrders{
    {"Vr_0_IsSstf", "vr:r=0", 50, {51, 55, 48}, {51, 48, 55}},
    {"Vr_1_IsScan", "vr:r=1", 50, {10, 99, 49}, {99, 49, 10}},
    // A turn costs 0.2 * 99 = 19.8 cylinders: 10 + 19.8 against 30, and against 29.
    {"Vr_ChargeIsLess_Turns", "vr", 50, {80, 40}, {40, 80}},
    {"Vr_ChargeIsMore_GoesOn", "vr", 50, {79, 40}, {79, 40}},
    // After the turn, requests above are charged: 5 against 1 + 19.8.
    {"Vr_TurnsWithTheRequestBehind", "vr", 50, {80, 48, 43, 49}, {49, 48, 43, 80}},
    {"Vr_PresentCylinderIsAhead", "vr:r=1", 50, {51, 50, 49}, {50, 51, 49}},
};

const Rows<SweepCase> kSweeps{{"vr:r=1", false}};

const Rows<TextCase> kTexts{
    {"Vr", "vr", 6, 0, 0, 0, "vr:r=0.2"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"TooFine", "vr:r=0.2005",
     "'r=0.2005' is not possible: 0 to 1 of the stroke, in steps of 0.001"},
    {"JustAbove", "vr:r=1.001", "is not possible"},
};

const Rows<FaultCase> kFaults{
    {"ZeroWhereItIsPossible", POLICY_NUMBER_vr, 0, {POLICY_PARAMETER_ZERO}, POLICY_FAULT_NONE},
};

// 0.2 * 100 cylinders is 20: 10 + 20 against 30.
TEST(Vr, Tie_GoesToTheOldest) {
  for (const bool ahead_first : {true, false}) {
    PolicyBench bench(hundred_cylinders(101));
    bench.select("vr:r=0.2");
    bench.place_heads(50);
    ::candidate& oldest = bench.add(ahead_first ? 80 : 40);
    bench.add(ahead_first ? 40 : 80);
    EXPECT_EQ(bench.choose(), &oldest);
  }
}

}  // namespace
}  // namespace headstack::test
