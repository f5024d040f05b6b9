// SPDX-License-Identifier: Apache-2.0
/// @file
/// A drive's counts of its own accesses: the input for an arrangement of its blocks.
///
/// A group is `group_blocks` neighbouring blocks as the host numbers them; group 0 begins at the
/// map's first block. Counts are in the order of service. All of it belongs to the caller, and
/// stays as it is while an arrangement is under way.
#ifndef FIRMWARE_REMAP_COUNTS_H
#define FIRMWARE_REMAP_COUNTS_H

#include <stdint.h>

#include "firmware/motion/block_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Units of a map, different pairs of groups, and bins of gaps, at the most.
#define REMAP_UNITS_MAX BLOCK_MAP_UNITS_MAX
#define REMAP_PAIRS_MAX 20480U
#define REMAP_GAPS_MAX 64U

/// Count of accesses to group `to` that followed one to group `from` at once; they may be the same.
struct remap_pair {
  uint16_t from;
  uint16_t to;
  uint16_t count;
};

/// Count of commands that arrived `from_us` or more after the end of the one before, and less than
/// `to_us`.
struct remap_gap {
  uint32_t from_us;
  uint32_t to_us;  ///< More than from_us.
  uint32_t count;
};

struct remap_counts {
  const uint16_t* visits;  ///< Accesses by group.
  uint32_t groups;
  const struct remap_pair* pairs;  ///< Pairs in any order, each one once.
  uint32_t pair_count;             ///< Number of pairs, at most REMAP_PAIRS_MAX.
  const struct remap_gap* gaps;    ///< Bins, at most REMAP_GAPS_MAX; none: every gap is 0.
  uint32_t gap_count;
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_COUNTS_H
