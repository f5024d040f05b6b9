// SPDX-License-Identifier: Apache-2.0
/// ASSERT on the drive: writes the code to the test device and stops.
#include "firmware/kernel/assert.h"

#include "firmware/hal/testdev_hal.h"

void assert_failed(uint32_t code) {
  testdev_hal_exit(code);
  // The simulator ends the run at its next step; a drive without a test device stands still.
  while (1) {
  }
}
