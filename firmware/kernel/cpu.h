/// @file
/// What the dispatcher needs from a processor. On the drive's core three instructions; a native
/// platform links its own functions.
#ifndef FIRMWARE_KERNEL_CPU_H
#define FIRMWARE_KERNEL_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__riscv) && __riscv_xlen == 32

/// mstatus.MIE (RISC-V privileged architecture, 3.1.6.1).
#define CPU_MSTATUS_MIE 8

static inline void cpu_interrupts_off(void) {
  __asm__ volatile("csrci mstatus, %0" : : "i"(CPU_MSTATUS_MIE) : "memory");
}

static inline void cpu_interrupts_on(void) {
  __asm__ volatile("csrsi mstatus, %0" : : "i"(CPU_MSTATUS_MIE) : "memory");
}

/// Sleeps until an interrupt is pending. Called with interrupts off: wfi resumes all the same
/// (privileged architecture, 3.3.3), and none can slip in between the last look and the sleep.
static inline void cpu_wait_for_interrupt(void) { __asm__ volatile("wfi" : : : "memory"); }

#else

void cpu_interrupts_off(void);
void cpu_interrupts_on(void);
void cpu_wait_for_interrupt(void);

#endif

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_CPU_H
