// SPDX-License-Identifier: Apache-2.0
// The servo block, Verilated, against hdl/regs/servo.rdl and the ports of hdl/README.md.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/rtl/servo_bench.hpp"

namespace headstack::servo_test {
namespace {

TEST(Servo, Reset_LeavesTheRegistersAsDescribed) {
  Servo servo;
  const std::map<std::uint32_t, std::uint32_t> kReset = {
      {kTarget, 0},     {kStatus, 0},       {kPosition, 0},  {kIndexTimeLo, 0}, {kIndexTimeHi, 0},
      {kIndexCount, 0}, {kIndexCapture, 0}, {kIntrState, 0}, {kIntrEnable, 0}};
  for (const auto& [offset, value] : kReset) {
    EXPECT_EQ(servo.read(offset), value) << offset;
    EXPECT_FALSE(servo.access_failed()) << offset;
  }
  EXPECT_EQ(servo.pins().irq_o, 0);
  EXPECT_EQ(servo.pins().clk_req_o, 0);
  EXPECT_EQ(servo.pins().index_listen_o, 0);
}

// A command acts in the cycle after its write. A reset in between cancels it completely
// (hdl/README.md: asynchronous).
TEST(Servo, ResetBehindACommand_CancelsIt) {
  for (const std::uint32_t operation : {kSeek, kSpinUp, kSpinDown}) {
    Servo servo;
    servo.become_ready();
    servo.write(kCommand, operation);
    servo.pins().rst_ni = 0;
    servo.settle();
    EXPECT_FALSE(servo.hda_out().seek_req || servo.hda_out().spin_up || servo.hda_out().spin_down);
    servo.pins().rst_ni = 1;
    servo.step(3);
    EXPECT_TRUE(servo.seeks.empty());
    EXPECT_EQ(servo.spin_ups + servo.spin_downs, 0);
  }
}

TEST(Servo, ResetBehindACommand_LeavesNoWork) {
  Servo servo;
  servo.write(kCommand, kSpinUp);
  ASSERT_TRUE(servo.pins().clk_req_o);
  servo.pins().rst_ni = 0;
  servo.settle();
  servo.pins().rst_ni = 1;
  servo.settle();
  EXPECT_FALSE(servo.pins().clk_req_o);
}

// servo.rdl, write_ready: once per seek. A seek before the reset no longer counts.
TEST(Servo, ResetBeforeWriteReady_ForgetsTheSeek) {
  Servo servo;
  servo.become_ready();
  servo.start_seek(321, 3);
  servo.hda.write_ready = false;
  servo.step(10);
  ASSERT_EQ(servo.read(kIntrState), kEventOnTrack);
  servo.pins().rst_ni = 0;
  servo.step();
  servo.pins().rst_ni = 1;
  servo.step(3);
  servo.clear_events();
  servo.hda.write_ready = true;
  servo.step(5);
  EXPECT_EQ(servo.read(kIntrState), 0U);
}

// The heads are on cylinder 0, head 0 after reset (servo.rdl), also after a seek that arrived
// elsewhere.
TEST(Servo, ResetBehindASeek_TheHeadsAreParked) {
  Servo servo;
  servo.become_ready();
  servo.start_seek(321, 3);
  servo.step(10);
  ASSERT_EQ(servo.read(kPosition), track(321, 3));
  servo.pins().rst_ni = 0;
  servo.step();
  servo.pins().rst_ni = 1;
  servo.step(3);
  EXPECT_EQ(servo.read(kPosition), 0U);
}

TEST(Servo, OffsetWithoutARegister_IsAnError) {
  Servo servo;
  for (const std::uint32_t offset : {0x28U, 0x3CU, 0x40U, 0x100U, 0xFFCU}) {
    static_cast<void>(servo.read(offset));
    EXPECT_TRUE(servo.access_failed()) << "read " << offset;
    servo.write(offset, 0xFFFF'FFFF);
    EXPECT_TRUE(servo.access_failed()) << "write " << offset;
  }
  static_cast<void>(servo.read(kIntrEnable));
  EXPECT_FALSE(servo.access_failed());
  EXPECT_EQ(servo.read(kTarget), 0U) << "and writes nowhere else";
}

TEST(Servo, ByteEnables_WriteOnlyTheirBytes) {
  Servo servo;
  servo.write(kTarget, 0x11223344);
  servo.write(kTarget, 0xAABBCCDD, 0b1000);
  EXPECT_EQ(servo.read(kTarget), 0xAA223344U);
}

TEST(Servo, Seek_IsOneCycle_InTheCycleAfterTheWrite) {
  Servo servo;
  servo.become_ready();
  servo.write(kTarget, track(0x123456, 0x78));
  EXPECT_TRUE(servo.seeks.empty());
  servo.write(kCommand, kSeek);
  EXPECT_TRUE(servo.seeks.empty());
  servo.step();
  EXPECT_EQ(servo.seeks, std::vector<std::uint32_t>{0x78123456});
  servo.step(50);
  EXPECT_EQ(servo.seeks.size(), 1U);
}

TEST(Servo, Seek_GoesThroughItsStates_WithOneEventEach) {
  Servo servo;
  servo.become_ready();
  EXPECT_EQ(servo.read(kStatus), kOnTrack | kWriteReady | kAtSpeed);
  servo.start_seek(1000, 3);
  EXPECT_EQ(servo.read(kStatus), kSeeking | kAtSpeed) << "from the very cycle of the command";
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(100);
  EXPECT_EQ(servo.read(kStatus), kSeeking | kAtSpeed);
  EXPECT_EQ(servo.read(kPosition), track(0, 0)) << "until it arrives";
  EXPECT_EQ(servo.read(kIntrState), 0U);

  servo.hda.read_ready = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kStatus), kOnTrack | kAtSpeed);
  EXPECT_EQ(servo.read(kPosition), track(1000, 3));
  EXPECT_EQ(servo.read(kIntrState), kEventOnTrack);
  servo.clear_events();
  servo.step(20);
  EXPECT_EQ(servo.read(kIntrState), 0U) << "once";

