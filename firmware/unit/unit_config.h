// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive's properties that commands report.
#ifndef FIRMWARE_UNIT_UNIT_CONFIG_H
#define FIRMWARE_UNIT_UNIT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// This version has a logical unit in bits 7 to 5 of byte 1 of a CDB, for initiators that send no
/// IDENTIFY (SCSI-2 7.2.2). Later standards reserve these bits.
#define UNIT_VERSION_2 0x02U

/// Settings of the drive. Text is ASCII, padded with blanks, not terminated.
struct unit_config {
  uint32_t block_count;
  uint32_t block_bytes;
  uint32_t cylinders;
  uint16_t heads;
  uint16_t rotation_rpm;
  uint16_t sectors_per_track;     ///< Sectors per track of the outermost zone: notional (page 03h).
  uint16_t cache_segment_blocks;  ///< Blocks in each of MODE_CACHING_SEGMENTS_DEFAULT segments.
  bool keeps_modes;               ///< Saved mode pages outlive power.
  uint8_t scsi_version;           ///< The standard that INQUIRY claims (UNIT_VERSION_2).
  uint8_t own_id;
  uint8_t default_policy;
  uint16_t default_margin_us;
  uint16_t suspend_ms;  ///< Longest time until a scan is suspended: a full stroke, and a sector.
  char vendor[8];
  char product[16];
  char revision[4];
  char serial[12];
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_UNIT_CONFIG_H
