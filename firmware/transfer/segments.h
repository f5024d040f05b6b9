// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which task or module owns which part of the sector buffer.
///
/// The buffer is given out in cells, so that owners are a bit map. Its first cells are for tasks.
/// The last ones are the read cache's: slots of equal size, as many and as large as page 08h says.
/// The number of the cache's cells changes with that page. What is in use then keeps its place
/// until its owner releases it.
///
/// A segment is a stretch of cells that belongs to one task, or one slot of the cache. It does so
/// from the moment its data begin to move until the last of them have left. A task's segment is as
/// long as its data, at most `largest`. A task that comes to an empty buffer may have all but the
/// reserves. A longer transfer streams through its segment as through a ring.
///
/// The buffer manager works on rings, of which it has few. A segment needs a ring only while a
/// channel works for it. A write's data that were fetched early lie in their segment without a
/// ring, parked. At the media the segment is put back into a ring. One ring is left for the host's
/// data phases, so that none has to wait. If it is the last one, the media take the ring of a read
/// that they have done (host_side.h).
///
/// One more ring is the media's own, for their own writes (relocation.h, maintenance.h).
///
/// Reserves prevent data from filling the buffer that no task is about to use. The last `largest`
/// sectors of the tasks' cells are the media's alone. The ones before them are for the planned
/// task. So tasks that wait for their turn cannot hold up the one that the media work for.
#ifndef FIRMWARE_TRANSFER_SEGMENTS_H
#define FIRMWARE_TRANSFER_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/hal/buffer_mgr_hal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// SEGMENT_NONE in a task: it has no segment.
#define SEGMENT_NONE 0xFFFFU
/// SEGMENT_NO_RING: the segment is parked.
#define SEGMENT_NO_RING 0xFFU
/// SEGMENT_NO_KEEPER: a ring is kept for no task.
#define SEGMENT_NO_KEEPER 0xFFFFU
/// The rings that segments are put into, and the media's own ring.
#define SEGMENTS_RINGS (BUFFER_MGR_SEGMENTS - 1U)
#define SEGMENTS_OWN_RING SEGMENTS_RINGS

/// A segment is named by its first cell.
#define SEGMENT_CELLS_MAX 256U

/// The largest segment is this fraction of the tasks' cells. It is not less than
/// SEGMENT_SECTORS_MIN, if the tasks have so many sectors.
#define SEGMENT_BUFFER_PARTS 8U
#define SEGMENT_SECTORS_MIN 16U

/// The cache leaves at least this fraction of the buffer to tasks, and at least
/// SEGMENT_SECTORS_MIN.
#define SEGMENT_TASK_PARTS 4U

/// The reserve of an allocation: how many of the largest segments it leaves free, at the end of the
/// tasks' cells.
enum segment_reserve {
  SEGMENT_FOR_MEDIA = 0,    ///< The media wait for the segment.
  SEGMENT_FOR_PLAN = 1,     ///< The task is planned to be next.
  SEGMENT_FOR_ARRIVAL = 2,  ///< The task has just arrived.
};

/// How many segments may linger.
#define SEGMENTS_LINGERING 2U

/// Free cells of a former segment that have not been reused since.
struct segments_lingering {
  uint16_t segment;
  uint16_t sectors;  ///< 0: there is none.
};

struct segments {
  uint32_t sector_bytes;
  uint32_t largest;     ///< Sectors of the largest segment.
  uint32_t cell_shift;  ///< A cell is 2^cell_shift sectors.
  uint32_t cell_count;
  uint32_t task_cells;  ///< Cells for tasks: the first ones.
  uint32_t free_count;  ///< Free cells among all.
  uint32_t rings_free;  ///< Bit per ring.
  uint32_t rings_kept;  ///< Bit per ring: it is kept for the media, or for a read that leaves.
  uint32_t cell_free[(SEGMENT_CELLS_MAX + 31) / 32];  ///< Bit per cell.
  struct segments_lingering lingering[SEGMENTS_LINGERING];
  uint16_t keeper[SEGMENTS_RINGS];      ///< Task for which each kept ring is kept: segments_keep().
  uint16_t sectors[SEGMENT_CELLS_MAX];  ///< Length of each segment in use, by segment.
  uint8_t ring[SEGMENT_CELLS_MAX];      ///< Ring of each segment, or SEGMENT_NO_RING.
};

/// First byte of a segment in buffer RAM.
static inline uint32_t segments_first_byte(const struct segments* segments, uint32_t segment) {
  return (segment << segments->cell_shift) * segments->sector_bytes;
}

/// Divides the buffer, all of it for tasks, and sets the buffer manager up.
void segments_init(struct segments* segments, const struct drive_design* design);

/// The most sectors that each of `slots` cache segments can have. 0: there is no room for one each.
uint32_t segments_slot_limit(const struct segments* segments, uint32_t slots);

