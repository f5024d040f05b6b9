// SPDX-License-Identifier: Apache-2.0
// The threshold between buffered writes and all else (firmware/queue/write_buffer.h), and its use
// by the scheduler.
//
// The expected values follow Abbott and Garcia-Molina ("Scheduling I/O Requests with Deadlines",
// 1990, section 3), independently of the firmware. They are in seconds and real numbers, not in its
// units.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <vector>

extern "C" {
#include "firmware/queue/write_buffer.h"
}

namespace headstack::firmware {
namespace {

constexpr double kUnitSeconds = 1.0 / WRITE_BUFFER_SECOND;

/// The rule in plain form, within the header's limits: 27 s of gap at most, and slack in the range
/// of a candidate's.
struct Plain {
  write_threshold threshold;
  int below;
  double seconds_a_write;  // 1 / lambda, scaled
  int frames, wanted;

  int free() const { return frames - wanted; }
  bool goes_next(bool others_wait, std::optional<double> earliest_s) const {
    const double infinite = std::numeric_limits<double>::infinity();
    switch (threshold) {
      case WRITE_THRESHOLD_NONE: return false;
      case WRITE_THRESHOLD_SPACE: return free() < below || !others_wait;
      case WRITE_THRESHOLD_TIME:
        return (free() + 1) * seconds_a_write < earliest_s.value_or(infinite) || !others_wait;
      case WRITE_THRESHOLD_FREE: return free() < below;
    }
    return false;
  }
};

class WriteBuffer : public ::testing::Test {
 protected:
  void SetUp() override { write_buffer_init(buffer_.get(), 3); }
  void set(write_threshold threshold, std::uint32_t below, std::uint32_t rate_milli = 0,
           std::uint32_t scale_milli = 1000, std::uint32_t frames = 10,
           std::uint32_t frame_blocks = 16) {
    const write_buffer_setup setup = {threshold,   below,  rate_milli,
                                      scale_milli, frames, frame_blocks};
    write_buffer_set(buffer_.get(), &setup);
  }
  bool goes_next(bool wait, std::optional<std::int32_t> slack = {}) {
    const write_rivals rivals = {wait, slack.has_value(), slack.value_or(0)};
    return write_buffer_goes_next(buffer_.get(), &rivals);
  }
  void want(std::uint32_t frames) { buffer_->wanted = frames; }

