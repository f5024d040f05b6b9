// SPDX-License-Identifier: Apache-2.0
/// @file
/// Access time: how long from a given head state until the last sector of a request has passed.
///
///     access = margin + positioning + rotation + span
///
/// - positioning: the seek, or the head switch if that takes longer, and the settling that a write
///   needs. It lasts at least until a write's data could be in the buffer.
/// - rotation: from there to the first sector, never a whole turn.
/// - span: from the first sector's start to the last sector's end, with the movements between.
///
/// All are in turn24, 2^-24 revolutions: a wait is then one subtraction that wraps around, and a
/// price has 32 bits (256 revolutions).
///
/// The margin is the time that the firmware itself takes between choosing a task and moving the
/// arm. It decides whether a sector can still be caught. Within a request there is no margin: the
/// formatter continues by itself from run to run (formatter_hal.h). A change of track costs only
/// mechanical time. Margin 0 models a firmware that takes no time: a search of the scheduler takes
/// none then, either.
///
/// Accuracy, with margin 0 and an exact head state and speed, against mechanics with that speed: a
/// prediction is never late. It is early by at most PREDICTOR_EARLY_TURN24, since every step rounds
/// down. One case is worse: a sector begins within that angle before the heads are settled. The
/// mechanics then miss the sector, and the prediction is early by one revolution.
/// tests/firmware/test_predictor.cpp checks this on the drives that exist.
#ifndef FIRMWARE_MOTION_PREDICTOR_H
#define FIRMWARE_MOTION_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/status.h"
#include "firmware/kernel/time.h"
#include "firmware/motion/block_map.h"
#include "firmware/motion/candidate.h"
#include "firmware/motion/geometry.h"
#include "firmware/motion/rotation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rounding error of one movement and one wait, turn24: below 5 ns at 3,600 rpm.
#define PREDICTOR_EARLY_TURN24 4U

/// The longest span that is reported, 128 revolutions. At such a length the order of candidates
/// does not matter.
#define PREDICTOR_SPAN_MAX_TURN24 0x80000000U

/// Where the heads are, and when they are free to move.
struct head_state {
  time_tick at_tick;  ///< The time at which this state holds.
  uint32_t cylinder;
  uint32_t head;
  uint32_t angle_turn32;  ///< Angle under the heads at that moment.
  time_tick data_tick;    ///< When data requested now could be in the buffer; 0: at any time.
  bool at_writer;         ///< The writing element is over the track (struct seek).
};

struct predictor {
  const struct drive_design* design;
  const struct rotation* rotation;
  struct block_map* map;  ///< NULL: every block is where the design puts it.
  uint32_t margin_tick;   ///< Time from the choice of a task until its arm moves.
  uint32_t access_tick;   ///< Part of it that the controller takes (struct mode_controller). The
                          ///< rest is the firmware's; 0: its work takes no time.
};

/// The firmware's part of the margin.
static inline uint32_t predictor_firmware_tick(const struct predictor* predictor) {
  return predictor->margin_tick - predictor->access_tick;
}

/// Everything that the inner loop of a policy needs, in the loop's units.
struct pricing {
  const uint32_t* seek_part;        ///< Seek times by distance, 1/512 tick.
  const uint32_t* seek_floor_part;  ///< Seek floors by distance in bands, 1/512 tick.
  uint32_t turn24_per_part;         ///< Turn24 in 1/512 tick, times 2^32.
  uint32_t head_switch_part;
  uint32_t write_settle_part;
  uint32_t write_offset_part;
  uint32_t offset_part[2];  ///< Least movement to a read, and to a write.
  uint32_t cylinder;
  uint32_t head;
  uint32_t start_turn32;      ///< Angle under the heads at the end of the margin.
  uint32_t wait_mask_turn24;  ///< 2^24 - 1, or 0 where waits do not follow the angle.
  uint32_t wait_mean_turn24;  ///< 0, or half a turn.
  uint32_t margin_turn24;
  uint32_t data_turn24;  ///< Time from the end of the margin until data could be in the buffer.
};

/// `map` is NULL until the owner sets it.
void predictor_init(struct predictor* predictor, const struct drive_design* design,
                    const struct rotation* rotation, uint32_t margin_tick);

/// Prepares for pricing any number of candidates from one head state.
void predictor_begin(const struct predictor* predictor, const struct head_state* head,
                     struct pricing* pricing);

/// Every wait counts as half a turn from here on: the mean that a scheduler without rotational
/// knowledge expects.
static inline void pricing_expect_half_turns(struct pricing* pricing) {
  pricing->wait_mask_turn24 = 0;
  pricing->wait_mean_turn24 = 0x00800000U;  // A turn is 2^24.
}

