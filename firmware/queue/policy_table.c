// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/policy_table.h"

#include <stddef.h>

static const struct policy* const rows[] = {
#define POLICY(number, name, selections) &policy_##name,
#include "firmware/queue/policies.def"
#undef POLICY
};

uint32_t policy_count(void) { return sizeof rows / sizeof rows[0]; }

const struct policy* policy_row(uint32_t row) { return row < policy_count() ? rows[row] : NULL; }

const struct policy* policy_by_number(uint32_t number) {
  for (uint32_t row = 0; row < policy_count(); ++row) {
    if (rows[row]->number == number) return rows[row];
  }
  return NULL;
}

static bool is_possible(const struct policy_parameter* parameter, uint32_t selected,
                        uint8_t flags) {
  if (selected == 0) return true;
  if ((flags & parameter->not_with) != 0) return false;
  if (selected == POLICY_PARAMETER_ZERO) return parameter->minimum == 0;
  return selected >= parameter->minimum && selected <= parameter->maximum;
}

uint32_t policy_find_fault(const struct policy_selection* selection) {
  const struct policy* policy = policy_by_number(selection->number);
  if (policy == NULL) return POLICY_FAULT_NUMBER;
  if (selection->flags >> policy_flag_count(policy) != 0) return POLICY_FAULT_FLAGS;
  const uint32_t count = policy_parameter_count(policy);
  for (uint32_t i = 0; i < POLICY_PARAMETERS_MAX; ++i) {
    const uint32_t selected = selection->parameter[i];
    const bool possible =
        i < count ? is_possible(&policy->parameters[i], selected, selection->flags) : selected == 0;
    if (!possible) return POLICY_FAULT_PARAMETER + i;
  }
  return POLICY_FAULT_NONE;
}
