/// @file
/// What the main loop needs from a processor: start/main.c has it for the drive's core, a native
/// platform links its own.
#ifndef FIRMWARE_KERNEL_CPU_H
#define FIRMWARE_KERNEL_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

/// Sleeps until an interrupt is pending, and not at all if one is: none can slip in between the
/// last look and the sleep. Interrupts are off, and the sleep ends all the same.
void cpu_wait_for_interrupt(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_CPU_H
