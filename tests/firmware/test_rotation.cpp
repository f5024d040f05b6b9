// SPDX-License-Identifier: Apache-2.0
// The firmware's rotation: angle from index pulses, and the speed it measures.
#include <gtest/gtest.h>

#include <random>

#include "firmware/motion/rotation.h"
#include "sim/mechanics/spindle.hpp"
#include "tests/firmware/support.hpp"

namespace headstack {
namespace {

constexpr Picoseconds kTick = 25'000;

/// The tick at which a captured pulse is seen: the first clock edge at or after it.
time_tick tick_of(Picoseconds time) { return static_cast<time_tick>((time + kTick - 1) / kTick); }

// Time 0 is an index pulse: without any capture, angle and truth are the same function of time.
TEST(FirmwareRotation, AtTheDesignsSpeed_AngleIsTheSpindlesOwn) {
  for (const char* name : test::kShippedDrives) {
    const drive::Design design = test::shipped(name).design;
    const mechanics::Rotation truth(design.rpm);
    ::rotation rotation{};
    rotation_init(&rotation, test::firmware_design(design).get());
    constexpr std::uint32_t kSeed = 5;
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 10'000; ++i) {
      const time_tick tick = random() % 400'000'000'000;  // 10,000 s
      const Turn32 want = truth.angle(static_cast<Picoseconds>(tick) * kTick);
      const Turn32 early = want - rotation_angle_turn32(&rotation, tick);
      // The speed is cut at 2^-32 turn32 per tick: within 10,000 s that is 94 turn32.
      ASSERT_LE(early, 94U) << name << " tick " << tick << " seed " << kSeed;
    }
  }
}

TEST(FirmwareRotation, BeforeTheAnchor_AngleRunsBackwards) {
  drive::Design design = test::small_design();  // 6000 rpm: 400,000 ticks a turn
  ::rotation rotation{};
  rotation_init(&rotation, test::firmware_design(design).get());
  rotation_index(&rotation, 1'000'000);
  EXPECT_EQ(rotation_angle_turn32(&rotation, 1'000'000), 0U);
  EXPECT_NEAR(rotation_angle_turn32(&rotation, 1'100'000), 0x4000'0000U, 2);
  EXPECT_NEAR(rotation_angle_turn32(&rotation, 900'000), 0xC000'0000U, 2);
}

TEST(FirmwareRotation, TicksAndAngles_ConvertBothWays) {
  ::rotation rotation{};
  rotation_init(&rotation, test::firmware_design(test::small_design()).get());
  EXPECT_NEAR(rotation_ticks(&rotation, 0x0100'0000U), 400'000, 1);      // one turn
  EXPECT_NEAR(rotation_ticks(&rotation, 0x8000'0000U), 51'200'000, 20);  // 128 turns
  EXPECT_NEAR(rotation_turn24(&rotation, 400'000), 0x0100'0000, 2);
  EXPECT_EQ(rotation_turn24(&rotation, 0), 0U);
}

/// Feeds `turns` pulses of a spindle with a speed error, each captured at a clock edge.
void capture(::rotation& rotation, const mechanics::Rotation& truth, std::uint32_t turns) {
  for (std::uint64_t turn = 0; turn <= turns; ++turn) {
    // The time of the pulse, added piece by piece, as time_to_turn() takes less than eight turns.
    Picoseconds time = 0;
    for (std::uint64_t i = 0; i < turn; ++i) {
      time += truth.time_to_turn(time, ((i + 1) << 32) - truth.unwrapped(time));
    }
    rotation_index(&rotation, tick_of(time));
  }
}

// A pulse is known to a tick, so after n turns of T ticks the speed is known to 1 / (n T).
TEST(FirmwareRotation, MeasuredSpeed_IsWithinATickOverTheTurnsItTook) {
  for (const double ppm : {-500.0, -3.0, 0.0, 7.0, 500.0}) {
    for (const std::uint32_t turns : {8U, 64U, 128U}) {
      drive::Design design = test::small_design();
      const mechanics::Rotation truth(design.rpm, ppm);
      ::rotation rotation{};
      rotation_init(&rotation, test::firmware_design(design).get());
      capture(rotation, truth, turns);
      const double want = std::ldexp(static_cast<double>(truth.rate()), -60) * kTick;
      const double got = std::ldexp(static_cast<double>(rotation.speed), -32);
      EXPECT_NEAR(got / want, 1.0, 1.01 / (turns * 400'000.0)) << ppm << " ppm, " << turns;
    }
  }
}

TEST(FirmwareRotation, SevenTurns_AreTooFewToMeasure) {
  const drive::Design design = test::small_design();
  ::rotation rotation{};
  rotation_init(&rotation, test::firmware_design(design).get());
  const std::uint64_t published = rotation.speed;
  capture(rotation, mechanics::Rotation(design.rpm, 500), 7);
  EXPECT_EQ(rotation.speed, published);
  rotation_restart(&rotation);
  capture(rotation, mechanics::Rotation(design.rpm, 500), 8);
  EXPECT_NE(rotation.speed, published);
}

TEST(FirmwareRotation, UnseenPulses_CountAsTurns) {
  ::rotation rotation{};
  rotation_init(&rotation, test::firmware_design(test::small_design()).get());
  for (time_tick turn = 0; turn <= 8; ++turn) rotation_index(&rotation, 400'004 * turn);
  ASSERT_TRUE(rotation_is_measured(&rotation));
  rotation_index(&rotation, 400'004 * time_tick{1000});  // 992 turns whose pulses were not captured
  EXPECT_EQ(rotation_angle_turn32(&rotation, 400'004 * time_tick{1000}), 0U);
  EXPECT_NEAR(std::ldexp(static_cast<double>(rotation.speed), -32), 4294967296.0 / 400'004, 1e-5);
}

TEST(FirmwareRotation, AfterRestart_OldPulsesAreForgotten) {
  ::rotation rotation{};
  rotation_init(&rotation, test::firmware_design(test::small_design()).get());
  rotation_index(&rotation, 0);
  rotation_restart(&rotation);
  const std::uint64_t published = rotation.speed;
  rotation_index(&rotation, 8 * 400'004);  // the spindle stood in between
  EXPECT_EQ(rotation.speed, published);
  EXPECT_FALSE(rotation_is_measured(&rotation));
}

// A baseline longer than 2^31 ticks is replaced by a new one, at the same speed.
TEST(FirmwareRotation, VeryLongBaseline_IsReplaced) {
  ::rotation rotation{};
  rotation_init(&rotation, test::firmware_design(test::small_design()).get());
  rotation_index(&rotation, 0);
  const std::uint64_t published = rotation.speed;
  rotation_index(&rotation, 0x8000'0000U);
  EXPECT_EQ(rotation.speed, published);
  EXPECT_EQ(rotation.anchor_tick, 0x8000'0000U);
}

// rotation.h: the speed is taken anew each time the number of turns has doubled, and not in
// between.
TEST(FirmwareRotation, Speed_IsMeasuredAgain_WhenTheTurnsHaveDoubled) {
  constexpr time_tick kTurn = 400'000, kLate = 400;
  ::rotation rotation{};
  rotation_init(&rotation, test::firmware_design(test::small_design()).get());
  for (time_tick turn = 0; turn <= 8; ++turn) rotation_index(&rotation, kTurn * turn);
  const std::uint64_t measured = rotation.speed;
  for (time_tick turn = 9; turn <= 15; ++turn) {
    rotation_index(&rotation, kTurn * turn + kLate);
    ASSERT_EQ(rotation.speed, measured) << turn;
  }
  rotation_index(&rotation, kTurn * 16 + kLate);
  const double want = 16 * 4294967296.0 / (kTurn * 16 + kLate);  // turn32 per tick
  EXPECT_NEAR(std::ldexp(static_cast<double>(rotation.speed), -32), want, 1e-6);
  const std::uint64_t second = rotation.speed;
  rotation_index(&rotation, kTurn * 31);
  EXPECT_EQ(rotation.speed, second);
  rotation_index(&rotation, kTurn * 32);
  EXPECT_NE(rotation.speed, second);
}

TEST(FirmwareRotation, Restart_DiscardsTheMeasurement_AndKeepsTheSpeed) {
  ::rotation rotation{};
  rotation_init(&rotation, test::firmware_design(test::small_design()).get());
  for (time_tick turn = 0; turn <= 8; ++turn) rotation_index(&rotation, 400'004 * turn);
  const std::uint64_t measured = rotation.speed;
  ASSERT_TRUE(rotation_is_measured(&rotation));
  rotation_restart(&rotation);
  EXPECT_FALSE(rotation_is_measured(&rotation));
  EXPECT_EQ(rotation.speed, measured);
  for (time_tick turn = 0; turn <= 7; ++turn) rotation_index(&rotation, 9'000'000 + 400'004 * turn);
  EXPECT_FALSE(rotation_is_measured(&rotation)) << "seven turns are too few";
  rotation_index(&rotation, 9'000'000 + 400'004 * time_tick{8});
  EXPECT_TRUE(rotation_is_measured(&rotation));
}

}  // namespace
}  // namespace headstack
