// SPDX-License-Identifier: Apache-2.0
/// @file
/// The SoC's self-test: a program that uses what every firmware stands on, and says through the
/// trace port what it saw. test_soc.cpp knows what it must see.
///
/// It walks its steps in order; each reports event STEP with its number first. Exit code 0 at the
/// end.
#include <stdint.h>

#include "buffer_mgr_regs.h"
#include "firmware/start/trap.h"
#include "irq_ctrl_regs.h"
#include "servo_regs.h"
#include "testdev_regs.h"
#include "tests/soc/self_test_events.h"
#include "timer_regs.h"
#include "trace_port_regs.h"

#define BLOCK(type, number) ((volatile type*)(0x40000000U + 0x1000U * (number)))
#define TIMER BLOCK(timer_t, 0)
#define IRQ_CTRL BLOCK(irq_ctrl_t, 1)
#define TRACE_PORT BLOCK(trace_port_t, 2)
#define TESTDEV BLOCK(testdev_t, 3)
#define SERVO BLOCK(servo_t, 7)

static volatile uint32_t external_interrupts;
static volatile uint32_t exceptions;

static void event(enum self_test_event number, uint32_t argument) {
  TRACE_PORT->EVENT[number] = argument;
}

static void print(const char* text) {
  for (; *text != '\0'; ++text) TESTDEV->CONSOLE = (uint8_t)*text;
}

static void timer_set(uint64_t due) {
  // Far away first: a half-written time must not expire.
  TIMER->COMPARE_HI = UINT32_MAX;
  TIMER->COMPARE_LO = (uint32_t)due;
  TIMER->COMPARE_HI = (uint32_t)(due >> 32);
}

static uint64_t timer_now(void) {
  uint32_t high;
  uint32_t low;
  do {
    high = TIMER->TIME_HI;
    low = TIMER->TIME_LO;
  } while (high != TIMER->TIME_HI);
  return ((uint64_t)high << 32) | low;
}

void trap_external(void) {
  ++external_interrupts;
  const uint32_t pending = IRQ_CTRL->PENDING & IRQ_CTRL->ENABLE;
  event(EVENT_INTERRUPT, pending);
  if ((pending & IRQ_CTRL__PENDING__TIMER_bm) != 0) TIMER->CTRL = 0;
  if ((pending & IRQ_CTRL__PENDING__SERVO_bm) != 0) {
    event(EVENT_INDEX_TIME, SERVO->INDEX_TIME_LO);
    SERVO->INTR_STATE = SERVO->INTR_STATE;
  }
}

uint32_t trap_exception(uint32_t cause, uint32_t pc, uint32_t value, uint32_t return_address) {
  (void)return_address;
  ++exceptions;
  event(EVENT_EXCEPTION_CAUSE, cause);
  event(EVENT_EXCEPTION_VALUE, value);
  // The instructions that fail on purpose are written with four bytes.
  return pc + 4;
}

static void check_memory(void) {
  static volatile union {
    uint32_t word;
    uint16_t half[2];
    uint8_t byte[4];
  } cell;
  event(EVENT_STEP, STEP_MEMORY);
  cell.word = 0x11223344;
  cell.byte[1] = 0xAA;
  cell.half[1] = 0xBEEF;
  event(EVENT_VALUE, cell.word);
  event(EVENT_VALUE, cell.byte[3]);
  event(EVENT_VALUE, cell.half[0]);
  // Across a word: the core makes two accesses of it.
  static volatile uint8_t bytes[8] __attribute__((aligned(4))) = {0, 1, 2, 3, 4, 5, 6, 7};
  uint32_t misaligned;
  __asm__ volatile("lw %0, 3(%1)" : "=r"(misaligned) : "r"(bytes) : "memory");
  event(EVENT_VALUE, misaligned);
}

static void check_registers(void) {
  event(EVENT_STEP, STEP_REGISTERS);
  TIMER->COMPARE_LO = 0x01020304;
  *((volatile uint8_t*)&TIMER->COMPARE_LO + 2) = 0xEE;
  *((volatile uint16_t*)&TIMER->COMPARE_LO) = 0xABCD;
  event(EVENT_VALUE, TIMER->COMPARE_LO);
  event(EVENT_VALUE, *((volatile uint8_t*)&TIMER->COMPARE_LO + 3));
  event(EVENT_VALUE, TESTDEV->PLATFORM);
  event(EVENT_VALUE, TRACE_PORT->EVENT[5]);
}

