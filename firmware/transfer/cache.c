// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_CACHE
#include "firmware/transfer/cache.h"

#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"

void cache_init(struct cache* cache, const struct drive_design* design, struct segments* segments,
                struct media* media, const struct task_set* tasks) {
  *cache = (struct cache){.design = design, .segments = segments, .media = media, .tasks = tasks};
  for (uint32_t i = 0; i < CACHE_SEGMENTS_MAX; ++i) cache->segment[i].segment = SEGMENT_NONE;
}

// --------------------------------------------------------------------------------------- segments

static bool is_in_use(const struct cache_segment* segment) {
  return segment->segment != SEGMENT_NONE;
}

/// The first segment in use from `segment` on, or NULL.
static struct cache_segment* in_use_from(struct cache* cache, struct cache_segment* segment) {
  const struct cache_segment* end = cache->segment + CACHE_SEGMENTS_MAX;
  while (segment != end && !is_in_use(segment)) ++segment;
  return segment == end ? NULL : segment;
}

static struct cache_segment* first_in_use(struct cache* cache) {
  return in_use_from(cache, cache->segment);
}

static struct cache_segment* next_in_use(struct cache* cache, struct cache_segment* segment) {
  return in_use_from(cache, segment + 1);
}

static uint32_t sectors_of(const struct cache* cache, const struct cache_segment* segment) {
  return segments_length(cache->segments, segment->segment);
}

/// Whether no task and no read-ahead needs a segment in use.
static bool is_idle(const struct cache* cache, const struct cache_segment* segment) {
  return segment->users == 0 && segment != cache->filling;
}

static void give_back(struct cache* cache, struct cache_segment* segment) {
  segments_free(cache->segments, segment->segment);
  segment->segment = SEGMENT_NONE;
  --cache->count;
  if (cache->hit == segment) cache->hit = NULL;
}

/// The idle segment that was used least recently, or NULL.
static struct cache_segment* find_oldest(struct cache* cache) {
  struct cache_segment* oldest = NULL;
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    if (!is_idle(cache, segment)) continue;
    if (oldest == NULL || segment->turn < oldest->turn) oldest = segment;
  }
  return oldest;
}

/// Takes the segment out of its ring, unless the media fill it or their task takes data from it.
static void settle_ring(struct cache* cache, const struct cache_segment* segment) {
  if (segment == cache->filling || segment->owner != TASK_NONE) return;
  segments_close(cache->segments, segment->segment);
}

/// Gives back a stale or empty segment when its last user has gone.
static void settle(struct cache* cache, struct cache_segment* segment) {
  settle_ring(cache, segment);
  if (!is_idle(cache, segment)) return;
  if (segment->is_stale || segment->blocks == 0) give_back(cache, segment);
}

struct cache_segment* cache_of(struct cache* cache, const struct task* task) {
  if (cache->count == 0 || task->segment == SEGMENT_NONE) return NULL;
  struct cache_segment* segment = first_in_use(cache);
  while (segment != NULL && segment->segment != task->segment)
    segment = next_in_use(cache, segment);
  return segment;
}

static void attach(struct cache* cache, struct cache_segment* segment, struct task* task) {
  task->segment = segment->segment;
  ++segment->users;
  segment->turn = ++cache->turn;
}

void cache_release(struct cache* cache, struct cache_segment* segment, const struct task* task) {
  ASSERT(segment->users > 0);
  --segment->users;
  if (segment->owner == task_set_index(cache->tasks, task)) segment->owner = TASK_NONE;
  settle(cache, segment);
}

// ------------------------------------------------------------------------------------------- mode

static bool is_same_division(const struct mode_caching* a, const struct mode_caching* b) {
  if (a->reads != b->reads) return false;
  return !a->reads || (a->segments == b->segments && a->segment_blocks == b->segment_blocks);
}

static void invalidate_all(struct cache* cache) {
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    segment->is_stale = true;
    settle(cache, segment);
  }
}

void cache_set_mode(struct cache* cache, const struct mode_caching* mode) {
  const bool same = is_same_division(&cache->mode, mode);
  cache->mode = *mode;
  if (same) return;
  invalidate_all(cache);
  segments_divide(cache->segments, mode->reads ? mode->segments : 0, mode->segment_blocks);
}

