// SPDX-License-Identifier: Apache-2.0
/// @file
/// The write buffer of k frames, and the threshold between its writes and all other tasks.
///
/// A buffered write is one that may be reported when its data are in the buffer. It takes a frame
/// for each `frame_blocks` of its blocks, or part of them, from then until the media have written
/// it. A write that finds too few frames waits without its data, and counts as negative free space.
///
/// The threshold decides at each choice whether a buffered write goes next:
///  - space: fewer than `below` frames are free, or nothing else waits.
///  - time: the buffer's deadline, now + (free + 1) / lambda, lies before that of every other task,
///    or nothing else waits. lambda: arrivals of buffered writes in a unit of time. A task without
///    a deadline is due after any.
///  - free: fewer than `below` frames are free. Otherwise buffered writes compete in the policy, as
///    best effort: data in the buffer meet their deadline.
/// (R. Abbott, H. Garcia-Molina: "Scheduling I/O Requests with Deadlines: A Performance
/// Evaluation", section 3: space and time.)
///
/// The thresholds `space` and `time` keep the candidates of buffered writes apart from the
/// policy's. The task set links them, and keeps the counts (task_set_buffer()).
#ifndef FIRMWARE_QUEUE_WRITE_BUFFER_H
#define FIRMWARE_QUEUE_WRITE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/candidate_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers are those of the vendor's mode page 22h.
enum write_threshold {
  WRITE_THRESHOLD_NONE = 0,
  WRITE_THRESHOLD_SPACE = 1,
  WRITE_THRESHOLD_TIME = 2,
  WRITE_THRESHOLD_FREE = 3,
};

/// Times are in units of 64 clock periods, as in struct candidate.
#define WRITE_BUFFER_SECOND 625000U

/// Limits of what a host may set: 0.01 to 10,000 writes a second, scaled by 0.001 to 10.
#define WRITE_BUFFER_RATE_LEAST_MILLI 10U
#define WRITE_BUFFER_RATE_MOST_MILLI 10000000U
#define WRITE_BUFFER_SCALE_MOST_MILLI 10000U
#define WRITE_BUFFER_SCALE_ONE_MILLI 1000U

/// Two arrivals that lie farther apart count as this far: 27 s. It is also the value before the
/// second arrival.
#define WRITE_BUFFER_GAP_MOST 0x1000000U
/// The weight of an arrival in the mean is one in 2^WRITE_BUFFER_MEAN_SHIFT.
#define WRITE_BUFFER_MEAN_SHIFT 4U

struct write_buffer_setup {
  enum write_threshold threshold;
  uint32_t below;         ///< Frames: `space` and `free` only.
  uint32_t rate_milli;    ///< Writes in 1,000 s; 0: the measured rate. `time` only.
  uint32_t scale_milli;   ///< Factor of 1 / lambda, in thousandths. `time` only.
  uint32_t frames;        ///< k
  uint32_t frame_blocks;  ///< 1 or more.
};

struct write_buffer {
  struct write_buffer_setup setup;
  uint32_t set_interval;          ///< 1 / lambda, scaled; 0: it follows from the mean gap between
                                  ///< arrivals.
  uint32_t wanted;                ///< Frames that buffered writes have or wait for.
  uint32_t held;                  ///< Frames that they have.
  uint32_t changes;               ///< Changes of the lists of writes; wraps. Each one ends a plan.
  uint32_t arrivals;              ///< Number of arrivals, counted up to 2.
  uint32_t last_arrival;          ///< Time of the last arrival.
  uint32_t mean_gap_16;           ///< 2^WRITE_BUFFER_MEAN_SHIFT times the mean gap.
  struct candidate_set reported;  ///< Reported writes: they may be chosen.
  struct candidate_set arriving;  ///< Writes whose data are still to come: they may be chosen, too.
};

/// Starts without a threshold and without writes.
void write_buffer_init(struct write_buffer* buffer, uint32_t band_shift);

/// Sets the threshold. No write is buffered.
void write_buffer_set(struct write_buffer* buffer, const struct write_buffer_setup* setup);

static inline bool write_buffer_is_in_force(const struct write_buffer* buffer) {
  return buffer->setup.threshold != WRITE_THRESHOLD_NONE;
}

/// Whether buffered writes have lists of their own.
static inline bool write_buffer_is_apart(const struct write_buffer* buffer) {
  return write_buffer_is_in_force(buffer) && buffer->setup.threshold != WRITE_THRESHOLD_FREE;
}

/// Frames for a write of so many blocks, at most all that exist.
uint32_t write_buffer_frames(const struct write_buffer* buffer, uint32_t blocks);

/// Frames that no write has or waits for; below 0: the number missing.
static inline int32_t write_buffer_free(const struct write_buffer* buffer) {
  return (int32_t)(buffer->setup.frames - buffer->wanted);
}

/// Counts a write's arrival in the mean gap. The mean is at first the gap between the first two,
/// then moves towards each gap by a 16th of the difference.
void write_buffer_count_arrival(struct write_buffer* buffer, uint32_t arrived_64ticks);

/// 1 / lambda, in units of 64 clock periods.
uint32_t write_buffer_interval(const struct write_buffer* buffer);

/// Other tasks that wait at the time of a choice.
struct write_rivals {
  bool wait;      ///< Other tasks wait.
  bool are_due;   ///< Some of them have deadlines.
  int32_t slack;  ///< Time to their earliest deadline, in units of 64 clock periods.
};

/// Whether the threshold requires a buffered write to go next, if one can.
bool write_buffer_goes_next(const struct write_buffer* buffer, const struct write_rivals* rivals);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_WRITE_BUFFER_H
