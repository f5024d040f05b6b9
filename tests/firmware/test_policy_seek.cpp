// Policies that go by cylinders, at the edges of their definitions. A drive of 100 cylinders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"

namespace headstack {
namespace {

using test::PolicyBench;
using testing::ElementsAre;
using Cylinders = std::vector<std::uint32_t>;

struct Case {
  const char* what;
  const char* policy;
  std::uint32_t heads_at;
  Cylinders arrivals;  // oldest first
  Cylinders served;
};

const Case kCases[] = {
    {"Fcfs_GoesByArrival", "fcfs", 50, {10, 90, 50}, {10, 90, 50}},

    {"Sstf_TakesTheNearest", "sstf", 50, {10, 60, 45}, {45, 60, 10}},
    {"Sstf_TieGoesToTheOldest_Above", "sstf", 50, {60, 40}, {60, 40}},
    {"Sstf_TieGoesToTheOldest_Below", "sstf", 50, {40, 60}, {40, 60}},
    {"Sstf_ForgetsDirections", "sstf", 50, {51, 54, 48}, {51, 54, 48}},
    {"Sstf_ForgetsDirections_Back", "sstf", 50, {51, 55, 48}, {51, 48, 55}},

    {"Scan_BeginsUpward_AndTurnsAtTheLast", "scan", 50, {10, 60, 40, 70}, {60, 70, 40, 10}},
    {"Scan_EmptyAhead_TurnsAtOnce", "scan", 50, {10, 40}, {40, 10}},
    {"Scan_PresentCylinderIsAhead", "scan", 50, {51, 49, 50}, {50, 51, 49}},
    {"Scan_FromTheLowestCylinder", "scan", 0, {1, 0}, {0, 1}},
    {"Scan_FromTheHighestCylinder", "scan", 99, {98, 99, 0}, {99, 98, 0}},

    {"Cscan_GoesUp_ThenToTheLowest", "cscan", 50, {40, 60, 10, 70}, {60, 70, 10, 40}},
    {"Cscan_EmptyAbove_JumpsToTheLowest", "cscan", 50, {49, 10}, {10, 49}},
    {"Cscan_PresentCylinderIsAbove", "cscan", 50, {49, 51, 50}, {50, 51, 49}},

    {"Fscan_IsScan_WhileNobodyArrives", "fscan", 50, {10, 60, 40, 70}, {60, 70, 40, 10}},

    {"Vr_0_IsSstf", "vr:r=0", 50, {51, 55, 48}, {51, 48, 55}},
    {"Vr_1_IsScan", "vr:r=1", 50, {10, 99, 49}, {99, 49, 10}},
    // Turning costs 0.2 * 99 = 19.8 cylinders: 10 + 19.8 against 30, and against 29.
    {"Vr_ChargeIsLess_Turns", "vr", 50, {80, 40}, {40, 80}},
    {"Vr_ChargeIsMore_GoesOn", "vr", 50, {79, 40}, {79, 40}},
    // Having turned, what lies above is charged: 5 against 1 + 19.8.
    {"Vr_TurnsWithTheRequestBehind", "vr", 50, {80, 48, 43, 49}, {49, 48, 43, 80}},
    {"Vr_PresentCylinderIsAhead", "vr:r=1", 50, {51, 50, 49}, {50, 51, 49}},

    // The window is 45 .. 49, and stays there when 46 has been served.
    {"Wscan_WindowGoesFirst_AndStays", "wscan:window=5", 50, {52, 46, 44}, {46, 52, 44}},
    {"Wscan_WindowsLastCylinder", "wscan:window=5", 50, {52, 45}, {45, 52}},
    {"Wscan_JustBehindTheWindow", "wscan:window=5", 50, {52, 44}, {52, 44}},
    {"Wscan_PresentCylinderIsNotInTheWindow", "wscan:window=5", 50, {50, 49}, {49, 50}},
    {"Wscan_AtTheLowestCylinder_NothingIsBehind", "wscan:window=5", 0, {1, 0, 3}, {0, 1, 3}},
    {"Wscan_NearestOfTheWindow", "wscan:window=5", 50, {46, 49, 48, 60}, {49, 48, 46, 60}},
    // Back from 46, the sweep goes on from 50: 47 is in the window, 51 ahead.
    {"Wscan_DirectionStays", "wscan:window=5", 50, {46, 51, 40}, {46, 51, 40}},
    // At 60 nothing is ahead: it turns for 40, and 42 would be behind now, in the window 41 .. 45.
    {"Wscan_WindowTurnsWithTheSweep", "wscan:window=5", 50, {60, 40, 30}, {60, 40, 30}},
    {"Wscan_AtTheLowestCylinder", "wscan:window=5", 0, {3, 0}, {0, 3}},
    {"Wscan_WindowReachesTheEdge", "wscan:window=5", 2, {3, 0, 1}, {1, 0, 3}},
};

class SeekPolicy : public testing::TestWithParam<Case> {};

TEST_P(SeekPolicy, Serves) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select(GetParam().policy);
  bench.place_heads(GetParam().heads_at);
  for (const std::uint32_t cylinder : GetParam().arrivals) bench.add(cylinder);
  EXPECT_EQ(bench.cylinders_served(), GetParam().served);
}

INSTANTIATE_TEST_SUITE_P(Policy, SeekPolicy, testing::ValuesIn(kCases), test::case_name<Case>);

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
      PolicyBench bench(test::hundred_cylinders());
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
      PolicyBench bench(test::hundred_cylinders());
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
  PolicyBench bench(test::hundred_cylinders());
  bench.select("scan");
  bench.place_heads(50);
  bench.serve(bench.add(40));  // downward now
  bench.place_heads(50);
  bench.add(45);
  ::candidate& above = bench.add(60);
  bench.select("scan");
  EXPECT_EQ(bench.choose(), &above);
}

