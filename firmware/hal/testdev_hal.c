// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/testdev_hal.h"

#include "firmware/hal/mmio.h"
#include "testdev_regs.h"

void testdev_hal_print(const char* text) {
  for (; *text != '\0'; ++text) {
    hal_write32(REGISTER(TESTDEV, testdev, CONSOLE), (uint8_t)*text);
  }
}

void testdev_hal_exit(uint32_t code) { hal_write32(REGISTER(TESTDEV, testdev, EXIT), code); }
