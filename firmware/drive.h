// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive: one struct drive has all of the firmware's mutable state.
///
/// drive_init() builds it over a design table. From then on drive_step() reads the pending sources
/// from the interrupt controller. It calls their handlers, one at a time, each to its end; no
/// interrupt is ever taken. No handler may wait. One may take as long as a search of the whole
/// queue, and the blocks keep their events meanwhile. A command's life: firmware/device makes a
/// task (service_tasks_arrived()), and the task set enables it. In transfer/service.c the scheduler
/// chooses it and the media serve it. transfer/host_side.c moves its data over the bus. At last
/// firmware/target sends its status (service_tasks_ended()).
#ifndef FIRMWARE_DRIVE_H
#define FIRMWARE_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/alarm.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/status.h"
#include "firmware/motion/block_map.h"
#include "firmware/motion/defect_list.h"
#include "firmware/motion/predictor.h"
#include "firmware/motion/rotation.h"
#include "firmware/motion/seek.h"
#include "firmware/queue/scheduler.h"
#include "firmware/queue/task_set.h"
#include "firmware/remap/learn.h"
#include "firmware/target/target.h"
#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/defect_log.h"
#include "firmware/transfer/host_side.h"
#include "firmware/transfer/load.h"
#include "firmware/transfer/maintenance.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/remap_arranger.h"
#include "firmware/transfer/scan.h"
#include "firmware/transfer/segments.h"
#include "firmware/transfer/service.h"
#include "firmware/transfer/service_times.h"
#include "firmware/transfer/store.h"
#include "firmware/transfer/store_load.h"
#include "firmware/transfer/time_limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The predictor's margin: a sector counts as reachable only if it passes this much later. The
/// firmware takes 42 us from the last sector's end to the arm's start, and 5 us from the arm's
/// arrival to the formatter's start. Bus events in between add to that. With 60 us or more no
/// choice misses its sector on the loads of `headstack bench margin`; 50 to 65 us are fastest.
#define DRIVE_MARGIN_DEFAULT_US 60U

/// No step of the media has this number.
#define MOTION_UNWATCHED 0U

/// An access to the first 2 KiB of a structure takes one instruction, beyond them three. So the
/// large parts come last, here and in the parts.
struct drive {
  const struct drive_design* design;
  struct rotation rotation;
  struct seek seek;
  struct predictor predictor;
  struct alarms alarms;
  struct alarm motion_alarm;  ///< Alarm for the spindle, or for the step that the media are in.
  uint32_t watched_step;      ///< Step for which the alarm is set; MOTION_UNWATCHED: none.
  bool index_captured;        ///< The servo is capturing index pulses.
  bool loads;                 ///< What the media keep is being read: the drive is not ready.
  struct arm arm;
  struct service service;
  struct media media;
  struct host_side host_side;
  struct scheduler scheduler;
  struct cache cache;
  struct target target;
  struct bus_holder bus_holder;
  struct maintenance maintenance;
  struct store_load store_load;
  struct load load;
  struct unit_config unit_config;
  struct segments segments;
  struct bus_holder_suspended suspended[BUS_HOLDER_SUSPENDED_MAX];
  struct service_times service_times;
  struct service_busy_undo service_busy_undo;
  union policy_work policy_work;
  struct task_set tasks;
  struct time_limits time_limits;
  union policy_store policy_store;
  struct store store;
  struct defect_log log;
  struct defect_list defects;
  struct block_map map;
  struct learn learn;
  struct remap remap;
  struct arranger arranger;
  struct scan scan;
};

STATIC_ASSERT(sizeof(void*) != 4 || offsetof(struct drive, target) <= 2048,
              "in one instruction's reach");

/// Sets everything up and starts the spindle.
/// @return STATUS_OK, or STATUS_BAD_VALUE when the design table is not one for this firmware.
MUST_USE enum status drive_init(struct drive* drive, const struct drive_design* design,
                                uint8_t scsi_id);

/// Serves all pending sources, then sleeps until there is one.
void drive_step(struct drive* drive);

/// drive_step() for ever.
__attribute__((noreturn)) void drive_run(struct drive* drive);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DRIVE_H
