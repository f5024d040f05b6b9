// SPDX-License-Identifier: Apache-2.0
// The spindle: its closed form against equations, the exact inverse, ramps and speed error.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sim/mechanics/spindle.hpp"
#include "tests/support.hpp"

namespace headstack::mechanics {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

TEST(Rotation, PeriodIsSixtySecondsOverRpm) {
  for (const double rpm : {3600.0, 5400.0, 10'045.0, 15'000.0}) {
    EXPECT_NEAR(Rotation(rpm).period_ms(), 60'000 / rpm, 1e-12);
  }
}

// A revolution at 3600 rpm takes 16,666,666,666.67 ps. After 3 revolutions the angle is 0 again.
TEST(Rotation, AngleAfterWholeRevolutions) {
  const Rotation rotation(3600);
  const Picoseconds three = 50'000'000'000;  // exactly 3 revolutions
  EXPECT_EQ(rotation.unwrapped(three - 1) >> 32, 2U);
  // The rate is rounded down by less than 2^-60. After 5e10 ps the angle is too small by less than
  // 1.
  EXPECT_GE(rotation.unwrapped(three) + 1, 3 * kTurn);
  EXPECT_LE(rotation.unwrapped(three), 3 * kTurn);
}

TEST(Rotation, ADayOfRotation_DriftsByLessThanOneTurn32) {
  // 10,045 rpm * 1,440 minutes = 14,464,800 revolutions in a day.
  const Rotation rotation(10'045);
  const std::uint64_t exact = std::uint64_t{14'464'800} << 32;
  EXPECT_LE(exact - rotation.unwrapped(86'400 * kPicosecondsPerSecond), 1U);
}

TEST(Rotation, SpeedErrorInPpm_ScalesTheRate) {
  const Rotation nominal(6000);
  const Rotation fast(6000, 100);
  EXPECT_NEAR(static_cast<double>(fast.rate()) / static_cast<double>(nominal.rate()), 1.0001,
              1e-12);
}

// The defining property of the inverse: the angle is reached at t, and not yet at t - 1.
TEST(Rotation, TimeToTurn_IsTheLeastWait) {
  constexpr std::uint32_t kSeed = 7;
  std::mt19937_64 random(kSeed);
  for (const double rpm : {60.0, 3600.0, 10'045.0, 15'000.0, 60'000.0}) {
    const Rotation rotation(rpm);
    for (int i = 0; i < 20'000; ++i) {
      const auto time = static_cast<Picoseconds>(random() % 100'000'000'000'000);
      const std::uint64_t turn32 = random() >> (29 + random() % 34);
      const Picoseconds wait = rotation.time_to_turn(time, turn32);
      const std::uint64_t goal = rotation.unwrapped(time) + turn32;
      ASSERT_GE(rotation.unwrapped(time + wait), goal) << rpm << " seed " << kSeed;
      if (wait > 0) {
        ASSERT_LT(rotation.unwrapped(time + wait - 1), goal) << rpm << " seed " << kSeed;
      }
    }
  }
}

TEST(Rotation, AngleJustPassed_WaitsAWholeTurn) {
  const Rotation rotation(3600);
  const Picoseconds at = rotation.time_to_angle(0, 1000);
  EXPECT_EQ(rotation.angle(at), 1000U);
  EXPECT_EQ(rotation.time_to_angle(at, 1000), 0);  // on the mark: no wait
  EXPECT_NEAR(to_ms(rotation.time_to_angle(at, 999)), rotation.period_ms(), 1e-8);
}

// Above 13,969 rpm, one picosecond passes over some angles. They must count as reached.
TEST(Rotation, FastSpindle_ReachesEveryAngleWithoutAnExtraTurn) {
  const Rotation rotation(15'000);
  ASSERT_EQ(rotation.slack(), 1U);
  for (Turn32 target = 1'000'000; target < 1'001'000; ++target) {
    const Picoseconds at = rotation.time_to_angle(0, target);
    EXPECT_EQ(rotation.time_to_angle(at, target), 0) << target;
  }
}

TEST(Rotation, SlowSpindle_HasNoSlack) { EXPECT_EQ(Rotation(10'045).slack(), 0U); }

Spindle ramped(double spin_up_ms = 2000, double spin_down_ms = 1000) {
  drive::Design design = test::small_design();  // 6000 rpm: 100 turns a second
  design.spin_up_ms = spin_up_ms;
  design.spin_down_ms = spin_down_ms;
  return Spindle(design, {});
}

TEST(Spindle, AtRest_TheAngleStands) {
  const Spindle spindle = ramped();
  EXPECT_EQ(spindle.state(0), Spindle::State::kStopped);
  EXPECT_EQ(spindle.unwrapped(kPicosecondsPerSecond), 0U);
  EXPECT_FALSE(spindle.next(0, 5).has_value());
}

// The torque is constant: after t of a ramp of length T to rate w, the angle is w t^2 / (2 T).
TEST(Spindle, SpinUp_FollowsTheParabola) {
  Spindle spindle = ramped();
  spindle.start(0);
  for (const double seconds : {0.1, 0.5, 1.0, 1.999, 2.0}) {
    const double turns = 100 * seconds * seconds / (2 * 2.0);
    const auto at = static_cast<Picoseconds>(seconds * 1e12);
    EXPECT_NEAR(static_cast<double>(spindle.unwrapped(at)) / static_cast<double>(kTurn), turns,
                1e-6);
    EXPECT_NEAR(spindle.rpm(at), 6000 * seconds / 2.0, 1e-3);
  }
  EXPECT_EQ(spindle.state(2 * kPicosecondsPerSecond - 1), Spindle::State::kSpinningUp);
  EXPECT_EQ(spindle.state(2 * kPicosecondsPerSecond), Spindle::State::kAtSpeed);
  // One second at speed adds 100 turns.
  EXPECT_NEAR(static_cast<double>(spindle.unwrapped(3 * kPicosecondsPerSecond)) /
                  static_cast<double>(kTurn),
              200, 1e-6);
}

TEST(Spindle, SpinDown_StopsAndStays) {
  Spindle spindle = ramped();
  spindle.start(0);
  spindle.stop(3 * kPicosecondsPerSecond);
  EXPECT_EQ(spindle.state(3 * kPicosecondsPerSecond), Spindle::State::kSpinningDown);
  EXPECT_EQ(spindle.state(4 * kPicosecondsPerSecond), Spindle::State::kStopped);
  const std::uint64_t stopped = spindle.unwrapped(4 * kPicosecondsPerSecond);
  EXPECT_NEAR(static_cast<double>(stopped) / static_cast<double>(kTurn), 250, 1e-6);
  EXPECT_EQ(spindle.unwrapped(40 * kPicosecondsPerSecond), stopped);
}

// In the last microseconds of a spin-down, the speed is below the arithmetic's resolution. The
// angle must not decrease.
TEST(Spindle, SpinDown_NeverTurnsBack) {
  Spindle spindle = ramped(2000, 10'000);
  spindle.start(0);
  const Picoseconds stop = 3 * kPicosecondsPerSecond;
  spindle.stop(stop);
  const Picoseconds rest = stop + 10 * kPicosecondsPerSecond;
  std::uint64_t last = spindle.unwrapped(rest - 50 * kPicosecondsPerMicrosecond);
  for (Picoseconds left = 50 * kPicosecondsPerMicrosecond; left >= 0; left -= 997) {
    const std::uint64_t now = spindle.unwrapped(rest - left);
    ASSERT_GE(now, last) << left;
    last = now;
  }
}

TEST(Spindle, StopDuringSpinUp_TakesPartOfTheTime) {
  Spindle spindle = ramped();
  spindle.start(0);
  spindle.stop(kPicosecondsPerSecond);  // half the speed takes half of the 1 s to rest
  EXPECT_EQ(spindle.ramp_end(kPicosecondsPerSecond), kPicosecondsPerSecond * 3 / 2);
}

TEST(Spindle, NextAngle_IsExact_OnRampsAndAtSpeed) {
  Spindle spindle = ramped();
  spindle.start(0);
  for (const Picoseconds now : {Picoseconds{1}, kPicosecondsPerSecond,
                                2 * kPicosecondsPerSecond - 5, 3 * kPicosecondsPerSecond}) {
    const auto at = spindle.next(now, 12345);
    ASSERT_TRUE(at.has_value());
    EXPECT_EQ(spindle.angle(*at), 12345U) << now;
    EXPECT_NE(spindle.angle(*at - 1), 12345U) << now;
  }
}

// when() gives the present if the angle has passed already, on a ramp, too.
TEST(Spindle, AnAngleThatHasPassed_IsThereNow) {
  Spindle spindle = ramped();
  spindle.start(0);
  for (const Picoseconds now : {kPicosecondsPerSecond, 3 * kPicosecondsPerSecond}) {
    EXPECT_EQ(spindle.when(now, spindle.unwrapped(now)), now);
    EXPECT_EQ(spindle.when(now, spindle.unwrapped(now) - 5), now);
    EXPECT_GT(spindle.when(now, spindle.unwrapped(now) + 5), now);
  }
}

TEST(Spindle, StatesHaveNames) {
  EXPECT_STREQ(to_string(Spindle::State::kStopped), "stopped");
  EXPECT_STREQ(to_string(Spindle::State::kSpinningUp), "spinning up");
  EXPECT_STREQ(to_string(Spindle::State::kAtSpeed), "at speed");
  EXPECT_STREQ(to_string(Spindle::State::kSpinningDown), "spinning down");
}

TEST(Spindle, AtSpeedFromTheStart_EqualsTheRotation) {
  const drive::Design design = test::small_design();
  const Spindle spindle = Spindle::at_speed(design, {});
  for (const Picoseconds t : {Picoseconds{0}, Picoseconds{1}, Picoseconds{123'456'789'012}}) {
    EXPECT_EQ(spindle.unwrapped(t), Rotation(6000).unwrapped(t));
  }
}

TEST(Spindle, AskedAboutItsPast_IsABug) {
  Spindle spindle = ramped();
  spindle.start(1000);
  EXPECT_DEATH(static_cast<void>(spindle.angle(999)), "past");
}

}  // namespace
}  // namespace headstack::mechanics
