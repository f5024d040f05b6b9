// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_MEDIA
#include "firmware/transfer/media.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/servo_hal.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"
#include "firmware/transfer/free_blocks.h"
#include "firmware/transfer/relocation.h"

/// Turns interrupts for each sector on or off. Each costs some 300 cycles, so they are off where
/// the end of the run is enough.
static void report_sectors(struct media* media, bool wanted) {
  if (media->reports_sectors == wanted) return;
  media->reports_sectors = wanted;
  formatter_hal_enable(FORMATTER_EVENT_DONE | FORMATTER_EVENT_ERROR | FORMATTER_EVENT_CHAINED |
                       (wanted ? FORMATTER_EVENT_SECTOR : 0U));
}

/// Whether the run goes on past the last requested block. Its end then comes too late to report
/// that block.
static bool passes_last_block(const struct media* media) {
  return !media_is_served(media) && media_wanted_of_run(media) < media->run_count;
}

/// Whether the only sectors to report are the first, the one at half of the run, and the last.
static bool is_halfway_enough(const struct media* media) {
  return media->request.operation == FORMATTER_READ && media->request.purpose == MEDIA_FOR_HOST &&
         !media_may_stop_short(media) && !passes_last_block(media);
}

void media_ignore_sectors(struct media* media) {
  if (media->state == MEDIA_TRANSFERRING && !passes_last_block(media)) report_sectors(media, false);
}

/// Twice the longest movement, or the longest run.
static uint32_t limit_ticks_of(const struct drive_design* design, const struct rotation* rotation) {
  const uint32_t stroke_part = design->pool[design->seek_table + design->cylinders - 1] +
                               design->head_switch_part + design->write_settle_part;
  const uint32_t movement_ticks = 2 * (stroke_part / DRIVE_DESIGN_TICK_PARTS + 1);
  const uint32_t run_ticks = MEDIA_RUN_REVOLUTIONS_MAX * (rotation->period_tick64 / 64);
  return movement_ticks > run_ticks ? movement_ticks : run_ticks;
}

void media_init(struct media* media, struct defect_list* defects, struct defect_log* log,
                const struct predictor* predictor, struct seek* seek) {
  const struct drive_design* design = defects->design;
  const struct rotation* rotation = predictor->rotation;
  *media = (struct media){.design = design,
                          .predictor = predictor,
                          .rotation = rotation,
                          .defects = defects,
                          .map = predictor->map,
                          .log = log,
                          .seek = seek,
                          .limit_ticks = limit_ticks_of(design, rotation)};
  formatter_hal_configure(design->preamble_bytes, design->sector_bytes, MEDIA_SEARCH_REVOLUTIONS);
  report_sectors(media, true);
  buffer_mgr_hal_enable(BUFFER_EVENT_DISK_SECTOR);
}

void media_set_retries(struct media* media, enum formatter_operation operation, uint32_t retries) {
  media->retries[operation] = retries;
}

void media_set_recovery(struct media* media, enum formatter_operation operation, uint32_t bits) {
  media->recovery[operation] = (uint8_t)bits;
}

bool media_is_recovering(const struct media* media) {
  if (media_is_idle(media) || media_is_served(media)) return false;
  return media->recovers || relocation_is_active(media);
}

/// Whether the request ends when the heads have arrived.
static bool only_moves(const struct media* media) {
  return media->aim == MEDIA_BRINGS_HEADS || media->aim == MEDIA_PARKS;
}

/// Whether the mode page allows this. Only requests of the host and of the scan have such a page:
/// no format, and no move of a block. The page of a task's begin counts: what the host may have,
/// and where a run ends, has been settled by it.
static bool may(const struct media* media, enum media_recovery bit) {
  const enum media_purpose purpose = media->request.purpose;
  const bool has_page = purpose == MEDIA_FOR_HOST || purpose == MEDIA_FOR_SCAN;
  return has_page && (media->request.recovery & bit) != 0;
}

bool media_may_stop_short(const struct media* media) {
  return may(media, MEDIA_STOPS) || may(media, MEDIA_TRANSFERS_BAD);
}

static bool is_write(const struct media* media) {
  return media->request.operation == FORMATTER_WRITE;
}

static uint32_t blocks_left(const struct media* media) {
  return media->request.block_count + media->request.ahead - media->blocks_done;
}

// ------------------------------------------------------------------------------------------- end

static enum media_outcome end(struct media* media, enum status status) {
  media->state = MEDIA_IDLE;
  if (relocation_is_active(media)) relocation_drop(media);
  media->relocation.step = RELOCATION_NONE;
  media->status = (uint8_t)(media->aborted ? STATUS_ABORTED : status);
  trace_port_hal_event(TRACE_MEDIA_DONE,
                       (uint32_t)media->status << 16 | (media->request.task & 0xFFFFU));
  return MEDIA_ENDED;
}

