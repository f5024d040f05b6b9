// SPDX-License-Identifier: Apache-2.0
/// @file
/// The state of the target port (target.h), which the files of `target/` share.
///
/// The state of the connection to an initiator is in connection_state.h, that of the device server
/// in device/device.h.
#ifndef FIRMWARE_TARGET_TARGET_STATE_H
#define FIRMWARE_TARGET_TARGET_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/device/device.h"
#include "firmware/kernel/alarm.h"
#include "firmware/kernel/time.h"
#include "firmware/queue/task_set.h"
#include "firmware/target/agreement.h"
#include "firmware/target/connection_state.h"
#include "firmware/transfer/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bus_holder;
struct cache;
struct host_side;
struct service;

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

/// What the target calls of `transfer/`.
struct target_parts {
  struct service* service;
  struct host_side* host_side;
  const struct bus_holder* bus_holder;
  const struct cache* cache;
  struct modes_users modes_users;  ///< Modules that follow the mode pages.
};

struct target {
  struct task_set* tasks;
  struct target_parts parts;
  struct alarm alarm;  ///< Alarm that ends a reselection without an answer, stages, and limits.
  struct connection connection;
  struct scsi_agreement agreement[UNIT_INITIATORS];  ///< Agreement for data phases with each
                                                     ///< initiator.
  struct agreement_limits bus;                       ///< Limits of what the drive agrees to.
  struct mode_controller_stages stages;
  struct mode_tenancy limits;
  struct tenancy tenancy;
  struct device device;
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_TARGET_STATE_H
