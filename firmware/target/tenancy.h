// SPDX-License-Identifier: Apache-2.0
/// @file
/// Limits of a tenancy of the bus: mode page 02h (struct mode_tenancy).
///
/// The page is one for all initiators (SPC-4 7.5.10), and so are its limits. Where the initiator
/// has not granted disconnection (SCSI-2 6.6.7), or has rejected DISCONNECT, there is one tenancy.
///
/// - Maximum burst size: the most blocks that one tenancy transfers.
/// - Connect time limit: a tenancy that would last longer ends before its next block. Status and
///   messages still go out. A reconnection for data always moves one block.
/// - Bus inactivity limit: the longest time that the drive holds the bus while the buffer is empty
///   or full. The drive checks the buffer at intervals, so it leaves up to TENANCY_LOOK_TICKS
///   early. A status that page 21h holds back for longer leaves the bus meanwhile. The limit does
///   not count while the initiator owes an ACK: then the drive cannot change the phase
///   (SCSI-2 6.1.5).
/// - Disconnect time limit: the shortest time from bus free until the drive reselects.
/// - DTDC: from a command's first data on the drive stays connected, and the limits of a tenancy do
///   not count.
/// - DImm: the tenancy in which a command comes moves none of its data.
///
/// Commands without the media cannot disconnect. DImm and the burst size do not bind them: their
/// data and their status are in one tenancy.
///
/// With a limit of time, a data phase has no more blocks than the buffer is ready for. So it never
/// waits for the media, and its length is known from the blocks before it. The firmware's own work
/// between two phases also counts, but is not predicted.
#ifndef FIRMWARE_TARGET_TENANCY_H
#define FIRMWARE_TARGET_TENANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task.h"
#include "firmware/target/target_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The interval at which the drive checks whether the buffer is ready for a waiting task.
#define TENANCY_LOOK_TICKS (25U * TIME_TICKS_PER_MICROSECOND)

/// What the connected task does next.
enum tenancy_step {
  TENANCY_AS_EVER,  ///< The connection goes on as without limits.
  TENANCY_MOVES,    ///< A data phase moves some of the granted blocks.
  TENANCY_WAITS,    ///< The task waits on the bus for the buffer: CONNECTION_PAUSING.
  TENANCY_LEAVES,   ///< The task disconnects, and requests the bus again.
  TENANCY_STAYS,    ///< The task has nothing to do on the bus, but must not leave it.
};

/// Whether limits bind the connection.
static inline bool tenancy_binds(const struct target* target) {
  const struct connection* connection = &target->connection;
  return connection->limited && connection->may_disconnect && !connection->disconnect_refused;
}

/// Begins a tenancy if there are limits: the drive has been selected, or has reselected.
void tenancy_begin(struct target* target, bool is_reselected);

/// Ends the tenancy if there are limits: the bus is free.
void tenancy_end(struct target* target);

/// Decides what the connected task does next, where tenancy_binds().
/// @param[out] blocks  Blocks of the data phase; valid with TENANCY_MOVES.
enum tenancy_step tenancy_next(struct target* target, struct task* task, uint32_t* blocks);

/// Chooses the first task in the queue for the bus that limits allow to be reselected. NULL: none,
/// and the alarm is set if time will bring one.
struct task* tenancy_choose(struct target* target);

/// Whether a read's status waits for the controller without the bus, because that takes longer than
/// the bus may be idle.
bool tenancy_pauses_apart(const struct target* target, const struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_TENANCY_H
