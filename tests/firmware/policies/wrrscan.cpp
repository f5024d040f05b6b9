// SPDX-License-Identifier: Apache-2.0
// Tests of `wrrscan`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<WaitCase> kWaits{
    // A round has the two oldest of the stream: a request waits for all older ones, and for a
    // younger one in the same round.
    {"Wrrscan", "wrrscan", kQueueThatWaits},
    {"Wrrscan_Fcfs", "wrrscan:inner=fcfs", kQueueThatWaits - 1},
};

const Rows<TextCase> kTexts{
    {"Wrrscan", "wrrscan", 25, 0, 0, 0, "wrrscan:rt=4,be=2,round=0"},
    {"WrrscanQuotas", "wrrscan:rt=7,be=3", 25, 0, 7, 3, "wrrscan:rt=7,be=3,round=0"},
    {"WrrscanRound", "wrrscan:round=60", 25, 0, 0, 0, "wrrscan:rt=4,be=2,round=60", 600},
    {"WrrscanFcfs", "wrrscan:inner=fcfs", 25, 1, 0, 0, "wrrscan:rt=4,be=2,round=0,inner=fcfs"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"WrrscanRt0", "wrrscan:rt=0", "is not possible"},
    {"WrrscanBe256", "wrrscan:be=256", "is not possible"},
    {"WrrscanRound", "wrrscan:round=6000.1", "is not possible"},
};

void add(PolicyBench& bench, std::uint32_t cylinder, std::uint8_t stream) {
  bench.add(cylinder).stream = stream;
}

// The first round has two of stream 1, and the only one of stream 2.
TEST(Wrrscan, QuotaForEachStream) {
  PolicyBench bench(hundred_cylinders());
  bench.select("wrrscan");
  bench.place_heads(50);
  add(bench, 70, 1);
  add(bench, 60, 1);
  add(bench, 51, 1);
  add(bench, 65, 2);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 65, 70, 51));
}

TEST(Wrrscan, RoundByArrival) {
  PolicyBench bench(hundred_cylinders());
  bench.select("wrrscan:inner=fcfs");
  bench.place_heads(50);
  add(bench, 70, 1);
  add(bench, 60, 1);
  add(bench, 51, 1);
  add(bench, 65, 2);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 60, 65, 51));
}

// Stream 1 has one request a round by w, three by k; stream 2 two, as best effort has.
TEST(Wrrscan, QuotaOfItsOwn) {
  for (const bool by_arrival : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(by_arrival ? "wrrscan:inner=fcfs" : "wrrscan");
    bench.settle({"1:w=1,k=3"});
    bench.place_heads(50);
    for (const std::uint32_t cylinder : {70U, 60U, 51U}) add(bench, cylinder, 1);
    for (const std::uint32_t cylinder : {75U, 65U, 52U}) add(bench, cylinder, 2);
    if (by_arrival) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 60, 51, 75, 65, 52));
    } else {
      // 75 ends the first round's sweep; 60 and 52 follow downward. From there upward, the round of
      // 51 is last.
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(65, 70, 75, 60, 52, 51));
    }
  }
}

// A round of 40 ms holds three accesses of a mean length: two of the quota, and one more.
TEST(Wrrscan, LengthOfARound_IsFilledWithBestEffort) {
  for (const bool longer : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    const double mean_ms = bench.drive().mean_access_ticks / kMs;
    ASSERT_GT(mean_ms, 10.0);  // 2 ms, 5 ms, and a third of 100 cylinders' 10 ms
    ASSERT_LT(mean_ms, 10.6);
    bench.select(longer ? "wrrscan:round=32" : "wrrscan:round=30");
    bench.place_heads(50);
    add(bench, 70, 1);
    add(bench, 60, 1);
    add(bench, 51, 1);
    add(bench, 50, 1);
    EXPECT_EQ(bench.choose()->cylinder, longer ? 51U : 60U);
  }
}

}  // namespace
}  // namespace headstack::test
