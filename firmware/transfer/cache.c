#define FILE_ID FILE_ID_CACHE
#include "firmware/transfer/cache.h"

#include "firmware/drive.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/transfer/host_side.h"

void cache_init(struct cache* cache) {
  *cache = (struct cache){.filling = NULL};
  for (uint32_t i = 0; i < CACHE_SEGMENTS_MAX; ++i) cache->segment[i].segment = SEGMENT_NONE;
}

// --------------------------------------------------------------------------------------- segments

static bool is_in_use(const struct cache_segment* segment) {
  return segment->segment != SEGMENT_NONE;
}

static uint32_t sectors_of(const struct drive* drive, const struct cache_segment* segment) {
  return segments_length(&drive->segments, segment->segment);
}

/// Nobody would miss its memory.
static bool is_idle(const struct cache* cache, const struct cache_segment* segment) {
  return is_in_use(segment) && segment->users == 0 && segment != cache->filling;
}

static void give_back(struct drive* drive, struct cache_segment* segment) {
  segments_free(&drive->segments, segment->segment);
  segment->segment = SEGMENT_NONE;
  --drive->cache.count;
  if (drive->cache.hit == segment) drive->cache.hit = NULL;
}

/// The idle one whose turn was longest ago, or NULL.
static struct cache_segment* find_oldest(struct cache* cache) {
  struct cache_segment* oldest = NULL;
  for (uint32_t i = 0; i < CACHE_SEGMENTS_MAX; ++i) {
    struct cache_segment* segment = &cache->segment[i];
    if (!is_idle(cache, segment)) continue;
    if (oldest == NULL || segment->turn < oldest->turn) oldest = segment;
  }
  return oldest;
}

/// A ring is for the media and for the task that goes with them.
static void settle_ring(struct drive* drive, const struct cache_segment* segment) {
  if (segment == drive->cache.filling || segment->owner != TASK_NONE) return;
  segments_close(&drive->segments, segment->segment);
}

/// What nothing can be found in any more is of no use but to those who use it now.
static void settle(struct drive* drive, struct cache_segment* segment) {
  settle_ring(drive, segment);
  if (!is_idle(&drive->cache, segment)) return;
  if (segment->is_stale || segment->blocks == 0) give_back(drive, segment);
}

struct cache_segment* cache_of(struct drive* drive, const struct task* task) {
  if (drive->cache.count == 0 || task->segment == SEGMENT_NONE) return NULL;
  for (uint32_t i = 0; i < CACHE_SEGMENTS_MAX; ++i) {
    if (drive->cache.segment[i].segment == task->segment) return &drive->cache.segment[i];
  }
  return NULL;
}

static void attach(struct drive* drive, struct cache_segment* segment, struct task* task) {
  task->segment = segment->segment;
  ++segment->users;
  segment->turn = ++drive->cache.turn;
}

void cache_release(struct drive* drive, struct cache_segment* segment, const struct task* task) {
  ASSERT(segment->users > 0);
  --segment->users;
  if (segment->owner == task_set_index(&drive->tasks, task)) segment->owner = TASK_NONE;
  settle(drive, segment);
}

// ------------------------------------------------------------------------------------------- mode

static bool is_same_division(const struct mode_caching* a, const struct mode_caching* b) {
  if (a->reads != b->reads) return false;
  return !a->reads || (a->segments == b->segments && a->segment_blocks == b->segment_blocks);
}

static void invalidate_all(struct drive* drive) {
  for (uint32_t i = 0; i < CACHE_SEGMENTS_MAX; ++i) {
    struct cache_segment* segment = &drive->cache.segment[i];
    if (!is_in_use(segment)) continue;
    segment->is_stale = true;
    settle(drive, segment);
  }
}

void cache_set_mode(struct drive* drive, const struct mode_caching* mode) {
  struct cache* cache = &drive->cache;
  const bool same = is_same_division(&cache->mode, mode);
  cache->mode = *mode;
  if (same) return;
  invalidate_all(drive);
  segments_divide(&drive->segments, mode->reads ? mode->segments : 0, mode->segment_blocks);
}

// ------------------------------------------------------------------------------------------- fill

static bool is_for_cache(const struct cache* cache, const struct task* task) {
  return cache->mode.reads && task->operation == TASK_READ &&
         task->blocks <= cache->mode.segment_blocks &&
         (task->flags & TASK_FLAG_DISABLE_PAGE_OUT) == 0;
}

