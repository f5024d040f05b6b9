// SPDX-License-Identifier: Apache-2.0
/// @file
/// The media side of a request: from the first seek to the last sector, track by track.
///
/// A request is cut into runs where its blocks stop being adjacent. That is at the end of a track
/// or cylinder, at a slipped or remapped sector, and where the buffer has no room. For each run the
/// heads go to its track, and the formatter works on it. The result moves the request on:
///
///     chained                   the formatter has begun the next run, which it was given during
///                               this one: only the heads have to move
///     done                      the next run, or the end
///     no room, no data in time  a revolution is lost; goes on where it stopped. Not counted.
///     the spindle lost its speed  waits for it, and goes on. Not counted.
///     sector not found          the track is sought again; counted
///     check bytes wrong         the sector is tried again; counted
///     write fault               the sector is written again; counted
///     off the track             the track is sought again; counted
///     a movement that failed    the track is sought again, after a recalibration if the arm
///                               never arrived; counted
///     a run without an end      given up (no index passes, which ends every search), and the track
///                               is sought again; counted
///
/// No movement and no run takes longer than `limit_ticks`: after that the caller must call
/// media_on_timeout().
///
/// A sector done clears the count. When more attempts than allowed fail, the request ends with the
/// status of the last and the block concerned.
///
/// Pages 01h and 07h (SCSI-2 9.3.3.6) may allow more. A block that was read after errors of its
/// own, or whose sector cannot be written at all, moves to a spare (relocation.h). Recovered errors
/// are reported (media_recovered()).
///
/// A read may go on after its last block as long as no other task wants the media, by `ahead`
/// blocks. They go into the same ring and, where they adjoin, the same run, because a new run costs
/// a revolution. When the blocks asked for are there the request is served. What follows belongs to
/// no task. media_abort() ends it at once, and media_extend() gives it to another task. An error in
/// it ends it without another attempt.
///
/// A run starts when the ring has room for a sector, or holds one to write. The bus is expected to
/// keep up from there. (A write may ask for more than one: `share_blocks`.) Starting is never worse
/// than waiting for more. A bus that is too slow costs a revolution, as waiting does, but some
/// sectors are done by then. Until then the request waits, on its track, for media_on_buffer().
#ifndef FIRMWARE_TRANSFER_MEDIA_H
#define FIRMWARE_TRANSFER_MEDIA_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/transfer/media_state.h"