  servo.hda.write_ready = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kStatus), kOnTrack | kWriteReady | kAtSpeed);
  EXPECT_EQ(servo.read(kIntrState), kEventWriteReady);
  servo.clear_events();
  servo.step(20);
  EXPECT_EQ(servo.read(kIntrState), 0U) << "once";
}

TEST(Servo, SeekThatMovesNothing_ArrivesAfterTheLevelsDelay) {
  Servo servo;
  servo.become_ready();
  servo.start_seek(0, 0);
  servo.step(1 + kLevelDelayCycles);
  EXPECT_EQ(servo.read(kIntrState), 0U) << "might still be the old track's level";
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventOnTrack | kEventWriteReady);
}

TEST(Servo, OldTracksLevel_IsNotTakenForAnArrival) {
  for (unsigned delay = 0; delay <= kLevelDelayCycles; ++delay) {
    Servo servo;
    servo.become_ready();
    servo.start_seek(5, 0);
    servo.step(static_cast<int>(delay));  // 0: low in the cycle of seek_req itself
    servo.hda.read_ready = false;
    servo.step(30);
    EXPECT_EQ(servo.read(kIntrState), 0U) << delay;
    EXPECT_EQ(servo.read(kStatus), kSeeking | kAtSpeed) << delay;
    servo.hda.read_ready = true;
    servo.step(2);
    EXPECT_EQ(servo.read(kPosition), 5U) << delay;
  }
}

TEST(Servo, SeekDuringASeek_IsRefused_TheFirstGoesOn) {
  for (const int into : {0, 1, 3, 40}) {  // cycles after the first seek's begin
    Servo servo;
    servo.become_ready();
    servo.start_seek(100, 1);
    servo.step();
    servo.hda.read_ready = servo.hda.write_ready = false;
    servo.step(into);
    servo.start_seek(200, 2);
    servo.step(2);
    EXPECT_EQ(servo.read(kIntrState), kEventSeekError) << into;
    EXPECT_EQ(servo.seeks, std::vector<std::uint32_t>{track(100, 1)}) << into;
    servo.step(60);
    servo.hda.read_ready = true;
    servo.step(2);
    EXPECT_EQ(servo.read(kPosition), track(100, 1)) << "not the target written since";
    EXPECT_EQ(servo.read(kIntrState), kEventSeekError | kEventOnTrack) << into;
  }
}