/// The arm begins with one of a head's elements over a track: the next access may need the other.
static inline void pricing_set_element(struct pricing* pricing, bool at_writer) {
  pricing->offset_part[0] = at_writer ? pricing->write_offset_part : 0;
  pricing->offset_part[1] = at_writer ? 0 : pricing->write_offset_part;
}

/// The same on the heads' own cylinder.
static inline uint32_t pricing_same_cylinder_part(const struct pricing* pricing, uint32_t head,
                                                  uint32_t is_write) {
  const uint32_t offset_part = pricing->offset_part[is_write != 0];
  if (head == pricing->head) return offset_part;
  const uint32_t switch_part = pricing->head_switch_part;
  const uint32_t part = switch_part < offset_part ? offset_part : switch_part;
  return is_write ? part + pricing->write_settle_part : part;
}

/// Time until a track can be used, 1/512 tick: 0 if the heads are there. No seek is shorter than
/// the movement from one element to the other.
static inline uint32_t pricing_positioning_part(const struct pricing* pricing, uint32_t cylinder,
                                                uint32_t head, uint32_t is_write) {
  const uint32_t distance = distance_u32(cylinder, pricing->cylinder);
  if (distance == 0) return pricing_same_cylinder_part(pricing, head, is_write);
  uint32_t part = pricing->seek_part[distance];
  if (head != pricing->head && part < pricing->head_switch_part) part = pricing->head_switch_part;
  if (!is_write) return part;
  return part + pricing->write_settle_part;
}

/// Lower bound of the access time, turn24, to any band at this distance or farther.
static inline uint32_t pricing_floor_turn24(const struct pricing* pricing, uint32_t band_distance) {
  return multiply_high(pricing->seek_floor_part[band_distance], pricing->turn24_per_part);
}

/// Access time of a candidate, turn24, without the margin, which is equal for all.
static inline uint32_t pricing_access_turn24(const struct pricing* pricing,
                                             const struct candidate* candidate) {
  const uint32_t kind = candidate->kind;
  const uint32_t part =
      pricing_positioning_part(pricing, candidate->cylinder, candidate->head, kind);
  uint32_t move_turn24 = multiply_high(part, pricing->turn24_per_part);
  if (kind == CANDIDATE_WRITE_TO_FETCH && move_turn24 < pricing->data_turn24) {
    move_turn24 = pricing->data_turn24;
  }
  const uint32_t ready_turn32 = pricing->start_turn32 + (move_turn24 << 8);
  const uint32_t wait_turn24 = (candidate->angle_turn32 - ready_turn32) >> 8;
  return move_turn24 + (wait_turn24 & pricing->wait_mask_turn24) + pricing->wait_mean_turn24 +
         candidate->span_turn24;
}

/// A mean seek and half a turn, 1/512 tick: the cost of a short transfer under `fcfs`.
uint32_t predictor_mean_access_part(const struct drive_design* design);

/// Computes where a range of blocks begins and ends, and its span.
///
/// @param[out] candidate  All but its links; written only on STATUS_OK.
/// @return STATUS_OK, or STATUS_LBA_RANGE when a block does not exist. `block_count` is 1 or more.
MUST_USE enum status predictor_place(const struct predictor* predictor, uint32_t lba,
                                     uint32_t block_count, bool is_write,
                                     struct candidate* candidate);

/// Works out the place of block `lba` while the media are busy: they are planned to go there next.
static inline void predictor_expect(const struct predictor* predictor, uint32_t lba) {
  if (predictor->map != NULL) block_map_expect(predictor->map, lba);
}

/// The gap between two runs of sectors of a request: the movement to the next run and the wait for
/// it, turn32. The run on the track of `from` ends at `end_turn32`.
uint64_t predictor_gap_turn32(const struct predictor* predictor, const struct place* from,
                              uint32_t end_turn32, const struct place* next, bool is_write);

/// The head state after a movement to another cylinder, margin included, without a transfer.
struct head_state predictor_move(const struct predictor* predictor, const struct head_state* head,
                                 uint32_t cylinder);

/// Ticks until the arm is on the track of a candidate, without the margin.
uint32_t predictor_arrival_ticks(const struct predictor* predictor, const struct head_state* head,
                                 const struct candidate* candidate);

/// When the last sector of a candidate will have passed, margin included.
time_tick predictor_access_end(const struct predictor* predictor, const struct head_state* head,
                               const struct candidate* candidate);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_PREDICTOR_H
