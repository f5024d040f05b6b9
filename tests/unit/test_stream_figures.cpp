// SPDX-License-Identifier: Apache-2.0
// Figures of streams follow their definitions, in any order of the commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "host/report/stream_figures.hpp"
#include "host/report/summary.hpp"
#include "tests/support.hpp"

namespace headstack::report {
namespace {

using traces::Operation;
using traces::TraceRequest;

constexpr std::uint32_t kBlockBytes = 512;

CommandRecord record_of(Picoseconds response, std::uint32_t blocks = 8,
                        std::optional<Picoseconds> deadline = std::nullopt) {
  CommandRecord record(0, TraceRequest{0, Operation::kRead, 100, blocks, deadline}, 100);
  record.complete(100 + response, 0);
  return record;
}

// R. Jain et al., DEC-TR-301: the index is 1 when all have the same, and k/n when k of n share all
// equally.
TEST(JainIndex, IsTheShareOfThoseThatAreServed) {
  EXPECT_DOUBLE_EQ(jain_index({3, 3, 3}), 1);
  EXPECT_DOUBLE_EQ(jain_index({5, 0, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(jain_index({5, 5, 0, 0}), 0.5);
  EXPECT_DOUBLE_EQ(jain_index({1, 2, 3}), 36.0 / 42);
  EXPECT_DOUBLE_EQ(jain_index({}), 1);
  EXPECT_DOUBLE_EQ(jain_index({0, 0}), 1);
}

TEST(StreamFigures, OneStreamAlone_IsNotShown) {
  StreamFigures figures;
  EXPECT_TRUE(figures.to_json(1, kBlockBytes).is_null());
  figures.add(7, record_of(10));
  EXPECT_TRUE(figures.to_json(1, kBlockBytes).is_null());
  EXPECT_EQ(figures.to_table(1, kBlockBytes), "");
  figures.add(255, record_of(10));
  EXPECT_EQ(figures.to_json(1, kBlockBytes)["count"], 2);
}

// RFC 3550 6.4.1: |D| of 10, 40, 20 is 30 and 20. Another stream's responses come between them.
TEST(StreamFigures, FiguresByHand) {
  StreamFigures figures;
  const Picoseconds ms = kPicosecondsPerMillisecond;
  figures.add(3, record_of(10 * ms, 8));
  figures.add(0, record_of(500 * ms, 2));
  figures.add(3, record_of(40 * ms, 8));
  figures.add(3, record_of(20 * ms, 24));
  const auto json = figures.to_json(from_ms(2000), kBlockBytes);
  const auto& quiet = json["table"][0];
  const auto& busy = json["table"][1];
  EXPECT_EQ(quiet["stream"], 0);
  EXPECT_EQ(quiet["jitter_ps"], 0);
  EXPECT_EQ(busy["stream"], 3);
  EXPECT_EQ(busy["commands"], 3);
  EXPECT_EQ(busy["blocks"], 40);
  EXPECT_EQ(busy["commands_per_second"], 1.5);
  EXPECT_EQ(busy["bytes_per_second"], 40 * 512 / 2.0);
  EXPECT_EQ(busy["response_ps"]["mean"], 70 * ms / 3);
  EXPECT_EQ(busy["response_ps"]["p95"], 40 * ms);
  EXPECT_EQ(busy["response_ps"]["max"], 40 * ms);
  EXPECT_EQ(busy["jitter_ps"], 25 * ms);
  EXPECT_FALSE(busy.contains("deadlines"));
  EXPECT_DOUBLE_EQ(json["fairness"]["throughput"].get<double>(), 42.0 * 42 / (2 * (4 + 1600)));
  const double busy_mean = static_cast<double>(70 * ms / 3);
  const double sum = busy_mean + 500.0 * ms;
  EXPECT_DOUBLE_EQ(json["fairness"]["response"].get<double>(),
                   sum * sum / (2 * (busy_mean * busy_mean + 500.0 * ms * 500.0 * ms)));
}

// Missed, missed, no deadline, missed | met | missed: three in a row. A command without a deadline
// ends no run.
TEST(StreamFigures, MissesInARow) {
  StreamFigures figures;
  const auto add = [&figures](std::uint8_t stream, std::optional<Picoseconds> deadline) {
    figures.add(stream, record_of(10, 8, deadline));
  };
  add(1, 9);
  add(2, 11);  // another stream's success does not end it either
  add(1, 9);
  add(1, std::nullopt);
  add(1, 9);
  add(1, 10);
  add(1, 9);
  const auto json = figures.to_json(1, kBlockBytes);
  const auto& dates = json["table"][0]["deadlines"];
  EXPECT_EQ(dates["commands"], 5);
  EXPECT_EQ(dates["missed"], 4);
  EXPECT_EQ(dates["missed_share"], 0.8);
  EXPECT_EQ(dates["missed_in_a_row"], 3);
  EXPECT_EQ(json["table"][1]["deadlines"]["missed_in_a_row"], 0);
}

TEST(StreamFigures, TableForPeople_ShowsSome_AndSaysSo) {
  StreamFigures figures;
  for (unsigned i = 0; i < StreamFigures::kMost; ++i) {
    figures.add(static_cast<std::uint8_t>(i), record_of(10));
  }
  const std::string text = figures.to_table(from_ms(1), kBlockBytes);
  EXPECT_THAT(text, testing::HasSubstr("256 streams"));
  EXPECT_THAT(text, testing::HasSubstr("and 224 more, which are in summary.json"));
  EXPECT_EQ(figures.to_json(from_ms(1), kBlockBytes)["table"].size(), 256U);
}

/// The percentile of sorted times, as in the definition of the nearest rank.
Picoseconds sorted_p95(std::vector<Picoseconds> times) {
  std::sort(times.begin(), times.end());
  return times[(times.size() * 95 + 99) / 100 - 1];
}

void compare_with_sorting(std::uint64_t seed, std::size_t count, unsigned streams,
                          Picoseconds longest) {
  std::mt19937_64 random(seed);
  StreamFigures figures;
  std::map<unsigned, std::vector<Picoseconds>> times;
  for (std::size_t i = 0; i < count; ++i) {
    // Some streams have short times only, others have times of all lengths.
    const auto stream = static_cast<unsigned>(random() % streams * 255 / std::max(streams - 1, 1U));
    const auto most = static_cast<std::uint64_t>(longest) >> (stream % 40);
    const auto response = static_cast<Picoseconds>(random() % (most + 1));
    figures.add(static_cast<std::uint8_t>(stream), record_of(response));
    times[stream].push_back(response);
  }
  const auto json = figures.to_json(1, kBlockBytes);
  ASSERT_EQ(json["table"].size(), times.size()) << "seed " << seed;
  std::size_t row = 0;
  for (const auto& [stream, of_stream] : times) {
    const auto& one = json["table"][row++];
    Int128 changes = 0;
    for (std::size_t i = 1; i < of_stream.size(); ++i) {
      changes += std::abs(of_stream[i] - of_stream[i - 1]);
    }
    const auto gaps = static_cast<Int128>(std::max<std::size_t>(of_stream.size() - 1, 1));
    EXPECT_EQ(one["stream"], stream) << "seed " << seed;
    EXPECT_EQ(one["commands"], of_stream.size()) << "seed " << seed;
    EXPECT_EQ(one["response_ps"]["p95"], sorted_p95(of_stream)) << "seed " << seed;
    EXPECT_EQ(one["response_ps"]["max"], *std::max_element(of_stream.begin(), of_stream.end()));
    EXPECT_EQ(one["jitter_ps"], static_cast<Picoseconds>(changes / gaps)) << "seed " << seed;
  }
}

TEST(StreamFigures, RandomStreams_AgreeWithSorting) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    compare_with_sorting(seed, 40 * seed, static_cast<unsigned>(2 + seed * seed % 255),
                         Picoseconds{1} << (10 + 2 * seed));
  }
}

// The times do not fit in memory, and are read from the temporary file.
TEST(StreamFigures, MoreThanMemoryKeeps_AgreeWithSorting) {
  compare_with_sorting(99, ResponseTimes::kInMemory + 1000, 256, Picoseconds{1} << 50);
}

// Ten hours are beyond the last digit: the percentile is cut off there, and the maximum is exact.
TEST(StreamFigures, EndlessResponse_IsTenHoursInPercentiles) {
  StreamFigures figures;
  const Picoseconds longest = (Picoseconds{1} << 55) - 1;
  figures.add(255, record_of(longest + 5));
  figures.add(254, record_of(longest));
  const auto json = figures.to_json(1, kBlockBytes);
  EXPECT_EQ(json["table"][1]["response_ps"]["p95"], longest);
  EXPECT_EQ(json["table"][1]["response_ps"]["max"], longest + 5);
  EXPECT_EQ(json["table"][0]["response_ps"]["p95"], longest);
}

TEST(Summary, StreamsAreThereWhenTheyAreTold) {
  Summary summary(1024);
  summary.add(record_of(from_ms(500), 1000), std::uint8_t{1});
  EXPECT_FALSE(summary.to_json().contains("streams"));
  summary.add(record_of(from_ms(1000), 1000), std::uint8_t{2});
  // The time from the first submission to the last completion is a second.
  EXPECT_EQ(summary.to_json()["streams"]["table"][0]["bytes_per_second"], 1'024'000.0);
  EXPECT_THAT(summary.to_table(), testing::HasSubstr("2 streams"));
  Summary untold;
  untold.add(record_of(5));
  EXPECT_FALSE(untold.to_json().contains("streams"));
}

}  // namespace
}  // namespace headstack::report