/// Acts on the result of a step in the move of a block.
static enum media_outcome follow(struct media* media, enum relocation_next next);

// --------------------------------------------------------------------------------- begin a run

/// Finds sector `index` of the store, and the sectors that follow it on its track.
static RARE enum status locate_in_store(const struct media* media, uint32_t index,
                                        struct place* at) {
  const struct drive_design* design = media->design;
  ASSERT(index < design->store_sectors);
  geometry_place_sector(design, design->store_sector + index, at);
  const uint32_t on_track = design->zones[at->zone].sectors_per_track - at->sector;
  const uint32_t in_store = design->store_sectors - index;
  at->contiguous_blocks = on_track < in_store ? on_track : in_store;
  return STATUS_OK;
}

/// Finds a physical block, or a sector of the store.
static RARE enum status locate_physical(const struct media* media, uint32_t block,
                                        struct place* at) {
  if (media->request.purpose == MEDIA_FOR_STORE) return locate_in_store(media, block, at);
  return defect_list_locate(media->defects, block, at);
}

/// Finds a block of the request on the media.
MUST_USE static inline enum status locate(const struct media* media, uint32_t block,
                                          struct place* at) {
  if (media->request.purpose >= MEDIA_TO_SLOT) return locate_physical(media, block, at);
  return block_map_locate(media->map, block, at);
}

/// Finds a block that may be the one that came last (block_map_look_up()).
MUST_USE static inline enum status recall(const struct media* media, uint32_t block,
                                          struct place* at) {
  if (media->request.purpose >= MEDIA_TO_SLOT) return locate_physical(media, block, at);
  return block_map_recall(media->map, block, at);
}

static inline bool write_has_come(const struct media* media) {
  const uint32_t share = media->blocks_done == 0 ? media->request.share_blocks : 0;
  const uint32_t level = buffer_mgr_hal_level(media->request.ring);
  return level > 0 && level >= share;
}

/// Whether the ring has room or data for the first sector of a run. For a write's first run:
/// whether its share has come.
static bool buffer_is_ready(const struct media* media) {
  const struct media_request* request = &media->request;
  switch (request->operation) {
    case FORMATTER_VERIFY: return true;
    case FORMATTER_READ: return buffer_mgr_hal_level(request->ring) < request->ring_sectors;
    case FORMATTER_WRITE:
      if (request->hold_ticks > 0 && timer_hal_now() < media->held_until) return false;
      return write_has_come(media);
    default: ASSERT_UNREACHABLE();
  }
}

/// Whether a run ends with a block that is recovered in it.
static bool ends_with_retry(const struct media* media) {
  if (is_write(media)) return false;
  return may(media, MEDIA_STOPS) ||
         (media->request.operation == FORMATTER_READ && may(media, MEDIA_REALLOCATES));
}

static uint32_t track_of(const struct media* media, const struct place* at) {
  return at->cylinder * media->design->heads + at->head;
}

/// The next run, from block `blocks` of the request on, is at next_place. @return whether the
/// request ends before it (one_track): all that it may read ahead comes before.
static bool ends_on_track(struct media* media, uint32_t blocks) {
  const uint32_t wanted = media->request.block_count;
  const uint32_t before = media_blocks_before_run(media);
  const uint32_t track = track_of(media, &media->run_place);
  const uint32_t next_track = track_of(media, &media->next_place);
  if (before == 0 || before < wanted) media->last_track = blocks == wanted ? next_track : track;
  if (blocks <= wanted || next_track == track) return false;
  const bool goes_on = track == media->last_track && media->first_track != track;
  if (!goes_on) media->request.ahead = blocks - wanted;
  return !goes_on;
}

/// A whole turn less a sixty-fourth of it.
#define CHAIN_GAP_MAX_TURN32 0xFC000000U

/// Whether the formatter may go on to next_place by itself, once units have moved. It gives up a
/// search at the second index pulse, and it searches while the arm is still on its way. So the
/// first sector must come within a turn.
static RARE bool is_within_a_turn(const struct media* media) {
  const struct place* from = &media->run_place;
  const struct drive_design_zone* zone = &media->design->zones[from->zone];
  const uint32_t end_turn32 =
      from->angle_turn32 + (uint32_t)geometry_swept_turn32(zone, from->mark, media->run_count);
  return predictor_gap_turn32(media->predictor, from, end_turn32, &media->next_place,
                              is_write(media)) < CHAIN_GAP_MAX_TURN32;
}

