/// @file
/// Which angle is under the heads at what time, from the index pulses that the servo captures.
///
/// angle(t) = (t - anchor) * speed, with the anchor at an index pulse. The speed starts as the
/// design's and is then measured: turns between two index pulses over the ticks between them,
/// each time the number of turns has doubled, from ROTATION_TURNS_MIN on. A pulse is known to one
/// tick, so after n turns of T ticks the speed is known to 1 / (n T): half a millionth after eight
/// turns of 6 ms.
///
/// Pulses need not be captured all the time: between captures the angle is carried on from the
/// last anchor, and the turns that passed unseen are counted by the speed known so far. So at least
/// ROTATION_TURNS_MIN turns in a row come first: rotation_is_measured().
#ifndef FIRMWARE_MOTION_ROTATION_H
#define FIRMWARE_MOTION_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fewest turns that a measured speed is taken from.
#define ROTATION_TURNS_MIN 8U

/// The angle is taken anew from an index pulse when the last one is older. Eight turns of 6 ms tell
/// the speed to half a millionth: 50 ms later the angle is off by a tick.
#define ROTATION_INDEX_TICKS (50U * TIME_TICKS_PER_MILLISECOND)

struct rotation {
  time_tick anchor_tick;        ///< An index passed then.
  uint64_t speed;               ///< turn32 per tick, 32 bits and 32 bits of fraction.
  uint32_t period_tick64;       ///< One revolution, in 1/64 tick.
  uint32_t turn24_per_part;     ///< turn24 per 1/512 tick, times 2^32.
  time_tick baseline_tick;      ///< First pulse of the measurement under way.
  uint32_t next_measure_turns;  ///< Turns since the baseline at which the speed is taken next.
  bool has_baseline;
  bool measured;
  bool index_is_due;  ///< The next pulse is wanted: the speed is not measured yet, or the last one
                      ///< is older than ROTATION_INDEX_TICKS.
};

/// The design's speed, angle 0 at time 0. No pulse is wanted.
void rotation_init(struct rotation* rotation, const struct drive_design* design);

/// Forgets the measurement, keeps the speed: the spindle was stopped. Pulses are wanted.
void rotation_restart(struct rotation* rotation);

/// An index pulse passed at `tick`.
void rotation_index(struct rotation* rotation, time_tick tick);

/// Whether the speed is measured, and no longer the design's.
bool rotation_is_measured(const struct rotation* rotation);

/// It is `now`: is the last pulse too old?
static inline void rotation_check_age(struct rotation* rotation, time_tick now) {
  if (now - rotation->anchor_tick >= ROTATION_INDEX_TICKS) rotation->index_is_due = true;
}

/// The angle under the heads, rounded down. Any time, past ones too.
uint32_t rotation_angle_turn32(const struct rotation* rotation, time_tick tick);

/// How long the platter takes over an angle, rounded down to a tick.
uint32_t rotation_ticks(const struct rotation* rotation, uint32_t turn24);

/// The angle that passes within `tick` ticks, rounded down; at most 256 turns.
uint32_t rotation_turn24(const struct rotation* rotation, uint32_t tick);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_ROTATION_H
