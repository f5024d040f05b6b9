// SPDX-License-Identifier: Apache-2.0
// Tests of `gstf`, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<GroupCase> kGroups{
    {"Cyclic", "gstf:group=10", {50, 59, 60, 95, 20, 49}},
    {"Bounce", "gstf:group=10,bounce", {50, 59, 60, 95, 49, 20}},
    {"Frozen", "gstf:group=10,frozen", {50, 59, 60, 95, 20, 49}},
    {"BounceFrozen", "gstf:group=10,bounce,frozen", {50, 59, 60, 95, 49, 20}},
};

const Rows<WaitCase> kWaits{
    // A request waits for a set of each of the ten groups, and for the rest of one set.
    {"Gstf_Frozen", "gstf:group=10,frozen", 11 * kQueueThatWaits},
    // To and fro, every group but the last one comes twice.
    {"Gstf_Frozen_Bounce", "gstf:group=10,frozen,bounce", 19 * kQueueThatWaits},
    {"Gstf", "gstf:group=10", 0},
};

const Rows<EqualPriceCase> kEqualPrices{{"Gstf", "gstf:group=100"}};

const Rows<TextCase> kTexts{
    {"InitialShare", "gstf", 9, 0, 0, 0, "gstf:group=210"},
    {"Words", "gstf:group=210,frozen", 9, 2, 210, 0, "gstf:group=210,frozen"},
    {"LeastValue", "gstf:group=1", 9, 0, 1, 0, "gstf:group=1"},
    {"MostValue", "gstf:group=65535", 9, 0, 65535, 0, "gstf:group=65535"},
    {"Gstf_Bounce", "gstf:bounce", 9, 1, 0, 0, "gstf:group=210,bounce"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"BelowTheRange", "gstf:group=0",
     "policy 'gstf': 'group=0' is not possible: 1 to 65535 cylinders"},
    {"AboveTheRange", "gstf:group=65536", "'group=65536' is not possible: 1 to 65535 cylinders"},
};

const Rows<FaultCase> kFaults{
    {"AllItsFlags", POLICY_NUMBER_gstf, 3, {0}, POLICY_FAULT_NONE},
    {"FlagThatItDoesNotHave", POLICY_NUMBER_gstf, 4, {0}, POLICY_FAULT_FLAGS},
    {"LeastValue", POLICY_NUMBER_gstf, 0, {1}, POLICY_FAULT_NONE},
    {"MostValue", POLICY_NUMBER_gstf, 0, {65535}, POLICY_FAULT_NONE},
    {"AboveMost", POLICY_NUMBER_gstf, 0, {65536}, POLICY_FAULT_PARAMETER},
    {"ZeroWhereItIsNot", POLICY_NUMBER_gstf, 0, {POLICY_PARAMETER_ZERO}, POLICY_FAULT_PARAMETER},
};

TEST(Gstf, GroupOfTheWholeDrive_IsStf) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=100");
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {20U, 52U, 49U}) bench.add(cylinder);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(49, 52, 20));
}

// A quarter of the cylinders: 25 to each group, so that 49 belongs to the second and 50 to the
// third.
TEST(Gstf, InitialGroup_IsAQuarter) {
  PolicyBench bench(without_angles());
  bench.select("gstf");
  bench.place_heads(49);
  for (const std::uint32_t cylinder : {50U, 25U, 24U}) bench.add(cylinder);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(25, 50, 24));
}

// The current group is not that of the cylinder on which the heads came to rest.
TEST(Gstf, CurrentGroup_IsThatOfTheRequestServedLast) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=10");
  bench.place_heads(50);
  bench.serve(bench.add(59));
  bench.place_heads(60);  // a transfer across the border
  ::candidate& own = bench.add(50);
  bench.add(60);
  EXPECT_EQ(bench.choose(), &own);
}

class GstfArrivals : public testing::Test {
 protected:
  /// Serves 55; then 50 and 65 arrive, and 57 still waits.
  std::vector<std::uint32_t> served_by(const char* policy) {
    PolicyBench bench(without_angles());
    bench.select(policy);
    bench.place_heads(55);
    ::candidate& first = bench.add(55);
    bench.add(58);
    bench.serve(first);
    bench.add(56);
    bench.add(65);
    return bench.cylinders_served();
  }
};

TEST_F(GstfArrivals, TakePart) { EXPECT_THAT(served_by("gstf:group=10"), ElementsAre(56, 58, 65)); }

TEST_F(GstfArrivals, Frozen_WaitUntilEveryOtherGroupHasHadItsTurn) {
  EXPECT_THAT(served_by("gstf:group=10,frozen"), ElementsAre(58, 65, 56));
  EXPECT_THAT(served_by("gstf:group=10,frozen,bounce"), ElementsAre(58, 65, 56));
}

TEST_F(GstfArrivals, Frozen_OnlyGroupWithRequests_IsEnteredAgain) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=10,frozen");
  bench.place_heads(55);
  bench.serve(bench.add(55));
  ::candidate& late = bench.add(52);
  bench.add(59);
  EXPECT_EQ(bench.choose(), &late);
  bench.serve(late);
  bench.add(53);  // after the group was entered anew
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(59, 53));
}

// The arrivals wait when the group's first request is served.
TEST_F(GstfArrivals, Frozen_BeforeTheGroupIsEntered_TakePart) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=10,frozen");
  bench.place_heads(55);
  ::candidate& last = bench.add(55);
  bench.add(68);
  bench.serve(last);
  bench.add(62);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(62, 68));
}

TEST(Gstf, Bounce_TurnsWhereNoGroupAheadHasARequest) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=10,bounce");
  bench.place_heads(50);
  bench.serve(bench.add(70));
  ::candidate& back = bench.add(45);  // turns
  bench.serve(back);
  ::candidate& below = bench.add(5);
  bench.add(55);  // nearer, but behind
  EXPECT_EQ(bench.choose(), &below);
}

}  // namespace
}  // namespace headstack::test
