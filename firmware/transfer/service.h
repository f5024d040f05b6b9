/// @file
/// Serving tasks: which is next, what the media do for it, and what then becomes of it.
///
/// One task at a time is at the media. While its last run is under way the next task is planned
/// (queue/scheduler.h); when the heads are free it begins. Between the two, and before:
///
///     enabled > chosen > at the media > its data to or from the host > its status > gone
///
/// A read that the cache serves (cache.h) goes from enabled to its data at once. While no task
/// waits the media may read ahead; the next task ends that.
///
/// A drive whose own controller was slow (page 21h) takes a time for each command before it does
/// anything about it, one command after another.
///
/// This is the core's side of firmware/scsi/scsi_core.h; the buffer's host side is in host_side.h.
#ifndef FIRMWARE_TRANSFER_SERVICE_H
#define FIRMWARE_TRANSFER_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/kernel/time.h"
#include "firmware/queue/task.h"
#include "firmware/queue/task_set.h"
#include "firmware/scsi/mode_page.h"
#include "firmware/transfer/media.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;

struct service {
  struct task* current;       ///< At the media, or waiting for the spindle; NULL: none.
  time_tick predicted_end;    ///< Of `current`, when it was chosen.
  uint32_t resumed_blocks;    ///< Of `current`, done before what the media do for it now.
  struct task* suspended;     ///< Taken from the media in the middle (bus_holder.h); NULL: none.
  uint32_t suspended_blocks;  ///< Of it, done.
  enum status recovered;      ///< Of it, by then: media_recovered(),
  uint32_t recovered_lba;     ///< and where.
  struct task* holder;        ///< Holds the bus while it waits (bus_holder.h); NULL: none.
  struct task* on_bus;        ///< Its data phase is under way; NULL: none.
  bool waiting_for_segment;   ///< The next task needs a segment, and none is free.
  bool kicking;               ///< service_kick() is at work: a kick from within it does nothing.
  bool wrote_last;            ///< The last command that came was a write.
  uint8_t part_ring;          ///< Of a hit's data phase under way, or SEGMENT_NO_RING.
  time_tick thinks_until;     ///< The controller is busy with commands; 0: it is not.
  time_tick room_until;       ///< Until then room is kept for a task that cannot disconnect.
  uint32_t turned_away_lba;   ///< Of that task: its blocks,
  uint32_t turned_away_blocks;
  bool turned_away_writes;  ///< and whether it writes them.
  struct mode_controller controller;
  struct alarm alarm;  ///< For service_on_alarm().
};

void service_init(struct drive* drive);

/// Hears from the task set which tasks may be chosen.
extern const struct task_set_listener service_listener;

/// Begins with the next task, if the heads are free and one waits. Again and again is no harm, also
/// from within what it calls.
void service_kick(struct drive* drive);

/// Takes `current` away from the media, and tells the command layer how it went.
void service_finish_current(struct drive* drive, enum status status, uint32_t lba);

/// Goes on with the suspended task. The media are idle.
void service_resume(struct drive* drive);

/// What the media made of an event.
void service_on_media(struct drive* drive, enum media_outcome outcome);

/// Takes an enabled task out of the queue: it need not be chosen.
///
/// @param announced  The scheduler has been told of it.
void service_take(struct drive* drive, struct task* task, bool announced);

/// The media are reading what the task waits for: it is theirs now.
void service_join(struct drive* drive, struct task* task);

/// The time that `alarm` was set for has come.
void service_on_alarm(struct drive* drive);

/// A waiting write's data have come to lie in the buffer.
void service_data_arrived(struct drive* drive, struct task* task);

/// The spindle is at speed, or at rest.
void service_on_spindle(struct drive* drive, uint32_t seek_results);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SERVICE_H