  std::unique_ptr<::write_buffer> buffer_ = std::make_unique<::write_buffer>();
};

TEST_F(WriteBuffer, Space_WritesBelowItsFramesOrWhenNothingElseWaits) {
  set(WRITE_THRESHOLD_SPACE, 2);
  want(8);  // 2 of 10 are free
  EXPECT_FALSE(goes_next(true));
  EXPECT_TRUE(goes_next(false));
  want(9);
  EXPECT_TRUE(goes_next(true));
  want(12);  // two writes wait outside
  EXPECT_TRUE(goes_next(true));
}

TEST_F(WriteBuffer, Free_WritesBelowItsFramesAndLeavesTheRestToThePolicy) {
  set(WRITE_THRESHOLD_FREE, 2);
  want(8);
  EXPECT_FALSE(goes_next(true));
  EXPECT_FALSE(goes_next(false));
  want(9);
  EXPECT_TRUE(goes_next(true));
}

// 10 a second and 4 free: D_W = now + 5 / 10 s = 312,500 units of 1.6 us.
TEST_F(WriteBuffer, Time_WritesStrictlyBeforeTheEarliestDeadline) {
  set(WRITE_THRESHOLD_TIME, 0, 10'000);
  want(6);
  EXPECT_FALSE(goes_next(true, 312'499));
  EXPECT_FALSE(goes_next(true, 312'500)) << "equal deadlines: the read";
  EXPECT_TRUE(goes_next(true, 312'501));
  EXPECT_TRUE(goes_next(true)) << "nobody is due";
  EXPECT_TRUE(goes_next(false, 0));
}

// The paper's section 7.4: half of 1 / lambda is pessimistic. The deadline is half as far.
TEST_F(WriteBuffer, Time_IsScaled) {
  set(WRITE_THRESHOLD_TIME, 0, 10'000, 500);
  want(6);
  EXPECT_FALSE(goes_next(true, 156'250));
  EXPECT_TRUE(goes_next(true, 156'251));
}

// Free + 1 is 0 with one write outside, and negative with two: D_W is now, or past.
TEST_F(WriteBuffer, Time_IsPastWithWritesOutside) {
  set(WRITE_THRESHOLD_TIME, 0, 10'000);
  want(11);
  EXPECT_FALSE(goes_next(true, 0));
  EXPECT_TRUE(goes_next(true, 1));
  want(12);
  EXPECT_TRUE(goes_next(true, -62'499));
  EXPECT_FALSE(goes_next(true, -62'500));
}

// 5,120 tasks of 16 frames each, at the slowest rate scaled tenfold: no sum of 32 bits holds it.
TEST_F(WriteBuffer, Time_StaysOnItsSideAtTheLimits) {
  set(WRITE_THRESHOLD_TIME, 0, WRITE_BUFFER_RATE_LEAST_MILLI, WRITE_BUFFER_SCALE_MOST_MILLI, 16);
  EXPECT_EQ(write_buffer_interval(buffer_.get()), 625'000'000U);
  want(0);
  EXPECT_FALSE(goes_next(true, CANDIDATE_SLACK_MAX_64TICKS));
  want(5120 * 16);
  EXPECT_TRUE(goes_next(true, -static_cast<std::int32_t>(CANDIDATE_SLACK_MAX_64TICKS)));
}

TEST_F(WriteBuffer, None_NeverWrites) {
  want(100);
  EXPECT_FALSE(goes_next(false));
  EXPECT_FALSE(goes_next(true, 1'000'000));
}

TEST_F(WriteBuffer, WriteTakesAFrameForEachPartOfIts) {
  set(WRITE_THRESHOLD_SPACE, 1, 0, 0, 3, 16);
  const std::pair<std::uint32_t, std::uint32_t> blocks_and_frames[] = {
      {1, 1}, {16, 1}, {17, 2}, {32, 2}, {33, 3}, {48, 3}, {49, 3}, {65536, 3}};
  for (const auto& [blocks, frames] : blocks_and_frames) {
    EXPECT_EQ(write_buffer_frames(buffer_.get(), blocks), frames) << blocks;
  }
}

TEST_F(WriteBuffer, MeasuredRate_BeginsWithTheFirstGapAndFollowsByASixteenth) {
  set(WRITE_THRESHOLD_TIME, 0);
  EXPECT_EQ(write_buffer_interval(buffer_.get()), WRITE_BUFFER_GAP_MOST);
  write_buffer_count_arrival(buffer_.get(), 1000);
  EXPECT_EQ(write_buffer_interval(buffer_.get()), WRITE_BUFFER_GAP_MOST) << "one tells no rate";
  write_buffer_count_arrival(buffer_.get(), 1000 + 62'500);
  EXPECT_EQ(write_buffer_interval(buffer_.get()), 62'500U);
  write_buffer_count_arrival(buffer_.get(), 1000 + 62'500 + 62'500 + 16'000);
  EXPECT_EQ(write_buffer_interval(buffer_.get()), 63'500U);
}

TEST_F(WriteBuffer, MeasuredRate_CountsNoGapAsLongerThanTheLongest) {
  set(WRITE_THRESHOLD_TIME, 0);
  write_buffer_count_arrival(buffer_.get(), 0xFFFF'0000U);  // the clock wraps in between
  write_buffer_count_arrival(buffer_.get(), 0xFFFF'0000U + WRITE_BUFFER_GAP_MOST + 1);
  EXPECT_EQ(write_buffer_interval(buffer_.get()), WRITE_BUFFER_GAP_MOST);
  for (int i = 0; i < 400; ++i)
    write_buffer_count_arrival(buffer_.get(), 0xFFFF'0000U + WRITE_BUFFER_GAP_MOST + 1);
  EXPECT_EQ(write_buffer_interval(buffer_.get()), 0U) << "no gap at all: a deadline of now";
}

// A Poisson stream's mean gap. With a part of 1/16 for each the standard deviation of such a mean
// is sqrt(1 / 31) of the gap's own, 18 %. Five of them are allowed at each of 2,000 samples, and
// the mean of all samples is near.
TEST_F(WriteBuffer, MeasuredRate_FollowsPoissonArrivals) {
  std::mt19937_64 random(1990);
  std::exponential_distribution<double> gap_s(10);
  set(WRITE_THRESHOLD_TIME, 0);
  double now_s = 0, sum_s = 0;
  constexpr int kLooks = 2000;
  for (int i = 0; i < 100 + kLooks; ++i) {
    now_s += gap_s(random);
    write_buffer_count_arrival(buffer_.get(),
                               static_cast<std::uint32_t>(std::llround(now_s / kUnitSeconds)));
    if (i < 100) continue;
    const double mean_s = write_buffer_interval(buffer_.get()) * kUnitSeconds;
    EXPECT_LT(std::abs(mean_s - 0.1), 5 * 0.018) << "arrival " << i;
    sum_s += mean_s;
  }
  EXPECT_NEAR(sum_s / kLooks, 0.1, 0.01);
}

TEST_F(WriteBuffer, RandomDecisions_AreThePlainOnes) {
  constexpr std::uint32_t kSeed = 7;
  std::mt19937 random(kSeed);
  const auto below = [&random](std::uint32_t limit) { return random() % limit; };
  int writes = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto threshold = static_cast<write_threshold>(below(4));
    const bool is_time = threshold == WRITE_THRESHOLD_TIME;
    const std::uint32_t rate = is_time ? 1000 * (1 + below(40)) : 0;
    const std::uint32_t scale = is_time ? 100 * (1 + below(30)) : 1000;
    const std::uint32_t frames = 1 + below(16), wanted = below(2 * frames + 2);
    const std::uint32_t frames_below = is_time ? 0 : 1 + below(frames + 1);
    set(threshold, frames_below, rate, scale, frames);
    want(wanted);
    const Plain plain = {threshold, static_cast<int>(frames_below),
                         rate == 0 ? 0 : scale / static_cast<double>(rate),
                         static_cast<int>(frames), static_cast<int>(wanted)};
    const bool wait = below(4) != 0, due = wait && below(4) != 0;
    std::int32_t slack = static_cast<std::int32_t>(below(4'000'000)) - 1'000'000;
    const double exact = (plain.free() + 1) * plain.seconds_a_write / kUnitSeconds;
    // The firmware's interval is a whole number: near the very edge it may be off by a unit a
    // frame.
    if (std::abs(exact - slack) < 40) slack += 100;
    const auto earliest = due ? std::optional<std::int32_t>(slack) : std::nullopt;
    const bool expected =
        plain.goes_next(wait, due ? std::optional<double>(slack * kUnitSeconds) : std::nullopt);
    ASSERT_EQ(goes_next(wait, earliest), expected)
        << "seed " << kSeed << ", decision " << i << ": threshold " << threshold << ", free "
        << plain.free() << ", slack " << slack << ", exact " << exact;
    writes += expected ? 1 : 0;
  }
  EXPECT_GT(writes, 4000);
  EXPECT_LT(writes, 16'000);
}

}  // namespace
}  // namespace headstack::firmware
