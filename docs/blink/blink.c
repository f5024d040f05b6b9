// SPDX-License-Identifier: Apache-2.0
/// @file
/// The smallest program for the drive's core: each millisecond it reports event 42 (MARKER) with a
/// number that counts up. docs/your-firmware.md compiles and runs it.
#include <stdint.h>

#include "timer_regs.h"
#include "trace_port_regs.h"

#define TIMER ((volatile timer_t*)0x40000000U)
#define TRACE_PORT ((volatile trace_port_t*)0x40002000U)
#define MARKER 42U
#define MS_TICKS 40000U  // of 25 ns

// The core starts at address 0x80 without a stack: blink.ld puts this function there.
__attribute__((naked, section(".reset"))) void reset_vector(void) {
  __asm__("lui sp, 0x3c4\n\tj blink");
}

__attribute__((noreturn)) void blink(void) {
  uint32_t last = TIMER->TIME_LO;
  for (uint32_t count = 0;; ++count) {
    TRACE_PORT->EVENT[MARKER] = count;
    while (TIMER->TIME_LO - last < MS_TICKS) {
    }
    last += MS_TICKS;
  }
}
