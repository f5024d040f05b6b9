// SPDX-License-Identifier: Apache-2.0
/// @file
/// Named values and limits of mode fields, for the rows of modes.def and their users.
#ifndef FIRMWARE_UNIT_MODE_VALUES_H
#define FIRMWARE_UNIT_MODE_VALUES_H

#ifdef __cplusplus
extern "C" {
#endif

/// Page 02h, full ratio. That at power-on counts run by run: half of each. FFh is all of a read, 0
/// its first sector. A read that is longer than its part of the buffer counts run by run, too.
#define MODE_RATIO_HALF_RUN 0x80U
#define MODE_RATIO_ALL 0xFFU

/// Page 02h: data transfer disconnect control (SCSI-2 table 99). Other values are reserved.
enum mode_dtdc {
  MODE_DTDC_NONE = 0,
  MODE_DTDC_DATA = 1,     ///< The bus is held from a command's first data to its last data.
  MODE_DTDC_COMMAND = 3,  ///< The bus is held from a command's first data to the command's end.
};

/// Page 08h.
#define MODE_CACHING_SEGMENTS_MAX 16U
#define MODE_CACHING_SEGMENTS_DEFAULT 3U

/// Page 1Ch/01h. A scan a day; it goes on half a second after the last command.
#define MODE_SCAN_INTERVAL_DEFAULT_H 24U
#define MODE_SCAN_IDLE_DEFAULT_MS 500U

/// Page 0Ah, queue algorithm modifier (SPC-2 table 156).
#define MODE_ALGORITHM_UNRESTRICTED 1U

/// Page 0Ah, QERR (SPC-2 table 157): what a CHECK CONDITION does to other tasks.
enum mode_queue_error {
  MODE_QUEUE_ERROR_CONTINUE = 0,
  MODE_QUEUE_ERROR_ABORT_ALL = 1,
  MODE_QUEUE_ERROR_RESERVED = 2,
  MODE_QUEUE_ERROR_ABORT_INITIATOR = 3,
};

/// Page 21h: the further times of its array STAGES.
enum mode_controller_stage {
  /// Time before the drive takes the bus for data that the media have read. It does not apply to
  /// hits, nor with RESELECTS_AHEAD to data that leave by a share.
  MODE_STAGE_READ_DATA,
  MODE_STAGE_READ_STATUS,   ///< Time on the bus after a read's data.
  MODE_STAGE_WRITE_STATUS,  ///< Time before the drive takes the bus for the status of a write.
  /// Time of a far write: it follows a write, does not begin where that one ended, and is not
  /// reported early. With FAR_IN_SEQUENCE it may begin there. This time replaces its time among the
  /// eight. 0: that time stays, and the next two are not used.
  MODE_STAGE_FAR_WRITE,
  /// Time of a far write before the drive takes the bus for its data, from when the arm may move.
  MODE_STAGE_FAR_WRITE_DATA,
  MODE_STAGE_FAR_WRITE_STATUS,  ///< Time of a far write before its status.
  MODE_STAGE_WRITE_HOLD,        ///< Time from when the arm may move for a write to its first
                                ///< sector.
};

/// Page 23h: maps that can be stored are 1 .. MODE_REMAP_MAPS.
#define MODE_REMAP_MAPS 2U

/// Page 23h: how the drive makes a map (remap/arrange.h).
enum mode_remap_method {
  MODE_REMAP_MAKES_NONE,
  MODE_REMAP_ORGAN,       ///< Whole groups as a pipe organ.
  MODE_REMAP_DISTANCE,    ///< Whole groups, annealed by distance.
  MODE_REMAP_SEEK,        ///< Whole groups, annealed by seek times.
  MODE_REMAP_TRANSFER,    ///< Whole groups, annealed by seek and transfer.
  MODE_REMAP_ANGLE,       ///< Single units, annealed by seek, wait and transfer.
  MODE_REMAP_NO_ANGLE,    ///< Single units, annealed by seek and transfer.
  MODE_REMAP_POPULARITY,  ///< Single units in order of popularity.
  MODE_REMAP_METHODS,
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_MODE_VALUES_H
