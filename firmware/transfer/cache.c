// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_CACHE
#include "firmware/transfer/cache.h"

#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"

void cache_init(struct cache* cache, const struct drive_design* design, struct segments* segments,
                struct media* media, const struct task_set* tasks, struct arm* arm) {
  *cache = (struct cache){
      .design = design, .segments = segments, .media = media, .tasks = tasks, .arm = arm};
  for (uint32_t i = 0; i < CACHE_WRITTEN + CACHE_SEGMENTS_MAX; ++i)
    cache->segment[i].segment = SEGMENT_NONE;
}

// --------------------------------------------------------------------------------------- segments

static bool is_in_use(const struct cache_segment* segment) {
  return segment->segment != SEGMENT_NONE;
}

/// The first segment in use from `segment` on, or NULL.
static struct cache_segment* in_use_from(struct cache* cache, struct cache_segment* segment) {
  const struct cache_segment* end = cache->segment + cache->rows;
  while (segment < end && !is_in_use(segment)) ++segment;
  return segment < end ? segment : NULL;
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

/// The block's offset in the segment. It is huge for a block before the segment's first.
static uint32_t offset_in(const struct cache_segment* segment, uint32_t lba) {
  return lba - segment->lba;
}

/// Whether no task and no read-ahead needs a segment in use.
static bool is_idle(const struct cache* cache, const struct cache_segment* segment) {
  return segment->users == 0 && segment != cache->filling;
}

/// Whether the row is for data of a write.
static bool is_written(const struct cache* cache, const struct cache_segment* segment) {
  return segment < cache->segment + CACHE_WRITTEN;
}

/// The number by which its segment lingers.
static uint32_t lingering_row(const struct cache* cache, const struct cache_segment* segment) {
  return (uint32_t)(segment - cache->segment);
}

/// Puts a row in use, for a segment of the buffer.
static void enter_row(struct cache* cache, struct cache_segment* row, uint32_t segment) {
  if (!is_in_use(row)) ++cache->count;
  row->segment = (uint16_t)segment;
  row->users = 0;
  row->listed = 0;
  const uint32_t rows = (uint32_t)(row - cache->segment) + 1;
  if (cache->rows < rows) cache->rows = (uint8_t)rows;
}

/// Takes a row out of use.
static void leave_row(struct cache* cache, struct cache_segment* segment) {
  segment->segment = SEGMENT_NONE;
  --cache->count;
  while (cache->rows > 0 && !is_in_use(&cache->segment[cache->rows - 1])) --cache->rows;
  if (cache->hit == segment) cache->hit = NULL;
}

static void give_back(struct cache* cache, struct cache_segment* segment) {
  segments_free(cache->segments, segment->segment);
  leave_row(cache, segment);
}

/// The idle segment that was used least recently, or NULL.
static struct cache_segment* find_oldest(struct cache* cache) {
  struct cache_segment* oldest = NULL;
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    if (!is_idle(cache, segment) || is_written(cache, segment)) continue;
    if (oldest == NULL || segment->turn < oldest->turn) oldest = segment;
  }
  return oldest;
}

/// Takes the segment out of its ring, unless the media fill it or their task takes data from it.
static void settle_ring(struct cache* cache, const struct cache_segment* segment) {
  if (segment == cache->filling || segment->owner != TASK_NONE) return;
  segments_close(cache->segments, segment->segment);
}

/// Gives back a stale or empty segment when its last user has gone. Data of a write linger.
static void settle(struct cache* cache, struct cache_segment* segment) {
  settle_ring(cache, segment);
  if (!is_idle(cache, segment)) return;
  if (segment->is_stale || segment->blocks == 0) {
    give_back(cache, segment);
  } else if (is_written(cache, segment)) {
    segments_linger(cache->segments, segment->segment, lingering_row(cache, segment));
  }
}

/// Allows no new hits in the segment.
static void invalidate(struct cache* cache, struct cache_segment* segment) {
  if (is_written(cache, segment) && segment->users == 0) {
    leave_row(cache, segment);  // The row's cells are free, or another owner's.
    return;
  }
  segment->is_stale = true;
  settle(cache, segment);
}

struct cache_segment* cache_of(struct cache* cache, const struct task* task) {
  if (cache->count == 0 || task->segment == SEGMENT_NONE) return NULL;
  struct cache_segment* segment = first_in_use(cache);
  // Another task may have the cells of data that linger by now.
  while (segment != NULL && (segment->segment != task->segment || segment->users == 0))
    segment = next_in_use(cache, segment);
  return segment;
}

