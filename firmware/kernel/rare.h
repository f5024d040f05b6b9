// SPDX-License-Identifier: Apache-2.0
/// @file
/// RARE: marks a function that is seldom called. The compiler moves the path to it out of the usual
/// path, which then takes fewer jumps and saves fewer registers.
#ifndef FIRMWARE_KERNEL_RARE_H
#define FIRMWARE_KERNEL_RARE_H

#define RARE __attribute__((cold, noinline))

/// ALWAYS_INLINE: marks a function on the busy path that the compiler would not inline by itself.
#define ALWAYS_INLINE inline __attribute__((always_inline))

#endif  // FIRMWARE_KERNEL_RARE_H
