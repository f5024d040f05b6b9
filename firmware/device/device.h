// SPDX-License-Identifier: Apache-2.0
/// @file
/// The device server (SAM-2 4.5.9): its state, which the files of `device/` share, and functions
/// that change it.
///
/// `target/` calls command_execute() for a command that has arrived, and task_management.h when
/// tasks must end early. Handlers of commands read and change the values of `unit/`, and call
/// `transfer/`. The two notices to `target/` are in transfer/host_events.h.
#ifndef FIRMWARE_DEVICE_DEVICE_H
#define FIRMWARE_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/device/mode_change_state.h"
#include "firmware/device/nexus.h"
#include "firmware/motion/defect_data.h"
#include "firmware/queue/task.h"
#include "firmware/queue/task_set.h"
#include "firmware/unit/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

struct block_map;
struct bus_holder;
struct defect_list;
struct drive_design;
struct learn;
struct maintenance;
struct media;
struct remap;
struct scan;
struct scheduler;
struct segments;
struct service;
struct service_times;
struct target;
struct time_limits;

/// No initiator holds a reservation.
#define DEVICE_NOT_RESERVED 0xFFU

/// Most data at a time of a command that needs no media: MODE SENSE(10) of all pages and subpages,
/// REPORT SUPPORTED OPERATION CODES. Longer data move piece by piece. It is a power of two, no
/// smaller than the FIFO.
#define DEVICE_DATA_BYTES 1024U

/// What the device server reports on, and gives its tasks to.
struct device_parts {
  const struct drive_design* design;
  struct service* service;
  struct time_limits* time_limits;
  const struct bus_holder* bus_holder;
  const struct segments* segments;
  const struct defect_list* defects;
  const struct maintenance* maintenance;
  struct media* media;
  struct scheduler* scheduler;
  struct service_times* service_times;
  struct remap* remap;
  struct scan* scan;
  struct learn* learn;
  const struct block_map* map;
};

/// Tasks that are being aborted, in slices (task_management.h).
struct purge {
  uint16_t whose;             ///< Initiators that lose their tasks, one bit each; 0: no purge.
  const struct task* except;  ///< Task that stays, or NULL.
  struct task* next;          ///< Task at which the walk goes on, while `removals` is that of the
                              ///< task set; NULL: the youngest.
  uint32_t removals;
  bool resets;  ///< A reset has begun it: at its end the counts of duration limits are cleared
                ///< again.
};

struct device {
  struct target* target;
  struct task_set* tasks;
  struct device_parts parts;
  const struct task* stopping;  ///< A STOP UNIT whose GOOD went out before it; NULL: none.
  uint8_t reserved_by;          ///< Initiator, or DEVICE_NOT_RESERVED.
  struct nexus nexus[UNIT_INITIATORS];
  struct mode_change change;
  struct defect_cursor defect_cursor;  ///< Place at which READ DEFECT DATA continues.
  struct purge purge;
  struct unit unit;
  uint8_t data[DEVICE_DATA_BYTES];  ///< Data of the connected command. They are not cleared at the
                                    ///< program's start.
};

/// Power-on: every initiator gets unit attention 29/00, the drive is not ready (4/02). `target` is
/// for transfer/host_events.h. The caller has set `parts`.
void device_init(struct device* device, struct target* target, const struct unit_config* config,
                 struct task_set* tasks);

/// Whether tasks may pass each other, according to mode parameters. With a write cache every write
/// may be reported before its end. Then no task that overlaps it may pass it.
void device_restrict_reordering(struct device* device);

/// Raises unit attention 2A/01 for all initiators but the one that changed shared mode parameters.
void device_report_modes_changed(struct device* device, uint8_t initiator);

/// Raises unit attention 28/00 for all initiators but one: the data on the media are lost.
void device_report_medium_changed(struct device* device, uint8_t initiator);

/// Why commands for the media are refused now; SENSE_NONE: they are not. After the GOOD of a STOP
/// UNIT with IMMED the unit is stopped for its initiators (SCSI-2 9.2.17). The spindle may still
/// turn for tasks that came before.
static inline enum sense_code device_not_ready(const struct device* device) {
  if (device->unit.not_ready != SENSE_NONE || device->stopping == NULL) {
    return (enum sense_code)device->unit.not_ready;
  }
  return SENSE_START_REQUIRED;
}

/// Whether a FORMAT UNIT has been accepted and is not over.
static inline bool device_is_formatting(const struct device* device) {
  const struct maintenance_order* order = &device->unit.maintenance;
  return order->task != NULL && order->task->state != TASK_ENDED &&
         order->kind == MAINTENANCE_FORMAT;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_DEVICE_H
