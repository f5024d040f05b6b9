// SPDX-License-Identifier: Apache-2.0
// Tests of `msedf`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<OrderCase> kOrders{
    // Movements are 5 + 5 + 50 cylinders; upward first they would be 40 + 45 + 5.
    {"Msedf_LeastSeeks", "msedf", 50, {90, 45, 40}, {45, 40, 90}},
    // 60 and 40 are at the same distance: the older goes first.
    {"Msedf_EqualOrders", "msedf", 50, {40, 60}, {40, 60}},
    {"Msedf_EqualOrders_OtherWay", "msedf", 50, {60, 40}, {60, 40}},
    // All are on the same track: they go by age.
    {"Msedf_SameTrack", "msedf", 50, {60, 60, 60}, {60, 60, 60}},
};

const Rows<WaitCase> kWaits{
    // A request waits for the rest of a batch, and for a batch of its own: all that wait, 22 at
    // most.
    {"Msedf", "msedf", 2 * kQueueThatWaits - 1},
};

const Rows<TextCase> kTexts{
    {"Msedf", "msedf", 22, 0, 0, 0, "msedf"},
};

// Waits are half a turn here: an access takes 7 ms and 0.1 ms a cylinder. On the own cylinder it
// takes 5 ms. Its transfer takes 2.4 ticks. The least movements are 45, 40, 62 (5 + 5 + 22
// cylinders). They end at 7.5, 15 and 24.2 ms. Then come 62, 45, 40 (12 + 17 + 5).
TEST(Msedf, DeadlineJustInTime_AndJustLate) {
  for (const bool in_time : {true, false}) {
    PolicyBench bench(without_angles());
    bench.select("msedf");
    bench.place_heads(50);
    bench.make_due(bench.add(62), 24 * kMs + kMs / 5 + (in_time ? 64 : 0));
    bench.add(45);
    bench.add(40);
    if (in_time) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(45, 40, 62));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(62, 45, 40));
    }
  }
}

// An access at once takes 8.2 ms: with 64 ticks more it binds, without them it is hopeless.
TEST(Msedf, HopelessDeadline_DoesNotBind) {
  for (const bool live : {true, false}) {
    PolicyBench bench(without_angles());
    bench.select("msedf");
    bench.place_heads(50);
    bench.make_due(bench.add(62), 8 * kMs + kMs / 5 + (live ? 64 : 0));
    bench.add(45);
    bench.add(40);
    if (live) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(62, 45, 40));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(45, 40, 62));
    }
  }
}

// Each of 60 and 40 takes 8 ms from 50, and both are due before two accesses can end. They go by
// deadline, then best effort upward.
TEST(Msedf, NoOrderMeetsAll_ByDeadlineThenByCylinder) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  bench.add(55);
  bench.make_due(bench.add(60), 10 * kMs);
  bench.add(45);
  bench.make_due(bench.add(40), 9 * kMs);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(40, 60, 45, 55));
}

// An arrival after the first choice waits for the next batch, however near and urgent.
TEST(Msedf, BatchIsServedToItsEnd) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  bench.add(60);
  bench.add(80);
  bench.serve(*bench.choose());
  bench.make_due(bench.add(60), 8 * kMs);
  bench.add(62);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(80, 62, 60));
}

// An arrival before the first choice is in the batch.
TEST(Msedf, BatchIsFixedWhenItsFirstIsServed) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  bench.add(60);
  bench.add(80);
  EXPECT_EQ(bench.choose()->cylinder, 60U);
  bench.add(70);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 70, 80));
}

// The chosen request leaves, and so does one of the batch: no other is lost.
TEST(Msedf, RequestThatLeaves_IsSkipped) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  ::candidate& second = bench.add(70);
  bench.add(80);
  bench.add(90);
  EXPECT_EQ(bench.choose(), &first);
  bench.withdraw(first);
  ::candidate* chosen = bench.choose();
  EXPECT_EQ(chosen, &second);
  bench.serve(*chosen);
  ::candidate* third = bench.choose();
  EXPECT_EQ(third->cylinder, 80U);
  bench.withdraw(*third);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(90));
}

// The drive serves another request than the policy would (HEAD OF QUEUE): a batch begins with that
// one.
TEST(Msedf, OtherRequestServedFirst_BatchContinuesFromThere) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  bench.add(45);
  bench.add(40);
  ::candidate& far = bench.add(90);
  EXPECT_EQ(bench.choose()->cylinder, 45U);
  bench.serve(far);
  bench.add(91);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(45, 40, 91));
}

// Of 23 the youngest best effort is left out, and a deadline that came after it is not.
TEST(Msedf, BatchHas22_RealTimeFirst) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(20);
  for (std::uint32_t i = 0; i < 21; ++i) bench.add(20 + i);
  bench.add(19);
  bench.make_due(bench.add(50), 60'000 * kMs);
  std::vector<std::uint32_t> served = bench.cylinders_served();
  ASSERT_EQ(served.size(), 23U);
  EXPECT_EQ(served[21], 50U);
  EXPECT_EQ(served[22], 19U);
}

}  // namespace
}  // namespace headstack::test