/// Names the next run to the formatter, so that it goes on by itself. Not during a further attempt
/// at a block, because the request may end with it.
static void name_next_run(struct media* media) {
  media->next_count = 0;
  if (media->retry_errors != 0) return;
  const uint32_t blocks = media_blocks_before_run(media) + media->run_count;
  const uint32_t left = media->request.block_count + media->request.ahead - blocks;
  if (media->request.one_track && blocks == media->run_count) {
    media->first_track =
        media->request.block_count == 0 ? UINT32_MAX : track_of(media, &media->run_place);
  }
  if (left == 0) return;
  const enum status located = locate(media, media->request.lba + blocks, &media->next_place);
  ASSERT(located == STATUS_OK);
  if (media->request.one_track && ends_on_track(media, blocks)) return;
  if (media->map->away != 0 && !is_within_a_turn(media)) return;
  const struct place* at = &media->next_place;
  const uint32_t count = at->contiguous_blocks < left ? at->contiguous_blocks : left;
  if (media->chained_sectors + media->run_count + count > FORMATTER_COUNT_MAX) return;
  media->next_count = count;
  servo_hal_set_target(at->cylinder, at->head, media->seek->at_writer);
  const struct formatter_run run = {at->cylinder, at->head, at->sector, count};
  formatter_hal_chain(&run);
}

/// Follows the formatter, which has gone on to the run that was named.
static void enter_next_run(struct media* media) {
  const struct place from = media->run_place;
  const struct drive_design_zone* zone = &media->design->zones[from.zone];
  ASSERT(media->next_count > 0 && media->run_done == media->run_count);
  media->chained_sectors += media->run_count;
  media->chained_runs = (media->chained_runs + 1) % FORMATTER_RUNS;
  media->chained_turn32 =
      from.angle_turn32 + (uint32_t)geometry_swept_turn32(zone, from.mark, media->run_count);
  media->run_place = media->next_place;
  media->run_count = media->next_count;
  media->run_done = 0;
  media->run_free = 0;
  media->chained_gap_turn32 =
      predictor_gap_turn32(media->predictor, &from, media->chained_turn32, &media->run_place,
                           media->request.operation == FORMATTER_WRITE);
  ++media->step;
  media->first_sector_seen = false;
  media->run_is_new = true;
  media->reports_half = false;  // The buffer manager counts from the operation's start.
  const struct place* at = &media->run_place;
  trace_port_hal_event(TRACE_RUN_NEXT, at->sector << 16 | media->run_count);
  if (at->cylinder != from.cylinder || at->head != from.head) {
    seek_follow(media->seek, at->cylinder, at->head);
  }
  report_sectors(media, !media_is_served(media));
  name_next_run(media);
}

/// Begins the run on its track: the formatter begins, or the request waits for the buffer.
static enum media_outcome begin_run(struct media* media) {
  if (relocation_is_active(media)) {
    relocation_begin_run(media);
    return MEDIA_NOTHING;
  }
  if (!buffer_is_ready(media)) {
    const bool waited = media_waits(media);
    const bool is_held = media->request.hold_ticks > 0 && write_has_come(media);
    media->state = is_held ? MEDIA_HELD : MEDIA_WAITING;
    if (waited) return MEDIA_NOTHING;
    buffer_mgr_hal_enable(BUFFER_EVENT_HOST_SECTOR | BUFFER_EVENT_DISK_SECTOR);
    trace_port_hal_event(TRACE_MEDIA_WAIT, media->request.task);
    return MEDIA_NOTHING;
  }
  const uint32_t free = media->request.takes_free ? free_blocks_take(media) : 0;
  const uint32_t left = blocks_left(media);
  uint32_t count = media->run_place.contiguous_blocks;
  if (count > left) count = left;
  if (count > FORMATTER_COUNT_MAX) count = FORMATTER_COUNT_MAX;
  if (media->retry_errors != 0 && ends_with_retry(media)) count = 1;
  media->state = MEDIA_TRANSFERRING;
  report_sectors(media, free == 0);
  media->run_count = count;
  media->run_free = (uint16_t)free;
  ++media->step;
  media->first_sector_seen = false;
  media->reports_half = is_halfway_enough(media);
  media->run_is_new = false;
  media->chained_sectors = free;
  media->chained_runs = 0;
  if (media->request.operation != FORMATTER_VERIFY) {
    const uint32_t share = media->reports_half ? media_share_of_run(media) : 1;
    const uint32_t notice = free + (share <= count ? share : 1);
    buffer_mgr_hal_start_disk(media->request.ring, is_write(media),
                              notice > 1 ? notice : BUFFER_MGR_NO_NOTICE);
  }
  const struct formatter_run run = {media->run_place.cylinder, media->run_place.head,
                                    media->run_place.sector - free, free + count};
  trace_port_hal_event(TRACE_RUN_START, run.sector << 16 | run.count);
  formatter_hal_start(media->request.operation, &run);
  if (free != 0) trace_port_hal_event(TRACE_FREE_BLOCKS, free);
  name_next_run(media);
  return MEDIA_RUN_STARTED;
}

