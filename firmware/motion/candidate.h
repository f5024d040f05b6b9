// SPDX-License-Identifier: Apache-2.0
/// @file
/// A candidate: the part of a waiting task that a scheduling policy uses.
///
/// A task embeds its candidate (member `candidate` of struct task), so that its owner can find the
/// task of a candidate. The place on the media is computed once, when the task arrives. Pricing a
/// candidate then needs no division, and no table but the seek curve.
///
/// Candidates that wait are in a struct candidate_set (candidate_set.h).
#ifndef FIRMWARE_MOTION_CANDIDATE_H
#define FIRMWARE_MOTION_CANDIDATE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What an access needs besides its place. The inner loop of a search compares this byte with 0 and
/// 2, which is fastest.
enum candidate_kind {
  CANDIDATE_READ,
  CANDIDATE_WRITE,           ///< A write: needs settling for writing.
  CANDIDATE_WRITE_TO_FETCH,  ///< A write whose data are still in the host.
};

/// Whether the host set a deadline.
enum candidate_class {
  CANDIDATE_BEST_EFFORT,  ///< No deadline: counts as due infinitely late.
  CANDIDATE_REAL_TIME,
};

/// Farthest deadline from now, in 64 ticks: 28 minutes. Two deadlines then compare by difference
/// until one of them is 28 minutes past.
#define CANDIDATE_SLACK_MAX_64TICKS 0x3FFFFFFFU

/// Units: angle in 2^-32 revolutions after the index; span in 2^-24 revolutions.
/// Owner of the links: struct candidate_set, while the candidate is in one.
struct candidate {
  struct candidate* next;        ///< Younger neighbour, or NULL.
  struct candidate* previous;    ///< Older neighbour, or NULL.
  struct candidate* band_next;   ///< Another candidate of the same band, or NULL.
  struct candidate** band_link;  ///< The pointer of the band's list that points here.
  uint32_t angle_turn32;         ///< Where the first sector starts.
  uint32_t span_turn24;          ///< Angle from the first sector's start to the last sector's end,
                                 ///< switches included.
  uint32_t sequence;             ///< Number of the arrival; wraps.
  uint32_t arrived_64ticks;   ///< Time at which the command was complete, in units of 64 SoC clock
                              ///< periods since power-on. It wraps in two hours: compare by
                              ///< difference.
  uint16_t cylinder;          ///< Cylinder of the first sector.
  uint8_t head;               ///< Head of the first sector.
  uint8_t kind;               ///< enum candidate_kind
  uint32_t deadline_64ticks;  ///< Latest end, in the unit of arrived_64ticks; real time only.
  uint8_t service_class;      ///< enum candidate_class
  uint8_t stream;             ///< Stream of the request: the initiator's id, unless the host
                              ///< names one.
  uint8_t priority;           ///< 0 .. 15; 1 is the highest (SAM-3 8.7), 0: none was given.
  uint8_t end_head;           ///< Head of the last sector.
  uint16_t end_cylinder;      ///< Cylinder of the last sector: the heads are there after the
                              ///< access.
  uint8_t announced;          ///< task_arrived() of the policy in force was called for it.
  uint8_t mark;               ///< The policy's own mark; 0 at first.
};

/// Whether `a` arrived before `b`. Every tie is decided so.
static inline bool candidate_is_older(const struct candidate* a, const struct candidate* b) {
  return (int32_t)(a->sequence - b->sequence) < 0;
}

static inline bool candidate_is_real_time(const struct candidate* candidate) {
  return candidate->service_class == CANDIDATE_REAL_TIME;
}

/// Time to the deadline of a real-time candidate, in 64 ticks: negative when the deadline is past.
static inline int32_t candidate_slack(const struct candidate* candidate, uint32_t now_64ticks) {
  return (int32_t)(candidate->deadline_64ticks - now_64ticks);
}

/// Whether `a` is due before `b`. Best effort is due after all real time. False for equal
/// deadlines.
static inline bool candidate_is_due_before(const struct candidate* a, const struct candidate* b) {
  if (!candidate_is_real_time(a)) return false;
  return !candidate_is_real_time(b) || candidate_slack(a, b->deadline_64ticks) < 0;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_CANDIDATE_H