TEST(Servo, SeekAfterTheFirstArrived_IsTaken_EvenBeforeWriteReady) {
  Servo servo;
  servo.become_ready();
  servo.start_seek(100, 0);
  servo.step();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(10);
  servo.hda.read_ready = true;
  servo.step(2);
  servo.start_seek(200, 0);
  servo.step();
  EXPECT_EQ(servo.seeks.size(), 2U);
  servo.hda.read_ready = false;
  servo.step(10);
  servo.hda.read_ready = servo.hda.write_ready = true;
  servo.step(3);
  EXPECT_EQ(servo.read(kPosition), 200U);
  EXPECT_EQ(servo.read(kIntrState), kEventOnTrack | kEventWriteReady) << "no seek_error";
}

TEST(Servo, SeekWithoutSpeed_IsRefused) {
  Servo servo;
  servo.hda.at_rest = true;
  servo.step(2);
  servo.clear_events();
  servo.start_seek(100, 1);
  servo.step(2);
  EXPECT_TRUE(servo.seeks.empty());
  EXPECT_EQ(servo.read(kIntrState), kEventSeekError);
  EXPECT_EQ(servo.read(kStatus), 0U);
}

TEST(Servo, SpeedLostDuringASeek_LosesTheTrackUntilASeekArrives) {
  Servo servo;
  servo.become_ready();
  servo.start_seek(100, 1);
  servo.step();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(10);
  servo.hda.at_speed = false;
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventSeekError | kEventSpeedLost);
  EXPECT_EQ(servo.read(kStatus), 0U);
  servo.clear_events();
  servo.hda.at_speed = servo.hda.read_ready = servo.hda.write_ready = true;
  servo.step(5);
  EXPECT_EQ(servo.read(kIntrState), kEventAtSpeed);
  EXPECT_EQ(servo.read(kStatus), kAtSpeed) << "ready, but on which track?";
  EXPECT_FALSE(servo.heads().on_track);
  servo.start_seek(100, 1);
  servo.step(10);
  EXPECT_EQ(servo.read(kStatus), kOnTrack | kWriteReady | kAtSpeed);
  EXPECT_EQ(servo.read(kPosition), track(100, 1));
}

TEST(Servo, SpeedLostOnATrack_TheTrackComesBackWithTheSpeed) {
  Servo servo;
  servo.become_ready();
  servo.hda.at_speed = servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(10);
  EXPECT_EQ(servo.read(kStatus), 0U);
  EXPECT_EQ(servo.read(kIntrState), kEventSpeedLost);
  servo.clear_events();
  servo.hda.at_speed = servo.hda.read_ready = servo.hda.write_ready = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kStatus), kOnTrack | kWriteReady | kAtSpeed);
  EXPECT_EQ(servo.read(kIntrState), kEventAtSpeed) << "on_track and write_ready end seeks only";
}

TEST(Servo, LevelsForTheFormatter_FallWithTheSeek) {
  Servo servo;
  servo.become_ready();
  servo.settle();
  EXPECT_TRUE(servo.heads().on_track);
  EXPECT_TRUE(servo.heads().write_ready);
  servo.start_seek(1, 0);
  servo.settle();
  ASSERT_TRUE(servo.hda_out().seek_req);
  EXPECT_FALSE(servo.heads().on_track);
  EXPECT_FALSE(servo.heads().write_ready);
}

TEST(Servo, WriteReadyBeforeReadReady_CountsFromTheTrackOn) {
  // Some drives publish a negative write settle.
  Servo servo;
  servo.become_ready();
  servo.start_seek(1, 0);
  servo.step();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(10);
  servo.hda.write_ready = true;
  servo.step(10);
  EXPECT_EQ(servo.read(kIntrState), 0U);
  EXPECT_EQ(servo.read(kStatus), kSeeking | kAtSpeed);
  EXPECT_FALSE(servo.heads().write_ready);
  servo.hda.read_ready = true;
  servo.step(3);
  EXPECT_EQ(servo.read(kIntrState), kEventOnTrack | kEventWriteReady);
}

