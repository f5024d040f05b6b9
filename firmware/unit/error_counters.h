// SPDX-License-Identifier: Apache-2.0
/// @file
/// Events on the media by kind of operation: log pages 02h, 03h and 05h.
#ifndef FIRMWARE_UNIT_ERROR_COUNTERS_H
#define FIRMWARE_UNIT_ERROR_COUNTERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Counters of hosts' operations. The drive's own do not count: formats, reassignments, self-tests,
/// and read-ahead that fails.
struct error_counters {
  uint64_t blocks;       ///< Blocks without an error or after recovery.
  uint32_t recovered;    ///< Blocks done after failed attempts.
  uint32_t retries;      ///< Attempts after failed ones, whatever their result.
  uint32_t unrecovered;  ///< Blocks that failed.
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_ERROR_COUNTERS_H