/// Moves to the track of the next block. `again`: even if the heads should be there already.
static enum media_outcome position(struct media* media, bool again) {
  media->run_count = 0;
  media->run_done = 0;
  ++media->step;
  bool for_write = is_write(media);
  if (relocation_is_active(media)) {
    for_write = media->relocation.step != RELOCATION_VERIFIES;
    geometry_place_sector(media->design, relocation_sector(media), &media->run_place);
  } else {
    const uint32_t lba = media->request.lba + media->blocks_done;
    const enum status located = recall(media, lba, &media->run_place);
    ASSERT(located == STATUS_OK);
  }
  const enum status status =
      seek_start(media->seek, media->run_place.cylinder, media->run_place.head, for_write, again);
  if (status == STATUS_OK) return only_moves(media) ? end(media, STATUS_OK) : begin_run(media);
  if (status != STATUS_BUSY) return end(media, status);
  media->state = MEDIA_SEEKING;
  return MEDIA_NOTHING;
}

/// Moves to the detour's cylinder; the movement to the first block follows.
static enum media_outcome take_detour(struct media* media) {
  media->run_count = 0;
  media->run_done = 0;
  ++media->step;
  const enum status status =
      seek_start(media->seek, media->request.detour, media->seek->head, false, false);
  if (status == STATUS_OK) return position(media, false);
  if (status != STATUS_BUSY) return end(media, status);
  media->state = MEDIA_ON_DETOUR;
  return MEDIA_NOTHING;
}

static void forget_recovered(struct media* media) {
  media->retry_errors = 0;
  media->recovered = STATUS_OK;
  media->stops = false;
  media->brought_bad = false;
}

/// The arm may move.
static enum media_outcome set_out(struct media* media) {
  const struct media_request* request = &media->request;
  if (request->hold_ticks > 0) media->held_until = timer_hal_now() + request->hold_ticks;
  return request->detour == MEDIA_NO_DETOUR ? position(media, false) : take_detour(media);
}

enum media_outcome media_start(struct media* media) {
  const struct media_request* request = &media->request;
  ASSERT(media_is_idle(media) && request->block_count + request->ahead > 0);
  media->blocks_done = 0;
  media->free_blocks = media->free_left = 0;
  media->start_moved = false;
  media->aborted = false;
  media->aim = request->only_moves         ? MEDIA_BRINGS_HEADS
               : request->block_count == 0 ? MEDIA_READS_AHEAD
                                           : MEDIA_SERVES;
  media->recovers = false;
  media->retries_left = media->retries[request->operation];
  forget_recovered(media);
  media->recovered = (uint8_t)request->recovered;
  media->recovered_lba = request->recovered_lba;
  if (request->purpose == MEDIA_TO_RELOCATE) {
    return follow(media, relocation_begin(media, request->lba, request->byte));
  }
  if (request->access_ticks == 0) return set_out(media);
  media->run_count = 0;
  media->run_done = 0;
  ++media->step;
  media->held_until = timer_hal_now() + request->access_ticks;
  media->state = MEDIA_PREPARING;
  return MEDIA_NOTHING;
}

static void trace_retry(const struct media* media, uint32_t errors) {
  trace_port_hal_event(TRACE_MEDIA_RETRY, errors << 16 | (media->retries[media->request.operation] -
                                                          media->retries_left));
}

/// Aborts the request. What is being recorded in the store is recorded first.
static bool is_given_up(const struct media* media) {
  return media->aborted && media->relocation.step != RELOCATION_RECORDS;
}

/// Repeats a failed movement, if attempts are left: the arm goes straight to the track.
static enum media_outcome recover_movement(struct media* media) {
  const enum status status = (enum status)media->seek->status;
  trace_retry(media, 0);
  media->recovers = true;
  const bool is_in_vain = status == STATUS_SPINDLE_FAILED || status == STATUS_BECOMING_READY;
  if (is_given_up(media) || media_is_served(media) || is_in_vain) return end(media, status);
  if (relocation_is_active(media)) {
    return follow(media, relocation_on_movement_failed(media));
  }
  if (media->retries_left == 0) return end(media, status);
  --media->retries_left;
  return position(media, true);
}

void media_rest(struct media* media, uint32_t cylinder) {
  struct seek* seek = media->seek;
  ASSERT(media_is_idle(media));
  // This includes a cylinder that a failed movement did not reach. Nothing would end repeated
  // attempts.
  if (seek->cylinder == cylinder) return;
  if (seek_start(seek, cylinder, seek->head, false, false) != STATUS_BUSY) return;
  media->request = (struct media_request){.operation = FORMATTER_READ,
                                          .task = MEDIA_NO_TASK,
                                          .detour = MEDIA_NO_DETOUR,
                                          .purpose = MEDIA_FOR_DRIVE};
  media->blocks_done = 0;
  media->run_count = 0;
  media->run_done = 0;
  ++media->step;
  media->aborted = false;
  media->recovers = false;
  forget_recovered(media);
  media->aim = MEDIA_PARKS;
  media->state = MEDIA_SEEKING;
}

