// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/irq_ctrl_hal.h"

#include "firmware/hal/mmio.h"
#include "firmware/kernel/assert.h"
#include "irq_ctrl_regs.h"

STATIC_ASSERT(IRQ_SCSI_TARGET == IRQ_CTRL__PENDING__SCSI_TARGET_bm, "bits of the block");
STATIC_ASSERT(IRQ_BUFFER_MGR == IRQ_CTRL__PENDING__BUFFER_MGR_bm, "bits of the block");
STATIC_ASSERT(IRQ_FORMATTER == IRQ_CTRL__PENDING__FORMATTER_bm, "bits of the block");
STATIC_ASSERT(IRQ_SERVO == IRQ_CTRL__PENDING__SERVO_bm, "bits of the block");
STATIC_ASSERT(IRQ_TIMER == IRQ_CTRL__PENDING__TIMER_bm, "bits of the block");

void irq_ctrl_hal_enable(uint32_t sources) {
  hal_write32(REGISTER(IRQ_CTRL, irq_ctrl, ENABLE), sources);
}

uint32_t irq_ctrl_hal_pending(void) { return hal_read32(REGISTER(IRQ_CTRL, irq_ctrl, PENDING)); }
