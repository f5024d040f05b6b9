// SPDX-License-Identifier: Apache-2.0
#include "host/observe/register_map.hpp"

#include <iterator>

#include "buffer_mgr_registers.hpp"
#include "firmware/hal/mmio.h"
#include "formatter_registers.hpp"
#include "irq_ctrl_registers.hpp"
#include "scsi_target_registers.hpp"
#include "servo_registers.hpp"
#include "testdev_registers.hpp"
#include "timer_registers.hpp"
#include "trace_port_registers.hpp"

namespace headstack::observe {
namespace {

template <std::size_t kNames, std::size_t kFields>
RegisterBlock block(std::uint32_t base, const char* name,
                    const tlm::RegisterName (&registers)[kNames],
                    const tlm::RegisterField (&fields)[kFields]) {
  return {base,
          name,
          {std::begin(registers), std::end(registers)},
          {std::begin(fields), std::end(fields)}};
}

#define HEADSTACK_BLOCK(NAME, registers) \
  block(HAL_BASE_##NAME, #NAME, tlm::registers::kNames, tlm::registers::kFields)

}  // namespace

const std::vector<RegisterBlock>& register_blocks() {
  static const std::vector<RegisterBlock> blocks = {HEADSTACK_BLOCK(TIMER, timer_regs),
                                                    HEADSTACK_BLOCK(IRQ_CTRL, irq_ctrl_regs),
                                                    HEADSTACK_BLOCK(TRACE_PORT, trace_port_regs),
                                                    HEADSTACK_BLOCK(TESTDEV, testdev_regs),
                                                    HEADSTACK_BLOCK(SCSI_TARGET, scsi_target_regs),
                                                    HEADSTACK_BLOCK(BUFFER_MGR, buffer_mgr_regs),
                                                    HEADSTACK_BLOCK(FORMATTER, formatter_regs),
                                                    HEADSTACK_BLOCK(SERVO, servo_regs)};
  return blocks;
}

}  // namespace headstack::observe
