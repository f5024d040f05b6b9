#include "firmware/queue/policy.h"

#include <stddef.h>

static const struct policy* const rows[] = {&policy_fcfs, &policy_sstf, &policy_stf};

uint32_t policy_count(void) { return sizeof rows / sizeof rows[0]; }

const struct policy* policy_row(uint32_t row) { return row < policy_count() ? rows[row] : NULL; }

const struct policy* policy_by_number(uint32_t number) {
  for (uint32_t row = 0; row < policy_count(); ++row) {
    if (rows[row]->number == number) return rows[row];
  }
  return NULL;
}