#ifdef __cplusplus
extern "C" {
#endif

void media_init(struct media* media, struct defect_list* defects, struct defect_log* log,
                const struct predictor* predictor, struct seek* seek);

/// Turns off events of single sectors until this run ends.
void media_ignore_sectors(struct media* media);

/// Sets how many attempts may follow a first failed one.
void media_set_retries(struct media* media, enum formatter_operation operation, uint32_t retries);

/// Sets the enum media_recovery bits of tasks that begin later.
void media_set_recovery(struct media* media, enum formatter_operation operation, uint32_t bits);
/// The enum media_recovery bits of a task that begins at this moment.
static inline uint8_t media_recovery(const struct media* media,
                                     enum formatter_operation operation) {
  return media->recovery[operation];
}

static inline bool media_is_idle(const struct media* media) { return media->state == MEDIA_IDLE; }

/// Whether the heads are on track, and the run cannot begin yet.
static inline bool media_waits(const struct media* media) {
  return media->state == MEDIA_WAITING || media->state == MEDIA_HELD;
}

/// Whether the heads are on their way.
static inline bool media_is_seeking(const struct media* media) {
  return media->state == MEDIA_ON_DETOUR || media->state == MEDIA_SEEKING;
}

/// Whether no task waits for the media's work any more.
static inline bool media_is_served(const struct media* media) {
  return media->aim >= MEDIA_READS_AHEAD;
}

/// Whether the media work for no task (reading ahead or going to rest), and were not asked to end.
static inline bool media_reads_ahead(const struct media* media) {
  return media_is_served(media) && media->state != MEDIA_IDLE && !media->aborted;
}

/// Turns read-ahead under way into a read for `task`. The task waits for the request's first
/// `block_count` blocks, of which some are still missing. `ahead` blocks may follow.
void media_extend(struct media* media, uint32_t task, uint32_t block_count, uint32_t ahead);

/// Extends read-ahead under way to the request's block `blocks`, for no task.
void media_extend_ahead(struct media* media, uint32_t blocks);

/// Begins with `request` of struct media, which the caller has filled in. The media must be idle.
/// @return MEDIA_NOTHING (under way), MEDIA_RUN_STARTED or MEDIA_ENDED.
enum media_outcome media_start(struct media* media);

/// Moves the arm to a cylinder, for no task. media_reads_ahead() is true meanwhile, and MEDIA_ENDED
/// follows. Does nothing when the arm is there, or cannot move. The media must be idle.
void media_rest(struct media* media, uint32_t cylinder);

/// Acts on enum seek_result bits.
enum media_outcome media_on_seek(struct media* media, uint32_t results);

/// Acts on enum formatter_event bits.
enum media_outcome media_on_formatter(struct media* media, uint32_t events);

/// Whether a movement or a run is under way: struct media's `step` names it.
static inline bool media_is_in_step(const struct media* media) {
  return media->state >= MEDIA_ON_DETOUR;
}

/// Whether an attempt at the next block, or a movement to it, has failed and is repeated, or a
/// block moves to a spare. This stays true until the next block is done.
bool media_is_recovering(const struct media* media);

/// Acts on a movement or run that has been under way for limit_ticks or longer.
enum media_outcome media_on_timeout(struct media* media);

/// Acts on a move of data between the request's segment and the host.
enum media_outcome media_on_buffer(struct media* media);

/// Acts on the end of the request's access_ticks or hold_ticks; before it, nothing happens.
enum media_outcome media_on_alarm(struct media* media);

/// Acts on the event that media_share_of_run() sectors of the run are in the buffer.
enum media_outcome media_on_half(struct media* media);

/// Aborts the request. @return MEDIA_ENDED, or MEDIA_NOTHING when a sector or the arm is under way.
/// The end then follows as the outcome of a later event.
enum media_outcome media_abort(struct media* media);

/// Blocks of the request, in order, that were read into the buffer or written from it. Read-ahead
/// counts.
static inline uint32_t media_blocks_done(const struct media* media) { return media->blocks_done; }

/// The blocks asked for, and those that may follow.
static inline uint32_t media_blocks_planned(const struct media* media) {
  return media->request.block_count + media->request.ahead;
}

/// Number of blocks done so far, read from the formatter.
uint32_t media_count_blocks(struct media* media);

/// Status of the request that is over.
static inline enum status media_status(const struct media* media) {
  return (enum status)media->status;
}

/// The recovered error to report for the request: STATUS_OK for none. Otherwise it is that of the
/// last recovered block, whose number `lba` gets.
static inline enum status media_recovered(const struct media* media, uint32_t* lba) {
  *lba = media->recovered_lba;
  return (enum status)media->recovered;
}

/// Number of requested blocks in the run under way, done or not.
static inline uint32_t media_wanted_of_run(const struct media* media) {
  const uint32_t wanted = media->request.block_count - (media->blocks_done - media->run_done);
  return media->run_count < wanted ? media->run_count : wanted;
}

/// Number of the request's blocks before the run under way.
static inline uint32_t media_blocks_before_run(const struct media* media) {
  return media->blocks_done - media->run_done;
}

/// The number of sectors of the run, at least 1, after which the host may begin to take data. It
/// follows from the request's `share_blocks`. Without that, it is half of the wanted sectors, or
/// half of the ring if that is less. A number above the run's means that the host begins in a later
/// run.
static inline uint32_t media_share_of_run(const struct media* media) {
  const uint32_t share = media->request.share_blocks;
  const uint32_t before = media_blocks_before_run(media);
  if (share != 0) return share > before ? share - before : 1;
  const uint32_t wanted = media_wanted_of_run(media);
  const uint32_t room = media->request.ring_sectors;
  return ((wanted < room ? wanted : room) + 1) / 2;
}

/// Whether the request may end before all its data have moved, although its run goes well so far
/// (DTE, TB). Its end must not be promised then.
bool media_may_stop_short(const struct media* media);

/// Number of the request's blocks up to the end of the run under way.
static inline uint32_t media_blocks_with_run(const struct media* media) {
  return media_blocks_before_run(media) + media_wanted_of_run(media);
}

/// Whether the request is served with the run under way, if nothing fails.
static inline bool media_is_last_run(const struct media* media) {
  return media->state == MEDIA_TRANSFERRING && !media_is_served(media) &&
         media_blocks_with_run(media) == media->request.block_count;
}

/// State of the heads at time `now`: on the track of the last movement.
struct head_state media_head_now(const struct media* media, time_tick now);

/// Where and when the heads will be free, which is after the last requested block. The run has just
/// started, and must be the request's last.
struct head_state media_head_when_free(const struct media* media, time_tick now);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MEDIA_H
