// SPDX-License-Identifier: Apache-2.0
// The servo, Verilated and as a model, against hdl/regs/servo.rdl, and against each other.
#include <gtest/gtest.h>

#include "tests/contract/servo_script.hpp"

namespace headstack::contract {
namespace {

namespace regs = tlm::servo_regs;
using Intr = regs::IntrState;

template <class Bench>
class ServoContract : public testing::Test {};
using Benches = testing::Types<ServoRtl, ServoTlm>;
TYPED_TEST_SUITE(ServoContract, Benches, BenchName);

// "Once after reset when it is": at speed.
TYPED_TEST(ServoContract, AtSpeedFromTheStart_IsTold_AndTheHeadsArePark) {
  TypeParam bench(quick_drive());
  bench.step(2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kAtSpeedMask);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1011U);  // on_track, write_ready, at_speed
  EXPECT_EQ(bench.read(regs::Position::kOffset), 0U);
}

TYPED_TEST(ServoContract, OffsetWithoutARegister_IsAnError) {
  TypeParam bench(quick_drive());
  static_cast<void>(bench.read(0x28));
  EXPECT_TRUE(bench.access_failed());
  bench.write(0x3C, 1);
  EXPECT_TRUE(bench.access_failed());
}

TYPED_TEST(ServoContract, Seek_ArrivesForReading_LaterForWriting) {
  TypeParam bench(quick_drive());
  bench.step(2);
  clear(bench);
  bench.write(regs::IntrEnable::kOffset, kServoEvents);
  seek(bench, 3, 1);
  const std::uint64_t command = bench.cycle();            // one clock after the access
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1100U);  // seeking, at_speed
  bench.step(kSeekClocks - 2);
  EXPECT_EQ(bench.read(regs::Position::kOffset), 0U) << "until it arrives";
  EXPECT_FALSE(bench.irq());
  ASSERT_TRUE(bench.step_until(10, [&] { return bench.irq(); }));
  // The level is registered at the edge after it, and acted upon one edge later.
  EXPECT_EQ(bench.cycle(), command + kSeekClocks + 2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kOnTrackMask);
  clear(bench);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1001U);
  EXPECT_EQ(bench.read(regs::Position::kOffset), 1U << 24 | 3U);
  ASSERT_TRUE(bench.step_until(kSettleClocks, [&] { return bench.irq(); }));
  EXPECT_EQ(bench.cycle(), command + kSeekClocks + kSettleClocks + 2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kWriteReadyMask);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1011U);
}

// The formatter asks for a seek, too": in its own cycle, and the seek ends like any other. It is
// refused in the cycle of a command, and during a seek.
TYPED_TEST(ServoContract, FormattersSeek_GoesToTheTarget) {
  TypeParam bench(quick_drive());
  bench.step(2);
  clear(bench);
  bench.write(regs::IntrEnable::kOffset, kServoEvents);
  bench.write(regs::Target::kOffset, 1U << 24 | 3U);
  const std::uint64_t cycle = bench.cycle();
  bench.follow();
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1100U);  // seeking, at_speed
  ASSERT_TRUE(bench.step_until(kSeekClocks + 10, [&] { return bench.irq(); }));
  EXPECT_EQ(bench.cycle(), cycle + kSeekClocks + 2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kOnTrackMask);
  EXPECT_EQ(bench.read(regs::Position::kOffset), 1U << 24 | 3U);
  bench.step(2 * kSettleClocks);
  clear(bench);
  write_op(bench, regs::Op::kNone);
  bench.follow();
  bench.step(2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kSeekErrorMask);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1011U) << "nothing moves";
}

TYPED_TEST(ServoContract, SeekDuringASeek_IsRefused) {
  TypeParam bench(quick_drive());
  bench.step(2);
  clear(bench);
  seek(bench, 2, 0);
  bench.step(100);
  seek(bench, 1, 0);
  bench.step(2);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kSeekErrorMask);
  bench.step(kSeekClocks + kSettleClocks);
  EXPECT_EQ(bench.read(regs::Position::kOffset), 2U) << "the first one goes on";
}

TYPED_TEST(ServoContract, SpinDown_LosesTheSeek_AndPositionUntilTheNextOne) {
  TypeParam bench(quick_drive());
  bench.step(2);
  clear(bench);
  seek(bench, 2, 0);
  bench.step(100);
  write_op(bench, regs::Op::kSpinDown);
  bench.step(4);
  const std::uint32_t lost = Intr::kSeekErrorMask | Intr::kSpeedLostMask;
  EXPECT_EQ(bench.read(Intr::kOffset), lost);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0U);
  bench.step(1000);
  EXPECT_EQ(bench.read(Intr::kOffset), lost | Intr::kAtRestMask);
  clear(bench);
  write_op(bench, regs::Op::kSpinUp);
  bench.step(1300);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kAtSpeedMask);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1000U) << "POSITION is void";
  seek(bench, 1, 0);
  bench.step(kSeekClocks + kSettleClocks + 4);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1011U);
}

TYPED_TEST(ServoContract, IndexTime_IsTheFirstEdgeBehindThePulse) {
  TypeParam bench(quick_drive());
  bench.write(regs::IndexCapture::kOffset, 1);
  bench.step(40'000);
  EXPECT_EQ(bench.read(regs::IndexCount::kOffset), 1U);
  const auto pulse = *bench.disk.spindle().when(0, std::uint64_t{1} << 32);
  EXPECT_EQ(bench.read(regs::IndexTimeLo::kOffset), tlm::edge_number(tlm::edge_after(pulse)));
  EXPECT_EQ(bench.read(regs::IndexTimeHi::kOffset), 0U);
  bench.write(regs::IndexCapture::kOffset, 0);
  bench.step(80'000);
  EXPECT_EQ(bench.read(regs::IndexCount::kOffset), 1U) << "off, none is captured";
}

// ------------------------------------------------------------------------------ model against RTL

class ServoRandom : public testing::TestWithParam<std::uint32_t> {};
TEST_P(ServoRandom, ModelAndRtl_AnswerAlikeInEveryCycle) {
  const RandomServo play(GetParam(), drive::Specimen{});
  EXPECT_TRUE(alike(play.run<ServoTlm>(), play.run<ServoRtl>())) << "seed " << GetParam();
}
TEST_P(ServoRandom, ModelAndRtl_AnswerTheFormatterAlike) {
  const RandomServo play(GetParam(), drive::Specimen{}, true);
  EXPECT_TRUE(alike(play.run<ServoTlm>(), play.run<ServoRtl>())) << "seed " << GetParam();
}
INSTANTIATE_TEST_SUITE_P(Seeds, ServoRandom, testing::Range(1U, 31U));

}  // namespace
}  // namespace headstack::contract
