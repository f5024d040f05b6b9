// SPDX-License-Identifier: Apache-2.0
#include "firmware/motion/rotation.h"

#include "firmware/kernel/arithmetic.h"

/// A baseline this long is replaced: it keeps (remainder << 32) within 64 bits.
#define BASELINE_TICKS_MAX 0x80000000U

/// Derives the factors of the inner loops.
static void set_speed(struct rotation* rotation, uint64_t speed) {
  rotation->speed = speed;
  // One revolution is 2^32 turn32: 2^64 / speed ticks, here times 64; 60 rpm give 2^31.3.
  rotation->period_tick64 = (uint32_t)(UINT64_MAX / (speed >> 6));
  // turn24 is turn32 / 2^8, a part is a tick / 2^9: 2^17 in all.
  rotation->turn24_per_part = (uint32_t)(speed >> 17);
}

void rotation_init(struct rotation* rotation, const struct drive_design* design) {
  *rotation = (struct rotation){.anchor_tick = 0};
  set_speed(rotation, (uint64_t)design->turn32_per_tick_high << 32 | design->turn32_per_tick_low);
}

void rotation_restart(struct rotation* rotation) {
  rotation->has_baseline = false;
  rotation->measured = false;
  rotation->index_is_due = true;
}

bool rotation_is_measured(const struct rotation* rotation) { return rotation->measured; }

static void begin_baseline(struct rotation* rotation, time_tick tick) {
  rotation->baseline_tick = tick;
  rotation->next_measure_turns = ROTATION_TURNS_MIN;
  rotation->has_baseline = true;
}

/// The whole number of turns nearest to the angle that passes in `ticks`, below 2^31, at the speed
/// known so far.
static uint32_t nearest_turns(const struct rotation* rotation, uint32_t ticks) {
  const uint64_t angle_turn32 = (uint64_t)ticks * (uint32_t)(rotation->speed >> 32) +
                                multiply_high(ticks, (uint32_t)rotation->speed);
  return (uint32_t)((angle_turn32 + 0x80000000U) >> 32);
}

/// Measures the speed over ever more turns.
static void measure(struct rotation* rotation, time_tick tick) {
  if (!rotation->has_baseline || tick - rotation->baseline_tick >= BASELINE_TICKS_MAX) {
    begin_baseline(rotation, tick);
    return;
  }
  const uint32_t turns = nearest_turns(rotation, (uint32_t)(tick - rotation->baseline_tick));
  if (turns < rotation->next_measure_turns) return;
  // turns * 2^64 / ticks, a word at a time: turns < 2^31 and ticks < 2^31.
  const uint64_t ticks = tick - rotation->baseline_tick;
  const uint64_t whole = ((uint64_t)turns << 32) / ticks;
  const uint64_t rest = ((uint64_t)turns << 32) % ticks;
  set_speed(rotation, whole << 32 | (rest << 32) / ticks);
  rotation->next_measure_turns = 2 * turns;
  rotation->measured = true;
}

void rotation_index(struct rotation* rotation, time_tick tick) {
  rotation->anchor_tick = tick;
  measure(rotation, tick);
  rotation->index_is_due = !rotation->measured;
}

uint32_t rotation_angle_turn32(const struct rotation* rotation, time_tick tick) {
  // (since * speed) >> 32, low word, by 32-bit products. A past time is a negative `since`, and
  // wraps to the right angle.
  const uint64_t since = tick - rotation->anchor_tick;
  const uint32_t since_low = (uint32_t)since;
  const uint32_t speed_low = (uint32_t)rotation->speed;
  const uint32_t speed_high = (uint32_t)(rotation->speed >> 32);
  return since_low * speed_high + multiply_high(since_low, speed_low) +
         (uint32_t)(since >> 32) * speed_low;
}

uint32_t rotation_ticks(const struct rotation* rotation, uint32_t turn24) {
  return (uint32_t)(((uint64_t)turn24 * rotation->period_tick64) >> 30);
}

uint32_t rotation_turn24(const struct rotation* rotation, uint32_t tick) {
  return (uint32_t)((uint64_t)tick * rotation->turn24_per_part >> (32 - 9));
}