uint32_t cache_place_of(const struct cache* cache, const struct cache_segment* segment,
                        uint32_t lba) {
  const uint32_t sectors = sectors_of(cache, segment);
  const uint32_t place = segment->first + (lba - segment->lba);
  return place < sectors ? place : place - sectors;
}

static void attach(struct cache* cache, struct cache_segment* segment, struct task* task) {
  task->segment = segment->segment;
  ++segment->users;
  if (segment->listed < CACHE_READERS) {
    segment->reader[segment->listed++] = (uint16_t)cache_place_of(cache, segment, task->lba);
  }
  segment->turn = ++cache->turn;
  if (cache->hit != segment) cache->hit = NULL;
  cache->read_lba = task->lba;
  cache->read_end = task->lba + task->blocks;
}

uint32_t cache_place(struct cache* cache, const struct task* task, uint32_t offset) {
  // The task that the media begin with is looked up most often.
  const struct cache_segment* segment = cache->filling;
  if (segment == NULL || segment->owner != task_set_index(cache->tasks, task)) {
    segment = cache_of(cache, task);
  }
  return segment == NULL ? offset : cache_place_of(cache, segment, task->lba + offset);
}

static void detach(const struct cache* cache, struct cache_segment* segment,
                   const struct task* task) {
  ASSERT(segment->users > 0);
  --segment->users;
  const uint32_t place = cache_place_of(cache, segment, task->lba);
  for (uint32_t i = 0; i < segment->listed; ++i) {
    if (segment->reader[i] != place) continue;
    segment->reader[i] = segment->reader[--segment->listed];
    return;
  }
}

// ------------------------------------------------------------------------------------------- mode

static bool is_same_division(const struct mode_caching* a, const struct mode_caching* b) {
  if (a->reads != b->reads) return false;
  return !a->reads || (a->segments == b->segments && a->segment_blocks == b->segment_blocks);
}

static void invalidate_all(struct cache* cache) {
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    invalidate(cache, segment);
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
    struct cache_segment* row = &cache->segment[CACHE_WRITTEN + slot];
    if (is_in_use(row)) continue;
    const uint32_t segment = segments_claim_slot(cache->segments, slot, cache->mode.segment_blocks);
    if (segment == SEGMENT_NONE) continue;
    enter_row(cache, row, segment);
    return row;
  }
  return NULL;
}

/// A segment to read into: an unused one, or the one used longest ago.
static struct cache_segment* find_room(struct cache* cache) {
  struct cache_segment* unused = find_unused(cache);
  return unused != NULL ? unused : find_oldest(cache);
}

void cache_note_fill(struct cache* cache) {
  if (cache->filling == NULL) return;
  const struct media* media = cache->media;
  const uint32_t end = cache->fill_lba + media_blocks_done(media);
  cache->filling->blocks = end - cache->filling->lba - media->free_left;
}

uint32_t cache_fill_range(const struct cache* cache, uint32_t* lba) {
  if (cache->filling == NULL) return 0;
  *lba = cache->filling->lba;
  return sectors_of(cache, cache->filling) + 1;
}

void cache_end_fill(struct cache* cache) {
  struct cache_segment* segment = cache->filling;
  if (segment == NULL) return;
  cache_note_fill(cache);
  cache->filling = NULL;
  settle(cache, segment);
}

// ------------------------------------------------------------------------------------------- ring

/// The first block that the segment must keep for its users, if they need none before `lba`.
static uint32_t needed_from(const struct cache* cache, const struct cache_segment* segment,
                            uint32_t lba) {
  // The media's ring has room only for what its task has taken from it.
  if (segment->owner != TASK_NONE || segment->listed < segment->users) return segment->lba;
  uint32_t offset = lba > segment->lba ? lba - segment->lba : 0;
  if (offset > segment->blocks) offset = segment->blocks;
  for (uint32_t i = 0; i < segment->listed; ++i) {
    const uint32_t sectors = sectors_of(cache, segment);
    const uint32_t after = segment->reader[i] + sectors - segment->first;
    const uint32_t held = after < sectors ? after : after - sectors;
    if (held < offset) offset = held;
  }
  return segment->lba + offset;
}

/// The block after the last one that the segment can hold, with block `lba` and those after it
/// kept.
static uint32_t end_of_room(const struct cache* cache, const struct cache_segment* segment,
                            uint32_t lba) {
  return needed_from(cache, segment, lba) + sectors_of(cache, segment);
}

