// SPDX-License-Identifier: Apache-2.0
// The wake-up timer, Verilated and as a model, against hdl/regs/timer.rdl.
#include <Vtimer.h>
#include <gtest/gtest.h>

#include "sim/tlm/blocks/timer.hpp"
#include "tests/contract/bench.hpp"

namespace headstack::contract {
namespace {

using tlm::timer_regs::CompareHi;
using tlm::timer_regs::CompareLo;
using tlm::timer_regs::Ctrl;
using tlm::timer_regs::Status;
using tlm::timer_regs::TimeHi;
using tlm::timer_regs::TimeLo;

class RtlTimer : public RtlBench<Vtimer> {
  // soc_top.sv: the blocks get the number of the last edge.
  void drive() override { model_.mtime_i = cycle(); }

 public:
  // An access looks before drive() of its own cycle.
  std::uint32_t read(std::size_t offset) {
    drive();
    return RtlBench<Vtimer>::read(offset);
  }
  bool irq() {
    drive();
    return RtlBench<Vtimer>::irq();
  }
};

class TlmTimer : public TlmBench {
  tlm::RegisterPage& page() override { return timer_; }
  tlm::Timer timer_{agenda_, lines_};
};

template <class Bench>
class TimerContract : public testing::Test {
 protected:
  void set_compare(std::uint64_t time) {
    bench.write(CompareLo::kOffset, static_cast<std::uint32_t>(time));
    bench.write(CompareHi::kOffset, static_cast<std::uint32_t>(time >> 32));
  }
  /// The cycle in which the interrupt first is asserted, up to `limit`; 0 if there is none.
  std::uint64_t rise(std::uint64_t limit) {
    return bench.step_until(limit - bench.cycle(), [this] { return bench.irq(); }) ? bench.cycle()
                                                                                   : 0;
  }
  Bench bench;
};

using Benches = testing::Types<RtlTimer, TlmTimer>;
TYPED_TEST_SUITE(TimerContract, Benches);

TYPED_TEST(TimerContract, AfterReset_NothingIsDue) {
  EXPECT_EQ(this->bench.read(CompareLo::kOffset), 0xFFFF'FFFFU);
  EXPECT_EQ(this->bench.read(CompareHi::kOffset), 0xFFFF'FFFFU);
  EXPECT_EQ(this->bench.read(Ctrl::kOffset), 0U);
  EXPECT_EQ(this->bench.read(Status::kOffset), 0U);
  EXPECT_FALSE(this->bench.irq());
}

TYPED_TEST(TimerContract, Time_CountsClockPeriodsSincePowerOn) {
  EXPECT_EQ(this->bench.read(TimeLo::kOffset), 0U);
  EXPECT_EQ(this->bench.read(TimeHi::kOffset), 0U);
  EXPECT_EQ(this->bench.read(TimeLo::kOffset), 2U);
  this->bench.step(97);
  EXPECT_EQ(this->bench.read(TimeLo::kOffset), 100U);
}

TYPED_TEST(TimerContract, Time_IgnoresWrites) {
  this->bench.write(TimeLo::kOffset, 0x1234);
  EXPECT_FALSE(this->bench.access_failed());
  EXPECT_EQ(this->bench.read(TimeLo::kOffset), 1U);
}

TYPED_TEST(TimerContract, Interrupt_StandsFromTheEdgeNamedByCompare) {
  this->set_compare(40);
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  EXPECT_EQ(this->rise(100), 40U);
  EXPECT_EQ(this->bench.read(Status::kOffset), Status::kExpiredMask);
  this->bench.step(50);
  EXPECT_TRUE(this->bench.irq());
}

TYPED_TEST(TimerContract, Status_TellsTheVeryCycleBefore) {
  this->set_compare(40);
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  this->bench.step(39 - this->bench.cycle());
  EXPECT_EQ(this->bench.read(Status::kOffset), 0U) << "cycle 39";
  EXPECT_EQ(this->bench.read(Status::kOffset), Status::kExpiredMask) << "cycle 40";
}

TYPED_TEST(TimerContract, CompareInThePast_ExpiresBehindTheWrite) {
  this->set_compare(3);
  this->bench.step(20);
  EXPECT_FALSE(this->bench.irq()) << "not enabled";
  const std::uint64_t written = this->bench.cycle();
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  EXPECT_EQ(this->rise(100), written + 1);
}

TYPED_TEST(TimerContract, CompareAtTheWritesOwnNextEdge_ExpiresThere) {
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  this->bench.write(CompareHi::kOffset, 0);
  const std::uint64_t written = this->bench.cycle();
  this->bench.write(CompareLo::kOffset, static_cast<std::uint32_t>(written + 1));
  EXPECT_EQ(this->rise(100), written + 1);
}

TYPED_TEST(TimerContract, LaterCompare_ClearsTheInterrupt) {
  this->set_compare(5);
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  this->bench.step(10);
  ASSERT_TRUE(this->bench.irq());
  this->bench.write(CompareLo::kOffset, 60);
  EXPECT_FALSE(this->bench.irq());
  EXPECT_EQ(this->rise(100), 60U);
}

TYPED_TEST(TimerContract, CompareStillPast_KeepsTheInterrupt) {
  this->set_compare(5);
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  this->bench.step(10);
  this->bench.write(CompareLo::kOffset, 6);
  EXPECT_TRUE(this->bench.irq());
}

TYPED_TEST(TimerContract, Disabled_DoesNotExpire) {
  this->set_compare(30);
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  this->bench.write(Ctrl::kOffset, 0);
  EXPECT_EQ(this->rise(100), 0U);
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  EXPECT_TRUE(this->bench.irq());
  this->bench.write(Ctrl::kOffset, 0);
  EXPECT_FALSE(this->bench.irq());
}

TYPED_TEST(TimerContract, HighWord_Counts) {
  this->set_compare(std::uint64_t{1} << 32);
  this->bench.write(Ctrl::kOffset, Ctrl::kEnableMask);
  EXPECT_EQ(this->rise(200), 0U);
}

TYPED_TEST(TimerContract, OffsetWithoutARegister_IsABusError) {
  for (const std::uint32_t offset : {0x18U, 0x1CU, 0x20U, 0xFFCU}) {
    static_cast<void>(this->bench.read(offset));
    EXPECT_TRUE(this->bench.access_failed()) << "read " << offset;
    this->bench.write(offset, 1);
    EXPECT_TRUE(this->bench.access_failed()) << "write " << offset;
  }
  static_cast<void>(this->bench.read(Status::kOffset));
  EXPECT_FALSE(this->bench.access_failed());
}

TYPED_TEST(TimerContract, ByteEnables_WriteOnlyTheirBytes) {
  this->bench.write(CompareLo::kOffset, 0x1122'3344, 0b0110);
  EXPECT_EQ(this->bench.read(CompareLo::kOffset), 0xFF22'33FFU);
}

}  // namespace
}  // namespace headstack::contract
