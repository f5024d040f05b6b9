// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the test device: its console, and the end of a simulation. The drive does not use its
/// platform number.
#ifndef FIRMWARE_HAL_TESTDEV_HAL_H
#define FIRMWARE_HAL_TESTDEV_HAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Prints a text, up to its terminating 0.
void testdev_hal_print(const char* text);

/// Ends the simulation; 0 is good, anything else an assertion (file id << 16 | line).
void testdev_hal_exit(uint32_t code);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_TESTDEV_HAL_H