/// Buffer RAM behind the core's window.
static void check_window(void) {
  volatile uint8_t* const window = (volatile uint8_t*)0x50000000U;
  event(EVENT_STEP, STEP_WINDOW);
  *(volatile uint32_t*)&window[8] = 0xCAFE1234;
  window[9] = 0x55;
  event(EVENT_VALUE, *(volatile uint32_t*)&window[8]);
  event(EVENT_VALUE, *(volatile uint16_t*)&window[10]);
}

static void load_four_bytes(uint32_t address) {
  uint32_t value;
  __asm__ volatile(".option push\n.option norvc\nlw %0, 0(%1)\n.option pop"
                   : "=r"(value)
                   : "r"(address)
                   : "memory");
}

static void store_four_bytes(uint32_t address) {
  __asm__ volatile(".option push\n.option norvc\nsw zero, 0(%0)\n.option pop" ::"r"(address)
                   : "memory");
}

static void check_bus_errors(void) {
  event(EVENT_STEP, STEP_BUS_ERRORS);
  load_four_bytes(0x00400000);  // just past RAM
  store_four_bytes(0x00400000);
  load_four_bytes(0x40008000);                    // past the last block
  load_four_bytes(0x40000000 + sizeof(timer_t));  // its first offset without a register
  store_four_bytes(0x40003FFC);                   // the last word of a page
  load_four_bytes(0x50200000);                    // past buffer RAM
  load_four_bytes(0xFFFFFFFC);
  event(EVENT_VALUE, exceptions);
  load_four_bytes(0x000FFFFC);  // the last word of RAM, and the first and last register: no error
  load_four_bytes(0x40000000);
  load_four_bytes(0x40000000 + sizeof(timer_t) - 4);
  load_four_bytes(0x501FFFFC);
  event(EVENT_VALUE, exceptions);
}

/// Sleeps until the timer is due; the handler runs once.
static void sleep_until(uint64_t due) {
  trap_disable();
  timer_set(due);
  TIMER->CTRL = TIMER__CTRL__ENABLE_bm;
  const uint32_t before = external_interrupts;
  while (external_interrupts == before) {
    trap_wait();
    trap_enable();
    trap_disable();
  }
}

static void check_timer(void) {
  event(EVENT_STEP, STEP_TIMER);
  IRQ_CTRL->ENABLE = IRQ_CTRL__ENABLE__TIMER_bm;
  trap_enable_external();
  for (uint32_t wait = 100; wait <= 100000; wait *= 10) {
    const uint64_t due = timer_now() + wait;
    event(EVENT_TIMER_DUE, (uint32_t)due);
    sleep_until(due);
    event(EVENT_TIMER_WOKE, (uint32_t)timer_now());
  }
  // A time that is past expires at once.
  sleep_until(timer_now() - 1);
  event(EVENT_VALUE, external_interrupts);
}

/// Wakes for each of a few index pulses.
static void check_index(void) {
  event(EVENT_STEP, STEP_INDEX);
  SERVO->INDEX_CAPTURE = 1;
  SERVO->INTR_ENABLE = SERVO__INTR_STATE__INDEX_bm;
  IRQ_CTRL->ENABLE = IRQ_CTRL__ENABLE__SERVO_bm;
  const uint32_t last = external_interrupts + SELF_TEST_INDEX_PULSES;
  trap_disable();
  while (external_interrupts != last) {
    trap_wait();
    trap_enable();
    trap_disable();
  }
}

int main(void) {
  event(EVENT_STEP, STEP_CONSOLE);
  print("headstack self-test\n");
  check_memory();
  check_registers();
  check_window();
  check_bus_errors();
  check_timer();
  check_index();
  event(EVENT_STEP, STEP_END);
  TESTDEV->EXIT = 0;
  for (;;) trap_wait();
}
