/// @file
/// What has happened on the media, by kind of operation: log pages 02h, 03h and 05h.
#ifndef FIRMWARE_SCSI_ERROR_COUNTERS_H
#define FIRMWARE_SCSI_ERROR_COUNTERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// For hosts: what the drive does for itself (formats, reassignments, self-tests, and what is read
/// behind the blocks that somebody asked for and then fails) does not count.
struct error_counters {
  uint64_t blocks;       ///< Done well.
  uint32_t recovered;    ///< Blocks, after failed attempts.
  uint32_t retries;      ///< Attempts after failed ones, whatever they led to.
  uint32_t unrecovered;  ///< Blocks.
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_ERROR_COUNTERS_H
