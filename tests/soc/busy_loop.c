// SPDX-License-Identifier: Apache-2.0
/// @file
/// Keeps the core busy for good: loads, stores, branches, multiplications and a division now and
/// then. The benchmark's load; it never ends and touches no block.
#include <stdint.h>

#include "firmware/start/trap.h"

uint32_t trap_exception(uint32_t cause, uint32_t pc, uint32_t value, uint32_t return_address) {
  (void)cause, (void)value, (void)return_address;
  return pc;
}

void trap_external(void) {}

int main(void) {
  static volatile uint32_t from[256];
  static volatile uint32_t to[256];
  uint32_t sum = 1;
  for (;;) {
    for (uint32_t i = 0; i < 256; ++i) {
      to[i] = from[i] + sum;
      if ((to[i] & 1U) != 0) sum = sum * 1103515245U + 12345U;
    }
    sum += to[sum % 255U];
  }
}
