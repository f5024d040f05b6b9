// SPDX-License-Identifier: Apache-2.0
// The servo before a head-disk assembly with faults, Verilated and as a model. Times follow from
// the equations of sim/mechanics, and the answers are the same in every cycle.
#include <gtest/gtest.h>

#include "tests/contract/servo_script.hpp"

namespace headstack::contract {
namespace {

namespace regs = tlm::servo_regs;
using Intr = regs::IntrState;
using drive::ArmFaultKind;

constexpr std::uint32_t kOnTrack = 0b0001;
constexpr std::uint32_t kWriteReady = 0b0010;
constexpr std::uint32_t kSeeking = 0b0100;
constexpr std::uint32_t kAtSpeed = 0b1000;

template <class Bench>
class ServoFaults : public testing::Test {};
using Benches = testing::Types<ServoRtl, ServoTlm>;
TYPED_TEST_SUITE(ServoFaults, Benches, BenchName);

drive::DriveDescription drive_with(const drive::ArmFault& fault) {
  drive::DriveDescription drive = quick_drive();
  drive.specimen.arm_faults = {fault};
  return drive;
}
drive::DriveDescription drive_with(const drive::SpindleFault& fault) {
  drive::DriveDescription drive = quick_drive();
  drive.specimen.spindle_faults = {fault};
  return drive;
}

/// Runs until ready, with all events acknowledged.
template <class Bench>
void prepare(Bench& bench) {
  bench.step(2);
  clear(bench);
  bench.write(regs::IntrEnable::kOffset, kServoEvents);
}

drive::ArmFault arm_fault(ArmFaultKind kind, std::uint32_t seeks = 1) {
  drive::ArmFault fault;
  fault.kind = kind;
  fault.seeks = seeks;
  return fault;
}

// Settles 0.1 ms (4,000 clocks) late: read ready at arrival + t, events two clocks later.
TYPED_TEST(ServoFaults, LateSettling_DelaysBothEventsByItsTime) {
  drive::ArmFault late = arm_fault(ArmFaultKind::kSettle);
  late.for_ms = 0.1;
  TypeParam bench(drive_with(late));
  prepare(bench);
  seek(bench, 3, 0);
  const std::uint64_t command = bench.cycle();
  ASSERT_TRUE(bench.step_until(10'000, [&] { return bench.irq(); }));
  EXPECT_EQ(bench.cycle(), command + kSeekClocks + 4000 + 2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kOnTrackMask);
  clear(bench);
  ASSERT_TRUE(bench.step_until(10'000, [&] { return bench.irq(); }));
  EXPECT_EQ(bench.cycle(), command + kSeekClocks + 4000 + kSettleClocks + 2);
  EXPECT_EQ(bench.read(regs::Position::kOffset), 3U);
}

TYPED_TEST(ServoFaults, SeekThatNeverArrives_EndsWithARecalibrationAlone) {
  for (const ArmFaultKind kind : {ArmFaultKind::kSettle, ArmFaultKind::kStuck}) {
    TypeParam bench(drive_with(arm_fault(kind)));
    prepare(bench);
    seek(bench, 3, 1);
    EXPECT_FALSE(bench.step_until(200'000, [&] { return bench.irq(); }));
    EXPECT_EQ(bench.read(regs::Status::kOffset), kSeeking | kAtSpeed);
    seek(bench, 2, 0);
    bench.step(2);
    EXPECT_EQ(bench.read(Intr::kOffset), Intr::kSeekErrorMask) << "refused";
    clear(bench);
    write_op(bench, regs::Op::kRecalibrate);
    const std::uint64_t command = bench.cycle();
    bench.step(3);
    EXPECT_EQ(bench.read(regs::Status::kOffset), kSeeking | kAtSpeed);
    ASSERT_TRUE(bench.step_until(10'000, [&] { return bench.irq(); }));
    // A full stroke over 3 cylinders takes as long as every seek here.
    EXPECT_EQ(bench.cycle(), command + kSeekClocks + 2);
    EXPECT_EQ(bench.read(Intr::kOffset), Intr::kOnTrackMask);
    EXPECT_EQ(bench.read(regs::Position::kOffset), 0U);
    EXPECT_EQ(bench.disk.heads().cylinder(), 0U);
  }
}

// 10 us after read ready the track is lost, for 50 us: no event, and a seek to it waits.
TYPED_TEST(ServoFaults, HeadsThatLeaveTheTrack_AreOffItForTheirTime) {
  drive::ArmFault away = arm_fault(ArmFaultKind::kOffTrack);
  away.after_ms = 0.01;
  away.for_ms = 0.05;
  TypeParam bench(drive_with(away));
  prepare(bench);
  seek(bench, 3, 0);
  const std::uint64_t command = bench.cycle();
  bench.step(kSeekClocks + 4);
  EXPECT_EQ(bench.read(regs::Status::kOffset), kOnTrack | kAtSpeed);
  clear(bench);
  // The level falls at 400 clocks after read ready, and is seen one clock later.
  bench.step(command + kSeekClocks + 400 - bench.cycle());
  EXPECT_EQ(bench.read(regs::Status::kOffset) & kOnTrack, kOnTrack);
  EXPECT_EQ(bench.read(regs::Status::kOffset), kAtSpeed);
  bench.step(500);
  seek(bench, 3, 0);
  bench.step(500);
  EXPECT_EQ(bench.read(regs::Status::kOffset), kSeeking | kAtSpeed);
  EXPECT_EQ(bench.read(Intr::kOffset) & Intr::kOnTrackMask, 0U);
  ASSERT_TRUE(bench.step_until(
      10'000, [&] { return (bench.read(Intr::kOffset) & Intr::kOnTrackMask) != 0; }));
  EXPECT_LE(bench.cycle(), command + kSeekClocks + 2400 + 5);
  EXPECT_GE(bench.cycle(), command + kSeekClocks + 2400 + 2);
  bench.step(3);
  EXPECT_EQ(bench.read(regs::Status::kOffset), kOnTrack | kWriteReady | kAtSpeed);
}

TYPED_TEST(ServoFaults, WrongCylinder_IsTakenForTheTarget) {
  drive::ArmFault miss = arm_fault(ArmFaultKind::kWrongCylinder);
  miss.by_cylinders = -1;
  TypeParam bench(drive_with(miss));
  prepare(bench);
  seek(bench, 3, 0);
  bench.step(kSeekClocks + kSettleClocks + 4);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kOnTrackMask | Intr::kWriteReadyMask);
  EXPECT_EQ(bench.read(regs::Position::kOffset), 3U) << "so the servo believes";
  EXPECT_EQ(bench.disk.heads().cylinder(), 2U);
  clear(bench);
  seek(bench, 3, 0);
  bench.step(kSeekClocks + kSettleClocks + 4);
  EXPECT_EQ(bench.disk.heads().cylinder(), 3U) << "the same seek once more moves";
}

// Power is off at 0.5 ms for 5 us, a quarter of the way to rest: a quarter of 30 us restores the
// speed.
TYPED_TEST(ServoFaults, Dropout_IsTold_AndTheTrackComesBackWithTheSpeed) {
  drive::SpindleFault dropout;
  dropout.at_ms = 0.5;
  dropout.for_ms = 0.005;
  TypeParam bench(drive_with(dropout));
  prepare(bench);
  ASSERT_TRUE(bench.step_until(30'000, [&] { return bench.irq(); }));
  EXPECT_EQ(bench.cycle(), 20'000U + 2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kSpeedLostMask);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0U);
  clear(bench);
  ASSERT_TRUE(bench.step_until(30'000, [&] { return bench.irq(); }));
  EXPECT_EQ(bench.cycle(), 20'000U + 200 + 300 + 2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kAtSpeedMask);
  EXPECT_EQ(bench.read(regs::Status::kOffset), kOnTrack | kWriteReady | kAtSpeed);
}

TYPED_TEST(ServoFaults, DropoutDuringASeek_LosesIt) {
  drive::SpindleFault dropout;
  dropout.at_ms = 0.5;
  TypeParam bench(drive_with(dropout));
  prepare(bench);
  bench.step(20'000 - 400 - bench.cycle());
  seek(bench, 3, 0);
  ASSERT_TRUE(bench.step_until(1000, [&] { return bench.irq(); }));
  EXPECT_EQ(bench.cycle(), 20'000U + 2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kSpeedLostMask | Intr::kSeekErrorMask);
  // It is at rest 20 us later, until it is started anew.
  bench.step(100'000);
  EXPECT_EQ(bench.read(Intr::kOffset),
            Intr::kSpeedLostMask | Intr::kSeekErrorMask | Intr::kAtRestMask);
  clear(bench);
  write_op(bench, regs::Op::kSpinUp);
  bench.step(1200 + 4);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kAtSpeedMask);
  EXPECT_EQ(bench.read(regs::Status::kOffset), kAtSpeed) << "on which track?";
}

TYPED_TEST(ServoFaults, StartThatFails_RaisesNothing_AndASpinDownEndsIt) {
  for (const double share : {0.0, 0.5}) {
    drive::SpindleFault fails;
    fails.kind = drive::SpindleFaultKind::kNoStart;
    fails.starts = 1;
    fails.speed_share = share;
    drive::DriveDescription drive = quick_drive();
    drive.specimen.spindle_faults = {fails};
    TypeParam bench(drive, tlm::Disk::Start::kAtRest);
    bench.step(3);
    clear(bench);
    write_op(bench, regs::Op::kSpinUp);
    bench.step(100'000);
    EXPECT_EQ(bench.read(Intr::kOffset), 0U) << share;
    EXPECT_EQ(bench.read(regs::Status::kOffset), 0U);
    write_op(bench, regs::Op::kSpinDown);
    bench.step(1000);
    EXPECT_EQ(bench.read(Intr::kOffset), Intr::kAtRestMask);
    clear(bench);
    write_op(bench, regs::Op::kSpinUp);
    bench.step(1200 + 4);
    EXPECT_EQ(bench.read(Intr::kOffset), Intr::kAtSpeedMask) << "the second start";
  }
}

TYPED_TEST(ServoFaults, MissingIndex_IsNotCaptured) {
  drive::DriveDescription drive = quick_drive();
  drive.specimen.index_faults = {{2, 10, 1}};
  TypeParam bench(drive);
  bench.write(regs::IndexCapture::kOffset, 1);
  bench.step(40'000 * 12 - 100 - bench.cycle());
  EXPECT_EQ(bench.read(regs::IndexCount::kOffset), 1U) << "that of turn 1";
  EXPECT_NEAR(bench.read(regs::IndexTimeLo::kOffset), 40'000, 1);
  bench.step(200);
  EXPECT_EQ(bench.read(regs::IndexCount::kOffset), 2U) << "and that of turn 12";
}

TYPED_TEST(ServoFaults, SpinDownAtRest_EndsAtOnce) {
  TypeParam bench(quick_drive(), tlm::Disk::Start::kAtRest);
  bench.step(3);
  clear(bench);
  bench.step(100);
  EXPECT_EQ(bench.read(Intr::kOffset), 0U);
  write_op(bench, regs::Op::kSpinDown);
  bench.step(2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kAtRestMask);
}

// ------------------------------------------------------------------------------ model against RTL

/// A fifth of the movements fail. There are twelve dropouts in the 12 ms or so of a play, some
/// starts that fail, and one index in four is missing.
drive::Specimen faulty(std::uint32_t seed) {
  drive::Specimen specimen;
  specimen.flaw_seed = seed;
  specimen.random.arm_share = 0.2;
  specimen.random.arm_ms = 0.06;
  specimen.random.arm_cylinders = 2;
  specimen.random.missing_index_share = 0.25;
  specimen.random.dropouts = 12;
  specimen.random.dropout_span_ms = 12;
  specimen.random.dropout_ms = 0.1;
  drive::SpindleFault fails;
  fails.kind = drive::SpindleFaultKind::kNoStart;
  fails.first_start = 2 + seed % 3;
  fails.starts = 1 + seed % 2;
  fails.speed_share = seed % 2 == 0 ? 0 : 0.8;
  drive::SpindleFault latched;
  latched.at_ms = 0.003 * seed;
  specimen.spindle_faults = {fails, latched};
  return specimen;
}

class FaultyServoRandom : public testing::TestWithParam<std::uint32_t> {};
TEST_P(FaultyServoRandom, ModelAndRtl_AnswerAlikeInEveryCycle) {
  const RandomServo play(GetParam(), faulty(GetParam()));
  EXPECT_TRUE(alike(play.run<ServoTlm>(), play.run<ServoRtl>())) << "seed " << GetParam();
}
INSTANTIATE_TEST_SUITE_P(Seeds, FaultyServoRandom, testing::Range(1U, 201U));

/// Records the times at which the assembly reports its levels.
class LevelTimes : public channel::HdaObserver {
 public:
  void levels_changed(Picoseconds at, const channel::HdaLevels& levels) override {
    if (levels.at_speed != was_at_speed_) at_speed_changes.emplace_back(at, levels.at_speed);
    was_at_speed_ = levels.at_speed;
  }
  std::vector<std::pair<Picoseconds, bool>> at_speed_changes;

 private:
  bool was_at_speed_ = true;
};

// The spindle has its speed again at its ramp's end (sim/mechanics/spindle.hpp), between two edges.
// Observers get that time, not that of the edge at which the registers see it.
TEST(ServoModel, SpeedAfterADropout_IsToldAtTheRampsEnd) {
  drive::SpindleFault dropout;
  dropout.at_ms = 0.1000137;
  dropout.for_ms = 0.0070001;
  ServoTlm bench(drive_with(dropout));
  LevelTimes times;
  bench.disk.observe(&times);
  bench.step(20'000);
  ASSERT_EQ(times.at_speed_changes.size(), 2U);
  const Picoseconds fails = 100'013'700;
  const Picoseconds back = fails + 7'000'100;
  EXPECT_EQ(times.at_speed_changes[0], std::make_pair(fails, false));
  const auto end = [&] {
    tlm::Disk disk(drive_with(dropout));
    disk.motor_changes(fails);
    disk.motor_changes(back);
    return *disk.spindle().ramp_end(back);
  }();
  EXPECT_NE(end % tlm::kClockPeriodPs, 0) << "between two edges";
  EXPECT_EQ(times.at_speed_changes[1], std::make_pair(end, true));
}

}  // namespace
}  // namespace headstack::contract