// ------------------------------------------------------------------------------------------- fill

static bool is_for_cache(const struct cache* cache, const struct task* task) {
  return cache->mode.reads && task->operation == TASK_READ &&
         task->blocks <= cache->mode.segment_blocks &&
         (task->flags & TASK_FLAG_DISABLE_PAGE_OUT) == 0;
}

/// A segment that has not been used since page 08h divided the buffer, or NULL.
static struct cache_segment* find_unused(struct cache* cache) {
  for (uint32_t slot = 0; slot < cache->mode.segments; ++slot) {
    struct cache_segment* row = &cache->segment[slot];
    if (is_in_use(row)) continue;
    const uint32_t segment = segments_claim_slot(cache->segments, slot, cache->mode.segment_blocks);
    if (segment == SEGMENT_NONE) continue;
    ++cache->count;
    row->segment = (uint16_t)segment;
    row->users = 0;
    return row;
  }
  return NULL;
}

/// A segment to read into: an unused one, or the one used longest ago.
static struct cache_segment* find_room(struct cache* cache) {
  struct cache_segment* unused = find_unused(cache);
  return unused != NULL ? unused : find_oldest(cache);
}

bool cache_take(struct cache* cache, struct task* task) {
  if (!is_for_cache(cache, task)) return false;
  struct cache_segment* segment = find_room(cache);
  if (segment == NULL) return false;
  if (cache->hit == segment) cache->hit = NULL;
  segment->lba = task->lba;
  segment->blocks = 0;
  segment->is_stale = false;
  segment->owner = task_set_index(cache->tasks, task);
  attach(cache, segment, task);
  cache->filling = segment;
  cache->fill_base = 0;
  return true;
}

uint32_t cache_ahead(const struct cache* cache, uint32_t wanted) {
  const struct cache_segment* segment = cache->filling;
  const uint32_t behind = segment->lba + wanted;
  uint32_t ahead = cache->mode.ahead_blocks;
  const uint32_t room = sectors_of(cache, segment) - wanted;
  if (ahead > room) ahead = room;
  const uint32_t left = cache->design->capacity_blocks - behind;
  return ahead < left ? ahead : left;
}

void cache_note_fill(struct cache* cache) {
  if (cache->filling == NULL) return;
  cache->filling->blocks = cache->fill_base + media_blocks_done(cache->media);
}

uint32_t cache_fill_range(const struct cache* cache, uint32_t* lba) {
  if (cache->filling == NULL) return 0;
  *lba = cache->filling->lba;
  return sectors_of(cache, cache->filling);
}

void cache_end_fill(struct cache* cache) {
  struct cache_segment* segment = cache->filling;
  if (segment == NULL) return;
  cache_note_fill(cache);
  cache->filling = NULL;
  settle(cache, segment);
}

// ------------------------------------------------------------------------------------------ serve

/// The block's offset in the segment. It is huge for a block before the segment's first.
static uint32_t offset_in(const struct cache_segment* segment, uint32_t lba) {
  return lba - segment->lba;
}

static struct cache_segment* find_blocks(struct cache* cache, const struct task* task) {
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    const uint32_t offset = offset_in(segment, task->lba);
    const bool holds = offset < segment->blocks && task->blocks <= segment->blocks - offset;
    if (holds && !segment->is_stale) return segment;
  }
  return NULL;
}

static void trace_hit(const struct cache* cache, const struct task* task) {
  trace_port_hal_event(TRACE_CACHE_HIT, task->blocks << 16 | task_set_index(cache->tasks, task));
}

void cache_serve(struct cache* cache, struct cache_segment* segment, struct task* task) {
  attach(cache, segment, task);
  cache->hit = segment;
  cache->hit_end = offset_in(segment, task->lba) + task->blocks;
  trace_hit(cache, task);
}

