// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the drive learns of its load (Geist et al., section 3). It counts how groups of blocks
/// follow each other at the media, and how long the host waits between commands.
///
/// A group is `group_blocks` consecutive blocks. An access counts the groups that it touches, in
/// the order of service: the departures of the scheduler, not the arrivals. Reads that the buffer
/// serves are no accesses. For each pair of groups the drive counts how often the second followed
/// the first.
///
/// The memory is bounded. When a count of visits is full, or there is no room for another pair, all
/// counts are halved. Pairs with none left are forgotten. Until that is done, new pairs are not
/// counted. The halving is done in steps, when nothing else is to be done.
#ifndef FIRMWARE_REMAP_LEARN_H
#define FIRMWARE_REMAP_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/time.h"
#include "firmware/remap/counts.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Groups for which there is memory; blocks after the last of them are not counted.
#define LEARN_GROUPS_MAX REMAP_UNITS_MAX
/// Pairs, at most, and places for them: a power of two, more than the pairs.
#define LEARN_PAIRS_MAX REMAP_PAIRS_MAX
#define LEARN_PAIR_PLACES 32768U
/// Bin 0: the command came while another was outstanding. Bin k: less than 64 * 2^(k/2) us after
/// the end of the last one, rounded down to a whole us. The last bin has all others.
#define LEARN_GAP_BINS 32U

struct learn_pair {
  uint16_t from;
  uint16_t to;
  uint16_t count;  ///< 0: the place is free.
};

/// Arrivals of a window, and parts of a turn in which gaps are sorted.
#define LEARN_WINDOW 1024U
#define LEARN_PHASES 16U

/// A window of the last arrivals.
struct learn_window {
  uint32_t arrivals;
  uint32_t depth;                ///< Sum of the numbers of outstanding commands at each arrival.
  uint16_t phase[LEARN_PHASES];  ///< Arrivals by their gaps, modulo a turn.
};

struct learn {
  bool on;
  bool halves;           ///< Counts are being halved.
  bool halves_pairs;     ///< The halving has reached the pairs, which come after the visits.
  uint16_t last;         ///< Group of the last access, or LEARN_NO_GROUP.
  uint32_t first_block;  ///< First block of group 0.
  uint32_t group_blocks;
  uint32_t group_reciprocal;
  uint32_t groups;
  uint32_t cursor;      ///< Index at which the halving resumes.
  uint32_t free_place;  ///< A place that was free: no search passes it.
  uint32_t pair_count;
  uint32_t accesses;    ///< Number of accesses since the counts began; halved before it overflows.
  uint32_t blocks;      ///< Number of blocks accessed; halved before it overflows.
  uint32_t lost_pairs;  ///< Number of pairs that were not counted for want of room.
  uint32_t halvings;
  time_tick ended;  ///< End of the last command; 0: one is outstanding, or none came yet.
  uint32_t outstanding;
  uint32_t gap[LEARN_GAP_BINS];
  struct learn_window window;
  uint16_t visits[LEARN_GROUPS_MAX];
  struct learn_pair pair[LEARN_PAIR_PLACES];
};

#define LEARN_NO_GROUP 0xFFFFU

/// Starts without counts, and does not count yet.
void learn_init(struct learn* learn);

/// Turns counting on or off. A group has `group_blocks` blocks; group 0 begins at `first_block`. If
/// the groups differ from those before, all counts restart at 0.
void learn_set(struct learn* learn, bool on, uint32_t first_block, uint32_t group_blocks,
               uint32_t capacity_blocks);

/// Notes that the media begin to serve these blocks.
void learn_access(struct learn* learn, uint32_t lba, uint32_t blocks);

/// Notes that a command that needs the media, or the cache, has come, or has ended. Called only
/// while counting is on. `turn_ticks`: a turn of the spindle.
void learn_arrived(struct learn* learn, time_tick now, uint32_t turn_ticks);
void learn_ended(struct learn* learn, time_tick now);

/// Clears the counts of gaps. The counts of groups and the window stay.
void learn_clear_gaps(struct learn* learn);

void learn_begin_window(struct learn* learn);

/// Whether learn_step() has something to do: it takes at most some 2,000 cycles.
static inline bool learn_has_step(const struct learn* learn) { return learn->halves; }
void learn_step(struct learn* learn);

/// The bin of a gap of so many us, 1 or more; and where a bin ends: its gaps are shorter.
uint32_t learn_gap_bin(uint32_t us);
uint32_t learn_gap_end_us(uint32_t bin);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_LEARN_H
