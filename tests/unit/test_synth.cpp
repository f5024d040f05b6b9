// SPDX-License-Identifier: Apache-2.0
// Synthetic traces: the same bits on every machine, and the requested distributions. Bounds are
// four standard errors of the stated number of draws, with a fixed seed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "host/traces/deadlines.hpp"
#include "host/traces/synth.hpp"

namespace headstack::traces {
namespace {

constexpr Picoseconds kS = kPicosecondsPerSecond;
constexpr Picoseconds kMs = kPicosecondsPerMillisecond;

SynthOptions options_of(SynthPattern pattern) {
  SynthOptions options;
  options.pattern = pattern;
  options.begin_lba = 1000;
  options.end_lba = 1'001'000;
  options.think = 10 * kMs;
  options.on_time = 100 * kMs;
  options.off_time = 400 * kMs;
  options.period = 100 * kMs;
  options.deadline = 50 * kMs;
  return options;
}

std::vector<TraceRequest> make(const SynthOptions& options, int count) {
  Synth synth(options);
  std::vector<TraceRequest> requests;
  for (int i = 0; i < count; ++i) requests.push_back(synth.next());
  return requests;
}

TEST(SynthRandom, IsThePublishedGenerator) {
  // xoshiro256** (Blackman and Vigna) from the state that splitmix64 (Vigna) makes of seed 0. Their
  // formulas in Python, whose integers do not wrap, print the numbers below:
  //
  //   M = 2**64
  //   left = lambda x, k: (x << k | x >> 64 - k) % M
  //   def word(n):  # the nth of splitmix64
  //       x = n * 0x9E3779B97F4A7C15 % M
  //       x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % M
  //       x = (x ^ x >> 27) * 0x94D049BB133111EB % M
  //       return x ^ x >> 31
  //   a, b, c, d = (word(n) for n in (1, 2, 3, 4))
  //   for _ in range(5):
  //       print(f"{left(b * 5 % M, 7) * 9 % M:016X}")
  //       a, b, c, d = a ^ b ^ d, a ^ b ^ c, a ^ c ^ (b << 17) % M, left(b ^ d, 45)
  SynthRandom random(0);
  for (const std::uint64_t number : {0x99EC5F36CB75F2B4U, 0xBF6E1F784956452AU, 0x1A5F849D4933E6E0U,
                                     0x6AA594F1262D2D2CU, 0xBBA5AD4A1F842E59U}) {
    EXPECT_EQ(random.next(), number);
  }
}

TEST(ExactMath, AgreesWithTheLibrary) {
  for (const double x : {1e-16, 0.1, 0.5, 0.7071, 1.0, 1.4142, 2.0, 3.7, 1e6, 1e18}) {
    EXPECT_NEAR(exact_log(x), std::log(x), 1e-14 * (1 + std::fabs(std::log(x)))) << x;
  }
  for (const double x : {-40.0, -1.0, -0.3, 0.0, 0.3466, 1.0, 20.0}) {
    EXPECT_NEAR(exact_exp(x) / std::exp(x), 1, 1e-14) << x;
  }
}

class EveryPattern : public testing::TestWithParam<SynthPattern> {};

TEST_P(EveryPattern, StaysInItsRange_AndRepeatsItself) {
  SynthOptions options = options_of(GetParam());
  options.sizes = {{1, 1}, {8, 3}, {200, 1}};
  options.streams = 7;
  options.read_share = 0.3;
  const auto requests = make(options, 20'000);
  EXPECT_EQ(requests, make(options, 20'000));
  Picoseconds before = 0;
  for (const TraceRequest& request : requests) {
    ASSERT_GE(request.lba, options.begin_lba);
    ASSERT_LE(request.lba + request.blocks, options.end_lba);
    ASSERT_GE(request.arrival, before);
    before = request.arrival;
  }
  options.seed = 2;
  EXPECT_NE(requests, make(options, 20'000));
}

INSTANTIATE_TEST_SUITE_P(Synth, EveryPattern,
                         testing::Values(SynthPattern::kUniform, SynthPattern::kZipf,
                                         SynthPattern::kSequential, SynthPattern::kMixed,
                                         SynthPattern::kRealtime));

TEST(Synth, SharesAndSizes_AreThoseAskedFor) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.sizes = {{8, 3}, {64, 1}};
  options.read_share = 0.7;
  int reads = 0, small = 0;
  double sum = 0;
  constexpr int kCount = 40'000;
  for (const TraceRequest& request : make(options, kCount)) {
    reads += request.operation == Operation::kRead ? 1 : 0;
    small += request.blocks == 8 ? 1 : 0;
    sum += static_cast<double>(request.lba - options.begin_lba);
  }
  EXPECT_NEAR(reads, 0.7 * kCount, 4 * std::sqrt(0.21 * kCount));
  EXPECT_NEAR(small, 0.75 * kCount, 4 * std::sqrt(0.1875 * kCount));
  EXPECT_NEAR(sum / kCount, 500'000, 4 * 1e6 / std::sqrt(12.0 * kCount));
}

// A fifth of the reads become verifies. Then a quarter of all requests become flushes, without an
// extent.
TEST(Synth, VerifiesAndFlushes_HaveTheirShares) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.read_share = 0.5;
  options.verify_share = 0.2;
  options.flush_share = 0.25;
  int verifies = 0, flushes = 0;
  constexpr int kCount = 40'000;
  for (const TraceRequest& request : make(options, kCount)) {
    verifies += request.operation == Operation::kVerify ? 1 : 0;
    if (request.operation != Operation::kFlush) continue;
    ++flushes;
    ASSERT_EQ(request.lba, 0U);
    ASSERT_EQ(request.blocks, 0U);
  }
  EXPECT_NEAR(flushes, 0.25 * kCount, 4 * std::sqrt(0.1875 * kCount));
  EXPECT_NEAR(verifies, 0.075 * kCount, 4 * std::sqrt(0.069375 * kCount));
}

// Before version 4 the flag for options stands for verifies, too (trace.hpp).
TEST(Synth, AHeader_AnnouncesOptionsAndVerifies_AndNothingElse) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.flush_share = 0.25;
  EXPECT_FALSE(Synth(options).header().has_options);
  options.verify_share = 0.2;
  EXPECT_TRUE(Synth(options).header().has_options);
  options.verify_share = 0;
  options.options = {{"fua", std::nullopt, 0, 0.5}};
  EXPECT_TRUE(Synth(options).header().has_options);
}

TEST(Synth, Poisson_HasMeanAndVarianceOfAnExponential) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.rate = 50;
  constexpr int kCount = 40'000;
  const auto requests = make(options, kCount);
  const double mean = static_cast<double>(requests.back().arrival) / kS / kCount;
  EXPECT_NEAR(mean, 0.02, 4 * 0.02 / std::sqrt(kCount));
  double squares = 0;
  Picoseconds before = 0;
  for (const TraceRequest& request : requests) {
    const double gap = static_cast<double>(request.arrival - before) / kS;
    squares += gap * gap;
    before = request.arrival;
  }
  // E[X^2] = 2 mean^2, and X^2 has a standard deviation of sqrt(20) mean^2.
  EXPECT_NEAR(squares / kCount, 2 * 0.0004, 4 * std::sqrt(20.0) * 0.0004 / std::sqrt(kCount));
}

TEST(Synth, Bursty_KeepsTheMeanRate_AndIsMoreUneven) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.arrivals = SynthArrivals::kBursty;
  options.rate = 200;
  constexpr int kCount = 100'000;
  const auto requests = make(options, kCount);
  EXPECT_NEAR(static_cast<double>(requests.back().arrival) / kS, kCount / 200.0, 25);
  std::map<Picoseconds, int> by_100_ms;
  for (const TraceRequest& request : requests) ++by_100_ms[request.arrival / (100 * kMs)];
  double squares = 0;
  for (const auto& [bin, count] : by_100_ms) squares += static_cast<double>(count) * count;
  const double bins = static_cast<double>(requests.back().arrival / (100 * kMs) + 1);
  const double mean = kCount / bins;
  EXPECT_GT(squares / bins - mean * mean, 5 * mean);  // a Poisson process has variance = mean
}

TEST(Synth, Zipf_ChoosesByRank) {
  SynthOptions options = options_of(SynthPattern::kZipf);
  options.theta = 1;
  options.places = 100;
  std::map<std::uint64_t, int> by_place;
  constexpr int kCount = 100'000;
  for (const TraceRequest& request : make(options, kCount)) {
    ++by_place[(request.lba - options.begin_lba) / 10'000];
  }
  std::vector<int> counts;
  for (const auto& [place, count] : by_place) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  double harmonic = 0;
  for (int rank = 1; rank <= 100; ++rank) harmonic += 1.0 / rank;
  for (const int rank : {1, 2, 4}) {
    const double p = 1 / (rank * harmonic);
    EXPECT_NEAR(counts[static_cast<std::size_t>(rank) - 1], p * kCount,
                4 * std::sqrt(p * kCount) + 1);
  }
  // The places are scattered: the hottest one is not the first.
  EXPECT_LT(by_place.begin()->second, counts[0]);
}

// Rank i has weight i^-theta (the header): 1, 1/2 and 1/3 are 6, 3 and 2 of 11.
TEST(Synth, ZipfOfThreePlaces_ChoosesThemAs6To3To2) {
  constexpr std::uint64_t kPlaceBlocks = 80'000;
  SynthOptions options = options_of(SynthPattern::kZipf);
  options.end_lba = options.begin_lba + 3 * kPlaceBlocks;
  options.theta = 1;
  options.places = 3;
  std::vector<int> counts(3);
  constexpr int kCount = 100'000;
  for (const TraceRequest& request : make(options, kCount)) {
    ++counts.at((request.lba - options.begin_lba) / kPlaceBlocks);
  }
  std::sort(counts.rbegin(), counts.rend());
  const double shares[] = {6.0 / 11, 3.0 / 11, 2.0 / 11};
  for (std::size_t i = 0; i < 3; ++i) {
    const double p = shares[i];
    EXPECT_NEAR(counts[i], p * kCount, 4 * std::sqrt(p * (1 - p) * kCount)) << i;
  }
}

TEST(Synth, Streams_GoOnWhereTheyWere) {
  SynthOptions options = options_of(SynthPattern::kSequential);
  options.streams = 4;
  std::map<std::uint64_t, std::uint64_t> next;
  for (const TraceRequest& request : make(options, 5000)) {
    const std::uint64_t stream = (request.lba - options.begin_lba) / 250'000;
    if (next.count(stream) > 0) {
      ASSERT_EQ(request.lba, next[stream]);
    }
    next[stream] = request.lba + request.blocks;
  }
  EXPECT_EQ(next.size(), 4U);
}

TEST(Synth, Realtime_AsksOncePerPeriod_WithDeadlines) {
  SynthOptions options = options_of(SynthPattern::kRealtime);
  options.streams = 3;
  Synth synth(options);
  EXPECT_TRUE(synth.header().has_initiators);
  std::map<std::uint32_t, Picoseconds> before;
  for (int i = 0; i < 300; ++i) {
    const TraceRequest request = synth.next();
    EXPECT_EQ(request.deadline, 50 * kMs);
    const auto found = before.find(request.initiator);
    if (found != before.end()) {
      ASSERT_EQ(request.arrival - found->second, 100 * kMs);
    }
    if (found == before.end()) {
      EXPECT_LT(request.arrival, 100 * kMs);
    }
    before[request.initiator] = request.arrival;
  }
  EXPECT_EQ(before.size(), 3U);
}

// Urgency is drawn in addition: the rest of the trace keeps its bits.
TEST(Synth, Urgency_IsWithinItsBounds_AndDrawsWhatIsAskedForAlone) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.deadline = 0;
  constexpr int kCount = 20'000;
  const auto plain = make(options, kCount);
  options.slack = SynthOptions::Slack{10 * kMs, 100 * kMs};
  options.best_effort_share = 0.25;
  options.service_streams = 3;
  options.priorities = 15;
  const auto requests = make(options, kCount);
  EXPECT_EQ(requests, make(options, kCount));
  int best_effort = 0;
  double slack = 0;
  std::map<unsigned, int> streams, priorities;
  for (const TraceRequest& request : requests) {
    ASSERT_TRUE(request.urgency.service_class);
    ASSERT_EQ(*request.urgency.service_class == ServiceClass::kRealTime,
              request.deadline.has_value());
    ++streams[*request.urgency.stream];
    ++priorities[request.urgency.priority];
    if (!request.deadline) {
      ++best_effort;
      continue;
    }
    ASSERT_GE(*request.deadline, 10 * kMs);
    ASSERT_LE(*request.deadline, 100 * kMs);
    slack += static_cast<double>(*request.deadline);
  }
  // The share has a binomial distribution. The slack has a uniform one, whose deviation is its
  // width over sqrt(12).
  EXPECT_NEAR(best_effort, 0.25 * kCount, 4 * std::sqrt(0.1875 * kCount));
  const double real_time = kCount - best_effort;
  EXPECT_NEAR(slack / real_time, 55e9, 4 * 90e9 / std::sqrt(12 * real_time));
  EXPECT_EQ(streams.size(), 3U);
  EXPECT_EQ(streams.begin()->first, 0U);
  EXPECT_NEAR(streams[2], kCount / 3.0, 4 * std::sqrt(kCount * 2 / 9.0));
  EXPECT_EQ(priorities.size(), 15U);
  EXPECT_EQ(priorities.begin()->first, 1U) << "0 would be none";
  const TraceHeader header = Synth(options).header();
  EXPECT_TRUE(header.has_deadlines && header.has_classes && header.has_streams &&
              header.has_priorities);
  options = options_of(SynthPattern::kUniform);
  EXPECT_EQ(make(options, kCount), plain) << "a deadline alone is of the pattern realtime";
  const TraceHeader none = Synth(options).header();
  EXPECT_FALSE(none.has_deadlines || none.has_classes || none.has_streams || none.has_priorities);
}

TEST(Synth, Realtime_WithSlack_AddsItToTheDeadline) {
  SynthOptions options = options_of(SynthPattern::kRealtime);
  options.slack = SynthOptions::Slack{7 * kMs, 7 * kMs};
  for (const TraceRequest& request : make(options, 100)) ASSERT_EQ(request.deadline, 57 * kMs);
}

TEST(Deadlines, AreBaseAndSlack_OfTheTargetAlone_BySeed) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.read_share = 0.5;
  options.flush_share = options.verify_share = 0.2;
  const auto plain = make(options, 4000);
  const auto given = [&plain](DeadlineTarget target, std::uint64_t seed) {
    DeadlineMaker maker({target, 26 * kMs, 10 * kMs, 100 * kMs, seed});
    auto requests = plain;
    for (TraceRequest& request : requests) maker.give(request);
    return requests;
  };
  const auto all = given(DeadlineTarget::kAll, 7), reads = given(DeadlineTarget::kRead, 7),
             writes = given(DeadlineTarget::kWrite, 7);
  EXPECT_EQ(all, given(DeadlineTarget::kAll, 7));
  EXPECT_NE(all, given(DeadlineTarget::kAll, 8));
  Picoseconds least = INT64_MAX, most = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Operation operation = plain[i].operation;
    const bool is_read = operation == Operation::kRead || operation == Operation::kVerify;
    const bool is_write = operation == Operation::kWrite;
    ASSERT_TRUE(all[i].deadline);
    least = std::min(least, *all[i].deadline);
    most = std::max(most, *all[i].deadline);
    EXPECT_EQ(reads[i].deadline, is_read ? all[i].deadline : std::nullopt) << i;
    EXPECT_EQ(writes[i].deadline, is_write ? all[i].deadline : std::nullopt) << i;
    TraceRequest rest = all[i];
    rest.deadline.reset();
    EXPECT_EQ(rest, plain[i]) << i;
  }
  // The ends of 4,000 draws from 90 ms lie within a hundredth of the range, except once in e^40.
  EXPECT_GE(least, 36 * kMs);
  EXPECT_LT(least, 36 * kMs + 900'000'000);
  EXPECT_LE(most, 126 * kMs);
  EXPECT_GT(most, 126 * kMs - 900'000'000);
}

TEST(Synth, ClosedAndThinkLoops_HaveNoArrivals) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.arrivals = SynthArrivals::kThink;
  Synth synth(options);
  EXPECT_EQ(synth.header().loop, Loop::kThink);
  const TraceRequest request = synth.next();
  EXPECT_EQ(request.arrival, 0);
  EXPECT_TRUE(request.think.has_value());
}

TEST(Synth, ARangeWithoutRoom_IsAnError) {
  SynthOptions options = options_of(SynthPattern::kUniform);
  options.end_lba = options.begin_lba + 7;
  EXPECT_THROW(Synth{options}, TraceError);
  options = options_of(SynthPattern::kSequential);
  options.streams = 200'000;
  EXPECT_THROW(Synth{options}, TraceError);
}

}  // namespace
}  // namespace headstack::traces
