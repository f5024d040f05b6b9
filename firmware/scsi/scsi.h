/// @file
/// The SCSI layer: from bus events to tasks, and from finished tasks back to the initiator.
///
/// struct scsi hangs from struct drive and holds all of the layer's state. The transport side is
/// scsi_on_events() with what scsi_target_hal_take_events() acknowledged; the core's side is
/// scsi_task_grant() and scsi_task_finish() here, and the functions of firmware/scsi/scsi_core.h
/// that the core implements. Commands that need no media (INQUIRY, MODE SENSE, ...) are answered in
/// here, at once.
#ifndef FIRMWARE_SCSI_SCSI_H
#define FIRMWARE_SCSI_SCSI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/kernel/status.h"
#include "firmware/queue/task.h"
#include "firmware/queue/task_set.h"
#include "firmware/scsi/agreement.h"
#include "firmware/scsi/connection.h"
#include "firmware/scsi/maintenance_order.h"
#include "firmware/scsi/mode_page.h"
#include "firmware/scsi/nexus.h"
#include "firmware/scsi/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;

/// What the drive is, as far as commands tell it. Text is ASCII, padded with blanks, not
/// terminated.
struct scsi_config {
  uint32_t block_count;
  uint32_t block_bytes;
  uint32_t cylinders;
  uint16_t heads;
  uint16_t rotation_rpm;
  uint16_t sectors_per_track;     ///< Of the outermost zone: notional (page 03h).
  uint16_t cache_segment_blocks;  ///< Of each of MODE_CACHING_SEGMENTS_DEFAULT segments.
  uint8_t own_id;
  uint8_t default_policy;
  uint16_t default_margin_us;
  struct agreement_limits bus;
  char vendor[8];
  char product[16];
  char revision[4];
  char serial[12];
};

/// Nobody holds a reservation.
#define SCSI_NOT_RESERVED 0xFFU

struct scsi {
  struct drive* drive;
  const struct scsi_config* config;
  struct task_set* tasks;
  struct alarm alarm;   ///< For a reselection that nobody answers.
  uint8_t not_ready;    ///< enum sense_code; SENSE_NONE when media commands are possible.
  uint8_t reserved_by;  ///< Initiator, or SCSI_NOT_RESERVED.
  bool is_corrupt;      ///< A format was cut short: there is nothing to read or write (3/31/00).
  struct connection connection;
  struct nexus nexus[SCSI_INITIATORS];
  struct mode_pages modes;
  struct maintenance_order maintenance;
};

/// Power-on: every initiator gets unit attention 29/00, the drive is not ready (4/02), the target
/// is enabled. `config` and `tasks` stay the caller's and must outlive `scsi`; `drive` is for
/// scsi_core.h.
void scsi_init(struct scsi* scsi, const struct scsi_config* config, struct task_set* tasks,
               struct alarms* alarms, struct drive* drive);

/// Mode parameters changed: everybody who acts by them hears of it.
void scsi_apply_modes(struct scsi* scsi);

/// Bits of enum scsi_target_event, acknowledged.
void scsi_on_events(struct scsi* scsi, uint32_t events);

/// The time that `alarm` was set for has come. Late or spurious calls are no harm.
void scsi_on_alarm(struct scsi* scsi);

/// The spindle's state: SENSE_NONE (ready), SENSE_NOT_READY, SENSE_BECOMING_READY or
/// SENSE_START_REQUIRED.
void scsi_set_ready(struct scsi* scsi, enum sense_code not_ready);

/// A format has begun, or ended well.
void scsi_set_corrupt(struct scsi* scsi, bool is_corrupt);

/// Whether a FORMAT UNIT has been taken and is not over.
static inline bool scsi_is_formatting(const struct scsi* scsi) {
  const struct task* task = scsi->maintenance.task;
  return task != NULL && task->state != TASK_ENDED && scsi->maintenance.kind == MAINTENANCE_FORMAT;
}

/// What was on the media is not there any more: unit attention 28/00 for all but one initiator.
void scsi_medium_changed(struct scsi* scsi, uint8_t initiator);

/// Lets `blocks` more of the task's host_blocks_left move in a data phase, in order. The connection
/// reselects the initiator when it must, calls core_host_transfer_begin(), moves them, calls
/// core_host_transfer_end(). The buffer manager may still be filling: bytes move as sectors get
/// their credit.
void scsi_task_grant(struct scsi* scsi, struct task* task, uint32_t blocks);

/// The media waits for what was granted: the task's data phase comes before those of others.
void scsi_task_hurry(struct scsi* scsi, struct task* task);

/// The core is done with the task (it no longer waits for the media). Status follows when every
/// granted block has moved; with an error, a data phase under way is stopped first.
///
/// What was recovered (status_is_done()) goes out behind all granted blocks, too.
///
/// @param status  STATUS_OK, or what went wrong.
/// @param lba     Block that went wrong; ignored with STATUS_OK.
void scsi_task_finish(struct scsi* scsi, struct task* task, enum status status, uint32_t lba);

/// As scsi_task_finish() with an error, but what has been granted still moves before.
void scsi_task_finish_behind(struct scsi* scsi, struct task* task, enum status status,
                             uint32_t lba);

/// The core is done with a task that it cannot begin, because the drive is not ready: CHECK
/// CONDITION with the reason follows.
void scsi_task_fail_not_ready(struct scsi* scsi, struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_SCSI_H
