#define FILE_ID FILE_ID_GSCAN
/// The schedules of `gscan` when units change, end, or are served.
#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/assert.h"
#include "firmware/queue/gscan.h"

static struct gscan_list* current_list(struct gscan_schedules* schedules) {
  return &schedules->list[schedules->current];
}

/// A schedule that is being written anew.
struct carried {
  uint8_t* sequence;
  uint32_t length;
  uint32_t cylinder;  ///< Where the arm is behind it.
  gscan_bits placed;  ///< By the place in gscan_change.number.
};

static void place_part(struct carried* carried, const struct gscan_units* units,
                       const struct gscan_change* change, uint32_t part) {
  const uint8_t number = change->number[part];
  carried->placed |= (gscan_bits)1 << part;
  carried->sequence[carried->length++] = number;
  carried->cylinder =
      gscan_exit(units, GSCAN_STAND_BEHIND(gscan_hop(units, carried->cylinder, number), number));
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

/// Adds what has become of one unit, as far as it is not there.
static void place_parts(struct carried* carried, const struct gscan_units* units,
                        const struct gscan_change* change, gscan_bits parts) {
  parts &= ~carried->placed;
  if (parts == 0) return;
  uint32_t first = 0, last = change->count - 1;
  while ((parts >> first & 1U) == 0) ++first;
  while ((parts >> last & 1U) == 0) --last;
  if (goes_down(units, carried->cylinder, change->number[first], change->number[last])) {
    for (uint32_t part = last + 1; part-- > first;) {
      if ((parts >> part & 1U) != 0) place_part(carried, units, change, part);
    }
  } else {
    for (uint32_t part = first; part <= last; ++part) {
      if ((parts >> part & 1U) != 0) place_part(carried, units, change, part);
    }
  }
}

/// Takes out those that are equal to one before them.
static void drop_equals(struct gscan_list* list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < list->count; ++i) {
    bool is_new = true;
    for (uint32_t k = 0; k < count && is_new; ++k) {
      uint32_t equal = 0;
      while (equal < list->length && list->sequence[k][equal] == list->sequence[i][equal]) ++equal;
      is_new = equal < list->length;
    }
    if (!is_new) continue;
    for (uint32_t k = 0; k < list->length; ++k) list->sequence[count][k] = list->sequence[i][k];
    ++count;
  }
  list->count = count;
}

void gscan_carry(struct gscan_schedules* schedules, const struct gscan_units* units,
                 const struct gscan_start* start, const struct gscan_change* change) {
  struct gscan_list* list = current_list(schedules);
  uint8_t former[GSCAN_UNITS_MAX];
  const uint32_t former_length = list->length;
  list->length = change->count - change->newcomers;
  for (uint32_t i = 0; i < list->count; ++i) {
    uint8_t* sequence = list->sequence[i];
    for (uint32_t k = 0; k < former_length; ++k) former[k] = sequence[k];
    struct carried carried = {.sequence = sequence, .cylinder = start->cylinder};
    for (uint32_t k = 0; k < former_length; ++k) {
      place_parts(&carried, units, change, change->parts[former[k]]);
    }
    ASSERT(carried.length == list->length);
  }
  drop_equals(list);
  schedules->is_evaluated = false;
}

// ---------------------------------------------------------------------------------------- service

void gscan_keep_first(struct gscan_schedules* schedules, uint32_t number) {
  struct gscan_list* list = current_list(schedules);
  schedules->is_evaluated = false;
  if (list->length == 0) return;
  uint32_t count = 0;
  for (uint32_t i = 0; i < list->count; ++i) {
    if (list->sequence[i][0] != number) continue;
    for (uint32_t k = 0; k < list->length; ++k) list->sequence[count][k] = list->sequence[i][k];
    ++count;
  }
  if (count != 0) list->count = count;
}

void gscan_strip(struct gscan_schedules* schedules, const struct gscan_units* units) {
  struct gscan_list* list = current_list(schedules);
  schedules->is_evaluated = false;
  const uint32_t first = list->sequence[0][0];
  bool all_lose_first = units->unit[first].count == 0;
  uint32_t length = 0;
  for (uint32_t i = 0; i < list->count; ++i) {
    uint8_t* sequence = list->sequence[i];
    all_lose_first = all_lose_first && sequence[0] == first;
    length = 0;
    for (uint32_t k = 0; k < list->length; ++k) {
      if (units->unit[sequence[k]].count != 0) sequence[length++] = sequence[k];
    }
  }
  // Without what all of them began with they differ as before.
  const bool may_equal = !all_lose_first || length + 1 < list->length;
  list->length = length;
  if (may_equal) drop_equals(list);
}