enum media_outcome media_on_seek(struct media* media, uint32_t results) {
  if (!media_is_seeking(media)) return MEDIA_NOTHING;
  if ((results & SEEK_RESULT_FAILED) != 0) return recover_movement(media);
  if ((results & SEEK_RESULT_ARRIVED) == 0) return MEDIA_NOTHING;
  if (is_given_up(media) || only_moves(media)) return end(media, STATUS_OK);
  return media->state == MEDIA_SEEKING ? begin_run(media) : position(media, false);
}

enum media_outcome media_on_alarm(struct media* media) {
  if (media->state != MEDIA_PREPARING) return media_on_buffer(media);
  return timer_hal_now() < media->held_until ? MEDIA_NOTHING : set_out(media);
}

enum media_outcome media_on_buffer(struct media* media) {
  if (!media_waits(media)) return MEDIA_NOTHING;
  const enum media_outcome outcome = begin_run(media);
  if (outcome == MEDIA_RUN_STARTED) buffer_mgr_hal_enable(BUFFER_EVENT_DISK_SECTOR);
  return outcome;
}

// ----------------------------------------------------------------------------------- end a run

/// Errors that are the sector's own, and not those of the search for it.
static bool is_defect(uint32_t errors) {
  const bool damaged = (errors & (FORMATTER_ERROR_HEADER | FORMATTER_ERROR_NO_SYNC)) != 0;
  return (errors & FORMATTER_ERROR_CHECK) != 0 ||
         (damaged && (errors & FORMATTER_ERROR_NOT_FOUND) != 0);
}

/// The errors that an attempt shows of the sector itself. An attempt on another track shows none.
static uint32_t errors_of_sector(uint32_t errors) {
  if ((errors & FORMATTER_ERROR_OTHER_TRACK) == 0) return errors;
  return errors & ~(uint32_t)(FORMATTER_ERROR_HEADER | FORMATTER_ERROR_NO_SYNC);
}

/// Counts the block after those done: it was recovered after failed attempts.
static void note_recovered(struct media* media) {
  const bool moves = media->request.operation == FORMATTER_READ && may(media, MEDIA_REALLOCATES) &&
                     is_defect(media->retry_errors);
  media->retry_errors = 0;
  if (media->request.purpose == MEDIA_FOR_HOST) {
    ++media->counters[media->request.operation].recovered;
  }
  if (moves) {
    media->relocation.step = RELOCATION_WANTED;
    media->relocation.block = media->request.lba + media->blocks_done;
  }
  if (!may(media, MEDIA_REPORTS)) return;
  media->recovered_lba = media->request.lba + media->blocks_done;
  media->recovered = moves             ? STATUS_READ_MOVED
                     : is_write(media) ? STATUS_WRITE_RECOVERED
                                       : STATUS_READ_RECOVERED;
  media->stops = may(media, MEDIA_STOPS) && !is_write(media);
}

/// Notes that the run has come to blocks of its request. From here on sectors are reported where
/// that is needed; free blocks are not.
static void note_first_sector(struct media* media) {
  media->first_sector_seen = true;
  trace_port_hal_event(TRACE_FIRST_SECTOR, media->request.task);
  const bool reports_more = (media->request.operation == FORMATTER_READ && !media->reports_half) ||
                            media->request.purpose == MEDIA_TO_FORMAT;
  if (!reports_more) {
    report_sectors(media, false);
  } else if (media->run_free != 0 && !media_is_served(media)) {
    report_sectors(media, true);
  }
}

/// Counts `done` sectors of the run as done.
static void count_of_run(struct media* media, uint32_t done) {
  const uint32_t more = done - media->run_done;
  ASSERT(done <= media->run_count && done >= media->run_done);
  if (more == 0) return;
  if (media->retry_errors != 0) note_recovered(media);
  if (media->request.purpose == MEDIA_TO_FORMAT) {
    buffer_mgr_hal_produce(media->request.ring, more);
  } else if (media->request.purpose == MEDIA_FOR_HOST) {
    media->counters[media->request.operation].blocks += more;
  }
  media->run_done = done;
  media->blocks_done += more;
  media->recovers = false;
  media->retries_left = media->retries[media->request.operation];
  if (!media->first_sector_seen) note_first_sector(media);
}

/// Whether the last requested block is done, read-ahead follows, and this has not been reported
/// yet.
static bool has_just_served(const struct media* media) {
  if (media_is_served(media) || media->request.ahead == 0) return false;
  if (media->relocation.step != RELOCATION_NONE) return false;  // It is served after the move.
  return media->blocks_done >= media->request.block_count && !media->aborted;
}

