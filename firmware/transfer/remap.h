/// @file
/// Moving the drive's data to where a map wants them, while commands run (papers/004, section 7).
///
/// Units of blocks move one at a time into free slots. At rest the free slots are the scratch slots
/// of the area (remap_area.h). A unit moves into a free slot in four steps, each one request of the
/// media, and commands may come between any two of them:
///
///     read it > write it to the free slot > record the move > record it once more
///
/// With the first record the unit lies in its new slot, and the old one is free. Up to
/// BLOCK_MAP_SCRATCH_MAX moves share a record. Until the record is written no block has changed its
/// place, and nothing that a block lies on is ever overwritten. So every state of the media is
/// whole, whenever the power goes: the newest good base, and the records behind it in their order,
/// say where each unit lies.
///
/// A cycle of the permutation begins when one of its units moves into a scratch slot. Then each
/// slot that becomes free gets the unit that belongs there. The cycle ends with the unit from the
/// scratch slot.
///
/// A host's write to a unit that has been read but not recorded makes that unit be read again.
///
/// A unit with a block that cannot be read stays in its slot. The unit that was to have this slot
/// gets the other's in its place. Moves end when a slot, or the area, cannot be written.
///
/// Moves are made when the drive has been idle for a while, and with a share of the media's time
/// under load: mode page 23h. A command waits for one request of a move at most.
///
/// Where the drive has no room for the area, there is no map.
#ifndef FIRMWARE_TRANSFER_REMAP_H
#define FIRMWARE_TRANSFER_REMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/kernel/status.h"
#include "firmware/kernel/time.h"
#include "firmware/motion/block_map.h"
#include "firmware/motion/predictor.h"
#include "firmware/queue/scheduler.h"
#include "firmware/queue/task_set.h"
#include "firmware/scsi/mode_page.h"
#include "firmware/scsi/scsi.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/remap_area.h"
#include "firmware/transfer/segments.h"

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
  REMAP_READS,   ///< A unit of the batch.
  REMAP_WRITES,  ///< It, to a free slot.
  REMAP_RECORDS_MOVES,
};

/// A unit on its way to a free slot.
struct remap_entry {
  uint16_t unit;
  uint16_t to;    ///< As in struct block_map's `location`.
  uint8_t hole;   ///< Which of the free slots that is.
  uint8_t tries;  ///< How often its copying has begun.
  bool copied;    ///< The slot has its data.
  uint16_t done;  ///< Blocks of it that the slot has.
};

/// What the drive counts: log page 33h, in this order.
struct remap_tally {
  uint32_t units;         ///< That the map has,
  uint32_t away;          ///< that are not in their own slot,
  uint32_t left;          ///< and that are not yet where the goal wants them.
  uint32_t map;           ///< Number of the goal in RAM.
  uint32_t moves;         ///< Units moved.
  uint32_t copied_again;  ///< Units read again, since the host wrote them.
  uint32_t records;       ///< Records written,
  uint32_t bases;         ///< and bases.
  uint32_t requests;      ///< Of the media, for all that.
  uint32_t media_ms;      ///< Time that they took.
  uint32_t waits;         ///< Times that commands waited for such a request.
  uint32_t longest_wait_us;
  uint32_t depth_16th;    ///< Commands outstanding at arrivals of the last window, 16ths,
  uint32_t steady_256th;  ///< and gaps that ended in the same half of a turn, 256ths.
  uint32_t choices;       ///< Times that the drive has chosen another map.
  uint32_t skipped;       ///< Units that stay where they are, since a block cannot be read.
  uint32_t failed_lba;    ///< Why no more moves are made: the request's block + 1; 0: they are.
};
#define REMAP_TALLIES 17U
STATIC_ASSERT(sizeof(struct remap_tally) == REMAP_TALLIES * 4U, "counters only");

/// Waits for a request of a move, in bins of 4,096 us.
#define REMAP_WAIT_BINS 32U

