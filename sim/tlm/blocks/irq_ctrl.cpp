// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/blocks/irq_ctrl.hpp"

#include "sim/assert.hpp"

namespace headstack::tlm {

static_assert(irq_ctrl_regs::Pending::kScsiTargetShift == kLineScsiTarget);
static_assert(irq_ctrl_regs::Pending::kBufferMgrShift == kLineBufferMgr);
static_assert(irq_ctrl_regs::Pending::kFormatterShift == kLineFormatter);
static_assert(irq_ctrl_regs::Pending::kServoShift == kLineServo);
static_assert(irq_ctrl_regs::Pending::kTimerShift == kLineTimer);

void IrqCtrl::interrupt_level(unsigned line, bool level) {
  HEADSTACK_ASSERT(line <= kLineTimer, "a source of PENDING");
  const std::uint32_t bit = 1U << line;
  pending_ = level ? pending_ | bit : pending_ & ~bit;
  update();
}

void IrqCtrl::update() {
  const bool level = (pending_ & enable().word) != 0;
  if (level == level_) return;
  level_ = level;
  core_.interrupt_level(0, level);
}

}  // namespace headstack::tlm
