// SPDX-License-Identifier: Apache-2.0
/// @file
/// A client of the arm (arm.h): the work of a maintenance order, request by request, once its task
/// has been chosen.
#ifndef FIRMWARE_TRANSFER_MAINTENANCE_TASK_H
#define FIRMWARE_TRANSFER_MAINTENANCE_TASK_H

#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/service.h"

#ifdef __cplusplus
extern "C" {
#endif

enum arm_answer maintenance_task_plan(struct service* service, struct media_request* request);
enum arm_answer maintenance_task_outcome(struct service* service, enum media_outcome outcome,
                                         struct media_request* request);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MAINTENANCE_TASK_H
