// The servo, Verilated and as a model, against hdl/regs/servo.rdl, and against each other.
#include <gtest/gtest.h>

#include <random>

#include "tests/contract/servo_bench.hpp"
#include "tests/support.hpp"

namespace headstack::contract {
namespace {

namespace regs = tlm::servo_regs;
using Intr = regs::IntrState;

constexpr std::uint32_t kEvents = 0x3F;

/// Seeks of 20 us (800 clocks), write settle 5 us, a turn of 1 ms (40,000 clocks), ramps of 30 us.
drive::DriveDescription quick_drive() {
  drive::DriveDescription description;
  description.design = test::small_design();
  description.design.rpm = 60'000;
  description.design.seek.pieces = {{3, 0.02, 0, 0, 0}};
  description.design.head_switch_ms = 0.01;
  description.design.write_settle_ms = 0.005;
  description.design.spin_up_ms = 0.03;
  description.design.spin_down_ms = 0.02;
  return description;
}
constexpr std::uint64_t kSeekClocks = 800;
constexpr std::uint64_t kSettleClocks = 200;

template <class Bench>
void write_op(Bench& bench, regs::Op op) {
  bench.write(regs::Command::kOffset, static_cast<std::uint32_t>(op));
}
template <class Bench>
void seek(Bench& bench, std::uint32_t cylinder, std::uint32_t head) {
  bench.write(regs::Target::kOffset, head << 24 | cylinder);
  write_op(bench, regs::Op::kSeek);
}
template <class Bench>
void clear(Bench& bench) {
  bench.write(Intr::kOffset, kEvents);
}

template <class Bench>
class ServoContract : public testing::Test {};
using Benches = testing::Types<ServoRtl, ServoTlm>;
class BenchName {
 public:
  template <class Bench>
  static std::string GetName(int) {
    return std::is_same_v<Bench, ServoRtl> ? "rtl" : "tlm";
  }
};
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
  bench.write(regs::IntrEnable::kOffset, kEvents);
  seek(bench, 3, 1);
  const std::uint64_t command = bench.cycle();            // one clock behind the access
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0b1100U);  // seeking, at_speed
  bench.step(kSeekClocks - 2);
  EXPECT_EQ(bench.read(regs::Position::kOffset), 0U) << "until it arrives";
  EXPECT_FALSE(bench.irq());
  ASSERT_TRUE(bench.step_until(10, [&] { return bench.irq(); }));
  // The level is taken in by the edge behind it, and acted upon one later.
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
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kSeekErrorMask);
  EXPECT_EQ(bench.read(regs::Status::kOffset), 0U);
  bench.step(1000);
  EXPECT_EQ(bench.read(Intr::kOffset), Intr::kSeekErrorMask | Intr::kAtRestMask);
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

/// The same random commands at the same cycles; everything that can be read, at random times.
template <class Bench>
Notes run_random(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&random](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  drive::DriveDescription description = quick_drive();
  description.design.write_settle_ms = std::array{0.005, 0.0, -0.002}[pick(3)];
  Bench bench(description, pick(2) != 0 ? tlm::Disk::Start::kAtSpeed : tlm::Disk::Start::kAtRest);
  bench.step(3);
  bench.write(regs::IntrEnable::kOffset, pick(64));
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t what = pick(12);
    note(bench.notes, bench.cycle(), "act", what);
    switch (what) {
      case 0: write_op(bench, regs::Op::kSpinDown); break;
      case 1:
      case 2: write_op(bench, regs::Op::kSpinUp); break;
      case 3: bench.write(regs::IndexCapture::kOffset, pick(2)); break;
      case 4: bench.write(regs::IntrEnable::kOffset, pick(64)); break;
      case 5: clear(bench); break;
      default: seek(bench, pick(6), pick(2)); break;
    }
    // A command shows at once in the model, a clock later in the block.
    const std::uint32_t waits[] = {3 + pick(8), 3 + pick(300), 750 + pick(100), pick(3000) + 3};
    bench.step(waits[pick(4)]);
    for (const std::uint32_t offset :
         {regs::Status::kOffset, regs::Position::kOffset, regs::IndexCount::kOffset,
          regs::IndexTimeLo::kOffset, Intr::kOffset}) {
      const std::uint64_t cycle = bench.cycle();
      note(bench.notes, cycle, fmt::format("register {:#x}", offset), bench.read(offset));
    }
  }
  return bench.notes;
}

class ServoRandom : public testing::TestWithParam<std::uint32_t> {};
TEST_P(ServoRandom, ModelAndRtl_AnswerAlikeInEveryCycle) {
  EXPECT_TRUE(alike(run_random<ServoTlm>(GetParam()), run_random<ServoRtl>(GetParam())))
      << "seed " << GetParam();
}
INSTANTIATE_TEST_SUITE_P(Seeds, ServoRandom, testing::Range(1U, 31U));

}  // namespace
}  // namespace headstack::contract
