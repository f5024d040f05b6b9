// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/duration_page.h"

#include "firmware/kernel/bytes.h"

#define FILE_ID FILE_ID_DURATION_PAGE
#include "firmware/kernel/assert.h"

#define AT_DESCRIPTORS 8U
#define DURATION_DESCRIPTOR_BYTES_MAX 32U

/// Numbers of the pages.
enum { PAGE_A, PAGE_B, PAGE_T2A, PAGE_T2B };

static const struct page_row {
  uint8_t subpage;
  uint8_t descriptor_bytes;
  uint16_t offset;  ///< Offsets in struct duration_pages.
} rows[DURATION_PAGE_COUNT] = {
    [PAGE_A] = {0x03, 4, 0},
    [PAGE_B] = {0x04, 4, 36},
    [PAGE_T2A] = {0x07, 32, 72},
    [PAGE_T2B] = {0x08, 32, 304},
};

static bool is_t2(uint32_t number) { return number >= PAGE_T2A; }

uint32_t duration_page_bytes(uint32_t number) {
  return AT_DESCRIPTORS + DURATION_DESCRIPTORS * rows[number].descriptor_bytes;
}

uint8_t duration_page_subpage(uint32_t number) { return rows[number].subpage; }

uint32_t duration_page_find(uint8_t subpage) {
  uint32_t number = 0;
  while (number < DURATION_PAGE_COUNT && rows[number].subpage != subpage) ++number;
  return number;
}

static void put_header(uint32_t number, uint8_t* bytes) {
  bytes[0] = MODE_SUBPAGE_FORMAT | DURATION_PAGE_CODE;
  bytes[1] = rows[number].subpage;
  bytes_put_be16(bytes + 2, duration_page_bytes(number) - MODE_SUBPAGE_HEADER_BYTES);
}

void duration_pages_init(struct duration_pages* pages) { pages->is_set = false; }

void duration_page_put_default(uint32_t number, uint8_t* bytes) {
  bytes_fill(bytes, 0, duration_page_bytes(number));
  put_header(number, bytes);
}

void duration_page_put_current(const struct duration_pages* pages, uint32_t number,
                               uint8_t* bytes) {
  if (pages->is_set) {
    bytes_copy(bytes, pages->bytes + rows[number].offset, duration_page_bytes(number));
  } else {
    duration_page_put_default(number, bytes);
  }
}

// ------------------------------------------------------------------------------------ descriptors

/// Bits of a descriptor that have a meaning; the rest is 0. For A and B, and for T2A and T2B.
static const uint8_t used_short[4] = {0xE0, 0, 0xFF, 0xFF};
static const uint8_t used_long[DURATION_DESCRIPTOR_BYTES_MAX] = {
    [0] = 0x0F, [2] = 0xFF,  [3] = 0xFF,  [4] = 0xFF, [5] = 0xFF,
    [6] = 0xFF, [10] = 0xFF, [11] = 0xFF, [14] = 0x0F};

static const uint8_t* used_bits(uint32_t number) { return is_t2(number) ? used_long : used_short; }

void duration_page_put_changeable(uint32_t number, uint8_t* bytes) {
  const uint32_t step = rows[number].descriptor_bytes;
  duration_page_put_default(number, bytes);
  for (uint32_t i = 0; i < DURATION_DESCRIPTORS; ++i) {
    bytes_copy(bytes + AT_DESCRIPTORS + i * step, used_bits(number), step);
  }
}

#define TICKS_PER_500_NS (TIME_TICKS_PER_MICROSECOND / 2U)

/// Ticks of a unit's code, by page.
static const struct unit_row {
  uint8_t code_short;  ///< 0: not for pages A and B.
  uint8_t code_long;
  uint32_t ticks;
} units[] = {
    {0, 0x6, TICKS_PER_500_NS},
    {4, 0x8, TIME_TICKS_PER_MICROSECOND},
    {5, 0xA, 10U * TIME_TICKS_PER_MILLISECOND},
    {6, 0xE, 500U * TIME_TICKS_PER_MILLISECOND},
};

/// @return whether there is such a unit; code 0 is "none", 0 ticks.
static bool find_unit(uint8_t code, bool is_long, uint32_t* ticks) {
  *ticks = 0;
  if (code == 0) return true;
  for (uint32_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
    if ((is_long ? units[i].code_long : units[i].code_short) != code) continue;
    *ticks = units[i].ticks;
    return true;
  }
  return false;
}

static uint32_t unit_short(const uint8_t* descriptor) {
  uint32_t ticks = 0;
  (void)find_unit(descriptor[0] >> 5, false, &ticks);
  return ticks;
}

/// Where a policy is in a descriptor, and which there are, bit by number.
static const struct policy_row {
  uint8_t at;
  uint8_t shift;
  uint16_t policies;
} policy_rows[DURATION_COUNT] = {
    [DURATION_INACTIVE] = {6, 4,
                           1U << DURATION_COMPLETE_EARLIEST | 1U << DURATION_COMPLETE_UNAVAILABLE |
                               1U << DURATION_ABORT},
    [DURATION_ACTIVE] = {6, 0,
                         1U << DURATION_COMPLETE_EARLIEST | 1U << DURATION_COMPLETE_UNAVAILABLE |
                             1U << DURATION_ABORT_RECOVERY | 1U << DURATION_ABORT},
    [DURATION_TOTAL] = {14, 0,
                        1U << DURATION_COMPLETE_EARLIEST | 1U << DURATION_NEXT_LIMIT |
                            1U << DURATION_NO_LIMIT | 1U << DURATION_COMPLETE_UNAVAILABLE |
                            1U << DURATION_ABORT},
};

