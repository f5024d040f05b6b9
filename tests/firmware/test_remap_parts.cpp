// SPDX-License-Identifier: Apache-2.0
// Parts of arranging: random numbers, sorting, the pipe organ, the table of waits.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/firmware/remap_support.hpp"

namespace headstack {
namespace {

constexpr std::uint32_t kSeed = 1994;
constexpr double kTwoTo32 = 4294967296.0;

// ---------------------------------------------------------------------------------------- chance

TEST(RemapChance, Logarithm_IsWithin1e5) {
  std::mt19937 random(kSeed);
  std::vector<std::uint32_t> words = {1, 2, 3, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF};
  for (int i = 0; i < 100'000; ++i) words.push_back(random() >> random() % 32);
  for (const std::uint32_t word : words) {
    if (word == 0) continue;
    ASSERT_NEAR(chance_minus_ln(word) / 1048576.0, -std::log(word / kTwoTo32), 1e-5) << word;
  }
  EXPECT_EQ(chance_minus_ln(0), chance_minus_ln(1));
}

// By Metropolis' rule, a rise of E is accepted with the probability e^(-E/T).
TEST(RemapChance, Rises_AreAcceptedWithTheRulesProbability) {
  ::chance chance;
  chance_begin(&chance, kSeed);
  constexpr int kDraws = 400'000;
  const std::uint64_t temperature = 100 << CHANCE_TEMPERATURE_BITS;
  std::vector<std::uint64_t> rises(kDraws);
  for (std::uint64_t& rise : rises) rise = chance_rise(&chance, temperature);
  for (const std::uint64_t rise : {1, 10, 50, 100, 300, 700}) {
    const double want = std::exp(-static_cast<double>(rise) / 100);
    const auto accepted = std::count_if(rises.begin(), rises.end(),
                                        [rise](std::uint64_t most) { return most >= rise; });
    // Five standard deviations of a share.
    const double slack = 5 * std::sqrt(want * (1 - want) / kDraws);
    EXPECT_NEAR(static_cast<double>(accepted) / kDraws, want, slack) << "rise " << rise;
  }
}

TEST(RemapChance, TemperatureZero_AcceptsNoRise) {
  ::chance chance;
  chance_begin(&chance, kSeed);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(chance_rise(&chance, 0), 0U);
}

TEST(RemapChance, HottestTemperature_HasRoomForEveryLogarithm) {
  EXPECT_LT(static_cast<double>(CHANCE_TEMPERATURE_MAX) * chance_minus_ln(1),
            18446744073709551616.0);
}

TEST(RemapChance, Numbers_AreSpreadEvenly_AndFollowFromTheSeed) {
  ::chance chance;
  ::chance same;
  ::chance other;
  chance_begin(&chance, 7);
  chance_begin(&same, 7);
  chance_begin(&other, 8);
  std::vector<int> hits(10);
  int equal = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint32_t drawn = chance_below(&chance, 10);
    ASSERT_EQ(drawn, chance_below(&same, 10));
    if (drawn == chance_below(&other, 10)) ++equal;
    ++hits.at(drawn);
  }
  double chi2 = 0;
  for (const int hit : hits) chi2 += std::pow(hit - kDraws / 10.0, 2) / (kDraws / 10.0);
  EXPECT_LT(chi2, 27.9);  // 0.1 % of 9 degrees of freedom
  EXPECT_NEAR(equal, kDraws / 10.0, 500);
}

// xoroshiro64* of https://prng.di.unimi.it/xoroshiro64star.c, transcribed.
TEST(RemapChance, Numbers_AreThoseOfXoroshiro64Star) {
  ::chance chance{{0x12345678, 0x9ABCDEF0}};
  std::uint32_t s[2] = {0x12345678, 0x9ABCDEF0};
  const auto rotl = [](std::uint32_t x, int k) { return (x << k) | (x >> (32 - k)); };
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t s0 = s[0];
    std::uint32_t s1 = s[1];
    const std::uint32_t result = s0 * 0x9E3779BB;
    s1 ^= s0;
    s[0] = rotl(s0, 26) ^ s1 ^ (s1 << 9);
    s[1] = rotl(s1, 13);
    ASSERT_EQ(chance_next(&chance), result) << i;
  }
}

// ------------------------------------------------------------------------------------------ sort

TEST(RemapSort, OrdersAreThoseOfAStableSort) {
  std::mt19937 random(kSeed);
  for (const std::uint32_t groups : {1U, 2U, 3U, 17U, 500U}) {
    test::Counts counts = test::random_counts(random, groups, 3 * groups);
    for (std::uint16_t& visits : counts.visits) visits = static_cast<std::uint16_t>(random() % 9);
    const ::remap_counts view = counts.view();
    const auto sorted = [&view](::sort_key key, std::uint32_t count) {
      std::vector<std::uint16_t> items(count);
      ::sort sort;
      sort_begin(&sort, &view, key, items.data(), count);
      while (!sort_step(&sort)) continue;
      return items;
    };
    std::vector<std::uint16_t> want = test::identity(groups);
    std::stable_sort(want.begin(), want.end(),
                     [&](auto a, auto b) { return counts.visits[a] > counts.visits[b]; });
    EXPECT_EQ(sorted(SORT_BY_VISITS, groups), want);
    const auto& pairs = counts.pairs;
    want = test::identity(view.pair_count);
    std::sort(want.begin(), want.end(), [&](auto a, auto b) {
      return std::pair(pairs[a].from, pairs[a].to) < std::pair(pairs[b].from, pairs[b].to);
    });
    EXPECT_EQ(sorted(SORT_BY_FROM, view.pair_count), want);
    std::sort(want.begin(), want.end(), [&](auto a, auto b) {
      return std::pair(pairs[a].to, pairs[a].from) < std::pair(pairs[b].to, pairs[b].from);
    });
    EXPECT_EQ(sorted(SORT_BY_TO, view.pair_count), want);
  }
}

// ----------------------------------------------------------------------------------------- organ

// The firmware's reading: the busiest at N / 2, then right, left, right; a full side is skipped.
TEST(RemapOrgan, Slots_AlternateFromTheMiddle) {
  for (std::uint32_t count = 1; count < 40; ++count) {
    std::vector<std::uint32_t> want = {count / 2};
    for (std::uint32_t step = 1; want.size() < count; ++step) {
      if (count / 2 + step < count) want.push_back(count / 2 + step);
      if (step <= count / 2) want.push_back(count / 2 - step);
    }
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      EXPECT_EQ(organ_slot(rank, count), want[rank]) << rank << " of " << count;
    }
  }
}

