// SPDX-License-Identifier: Apache-2.0
/// @file
/// The angle under the heads at any time, from the index pulses that the servo captures.
///
/// angle(t) = (t - anchor) * speed, with the anchor at an index pulse. The speed is at first that
/// of the design, and then measured: turns between two index pulses over the ticks between them. It
/// is measured after ROTATION_TURNS_MIN turns, and again whenever the number of turns has doubled.
/// A pulse is known to one tick, so after n turns of T ticks the speed is known to 1 / (n T). After
/// eight turns of 6 ms, that is half a millionth.
///
/// Pulses need not be captured all the time. Between captures the angle is extrapolated from the
/// last anchor, and the speed known so far gives the number of turns that passed. At least
/// ROTATION_TURNS_MIN turns must therefore be captured in a row first: rotation_is_measured().
#ifndef FIRMWARE_MOTION_ROTATION_H
#define FIRMWARE_MOTION_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fewest turns over which a speed is measured.
#define ROTATION_TURNS_MIN 8U

/// When the last index pulse is older than this, another one is captured. Eight turns of 6 ms give
/// the speed to half a millionth: 50 ms later the angle is off by a tick.
#define ROTATION_INDEX_TICKS (50U * TIME_TICKS_PER_MILLISECOND)

struct rotation {
  time_tick anchor_tick;        ///< Time of the last captured index pulse.
  uint64_t speed;               ///< turn32 per tick, 32 bits and 32 bits of fraction.
  uint32_t period_tick64;       ///< One revolution, in 1/64 tick.
  uint32_t turn24_per_part;     ///< turn24 per 1/512 tick, times 2^32.
  time_tick baseline_tick;      ///< First pulse of the measurement under way.
  uint32_t next_measure_turns;  ///< Turns since the baseline at which the speed is measured next.
  bool has_baseline;
  bool measured;
  bool index_is_due;  ///< The next pulse must be captured: the speed is not measured yet, or the
                      ///< last pulse is older than ROTATION_INDEX_TICKS.
};

/// Starts with the design's speed, and angle 0 at time 0. No pulse is requested.
void rotation_init(struct rotation* rotation, const struct drive_design* design);

/// Discards the measurement, keeps the speed, and requests pulses, after the spindle was stopped.
void rotation_restart(struct rotation* rotation);

/// Takes an index pulse that passed at `tick`.
void rotation_index(struct rotation* rotation, time_tick tick);

/// Whether the speed was measured since the start, and is not just that of the design.
bool rotation_is_measured(const struct rotation* rotation);

/// Requests a pulse if the last one is too old at time `now`.
static inline void rotation_check_age(struct rotation* rotation, time_tick now) {
  if (now - rotation->anchor_tick >= ROTATION_INDEX_TICKS) rotation->index_is_due = true;
}

/// The angle under the heads at `tick`, which may be past; rounded down.
uint32_t rotation_angle_turn32(const struct rotation* rotation, time_tick tick);

/// How long the platter takes over an angle, rounded down to a tick.
uint32_t rotation_ticks(const struct rotation* rotation, uint32_t turn24);

/// The angle that passes within `tick` ticks, rounded down; at most 256 turns.
uint32_t rotation_turn24(const struct rotation* rotation, uint32_t tick);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_ROTATION_H
