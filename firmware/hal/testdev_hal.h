// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the test device: ends a simulation. The drive uses neither its console nor its
/// platform number.
#ifndef FIRMWARE_HAL_TESTDEV_HAL_H
#define FIRMWARE_HAL_TESTDEV_HAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Ends the simulation; 0 is good, anything else an assertion (file id << 16 | line).
void testdev_hal_exit(uint32_t code);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_TESTDEV_HAL_H
