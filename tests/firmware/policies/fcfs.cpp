// SPDX-License-Identifier: Apache-2.0
// Tests of `fcfs`: its definition, and its rows of the tables.
#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// fcfs: the oldest.
class Fcfs : public Policy {
 public:
  Request choose(const Queue& waiting, const Moment&) const override {
    return least(waiting, [](const Request&) { return 0; });
  }
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

const Rows<RandomCase> kRandom{
    {"Fcfs", "fcfs", as<reference::Fcfs>()},
};

const Rows<OrderCase> kOrders{
    {"Fcfs_GoesByArrival", "fcfs", 50, {10, 90, 50}, {10, 90, 50}},
};

const Rows<ByArrivalCase> kByArrival{{"fcfs"}};

const Rows<WaitCase> kWaits{
    {"Fcfs", "fcfs", kQueueThatWaits - 1},
};

}  // namespace
}  // namespace headstack::test
