// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a host has ordered the drive to do to its media: FORMAT UNIT, REASSIGN BLOCKS or a
/// self-test. With a store, MODE SELECT with SP is an order, too.
///
/// The commands fill it in (command_format.c, command_maintenance.c), piece by
/// piece as their parameter lists arrive. Then they queue a task for it, and the core carries it
/// out (firmware/transfer/maintenance.h). There is one order: while its task is queued, other such
/// commands get BUSY or QUEUE FULL.
#ifndef FIRMWARE_UNIT_MAINTENANCE_ORDER_H
#define FIRMWARE_UNIT_MAINTENANCE_ORDER_H

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
  MAINTENANCE_SAVE,  ///< Mode pages alone.
};

struct task;

struct maintenance_order {
  const struct task* task;  ///< Task of the queued order; NULL: the order may be written.
  uint8_t kind;             ///< enum maintenance_kind
  bool names_blocks;        ///< The list is of blocks; otherwise of sectors (motion/geometry.h).
  bool discards_grown;      ///< FORMAT UNIT: the listed defects replace the grown list.
  bool certifies;           ///< FORMAT UNIT: written blocks are read back.
  bool saves_modes;         ///< FORMAT UNIT: mode parameters are saved.
  bool rounded;             ///< MODE SELECT: some values were rounded.
  bool is_immediate;        ///< Status is sent when the list has come.
  uint8_t stage;            ///< Next part of the parameter list, by the command's own enum.
  uint16_t pattern_bytes;   ///< Bytes of the pattern; 0: zeros.
  uint16_t count;           ///< Number of entries in the list.
  uint16_t offset;          ///< Bytes of the parameter list that have been handled.
  uint16_t left;            ///< Bytes of descriptors that have not been handled.
  bool has_ahead;           ///< `ahead` is the first byte of `left`: it came with the piece before.
  uint8_t ahead;
  uint8_t pattern[MAINTENANCE_PATTERN_MAX];
  uint32_t list[MAINTENANCE_LIST_MAX];
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_MAINTENANCE_ORDER_H
