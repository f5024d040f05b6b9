// SPDX-License-Identifier: Apache-2.0
/// @file
/// How long the media work for a command, as a histogram: log page 32h. Chen's admission of streams
/// uses it (Kim, Bahn and Won, table I). The drive keeps it under every policy.
///
/// A service is counted when the media have done all of a command's blocks. It lasts from the
/// moment of the choice to the end of the last sector, with seek, rotation and repeated attempts.
/// Hits of the cache, data brought by read-ahead, and failed commands are not counted. Writes that
/// go to the media as one are one service.
///
/// Bins are half octaves of SERVICE_TIMES_UNIT_TICKS (102.4 us). Bin 0 is below one unit. The next
/// bins begin at 1, 2, 3, 4, 6, 8, 12 units, and so on. The last bin has all times from 210 ms on.
/// A count that has reached its highest value stays there.
#ifndef FIRMWARE_TRANSFER_SERVICE_TIMES_H
#define FIRMWARE_TRANSFER_SERVICE_TIMES_H

#include <stdint.h>

#include "firmware/kernel/bits.h"
#include "firmware/queue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SERVICE_TIMES_BINS 23U
#define SERVICE_TIMES_UNIT_SHIFT 12U
#define SERVICE_TIMES_UNIT_TICKS (1U << SERVICE_TIMES_UNIT_SHIFT)
/// Rows: reads of real time and of best effort, then writes of both.
#define SERVICE_TIMES_ROWS 4U

struct service_times {
  uint32_t count[SERVICE_TIMES_ROWS][SERVICE_TIMES_BINS];
};

static inline uint32_t service_times_bin(uint32_t ticks) {
  const uint32_t units = ticks >> SERVICE_TIMES_UNIT_SHIFT;
  if (units < 2) return units;
  const uint32_t octave = bits_highest(units);
  const uint32_t bin = 2U * octave + (units >> (octave - 1U) & 1U);
  return bin < SERVICE_TIMES_BINS ? bin : SERVICE_TIMES_BINS - 1U;
}

static inline uint32_t service_times_row(const struct task* task) {
  return (task->operation == TASK_WRITE ? 2U : 0U) +
         (candidate_is_real_time(&task->candidate) ? 0U : 1U);
}

/// Adds a service. Verifications count as reads.
static inline void service_times_add(struct service_times* times, const struct task* task,
                                     uint32_t ticks) {
  uint32_t* count = &times->count[service_times_row(task)][service_times_bin(ticks)];
  if (*count != UINT32_MAX) ++*count;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SERVICE_TIMES_H
