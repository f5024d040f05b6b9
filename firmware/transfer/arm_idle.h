// SPDX-License-Identifier: Apache-2.0
/// @file
/// Clients of the arm (arm.h) for which no task waits. The media read ahead, or the arm goes to the
/// cylinder at which the policy parks it.
#ifndef FIRMWARE_TRANSFER_ARM_IDLE_H
#define FIRMWARE_TRANSFER_ARM_IDLE_H

#include <stdbool.h>

#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/service.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads on in a cache segment after a hit.
enum arm_answer read_ahead_plan(struct service* service, struct media_request* request);
/// Read-ahead also has the arm after a task's own blocks, and while an aborted movement ends.
enum arm_answer read_ahead_outcome(struct service* service, enum media_outcome outcome,
                                   struct media_request* request);
void read_ahead_yield(struct service* service, bool may_begin);

enum arm_answer park_plan(struct service* service, struct media_request* request);
enum arm_answer park_outcome(struct service* service, enum media_outcome outcome,
                             struct media_request* request);
void park_yield(struct service* service, bool may_begin);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_ARM_IDLE_H
