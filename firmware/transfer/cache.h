/// @file
/// The cache: what was read stays in the buffer, and what lies behind it is read ahead.
///
/// The cache has as many segments as page 08h says, of the size that it says, in a part of the
/// buffer that is theirs alone (segments.h). In each are blocks one after another, from its first
/// sector on. A read that finds all its blocks in one is a hit: it
/// waits for nothing but the bus. Any other read of no more blocks than a segment holds takes the
/// segment that was used longest ago, begins it anew, and when nobody else waits for the media they
/// read on behind it, until somebody does or the segment, or what page 08h allows, is full. A read
/// that begins in what they have read, and ends within what they may still read, waits for them.
/// Longer ones stream through a segment of their own and leave nothing behind.
///
/// When page 08h changes the segments' number or size, what they hold is invalidated. A segment in
/// use stays where it is for its users alone; the new ones begin as their places become free.
///
/// What is in the cache is what the media hold. A write drops what it touches when it goes to the
/// media; no read overlaps it meanwhile, because the task set keeps those in their order
/// (task_set_restrict()). Data on their way to the media are not found here.
#ifndef FIRMWARE_TRANSFER_CACHE_H
#define FIRMWARE_TRANSFER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task_set.h"
#include "firmware/scsi/mode_page.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CACHE_SEGMENTS_MAX MODE_CACHING_SEGMENTS_MAX

struct cache_segment {
  uint32_t lba;      ///< Of the first block.
  uint32_t blocks;   ///< That are there.
  uint32_t turn;     ///< When it was used last, by struct cache's count.
  uint16_t owner;    ///< Task that takes its data from the very ring that the media fill, or
                     ///< TASK_NONE.
  uint16_t users;    ///< Tasks whose data it holds.
  uint16_t segment;  ///< Of the buffer, or SEGMENT_NONE: this one is not in use.
  bool is_stale;     ///< Nothing may be found here any more: it is for its users alone.
};

/// What the cache has for a read.
enum cache_answer {
  CACHE_MISS,
  CACHE_HIT,        ///< All its blocks: cache_serve().
  CACHE_UNDER_WAY,  ///< The media, who read ahead, come by all of them: cache_join().
};

struct cache {
  const struct drive_design* design;
  struct segments* segments;
  struct media* media;
  const struct task_set* tasks;
  struct mode_caching mode;
  struct cache_segment* filling;  ///< What the media read into, or NULL.
  uint32_t fill_base;             ///< Blocks of it that were there before they began.
  struct cache_segment* hit;      ///< Of the last hit, or NULL,
  uint32_t hit_end;               ///< which ended behind so many of its blocks.
  uint32_t turn;
  uint32_t count;  ///< Segments in use.
  struct cache_segment segment[CACHE_SEGMENTS_MAX];
};

/// Nothing in it, and nothing allowed.
void cache_init(struct cache* cache, const struct drive_design* design, struct segments* segments,
                struct media* media, const struct task_set* tasks);

/// Mode parameters have been changed. Another number or size of segments invalidates all of them.
void cache_set_mode(struct cache* cache, const struct mode_caching* mode);

/// The cache segment that holds the task's data, or NULL.
struct cache_segment* cache_of(struct cache* cache, const struct task* task);

/// Whether these data are taken from what is there, not from the ring that the media fill.
static inline bool cache_is_hit(const struct cache_segment* segment, uint16_t task) {
  return segment->owner != task;
}

/// Gives a read a cache segment to be read into, and says that it is going to be filled. @return
/// false when the read is none for the cache, or no segment is to be had.
bool cache_take(struct cache* cache, struct task* task);

/// How many blocks may be read behind the first `wanted` of the segment that is being filled.
uint32_t cache_ahead(const struct cache* cache, uint32_t wanted);

/// Whether it ends with a track: struct media_request's one_track.
static inline bool cache_ahead_one_track(const struct cache* cache) {
  return (cache->mode.ahead_bits & MODE_AHEAD_ONE_TRACK) != 0;
}

/// Whether the cache has what a task wants, or will have it. `segment`: where, of a CACHE_HIT.
enum cache_answer cache_find(struct cache* cache, const struct task* task,
                             struct cache_segment** segment);

/// The task's data are those of the segment that cache_find() found.
void cache_serve(struct cache* cache, struct cache_segment* segment, struct task* task);

/// The task, CACHE_UNDER_WAY, is the one that the media read for from now on.
void cache_join(struct cache* cache, struct task* task);

/// The media have come so far with the segment that they fill.
void cache_note_fill(struct cache* cache);

/// The blocks that it may come to hold, from its first on; 0: the media fill none.
uint32_t cache_fill_range(const struct cache* cache, uint32_t* lba);

/// They do nothing for it any more.
void cache_end_fill(struct cache* cache);

/// The media are free and nobody waits: reads on where a hit has come near the end of what is
/// there. @return whether the media have begun.
bool cache_read_on(struct cache* cache);

/// The task does not need the segment any more.
void cache_release(struct cache* cache, struct cache_segment* segment, const struct task* task);

/// These blocks are going to be others.
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
