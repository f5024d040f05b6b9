/// @file
/// The connection to an initiator: from selection or reselection to bus free, phase by phase.
///
/// One operation of the scsi_target block is under way at a time, and its end is an event. Between
/// two operations the connection first answers ATN with a MESSAGE OUT phase, then sends the
/// messages it owes, and then takes its next step. Tasks that want the bus queue here, by the age
/// of the wish, but for those that the media waits for; the first whose initiator has no contingent
/// allegiance is reselected when the bus is left.
///
/// Errors (SCSI-2 6.1.9, 6.6, 7.6): a parity error in MESSAGE OUT makes the initiator send the
/// messages again, up to CONNECTION_RETRIES times, then the bus is freed; in COMMAND, RESTORE
/// POINTERS and again, then CHECK CONDITION B/47/00; in DATA OUT, CHECK CONDITION B/47/00 at once.
/// An initiator that does not answer a reselection CONNECTION_RETRIES times loses the task. When
/// the drive frees the bus without DISCONNECT or COMMAND COMPLETE, the connected task ends
/// (SCSI-2 6.1.1).
#ifndef FIRMWARE_SCSI_CONNECTION_H
#define FIRMWARE_SCSI_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task.h"
#include "firmware/scsi/scsi_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bus free, nothing wanted.
void connection_init(struct connection* connection);

/// enum scsi_target_event bits, but for BUS_RESET, which scsi_on_events() handles.
void connection_on_events(struct scsi* scsi, uint32_t events);

/// The time set by alarm_set() has come: nobody answers the reselection.
void connection_on_alarm(struct scsi* scsi);

/// The task has granted blocks or is TASK_ENDED: it wants the bus. Again and again is no harm.
void connection_request(struct scsi* scsi, struct task* task);

/// The task failed: stops a data phase of its under way.
void connection_stop_data(struct scsi* scsi, const struct task* task);

/// RST: the block has let go of the bus already. The caller ends the tasks, then calls
/// connection_init().
void connection_bus_reset(struct scsi* scsi);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_CONNECTION_H
