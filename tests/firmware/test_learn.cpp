// SPDX-License-Identifier: Apache-2.0
// The drive's counts of its load (firmware/remap/learn.h), against counts in maps.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/remap/learn.h"
#pragma GCC diagnostic pop

namespace headstack::test {
namespace {

constexpr std::uint32_t kGroupBlocks = 160;
constexpr std::uint32_t kFirst = 37;
constexpr std::uint32_t kGroups = 2181;
constexpr std::uint32_t kTurnTicks = 666'667;  // 3,600 rpm at 40 MHz

using Pair = std::pair<std::uint32_t, std::uint32_t>;

class Learn : public testing::Test {
 protected:
  Learn() : learn_(std::make_unique<::learn>()) {
    learn_init(learn_.get());
    learn_set(learn_.get(), true, kFirst, kGroupBlocks, kFirst + kGroups * kGroupBlocks + 5);
  }
  void access(std::uint32_t group) {
    learn_access(learn_.get(), kFirst + group * kGroupBlocks, 16);
    ++visits_[group];
    if (last_) ++pairs_[{*last_, group}];
    last_ = group;
  }
  std::map<Pair, std::uint32_t> learned_pairs() const {
    std::map<Pair, std::uint32_t> pairs;
    for (const learn_pair& pair : learn_->pair) {
      if (pair.count == 0) continue;
      EXPECT_EQ(pairs.count({pair.from, pair.to}), 0U) << "twice";
      pairs[{pair.from, pair.to}] = pair.count;
    }
    EXPECT_EQ(pairs.size(), learn_->pair_count);
    return pairs;
  }
  std::map<std::uint32_t, std::uint32_t> learned_visits() const {
    std::map<std::uint32_t, std::uint32_t> visits;
    for (std::uint32_t i = 0; i < kGroups; ++i) {
      if (learn_->visits[i] != 0) visits[i] = learn_->visits[i];
    }
    return visits;
  }
  /// Makes all steps of a halving.
  void halve() {
    unsigned steps = 0;
    while (learn_has_step(learn_.get())) {
      learn_step(learn_.get());
      ASSERT_LT(++steps, 10'000U);
    }
    halve_all(visits_);
    halve_all(pairs_);
  }

  template <class Counts>
  static void halve_all(Counts& counts) {
    for (auto row = counts.begin(); row != counts.end();) {
      row->second /= 2;
      row = row->second == 0 ? counts.erase(row) : std::next(row);
    }
  }

  std::unique_ptr<::learn> learn_;
  std::map<std::uint32_t, std::uint32_t> visits_;
  std::map<Pair, std::uint32_t> pairs_;
  std::optional<std::uint32_t> last_;
};

TEST_F(Learn, CountsGroupsAndPairsInTheirOrder) {
  std::minstd_rand random(1);
  for (int i = 0; i < 20'000; ++i) access(static_cast<std::uint32_t>(random() % 80));
  EXPECT_EQ(learned_visits(), visits_);
  EXPECT_EQ(learned_pairs(), pairs_);
  EXPECT_EQ(learn_->accesses, 20'000U);
}

TEST_F(Learn, AccessAcrossGroupsVisitsEach) {
  learn_access(learn_.get(), kFirst + 3 * kGroupBlocks - 1, 2 * kGroupBlocks + 2);
  const std::map<std::uint32_t, std::uint32_t> expected = {{2, 1}, {3, 1}, {4, 1}, {5, 1}};
  EXPECT_EQ(learned_visits(), expected);
  const std::map<Pair, std::uint32_t> pairs = {{{2, 3}, 1}, {{3, 4}, 1}, {{4, 5}, 1}};
  EXPECT_EQ(learned_pairs(), pairs);
}

TEST_F(Learn, BlocksBeforeAndAfterTheGroupsAreNotCounted) {
  learn_access(learn_.get(), kFirst - 1, 1);
  learn_access(learn_.get(), kFirst + kGroups * kGroupBlocks, 5);
  EXPECT_TRUE(learned_visits().empty());
}

/// After a halving, every count is half of its value, rounded down, whatever steps are made between
/// accesses. All remaining pairs are found.
TEST_F(Learn, FullOfPairs_ItHalvesItsCountsAndContinues) {
  std::mt19937 random(2);
  const auto pick = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random() % count);
  };
  for (int round = 0; round < 6; ++round) {
    while (!learn_has_step(learn_.get())) access(random() % 4 == 0 ? pick(400) : pick(60));
    // The last pair had no room, so it is not in the table.
    const auto learned = learned_pairs();
    std::size_t lost = 0;
    for (auto row = pairs_.begin(); row != pairs_.end();) {
      const bool is_lost = row->second == 1 && learned.count(row->first) == 0;
      lost += is_lost ? 1 : 0;
      row = is_lost ? pairs_.erase(row) : std::next(row);
    }
    ASSERT_LE(lost, 1U);
    ASSERT_EQ(learned_pairs(), pairs_) << round;
    halve();
    ASSERT_EQ(learned_pairs(), pairs_) << round;
    ASSERT_EQ(learned_visits(), visits_) << round;
    ASSERT_LT(learn_->pair_count, LEARN_PAIRS_MAX) << round;
  }
  EXPECT_EQ(learn_->halvings, 6U);
}

TEST_F(Learn, VisitsSaturateAndAreHalved) {
  for (int i = 0; i < 0xFFFF; ++i) access(7);
  ASSERT_TRUE(learn_has_step(learn_.get()));
  EXPECT_EQ(learn_->visits[7], 0xFFFF);
  halve();
  EXPECT_EQ(learn_->visits[7], 0x7FFF);
}

TEST_F(Learn, OtherGroups_StartFromZero) {
  access(5);
  learn_set(learn_.get(), true, kFirst, 2 * kGroupBlocks, 400'000);
  EXPECT_EQ(learn_->accesses, 0U);
  EXPECT_TRUE(learned_visits().empty());
  learn_set(learn_.get(), true, kFirst, 2 * kGroupBlocks, 400'000);  // the same setting: it
                                                                     // continues
  learn_access(learn_.get(), kFirst, 1);
  learn_set(learn_.get(), false, kFirst, 2 * kGroupBlocks, 400'000);
  EXPECT_EQ(learn_->accesses, 1U) << "switched off, it keeps what it has";
}

// A bin ends at 64 us times a power of the square root of 2, rounded down (learn.h).
TEST(LearnGaps, BinsAreHalfOctaves) {
  for (std::uint32_t bin = 1; bin + 1 < LEARN_GAP_BINS; ++bin) {
    const auto end = static_cast<std::uint32_t>(std::floor(64 * std::exp2(bin / 2.0) * (1 - 1e-9)));
    const std::uint32_t exact = bin % 2 == 0 ? 64U << bin / 2 : end;
    EXPECT_EQ(learn_gap_end_us(bin), exact) << bin;
    EXPECT_EQ(learn_gap_bin(exact - 1), bin);
    EXPECT_EQ(learn_gap_bin(exact), bin + 1);
  }
  EXPECT_EQ(learn_gap_bin(0), 1U);
  EXPECT_EQ(learn_gap_bin(UINT32_MAX), LEARN_GAP_BINS - 1);
}

TEST_F(Learn, GapsAreThoseOfLoneCommands) {
  time_tick now = 1'000;
  learn_arrived(learn_.get(), now, kTurnTicks);  // there is no arrival before it, so no gap
  learn_ended(learn_.get(), now += 4'000);
  learn_arrived(learn_.get(), now += 100 * TIME_TICKS_PER_MICROSECOND, kTurnTicks);
  learn_arrived(learn_.get(), now += 10, kTurnTicks);  // while another is outstanding
  learn_ended(learn_.get(), now += 10);
  learn_ended(learn_.get(), now += 10);
  learn_arrived(learn_.get(), now += kTurnTicks * 5 / 2, kTurnTicks);
  std::map<std::uint32_t, std::uint32_t> gaps;
  for (std::uint32_t bin = 0; bin < LEARN_GAP_BINS; ++bin) {
    if (learn_->gap[bin] != 0) gaps[bin] = learn_->gap[bin];
  }
  const std::uint32_t half_turns_us = kTurnTicks * 5 / 2 / TIME_TICKS_PER_MICROSECOND;
  const std::map<std::uint32_t, std::uint32_t> expected = {
      {0, 1}, {learn_gap_bin(100), 1}, {learn_gap_bin(half_turns_us), 1}};
  EXPECT_EQ(gaps, expected);
  // 100 us and none: the first sixteenth of a turn; two and a half turns: the middle.
  EXPECT_EQ(learn_->window.arrivals, 3U);
  EXPECT_EQ(learn_->window.phase[0], 2);
  EXPECT_EQ(learn_->window.phase[8] + learn_->window.phase[7], 1);
  EXPECT_EQ(learn_->window.depth, 1U + 2U + 1U);
}

// LOG SELECT of page 34h clears only the gaps, and the next gap is counted.
TEST_F(Learn, ClearedGaps_LeaveTheCountsOfGroups) {
  for (const std::uint32_t group : {3U, 9U, 3U}) access(group);
  const std::uint32_t gap_ticks = 100 * TIME_TICKS_PER_MICROSECOND;
  time_tick now = 1'000;
  for (int i = 0; i < 5; ++i) {
    learn_arrived(learn_.get(), now, kTurnTicks);
    learn_ended(learn_.get(), now += 4'000);
    now += gap_ticks;
  }
  EXPECT_EQ(learn_->gap[learn_gap_bin(100)], 4U);
  const std::uint32_t arrivals = learn_->window.arrivals;
  ASSERT_GT(arrivals, 0U);
  learn_clear_gaps(learn_.get());
  for (const std::uint32_t count : learn_->gap) EXPECT_EQ(count, 0U);
  EXPECT_EQ(learned_visits(), visits_);
  EXPECT_EQ(learned_pairs(), pairs_);
  EXPECT_EQ(learn_->window.arrivals, arrivals);
  learn_arrived(learn_.get(), now, kTurnTicks);
  EXPECT_EQ(learn_->gap[learn_gap_bin(100)], 1U);
}

}  // namespace
}  // namespace headstack::test
