// SPDX-License-Identifier: Apache-2.0
/// @file
/// Private part of the moving of blocks: the state and functions that its modules share.
///
/// remap.h has the public interface, and decides when to do what. remap_images.h makes the requests
/// to the media for bases and stored maps, remap_moves.h those for units and records.
#ifndef FIRMWARE_TRANSFER_REMAP_WORK_H
#define FIRMWARE_TRANSFER_REMAP_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/kernel/status.h"
#include "firmware/kernel/time.h"
#include "firmware/motion/block_map.h"
#include "firmware/motion/predictor.h"
#include "firmware/queue/scheduler.h"
#include "firmware/queue/task_set.h"
#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/remap_area.h"
#include "firmware/transfer/segments.h"
#include "firmware/unit/mode_page.h"
#include "firmware/unit/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sectors of a base or stored map that one request writes or reads.
#define REMAP_PIECE_SECTORS 4U
/// Blocks of a unit that one request reads or writes, at most: a longer unit moves in pieces.
#define REMAP_COPY_BLOCKS 64U

enum remap_step {
  REMAP_RESTS,
  REMAP_LOADS_BASE,
  REMAP_LOADS_RECORDS,
  REMAP_LOADS_GOAL,
  REMAP_SAVES_BASE,
  REMAP_SAVES_GOAL,
  REMAP_READS,   ///< A unit of the batch is being read.
  REMAP_WRITES,  ///< The unit is being written to a free slot.
  REMAP_RECORDS_MOVES,
};

/// Work on tables, in slices (remap_chores.h).
enum remap_chore {
  REMAP_NO_CHORE,
  REMAP_TAKES,           ///< Sectors of an image have been read, and their content is taken.
  REMAP_SENDS_HOME,      ///< The location of each unit is set to its home.
  REMAP_FINDS_SLOTS,     ///< The free slots are found.
  REMAP_MAKES_IDENTITY,  ///< goal_of and goal_at are set to the identity. From here on, the units
                         ///< that are not in their slots are counted, too.
  REMAP_INVERTS,         ///< goal_at is computed from goal_of.
  REMAP_COUNTS,          ///< The goal is there.
};

/// A unit on its way to a free slot.
struct remap_entry {
  uint16_t unit;
  uint16_t to;    ///< Slot, as in struct block_map's `location`.
  uint8_t hole;   ///< Index of `to` among the free slots.
  uint8_t tries;  ///< Number of times its copying has begun.
  bool copied;    ///< The slot has its data.
  uint16_t done;  ///< Number of its blocks that are copied.
};

/// The drive's counters: log page 33h, in the order of remap_tallies.def.
struct remap_tally {
#define REMAP_TALLY(name) uint32_t name;
#include "firmware/transfer/remap_tallies.def"
#undef REMAP_TALLY
};
#define REMAP_TALLIES (sizeof(struct remap_tally) / sizeof(uint32_t))

/// Bins of waits for a move's request, 4,096 us each.
#define REMAP_WAIT_BINS 32U

#define REMAP_SLOT_WORDS (BLOCK_MAP_UNITS_MAX / 32U)

