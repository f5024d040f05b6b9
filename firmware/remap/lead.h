// SPDX-License-Identifier: Apache-2.0
/// @file
/// The mean wait for a place on the track, by the angle at which it lies ahead.
///
/// The lead of an access is how far ahead its first sector is when the heads arrive. The access
/// begins there when the one before ends. But the host sends it a gap later. The table has the mean
/// of frac(lead - gap) turns over the gaps that the drive has seen.
///
/// A queue has no gaps. A map is good for both if half of the table is that of gap 0, and the other
/// half that of the counted gaps.
///
/// Gaps of a bin count as spread evenly over it.
#ifndef FIRMWARE_REMAP_LEAD_H
#define FIRMWARE_REMAP_LEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/remap/counts.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The unit of leads: a turn has LEAD_PARTS of them.
#define LEAD_BITS 12U
#define LEAD_PARTS (1U << LEAD_BITS)

/// A share of all gaps.
#define LEAD_ALL_GAPS 256U

struct lead_table {
  uint16_t wait_turn16[LEAD_PARTS];  ///< Waits by lead, 2^-16 turns; at first the weights of gaps.
  const struct remap_counts* counts;
  uint32_t lead_per_us;    ///< Parts of a turn in a microsecond, 20 bits of fraction.
  uint32_t share_of_gaps;  ///< Share of gaps, of LEAD_ALL_GAPS.
  uint64_t total;          ///< Number of gaps in all bins.
  uint64_t passed;         ///< Number of gaps in the bins before `bin`.
  uint32_t bin;            ///< Bin under way.
  uint32_t next;           ///< Lead under way.
  uint32_t left;           ///< Number of leads over which the weight is still to be spread.
  uint32_t parts;          ///< Number of leads over which the weight is spread.
  uint32_t weight;
  uint32_t rest;
  uint32_t arc_from;  ///< First lead of an arc over which `arc_weight` is spread then.
  uint32_t arc;
  uint32_t arc_weight;
  uint32_t sum;
  uint8_t phase;
  bool is_mean;  ///< Every wait on this drive is half a turn.
};

/// Begins the table. `share_of_gaps` is of LEAD_ALL_GAPS: 128 for half and half, 0 for gap 0 alone.
void lead_begin(struct lead_table* table, const struct drive_design* design,
                const struct remap_counts* counts, uint32_t share_of_gaps);

/// At most 3,000 cycles. @return whether the table is complete.
bool lead_step(struct lead_table* table);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_LEAD_H
