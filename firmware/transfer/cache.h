// SPDX-License-Identifier: Apache-2.0
/// @file
/// The cache: read data stay in the buffer, and blocks after them are read ahead.
///
/// The cache has as many segments as page 08h says, of the size that it says. They are in a part of
/// the buffer that belongs to the cache alone (segments.h). Each holds consecutive blocks, in a
/// ring: read-ahead goes on over the oldest blocks, but for those that a read still needs. With
/// MODE_CONTROLLER_AHEAD_OVER it also goes on over what the last read asked for. A read that finds
/// all its blocks in one is a hit: it waits for nothing but the bus. A read that finds its first
/// ones there gets these at once, and the media read the others into the same segment: a partial
/// hit. Any other read of no more blocks than a segment holds takes the least recently used
/// segment, and begins it anew. When no other task waits for the media, the media read ahead into
/// the same segment. Read-ahead ends when a task waits, the segment is full, or the limit of page
/// 08h is reached. A read waits for the read-ahead if it begins in blocks already read, or right
/// after them. The read-ahead then goes as far as the read, and on. It goes over older blocks only
/// if no older task waits. Longer reads stream through a segment of their own and leave nothing in
/// the cache.
///
/// When page 08h changes the segments' number or size, their content is invalidated. A segment in
/// use keeps its place for its users alone. The new segments begin as their places become free.
///
/// The content of the cache equals that of the media. A write invalidates the blocks it touches
/// when it goes to the media. No read overlaps it meanwhile, because the task set keeps those in
/// their order (task_set_restrict()). The cache does not find data of writes that the media have
/// not done. With MODE_CONTROLLER_KEEPS_WRITTEN it finds those of the last ones that they have
/// done.
#ifndef FIRMWARE_TRANSFER_CACHE_H
#define FIRMWARE_TRANSFER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task_set.h"
#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/segments.h"
#include "firmware/unit/mode_page.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CACHE_SEGMENTS_MAX MODE_CACHING_SEGMENTS_MAX

/// Rows for data of writes, before those of page 08h's segments. The data stay where the write had
/// them, in the tasks' cells. These cells count as free while no read takes data from them: a task
/// that is given the cells ends the row (segments_linger()).
#define CACHE_WRITTEN SEGMENTS_LINGERING

/// If a segment has more users than this, nothing of it is evicted for read-ahead.
#define CACHE_READERS 4U

struct cache_segment {
  uint32_t lba;                    ///< First block in the segment.
  uint32_t blocks;                 ///< Number of blocks in the segment.
  uint32_t turn;                   ///< Value of struct cache's `turn` at its last use.
  uint16_t first;                  ///< Sector of the segment where `lba` is.
  uint16_t reader[CACHE_READERS];  ///< Sectors where the data of `listed` users begin.
  uint16_t owner;    ///< Task that takes its data directly from the ring that the media fill, or
                     ///< TASK_NONE.
  uint16_t users;    ///< Number of tasks whose data the segment holds.
  uint16_t segment;  ///< Segment of the buffer, or SEGMENT_NONE: the row is not in use.
  uint8_t listed;
  bool is_stale;  ///< No new hit is allowed: the segment is kept for its users alone.
};

/// What the cache has for a read.
enum cache_answer {
  CACHE_MISS,
  CACHE_HIT,        ///< The cache has all blocks: cache_serve().
  CACHE_UNDER_WAY,  ///< The read-ahead under way will reach all blocks: cache_join().
};

struct cache {
  const struct drive_design* design;
  struct segments* segments;
  struct media* media;
  const struct task_set* tasks;
  struct arm* arm;
  struct mode_caching mode;
  struct cache_segment* filling;  ///< The segment that the media fill, or NULL.
  uint32_t fill_lba;              ///< The first block that the media read into `filling`.
  struct cache_segment* hit;      ///< Segment of the last hit, or NULL.
  uint32_t read_lba;              ///< First block of the last read that was given a segment.
  uint32_t read_end;              ///< The block after the last one of that read.
  uint32_t turn;
  uint8_t count;        ///< Number of rows in use.
  uint8_t rows;         ///< Rows of `segment` from here on are not in use.
  bool hit_has_left;    ///< A read has ended since the last hit.
  bool read_has_ended;  ///< cache_go_on() is due.
  struct cache_segment segment[CACHE_WRITTEN + CACHE_SEGMENTS_MAX];
};

/// Makes the cache empty and disabled.
void cache_init(struct cache* cache, const struct drive_design* design, struct segments* segments,
                struct media* media, const struct task_set* tasks, struct arm* arm);