TEST(Servo, SpinCommands_AreOneCycle_AndEndWithTheirLevel) {
  Servo servo;
  servo.hda.at_rest = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventAtRest) << "once after reset";
  servo.clear_events();
  servo.write(kCommand, kSpinUp);
  servo.step(2);
  servo.hda.at_rest = false;
  servo.step(100);
  EXPECT_EQ(servo.spin_ups, 1);
  EXPECT_EQ(servo.read(kIntrState), 0U);
  servo.hda.at_speed = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventAtSpeed);
  servo.clear_events();
  servo.write(kCommand, kSpinDown);
  servo.step(2);
  EXPECT_EQ(servo.spin_downs, 1);
  servo.hda.at_speed = false;
  servo.step(100);
  EXPECT_EQ(servo.read(kIntrState), kEventSpeedLost);
  servo.clear_events();
  servo.hda.at_rest = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventAtRest);
  EXPECT_EQ(servo.spin_ups, 1);
  EXPECT_EQ(servo.spin_downs, 1);
}

TEST(Servo, SpinCommandWhereItIsAlready_EndsAtOnce) {
  Servo servo;
  servo.become_ready();
  servo.write(kCommand, kSpinUp);
  servo.step(2);
  EXPECT_EQ(servo.spin_ups, 1);
  EXPECT_EQ(servo.read(kIntrState), kEventAtSpeed);
  servo.clear_events();
  servo.write(kCommand, 0);  // none
  servo.step(5);
  EXPECT_EQ(servo.read(kIntrState), 0U);
  EXPECT_EQ(servo.spin_ups, 1);
  EXPECT_TRUE(servo.seeks.empty());
}

// Ends with at_rest, at once if the spindle is at rest already": once for every spin_down.
TEST(Servo, SpinDownAtRest_EndsAtOnce_EveryTime) {
  Servo servo;
  servo.hda.at_rest = true;
  servo.step(2);
  servo.clear_events();
  servo.step(5);
  EXPECT_EQ(servo.read(kIntrState), 0U) << "at rest is no event by itself";
  for (int time = 1; time <= 2; ++time) {
    servo.write(kCommand, kSpinDown);
    servo.step(2);
    EXPECT_EQ(servo.spin_downs, time);
    EXPECT_EQ(servo.read(kIntrState), kEventAtRest);
    servo.clear_events();
  }
  servo.step(5);
  EXPECT_EQ(servo.read(kIntrState), 0U) << "once";
  servo.write(kCommand, kSpinUp);
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), 0U) << "it is not at speed";
}

TEST(Servo, SpeedLostWithoutACommand_IsToldOnce) {
  Servo servo;
  servo.become_ready();
  servo.hda.at_speed = servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventSpeedLost);
  servo.clear_events();
  servo.step(100);
  EXPECT_EQ(servo.read(kIntrState), 0U);
  EXPECT_EQ(servo.spin_downs, 0);
}

// The heads leave the track by themselves: no event, and the levels for the formatter follow at
// once.
TEST(Servo, TrackLeftWithoutASeek_ShowsInTheLevels) {
  Servo servo;
  servo.become_ready();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.settle();
  EXPECT_FALSE(servo.heads().on_track);
  EXPECT_FALSE(servo.heads().write_ready);
  servo.step(10);
  EXPECT_EQ(servo.read(kStatus), kAtSpeed);
  servo.hda.read_ready = servo.hda.write_ready = true;
  servo.step(10);
  EXPECT_EQ(servo.read(kStatus), kOnTrack | kWriteReady | kAtSpeed);
  EXPECT_EQ(servo.read(kIntrState), 0U);
}

TEST(Servo, Recalibration_EndsASeekThatNeverArrives_AtCylinderZero) {
  Servo servo;
  servo.become_ready();
  servo.start_seek(100, 1);
  servo.step();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(1000);
  servo.start_seek(100, 1);
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventSeekError) << "a second seek is no way out";
  servo.clear_events();
  servo.write(kCommand, kRecalibrate);
  servo.step(2);
  EXPECT_EQ(servo.recalibrations, 1);
  EXPECT_EQ(servo.seeks.size(), 1U);
  servo.step(50);
  EXPECT_EQ(servo.read(kStatus), kSeeking | kAtSpeed);
  EXPECT_EQ(servo.read(kIntrState), 0U);
  servo.hda.read_ready = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventOnTrack);
  EXPECT_EQ(servo.read(kPosition), 0U);
  EXPECT_EQ(servo.read(kStatus), kOnTrack | kAtSpeed);
  servo.hda.write_ready = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventOnTrack | kEventWriteReady);
}

