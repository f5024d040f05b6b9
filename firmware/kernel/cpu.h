/// @file
/// What the main loop needs from a processor. On the drive's core one instruction; a native
/// platform links its own function.
#ifndef FIRMWARE_KERNEL_CPU_H
#define FIRMWARE_KERNEL_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__riscv) && __riscv_xlen == 32

/// Sleeps until an interrupt is pending, and not at all if one is: none can slip in between the
/// last look and the sleep. Interrupts are off, and wfi resumes all the same (RISC-V privileged
/// architecture, 3.3.3).
static inline void cpu_wait_for_interrupt(void) { __asm__ volatile("wfi" : : : "memory"); }

#else

void cpu_wait_for_interrupt(void);

#endif

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_CPU_H
