/// @file
/// A candidate: what a scheduling policy sees of a waiting task.
///
/// A task embeds one (member `candidate` of struct task), and its owner gets back from the one
/// to the other. When the task arrives, its place on the media is worked out once and kept here, so
/// that pricing a candidate needs no division and no table but the seek curve.
///
/// Those that wait are in a struct candidate_set (candidate_set.h).
#ifndef FIRMWARE_MOTION_CANDIDATE_H
#define FIRMWARE_MOTION_CANDIDATE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a candidate needs beside its place. A byte compared with 0 and with 2 is what the inner
/// loop of a search can do fastest.
enum candidate_kind {
  CANDIDATE_READ,
  CANDIDATE_WRITE,           ///< The settling that writing needs.
  CANDIDATE_WRITE_TO_FETCH,  ///< That, and its data, which is still the host's.
};

/// What the host wants of the drive's time.
enum candidate_class {
  CANDIDATE_BEST_EFFORT,  ///< No deadline: counts as infinitely late.
  CANDIDATE_REAL_TIME,
};

/// Farthest deadline, in 64 ticks ahead: 28 minutes. Any two deadlines then compare by difference
/// until one of them is 28 minutes past.
#define CANDIDATE_SLACK_MAX_64TICKS 0x3FFFFFFFU

/// Units: angle in 2^-32 revolutions after the index; span in 2^-24 revolutions.
/// Owner of the links: struct candidate_set, while the candidate is in one.
struct candidate {
  struct candidate* next;       ///< Younger neighbour, or NULL.
  struct candidate* previous;   ///< Older neighbour, or NULL.
  struct candidate* band_next;  ///< Another of the same band, or NULL.
  uint32_t angle_turn32;        ///< Where the first sector starts.
  uint32_t span_turn24;         ///< From there to the end of the last sector, switches included.
  uint32_t sequence;            ///< Number of its arrival; wraps.
  uint32_t arrived_64ticks;     ///< When the command was complete, in units of 64 SoC clock periods
                                ///< since power-on; compare by difference: it wraps in two hours.
  uint16_t cylinder;            ///< Of the first sector.
  uint8_t head;                 ///< Of the first sector.
  uint8_t kind;                 ///< enum candidate_kind
  uint32_t deadline_64ticks;    ///< Latest end, in the unit of arrived_64ticks; real time only.
  uint8_t service_class;        ///< enum candidate_class
  uint8_t stream;               ///< Whose it is: the initiator's id, unless the host says more.
  uint8_t priority;             ///< 0 .. 15; 0: none was given, 1 is the highest (SAM-3 8.7).
  uint8_t end_head;             ///< Of the last sector,
  uint16_t end_cylinder;        ///< where the heads are behind the access.
  uint8_t told;  ///< Whether the policy in force has heard of it (policy.h: task_arrived).
  uint8_t mark;  ///< The policy's own; 0 at first.
};

/// Whether `a` arrived before `b`: what every tie is decided by.
static inline bool candidate_is_older(const struct candidate* a, const struct candidate* b) {
  return (int32_t)(a->sequence - b->sequence) < 0;
}

static inline bool candidate_is_real_time(const struct candidate* candidate) {
  return candidate->service_class == CANDIDATE_REAL_TIME;
}

/// Time to the deadline of a real-time candidate, in 64 ticks: negative when it is past.
static inline int32_t candidate_slack(const struct candidate* candidate, uint32_t now_64ticks) {
  return (int32_t)(candidate->deadline_64ticks - now_64ticks);
}

/// Whether `a` is due before `b`: by deadline; best effort is due behind all real time, and ties
/// are not decided here.
static inline bool candidate_is_due_before(const struct candidate* a, const struct candidate* b) {
  if (!candidate_is_real_time(a)) return false;
  return !candidate_is_real_time(b) || candidate_slack(a, b->deadline_64ticks) < 0;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_CANDIDATE_H
