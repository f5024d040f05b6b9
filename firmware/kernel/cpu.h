// SPDX-License-Identifier: Apache-2.0
/// @file
/// The function that the main loop needs from a processor. start/main.c implements it for the
/// drive's core; a native platform links its own.
#ifndef FIRMWARE_KERNEL_CPU_H
#define FIRMWARE_KERNEL_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

/// Sleeps until an interrupt is pending. Returns at once if one is pending already, so that none is
/// missed between the caller's last check and the sleep. Interrupts are off; a pending one ends the
/// sleep all the same.
void cpu_wait_for_interrupt(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_CPU_H
