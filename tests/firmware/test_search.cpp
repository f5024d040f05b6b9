// SPDX-License-Identifier: Apache-2.0
// The candidates that searches of policies examine (firmware/queue/search.h). Their result is that
// of a comparison of all (test_policy_random.cpp), and they stop as soon as nothing farther away
// can be better. That keeps a decision short when thousands wait, so the examined candidates are
// counted here.
#include <gtest/gtest.h>

#include "firmware/queue/search.h"
#include "tests/firmware/policy_bench.hpp"

namespace headstack {
namespace {

using test::PolicyBench;

/// 1,024 cylinders in 256 bands of four. A seek takes 2 ms and 0.05 ms for each cylinder, a turn 10
/// ms.
class Search : public testing::Test {
 protected:
  struct Found {
    const ::candidate* candidate;
    std::uint32_t looked_at;
  };

  /// `count` candidates that lie `step` cylinders apart.
  void add_row(std::uint32_t first, std::uint32_t count, std::uint32_t step) {
    for (std::uint32_t i = 0; i < count; ++i) (void)bench_.add(first + i * step);
  }
  Found nearest(const ::search_scope& scope, std::uint32_t cylinder) {
    ::policy_view view = {bench_.scheduler().waiting,
                          bench_.scheduler().predictor,
                          &bench_.heads(),
                          0,
                          nullptr,
                          false};
    const ::candidate* found = search_nearest(&view, &scope, cylinder);
    return {found, view.looked_at};
  }
  Found cheapest(const ::search_scope& scope, std::uint32_t cylinder) {
    bench_.place_heads(cylinder);
    ::policy_view view = {bench_.scheduler().waiting,
                          bench_.scheduler().predictor,
                          &bench_.heads(),
                          0,
                          nullptr,
                          false};
    const ::candidate* found = search_cheapest(&view, &scope, SEARCH_ACCESS);
    return {found, view.looked_at};
  }
  /// A scope frozen to those that had arrived when `youngest` had.
  static ::search_scope frozen(::search_scope scope, const ::candidate& youngest) {
    scope.frozen = true;
    scope.last_sequence = youngest.sequence;
    return scope;
  }

  PolicyBench bench_{test::hundred_cylinders(1024, 0.05)};
};

TEST_F(Search, Nearest_EndsInTheBandWhereNothingCanBeNearer) {
  ASSERT_EQ(bench_.table().band_shift, 2U);
  add_row(0, 200, 5);
  const Found found = nearest(search_everything(), 500);
  EXPECT_EQ(found.candidate->cylinder, 500U);
  EXPECT_EQ(found.looked_at, 1U);
}

// The nearest of a band is at its far end. One in the next band may be as near, and must be
// examined.
TEST_F(Search, Nearest_ContinuesWhileTheNextBandMayHaveOneAsNear) {
  add_row(0, 40, 4);                    // older, and far
  (void)bench_.add(503);                // 3 from the heads, in their band 500 .. 503
  const auto& below = bench_.add(497);  // 3 from the heads, one band below
  (void)bench_.add(504);                // 4 from the heads
  EXPECT_EQ(nearest(search_everything(), 500).candidate->cylinder, 503U) << "the older of two";
  EXPECT_EQ(nearest(search_everything(), 499).candidate, &below);
}

TEST_F(Search, BandsOutsideTheScope_AreNeverLookedAt) {
  add_row(0, 100, 5);   // 0 .. 495
  add_row(620, 60, 5);  // 620 .. 915
  (void)bench_.add(596);
  const Found above = nearest(search_cylinders(500, 600), 500);
  ASSERT_NE(above.candidate, nullptr);
  EXPECT_EQ(above.candidate->cylinder, 596U);
  EXPECT_EQ(above.looked_at, 1U);
  const Found below = nearest(search_cylinders(560, 619), 619);
  EXPECT_EQ(below.candidate->cylinder, 596U);
  EXPECT_EQ(below.looked_at, 1U);
  const Found cheap = cheapest(search_cylinders(500, 600), 500);
  EXPECT_EQ(cheap.candidate->cylinder, 596U);
  EXPECT_EQ(cheap.looked_at, 1U);
}

TEST_F(Search, ScopeThatTheHeadsAreNotIn_IsSearchedFromItsNearEnd) {
  add_row(0, 200, 5);
  const Found above = nearest(search_cylinders(600, 1023), 100);
  EXPECT_EQ(above.candidate->cylinder, 600U);
  EXPECT_LE(above.looked_at, 2U);
  const Found below = nearest(search_cylinders(0, 599), 900);
  EXPECT_EQ(below.candidate->cylinder, 595U);
  EXPECT_LE(below.looked_at, 2U);
}

TEST_F(Search, Cheapest_EndsWhereTheSeekTakesAsLongAsTheBest) {
  add_row(0, 200, 5);
  // A sector of the heads' own track passes at once, in no time: no seek of 2 ms is shorter.
  (void)bench_.add(500, 0, bench_.heads().angle_turn32 + 0x0100'0000U);
  const Found found = cheapest(search_everything(), 500);
  EXPECT_EQ(found.candidate->cylinder, 500U);
  EXPECT_LE(found.looked_at, 4U) << "two on the cylinder, and those of the bands beside it";
}

// Frozen candidates are the oldest. A few of them are compared one after the other, without a walk.
TEST_F(Search, FewFrozenOnes_AreAllThatIsLookedAt) {
  for (const std::uint32_t count : {1U, 5U, POLICY_FEW - 1}) {
    bench_.reset();
    add_row(0, count, 1);
    const ::candidate& youngest = *bench_.scheduler().waiting->last;
    add_row(400, 120, 1);
    const Found found = nearest(frozen(search_everything(), youngest), 450);
    ASSERT_NE(found.candidate, nullptr);
    EXPECT_EQ(found.candidate->cylinder, count - 1);
    EXPECT_EQ(found.looked_at, count);
    EXPECT_EQ(cheapest(frozen(search_everything(), youngest), 450).looked_at, count);
  }
}

TEST_F(Search, ManyFrozenOnes_AreSearchedOutward) {
  add_row(0, 100, 5);
  const ::candidate& youngest = *bench_.scheduler().waiting->last;
  add_row(2, 100, 5);
  const Found found = nearest(frozen(search_everything(), youngest), 250);
  EXPECT_EQ(found.candidate->cylinder, 250U);
  EXPECT_LE(found.looked_at, 3U);
}

TEST_F(Search, NoneInTheScope_IsNoCandidate) {
  add_row(0, 100, 5);
  EXPECT_EQ(nearest(search_cylinders(500, 600), 500).candidate, nullptr);
  EXPECT_EQ(nearest(search_cylinders(600, 500), 500).candidate, nullptr);
  EXPECT_EQ(cheapest(search_cylinders(496, 1023), 500).candidate, nullptr);
  EXPECT_EQ(nearest(search_cylinders(SEARCH_CYLINDER_MAX, SEARCH_CYLINDER_MAX), 0).candidate,
            nullptr);
}

}  // namespace
}  // namespace headstack
