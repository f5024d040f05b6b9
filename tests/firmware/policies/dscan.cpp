// SPDX-License-Identifier: Apache-2.0
// Tests of `dscan`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Dscan", "dscan", 12, 0, 0, 0, "dscan"},
};

// 30 has the earliest deadline: 45 and 40 lie on the way, 55 does not though it is nearer.
TEST(Dscan, ServesRequestsOnTheWay) {
  PolicyBench bench(hundred_cylinders());
  bench.select("dscan");
  bench.place_heads(50);
  bench.make_due(bench.add(55), 90 * kMs);
  bench.make_due(bench.add(30), 40 * kMs);
  bench.add(40);
  bench.add(45);
  bench.add(51);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(45, 40, 30, 51, 55));
}

// A new request turns the arm back at once, from 45.
TEST(Dscan, TargetIsChosenAgainForEachDecision) {
  PolicyBench bench(hundred_cylinders());
  bench.select("dscan");
  bench.place_heads(50);
  bench.make_due(bench.add(30), 400 * kMs);
  ::candidate& first = bench.add(45);
  ASSERT_EQ(bench.choose(), &first);
  bench.serve(first);
  ::candidate& urgent = bench.add(60);
  bench.make_due(urgent, 20 * kMs);
  EXPECT_EQ(bench.choose(), &urgent);
}

// The plan is 45, on the way to 30. The arrival is due before: neither it nor 45 goes next, but 55,
// which lies on the way to it. So a plan cannot be corrected by comparing two requests.
TEST(Dscan, ArrivalMovesThePlan_ToAThird) {
  PolicyBench bench(hundred_cylinders());
  bench.select("dscan");
  bench.place_heads(50);
  ::candidate& down = bench.add(45);
  ::candidate& up = bench.add(55);
  bench.make_due(bench.add(30), 400 * kMs);
  ::scheduler& scheduler = bench.scheduler();
  scheduler_plan(&scheduler, &bench.heads(), bench.heads().at_tick);
  ASSERT_EQ(scheduler_planned(&scheduler), &down);
  ::candidate& urgent = bench.add(90);
  bench.make_due(urgent, 20 * kMs);
  scheduler_task_arrived(&scheduler, &urgent, 0);
  EXPECT_EQ(scheduler_planned(&scheduler), &up);
}

// The target lies on the arm's own cylinder. All nearest requests do, too, and the oldest goes
// first.
TEST(Dscan, TargetOnTheOwnCylinder) {
  PolicyBench bench(hundred_cylinders());
  bench.select("dscan");
  bench.place_heads(50);
  bench.add(49);
  ::candidate& older = bench.add(50);
  bench.make_due(bench.add(50), 20 * kMs);
  EXPECT_EQ(bench.choose(), &older);
}

}  // namespace
}  // namespace headstack::test
