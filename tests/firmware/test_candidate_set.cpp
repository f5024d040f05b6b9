// SPDX-License-Identifier: Apache-2.0
// The set of waiting candidates, by arrival and by band, against plain loops.
#include "firmware/queue/candidate_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "firmware/kernel/bits.h"

namespace headstack::firmware {
namespace {

constexpr std::uint32_t kSeed = 20261121;

TEST(Bits, LowestAndHighest_OfEveryPairOfBits) {
  for (std::uint32_t low = 0; low < 32; ++low) {
    for (std::uint32_t high = low; high < 32; ++high) {
      const std::uint32_t word = 1U << low | 1U << high;
      EXPECT_EQ(bits_lowest(word), low);
      EXPECT_EQ(bits_highest(word), high);
    }
  }
  EXPECT_EQ(bits_lowest(UINT32_MAX), 0U);
  EXPECT_EQ(bits_highest(UINT32_MAX), 31U);
}

/// The expected content of a set, oldest first.
class CandidateSetTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  CandidateSetTest() { candidate_set_init(set_.get(), GetParam()); }

  void insert(std::size_t at, std::uint32_t cylinder) {
    candidates_.push_back(std::make_unique<candidate>());
    candidate* const item = candidates_.back().get();
    item->cylinder = static_cast<std::uint16_t>(cylinder);
    candidate_set_insert(set_.get(), at == 0 ? nullptr : by_age_[at - 1], item);
    by_age_.insert(by_age_.begin() + static_cast<std::ptrdiff_t>(at), item);
  }
  void remove(std::size_t at) {
    candidate_set_remove(set_.get(), by_age_[at]);
    by_age_.erase(by_age_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::uint32_t band(const candidate* item) const { return item->cylinder >> GetParam(); }

  void expect_arrival_order() const {
    ASSERT_EQ(set_->count, by_age_.size());
    const candidate* previous = nullptr;
    const candidate* item = set_->first;
    for (const candidate* expected : by_age_) {
      ASSERT_EQ(item, expected);
      ASSERT_EQ(item->previous, previous);
      previous = item;
      item = item->next;
    }
    ASSERT_EQ(item, nullptr);
    ASSERT_EQ(set_->last, previous);
  }

  /// Checks a walk: every candidate once, no band nearer than the one before, each with its
  /// distance.
  void expect_walk(std::uint32_t cylinder) const {
    band_walk walk{};
    band_walk_begin(&walk, set_.get(), cylinder);
    std::uint32_t distance = 0;
    std::vector<const candidate*> met;
    for (const candidate* item = band_walk_next(&walk); item != nullptr;
         item = band_walk_next(&walk)) {
      ASSERT_GE(walk.distance, distance);
      distance = walk.distance;
      for (; item != nullptr; item = item->band_next) {
        const auto from = static_cast<std::int64_t>(cylinder >> GetParam());
        ASSERT_EQ(std::abs(static_cast<std::int64_t>(band(item)) - from), distance);
        const auto apart = std::abs(static_cast<std::int64_t>(item->cylinder) -
                                    static_cast<std::int64_t>(cylinder));
        ASSERT_GE(apart, candidate_set_gap(set_.get(), distance));
        met.push_back(item);
      }
    }
    std::vector<const candidate*> all(by_age_.begin(), by_age_.end());
    std::sort(met.begin(), met.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(met, all);
  }

  std::unique_ptr<candidate_set> set_ = std::make_unique<candidate_set>();
  std::vector<std::unique_ptr<candidate>> candidates_;
  std::vector<candidate*> by_age_;
};

// Bands of one cylinder and of 32; the set is crowded, then thin, then empty.
TEST_P(CandidateSetTest, EqualsPlainLoops) {
  std::mt19937 random(kSeed);
  const std::uint32_t cylinders = CANDIDATE_BANDS << GetParam();
  for (int step = 0; step < 3'000; ++step) {
    const bool growing = step < 1'000 || (step < 2'000 && random() % 2 == 0);
    if (by_age_.empty() || growing) {
      // Sometimes many candidates are at an edge.
      const std::uint32_t cylinder = random() % 4 == 0 ? random() % 20 : random() % cylinders;
      insert(random() % (by_age_.size() + 1), cylinder);
    } else {
      remove(random() % by_age_.size());
    }
    ASSERT_NO_FATAL_FAILURE(expect_walk(random() % cylinders)) << step;
    ASSERT_NO_FATAL_FAILURE(expect_arrival_order()) << step;
  }
  while (!by_age_.empty()) remove(0);
  expect_walk(0);
}

TEST_P(CandidateSetTest, LowestAndHighestCylinder_AreReached) {
  const std::uint32_t last = (CANDIDATE_BANDS << GetParam()) - 1;
  insert(0, 0);
  insert(1, last);
  expect_walk(0);
  expect_walk(last);
  expect_walk(last / 2);
}

INSTANTIATE_TEST_SUITE_P(BandShift, CandidateSetTest, ::testing::Values(0U, 5U));

TEST(CandidateAge, IsComparedOverTheWrapAround) {
  candidate older{};
  candidate younger{};
  older.sequence = UINT32_MAX;
  younger.sequence = 0;
  EXPECT_TRUE(candidate_is_older(&older, &younger));
  EXPECT_FALSE(candidate_is_older(&younger, &older));
  EXPECT_FALSE(candidate_is_older(&older, &older));
}

}  // namespace
}  // namespace headstack::firmware