TEST(RemapOrgan, EqualVisits_GoByNumber) {
  test::Counts counts;
  counts.visits = {1, 5, 5, 0, 1};
  const ::remap_counts view = counts.view();
  std::vector<std::uint16_t> slot_of(5);
  std::vector<std::uint16_t> order(5);
  ::organ organ;
  organ_begin(&organ, &view, 5, slot_of.data(), order.data());
  while (!organ_step(&organ)) continue;
  EXPECT_EQ(order, (std::vector<std::uint16_t>{1, 2, 0, 4, 3}));
  EXPECT_EQ(slot_of, (std::vector<std::uint16_t>{1, 2, 3, 0, 4}));
}

// ----------------------------------------------------------------------------------------- waits

/// The integral of frac(y) from 0.
double sawtooth_area(double y) {
  const double whole = std::floor(y);
  return whole / 2 + (y - whole) * (y - whole) / 2;
}

struct Bounds {
  double low = 0;
  double high = 0;
};

/// The mean of frac(lead - gap) over one bin, in turns, from its definition. The bin's ends are
/// rounded to parts of a turn: what it says of a lead may be that of one two parts beside.
Bounds bin_wait(std::uint32_t lead, double from, double to) {
  Bounds bounds{1, 0};
  for (double shift = -2; shift <= 2; shift += 0.25) {
    const double at = (lead + shift) / LEAD_PARTS;
    const double wait = (sawtooth_area(at - from) - sawtooth_area(at - to)) / (to - from);
    bounds.low = std::min(bounds.low, wait);
    bounds.high = std::max(bounds.high, wait);
  }
  return bounds;
}

