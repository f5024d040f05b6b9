// SPDX-License-Identifier: Apache-2.0
// Counters of policies (queue/policy.h, log page 31h). Each policy with a limited search counts how
// often it reached its limit.
#include <gtest/gtest.h>

#include "firmware/queue/policy_table.h"
#include "host/options/policy_option.hpp"
#include "tests/firmware/policy_bench.hpp"

namespace headstack::test {
namespace {

std::uint32_t counter(PolicyBench& bench, const std::string& name) {
  const ::policy& policy = *bench.scheduler().policy;
  for (std::uint32_t i = 0; i < policy_counter_count(&policy); ++i) {
    if (policy.counters[i].name == name) return bench.scheduler().counters[i];
  }
  ADD_FAILURE() << policy.name << " has no counter " << name;
  return 0;
}

// A main list of 256 is not walked for an arrival: that joins it (policy_kamel.c), or does not
// (policy_scanrt.c).
TEST(PolicyCounters, ArrivalsThatJoinUnchecked) {
  for (const auto& [name, first] : {std::pair{"kamel", 256U}, std::pair{"scanrt", 257U}}) {
    SCOPED_TRACE(name);
    PolicyBench bench(hundred_cylinders());
    bench.select(name);
    for (std::uint32_t i = 1; i <= 260; ++i) {
      bench.add(i % 100);
      scheduler_announce_arrivals(&bench.scheduler(), &bench.heads());
      EXPECT_EQ(counter(bench, "unasked"), i < first ? 0 : i - first + 1) << i;
    }
  }
}

// The group of policy_dmscan.c has room for 32: with 33 due in time it is cut.
TEST(PolicyCounters, GroupThatIsCut) {
  for (const std::uint32_t count : {32U, 33U}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("dmscan");
    for (std::uint32_t i = 0; i < count; ++i) bench.make_due(bench.add(i), 60'000 * kMs);
    (void)bench.choose();
    EXPECT_EQ(counter(bench, "cut"), count - 32);
  }
  // A group that ends before it is full is not cut.
  PolicyBench bench(hundred_cylinders());
  bench.select("dmscan");
  for (std::uint32_t i = 0; i < 40; ++i) bench.make_due(bench.add(i), 20 * kMs);
  (void)bench.choose();
  EXPECT_EQ(counter(bench, "cut"), 0U);
}

// A beam orders batches of more than 11.
TEST(PolicyCounters, BatchesAndBeams) {
  for (const std::uint32_t count : {11U, 12U}) {
    PolicyBench bench(without_angles());
    bench.select("msedf");
    for (std::uint32_t i = 0; i < count; ++i) bench.add(5 * i);
    EXPECT_EQ(bench.cylinders_served().size(), count);
    for (std::uint32_t i = 0; i < 3; ++i) bench.add(5 * i);
    EXPECT_EQ(bench.cylinders_served().size(), 3U);
    EXPECT_EQ(counter(bench, "batches"), 2U);
    EXPECT_EQ(counter(bench, "beams"), count - 11);
  }
}

// A choice of the only waiting request is no search.
TEST(PolicyCounters, ChoicesWithoutAPreparation) {
  PolicyBench bench(hundred_cylinders());
  bench.select("stfd");
  bench.add(10);
  (void)bench.choose();
  EXPECT_EQ(counter(bench, "all_at_once"), 0U);
  bench.add(20);
  (void)bench.choose();
  EXPECT_EQ(counter(bench, "all_at_once"), 1U);
  (void)bench.choose_prepared(0, 1000);
  EXPECT_EQ(counter(bench, "all_at_once"), 1U);
}

// The order of struct gscan_counters (gscan.h; Gscan.Counters_CountTheWork has the values).
TEST(PolicyCounters, WorkOfGscan_ByName) {
  PolicyBench bench(without_angles());
  bench.select("gscan:tau=0");
  for (const std::uint32_t cylinder : {10U, 20U, 30U}) bench.add(cylinder);
  (void)bench.choose();
  EXPECT_EQ(counter(bench, "arrival_times"), 3U);
  EXPECT_EQ(counter(bench, "arrival_units"), 6U);
  EXPECT_EQ(counter(bench, "arrival_created"), 9U);
  EXPECT_EQ(counter(bench, "arrival_kept"), 9U);
  EXPECT_EQ(counter(bench, "decision_times"), 1U);
  EXPECT_EQ(counter(bench, "decision_units"), 3U);
  EXPECT_EQ(counter(bench, "decision_evaluations"), 0U);
  scheduler_clear_counters(&bench.scheduler());
  EXPECT_EQ(counter(bench, "arrival_times"), 0U);
}

// Counters begin at 0 with each selection, and no policy writes past its table.
TEST(PolicyCounters, BelongToASelection) {
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy& policy = *policy_row(row);
    SCOPED_TRACE(policy.name);
    ASSERT_LE(policy_counter_count(&policy), POLICY_COUNTERS_MAX);
    PolicyBench bench(hundred_cylinders());
    bench.select(policy.name);
    for (std::uint32_t i = 0; i < 24; ++i) bench.make_due(bench.add(4 * i), 100 * kMs);
    (void)bench.cylinders_served();
    for (std::uint32_t i = policy_counter_count(&policy); i < POLICY_COUNTERS_MAX; ++i) {
      EXPECT_EQ(bench.scheduler().counters[i], 0U) << i;
    }
    bench.select(policy.name);
    for (const std::uint32_t value : bench.scheduler().counters) EXPECT_EQ(value, 0U);
  }
}

}  // namespace
}  // namespace headstack::test
