// SPDX-License-Identifier: Apache-2.0
// Tests of `scanedf`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Scanedf", "scanedf", 14, 0, 0, 0, "scanedf:quantum=0"},
    {"ScanedfQuantum", "scanedf:quantum=2.5", 14, 0, 25, 0, "scanedf:quantum=2.5"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"ScanedfQuantum", "scanedf:quantum=60001", "is not possible"},
};

TEST(Scanedf, EqualDeadlines_AreSwept_AndSoIsTheRest) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scanedf");
  bench.place_heads(50);
  bench.add(58);
  bench.add(41);
  for (const std::uint32_t cylinder : {40U, 60U, 55U}) {
    bench.make_due(bench.add(cylinder), 20 * kMs);
  }
  bench.make_due(bench.add(90), 10 * kMs);
  // 90 goes first; then downward the three of the next quantum, and 41 and 58 on the way back up.
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(90, 60, 55, 40, 41, 58));
}

// The clock stands at 25 ms: quanta of 10 ms begin at 20, 30 and 40.
TEST(Scanedf, Quantum_ItsLastTicks_AndTheNextOnes) {
  for (const bool same : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("scanedf:quantum=10");
    bench.place_heads(50);
    ASSERT_EQ(bench.heads().at_tick, 25ULL * kMs);
    bench.make_due(bench.add(90), 5 * kMs);                     // at 30 ms
    bench.make_due(bench.add(52), 15 * kMs - (same ? 64 : 0));  // just before 40 ms, or at it
    EXPECT_EQ(bench.choose()->cylinder, same ? 52U : 90U);
  }
}

// An earlier quantum goes before the present one, though both deadlines are less than a quantum
// away from now.
TEST(Scanedf, Quantum_Past) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scanedf:quantum=10");
  bench.place_heads(50);
  bench.make_due(bench.add(51), -4 * kMs);  // at 21 ms
  bench.make_due(bench.add(90), -6 * kMs);  // at 19 ms
  EXPECT_EQ(bench.choose()->cylinder, 90U);
}

}  // namespace
}  // namespace headstack::test