/// Counts sectors that the formatter has done since the last count, and follows it to the next run.
/// Before that, tasks that wait for blocks of this run are informed.
static void count_done(struct media* media) {
  const struct formatter_progress progress = formatter_hal_progress();
  if (media->free_left != 0) {
    const bool goes_on = progress.runs != media->chained_runs;
    if (!free_blocks_count(media, goes_on ? media->free_blocks : progress.done)) return;
  }
  if (progress.runs != media->chained_runs) {
    count_of_run(media, media->run_count);
    if (has_just_served(media)) return;
    enter_next_run(media);
  }
  count_of_run(media, progress.done - media->chained_sectors);
}

uint32_t media_count_blocks(struct media* media) {
  if (media->state == MEDIA_TRANSFERRING && !relocation_is_active(media)) count_done(media);
  return media->blocks_done;
}

/// Whether the last requested block has just come, and read-ahead follows. True once; reports it.
static bool is_just_served(struct media* media) {
  if (!has_just_served(media)) return false;
  media->aim = MEDIA_READS_AHEAD;
  trace_port_hal_event(TRACE_READ_AHEAD, media->run_free + media->request.block_count -
                                             media_blocks_before_run(media));
  trace_port_hal_event(TRACE_MEDIA_DONE, media->request.task & 0xFFFFU);
  media->request.task = MEDIA_NO_TASK;
  report_sectors(media, false);
  return true;
}

/// Counts the sectors of a formatter that has stopped, and stops the disk channel. @return whether
/// the request was served by that, and read-ahead would follow.
static bool close_run(struct media* media) {
  count_done(media);
  const bool served = is_just_served(media);
  if (served) count_done(media);
  trace_port_hal_event(TRACE_RUN_DONE, media->run_free + media->run_done - media->free_left);
  buffer_mgr_hal_stop_disk();
  return served;
}

/// Ends the free blocks: the first requested block has come, or the share has. Sectors that were
/// not reported are counted here, and their event is dropped.
static RARE enum media_outcome end_free_blocks(struct media* media) {
  formatter_hal_forget(FORMATTER_EVENT_SECTOR);
  (void)media_count_blocks(media);
  return is_just_served(media) ? MEDIA_SERVED : MEDIA_NOTHING;
}

enum media_outcome media_on_half(struct media* media) {
  if (media->run_free != 0 && !media->reports_sectors) return end_free_blocks(media);
  (void)media_count_blocks(media);
  return MEDIA_NOTHING;
}

/// More may be read than was planned: the formatter goes on after a run that was to be the last.
static void go_past_plan(struct media* media) {
  ASSERT(!relocation_is_active(media));  // A block moves before its request is served.
  if (media->state == MEDIA_TRANSFERRING && media->next_count == 0) name_next_run(media);
}

void media_extend(struct media* media, uint32_t task, uint32_t block_count, uint32_t ahead) {
  ASSERT(media_reads_ahead(media) && block_count > media->blocks_done);
  const uint32_t planned = media_blocks_planned(media);
  media->request.task = task;
  media->request.recovery = media->recovery[media->request.operation];
  media->request.block_count = block_count;
  // A run that is under way may go as far as was planned, though page 08h allows less by now.
  media->request.ahead = block_count + ahead < planned ? planned - block_count : ahead;
  media->aim = MEDIA_SERVES;
  forget_recovered(media);
  if (media->state == MEDIA_TRANSFERRING) report_sectors(media, true);
  go_past_plan(media);
}

void media_extend_ahead(struct media* media, uint32_t blocks) {
  ASSERT(media_reads_ahead(media) && blocks >= media_blocks_planned(media));
  media->request.ahead = blocks - media->request.block_count;
  go_past_plan(media);
}

/// The status of a request that fails for good with these errors. Of several, the first in the
/// table counts.
static enum status status_of_errors(uint32_t errors) {
  static const struct {
    uint16_t error;
    uint8_t status;
  } rows[] = {
      {FORMATTER_ERROR_OFF_TRACK, STATUS_OFF_TRACK},
      {FORMATTER_ERROR_WRITE_FAULT, STATUS_WRITE_FAULT},
      // Headers on the way matter only when the sector was not found.
      {FORMATTER_ERROR_CHECK, STATUS_DATA_DAMAGED},
      {FORMATTER_ERROR_OTHER_TRACK, STATUS_WRONG_TRACK},
      {MEDIA_ERROR_NO_END, STATUS_NO_INDEX},
      {FORMATTER_ERROR_NO_SYNC, STATUS_NO_SYNC},
      {FORMATTER_ERROR_HEADER, STATUS_HEADER_DAMAGED},
  };
  for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if ((errors & rows[i].error) != 0) return (enum status)rows[i].status;
  }
  return STATUS_SECTOR_NOT_FOUND;
}

/// Whether the attempt failed because of the buffer or the spindle. Such an attempt is not counted.
static bool is_not_counted(uint32_t errors) {
  if ((errors & (FORMATTER_ERROR_OVERRUN | FORMATTER_ERROR_UNDERRUN)) != 0) return true;
  return media_was_slow(errors);
}

