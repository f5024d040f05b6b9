// SPDX-License-Identifier: Apache-2.0
/// @file
/// The counter of `msedf`.
#ifndef FIRMWARE_QUEUE_POLICY_MSEDF_H
#define FIRMWARE_QUEUE_POLICY_MSEDF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of batches since the policy was selected that a beam search has ordered. They had too
/// many requests for an exact search. `state` is the policy's.
uint32_t policy_msedf_beams(const void* state);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_POLICY_MSEDF_H
