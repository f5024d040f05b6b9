/// @file
/// Commands: one table row per operation code, the checks that every command passes, and the
/// handlers.
///
/// Checks are made in this order, the first that fails answers: incorrect initiator connection
/// (overlapped commands), logical unit, unit attention, deferred error, operation code,
/// reservation, CDB bits, readiness, then what the handler looks at. The bytes of the CDB that a
/// row allows are its usage map, as REPORT SUPPORTED OPERATION CODES would return it.
#ifndef FIRMWARE_SCSI_COMMAND_H
#define FIRMWARE_SCSI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task.h"
#include "firmware/scsi/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

struct scsi;

/// Operation codes (SPC-2 table 11 and SBC-2 table 5).
enum opcode {
  OPCODE_TEST_UNIT_READY = 0x00,
  OPCODE_REQUEST_SENSE = 0x03,
  OPCODE_FORMAT_UNIT = 0x04,
  OPCODE_REASSIGN_BLOCKS = 0x07,
  OPCODE_READ_6 = 0x08,
  OPCODE_WRITE_6 = 0x0A,
  OPCODE_INQUIRY = 0x12,
  OPCODE_MODE_SELECT_6 = 0x15,
  OPCODE_RESERVE_6 = 0x16,
  OPCODE_RELEASE_6 = 0x17,
  OPCODE_MODE_SENSE_6 = 0x1A,
  OPCODE_START_STOP_UNIT = 0x1B,
  OPCODE_SEND_DIAGNOSTIC = 0x1D,
  OPCODE_READ_CAPACITY_10 = 0x25,
  OPCODE_READ_10 = 0x28,
  OPCODE_WRITE_10 = 0x2A,
  OPCODE_VERIFY_10 = 0x2F,
  OPCODE_SYNCHRONIZE_CACHE_10 = 0x35,
  OPCODE_READ_DEFECT_DATA_10 = 0x37,
  OPCODE_LOG_SELECT = 0x4C,
  OPCODE_LOG_SENSE = 0x4D,
  OPCODE_MODE_SELECT_10 = 0x55,
  OPCODE_MODE_SENSE_10 = 0x5A,
  OPCODE_READ_16 = 0x88,
  OPCODE_WRITE_16 = 0x8A,
  OPCODE_SERVICE_ACTION_IN_16 = 0x9E,
  OPCODE_REPORT_LUNS = 0xA0,
  OPCODE_READ_DEFECT_DATA_12 = 0xB7,
};

/// Status bytes (SPC-2 / SAM-2 table 22).
enum scsi_status {
  SCSI_STATUS_GOOD = 0x00,
  SCSI_STATUS_CHECK_CONDITION = 0x02,
  SCSI_STATUS_BUSY = 0x08,
  SCSI_STATUS_RESERVATION_CONFLICT = 0x18,
  SCSI_STATUS_QUEUE_FULL = 0x28,
};

enum command_result {
  COMMAND_DONE,        ///< GOOD, after data_count bytes to the initiator (0: none). With a `sense`,
                       ///< CHECK CONDITION instead.
  COMMAND_CHECK,       ///< CHECK CONDITION with `sense`.
  COMMAND_NEEDS_DATA,  ///< data_count bytes from the initiator, then command_finish().
  COMMAND_TASK,        ///< `task` has been queued.
  COMMAND_BUSY,        ///< No room for an untagged task.
  COMMAND_QUEUE_FULL,  ///< No room for a tagged task.
  COMMAND_RESERVED,    ///< RESERVATION CONFLICT.
};

struct command {
  // What came.
  const uint8_t* cdb;
  uint8_t initiator;
  uint8_t lun;
  uint8_t attribute;  ///< enum task_attribute
  uint16_t tag;
  uint8_t flags;            ///< TASK_FLAG_MAY_DISCONNECT, TASK_FLAG_LONG_TAG
  uint32_t deadline_ticks;  ///< 0: none
  // What it leads to; nothing, at first.
  uint8_t* data;  ///< CONNECTION_DATA_BYTES
  uint32_t data_count;
  uint32_t data_done;  ///< For command_continue(): bytes that have gone to the initiator.
  struct sense sense;
  struct sense tells;  ///< Unit attention or deferred error; pending again unless it is told.
  struct task* task;
};