/// Fails the request: more attempts have failed than are allowed.
static enum media_outcome give_up(struct media* media, uint32_t errors) {
  const enum status status = status_of_errors(errors);
  if (media->request.purpose != MEDIA_FOR_HOST) return end(media, status);
  const bool unfound =
      (errors & FORMATTER_ERROR_NOT_FOUND) != 0 && (errors & FORMATTER_ERROR_OTHER_TRACK) == 0;
  if (is_write(media) && unfound && may(media, MEDIA_REALLOCATES)) {
    return follow(media, relocation_begin_write(media));
  }
  ++media->counters[media->request.operation].unrecovered;
  if (status != STATUS_DATA_DAMAGED || media->request.operation != FORMATTER_READ) {
    return end(media, status);
  }
  if (may(media, MEDIA_TRANSFERS_BAD)) {
    media->brought_bad = true;
    buffer_mgr_hal_produce(media->request.ring, 1);
  }
  return end(media, may(media, MEDIA_REALLOCATES) ? STATUS_READ_NOT_MOVED : status);
}

static enum media_outcome recover(struct media* media, uint32_t errors) {
  // A sector with wrong check bytes is where it should be. With any other error the track may be
  // wrong.
  const bool again =
      (errors & (FORMATTER_ERROR_NOT_FOUND | FORMATTER_ERROR_OFF_TRACK | MEDIA_ERROR_NO_END)) != 0;
  if (media->free_left != 0) {
    free_blocks_drop(media);
    return position(media, again);
  }
  trace_retry(media, errors);
  if (media_is_served(media)) return end(media, status_of_errors(errors));
  if (is_not_counted(errors)) return position(media, false);
  const bool is_final = media->request.purpose == MEDIA_TO_CERTIFY && is_defect(errors);
  if (media->retries_left == 0 || is_final) return give_up(media, errors);
  --media->retries_left;
  media->recovers = true;
  media->retry_errors |= errors_of_sector(errors);
  if (media->request.purpose == MEDIA_FOR_HOST) {
    ++media->counters[media->request.operation].retries;
  }
  return position(media, again);
}

/// The place in the buffer of the block just read. Its data have not been overwritten yet.
static uint32_t last_byte_read(const struct media* media) {
  const struct media_request* request = &media->request;
  const uint32_t place = (request->ring_next + media->blocks_done - 1) % request->ring_sectors;
  return buffer_mgr_hal_first_byte(request->ring) + place * media->design->sector_bytes;
}

static enum media_outcome go_on(struct media* media, bool served) {
  if (blocks_left(media) == 0 || media->stops) return end(media, STATUS_OK);
  const enum media_outcome outcome = position(media, false);
  if (!served) return outcome;
  if (outcome != MEDIA_ENDED) return MEDIA_SERVED;
  media->status = STATUS_OK;  // The error concerns no task.
  return MEDIA_ENDED;
}

static enum media_outcome follow(struct media* media, enum relocation_next next) {
  switch (next) {
    case RELOCATION_WAITS: return MEDIA_NOTHING;
    case RELOCATION_SEEKS: return position(media, false);
    case RELOCATION_SEEKS_AGAIN: return position(media, true);
    case RELOCATION_OVER:
      if (media->aborted) return end(media, STATUS_ABORTED);
      return go_on(media, is_just_served(media));
    case RELOCATION_ENDS: return end(media, (enum status)media->relocation.status);
  }
  ASSERT_UNREACHABLE();
}

/// Ends a run whose sectors are all done.
static enum media_outcome end_run(struct media* media, bool served) {
  ASSERT(media->run_done == media->run_count);
  if (media->relocation.step == RELOCATION_WANTED) {
    return follow(media, relocation_begin(media, media->relocation.block, last_byte_read(media)));
  }
  return go_on(media, served);
}

/// Acts on a formatter that has stopped as requested.
static enum media_outcome end_stopped(struct media* media) {
  if (relocation_is_active(media)) {
    if (!is_given_up(media)) return follow(media, relocation_on_timeout(media));
    trace_port_hal_event(TRACE_RUN_DONE, 0);
    buffer_mgr_hal_stop_disk();
    return end(media, STATUS_ABORTED);
  }
  const bool served = close_run(media);
  if (media->aborted) return end(media, STATUS_ABORTED);
  ASSERT(media->state == MEDIA_GIVING_UP);
  if (media->run_done == media->run_count) return end_run(media, served);
  if (served) return end(media, STATUS_OK);
  return recover(media, formatter_hal_errors() | MEDIA_ERROR_NO_END);
}

