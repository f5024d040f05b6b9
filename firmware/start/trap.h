// SPDX-License-Identifier: Apache-2.0
/// @file
/// Traps of the drive's core: two functions that the firmware defines and start.S calls.
///
/// Both run with interrupts off, on the stack of what they interrupt. The table of vectors lies at
/// address 0.
#ifndef HEADSTACK_FIRMWARE_START_TRAP_H
#define HEADSTACK_FIRMWARE_START_TRAP_H

#include <stdint.h>

/// Values of mcause (RISC-V privileged architecture, machine cause register).
enum trap_cause {
  TRAP_INSTRUCTION_ACCESS = 1,
  TRAP_ILLEGAL_INSTRUCTION = 2,
  TRAP_BREAKPOINT = 3,
  TRAP_LOAD_ACCESS = 5,
  TRAP_STORE_ACCESS = 7,
  TRAP_ENVIRONMENT_CALL = 11,
};

/// An exception, or an interrupt that no hardware of the drive can raise (bit 31 of `cause` set).
///
/// @param cause  mcause.
/// @param pc     Address of the instruction concerned.
/// @param value  mtval: the address that failed, or the instruction that is illegal.
/// @param return_address  ra: after a jump to nowhere, the call that made it.
/// @return address at which execution continues.
uint32_t trap_exception(uint32_t cause, uint32_t pc, uint32_t value, uint32_t return_address);

/// Serves the interrupt controller. Returns when no interrupt is pending that must be served now.
void trap_external(void);

/// Lets the controller's interrupt end a `wfi`, whether or not the core takes it.
static inline void trap_wake_on_external(void) { __asm__ volatile("csrs mie, %0" ::"r"(1U << 11)); }

/// Lets the core take interrupts from the controller.
static inline void trap_enable_external(void) {
  trap_wake_on_external();
  __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}

/// Turns interrupts off; they stay pending.
static inline void trap_disable(void) { __asm__ volatile("csrci mstatus, 8" ::: "memory"); }

/// Turns interrupts on again.
static inline void trap_enable(void) { __asm__ volatile("csrsi mstatus, 8" ::: "memory"); }

/// Sleeps until an interrupt is pending, whether or not the core takes it. Call it with interrupts
/// off, after a check: an interrupt between check and sleep then ends the sleep.
static inline void trap_wait(void) { __asm__ volatile("wfi" ::: "memory"); }

#endif
