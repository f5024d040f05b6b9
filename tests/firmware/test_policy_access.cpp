// SPDX-License-Identifier: Apache-2.0
// Common tests of policies that price accesses, at the edges of their definitions: rows of
// policies/NAME.cpp.
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

// The search goes from near to far, and stops where the seek alone takes longer than the best so
// far. It goes on where the seek takes the same time, because an older candidate may be there.
class EqualPrice : public testing::TestWithParam<EqualPriceCase> {};

TEST_P(EqualPrice, OlderOne_IsFoundAtTheVeryEndOfTheSearch) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select(GetParam().policy);
  bench.place_heads(50);
  ::candidate far;  // to be caught as soon as the seek is over, with no length
  far.cylinder = 60;
  far.head = 0;
  far.kind = CANDIDATE_READ;
  far.span_turn24 = 0;
  std::uint64_t least = UINT64_MAX;
  std::uint32_t best_angle = 0;
  for (std::uint32_t step = 0; step < 2048; ++step) {
    far.angle_turn32 = turn32(0.8) - 0x40000 + 256 * step;
    if (bench.access_turn24(far) >= least) continue;
    least = bench.access_turn24(far);
    best_angle = far.angle_turn32;
  }
  ::candidate& oldest = bench.add(60, 0, best_angle, 0);
  const auto wait_turn32 = static_cast<std::uint32_t>(least << 8);
  ::candidate& near = bench.add(50, 0, bench.heads().angle_turn32 + wait_turn32, 0);
  for (int i = 0; i < 40; ++i) bench.add(50, 0, bench.heads().angle_turn32 - 256);
  ASSERT_EQ(bench.access_turn24(oldest), bench.access_turn24(near));
  EXPECT_EQ(bench.choose(), &oldest);
}

INSTANTIATE_TEST_SUITE_P(Policy, EqualPrice, testing::ValuesIn(rows_of<EqualPriceCase>()),
                         case_name<EqualPriceCase>);

class Groups : public testing::TestWithParam<GroupCase> {};

// 59 is the group's last cylinder. 60 and 49 belong to its neighbours, and are cheaper; 99 belongs
// to the last group. Within a group the nearest goes first: no wait depends on the angle here.
TEST_P(Groups, AreServedOneAfterTheOther) {
  PolicyBench bench(without_angles());
  bench.select(GetParam().policy);
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {49U, 60U, 20U, 95U, 59U, 50U}) bench.add(cylinder);
  EXPECT_EQ(bench.cylinders_served(), GetParam().served);
}

INSTANTIATE_TEST_SUITE_P(Policy, Groups, testing::ValuesIn(rows_of<GroupCase>()),
                         case_name<GroupCase>);

}  // namespace
}  // namespace headstack::test
