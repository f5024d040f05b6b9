// SPDX-License-Identifier: Apache-2.0
/// @file
/// A command that is being executed, and what the handlers of commands (commands.def) share.
#ifndef FIRMWARE_DEVICE_COMMAND_H
#define FIRMWARE_DEVICE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/device/device.h"
#include "firmware/kernel/time.h"
#include "firmware/queue/task.h"
#include "firmware/unit/duration_page.h"
#include "firmware/unit/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Status bytes (SPC-2 / SAM-2 table 22).
enum scsi_status {
  SCSI_STATUS_GOOD = 0x00,
  SCSI_STATUS_CHECK_CONDITION = 0x02,
  SCSI_STATUS_BUSY = 0x08,
  SCSI_STATUS_RESERVATION_CONFLICT = 0x18,
  SCSI_STATUS_QUEUE_FULL = 0x28,
};

enum command_result {
  COMMAND_DONE,        ///< GOOD, after data_count bytes to the initiator (0: none). If `sense` is
                       ///< set, CHECK CONDITION instead.
  COMMAND_CHECK,       ///< CHECK CONDITION with `sense`.
  COMMAND_NEEDS_DATA,  ///< data_count bytes must come from the initiator, then command_finish() is
                       ///< called.
  COMMAND_TASK,        ///< `task` has been queued.
  COMMAND_BUSY,        ///< There is no room for an untagged task.
  COMMAND_QUEUE_FULL,  ///< There is no room for a tagged task.
  COMMAND_RESERVED,    ///< RESERVATION CONFLICT.
};

struct command {
  // The command as received.
  const uint8_t* cdb;
  uint8_t initiator;
  uint8_t lun;
  uint8_t attribute;  ///< enum task_attribute
  uint16_t tag;
  uint8_t flags;  ///< TASK_FLAG_MAY_DISCONNECT, TASK_FLAG_LONG_TAG
  struct task_urgency urgency;
  bool urgency_known;       ///< A message gave the command's urgency.
  time_tick urgency_tick;   ///< Time at which the urgency came.
  time_tick received_tick;  ///< Time at which the command was complete, with the data that came
                            ///< along.
  // The result; empty at first.
  uint8_t* data;  ///< DEVICE_DATA_BYTES
  uint32_t data_count;
  uint32_t data_done;  ///< Bytes that have gone to the initiator, for command_continue().
  struct sense sense;
  struct sense reports;  ///< Unit attention or deferred error that is reported; pending again if
                         ///< that fails.
  struct task* task;
  const struct duration_limits* limits;  ///< Limits of a command to be queued; NULL: none.
};

// Functions for handlers.

/// 2/04/04 with the progress of the FORMAT UNIT that device_is_formatting() reports.
struct sense command_format_sense(const struct device* device);

/// COMMAND_BUSY or COMMAND_QUEUE_FULL.
enum command_result command_refuse(const struct command* command);

/// Blocks as a CDB gives them.
struct block_range {
  uint64_t lba;
  uint32_t blocks;
};

/// Whether there is room for a task of this command at this moment.
bool command_may_queue(const struct device* device, const struct command* command,
                       enum task_operation operation);

/// Makes a task and puts it into the set, if there is room. The range is valid.
///
/// @param immediate  Status is sent now: the task runs on without a nexus.
enum command_result command_queue_task(struct device* device, struct command* command,
                                       enum task_operation operation,
                                       const struct block_range* range, bool immediate);

/// Queues a task without data that has the order of START UNIT. `immediate`: its status is sent
/// now.
enum command_result command_queue_barrier(struct device* device, struct command* command,
                                          enum task_operation operation, bool immediate);

/// COMMAND_CHECK with `sense`.
enum command_result command_fail(struct command* command, struct sense sense);

/// COMMAND_DONE with the first bytes of `count` that `allocation_bytes` has room for (SPC-2 4.2.5).
enum command_result command_reply(struct command* command, uint32_t count,
                                  uint32_t allocation_bytes);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_COMMAND_H
