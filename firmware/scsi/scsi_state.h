// SPDX-License-Identifier: Apache-2.0
/// @file
/// The SCSI layer's state, which its files share, and functions that change it without the bus.
///
/// The state for each initiator is in nexus.h, that of the bus in connection_state.h.
#ifndef FIRMWARE_SCSI_SCSI_STATE_H
#define FIRMWARE_SCSI_SCSI_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/motion/defect_data.h"
#include "firmware/queue/task.h"
#include "firmware/queue/task_set.h"
#include "firmware/scsi/connection_state.h"
#include "firmware/scsi/duration_counts.h"
#include "firmware/scsi/duration_page.h"
#include "firmware/scsi/maintenance_order.h"
#include "firmware/scsi/mode_change_state.h"
#include "firmware/scsi/mode_page.h"
#include "firmware/scsi/nexus.h"
#include "firmware/scsi/scsi_config.h"
#include "firmware/scsi/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;

/// No initiator holds a reservation.
#define SCSI_NOT_RESERVED 0xFFU

/// The present tenancy of the bus (tenancy.h). It is kept only while there are limits.
struct tenancy {
  time_tick begin_tick;    ///< Start of the tenancy.
  time_tick active_tick;   ///< Start or end of its last data phase, or its own start.
  time_tick not_before;    ///< Time before which there is no reselection.
  uint32_t moved_blocks;   ///< Blocks moved in this tenancy.
  uint32_t block_ticks;    ///< Time that a block of its last data phase took; 0: it has had none.
  uint32_t blocks_before;  ///< The task's host_blocks_left before the data phase under way.
  bool is_reselected;
  bool moves;  ///< A data phase is under way.
};

struct scsi {
  struct drive* drive;
  const struct scsi_config* config;
  struct task_set* tasks;
  struct alarm alarm;           ///< Alarm that ends a reselection without an answer, stages, and
                                ///< limits.
  const struct task* stopping;  ///< A STOP UNIT whose GOOD went out before it; NULL: none.
  uint8_t not_ready;    ///< enum sense_code of the spindle; SENSE_NONE when tasks can be served.
  uint8_t reserved_by;  ///< Initiator, or SCSI_NOT_RESERVED.
  bool is_corrupt;      ///< A format was interrupted: no block can be read or written (3/31/00).
  struct connection connection;
  struct nexus nexus[SCSI_INITIATORS];
  struct mode_pages modes;
  struct maintenance_order maintenance;
  struct mode_controller_stages stages;
  struct mode_tenancy limits;
  struct tenancy tenancy;
  struct mode_change change;
  struct defect_cursor defect_cursor;  ///< Place at which READ DEFECT DATA continues.
  // The next three are not cleared when the program clears struct drive at its start
  // (start/main.c).
  uint8_t data[CONNECTION_DATA_BYTES];                      ///< Data of the connected command.
  struct duration_pages durations[SCSI_INITIATORS];         ///< Each initiator's pages of duration
                                                            ///< limits.
  struct duration_counts duration_counts[SCSI_INITIATORS];  ///< Each initiator's counts of duration
                                                            ///< limits.
};

/// Whether tasks may pass each other, according to mode parameters. With a write cache every write
/// may be reported before its end. Then no task that overlaps it may pass it.
void scsi_restrict_reordering(struct scsi* scsi);

/// Takes over the mode parameters that this layer itself follows.
void scsi_follow_modes(struct scsi* scsi);

/// Mode parameters changed: informs all modules that depend on them.
void scsi_apply_modes(struct scsi* scsi);

/// Raises unit attention 2A/01 for all initiators but the one that changed shared mode parameters.
void scsi_report_modes_changed(struct scsi* scsi, uint8_t initiator);

/// Loads saved mode pages from the store: mode_pages_load().
void scsi_load_modes(struct scsi* scsi, const uint8_t* saved, uint32_t bytes);

/// Reads mode page 23h as initiators do. @return whether a MODE SELECT has named it since power-on.
bool scsi_remap_mode(const struct scsi* scsi, struct mode_remap* mode);

/// Sets mode page 23h to values that the drive has chosen itself.
void scsi_set_remap_mode(struct scsi* scsi, const struct mode_remap* mode);

/// Sets the spindle's state: SENSE_NONE (ready), SENSE_NOT_READY, SENSE_BECOMING_READY or
/// SENSE_START_REQUIRED.
void scsi_set_ready(struct scsi* scsi, enum sense_code not_ready);

/// Why commands for the media are refused now; SENSE_NONE: they are not. After the GOOD of a STOP
/// UNIT with IMMED the unit is stopped for its initiators (SCSI-2 9.2.17). The spindle may still
/// turn for tasks that came before.
static inline enum sense_code scsi_not_ready(const struct scsi* scsi) {
  if (scsi->not_ready != SENSE_NONE || scsi->stopping == NULL) {
    return (enum sense_code)scsi->not_ready;
  }
  return SENSE_START_REQUIRED;
}

/// Notes that a format has begun, or ended well.
void scsi_set_corrupt(struct scsi* scsi, bool is_corrupt);

/// Whether a FORMAT UNIT has been accepted and is not over.
static inline bool scsi_is_formatting(const struct scsi* scsi) {
  const struct task* task = scsi->maintenance.task;
  return task != NULL && task->state != TASK_ENDED && scsi->maintenance.kind == MAINTENANCE_FORMAT;
}

/// Raises unit attention 28/00 for all initiators but one: the data on the media are lost.
void scsi_medium_changed(struct scsi* scsi, uint8_t initiator);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_SCSI_STATE_H