// 0.2 * 100 cylinders is 20: 10 + 20 against 30.
TEST(Vr, Tie_GoesToTheOldest) {
  for (const bool ahead_first : {true, false}) {
    PolicyBench bench(test::hundred_cylinders(101));
    bench.select("vr:r=0.2");
    bench.place_heads(50);
    ::candidate& oldest = bench.add(ahead_first ? 80 : 40);
    bench.add(ahead_first ? 40 : 80);
    EXPECT_EQ(bench.choose(), &oldest);
  }
}

TEST(Scan, DirectionTurns_WhenServed_NotWhenChosen) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select("scan");
  bench.place_heads(50);
  ::candidate& behind = bench.add(40);
  EXPECT_EQ(bench.choose(), &behind);
  ::candidate& ahead = bench.add(90);
  EXPECT_EQ(bench.choose(), &ahead) << "still upward";
}

TEST(Scan, HoldingBack_TurnsNothing) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select("scan");
  bench.place_heads(50);
  bench.withdraw(bench.add(40));
  bench.add(45);
  ::candidate& ahead = bench.add(90);
  EXPECT_EQ(bench.choose(), &ahead);
}

struct DetourCase {
  const char* what;
  const char* policy;
  bool downward;  // it has turned before
  std::uint32_t heads_at;
  std::uint32_t cylinder;
  std::uint32_t detour;
};

const DetourCase kDetours[] = {
    {"Scan_WithoutEdge", "scan", false, 50, 49, POLICY_NO_DETOUR},
    {"Scan_Ahead", "scan:edge", false, 50, 51, POLICY_NO_DETOUR},
    {"Scan_OwnCylinder", "scan:edge", false, 50, 50, POLICY_NO_DETOUR},
    {"Scan_Turns", "scan:edge", false, 50, 49, 99},
    {"Scan_NextToTheEdge", "scan:edge", false, 98, 97, 99},
    {"Scan_AtTheEdge", "scan:edge", false, 99, 98, POLICY_NO_DETOUR},
    {"Scan_Downward_Ahead", "scan:edge", true, 50, 49, POLICY_NO_DETOUR},
    {"Scan_Downward_Turns", "scan:edge", true, 50, 51, 0},
    {"Scan_Downward_AtTheEdge", "scan:edge", true, 0, 1, POLICY_NO_DETOUR},
    {"Cscan_WithoutEdge", "cscan", false, 50, 49, POLICY_NO_DETOUR},
    {"Cscan_Above", "cscan:edge", false, 50, 50, POLICY_NO_DETOUR},
    {"Cscan_Jumps", "cscan:edge", false, 50, 49, 99},
    {"Cscan_AtTheEdge", "cscan:edge", false, 99, 98, POLICY_NO_DETOUR},
    {"OthersHaveNone", "fscan", false, 50, 49, POLICY_NO_DETOUR},
};

class Detour : public testing::TestWithParam<DetourCase> {};

TEST_P(Detour, IsToTheEdge_BeforeItTurns) {
  PolicyBench bench(test::hundred_cylinders());
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

INSTANTIATE_TEST_SUITE_P(Policy, Detour, testing::ValuesIn(kDetours), test::case_name<DetourCase>);

// Arrivals while the set is served wait for the next one, though they lie on the way.
TEST(Fscan, ArrivalsWaitForTheNextSet) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  bench.add(80);
  bench.add(40);
  EXPECT_EQ(bench.choose(), &first);
  bench.serve(first);
  bench.add(61);
  bench.add(60);
  // The set to its end, with its turn; then the next set, in the direction that is left.
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(80, 40, 60, 61));
}

// What arrives before the set's first request is served takes part.
TEST(Fscan, ArrivalsBeforeTheFirstIsServed_TakePart) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  bench.add(80);
  EXPECT_EQ(bench.choose(), &first);
  bench.add(55);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(55, 60, 80));
}

TEST(Fscan, SetWhoseRestIsHeldBack_IsOver) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  ::candidate& rest = bench.add(80);
  bench.serve(first);
  bench.add(70);
  bench.add(65);
  bench.withdraw(rest);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(65, 70));
}

// Upward from 50 the window is below; when 60 has been served and the sweep turned for 55, it is
// above: 58 is in it.
TEST(Wscan, TurnedWindow_IsAbove) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select("wscan:window=3");
  bench.place_heads(60);
  ::candidate& turns = bench.add(55);
  bench.add(50);
  EXPECT_EQ(bench.choose(), &turns);
  bench.serve(turns);
  bench.add(58);
  bench.add(59);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(58, 50, 59));
}

// A 64th of the drive's cylinders, at least one.
TEST(Wscan, InitialWindow) {
  for (const auto& [cylinders, window] : {std::pair{640U, 10U}, {63U, 1U}}) {
    for (const std::uint32_t behind : {window, window + 1}) {
      PolicyBench bench(test::hundred_cylinders(cylinders));
      bench.select("wscan");
      bench.place_heads(30);
      ::candidate& ahead = bench.add(40);
      ::candidate& near = bench.add(30 - behind);
      EXPECT_EQ(bench.choose(), behind == window ? &near : &ahead) << cylinders;
    }
  }
}

}  // namespace
}  // namespace headstack
