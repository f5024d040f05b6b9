// SPDX-License-Identifier: Apache-2.0
// Tests of `fcfs`, and its rows of the tables.
#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

const Rows<OrderCase> kOrders{
    {"Fcfs_GoesByArrival", "fcfs", 50, {10, 90, 50}, {10, 90, 50}},
};

const Rows<ByArrivalCase> kByArrival{{"fcfs"}};

const Rows<WaitCase> kWaits{
    {"Fcfs", "fcfs", kQueueThatWaits - 1},
};

}  // namespace
}  // namespace headstack::test
