// SPDX-License-Identifier: Apache-2.0
// The interrupt controller, Verilated and as a model, against hdl/regs/irq_ctrl.rdl.
#include <Virq_ctrl.h>
#include <gtest/gtest.h>

#include "sim/tlm/blocks/irq_ctrl.hpp"
#include "tests/contract/bench.hpp"

namespace headstack::contract {
namespace {

using tlm::irq_ctrl_regs::Enable;
using tlm::irq_ctrl_regs::Pending;

constexpr unsigned kLines = 5;
constexpr std::uint32_t kAll = 0x1F;

struct RtlIrqCtrl : RtlBench<Virq_ctrl> {
  void set_line(unsigned line, bool level) {
    CData* const lines[kLines] = {&model_.irq_scsi_target_i, &model_.irq_buffer_mgr_i,
                                  &model_.irq_formatter_i, &model_.irq_servo_i,
                                  &model_.irq_timer_i};
    *lines[line] = level;
  }
};

struct TlmIrqCtrl : TlmBench {
  void set_line(unsigned line, bool level) { controller_.interrupt_level(line, level); }

 private:
  tlm::RegisterPage& page() override { return controller_; }
  tlm::IrqCtrl controller_{lines_};
};

template <class Bench>
struct IrqCtrlContract : testing::Test {
  Bench bench;
};

using Benches = testing::Types<RtlIrqCtrl, TlmIrqCtrl>;
TYPED_TEST_SUITE(IrqCtrlContract, Benches);

TYPED_TEST(IrqCtrlContract, AfterReset_NothingIsEnabled) {
  EXPECT_EQ(this->bench.read(Pending::kOffset), 0U);
  EXPECT_EQ(this->bench.read(Enable::kOffset), 0U);
  for (unsigned line = 0; line < kLines; ++line) this->bench.set_line(line, true);
  EXPECT_FALSE(this->bench.irq());
}

TYPED_TEST(IrqCtrlContract, Pending_ShowsSourcesEnabledOrNot) {
  for (unsigned line = 0; line < kLines; ++line) {
    this->bench.set_line(line, true);
    EXPECT_EQ(this->bench.read(Pending::kOffset), 1U << line);
    this->bench.set_line(line, false);
  }
  this->bench.write(Enable::kOffset, Enable::kServoMask);
  this->bench.set_line(2, true);
  EXPECT_EQ(this->bench.read(Pending::kOffset), Pending::kFormatterMask);
}

TYPED_TEST(IrqCtrlContract, Interrupt_IsAnyPendingSourceThatIsEnabled) {
  for (std::uint32_t enabled = 0; enabled <= kAll; ++enabled) {
    this->bench.write(Enable::kOffset, enabled);
    for (unsigned line = 0; line < kLines; ++line) {
      this->bench.set_line(line, true);
      EXPECT_EQ(this->bench.irq(), (enabled >> line & 1) != 0) << enabled << ", line " << line;
      this->bench.set_line(line, false);
      EXPECT_FALSE(this->bench.irq()) << "a level, not an edge";
    }
  }
}

TYPED_TEST(IrqCtrlContract, Enable_ActsOnWhatIsPendingAlready) {
  this->bench.set_line(3, true);
  this->bench.write(Enable::kOffset, Enable::kServoMask);
  EXPECT_TRUE(this->bench.irq());
  this->bench.write(Enable::kOffset, kAll & ~Enable::kServoMask);
  EXPECT_FALSE(this->bench.irq());
  EXPECT_EQ(this->bench.read(Pending::kOffset), Pending::kServoMask) << "and leaves it pending";
}

TYPED_TEST(IrqCtrlContract, OneSourceGone_OthersKeepTheInterrupt) {
  this->bench.write(Enable::kOffset, kAll);
  this->bench.set_line(0, true);
  this->bench.set_line(4, true);
  this->bench.set_line(0, false);
  EXPECT_TRUE(this->bench.irq());
  this->bench.set_line(4, false);
  EXPECT_FALSE(this->bench.irq());
}

TYPED_TEST(IrqCtrlContract, Registers_KeepOnlyTheirFields) {
  this->bench.write(Enable::kOffset, 0xFFFF'FFFF);
  EXPECT_EQ(this->bench.read(Enable::kOffset), kAll);
  this->bench.write(Pending::kOffset, 0xFFFF'FFFF);
  EXPECT_FALSE(this->bench.access_failed());
  EXPECT_EQ(this->bench.read(Pending::kOffset), 0U);
}

TYPED_TEST(IrqCtrlContract, OffsetWithoutARegister_IsABusError) {
  for (const std::uint32_t offset : {0x08U, 0x0CU, 0x10U, 0xFFCU}) {
    static_cast<void>(this->bench.read(offset));
    EXPECT_TRUE(this->bench.access_failed()) << offset;
  }
}

}  // namespace
}  // namespace headstack::contract