/// A segment that has not been used since page 08h divided the buffer, or NULL.
static struct cache_segment* find_unused(struct drive* drive) {
  struct cache* cache = &drive->cache;
  for (uint32_t slot = 0; slot < cache->mode.segments; ++slot) {
    struct cache_segment* row = &cache->segment[slot];
    if (is_in_use(row)) continue;
    const uint32_t segment =
        segments_claim_slot(&drive->segments, slot, cache->mode.segment_blocks);
    if (segment == SEGMENT_NONE) continue;
    ++cache->count;
    row->segment = (uint16_t)segment;
    row->users = 0;
    return row;
  }
  return NULL;
}

/// A segment to read into: an unused one, or the one used longest ago.
static struct cache_segment* find_room(struct drive* drive) {
  struct cache_segment* unused = find_unused(drive);
  return unused != NULL ? unused : find_oldest(&drive->cache);
}

bool cache_take(struct drive* drive, struct task* task) {
  if (!is_for_cache(&drive->cache, task)) return false;
  struct cache_segment* segment = find_room(drive);
  if (segment == NULL) return false;
  if (drive->cache.hit == segment) drive->cache.hit = NULL;
  segment->lba = task->lba;
  segment->blocks = 0;
  segment->is_stale = false;
  segment->owner = task_set_index(&drive->tasks, task);
  attach(drive, segment, task);
  drive->cache.filling = segment;
  drive->cache.fill_base = 0;
  return true;
}

uint32_t cache_ahead(const struct drive* drive, uint32_t wanted) {
  const struct cache* cache = &drive->cache;
  const struct cache_segment* segment = cache->filling;
  const uint32_t behind = segment->lba + wanted;
  uint32_t ahead = cache->mode.ahead_blocks;
  const uint32_t room = sectors_of(drive, segment) - wanted;
  if (ahead > room) ahead = room;
  const uint32_t left = drive->design->capacity_blocks - behind;
  return ahead < left ? ahead : left;
}

void cache_note_fill(struct drive* drive) {
  struct cache* cache = &drive->cache;
  if (cache->filling == NULL) return;
  cache->filling->blocks = cache->fill_base + media_blocks_done(&drive->media);
}

void cache_end_fill(struct drive* drive) {
  struct cache_segment* segment = drive->cache.filling;
  if (segment == NULL) return;
  cache_note_fill(drive);
  drive->cache.filling = NULL;
  settle(drive, segment);
}

// ------------------------------------------------------------------------------------------ serve

/// Of a block; as large as can be if it lies before the segment's first.
static uint32_t offset_in(const struct cache_segment* segment, uint32_t lba) {
  return lba - segment->lba;
}

static struct cache_segment* find_blocks(struct cache* cache, const struct task* task) {
  for (uint32_t i = 0; i < CACHE_SEGMENTS_MAX; ++i) {
    struct cache_segment* segment = &cache->segment[i];
    if (!is_in_use(segment) || segment->is_stale) continue;
    const uint32_t offset = offset_in(segment, task->lba);
    if (offset < segment->blocks && task->blocks <= segment->blocks - offset) return segment;
  }
  return NULL;
}

static void trace_hit(const struct drive* drive, const struct task* task) {
  trace_port_hal_event(TRACE_CACHE_HIT, task->blocks << 16 | task_set_index(&drive->tasks, task));
}

static void serve_from(struct drive* drive, struct cache_segment* segment, struct task* task) {
  attach(drive, segment, task);
  drive->cache.hit = segment;
  drive->cache.hit_end = offset_in(segment, task->lba) + task->blocks;
  trace_hit(drive, task);
  task->state = TASK_TRANSFERRING;
  host_side_deliver_all(drive, task);
  scsi_task_finish(&drive->scsi, task, STATUS_OK, 0);
}

/// Whether the media, who read ahead, come by all of the task's blocks.
static bool is_under_way(const struct drive* drive, const struct task* task) {
  const struct cache_segment* segment = drive->cache.filling;
  if (segment == NULL || segment->is_stale || !media_reads_ahead(&drive->media)) return false;
  const uint32_t offset = offset_in(segment, task->lba);
  return offset <= segment->blocks && task->blocks <= sectors_of(drive, segment) - offset &&
         offset + task->blocks <= drive->cache.fill_base + media_blocks_planned(&drive->media);
}