/// Gives the cache `slots` segments of so many sectors each, at most segments_slot_limit(); 0:
/// none, all cells are for tasks. Segments in use stay where they are.
void segments_divide(struct segments* segments, uint32_t slots, uint32_t sectors);

/// Takes the cache's slot `slot` of `sectors` sectors, where segments_divide() has put it.
/// @return its segment, or SEGMENT_NONE while another owner has a part of it.
uint32_t segments_claim_slot(struct segments* segments, uint32_t slot, uint32_t sectors);

/// Sectors of a segment for a long task while no task has anything in the buffer: more than
/// segments_sectors(). SEGMENT_FOR_ARRIVAL's reserve stays free beside it. 0: it gets no more.
uint32_t segments_sectors_alone(const struct segments* segments, uint32_t blocks);

/// Sectors of the segment that a task of so many blocks gets, 1 or more.
static inline uint32_t segments_sectors(const struct segments* segments, uint32_t blocks) {
  return blocks < segments->largest ? blocks : segments->largest;
}

/// Allocates a segment of so many sectors, at least 1. SEGMENT_NONE: there is no such stretch
/// outside the reserve.
uint32_t segments_allocate(struct segments* segments, uint32_t sectors,
                           enum segment_reserve reserve);

/// Whether segments_allocate() would find a segment.
bool segments_may_allocate(const struct segments* segments, uint32_t sectors,
                           enum segment_reserve reserve);

/// Gives back a segment that has no ring.
void segments_free(struct segments* segments, uint32_t segment);

/// Gives back a segment as segments_free() does, and remembers it as number `row` until its cells
/// are given to another owner.
void segments_linger(struct segments* segments, uint32_t segment, uint32_t row);

/// Whether segment `row` lingers: its content is as it was.
static inline bool segments_lingers(const struct segments* segments, uint32_t row) {
  return segments->lingering[row].sectors != 0;
}

/// Takes lingering segment `row` again, with its content.
void segments_recall(struct segments* segments, uint32_t row);

/// Sectors of a segment in use.
static inline uint32_t segments_length(const struct segments* segments, uint32_t segment) {
  return segments->sectors[segment];
}

/// The ring that a segment is in, or SEGMENT_NO_RING.
static inline uint32_t segments_ring(const struct segments* segments, uint32_t segment) {
  return segments->ring[segment];
}

/// Puts a parked segment into a ring, its first `filled` sectors full. There is always a free ring,
/// because kept rings leave one.
void segments_open(struct segments* segments, uint32_t segment, uint32_t filled);

/// Puts a parked segment into a ring. `filled` sectors are full, from the segment's sector `first`
/// on and around its end.
void segments_open_at(struct segments* segments, uint32_t segment, uint32_t first, uint32_t filled);

/// Empties the ring that a segment is in, where it is (buffer_mgr_hal_discard()).
void segments_discard(const struct segments* segments, uint32_t segment);

/// Puts filled sectors of a parked segment into a ring of their own, from the segment's sector
/// `first` on, and around its end. @return the ring; segments_close_part() takes it back.
uint32_t segments_open_part(struct segments* segments, uint32_t segment, uint32_t first,
                            uint32_t sectors);
void segments_close_part(struct segments* segments, uint32_t ring);

/// Whether a ring is kept already.
static inline bool segments_is_kept(const struct segments* segments, uint32_t ring) {
  return (segments->rings_kept >> ring & 1U) != 0;
}

/// Whether another ring may be kept.
bool segments_may_keep(const struct segments* segments);

/// Keeps a segment's ring beyond the data phase under way. segments_may_keep() says whether a ring
/// is left for other data phases then. `keeper`: the index of the task that it is kept for, or
/// SEGMENT_NO_KEEPER.
void segments_keep(struct segments* segments, uint32_t segment, uint16_t keeper);

/// Task for which a ring is kept; SEGMENT_NO_KEEPER: no task, or the ring is not kept.
static inline uint16_t segments_keeper(const struct segments* segments, uint32_t ring) {
  return segments_is_kept(segments, ring) ? segments->keeper[ring] : SEGMENT_NO_KEEPER;
}

/// Whether segment `next` begins in the buffer where the first `sectors` sectors from the begin of
/// `segment` on end.
static inline bool segments_follow(const struct segments* segments, uint32_t segment,
                                   uint32_t sectors, uint32_t next) {
  return (segment << segments->cell_shift) + sectors == next << segments->cell_shift;
}

/// Stretches a segment's ring over `sectors` full sectors: its own, and those of parked segments
/// that follow it. No channel works on the ring.
void segments_stretch(struct segments* segments, uint32_t segment, uint32_t sectors);

/// Takes a segment out of its ring, on which no channel works any more; its content stays in the
/// segment. Does nothing when it is parked already.
void segments_close(struct segments* segments, uint32_t segment);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SEGMENTS_H
