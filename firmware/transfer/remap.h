// SPDX-License-Identifier: Apache-2.0
/// @file
/// Moving the drive's data to where a map wants them, while commands run (Geist et al., section 7).
///
/// Units of blocks move one at a time into free slots. At rest the free slots are the scratch slots
/// of the area (remap_area.h). A unit moves into a free slot in four steps. Each is one request of
/// the media, and commands may come between any two of them:
///
///     read it > write it to the free slot > record the move > record it once more
///
/// A unit of more than REMAP_COPY_BLOCKS blocks is read and written in pieces.
///
/// After the first record the unit lies in its new slot, and the old one is free. Up to
/// BLOCK_MAP_SCRATCH_MAX moves share a record. Until the record is written no block has changed its
/// place, and nothing that a block lies on is ever overwritten. So the media are whole whenever the
/// power goes. The newest good base, and the records after it in their order, say where each unit
/// lies.
///
/// A cycle of the permutation begins when one of its units moves into a scratch slot. Then each
/// slot that becomes free gets the unit that belongs there. The cycle ends with the unit from the
/// scratch slot.
///
/// If a host writes to a unit after its reading and before its record, the unit is read again.
///
/// A unit with a block that cannot be read stays in its slot. The unit that was to have this slot
/// gets the other's in its place. Moves end when a slot, or the area, cannot be written.
///
/// Moves are made when the drive has been idle for a while, and with a share of the media's time
/// under load: mode page 23h. Without a share, a command waits for one request of a move at most.
/// So does one that holds the bus.
///
/// Where the drive has no room for the area, there is no map.
#ifndef FIRMWARE_TRANSFER_REMAP_H
#define FIRMWARE_TRANSFER_REMAP_H

#include "firmware/transfer/remap_moves.h"
#include "firmware/transfer/remap_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Starts without knowledge of the area. The pointers to the drive's parts must be set.
void remap_init(struct remap* remap, struct alarms* alarms);

/// Begins to read the base and its records, once, at power-on before the drive is ready. The media
/// are idle. @return false: there is nothing to be read.
MUST_USE bool remap_load_begin(struct remap* remap);

enum remap_answer {
  REMAP_HAS_NOTHING,
  REMAP_REQUESTS,  ///< The request is made.
  REMAP_YIELDS,    ///< A slice of other work is done: the call is to be repeated soon.
};

/// The next request for loading. remap_load_took() follows. REMAP_HAS_NOTHING: all is loaded.
MUST_USE enum remap_answer remap_load_next(struct remap* remap, struct media_request* request);

/// Takes what the request brought.
void remap_load_took(struct remap* remap);

/// Follows a change of mode page 23h, which remap_mode_fault() has passed.
void remap_set_mode(struct remap* remap, const struct mode_remap* mode);

/// Whether a page that remap_mode_fault() passed is possible now. Units change only while all of
/// them are at home, and a map is made only while none is being saved.
/// @return 0, or the byte that is wrong.
uint32_t remap_units_fault(const struct remap* remap, const struct mode_remap* wanted);

// A client of the arm (arm.h): requests of moves, and of the images that they need.

/// A request is due when the drive has been idle for long enough, or when its share has come. Until
/// then an alarm is set.
enum arm_answer moves_plan(struct remap* remap, struct media_request* request);
enum arm_answer moves_outcome(struct remap* remap, enum media_outcome outcome,
                              struct media_request* request);
/// The request under way goes on. A command that waits for it is counted.
void moves_yield(struct remap* remap, bool may_begin);

/// Whether there may be something to do.
static inline bool remap_wants(const struct remap* remap) {
  return arm_is_wanted_by(remap->arm, ARM_MOVES);
}

/// The next request, if there is anything to do and the buffer has room. remap_took() follows.
MUST_USE enum remap_answer remap_next(struct remap* remap, struct media_request* request);

/// Continues after the request has ended.
void remap_took(struct remap* remap, enum status status);

/// Notes that a command came or ended, or that its work at the media did, in so many ticks.
void remap_note_host(struct remap* remap, time_tick now, uint32_t media_ticks);

/// Drops moves that are not recorded, because a maintenance begins. No request is under way.
void remap_drop(struct remap* remap);

/// FORMAT UNIT: every unit is at home. @return whether a base is to be saved first, by
/// remap_next() as long as remap_saves_base().
bool remap_go_home(struct remap* remap);
static inline bool remap_saves_base(const struct remap* remap) {
  return !remap->base_is_good && (remap->map->units > 0 || remap->base_sequence > 0);
}

enum remap_stage_result {
  REMAP_STAGED,
  REMAP_STAGE_NO_MAP,      ///< There is no such map, or the drive has none.
  REMAP_STAGE_BUSY,        ///< Another one is being saved.
  REMAP_STAGE_BAD_OFFSET,  ///< The part does not continue where the last one ended.
  REMAP_STAGE_BAD_SLOT,    ///< A slot does not exist, or two units are in it.
};

/// A part of a map that the host sends: big-endian slots of units from `first` on. With the last
/// one the map is complete, and is saved when there is time.
/// @param[out] bad  Byte of the part that is wrong.
enum remap_stage_result remap_stage(struct remap* remap, uint32_t map, uint32_t first,
                                    const uint8_t* bytes, uint32_t count, uint32_t* bad);

/// Puts another map in force, which the drive has chosen.
void remap_choose(struct remap* remap, uint32_t map);

/// Begins to compute a map in the drive. goal_of and goal_at belong to the computation until
/// remap_end_arrangement(). @return false: not now.
MUST_USE bool remap_begin_arrangement(struct remap* remap, uint32_t map);
/// Ends the computation. `is_made`: goal_of and goal_at have the map, which is saved when there is
/// time.
void remap_end_arrangement(struct remap* remap, bool is_made);
/// Adds these units' slots to the hash that is the map's sequence. Called before
/// remap_end_arrangement(), with all units from 0 on.
void remap_hash_units(struct remap* remap, uint32_t first, uint32_t count);

/// The counters at this moment.
const struct remap_tally* remap_tally_now(struct remap* remap);
void remap_clear_tally(struct remap* remap);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_H
