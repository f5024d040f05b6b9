// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_PREDICTOR
#include "firmware/motion/predictor.h"

#include "firmware/kernel/assert.h"
#include "firmware/motion/geometry.h"

#define TURN24_MASK 0x00FFFFFFU
#define HALF_TURN24 0x00800000U

void predictor_init(struct predictor* predictor, const struct drive_design* design,
                    const struct rotation* rotation, uint32_t margin_tick) {
  *predictor =
      (struct predictor){.design = design, .rotation = rotation, .margin_tick = margin_tick};
}

uint32_t predictor_mean_access_part(const struct drive_design* design) {
  const uint64_t turn32_per_tick =
      (uint64_t)design->turn32_per_tick_high << 32 | design->turn32_per_tick_low;
  const uint64_t half_turn_part = (1ULL << 63) / turn32_per_tick * DRIVE_DESIGN_TICK_PARTS;
  return design->mean_seek_part + (uint32_t)half_turn_part;
}

/// A second is more than any fetch, and less than the 256 turns that a turn24 can hold.
#define DATA_WAIT_MAX_TICKS (TIME_TICKS_PER_MILLISECOND * 1000U)

static uint32_t data_turn24(const struct predictor* predictor, const struct head_state* head) {
  const time_tick ready_tick = head->at_tick + predictor->margin_tick;
  if (head->data_tick <= ready_tick) return 0;
  const time_tick wait_tick = head->data_tick - ready_tick;
  return rotation_turn24(predictor->rotation, wait_tick < DATA_WAIT_MAX_TICKS
                                                  ? (uint32_t)wait_tick
                                                  : DATA_WAIT_MAX_TICKS);
}

void predictor_begin(const struct predictor* predictor, const struct head_state* head,
                     struct pricing* pricing) {
  const struct drive_design* design = predictor->design;
  const bool mean = design->mean_latency != 0;
  const uint32_t margin_turn24 = rotation_turn24(predictor->rotation, predictor->margin_tick);
  *pricing = (struct pricing){
      .seek_part = &design->pool[design->seek_table],
      .seek_floor_part = &design->pool[design->seek_floor_table],
      .turn24_per_part = predictor->rotation->turn24_per_part,
      .head_switch_part = design->head_switch_part,
      .write_settle_part = design->write_settle_part,
      .write_offset_part = design->write_offset_part,
      .cylinder = head->cylinder,
      .head = head->head,
      .start_turn32 = head->angle_turn32 + (margin_turn24 << 8),
      .wait_mask_turn24 = mean ? 0 : TURN24_MASK,
      .wait_mean_turn24 = mean ? HALF_TURN24 : 0,
      .margin_turn24 = margin_turn24,
      .data_turn24 = data_turn24(predictor, head),
  };
  pricing_set_element(pricing, head->at_writer);
}

uint64_t predictor_gap_turn32(const struct predictor* predictor, const struct place* from,
                              uint32_t end_turn32, const struct place* next, bool is_write) {
  const struct head_state head = {
      .cylinder = from->cylinder, .head = from->head, .at_writer = is_write};
  struct pricing pricing;
  predictor_begin(predictor, &head, &pricing);
  const uint32_t part =
      pricing_positioning_part(&pricing, next->cylinder, next->head, is_write ? 1 : 0);
  // The formatter goes on by itself to the run that the firmware has named: that takes no time
  // here.
  const uint64_t move_turn24 = multiply_high(part, pricing.turn24_per_part);
  if (pricing.wait_mean_turn24 != 0) return (move_turn24 + pricing.wait_mean_turn24) << 8;
  const uint32_t ready_turn32 = end_turn32 + (uint32_t)(move_turn24 << 8);
  return (move_turn24 << 8) + (next->angle_turn32 - ready_turn32);
}

static enum status locate(const struct predictor* predictor, uint32_t lba, struct place* at) {
  if (predictor->map != NULL) return block_map_locate(predictor->map, lba, at);
  return geometry_locate(predictor->design, lba, at);
}