struct remap {
  const struct drive_design* design;
  struct block_map* map;
  struct media* media;
  struct segments* segments;
  struct task_set* tasks;
  struct scheduler* scheduler;
  const struct predictor* predictor;
  struct scsi* scsi;
  struct alarm alarm;      ///< The drive has been idle for long enough.
  struct mode_remap mode;  ///< In force.
  time_tick quiet_from;    ///< The host has wanted nothing since then.
  time_tick began;         ///< The request under way.
  time_tick waited_from;   ///< A command has waited for it since; TIME_TICK_NEVER: none has.
  time_tick media_ticks;   ///< All requests.
  int64_t credit;          ///< Of the media's time under load; more than 0: a request is due.
  uint32_t base_sequence;  ///< Of the newest base; 0: there is none.
  uint32_t goal_sequence;  ///< Of the stored map in RAM.
  uint32_t record_count;   ///< Behind the base.
  uint32_t segment;        ///< Of the buffer, or SEGMENT_NONE,
  uint32_t sectors;        ///< and its length.
  uint32_t staged;         ///< Units of the map that the host is sending.
  uint32_t cursor;         ///< Where the search for the next cycle goes on.
  uint8_t step;            ///< enum remap_step
  uint8_t copy;            ///< Of what is saved or loaded,
  uint8_t copies_done;     ///< those that are done, or failed,
  uint8_t index;           ///< and the next sector of it; of the batch: the entry.
  uint8_t goal;            ///< Map whose slots goal_of and goal_at are, or REMAP_NO_GOAL.
  uint8_t staging;         ///< Map that the host is sending; 0: none.
  uint8_t missing;         ///< Bit per map: the media have no good copy of it.
  uint8_t impatience;      ///< Windows in a row that want another map.
  uint8_t holes;           ///< Scratch slots, and so free slots.
  uint8_t batch;           ///< Entries.
  bool is_loading;         ///< Power-on.
  bool is_loaded;          ///< That is over.
  bool wants;              ///< There may be something to do.
  bool busy;               ///< A request is under way.
  bool base_is_good;       ///< The base and its records say what is.
  bool arranges;           ///< The drive makes the map `staging`.
  bool mode_is_new;        ///< The next record says what mode page 23h says.
  bool recorded;           ///< The batch is: one of its records is there.
  bool looks_at_heads;     ///< Of the base's copies: which is the newest?
  uint32_t head_sequence[REMAP_COPIES];  ///< What they say; 0: that copy is not good.
  uint16_t hole[BLOCK_MAP_SCRATCH_MAX];
  struct remap_entry entry[BLOCK_MAP_SCRATCH_MAX];
  struct remap_tally tally;
  uint32_t wait_bin[REMAP_WAIT_BINS];
  uint8_t image[STORE_IMAGE_BYTES];
  uint16_t goal_of[BLOCK_MAP_UNITS_MAX];  ///< By unit: the slot that it is to have.
  uint16_t goal_at[BLOCK_MAP_UNITS_MAX];  ///< By slot: the unit.
};

/// goal_of and goal_at are nobody's.
#define REMAP_NO_GOAL 0xFFU

/// No unit.
#define REMAP_NO_UNIT 0xFFFFU

/// Nothing is known of the area yet. The pointers to the drive's parts are set.
void remap_init(struct remap* remap, struct alarms* alarms);

/// Whether the drive has the room for a map of units of so many blocks.
static inline bool remap_has_room(const struct remap* remap, uint32_t unit_blocks) {
  return remap_area_scratch_slots(remap->design, unit_blocks) > 0;
}

/// Power-on, before the drive is ready: the base and its records are read. The media are idle.
/// @return false: there is nothing to be read, or it has been.
bool remap_load_begin(struct remap* remap);

/// The request has ended. @return false: that was the last.
bool remap_load_on_media(struct remap* remap);

/// While that is under way.
static inline bool remap_is_loading(const struct remap* remap) { return remap->is_loading; }

/// Mode page 23h has changed. It is one that remap_mode_fault() passed.
void remap_set_mode(struct remap* remap, const struct mode_remap* mode);

/// Whether a drive of this design can do what page 23h says. @return 0, or the byte that is wrong.
uint32_t remap_mode_fault(const struct remap* remap, const struct mode_remap* wanted);

