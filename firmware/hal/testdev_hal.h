// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the test device: console, exit and platform number of a simulated drive.
#ifndef FIRMWARE_HAL_TESTDEV_HAL_H
#define FIRMWARE_HAL_TESTDEV_HAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where the firmware runs: values of the PLATFORM register.
enum testdev_platform {
  TESTDEV_PLATFORM_RTL = 1,
  TESTDEV_PLATFORM_VP = 2,
};

/// Prints a text, up to its terminating 0.
void testdev_hal_print(const char* text);

/// Ends the simulation; 0 is good, anything else an assertion (file id << 16 | line).
void testdev_hal_exit(uint32_t code);

uint32_t testdev_hal_platform(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_TESTDEV_HAL_H
