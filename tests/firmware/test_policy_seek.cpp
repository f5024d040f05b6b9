// SPDX-License-Identifier: Apache-2.0
// Queues on a drive of 100 cylinders, served to the end: rows of policies/NAME.cpp at the edges of
// their definitions, and properties of all policies.
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

class SeekPolicy : public testing::TestWithParam<OrderCase> {};

TEST_P(SeekPolicy, Serves) {
  PolicyBench bench(without_angles());
  bench.select(GetParam().policy);
  bench.place_heads(GetParam().heads_at);
  for (const std::uint32_t cylinder : GetParam().arrivals) bench.add(cylinder);
  EXPECT_EQ(bench.cylinders_served(), GetParam().served);
}

INSTANTIATE_TEST_SUITE_P(Policy, SeekPolicy, testing::ValuesIn(rows_of<OrderCase>()),
                         case_name<OrderCase>);

TEST(EveryPolicysRule, NewSelection_BeginsWithAFreshState) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scan");
  bench.place_heads(50);
  bench.serve(bench.add(40));  // downward now
  bench.place_heads(50);
  bench.add(45);
  ::candidate& above = bench.add(60);
  bench.select("scan");
  EXPECT_EQ(bench.choose(), &above);
}

class Detour : public testing::TestWithParam<DetourCase> {};

TEST_P(Detour, IsToTheEdge_BeforeItTurns) {
  PolicyBench bench(hundred_cylinders());
  bench.select(GetParam().policy);
  if (GetParam().downward) {
    bench.place_heads(90);
    bench.serve(bench.add(80));
  }
  bench.place_heads(GetParam().heads_at);
  ::candidate& candidate = bench.add(GetParam().cylinder);
  ASSERT_EQ(bench.choose(), &candidate);
  EXPECT_EQ(bench.detour(candidate), GetParam().detour);
  EXPECT_EQ(bench.detour(candidate), GetParam().detour) << "asking changes nothing";
}

INSTANTIATE_TEST_SUITE_P(Policy, Detour, testing::ValuesIn(rows_of<DetourCase>()),
                         case_name<DetourCase>);

}  // namespace
}  // namespace headstack::test