/// Invalidates the segment's first blocks, so that it has room for those before `end`.
static void make_room(const struct cache* cache, struct cache_segment* segment, uint32_t end) {
  const uint32_t sectors = sectors_of(cache, segment);
  if (end <= segment->lba + sectors) return;
  const uint32_t gone = end - sectors - segment->lba;
  ASSERT(gone <= segment->blocks);
  segment->first = (uint16_t)cache_place_of(cache, segment, segment->lba + gone);
  segment->lba += gone;
  segment->blocks -= gone;
}

/// How far to read ahead after a read of `blocks` blocks that ends before block `end`. The segment
/// has room for blocks before `room`.
static uint32_t ahead_end(const struct cache* cache, uint32_t blocks, uint32_t end, uint32_t room) {
  const uint32_t left = cache->design->capacity_blocks - end;
  const uint32_t ahead = blocks > cache->mode.ahead_task_blocks ? 0 : cache->mode.ahead_blocks;
  const uint32_t goal = end + (ahead < left ? ahead : left);
  return goal < room ? goal : room;
}

/// The same after the last read, whose data have left or will leave.
static uint32_t ahead_end_of_last(const struct cache* cache, const struct cache_segment* segment) {
  const bool over = (cache->mode.ahead_bits & MODE_CONTROLLER_AHEAD_OVER) != 0;
  const uint32_t keep = over ? cache->read_end : cache->read_lba;
  const uint32_t blocks = cache->read_end - cache->read_lba;
  return ahead_end(cache, blocks, cache->read_end, end_of_room(cache, segment, keep));
}

static uint32_t planned_end(const struct cache* cache) {
  return cache->fill_lba + media_blocks_planned(cache->media);
}

/// Gives read-ahead under way the room for blocks up to `end`, in place of the segment's first
/// ones.
static void fill_up_to(struct cache* cache, uint32_t end) {
  make_room(cache, cache->filling, end);
  if (cache->filling->owner == TASK_NONE) {
    segments_discard(cache->segments, cache->filling->segment);
  }
}

/// Continues read-ahead under way after the last read, whose data have left, if no task waits.
static void read_further(struct cache* cache, struct cache_segment* segment) {
  if (segment->is_stale || segment->owner != TASK_NONE) return;
  if (!media_reads_ahead(cache->media) || cache_ahead_one_track(cache)) return;
  if ((cache->mode.ahead_bits & MODE_CONTROLLER_AHEAD_MISSES) != 0) return;
  if (task_set_waiting_count(cache->tasks) > 0) return;
  const uint32_t end = ahead_end_of_last(cache, segment);
  if (end <= planned_end(cache)) return;
  fill_up_to(cache, end);
  media_extend_ahead(cache->media, end - cache->fill_lba);
}

/// A segment that has the read's first block but not its last, or NULL. The others may be read into
/// it.
static struct cache_segment* find_begin(struct cache* cache, const struct task* task) {
  if ((task->flags & TASK_FLAG_FORCE_UNIT_ACCESS) != 0) return NULL;
  const uint32_t end = task->lba + task->blocks;
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    const uint32_t offset = offset_in(segment, task->lba);
    const bool has_part = offset < segment->blocks && task->blocks > segment->blocks - offset;
    if (!has_part || segment->is_stale || segment->owner != TASK_NONE) continue;
    if (is_written(cache, segment)) continue;
    if (end <= end_of_room(cache, segment, task->lba)) return segment;
  }
  return NULL;
}

/// Empties a segment for other blocks.
static void begin_anew(struct cache_segment* segment, uint32_t lba) {
  segment->lba = lba;
  segment->blocks = 0;
  segment->first = 0;
  segment->is_stale = false;
}

bool cache_take(struct cache* cache, struct task* task) {
  if (!is_for_cache(cache, task)) return false;
  ASSERT(cache->filling == NULL);
  struct cache_segment* segment = find_begin(cache, task);
  if (segment != NULL) {
    const uint32_t end = task->lba + task->blocks;
    const uint32_t room = end_of_room(cache, segment, task->lba);
    make_room(cache, segment, ahead_end(cache, task->blocks, end, room));
  } else {
    segment = find_room(cache);
    if (segment == NULL) return false;
    begin_anew(segment, task->lba);
  }
  cache->hit = NULL;
  segment->owner = task_set_index(cache->tasks, task);
  attach(cache, segment, task);
  cache->filling = segment;
  cache->fill_lba = segment->lba + segment->blocks;
  return true;
}

