// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/policy.h"

#include <stddef.h>

uint32_t policy_parameter_count(const struct policy* policy) {
  uint32_t count = 0;
  while (policy->parameters != NULL && policy->parameters[count].name != NULL) ++count;
  return count;
}

uint32_t policy_flag_count(const struct policy* policy) {
  uint32_t count = 0;
  while (policy->flags != NULL && policy->flags[count].name != NULL) ++count;
  return count;
}

uint32_t policy_counter_count(const struct policy* policy) {
  uint32_t count = 0;
  while (policy->counters != NULL && policy->counters[count].name != NULL) ++count;
  return count;
}

uint32_t policy_parameter_value(const struct policy_parameter* parameter, uint32_t selected,
                                uint32_t cylinders) {
  if (selected == POLICY_PARAMETER_ZERO) return 0;
  if (selected != 0) return selected;
  if (parameter->initial_share == 0) return parameter->initial;
  const uint32_t share = cylinders / parameter->initial_share;
  return share > 0 ? share : 1;
}
