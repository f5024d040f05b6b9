// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_GSCAN
/// The schedules of `gscan` when units change, end, or are served.
#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/assert.h"
#include "firmware/queue/gscan.h"

static struct gscan_list* current_list(struct gscan_schedules* schedules) {
  return &schedules->list[schedules->current];
}

/// A schedule that is being rewritten.
struct carried {
  uint8_t* sequence;
  uint32_t length;
  gscan_bits placed;  ///< Bit i: change.number[i] has been placed.
};

static void place_part(struct carried* carried, const struct gscan_change* change, uint32_t part) {
  carried->placed |= (gscan_bits)1 << part;
  carried->sequence[carried->length++] = change->number[part];
}

/// Position of the arm after the units written so far. Hops between units are known.
static uint32_t find_cylinder(const struct carried* carried, const struct gscan_units* units,
                              const struct gscan_start* start) {
  if (carried->length == 0) return start->cylinder;
  uint32_t number = carried->sequence[0];
  uint32_t stand = GSCAN_STAND_BEHIND(gscan_hop(units, start->cylinder, number), number);
  for (uint32_t i = 1; i < carried->length; ++i) {
    number = carried->sequence[i];
    stand = GSCAN_STAND_BEHIND(units->hop[stand][number], number);
  }
  return gscan_exit(units, stand);
}

static bool goes_down(const struct gscan_units* units, uint32_t from, uint32_t lowest,
                      uint32_t highest) {
  const struct gscan_unit* low = &units->unit[lowest];
  const struct gscan_unit* high = &units->unit[highest];
  const uint32_t to_lowest = distance_u32(from, low->lowest);
  const uint32_t to_highest = distance_u32(from, high->highest);
  if (to_highest != to_lowest) return to_highest < to_lowest;
  return (int32_t)(high->highest_oldest - low->lowest_oldest) < 0;
}

/// Appends the parts of a former unit that are not placed yet.
static void place_parts(struct carried* carried, const struct gscan_units* units,
                        const struct gscan_start* start, const struct gscan_change* change,
                        gscan_bits parts) {
  parts &= ~carried->placed;
  if (parts == 0) return;
  uint32_t first = 0;
  while ((parts >> first & 1U) == 0) ++first;
  if (parts >> first == 1) {
    place_part(carried, change, first);
    return;
  }
  uint32_t last = change->count - 1;
  while ((parts >> last & 1U) == 0) --last;
  const uint32_t cylinder = find_cylinder(carried, units, start);
  const bool down = goes_down(units, cylinder, change->number[first], change->number[last]);
  for (uint32_t i = 0; i <= last - first; ++i) {
    const uint32_t part = down ? last - i : first + i;
    if ((parts >> part & 1U) != 0) place_part(carried, change, part);
  }
}

static bool are_equal(const union gscan_sequence* one, const union gscan_sequence* other) {
  uint32_t i = 0;
  while (i < sizeof one->words / sizeof one->words[0] && one->words[i] == other->words[i]) ++i;
  return i == sizeof one->words / sizeof one->words[0];
}

/// Knuth's multiplicative hashing (The Art of Computer Programming, 6.4): the factor is that of the
/// golden ratio.
static uint32_t hash_of(const union gscan_sequence* sequence) {
  uint32_t hash = 0;
  for (uint32_t i = 0; i < sizeof sequence->words / sizeof sequence->words[0]; ++i) {
    hash = (hash ^ sequence->words[i]) * 0x9E3779B1U;
  }
  return (hash >> 16) % GSCAN_HASHES;
}

/// Removes schedules that are equal to an earlier one.
static void drop_equals(struct gscan_schedules* schedules) {
  struct gscan_list* list = current_list(schedules);
  for (uint32_t i = 0; i < GSCAN_HASHES; ++i) schedules->first_of_hash[i] = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < list->count; ++i) {
    const union gscan_sequence* sequence = &list->sequence[i];
    uint16_t* first = &schedules->first_of_hash[hash_of(sequence)];
    uint32_t other = *first;
    while (other != 0 && !are_equal(&list->sequence[other - 1], sequence)) {
      other = schedules->next_of_hash[other - 1];
    }
    if (other != 0) continue;
    if (count != i) list->sequence[count] = *sequence;
    schedules->next_of_hash[count] = *first;
    *first = (uint16_t)++count;
  }
  list->count = count;
}