/// The place of a block that exists: in the map, which keeps it, or in `own`.
static const struct place* look_up(const struct predictor* predictor, uint32_t lba,
                                   struct place* own) {
  if (predictor->map != NULL) return block_map_look_up(predictor->map, lba);
  const enum status located = geometry_locate(predictor->design, lba, own);
  ASSERT(located == STATUS_OK);
  return own;
}

/// Angle from the start of block `lba`, which lies at `begin`, to the end of the last block, on
/// whose track `end` is.
static uint32_t span_turn24(const struct predictor* predictor, const struct place* begin,
                            uint32_t lba, uint32_t block_count, bool is_write, struct place* end) {
  const struct drive_design* design = predictor->design;
  struct place at = *begin;
  uint64_t span_turn32 = 0;
  while (true) {
    const uint32_t count = block_count < at.contiguous_blocks ? block_count : at.contiguous_blocks;
    const uint64_t swept_turn32 = geometry_swept_turn32(&design->zones[at.zone], at.mark, count);
    span_turn32 += swept_turn32;
    block_count -= count;
    *end = at;
    if (block_count == 0) return (uint32_t)(span_turn32 >> 8);

    lba += count;
    const struct place from = at;
    const uint32_t end_turn32 = from.angle_turn32 + (uint32_t)swept_turn32;
    const enum status status = locate(predictor, lba, &at);
    ASSERT(status == STATUS_OK);
    span_turn32 += predictor_gap_turn32(predictor, &from, end_turn32, &at, is_write);
    if (span_turn32 >> 8 >= PREDICTOR_SPAN_MAX_TURN24) return PREDICTOR_SPAN_MAX_TURN24;
  }
}

enum status predictor_place(const struct predictor* predictor, uint32_t lba, uint32_t block_count,
                            bool is_write, struct candidate* candidate) {
  ASSERT(block_count > 0);
  const struct drive_design* design = predictor->design;
  const enum status range = geometry_check_range(design, lba, block_count);
  if (range != STATUS_OK) return range;
  struct place own;
  const struct place* begin = look_up(predictor, lba, &own);
  struct place end;
  candidate->angle_turn32 = begin->angle_turn32;
  candidate->cylinder = (uint16_t)begin->cylinder;
  candidate->head = (uint8_t)begin->head;
  candidate->span_turn24 = span_turn24(predictor, begin, lba, block_count, is_write, &end);
  candidate->end_cylinder = (uint16_t)end.cylinder;
  candidate->end_head = (uint8_t)end.head;
  candidate->kind = is_write ? CANDIDATE_WRITE_TO_FETCH : CANDIDATE_READ;
  return STATUS_OK;
}

struct head_state predictor_move(const struct predictor* predictor, const struct head_state* head,
                                 uint32_t cylinder) {
  const struct drive_design* design = predictor->design;
  const uint32_t distance = distance_u32(cylinder, head->cylinder);
  const uint32_t seek_part = design->pool[design->seek_table + distance];
  // The controller's part comes once in an access, and counts with the movement to its block.
  const uint32_t ticks = predictor_firmware_tick(predictor) + seek_part / DRIVE_DESIGN_TICK_PARTS;
  struct head_state there = *head;
  there.at_tick += ticks;
  there.angle_turn32 += rotation_turn24(predictor->rotation, ticks) << 8;
  there.cylinder = cylinder;
  there.at_writer = false;
  return there;
}

uint32_t predictor_arrival_ticks(const struct predictor* predictor, const struct head_state* head,
                                 const struct candidate* candidate) {
  struct pricing pricing;
  predictor_begin(predictor, head, &pricing);
  const uint32_t part =
      pricing_positioning_part(&pricing, candidate->cylinder, candidate->head, candidate->kind);
  return part / DRIVE_DESIGN_TICK_PARTS;
}

time_tick predictor_access_end(const struct predictor* predictor, const struct head_state* head,
                               const struct candidate* candidate) {
  struct pricing pricing;
  predictor_begin(predictor, head, &pricing);
  const uint32_t access_turn24 = pricing_access_turn24(&pricing, candidate);
  return head->at_tick + predictor->margin_tick +
         rotation_ticks(predictor->rotation, access_turn24);
}