static uint8_t policy_of(const uint8_t* descriptor, enum duration which) {
  return descriptor[policy_rows[which].at] >> policy_rows[which].shift & 0x0FU;
}

/// SENSE_NONE for a byte that this page does not have, and for bytes after the last descriptor.
static bool has_policy(uint32_t page, uint32_t descriptor, enum duration which, uint8_t policy) {
  uint32_t policies = policy_rows[which].policies;
  if (page == PAGE_T2B) policies &= ~(1U << DURATION_COMPLETE_UNAVAILABLE);
  if (descriptor == DURATION_DESCRIPTORS) policies &= ~(1U << DURATION_NEXT_LIMIT);
  return (policies >> policy & 1U) != 0;
}

// ------------------------------------------------------------------------------------------ check

/// Checks descriptor `descriptor`, 1 .., at byte `at`.
static struct sense check_descriptor(uint32_t page, uint32_t descriptor, const uint8_t* list,
                                     uint32_t at) {
  const uint8_t* bytes = list + at;
  for (uint32_t i = 0; i < rows[page].descriptor_bytes; ++i) {
    if ((bytes[i] & (uint8_t)~used_bits(page)[i]) != 0) return sense_parameter_field(at + i);
  }
  uint32_t ticks = 0;
  if (!is_t2(page)) {
    const bool known = find_unit(bytes[0] >> 5, false, &ticks);
    return known ? sense_plain(SENSE_NONE) : sense_parameter_bit(at, 7);
  }
  if (!find_unit(bytes[0], true, &ticks)) return sense_parameter_bit(at, 3);
  for (uint32_t which = 0; which < DURATION_COUNT; ++which) {
    const uint8_t policy = policy_of(bytes, (enum duration)which);
    if (has_policy(page, descriptor, (enum duration)which, policy)) continue;
    return sense_parameter_bit(at + policy_rows[which].at, policy_rows[which].shift + 3U);
  }
  return sense_plain(SENSE_NONE);
}

struct sense duration_page_check(uint32_t number, const uint8_t* list, uint32_t at) {
  for (uint32_t i = MODE_SUBPAGE_HEADER_BYTES; i < AT_DESCRIPTORS; ++i) {
    if (list[at + i] != 0) return sense_parameter_field(at + i);
  }
  struct sense sense = sense_plain(SENSE_NONE);
  for (uint32_t i = 0; i < DURATION_DESCRIPTORS && sense.code == SENSE_NONE; ++i) {
    sense = check_descriptor(number, i + 1U, list,
                             at + AT_DESCRIPTORS + i * rows[number].descriptor_bytes);
  }
  return sense;
}

void duration_page_set(struct duration_pages* pages, uint32_t number, const uint8_t* page) {
  for (uint32_t i = 0; i < DURATION_PAGE_COUNT && !pages->is_set; ++i) {
    duration_page_put_default(i, pages->bytes + rows[i].offset);
  }
  pages->is_set = true;
  bytes_copy(pages->bytes + rows[number].offset, page, duration_page_bytes(number));
}

// ----------------------------------------------------------------------------------------- limits

static const uint8_t* descriptor_of(const struct duration_pages* pages, uint32_t page,
                                    uint32_t number) {
  static const uint8_t none[DURATION_DESCRIPTOR_BYTES_MAX] = {0};
  ASSERT(number >= 1 && number <= DURATION_DESCRIPTORS);
  if (!pages->is_set) return none;
  return pages->bytes + rows[page].offset + AT_DESCRIPTORS +
         (number - 1U) * rows[page].descriptor_bytes;
}

void duration_pages_limits(const struct duration_pages* pages, bool writes, uint32_t number,
                           struct duration_limits* limits) {
  const uint8_t* bytes = descriptor_of(pages, writes ? PAGE_T2B : PAGE_T2A, number);
  (void)find_unit(bytes[0], true, &limits->unit_ticks);
  limits->value[DURATION_INACTIVE] = (uint16_t)bytes_get_be16(bytes + 2);
  limits->value[DURATION_ACTIVE] = (uint16_t)bytes_get_be16(bytes + 4);
  limits->value[DURATION_TOTAL] = (uint16_t)bytes_get_be16(bytes + 10);
  for (uint32_t which = 0; which < DURATION_COUNT; ++which) {
    limits->policy[which] = policy_of(bytes, (enum duration)which);
  }
  limits->number = (uint8_t)number;
}

bool duration_limits_exist(const struct duration_limits* limits) {
  if (limits->unit_ticks == 0) return false;
  return limits->value[DURATION_INACTIVE] != 0 || limits->value[DURATION_ACTIVE] != 0 ||
         limits->value[DURATION_TOTAL] != 0;
}

bool duration_limits_act(const struct duration_limits* limits) {
  if (limits->unit_ticks == 0) return false;
  for (uint32_t which = 0; which < DURATION_COUNT; ++which) {
    const bool acts = limits->policy[which] != DURATION_COMPLETE_EARLIEST;
    if (acts && limits->value[which] != 0) return true;
  }
  return false;
}

time_tick duration_pages_deadline(const struct duration_pages* pages, bool writes, uint32_t number,
                                  const struct duration_limits* limits) {
  if (limits->unit_ticks != 0) {
    const time_tick total = duration_ticks(limits, DURATION_TOTAL);
    if (total != 0) return total;
    return duration_ticks(limits, DURATION_INACTIVE) + duration_ticks(limits, DURATION_ACTIVE);
  }
  const uint8_t* bytes = descriptor_of(pages, writes ? PAGE_B : PAGE_A, number);
  return (time_tick)unit_short(bytes) * bytes_get_be16(bytes + 2);
}