/// Length of a CDB by the group of its operation code (SPC-2 7.1): 6 for reserved and vendor
/// groups.
uint32_t command_cdb_bytes(uint8_t opcode);

/// Executes a command as far as it can without the initiator's data or the media.
enum command_result command_execute(struct scsi* scsi, struct command* command);

/// The data asked for by COMMAND_NEEDS_DATA has come: data_count bytes at `data`. It may need more.
enum command_result command_finish(struct scsi* scsi, struct command* command);

/// The first data_done bytes of a command whose data_count is more than CONNECTION_DATA_BYTES have
/// gone to the initiator: puts the next ones, as many as there are and fit, at `data`.
void command_continue(struct scsi* scsi, struct command* command);

// For handlers.

/// 2/04/04 with the progress of the FORMAT UNIT that scsi_is_formatting() tells of.
struct sense command_format_sense(const struct scsi* scsi);

/// COMMAND_BUSY or COMMAND_QUEUE_FULL.
enum command_result command_refuse(const struct command* command);

/// Queues a task without data that is ordered as START UNIT is. `immediate`: its status goes out
/// now.
enum command_result command_queue_barrier(struct scsi* scsi, struct command* command,
                                          enum task_operation operation, bool immediate);

/// COMMAND_CHECK with `sense`.
enum command_result command_fail(struct command* command, struct sense sense);

/// COMMAND_DONE with the first bytes of `count` that `allocation_bytes` has room for (SPC-2 4.2.5).
enum command_result command_reply(struct command* command, uint32_t count,
                                  uint32_t allocation_bytes);

// Handlers, by file. command_media.c:
enum command_result command_read_write(struct scsi* scsi, struct command* command);
enum command_result command_verify(struct scsi* scsi, struct command* command);
enum command_result command_synchronize_cache(struct scsi* scsi, struct command* command);
enum command_result command_start_stop(struct scsi* scsi, struct command* command);
// command_inquiry.c:
enum command_result command_inquiry(struct scsi* scsi, struct command* command);
// command_unit.c:
enum command_result command_test_unit_ready(struct scsi* scsi, struct command* command);
enum command_result command_request_sense(struct scsi* scsi, struct command* command);
enum command_result command_report_luns(struct scsi* scsi, struct command* command);
enum command_result command_read_capacity_10(struct scsi* scsi, struct command* command);
enum command_result command_read_capacity_16(struct scsi* scsi, struct command* command);
enum command_result command_reserve(struct scsi* scsi, struct command* command);
enum command_result command_release(struct scsi* scsi, struct command* command);
// command_mode.c:
enum command_result command_mode_sense(struct scsi* scsi, struct command* command);
enum command_result command_mode_select(struct scsi* scsi, struct command* command);
enum command_result command_mode_select_data(struct scsi* scsi, struct command* command);

// command_maintenance.c:
enum command_result command_send_diagnostic(struct scsi* scsi, struct command* command);
enum command_result command_reassign_blocks(struct scsi* scsi, struct command* command);
enum command_result command_reassign_blocks_data(struct scsi* scsi, struct command* command);
// command_format.c:
enum command_result command_format_unit(struct scsi* scsi, struct command* command);
enum command_result command_format_unit_data(struct scsi* scsi, struct command* command);
// command_defect_data.c:
enum command_result command_read_defect_data(struct scsi* scsi, struct command* command);
enum command_result command_read_defect_data_more(struct scsi* scsi, struct command* command);
// command_log.c:
enum command_result command_log_sense(struct scsi* scsi, struct command* command);
enum command_result command_log_select(struct scsi* scsi, struct command* command);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_COMMAND_H
