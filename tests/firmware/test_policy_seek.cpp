// Queues on a drive of 100 cylinders, served to the end: rows of policies/NAME.cpp at the edges of
// their definitions, and what holds for every policy.
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

const char* const kAll[] = {"fcfs",
                            "sstf",
                            "stf",
                            "scan",
                            "cscan",
                            "fscan",
                            "vr",
                            "vr:r=0",
                            "vr:r=1",
                            "wscan",
                            "wscan:window=0",
                            "eschenbach",
                            "eschenbach:order=20",
                            "gstf",
                            "gstf:bounce",
                            "gstf:frozen",
                            "gstf:bounce,frozen",
                            "gstf:group=1",
                            "wstf",
                            "wstf:floor=none",
                            "wstf:floor=0",
                            "wstf:m_per_request"};

TEST(EveryPolicysRule, OneWaits_ItIsServed) {
  for (const char* policy : kAll) {
    for (const std::uint32_t cylinder : {0U, 49U, 50U, 51U, 99U}) {
      PolicyBench bench(hundred_cylinders());
      bench.select(policy);
      bench.place_heads(50);
      ::candidate& first = bench.add(cylinder);
      EXPECT_EQ(bench.choose(), &first) << policy << " " << cylinder;
      bench.serve(first);
      EXPECT_EQ(bench.choose(), nullptr) << policy;
      ::candidate& second = bench.add(99 - cylinder);
      EXPECT_EQ(bench.choose(), &second) << policy << " " << cylinder;
    }
  }
}

// More than a search compares one by one, so that bands are walked, too.
TEST(EveryPolicysRule, EqualRequests_AreServedByArrival) {
  for (const char* policy : kAll) {
    for (const std::uint32_t cylinder : {40U, 50U, 60U}) {
      PolicyBench bench(hundred_cylinders());
      bench.select(policy);
      bench.place_heads(50);
      std::vector<::candidate*> added;
      for (int i = 0; i < 40; ++i) added.push_back(&bench.add(cylinder));
      for (::candidate* oldest : added) {
        ASSERT_EQ(bench.choose(), oldest) << policy;
        bench.serve(*oldest);
      }
    }
  }
}

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