/// The place of the only part of a former unit; PART_NONE; or PART_SEVERAL.
#define PART_NONE 0xFFU
#define PART_SEVERAL 0xFEU

static void find_parts(const struct gscan_units* units, const struct gscan_change* change,
                       uint8_t part_of[]) {
  for (uint32_t number = 1; number <= units->most; ++number) {
    const gscan_bits parts = change->parts[number];
    uint32_t part = 0;
    while (part < change->count && (parts >> part & 1U) == 0) ++part;
    if (part == change->count) {
      part_of[number] = PART_NONE;
    } else {
      part_of[number] = parts >> part == 1 ? (uint8_t)part : PART_SEVERAL;
    }
  }
}

void gscan_carry(struct gscan_schedules* schedules, const struct gscan_units* units,
                 const struct gscan_start* start, const struct gscan_change* change) {
  struct gscan_list* list = current_list(schedules);
  const uint32_t former_length = list->length;
  list->length = change->count - change->newcomers;
  uint8_t part_of[GSCAN_UNITS_MAX + 1];
  find_parts(units, change, part_of);
  for (uint32_t i = 0; i < list->count; ++i) {
    const union gscan_sequence former = list->sequence[i];
    list->sequence[i] = (union gscan_sequence){{0}};
    struct carried carried = {.sequence = list->sequence[i].unit};
    for (uint32_t k = 0; k < former_length; ++k) {
      const uint32_t part = part_of[former.unit[k]];
      if (part == PART_NONE) continue;
      if (part != PART_SEVERAL) {
        if ((carried.placed >> part & 1U) == 0) place_part(&carried, change, part);
        continue;
      }
      place_parts(&carried, units, start, change, change->parts[former.unit[k]]);
    }
    ASSERT(carried.length == list->length);
  }
  drop_equals(schedules);
  gscan_give_up(schedules);
}

// ---------------------------------------------------------------------------------------- service

bool gscan_keep_first(struct gscan_schedules* schedules, uint32_t number) {
  struct gscan_list* list = current_list(schedules);
  gscan_give_up(schedules);
  if (list->length == 0) return false;
  const uint32_t best = schedules->best;
  uint32_t count = 0;
  for (uint32_t i = 0; i < list->count; ++i) {
    if (list->sequence[i].unit[0] != number) continue;
    if (i == best) schedules->best = count;
    if (count != i) list->sequence[count] = list->sequence[i];
    ++count;
  }
  if (count != 0) list->count = count;
  return count != 0;
}

/// Whether the unit with which all schedules begin has ended, and no other: so it is after a
/// service.
static bool first_has_ended(const struct gscan_list* list, const struct gscan_units* units) {
  const uint8_t* unit = list->sequence[0].unit;
  if (units->unit[unit[0]].count != 0) return false;
  for (uint32_t k = 1; k < list->length; ++k) {
    if (units->unit[unit[k]].count == 0) return false;
  }
  for (uint32_t i = 1; i < list->count; ++i) {
    if (list->sequence[i].unit[0] != unit[0]) return false;
  }
  return true;
}

/// Schedules that differed before still differ.
static void strip_first(struct gscan_list* list) {
  --list->length;
  for (uint32_t i = 0; i < list->count; ++i) {
    uint32_t* words = list->sequence[i].words;
    for (uint32_t k = 0; k + 1 < GSCAN_SEQUENCE_WORDS; ++k) {
      words[k] = words[k] >> 8 | words[k + 1] << 24;
    }
    words[GSCAN_SEQUENCE_WORDS - 1] >>= 8;
  }
}

void gscan_strip(struct gscan_schedules* schedules, const struct gscan_units* units) {
  struct gscan_list* list = current_list(schedules);
  gscan_give_up(schedules);
  if (list->length == 0) return;
  if (first_has_ended(list, units)) {
    strip_first(list);
    return;
  }
  uint32_t length = 0;
  for (uint32_t i = 0; i < list->count; ++i) {
    uint8_t* unit = list->sequence[i].unit;
    length = 0;
    for (uint32_t k = 0; k < list->length; ++k) {
      if (units->unit[unit[k]].count != 0) unit[length++] = unit[k];
    }
    for (uint32_t k = length; k < list->length; ++k) unit[k] = 0;
  }
  list->length = length;
  drop_equals(schedules);
}