uint32_t cache_had(const struct cache* cache, const struct task* task) {
  const struct cache_segment* segment = cache->filling;
  if (segment == NULL || segment->owner != task_set_index(cache->tasks, task)) return 0;
  return cache->fill_lba - task->lba;
}

void cache_follow_start(struct cache* cache) {
  struct cache_segment* segment = cache->filling;
  ASSERT(segment != NULL && segment->owner != TASK_NONE);
  struct media* media = cache->media;
  const uint32_t sectors = sectors_of(cache, segment);
  media->start_moved = false;
  const struct task* task = &cache->tasks->task[segment->owner];
  const uint32_t place = cache_place_of(cache, segment, task->lba);
  // A user that has begun to take free blocks keeps their places: nothing else may come there.
  if (segment->users > 1) segment->is_stale = true;
  segment->lba = task->lba - media->free_blocks;
  segment->blocks = 0;
  segment->first = (uint16_t)((media->request.ring_next + sectors - media->free_blocks) % sectors);
  for (uint32_t i = 0; i < segment->listed; ++i) {
    if (segment->reader[i] != place) continue;
    segment->reader[i] = (uint16_t)cache_place_of(cache, segment, task->lba);
    return;
  }
}

uint32_t cache_ahead(const struct cache* cache, const struct task* task) {
  const struct cache_segment* segment = cache->filling;
  const uint32_t end = task->lba + task->blocks;
  return ahead_end(cache, task->blocks, end, segment->lba + sectors_of(cache, segment)) - end;
}

void cache_release(struct cache* cache, struct cache_segment* segment, const struct task* task) {
  detach(cache, segment, task);
  if (segment->owner == task_set_index(cache->tasks, task)) segment->owner = TASK_NONE;
  settle(cache, segment);
}

void cache_disown(struct cache* cache, struct cache_segment* segment) {
  ASSERT(segment != cache->filling && segment->owner != TASK_NONE);
  segment->owner = TASK_NONE;
  settle_ring(cache, segment);
}

void cache_go_on(struct cache* cache) {
  cache->read_has_ended = false;
  cache->hit_has_left = true;
  if (cache->hit != NULL) arm_want(cache->arm, ARM_READ_AHEAD);
  struct cache_segment* segment = cache->filling;
  if (segment != NULL && offset_in(segment, cache->read_lba) <= segment->blocks) {
    read_further(cache, segment);
  }
}

// ------------------------------------------------------------------------------------------ serve

/// Whether the row's data have not been overwritten by those of others.
static bool is_there(const struct cache* cache, const struct cache_segment* segment) {
  if (!is_written(cache, segment) || segment->users > 0) return true;
  return segments_lingers(cache->segments, lingering_row(cache, segment));
}

static struct cache_segment* find_blocks(struct cache* cache, const struct task* task) {
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    const uint32_t offset = offset_in(segment, task->lba);
    const bool holds = offset < segment->blocks && task->blocks <= segment->blocks - offset;
    if (holds && !segment->is_stale && is_there(cache, segment)) return segment;
  }
  return NULL;
}

static void trace_hit(const struct cache* cache, const struct task* task) {
  trace_port_hal_event(TRACE_CACHE_HIT, task->blocks << 16 | task_set_index(cache->tasks, task));
}

void cache_serve(struct cache* cache, struct cache_segment* segment, struct task* task) {
  const bool written = is_written(cache, segment);
  if (written && segment->users == 0) {
    segments_recall(cache->segments, lingering_row(cache, segment));
  }
  attach(cache, segment, task);
  cache->hit = written ? NULL : segment;  // Nothing is read past what was written.
  cache->hit_has_left = false;
  trace_hit(cache, task);
}

/// The block after the last one that read-ahead may reach for the task. Older blocks are
/// invalidated only for the task that has waited longest. Else a stream of reads that join would
/// keep others waiting for ever.
static uint32_t end_of_joining(const struct cache* cache, const struct task* task) {
  const struct cache_segment* segment = cache->filling;
  if (task_set_is_first(cache->tasks, task)) return end_of_room(cache, segment, task->lba);
  return segment->lba + sectors_of(cache, segment);
}

/// Whether the read-ahead of the media will reach all of the task's blocks.
static bool is_under_way(const struct cache* cache, const struct task* task) {
  const struct cache_segment* segment = cache->filling;
  if (segment == NULL || segment->is_stale || !media_reads_ahead(cache->media)) return false;
  if (offset_in(segment, task->lba) > segment->blocks) return false;
  const uint32_t end = task->lba + task->blocks;
  // Read-ahead is extended for a task that arrives early enough.
  const bool goes_on = cache->mode.ahead_blocks > 0;
  return end <= (goes_on ? end_of_joining(cache, task) : planned_end(cache));
}