/// Whether it can do so now: units change only while all of them are at home.
uint32_t remap_units_fault(const struct remap* remap, const struct mode_remap* wanted);

/// A request of the media is due: the drive has been idle for long enough, or its share has come.
/// If it is not, the alarm is set. `others_wait`: for the media.
bool remap_is_due(struct remap* remap, time_tick now, bool others_wait);

/// The next request, if there is anything to do and the buffer has room. remap_took() follows.
MUST_USE bool remap_next(struct remap* remap, struct media_request* request);

/// The request has ended.
void remap_took(struct remap* remap, enum status status);

/// A command came or ended, or its work at the media did, which took so many ticks.
void remap_note_host(struct remap* remap, time_tick now, uint32_t media_ticks);

/// The media begin to write these blocks for the host.
void remap_note_write(struct remap* remap, uint32_t lba, uint32_t blocks);

/// A command waits for the request under way.
void remap_note_wait(struct remap* remap, time_tick now);

/// A command needs the buffer's room: a unit that has been read and not written is read again. No
/// request is under way.
void remap_let_go(struct remap* remap);

/// A maintenance begins: moves that are not recorded are forgotten. No request is under way.
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
  REMAP_STAGE_BAD_OFFSET,  ///< It does not go on where the last part ended.
  REMAP_STAGE_BAD_SLOT,    ///< No such slot, or two units in it.
};

/// A part of a map that the host sends: big-endian slots of units from `first` on. With the last
/// one the map is complete, and is saved when there is time.
/// @param[out] bad  Byte of the part that is wrong.
enum remap_stage_result remap_stage(struct remap* remap, uint32_t map, uint32_t first,
                                    const uint8_t* bytes, uint32_t count, uint32_t* bad);

/// The drive takes another map by itself.
void remap_choose(struct remap* remap, uint32_t map);

/// The drive makes a map itself: goal_of and goal_at are its own until it ends.
/// @return false: not now.
MUST_USE bool remap_begin_arrangement(struct remap* remap, uint32_t map);
/// They have the map, which is saved when there is time; or there is none after all.
void remap_end_arrangement(struct remap* remap, bool is_made);
/// Before that: these units' slots become part of the map's sequence, from unit 0 on.
void remap_sign(struct remap* remap, uint32_t first, uint32_t count);

/// The counters as of now.
const struct remap_tally* remap_tally_now(struct remap* remap);
void remap_clear_tally(struct remap* remap);

// ---- Parts of it, for its sources.

/// Of goal_of and goal_at: the identity.
void remap_set_identity_goal(struct remap* remap);
/// goal_at from goal_of. @return false: it is no permutation.
MUST_USE bool remap_invert_goal(struct remap* remap);
/// Units that are not where the goal wants them.
void remap_count_left(struct remap* remap);
/// What the free slots are, from the map.
void remap_find_holes(struct remap* remap);

/// remap_moves.c: the next batch. @return false: no unit can move.
bool remap_moves_plan(struct remap* remap);
void remap_moves_next(struct remap* remap, struct media_request* request);
void remap_moves_took(struct remap* remap, enum status status);
/// The step that writes a record: that of the batch, or of none.
void remap_moves_begin_record(struct remap* remap);
/// What the record in the image says. @return false: no drive can have written it.
MUST_USE bool remap_moves_take_record(struct remap* remap);

/// remap_images.c: bases, stored maps, and the reading of all there is.
void remap_images_next(struct remap* remap, struct media_request* request);
void remap_images_took(struct remap* remap, enum status status);
void remap_images_begin(struct remap* remap, enum remap_step step);

/// The image goes to sector `number` of the segment, or comes from there.
void remap_put_image(const struct remap* remap, uint32_t number);
void remap_get_image(struct remap* remap, uint32_t number);
/// A request for the segment. `filled`: with so many sectors.
struct media_request remap_request(const struct remap* remap, enum formatter_operation operation,
                                   uint32_t lba, uint32_t blocks);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_H
