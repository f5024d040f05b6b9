/// @file
/// RARE: marks a function that is seldom called. The compiler lays the way to it out behind the
/// usual one, which then takes fewer jumps and saves fewer registers.
#ifndef FIRMWARE_KERNEL_RARE_H
#define FIRMWARE_KERNEL_RARE_H

#define RARE __attribute__((cold, noinline))

#endif  // FIRMWARE_KERNEL_RARE_H
