// SPDX-License-Identifier: Apache-2.0
// Tests of `cello`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<TextCase> kTexts{
    {"Cello", "cello", 24, 0, 0, 0, "cello:share=0.5"},
    {"CelloShare", "cello:share=0.25", 24, 0, 25, 0, "cello:share=0.25"},
    {"CelloExact", "cello:price=exact", 24, 1, 0, 0, "cello:share=0.5,price=exact"},
    {"CelloByStream", "cello:by=stream", 24, 2, 0, 0, "cello:by=stream"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"CelloShare0", "cello:share=0", "is not possible"},
    {"CelloShare1", "cello:share=1", "is not possible"},
    {"CelloShareByStream", "cello:share=0.3,by=stream", "has no meaning with 'by=stream'"},
};

// Neither class has used time: real time is next. 60 and then 70 end at 8 and 16 ms
// (hundred_cylinders), which leaves room for the best effort or not.
TEST(Cello, BestEffortGoesFirst_IfAllDeadlinesAreMet) {
  for (const int due_ms : {15, 17}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("cello");
    bench.place_heads(50);
    bench.add(60);
    bench.make_due(bench.add(70), due_ms * kMs);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 15 ? 70U : 60U);
  }
}

// Heads at 50, and three deadlines that are past: none can be met, so best effort is chosen by its
// share alone. 60 takes 8 ms, 90 after it 10, 61 after that 9.9 (hundred_cylinders). With halves 8
// against 0, 8 against 10, 17.9 against 10; with nine tenths 8.9 against 0, 8.9 and 19.9 against
// 100.
TEST(Cello, ClassWithLessGoesNext) {
  for (const bool halves : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(halves ? "cello" : "cello:share=0.9");
    bench.place_heads(50);
    bench.make_due(bench.add(60), -3 * kMs);
    bench.make_due(bench.add(61), -2 * kMs);
    bench.make_due(bench.add(62), -1 * kMs);
    bench.add(90);
    bench.add(95);
    if (halves) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 90, 61, 95, 62));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 90, 61, 62, 95));
    }
  }
}

// Best effort has been served alone: real time gets no credit for time that it did not ask for.
TEST(Cello, IdleClass_CatchesUp) {
  PolicyBench bench(hundred_cylinders());
  bench.select("cello");
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {51U, 52U, 53U, 54U}) bench.add(cylinder);
  for (int i = 0; i < 3; ++i) bench.serve(*bench.choose());
  // Real time is behind by the last access only; these two take one turn each.
  bench.make_due(bench.add(90), -1 * kMs);
  bench.make_due(bench.add(91), -1 * kMs);
  bench.add(55);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(90, 55, 91, 54));
}

}  // namespace
}  // namespace headstack::test
