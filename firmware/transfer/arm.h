// SPDX-License-Identifier: Apache-2.0
/// @file
/// The arbiter of the arm: it decides for whom the media work, and alone starts them.
///
/// Each client is a row of arm_clients.def, and has these functions:
///
///     NAME_plan(client, &request)
///         The arm is offered. The answer is enum arm_answer.
///     NAME_outcome(client, outcome, &request)
///         The media report an event while they work for the client. With the answer ARM_REQUEST
///         they begin another request after MEDIA_ENDED. With ARM_DONE the arm is offered again.
///     NAME_wants(client), for TASK
///         Whether the client could use the arm at this moment.
///     NAME_begun(client, outcome), for TASK
///         The media have begun with the request.
///     NAME_yield(client, may_begin), for BACKGROUND and IDLE
///         A task waits while the client has the arm. `may_begin`: the task could begin at once.
///
/// A client has lost the arm when its NAME_outcome() is called with MEDIA_ENDED. When a task has
/// all its blocks (MEDIA_SERVED), the media go on for READ_AHEAD.
///
/// The clients never call the arbiter. What calls it is above them: events (drive.c), and reports
/// of tasks (service_tasks.h).
#ifndef FIRMWARE_TRANSFER_ARM_H
#define FIRMWARE_TRANSFER_ARM_H

#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/media.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins with a free arm that no client wants. The pointers must be set.
void arm_init(struct arm* arm);

/// Offers the arm to the clients that want it, if it is free or its owner yields. May be called at
/// any time, also from within the functions that it calls: the arm must move before the bus is
/// freed.
void arm_dispatch(struct arm* arm);

/// Acts on the outcome of an event of the media.
void arm_on_media(struct arm* arm, enum media_outcome outcome);

/// Asks the owner to yield, if a task waits for the arm.
void arm_ask_to_yield(struct arm* arm);

/// Offers the arm again after ARM_YIELDED.
void arm_resume(struct arm* arm);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_ARM_H
