// SPDX-License-Identifier: Apache-2.0
/// @file
/// Time as the firmware counts it: periods of the SoC clock since power-on, 25 ns each.
///
/// 64 bits never wrap; a difference that is known to be short may be taken in 32 (107 s).
#ifndef FIRMWARE_KERNEL_TIME_H
#define FIRMWARE_KERNEL_TIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t time_tick;

#define TIME_TICKS_PER_MICROSECOND 40U
#define TIME_TICKS_PER_MILLISECOND 40000U
#define TIME_TICK_NEVER UINT64_MAX

/// Ticks from `from` to `to`; `to` is at most 107 s later.
static inline uint32_t time_since32(time_tick from, time_tick to) {
  return (uint32_t)to - (uint32_t)from;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_TIME_H
