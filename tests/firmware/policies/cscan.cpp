// SPDX-License-Identifier: Apache-2.0
// Tests of `cscan`, and its rows of the tables.
#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

const Rows<OrderCase> kOrders{
    {"Cscan_GoesUp_ThenToTheLowest", "cscan", 50, {40, 60, 10, 70}, {60, 70, 10, 40}},
    {"Cscan_EmptyAbove_JumpsToTheLowest", "cscan", 50, {49, 10}, {10, 49}},
    {"Cscan_PresentCylinderIsAbove", "cscan", 50, {49, 51, 50}, {50, 51, 49}},
};

const Rows<DetourCase> kDetours{
    {"Cscan_WithoutEdge", "cscan", false, 50, 49, POLICY_NO_DETOUR},
    {"Cscan_Above", "cscan:edge", false, 50, 50, POLICY_NO_DETOUR},
    {"Cscan_Jumps", "cscan:edge", false, 50, 49, 99},
    {"Cscan_AtTheEdge", "cscan:edge", false, 99, 98, POLICY_NO_DETOUR},
};

const Rows<SweepCase> kSweeps{{"cscan", true}};

const Rows<TextCase> kTexts{
    {"Cscan", "cscan", 4, 0, 0, 0, "cscan"},
    {"Cscan_Edge", "cscan:edge", 4, 1, 0, 0, "cscan:edge"},
};

}  // namespace
}  // namespace headstack::test
