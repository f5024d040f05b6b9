// SPDX-License-Identifier: Apache-2.0
// Tests of `edf`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Edf", "edf", 11, 0, 0, 0, "edf"},
};

TEST(Edf, DeadlinesByTheirTime_ThenTheRestByArrival) {
  PolicyBench bench(hundred_cylinders());
  bench.select("edf");
  bench.add(10);
  bench.make_due(bench.add(20), 50 * kMs);
  bench.add(30);
  bench.make_due(bench.add(40), 20 * kMs);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(40, 20, 10, 30));
}

TEST(Edf, EqualDeadlines_GoByArrival) {
  PolicyBench bench(hundred_cylinders());
  bench.select("edf");
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {90U, 50U, 10U}) {
    bench.make_due(bench.add(cylinder), 20 * kMs);
  }
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(90, 50, 10));
}

// The papers drop no request: a past deadline is the earliest of all.
TEST(Edf, PastDeadlines_GoFirst) {
  PolicyBench bench(hundred_cylinders());
  bench.select("edf");
  bench.make_due(bench.add(10), 0);
  bench.make_due(bench.add(20), -5 * kMs);
  bench.make_due(bench.add(30), 64);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(20, 10, 30));
}

// Deadlines are 32 bits of 64 ticks: 2^38 ticks after power-on they begin again at 0.
TEST(Edf, CounterOfDeadlinesWraps) {
  PolicyBench bench(hundred_cylinders());
  bench.select("edf");
  bench.wait((std::uint64_t{1} << 38) - 30 * kMs - bench.heads().at_tick);
  bench.make_due(bench.add(10), 40 * kMs);   // after the wrap
  bench.make_due(bench.add(20), 20 * kMs);   // before the wrap
  bench.make_due(bench.add(30), -20 * kMs);  // past
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(30, 20, 10));
}

}  // namespace
}  // namespace headstack::test