/// The same over all bins, and over gap 0 for the rest of `share`.
Bounds mean_wait(std::uint32_t lead, const std::vector<::remap_gap>& gaps, double share,
                 double turn_us) {
  const double at_once = static_cast<double>(lead) / LEAD_PARTS;
  double total = 0;
  Bounds sum;
  for (const ::remap_gap& gap : gaps) {
    const Bounds bin = bin_wait(lead, gap.from_us / turn_us, gap.to_us / turn_us);
    sum.low += gap.count * bin.low;
    sum.high += gap.count * bin.high;
    total += gap.count;
  }
  if (total == 0) return {at_once, at_once};
  return {(1 - share) * at_once + share * sum.low / total,
          (1 - share) * at_once + share * sum.high / total};
}

class RemapLead : public testing::Test {
 protected:
  const ::lead_table& table_of(const std::vector<::remap_gap>& gaps, std::uint32_t share) {
    counts_.gaps = gaps;
    view_ = counts_.view();
    lead_begin(&table_, design_.get(), &view_, share);
    while (!lead_step(&table_)) continue;
    return table_;
  }

  void expect_defined(const std::vector<::remap_gap>& gaps, std::uint32_t share) {
    const ::lead_table& table = table_of(gaps, share);
    for (std::uint32_t lead = 0; lead < LEAD_PARTS; ++lead) {
      const Bounds want = mean_wait(lead, gaps, share / 256.0, kTurnUs);
      const double got = table.wait_turn16[lead] / 65'536.0;
      // Gaps are whole parts: half a part less in the mean. Each bin's share is a whole number of
      // 65,280.
      const double slack = 0.7 / LEAD_PARTS + static_cast<double>(gaps.size()) / 65'280;
      ASSERT_GE(got, want.low - slack) << "lead " << lead;
      ASSERT_LE(got, want.high + slack) << "lead " << lead;
    }
  }

  /// The longest mean wait less the shortest, 2^-16 turns.
  static unsigned swing_of(const ::lead_table& table) {
    const auto [least, most] =
        std::minmax_element(std::begin(table.wait_turn16), std::end(table.wait_turn16));
    return static_cast<unsigned>(*most - *least);
  }

  static constexpr double kTurnUs = 10'000;  // small_design(): 6000 rpm
  std::unique_ptr<::drive_design> design_ = test::firmware_design(test::small_design());
  test::Counts counts_;
  ::remap_counts view_{};
  ::lead_table table_;
};

TEST_F(RemapLead, WithoutGaps_TheWaitIsTheLead) {
  expect_defined({}, 128);
  expect_defined({{500, 700, 40}}, 0);
  for (std::uint32_t lead = 0; lead < LEAD_PARTS; ++lead) {
    ASSERT_EQ(table_of({}, 256).wait_turn16[lead], lead << 4);
    if (lead > 3) break;
  }
}

TEST_F(RemapLead, GapsOfOneBin_ShiftTheLead) {
  expect_defined({{5'000, 5'003, 7}}, 256);
  expect_defined({{5'000, 5'003, 7}}, 128);
  EXPECT_GT(swing_of(table_of({{5'000, 5'003, 7}}, 256)), 65'000U);
}

TEST_F(RemapLead, GapsOverManyTurns_MakeTheWaitHalfATurn) {
  expect_defined({{0, 1'000'000, 3}}, 256);
  EXPECT_LT(swing_of(table_of({{0, 1'000'000, 3}}, 256)), 700U);
}

TEST_F(RemapLead, RandomHistograms_AreThoseOfTheDefinition) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 60; ++i) {
    std::vector<::remap_gap> gaps;
    std::uint32_t from = random() % 50;
    for (std::uint32_t bin = 0; bin < 1 + random() % 32; ++bin) {
      const std::uint32_t to = from + 1 + random() % (1U << random() % 18);
      gaps.push_back({from, to, static_cast<std::uint32_t>(random() % 1000)});
      from = to + random() % 100;
    }
    expect_defined(gaps, random() % 257);
    ASSERT_FALSE(HasFailure()) << "histogram " << i << " of seed " << kSeed;
  }
}

TEST_F(RemapLead, DriveWithMeanWaits_WaitsHalfATurnWhateverTheLead) {
  design_->mean_latency = 1;
  for (const std::uint16_t wait : table_of({{10, 20, 1}}, 128).wait_turn16) ASSERT_EQ(wait, 0x8000);
}

}  // namespace
}  // namespace headstack