/// Whether the read-ahead of the media will reach all of the task's blocks.
static bool is_under_way(const struct cache* cache, const struct task* task) {
  const struct cache_segment* segment = cache->filling;
  if (segment == NULL || segment->is_stale || !media_reads_ahead(cache->media)) return false;
  const uint32_t offset = offset_in(segment, task->lba);
  // Read-ahead that ends with a track goes on for a task that comes in time.
  const bool goes_on = cache_ahead_one_track(cache) && cache->mode.ahead_blocks > 0;
  return offset <= segment->blocks && task->blocks <= sectors_of(cache, segment) - offset &&
         (goes_on ||
          offset + task->blocks <= cache->fill_base + media_blocks_planned(cache->media));
}

void cache_join(struct cache* cache, struct task* task) {
  struct cache_segment* segment = cache->filling;
  const uint32_t wanted = offset_in(segment, task->lba) + task->blocks;
  attach(cache, segment, task);
  trace_hit(cache, task);
  media_extend(cache->media, task_set_index(cache->tasks, task), wanted - cache->fill_base,
               cache_ahead(cache, wanted));
}

/// Blocks that have been read by now count.
static void catch_up(struct cache* cache) {
  if (cache->filling == NULL) return;
  (void)media_count_blocks(cache->media);
  cache_note_fill(cache);
}

static bool may_hit(const struct cache* cache, const struct task* task) {
  return cache->count > 0 && is_for_cache(cache, task) &&
         (task->flags & TASK_FLAG_FORCE_UNIT_ACCESS) == 0;
}

enum cache_answer cache_find(struct cache* cache, const struct task* task,
                             struct cache_segment** segment) {
  if (!may_hit(cache, task)) return CACHE_MISS;
  catch_up(cache);
  *segment = find_blocks(cache, task);
  if (*segment != NULL) return CACHE_HIT;
  return is_under_way(cache, task) ? CACHE_UNDER_WAY : CACHE_MISS;
}

// ---------------------------------------------------------------------------------------- read on

/// How far the segment of the last hit should be read, if that is farther than it has been.
static uint32_t find_goal(const struct cache* cache, const struct cache_segment* segment) {
  // Only when half of it has been used up, so that not every hit begins a run.
  if (segment->blocks >= cache->hit_end + cache->mode.ahead_blocks / 2) return 0;
  const uint32_t goal = cache->hit_end + cache->mode.ahead_blocks;
  const uint32_t room = sectors_of(cache, segment);
  const uint32_t left = cache->design->capacity_blocks - segment->lba;
  const uint32_t most = room < left ? room : left;
  return goal < most ? goal : most;
}

bool cache_read_on(struct cache* cache) {
  struct cache_segment* segment = cache->hit;
  if (segment == NULL || segment->owner != TASK_NONE || segment->is_stale) return false;
  cache->hit = NULL;
  if ((cache->mode.ahead_bits & MODE_AHEAD_MISSES) != 0) return false;
  const uint32_t goal = find_goal(cache, segment);
  if (goal <= segment->blocks || !segments_may_keep(cache->segments)) return false;
  segments_open(cache->segments, segment->segment, segment->blocks);
  segments_keep(cache->segments, segment->segment);
  cache->filling = segment;
  cache->fill_base = segment->blocks;
  const struct media_request request = {.operation = FORMATTER_READ,
                                        .lba = segment->lba + segment->blocks,
                                        .ahead = goal - segment->blocks,
                                        .one_track = cache_ahead_one_track(cache),
                                        .ring = segments_ring(cache->segments, segment->segment),
                                        .ring_sectors = sectors_of(cache, segment),
                                        .ring_filled = segment->blocks,
                                        .task = MEDIA_NO_TASK,
                                        .detour = MEDIA_NO_DETOUR};
  if (media_start(cache->media, &request) == MEDIA_ENDED) cache_end_fill(cache);
  return !media_is_idle(cache->media);
}

// ------------------------------------------------------------------------------------------- drop

void cache_drop(struct cache* cache, uint32_t lba, uint32_t blocks) {
  if (cache->count == 0) return;
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    const bool touched = lba - segment->lba < segment->blocks || segment->lba - lba < blocks;
    if (!touched) continue;
    segment->is_stale = true;
    settle(cache, segment);
  }
}