struct remap {
  const struct drive_design* design;
  struct block_map* map;
  struct media* media;
  struct segments* segments;
  struct task_set* tasks;
  struct scheduler* scheduler;
  const struct predictor* predictor;
  struct unit* unit;
  struct arm* arm;
  struct alarm alarm;      ///< Alarm for the moment when the drive has been idle for long enough.
  struct mode_remap mode;  ///< The mode in force.
  time_tick quiet_from;    ///< Time since when the host has wanted nothing.
  time_tick began;         ///< Begin of the request under way.
  time_tick waited_from;   ///< Time since when a command has waited for the request;
                           ///< TIME_TICK_NEVER: none has.
  time_tick media_ticks;   ///< Total time of all requests.
  int64_t credit;          ///< Media time saved up under load; more than 0: a request is due.
  uint32_t base_sequence;  ///< Sequence of the newest base; 0: there is none.
  uint32_t next_sequence;  ///< Sequence of the next base: more than any head on the media has.
  uint32_t goal_hash;      ///< Hash of the stored map in RAM: the sequence of its images.
  uint32_t record_count;   ///< Number of records after the base.
  uint32_t segment;        ///< Segment of the buffer, or SEGMENT_NONE.
  uint32_t sectors;        ///< Length of the segment.
  uint32_t staged;         ///< Units of the map that the host is sending.
  uint32_t cursor;         ///< Unit at which the search for the next cycle resumes.
  uint8_t step;            ///< enum remap_step
  uint8_t copy;            ///< Copy that is being saved or loaded.
  uint8_t copies_done;     ///< Copies that are done or failed; of an image, copies that are done.
  uint8_t copies_tried;    ///< Copies of an image that are done or failed.
  uint8_t index;           ///< Next sector of the copy; of a batch, the entry.
  uint8_t made;            ///< Sectors of the next request that are composed.
  uint8_t arrived;         ///< Sectors of the last request that are good.
  uint8_t taken;           ///< Sectors of these whose content was taken.
  uint8_t chore;           ///< enum remap_chore
  uint32_t chore_at;       ///< Next unit of the chore.
  uint32_t counted;        ///< Units so far that are not in the slots of `goal_of`.
  uint8_t goal;            ///< Map that goal_of and goal_at hold, or REMAP_NO_GOAL.
  uint8_t staging;         ///< Map that the host is sending; 0: none.
  uint8_t missing;         ///< Bit per map: the media have no good copy of it.
  uint8_t impatience;      ///< Number of windows in a row in favour of another map.
  uint8_t holes;           ///< Number of scratch slots, which is that of free slots.
  uint8_t batch;           ///< Number of entries in the batch.
  bool is_loaded;          ///< Loading is over.
  bool busy;               ///< A request is under way.
  uint8_t base_copy;       ///< A good copy of the base, if there is one: the other copy is written
                           ///< first.
  bool restarts;           ///< The saving or loading is abandoned: it is of another map.
  bool base_is_good;       ///< The base and its records describe the present places.
  bool arranges;           ///< The drive makes the map `staging`.
  bool mode_is_new;        ///< The next record includes mode page 23h.
  bool recorded;           ///< One record of the batch has been written.
  bool looks_at_heads;  ///< The heads of the base's copies are being compared: which is the newest?
  uint32_t head_sequence[REMAP_COPIES];  ///< Sequences of the heads; 0: that copy is not good.
  uint32_t scratch_occupied;             ///< Bit per scratch slot.
  uint32_t occupied[REMAP_SLOT_WORDS];   ///< Bit per slot of a unit.
  uint16_t hole[BLOCK_MAP_SCRATCH_MAX];
  struct remap_entry entry[BLOCK_MAP_SCRATCH_MAX];
  struct remap_tally tally;
  uint32_t wait_bin[REMAP_WAIT_BINS];
  uint8_t image[STORE_IMAGE_BYTES];
  uint16_t goal_of[BLOCK_MAP_UNITS_MAX];  ///< Slot that each unit is to have.
  uint16_t goal_at[BLOCK_MAP_UNITS_MAX];  ///< Unit that each slot is to have.
};

/// REMAP_NO_GOAL: goal_of and goal_at hold no map.
#define REMAP_NO_GOAL 0xFFU

/// REMAP_NO_UNIT: there is no unit.
#define REMAP_NO_UNIT 0xFFFFU

/// Whether one of the first units of the goal is to have this slot. goal_at need not have been
/// cleared: an entry counts if goal_of agrees.
static inline bool remap_is_staged(const struct remap* remap, uint32_t slot, uint32_t units) {
  const uint32_t unit = remap->goal_at[slot];
  return unit < units && remap->goal_of[unit] == slot;
}

/// Whether the drive has the room for a map of units of so many blocks.
static inline bool remap_has_room(const struct remap* remap, uint32_t unit_blocks) {
  return remap_area_scratch_slots(remap->design, unit_blocks) > 0;
}

/// Whether a drive of this design can follow page 23h. @return 0, or the byte that is wrong.
uint32_t remap_mode_fault(const struct remap* remap, const struct mode_remap* wanted);

/// Takes a segment of the buffer, if there is room. @return whether there is one.
MUST_USE bool remap_take_segment(struct remap* remap);
void remap_free_segment(struct remap* remap);

/// Gives the segment back to a command that needs room: a unit that was read and not written is
/// read again. No request is under way.
void remap_release(struct remap* remap);

/// Copies the image to sector `number` of the segment.
void remap_put_image(const struct remap* remap, uint32_t number);
void remap_get_image(struct remap* remap, uint32_t number);

/// A request for the segment. It is of the store, unless its owner changes that.
struct media_request remap_request(const struct remap* remap, enum formatter_operation operation,
                                   uint32_t lba, uint32_t blocks);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_WORK_H