enum media_outcome media_on_formatter(struct media* media, uint32_t events) {
  const bool stopped = (events & (FORMATTER_EVENT_DONE | FORMATTER_EVENT_ERROR)) != 0;
  // The end is from before the operation under way, whose abort came too late.
  if (stopped && formatter_hal_busy()) return MEDIA_NOTHING;
  if (media->state >= MEDIA_ABORTING) {
    return stopped ? end_stopped(media) : MEDIA_NOTHING;
  }
  if (media->state != MEDIA_TRANSFERRING) return MEDIA_NOTHING;
  if (relocation_is_active(media)) return follow(media, relocation_on_formatter(media, events));
  if ((events & FORMATTER_EVENT_ERROR) != 0) {
    if (close_run(media)) return end(media, STATUS_OK);
    return recover(media, formatter_hal_errors());
  }
  if ((events & FORMATTER_EVENT_DONE) != 0) {
    return end_run(media, close_run(media));
  }
  count_done(media);
  if (is_just_served(media)) {
    count_done(media);
    return MEDIA_SERVED;
  }
  if (!media->run_is_new) return MEDIA_NOTHING;
  media->run_is_new = false;
  return MEDIA_RUN_STARTED;
}

enum media_outcome media_on_timeout(struct media* media) {
  switch ((enum media_state)media->state) {
    case MEDIA_ON_DETOUR:
    case MEDIA_SEEKING: return media_on_seek(media, seek_on_timeout(media->seek));
    case MEDIA_TRANSFERRING:
      media->state = MEDIA_GIVING_UP;
      formatter_hal_abort();
      return MEDIA_NOTHING;
    case MEDIA_ABORTING:  // The end of the run is on the way.
    case MEDIA_GIVING_UP:
    case MEDIA_PREPARING:
    case MEDIA_WAITING:
    case MEDIA_HELD:
    case MEDIA_IDLE: return MEDIA_NOTHING;
    default: ASSERT_UNREACHABLE();
  }
}

enum media_outcome media_abort(struct media* media) {
  media->aborted = true;
  if (media->relocation.step == RELOCATION_RECORDS) return MEDIA_NOTHING;
  switch ((enum media_state)media->state) {
    case MEDIA_PREPARING: return end(media, STATUS_ABORTED);
    case MEDIA_WAITING:
    case MEDIA_HELD:
      buffer_mgr_hal_enable(BUFFER_EVENT_DISK_SECTOR);
      return end(media, STATUS_ABORTED);
    case MEDIA_TRANSFERRING:
      media->state = MEDIA_ABORTING;
      formatter_hal_abort();
      return MEDIA_NOTHING;
    case MEDIA_ON_DETOUR:
    case MEDIA_SEEKING:
    case MEDIA_ABORTING:
    case MEDIA_GIVING_UP: return MEDIA_NOTHING;
    case MEDIA_IDLE:
    default: ASSERT_UNREACHABLE();
  }
}

// ------------------------------------------------------------------------------ heads, for plans

struct head_state media_head_now(const struct media* media, time_tick now) {
  return (struct head_state){.at_tick = now,
                             .cylinder = media->seek->cylinder,
                             .head = media->seek->head,
                             .at_writer = media->seek->at_writer,
                             .angle_turn32 = rotation_angle_turn32(media->rotation, now)};
}

/// The angle from now to the end of the wanted blocks of the run under way; these take
/// `swept_turn32`. The formatter began that run by itself, so the firmware may learn of it late.
static uint32_t chained_to_go_turn24(const struct media* media, uint64_t swept_turn32,
                                     time_tick now) {
  const int32_t passed_turn32 =
      (int32_t)(rotation_angle_turn32(media->rotation, now) - media->chained_turn32);
  const int64_t to_go_turn32 = (int64_t)(media->chained_gap_turn32 + swept_turn32) - passed_turn32;
  return to_go_turn32 < 0 ? 0 : (uint32_t)(to_go_turn32 >> 8);
}

struct head_state media_head_when_free(const struct media* media, time_tick now) {
  ASSERT(media_is_last_run(media));
  const struct drive_design_zone* zone = &media->design->zones[media->run_place.zone];
  const uint64_t swept_turn32 =
      geometry_swept_turn32(zone, media->run_place.mark, media_wanted_of_run(media));
  const uint32_t start_turn32 = media->run_place.angle_turn32;
  // The wait is less than a turn, and the run may be, too. Both together may be more.
  const uint32_t wait_turn32 = start_turn32 - rotation_angle_turn32(media->rotation, now);
  const uint32_t to_go_turn24 = media->chained_runs > 0
                                    ? chained_to_go_turn24(media, swept_turn32, now)
                                    : (uint32_t)((wait_turn32 + swept_turn32) >> 8);
  return (struct head_state){.at_tick = now + rotation_ticks(media->rotation, to_go_turn24),
                             .cylinder = media->run_place.cylinder,
                             .head = media->run_place.head,
                             .at_writer = media->seek->at_writer,
                             .angle_turn32 = start_turn32 + (uint32_t)swept_turn32};
}