/// Mode parameters have been changed. Another number or size of segments invalidates all of them.
void cache_set_mode(struct cache* cache, const struct mode_caching* mode);

/// The cache segment that holds the task's data, or NULL.
struct cache_segment* cache_of(struct cache* cache, const struct task* task);

/// Whether the task takes its data from blocks in the segment, not from the ring that the media
/// fill.
static inline bool cache_is_hit(const struct cache_segment* segment, uint16_t task) {
  return segment->owner != task;
}

/// Takes the segment out of its ring, which the media have filled for its owner. The owner, a read
/// that the media have done, then takes its data from the blocks, as a hit does. The media must not
/// fill the segment.
void cache_disown(struct cache* cache, struct cache_segment* segment);

/// Gives a read a cache segment, which the media will fill: the one that has its first block, or
/// else the one used longest ago. The media must not fill any. @return false when the cache does
/// not take the read, or no segment is available.
bool cache_take(struct cache* cache, struct task* task);

/// How many of its first blocks the read had in its segment when it took that (a partial hit).
uint32_t cache_had(const struct cache* cache, const struct task* task);

/// The sector of the segment where a block is, or will be when it is the next to come.
uint32_t cache_place_of(const struct cache* cache, const struct cache_segment* segment,
                        uint32_t lba);

/// The same of any task's segment, for its block `offset`.
uint32_t cache_place(struct cache* cache, const struct task* task, uint32_t offset);

/// How many blocks may be read ahead after those of a task for which the media fill a segment.
uint32_t cache_ahead(const struct cache* cache, const struct task* task);

/// Whether read-ahead ends with a track: struct media_request's one_track.
static inline bool cache_ahead_one_track(const struct cache* cache) {
  return (cache->mode.ahead_bits & MODE_CONTROLLER_AHEAD_ONE_TRACK) != 0;
}

/// Whether blocks that pass before the task's first may go into its segment before it
/// (free_blocks.h).
static inline bool cache_takes_free(const struct cache* cache, const struct task* task) {
  const struct cache_segment* segment = cache->filling;
  return cache->mode.reads_free && segment != NULL &&
         segment->owner == task_set_index(cache->tasks, task);
}

/// The media have taken free blocks for the segment that they fill, or dropped them.
void cache_follow_start(struct cache* cache);

/// Whether the cache has the blocks of a read, or will have them. `segment` gets their segment, for
/// CACHE_HIT.
enum cache_answer cache_find(struct cache* cache, const struct task* task,
                             struct cache_segment** segment);

/// Serves the task from the segment that cache_find() found.
void cache_serve(struct cache* cache, struct cache_segment* segment, struct task* task);

/// Turns the read-ahead into a read for the task, for which cache_find() has returned
/// CACHE_UNDER_WAY.
void cache_join(struct cache* cache, struct task* task);

/// Notes how far the media have filled their segment.
void cache_note_fill(struct cache* cache);

/// The blocks from `lba` on in which a read must begin to be served by the read-ahead. @return
/// their number; 0: the media fill no segment.
uint32_t cache_fill_range(const struct cache* cache, uint32_t* lba);

/// The media have stopped filling the segment.
void cache_end_fill(struct cache* cache);

/// Called when the media are free and no task waits. Makes a request for blocks of a segment where
/// a hit has ended near the end of its blocks. @return false: there is nothing to read.
bool cache_read_on(struct cache* cache, struct media_request* request);

/// Called when a read has ended and its host has the status, in spare time (read_has_ended).
/// Read-ahead under way continues after the last read. After a hit the media may read ahead. No
/// host waits while the firmware does this.
void cache_go_on(struct cache* cache);

/// Removes the task from the users of the segment.
void cache_release(struct cache* cache, struct cache_segment* segment, const struct task* task);

/// Keeps the data of a write that the media have done, whose segment is about to be freed
/// (MODE_CONTROLLER_KEEPS_WRITTEN). @return whether they stay: the segment is free then.
bool cache_keep_written(struct cache* cache, struct task* task);

/// Invalidates these blocks, which are about to change.
void cache_drop(struct cache* cache, uint32_t lba, uint32_t blocks);

/// Whether a write may be reported when its data are in the buffer.
static inline bool cache_reports(const struct cache* cache, const struct task* task) {
  return cache->mode.writes && task->operation == TASK_WRITE &&
         (task->flags & TASK_FLAG_FORCE_UNIT_ACCESS) == 0;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_CACHE_H
