// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the interrupt controller: which blocks request attention, and which may interrupt the
/// core.
#ifndef FIRMWARE_HAL_IRQ_CTRL_HAL_H
#define FIRMWARE_HAL_IRQ_CTRL_HAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bits of both registers.
enum irq_source {
  IRQ_SCSI_TARGET = 1U << 0,
  IRQ_BUFFER_MGR = 1U << 1,
  IRQ_FORMATTER = 1U << 2,
  IRQ_SERVO = 1U << 3,
  IRQ_TIMER = 1U << 4,
  IRQ_ALL = 0x1F,
};

/// Enables exactly these sources as interrupts.
void irq_ctrl_hal_enable(uint32_t sources);

/// Sources that request attention, enabled or not. Each stays pending until its block is
/// acknowledged.
uint32_t irq_ctrl_hal_pending(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_IRQ_CTRL_HAL_H
