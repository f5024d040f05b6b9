// SPDX-License-Identifier: Apache-2.0
/// @file
/// The table of policies (policies.def): the policies, and which selections are possible.
#ifndef FIRMWARE_QUEUE_POLICY_TABLE_H
#define FIRMWARE_QUEUE_POLICY_TABLE_H

#include <stdint.h>

#include "firmware/queue/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

#define POLICY(number, name, selections) extern const struct policy policy_##name;
#include "firmware/queue/policies.def"
#undef POLICY

/// The table, row by row: policy_row(0) .. policy_row(policy_count() - 1); NULL past its end.
uint32_t policy_count(void);
const struct policy* policy_row(uint32_t row);

/// @return the policy, or NULL when no policy has this number.
const struct policy* policy_by_number(uint32_t number);

/// What is wrong with a selection.
enum policy_fault {
  POLICY_FAULT_NONE,
  POLICY_FAULT_NUMBER,     ///< There is no such policy.
  POLICY_FAULT_FLAGS,      ///< It does not have this flag.
  POLICY_FAULT_PARAMETER,  ///< It does not have this parameter, or not this value, or not with this
                           ///< flag. Parameter i is POLICY_FAULT_PARAMETER + i.
};

/// @return POLICY_FAULT_NONE, or the first fault.
uint32_t policy_find_fault(const struct policy_selection* selection);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_POLICY_TABLE_H
