// SPDX-License-Identifier: Apache-2.0
/// @file
/// Messages that arrive by MESSAGE OUT, and agreements that come into force when the answers are
/// sent.
#ifndef FIRMWARE_TARGET_CONNECTION_MESSAGE_H
#define FIRMWARE_TARGET_CONNECTION_MESSAGE_H

#include <stdbool.h>

#include "firmware/target/target_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins a MESSAGE OUT phase.
void connection_receive_messages(struct target* target);

/// Handles bytes that have come. @return whether the connection goes on; otherwise another
/// operation has begun.
bool connection_message_bytes(struct target* target, bool damaged);

/// Handles the messages of a selection that the block has received without a command after them.
/// @return whether the connection goes on; otherwise another operation has begun.
bool connection_taken_messages(struct target* target, bool damaged);

/// Takes the nexus from the FIFO: `count` bytes of IDENTIFY and a tag. Neither needs an answer.
void connection_take_nexus(struct target* target, uint32_t count);

/// The MESSAGE IN phase of the pending messages is over.
void connection_messages_sent(struct target* target);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_CONNECTION_MESSAGE_H
