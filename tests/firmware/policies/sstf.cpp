// SPDX-License-Identifier: Apache-2.0
// Tests of `sstf`, and its rows of the tables.
#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

const Rows<OrderCase> kOrders{
    {"Sstf_TakesTheNearest", "sstf", 50, {10, 60, 45}, {45, 60, 10}},
    {"Sstf_TieGoesToTheOldest_Above", "sstf", 50, {60, 40}, {60, 40}},
    {"Sstf_TieGoesToTheOldest_Below", "sstf", 50, {40, 60}, {40, 60}},
    {"Sstf_ForgetsDirections", "sstf", 50, {51, 54, 48}, {51, 54, 48}},
    {"Sstf_ForgetsDirections_Back", "sstf", 50, {51, 55, 48}, {51, 48, 55}},
};

const Rows<WaitCase> kWaits{
    // What this load does to those that promise nothing.
    {"Sstf", "sstf", 0},
};

const Rows<TextCase> kTexts{
    {"Sstf", "sstf", 1, 0, 0, 0, "sstf"},
};

}  // namespace
}  // namespace headstack::test
