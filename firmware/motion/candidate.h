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
};

/// Whether `a` arrived before `b`: what every tie is decided by.
static inline bool candidate_is_older(const struct candidate* a, const struct candidate* b) {
  return (int32_t)(a->sequence - b->sequence) < 0;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_CANDIDATE_H
