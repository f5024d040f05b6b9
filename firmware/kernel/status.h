// SPDX-License-Identifier: Apache-2.0
/// @file
/// Faults of the outside world, as a value that is returned and never ignored.
///
/// A status names a fact ("this sector was never found"), not a reaction. The command layer turns
/// a status into sense data in one table (firmware/unit/sense.h); the layers below it have no
/// sense data. A fault that only a bug can cause is an ASSERT (firmware/kernel/assert.h), never a
/// status.
#ifndef FIRMWARE_KERNEL_STATUS_H
#define FIRMWARE_KERNEL_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The caller must look at the result.
#define MUST_USE __attribute__((warn_unused_result))

enum status {
  STATUS_OK = 0,

  // Requests that cannot be served as asked.
  STATUS_LBA_RANGE,    ///< A block past the end of the drive.
  STATUS_BAD_VALUE,    ///< A parameter outside its range; nothing was changed.
  STATUS_BAD_COMMAND,  ///< An operation that does not exist.
  STATUS_NOT_FOUND,    ///< No such object: a task, a policy, a page.
  STATUS_BUSY,         ///< Not now: the module that serves the request is at work.
  STATUS_FULL,         ///< No room left in a queue, table or segment.
  STATUS_ABORTED,      ///< Ended on request, before its end.

  // The spindle and the arm.
  STATUS_NOT_READY,         ///< The spindle is not at speed, and no command has started it.
  STATUS_BECOMING_READY,    ///< The spindle is on its way to speed.
  STATUS_SPINDLE_FAILED,    ///< The spindle did not reach its speed in any of its starts.
  STATUS_SEEK_ERROR,        ///< The servo refused or lost a seek.
  STATUS_NO_SEEK_COMPLETE,  ///< The arm never arrived, or never settled.
  STATUS_NO_REFERENCE,      ///< The arm did not even reach its stop at cylinder 0.
  STATUS_WRONG_TRACK,       ///< The arm arrived, but the headers there name another track.
  STATUS_OFF_TRACK,         ///< The head left the track in the middle of a sector.
  STATUS_NO_INDEX,          ///< No index passed, however long a sector was sought.

  // The media; the failing block is reported beside the status.
  STATUS_SECTOR_NOT_FOUND,  ///< The sector was not found, and no header was damaged.
  STATUS_HEADER_DAMAGED,    ///< The sector was not found, and headers were unreadable.
  STATUS_NO_SYNC,           ///< The sector was not found, and a sync mark was missing.
  STATUS_DATA_DAMAGED,      ///< The check bytes of the data never matched.
  STATUS_WRITE_FAULT,       ///< No current flowed in the head that was to write.
  STATUS_NO_SPARE,          ///< No spare sector is left for a block to move to.
  STATUS_READ_NOT_MOVED,    ///< The case of DATA_DAMAGED in which the block could not move to a
                            ///< spare, for want of its data.
  STATUS_WRITE_NOT_MOVED,   ///< Neither the sector nor a spare can be written.
  STATUS_SELF_TEST_FAILED,

  // Done, after errors that were recovered.
  STATUS_READ_RECOVERED,   ///< Read after failed attempts.
  STATUS_READ_MOVED,       ///< The case of READ_RECOVERED in which the block has moved to a spare.
  STATUS_READ_STAYS,       ///< The case of READ_RECOVERED in which the block should move, but no
                           ///< spare could be written.
  STATUS_WRITE_RECOVERED,  ///< Written after failed attempts.
  STATUS_WRITE_MOVED,      ///< Written to a spare, where the block stays.

  // The bus.
  STATUS_PARITY,       ///< A byte from the initiator had bad parity.
  STATUS_NO_RESPONSE,  ///< The initiator did not answer a reselection.
  STATUS_BUS_RESET,    ///< RST was asserted.

  // A limit of the command's duration has expired.
  STATUS_TIMED_OUT_WAITING,     ///< The limit expired before the command's processing began.
  STATUS_TIMED_OUT,             ///< The limit expired while the command was processed.
  STATUS_TIMED_OUT_RECOVERING,  ///< The limit expired while an error of the command was being
                                ///< recovered.
  STATUS_UNAVAILABLE,           ///< The data are not available in time; reported with status GOOD.

  STATUS_ROUNDED,  ///< Mode parameters are in force, and saved, but rounded.

  STATUS_COUNT
};

/// Whether everything that was asked for has been done.
static inline bool status_is_done(enum status status) {
  return status == STATUS_OK || (status >= STATUS_READ_RECOVERED && status <= STATUS_WRITE_MOVED);
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_STATUS_H
