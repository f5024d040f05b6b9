/// @file
/// What a host has ordered the drive to do to its media: FORMAT UNIT, REASSIGN BLOCKS, a self-test,
/// MODE SELECT with SP where there is a store.
///
/// The commands fill it in (command_format.c, command_defect.c, command_diagnostic.c), piece by
/// piece as their parameter lists come, and then queue a task for it; the core carries it out
/// (firmware/transfer/maintenance.h). There is one: while a task is queued for it, other such
/// commands get BUSY or QUEUE FULL.
#ifndef FIRMWARE_SCSI_MAINTENANCE_ORDER_H
#define FIRMWARE_SCSI_MAINTENANCE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Blocks or sectors that one command may name.
#define MAINTENANCE_LIST_MAX 1024U
/// Longest initialization pattern.
#define MAINTENANCE_PATTERN_MAX 512U

enum maintenance_kind {
  MAINTENANCE_FORMAT,
  MAINTENANCE_REASSIGN,
  MAINTENANCE_SELF_TEST,
  MAINTENANCE_SAVE,  ///< Of mode pages alone.
};

struct task;

struct maintenance_order {
  const struct task* task;  ///< That it is queued for; NULL: it may be written.
  uint8_t kind;             ///< enum maintenance_kind
  bool names_blocks;        ///< The list is of blocks; else of sectors (motion/geometry.h).
  bool discards_grown;      ///< FORMAT UNIT: the grown list begins anew, with what is listed;
  bool certifies;           ///< what has been written is read back;
  bool saves_modes;         ///< mode parameters are saved.
  bool rounded;             ///< MODE SELECT: they are not quite those that were asked for.
  bool is_immediate;        ///< Status goes out when the list is there.
  uint8_t stage;            ///< Of the parameter list, what comes next: the command's own.
  uint16_t pattern_bytes;   ///< 0: zeros.
  uint16_t count;           ///< Of the list.
  uint16_t offset;          ///< Bytes of the parameter list that have been dealt with,
  uint16_t left;            ///< and those of descriptors that have not.
  uint8_t pattern[MAINTENANCE_PATTERN_MAX];
  uint32_t list[MAINTENANCE_LIST_MAX];
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_MAINTENANCE_ORDER_H
