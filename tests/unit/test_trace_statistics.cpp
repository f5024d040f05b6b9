// SPDX-License-Identifier: Apache-2.0
// Summaries of streams: some are exact, and the others are within their stated error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "host/traces/time_scale.hpp"
#include "host/traces/trace_statistics.hpp"

namespace headstack::traces {
namespace {

constexpr Picoseconds kS = kPicosecondsPerSecond;

TEST(LogHistogram, APercentile_IsAtMostASixteenthTooHigh_AndNeverTooLow) {
  LogHistogram histogram;
  for (std::uint64_t value = 1; value <= 100'000; ++value) histogram.add(value);
  for (const std::uint64_t per_mille : {10, 500, 900, 999}) {
    const std::uint64_t exact = per_mille * 100;
    EXPECT_GE(histogram.percentile(per_mille), exact);
    EXPECT_LE(histogram.percentile(per_mille), exact + exact / 16 + 1);
  }
  EXPECT_EQ(histogram.percentile(1000), 100'000U);
  EXPECT_EQ(histogram.smallest(), 1U);
  EXPECT_DOUBLE_EQ(histogram.mean(), 50'000.5);
}

// Each value below 16 has a step of its own. Ranks 5, 9 and 10 of 1 to 10 are as in
// test_report.cpp.
TEST(LogHistogram, APercentile_IsByNearestRank) {
  LogHistogram histogram;
  for (std::uint64_t value = 1; value <= 10; ++value) histogram.add(value);
  EXPECT_EQ(histogram.percentile(500), 5U);
  EXPECT_EQ(histogram.percentile(501), 6U);
  EXPECT_EQ(histogram.percentile(900), 9U);
  EXPECT_EQ(histogram.percentile(990), 10U);
  EXPECT_EQ(histogram.percentile(0), 1U);
}

TEST(LogHistogram, TheEndsOf64Bits_HaveSteps) {
  LogHistogram histogram;
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{15}, std::uint64_t{16},
                                    std::uint64_t{31}, std::uint64_t{32}, UINT64_MAX}) {
    histogram.add(value);
  }
  EXPECT_EQ(histogram.percentile(10), 0U);
  EXPECT_EQ(histogram.percentile(1000), UINT64_MAX);
  EXPECT_EQ(histogram.cumulative().size(), 6U);
}

TEST(DistinctCount, IsExactUpToItsLimit_AndCloseBeyond) {
  DistinctCount count;
  for (std::uint64_t number = 0; number < DistinctCount::kMost; ++number) {
    count.add(number);
    count.add(number / 2);
  }
  EXPECT_TRUE(count.is_exact());
  EXPECT_EQ(count.count(), DistinctCount::kMost);
  for (std::uint64_t number = 0; number < 8 * DistinctCount::kMost; ++number) count.add(number);
  EXPECT_FALSE(count.is_exact());
  // The bound is four standard errors of 0.17 %.
  EXPECT_NEAR(static_cast<double>(count.count()), 8.0 * DistinctCount::kMost,
              0.007 * 8 * DistinctCount::kMost);
}

TEST(FoldingSeries, KeepsEveryCount_AsItsRangeGrows) {
  FoldingSeries series(4, 10);
  for (const std::uint64_t value : {0U, 9U, 10U, 39U, 40U, 79U, 80U}) series.add(value);
  EXPECT_EQ(series.axis().width(), 40U);  // 80 needs a third bin of 40
  EXPECT_THAT(series.counts(), testing::ElementsAre(4, 2, 1, 0));
}

TEST(FoldingGrid, FoldsBothWays) {
  FoldingGrid grid({2, 1}, {2, 1});
  grid.add(0, 0);
  grid.add(1, 1);
  grid.add(3, 0);
  EXPECT_EQ(grid.x().width(), 2U);
  EXPECT_EQ(grid.y().width(), 1U);
  EXPECT_THAT(grid.counts(), testing::ElementsAre(1, 1, 1, 0));
}

TraceRequest read_at(Picoseconds arrival, std::uint64_t lba, std::uint32_t blocks,
                     std::uint32_t initiator = 0) {
  TraceRequest request;
  request.arrival = arrival;
  request.lba = lba;
  request.blocks = blocks;
  request.initiator = initiator;
  return request;
}

TEST(TraceStatistics, CountsByHand) {
  TraceStatistics s{TraceHeader{}};
  s.add(read_at(0, 0, 8));
  s.add(read_at(kS / 2, 8, 8));       // continues the last one
  s.add(read_at(kS - 1, 100, 3, 1));  // another host
  s.add(read_at(kS, 16, 1));          // continues, in the next second
  s.add(read_at(kS, 103, 1, 1));      // continues
  EXPECT_EQ(s.sequential, 3U);
  EXPECT_EQ(s.peak_second, 3U);
  EXPECT_EQ(s.pages.count(), 4U);  // pages 0, 1, 2, and 12 with blocks 100 to 103
  EXPECT_EQ(s.end_lba, 104U);
  EXPECT_EQ(s.sizes[0], 2U);
  EXPECT_EQ(s.sizes[1], 1U);
  EXPECT_EQ(s.sizes[3], 2U);
  EXPECT_EQ(s.initiators, 2U);
  EXPECT_EQ(s.gaps.count(), 4U);
}

// Counts by hand of two verifies whose deadlines make them real-time, a flush and a read.
TEST(TraceStatistics, CountsOperationsAndClassesByHand) {
  TraceStatistics s{TraceHeader{}};
  TraceRequest verify = read_at(0, 50, 10);
  verify.operation = Operation::kVerify;
  verify.deadline = kS;
  s.add(verify);
  s.add(verify);
  TraceRequest flush;
  flush.operation = Operation::kFlush;
  s.add(flush);
  s.add(read_at(0, 0, 8));
  EXPECT_EQ(s.requests(), 4U);
  EXPECT_EQ(s.verifies, 2U);
  EXPECT_EQ(s.flushes, 1U);
  EXPECT_EQ(s.reads, 1U);
  EXPECT_EQ(s.deadlines, 2U);
  EXPECT_EQ(s.real_time, 2U);
  EXPECT_EQ(s.end_lba, 60U);
}

// In a loop without times, rates and places are over the requests' numbers (the header).
TEST(TraceStatistics, WithoutTimes_CountsOverTheNumbersOfTheRequests) {
  TraceHeader header;
  header.loop = Loop::kClosed;
  TraceStatistics s{header};
  for (const std::uint64_t lba : {5U, 7U, 5U}) s.add(read_at(0, lba, 1));
  EXPECT_EQ(s.read_rate.axis().width(), 1U);
  EXPECT_EQ(s.read_places.x().width(), 1U);
  EXPECT_THAT(std::vector(s.read_rate.counts().begin(), s.read_rate.counts().begin() + 4),
              testing::ElementsAre(1, 1, 1, 0));
  EXPECT_EQ(s.gaps.count(), 0U);
}

TEST(TimeScale, AFactor_IsExact) {
  EXPECT_EQ(TimeScale::by_factor("0.5").apply(7), 3);
  EXPECT_EQ(TimeScale::by_factor("1.5").apply(2 * kS), 3 * kS);
  EXPECT_EQ(TimeScale::by_factor("0.000000001").apply(5 * kS), 5000);
  EXPECT_EQ(TimeScale::by_factor("3").apply(20 * 86'400 * kS + 1), 60 * 86'400 * kS + 3);
  EXPECT_THROW(TimeScale::by_factor("3").apply(30 * 86'400 * kS), TraceError);
}

TEST(TimeScale, ARate_GivesTheSpan) {
  // 99 gaps at 10 a second take 9.9 s.
  EXPECT_EQ(TimeScale::to_rate(99, 7 * kS, "10").apply(7 * kS), 99 * kS / 10);
  EXPECT_EQ(TimeScale::to_rate(99, 7 * kS, "0.5").apply(7 * kS), 198 * kS);
  EXPECT_EQ(TimeScale::to_rate(99, 7 * kS, "0.5").apply(0), 0);
}

TEST(TimeScale, WhatIsNoNumberAboveZero_IsRefused) {
  for (const char* bad : {"", "0", "0.0", "-1", "1e3", "1.0000000001", "1234567890", "."}) {
    EXPECT_THROW(TimeScale::by_factor(bad), TraceError) << bad;
  }
}

}  // namespace
}  // namespace headstack::traces
