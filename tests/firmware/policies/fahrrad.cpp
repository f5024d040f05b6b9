// SPDX-License-Identifier: Apache-2.0
// Tests of `fahrrad`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Fahrrad", "fahrrad", 27, 0, 0, 0, "fahrrad:w=14,horizon=250"},
    {"FahrradBoth", "fahrrad:w=6.5,horizon=60", 27, 0, 65, 600, "fahrrad:w=6.5,horizon=60"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"FahrradW", "fahrrad:w=1000.1", "is not possible"},
    {"FahrradHorizon", "fahrrad:horizon=10000.1", "is not possible"},
};

// Two worst cases of 14 ms fit before 28 ms, not before 27.
TEST(Fahrrad, RealTimeThatFitsBeforeTheEarliestDeadline_IsReordered) {
  for (const int due_ms : {27, 29}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fahrrad");
    bench.place_heads(50);
    bench.make_due(bench.add(80), due_ms * kMs);
    bench.make_due(bench.add(60), 100 * kMs);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 27 ? 80U : 60U);
  }
}

// The same case has a best-effort request here.
TEST(Fahrrad, BestEffortThatFits_IsReordered) {
  for (const int due_ms : {27, 29}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fahrrad");
    bench.place_heads(50);
    bench.make_due(bench.add(80), due_ms * kMs);
    bench.add(60);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 27 ? 80U : 60U);
  }
}

// Three deadlines at 55 or 57 ms: after 42 ms of real time another 14 fit before 57, not before 55.
TEST(Fahrrad, AllRealTimeCounts) {
  for (const int due_ms : {55, 57}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fahrrad");
    bench.place_heads(50);
    for (const std::uint32_t cylinder : {80U, 90U, 95U}) {
      bench.make_due(bench.add(cylinder), due_ms * kMs);
    }
    bench.add(60);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 55 ? 80U : 60U);
  }
}

// The horizon of 30 ms has room for two: the oldest, though others are nearer.
TEST(Fahrrad, Horizon_TakesTheOldest) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fahrrad:horizon=30");
  bench.place_heads(50);
  bench.add(70);
  bench.add(60);
  bench.add(50);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 70, 50));
}

// The promise of the policy's head. There are two reserved streams, one request of each always
// waiting, among best effort and a stream without a reservation that never end. The drive's
// accesses take no more than W = 23 ms: 11.9 of seek, a turn, and the transfer. The sum of u + W /
// p is 0.85, and W / (the shortest p) 0.077.
TEST(Fahrrad, ReservedStream_GetsItsPartOfEveryPeriod) {
  struct Stream {
    std::uint8_t number;
    std::uint64_t period, full;
  };
  const Stream streams[] = {{2, 1000 * kMs, 450 * kMs}, {5, 300 * kMs, 90 * kMs}};
  for (const std::uint32_t depth : {1U, 2U, 8U}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fahrrad:w=23");
    bench.settle({"2:u=0.45,p=1000ms", "5:u=0.3,p=300ms"});
    std::mt19937 random(depth);
    const auto arrive = [&](std::uint8_t stream) {
      bench.add(static_cast<std::uint32_t>(random() % 100), 0, static_cast<std::uint32_t>(random()))
          .stream = stream;
    };
    for (const Stream& stream : streams) {
      for (std::uint32_t i = 0; i < depth; ++i) arrive(stream.number);
    }
    for (int i = 0; i < 30; ++i) arrive(i % 2 == 0 ? 0 : 9);
    std::map<std::uint8_t, std::map<std::uint64_t, std::int64_t>> given;
    std::uint64_t now = 0;
    for (int i = 0; i < 4000; ++i) {
      ::candidate* chosen = bench.choose();
      const std::uint8_t stream = chosen->stream;
      const std::uint64_t from = bench.heads().at_tick;
      bench.serve(*chosen);
      now = bench.heads().at_tick;
      ASSERT_LE(now - from, 23U * kMs);
      for (const Stream& one : streams) {
        if (one.number == stream) {
          given[stream][from / one.period] += static_cast<std::int64_t>(now - from);
        }
      }
      arrive(stream);
    }
    for (const Stream& one : streams) {
      // The bench's clock begins 25 ms into the first period; the last period is incomplete.
      std::int64_t all = 0, due = 0;
      for (std::uint64_t period = 0; period < now / one.period; ++period) {
        const std::int64_t part = given[one.number][period];
        const std::int64_t full = static_cast<std::int64_t>(one.full);
        all += part;
        due += full;
        ASSERT_GE(part, full - 23 * kMs) << int{one.number} << " in " << period;
        ASSERT_GE(all, due) << "stream " << int{one.number} << " up to period " << period
                            << ", depth " << depth;
      }
    }
  }
}

// Stream 3 has 30 of 1,000 ms. With W = 14 ms three of its four requests are real time, due at the
// end of the period. The fourth, the youngest, does not fit: it is best effort, though it has a
// deadline.
TEST(Fahrrad, BeyondItsBudget_IsBestEffort) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fahrrad:horizon=0.1");
  bench.settle({"3:u=0.03,p=1000ms"});
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {90U, 80U, 70U, 60U}) bench.add(cylinder).stream = 3;
  bench.make_due(*bench.waiting()->last, 20 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 70U);
}

}  // namespace
}  // namespace headstack::test