void cache_join(struct cache* cache, struct task* task) {
  struct cache_segment* segment = cache->filling;
  const uint32_t wanted_end = task->lba + task->blocks;
  const uint32_t end = ahead_end(cache, task->blocks, wanted_end, end_of_joining(cache, task));
  ASSERT(end >= wanted_end);
  attach(cache, segment, task);
  trace_hit(cache, task);
  fill_up_to(cache, end);
  media_extend(cache->media, task_set_index(cache->tasks, task), wanted_end - cache->fill_lba,
               end - wanted_end);
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

/// The block up to which the segment of the last hit should be read, if that is farther than it has
/// been; or 0.
static uint32_t find_goal(const struct cache* cache, const struct cache_segment* segment) {
  // The limit is half of the segment used up, so that not every hit begins a run.
  const uint32_t end = segment->lba + segment->blocks;
  if (end >= cache->read_end + cache->mode.ahead_blocks / 2) return 0;
  return ahead_end_of_last(cache, segment);
}

bool cache_read_on(struct cache* cache, struct media_request* request) {
  struct cache_segment* segment = cache->hit;
  if (segment == NULL || segment->owner != TASK_NONE || segment->is_stale) return false;
  if (!cache->hit_has_left) return false;
  cache->hit = NULL;
  if ((cache->mode.ahead_bits & MODE_CONTROLLER_AHEAD_MISSES) != 0) return false;
  const uint32_t goal = find_goal(cache, segment);
  const uint32_t end = segment->lba + segment->blocks;
  if (goal <= end || !segments_may_keep(cache->segments)) return false;
  make_room(cache, segment, goal);
  const uint32_t sectors = sectors_of(cache, segment);
  const uint32_t place = cache_place_of(cache, segment, end);
  segments_open_at(cache->segments, segment->segment, place, 0);
  segments_keep(cache->segments, segment->segment, SEGMENT_NO_KEEPER);
  cache->filling = segment;
  cache->fill_lba = end;
  *request = (struct media_request){.operation = FORMATTER_READ,
                                    .lba = end,
                                    .ahead = goal - end,
                                    .one_track = cache_ahead_one_track(cache),
                                    .ring = segments_ring(cache->segments, segment->segment),
                                    .ring_sectors = sectors,
                                    .ring_next = place,
                                    .task = MEDIA_NO_TASK,
                                    .detour = MEDIA_NO_DETOUR};
  return true;
}

// ---------------------------------------------------------------------------------------- written

/// A row for data of a write: one that is not in use, or the one used longest ago. NULL: reads take
/// data from all of them.
static struct cache_segment* find_written_row(struct cache* cache) {
  struct cache_segment* found = NULL;
  for (uint32_t i = 0; i < CACHE_WRITTEN; ++i) {
    struct cache_segment* row = &cache->segment[i];
    if (!is_in_use(row)) return row;
    if (row->users > 0) continue;
    if (!is_there(cache, row)) return row;
    if (found == NULL || row->turn < found->turn) found = row;
  }
  return found;
}

bool cache_keep_written(struct cache* cache, struct task* task) {
  const bool keeps = (cache->mode.ahead_bits & MODE_CONTROLLER_KEEPS_WRITTEN) != 0 &&
                     cache->mode.reads && (task->flags & TASK_FLAG_DISABLE_PAGE_OUT) == 0;
  if (!keeps || task->segment == SEGMENT_NONE) return false;
  if (segments_length(cache->segments, task->segment) != task->blocks) return false;
  struct cache_segment* row = find_written_row(cache);
  if (row == NULL) return false;
  enter_row(cache, row, task->segment);
  begin_anew(row, task->lba);
  row->blocks = task->blocks;
  row->owner = TASK_NONE;
  row->turn = ++cache->turn;
  settle(cache, row);
  return true;
}

// ------------------------------------------------------------------------------------------- drop

void cache_drop(struct cache* cache, uint32_t lba, uint32_t blocks) {
  if (cache->count == 0) return;
  for (struct cache_segment* segment = first_in_use(cache); segment != NULL;
       segment = next_in_use(cache, segment)) {
    const bool touched = lba - segment->lba < segment->blocks || segment->lba - lba < blocks;
    if (!touched) continue;
    invalidate(cache, segment);
  }
}
