// SPDX-License-Identifier: Apache-2.0
// Tests of `gss`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<WaitCase> kWaits{
    // A visit has the four oldest: a request waits for all older ones, and for three younger ones
    // in the same visit.
    {"Gss", "gss", kQueueThatWaits + 2},
};

const Rows<TextCase> kTexts{
    {"Gss", "gss", 23, 0, 0, 0, "gss:q=4"},
    {"GssQ", "gss:q=9", 23, 0, 9, 0, "gss:q=9"},
};

const Rows<WrongTextCase> kWrongTexts{{"GssQ257", "gss:q=257", "is not possible"}};

void add(PolicyBench& bench, std::uint32_t cylinder, std::uint8_t stream) {
  bench.add(cylinder).stream = stream;
}

// Stream 3 begins with its two oldest; then 9, and 3 again.
TEST(Gss, StreamsInTurn_TheOldestOfEach) {
  PolicyBench bench(hundred_cylinders());
  bench.select("gss:q=2");
  bench.place_heads(50);
  add(bench, 52, 9);
  add(bench, 90, 3);
  add(bench, 70, 3);
  add(bench, 51, 3);
  add(bench, 10, 9);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 90, 52, 10, 51));
}

// A request that arrives during a visit waits for the next, even of the same stream.
TEST(Gss, ArrivalsWaitForTheNextVisit) {
  PolicyBench bench(hundred_cylinders());
  bench.select("gss");
  bench.place_heads(50);
  add(bench, 60, 3);
  add(bench, 70, 3);
  bench.serve(*bench.choose());
  add(bench, 61, 3);
  add(bench, 62, 1);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 62, 61));
}

}  // namespace
}  // namespace headstack::test
