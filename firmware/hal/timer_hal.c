// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/timer_hal.h"

#include "firmware/hal/mmio.h"
#include "timer_regs.h"

uint32_t timer_hal_now32(void) { return hal_read32(REGISTER(TIMER, timer, TIME_LO)); }

time_tick timer_hal_now(void) {
  uint32_t high = hal_read32(REGISTER(TIMER, timer, TIME_HI));
  while (1) {
    const uint32_t low = timer_hal_now32();
    const uint32_t again = hal_read32(REGISTER(TIMER, timer, TIME_HI));
    if (again == high) return (time_tick)high << 32 | low;
    high = again;
  }
}

void timer_hal_start(time_tick due) {
  // Off while the two words do not belong together.
  timer_hal_stop();
  hal_write32(REGISTER(TIMER, timer, COMPARE_LO), (uint32_t)due);
  hal_write32(REGISTER(TIMER, timer, COMPARE_HI), (uint32_t)(due >> 32));
  hal_write32(REGISTER(TIMER, timer, CTRL), TIMER__CTRL__ENABLE_bm);
}

void timer_hal_stop(void) { hal_write32(REGISTER(TIMER, timer, CTRL), 0); }
