// SPDX-License-Identifier: Apache-2.0
/// @file
/// What `msedf` tells of itself.
#ifndef FIRMWARE_QUEUE_POLICY_MSEDF_H
#define FIRMWARE_QUEUE_POLICY_MSEDF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How many batches were ordered by a beam, since the policy was selected: they had more requests
/// than an exact search is for. `state` is the policy's.
uint32_t policy_msedf_beams(const void* state);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_POLICY_MSEDF_H