static void serve_under_way(struct drive* drive, struct task* task) {
  struct cache_segment* segment = drive->cache.filling;
  const uint32_t wanted = offset_in(segment, task->lba) + task->blocks;
  attach(drive, segment, task);
  service_join(drive, task);
  trace_hit(drive, task);
  media_extend(&drive->media, task_set_index(&drive->tasks, task), wanted - drive->cache.fill_base,
               cache_ahead(drive, wanted));
}

/// What has been read by now counts.
static void catch_up(struct drive* drive) {
  if (drive->cache.filling == NULL) return;
  (void)media_count_blocks(&drive->media);
  cache_note_fill(drive);
}

static bool may_hit(const struct cache* cache, const struct task* task) {
  return cache->count > 0 && is_for_cache(cache, task) &&
         (task->flags & TASK_FLAG_FORCE_UNIT_ACCESS) == 0;
}

bool cache_would_serve(struct drive* drive, const struct task* task) {
  if (!may_hit(&drive->cache, task)) return false;
  catch_up(drive);
  return find_blocks(&drive->cache, task) != NULL || is_under_way(drive, task);
}

bool cache_serve(struct drive* drive, struct task* task, bool announced) {
  struct cache* cache = &drive->cache;
  if (!may_hit(cache, task)) return false;
  catch_up(drive);
  struct cache_segment* segment = find_blocks(cache, task);
  if (segment == NULL && !is_under_way(drive, task)) return false;
  service_take(drive, task, announced);
  if (segment != NULL) {
    serve_from(drive, segment, task);
  } else {
    serve_under_way(drive, task);
  }
  return true;
}

// ---------------------------------------------------------------------------------------- read on

/// How far the segment of the last hit should be read, if that is farther than it has been.
static uint32_t find_goal(const struct drive* drive, const struct cache_segment* segment) {
  const struct cache* cache = &drive->cache;
  // Anew only when half of it has been used up: not a run for each hit.
  if (segment->blocks >= cache->hit_end + cache->mode.ahead_blocks / 2) return 0;
  const uint32_t goal = cache->hit_end + cache->mode.ahead_blocks;
  const uint32_t room = sectors_of(drive, segment);
  const uint32_t left = drive->design->capacity_blocks - segment->lba;
  const uint32_t most = room < left ? room : left;
  return goal < most ? goal : most;
}

bool cache_read_on(struct drive* drive) {
  struct cache* cache = &drive->cache;
  struct cache_segment* segment = cache->hit;
  if (segment == NULL || segment->owner != TASK_NONE || segment->is_stale) return false;
  cache->hit = NULL;
  const uint32_t goal = find_goal(drive, segment);
  if (goal <= segment->blocks || !segments_may_keep(&drive->segments)) return false;
  segments_open(&drive->segments, segment->segment, segment->blocks);
  segments_keep(&drive->segments, segment->segment);
  cache->filling = segment;
  cache->fill_base = segment->blocks;
  const struct media_request request = {.operation = FORMATTER_READ,
                                        .lba = segment->lba + segment->blocks,
                                        .ahead = goal - segment->blocks,
                                        .ring = segments_ring(&drive->segments, segment->segment),
                                        .ring_sectors = sectors_of(drive, segment),
                                        .ring_filled = segment->blocks,
                                        .task = MEDIA_NO_TASK,
                                        .detour = MEDIA_NO_DETOUR};
  if (media_start(&drive->media, &request) == MEDIA_ENDED) cache_end_fill(drive);
  return !media_is_idle(&drive->media);
}

// ------------------------------------------------------------------------------------------- drop

void cache_drop(struct drive* drive, uint32_t lba, uint32_t blocks) {
  if (drive->cache.count == 0) return;
  for (uint32_t i = 0; i < CACHE_SEGMENTS_MAX; ++i) {
    struct cache_segment* segment = &drive->cache.segment[i];
    if (!is_in_use(segment)) continue;
    const bool touched = lba - segment->lba < segment->blocks || segment->lba - lba < blocks;
    if (!touched) continue;
    segment->is_stale = true;
    settle(drive, segment);
  }
}