// As for a seek, the ready levels are those of the old track for LevelDelayCycles.
TEST(Servo, Recalibration_LosesTheTrackInItsVeryCycle) {
  Servo servo;
  servo.become_ready();
  servo.write(kCommand, kRecalibrate);
  servo.settle();
  ASSERT_TRUE(servo.hda_out().recalibrate);
  EXPECT_FALSE(servo.heads().on_track);
  EXPECT_FALSE(servo.heads().write_ready);
  servo.step();
  for (unsigned cycle = 0; cycle < kLevelDelayCycles; ++cycle) {
    servo.settle();
    EXPECT_FALSE(servo.heads().on_track) << cycle;
    EXPECT_FALSE(servo.hda_out().recalibrate) << cycle;
    servo.step();
  }
  servo.step(2);
  EXPECT_EQ(servo.read(kStatus), kOnTrack | kWriteReady | kAtSpeed) << "nothing had to move";
}

// The seek arrives in the very cycle of the recalibration, which cancels it nevertheless.
TEST(Servo, RecalibrationInTheCycleOfAnArrival_IsOneEvent_Later) {
  Servo servo;
  servo.become_ready();
  servo.start_seek(100, 1);
  servo.step();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(10);
  servo.write(kCommand, kRecalibrate);
  servo.hda.read_ready = true;
  servo.step();
  servo.hda.read_ready = false;
  servo.step(20);
  EXPECT_EQ(servo.read(kIntrState), 0U);
  EXPECT_EQ(servo.read(kStatus), kSeeking | kAtSpeed);
  servo.hda.read_ready = true;
  servo.step(2);
  EXPECT_EQ(servo.read(kPosition), 0U);
}

TEST(Servo, RecalibrationWithoutSpeed_IsRefused_AndOneThatLosesItIsLost) {
  Servo servo;
  servo.write(kCommand, kRecalibrate);
  servo.step(2);
  EXPECT_EQ(servo.recalibrations, 0);
  EXPECT_EQ(servo.read(kIntrState), kEventSeekError);
  servo.become_ready();
  servo.write(kCommand, kRecalibrate);
  servo.step();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(10);
  servo.hda.at_speed = false;
  servo.step(2);
  EXPECT_EQ(servo.read(kIntrState), kEventSeekError | kEventSpeedLost);
}

TEST(Servo, IndexTime_IsTheTimeBaseInTheCycleOfThePulse) {
  Servo servo;
  servo.write(kIndexCapture, 1);
  servo.settle();
  EXPECT_EQ(servo.pins().index_listen_o, 1);
  const std::uint64_t kTimes[] = {1000, 0xFFFF'FFFF, 0x1'0000'0000, 0x1234'5678'9ABC'DEF0};
  std::uint32_t count = 0;
  for (const std::uint64_t time : kTimes) {
    servo.pins().mtime_i = time;
    servo.pins().index_pulse_i = 1;
    servo.step(7);
    EXPECT_EQ(servo.read(kIndexTimeLo), static_cast<std::uint32_t>(time));
    EXPECT_EQ(servo.read(kIndexTimeHi), static_cast<std::uint32_t>(time >> 32));
    EXPECT_EQ(servo.read(kIndexCount), ++count);
    EXPECT_EQ(servo.read(kIntrState), kEventIndex);
    servo.clear_events();
  }
}

TEST(Servo, IndexPulsesThatOthersListenTo_AreNotCaptured) {
  Servo servo;
  servo.pins().mtime_i = 77;
  servo.pins().index_pulse_i = 1;
  servo.step(3);
  EXPECT_EQ(servo.read(kIndexCount), 0U);
  EXPECT_EQ(servo.read(kIndexTimeLo), 0U);
  EXPECT_EQ(servo.read(kIntrState), 0U);
}

}  // namespace
}  // namespace headstack::servo_test
