// SPDX-License-Identifier: Apache-2.0
#include "firmware/unit/duration_page.h"

#include "firmware/kernel/bytes.h"

#define FILE_ID FILE_ID_DURATION_PAGE
#include "firmware/kernel/assert.h"

static const struct page_row {
  uint8_t subpage;
  uint8_t at;  ///< First byte of the descriptors.
  uint8_t descriptor_bytes;
  uint8_t layout;  ///< enum mode_layout of a descriptor
  uint16_t offset;
} rows[DURATION_PAGE_COUNT] = {
#define MODE_HAS(page) ((page) == 0x4A)
#define MODE_SUBPAGE(page, code, subpage, at, descriptor, count, ...)                    \
  [DURATION_##page] = {subpage, at, MODE_##descriptor##_BYTES, MODE_LAYOUT_##descriptor, \
                       DURATION_OFFSET_##page},
#include "firmware/unit/modes.def"
};

#define MODE_HAS(page) ((page) == 0x4A)
#define MODE_SUBPAGE(page, code, subpage, at, descriptor, count, ...) \
  STATIC_ASSERT((count) == DURATION_DESCRIPTORS && (code) == DURATION_PAGE_CODE, #page);
#include "firmware/unit/modes.def"

static bool is_t2(uint32_t number) { return rows[number].layout == MODE_LAYOUT_LIMITS; }

uint32_t duration_page_bytes(uint32_t number) {
  return rows[number].at + DURATION_DESCRIPTORS * rows[number].descriptor_bytes;
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

static uint32_t at_descriptor(uint32_t number, uint32_t index) {
  return rows[number].at + index * rows[number].descriptor_bytes;
}

void duration_page_put_changeable(uint32_t number, uint8_t* bytes) {
  duration_page_put_default(number, bytes);
  for (uint32_t i = 0; i < DURATION_DESCRIPTORS; ++i) {
    mode_fields_put_changeable((enum mode_layout)rows[number].layout,
                               bytes + at_descriptor(number, i));
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
  (void)find_unit((uint8_t)MODE_GET(descriptor, LIMIT, UNIT), false, &ticks);
  return ticks;
}

/// Where a policy is in a descriptor, and which there are, bit by number.
static const struct policy_row {
  uint8_t at;
  uint8_t bit;
  uint16_t policies;
} policy_rows[DURATION_COUNT] = {
    [DURATION_INACTIVE] = {MODE_LIMITS_AT_INACTIVE_POLICY, MODE_LIMITS_BIT_INACTIVE_POLICY,
                           1U << DURATION_COMPLETE_EARLIEST | 1U << DURATION_COMPLETE_UNAVAILABLE |
                               1U << DURATION_ABORT},
    [DURATION_ACTIVE] = {MODE_LIMITS_AT_ACTIVE_POLICY, MODE_LIMITS_BIT_ACTIVE_POLICY,
                         1U << DURATION_COMPLETE_EARLIEST | 1U << DURATION_COMPLETE_UNAVAILABLE |
                             1U << DURATION_ABORT_RECOVERY | 1U << DURATION_ABORT},
    [DURATION_TOTAL] = {MODE_LIMITS_AT_TOTAL_POLICY, MODE_LIMITS_BIT_TOTAL_POLICY,
                        1U << DURATION_COMPLETE_EARLIEST | 1U << DURATION_NEXT_LIMIT |
                            1U << DURATION_NO_LIMIT | 1U << DURATION_COMPLETE_UNAVAILABLE |
                            1U << DURATION_ABORT},
};

#define POLICY_BITS 4U

static uint8_t policy_of(const uint8_t* descriptor, enum duration which) {
  const struct policy_row* row = &policy_rows[which];
  return (uint8_t)mode_bits_get(descriptor + row->at, row->bit, POLICY_BITS);
}

/// SENSE_NONE for a byte that this page does not have, and for bytes after the last descriptor.
static bool has_policy(uint32_t page, uint32_t descriptor, enum duration which, uint8_t policy) {
  uint32_t policies = policy_rows[which].policies;
  if (page == DURATION_LIMITS_T2B) policies &= ~(1U << DURATION_COMPLETE_UNAVAILABLE);
  if (descriptor == DURATION_DESCRIPTORS) policies &= ~(1U << DURATION_NEXT_LIMIT);
  return (policies >> policy & 1U) != 0;
}

// ------------------------------------------------------------------------------------------ check

/// Checks descriptor `descriptor`, 1 .., at byte `at`.
static struct sense check_descriptor(uint32_t page, uint32_t descriptor, const uint8_t* list,
                                     uint32_t at) {
  const uint8_t* bytes = list + at;
  const uint32_t count = rows[page].descriptor_bytes;
  const uint32_t fixed =
      mode_fields_find_fixed((enum mode_layout)rows[page].layout, bytes, NULL, 0, count);
  if (fixed < count) return sense_parameter_field(at + fixed);
  uint32_t ticks = 0;
  if (!is_t2(page)) {
    const bool known = find_unit((uint8_t)MODE_GET(bytes, LIMIT, UNIT), false, &ticks);
    return known ? sense_plain(SENSE_NONE) : sense_parameter_bit(at, MODE_LIMIT_BIT_UNIT);
  }
  if (!find_unit((uint8_t)MODE_GET(bytes, LIMITS, UNIT), true, &ticks)) {
    return sense_parameter_bit(at, MODE_LIMITS_BIT_UNIT);
  }
  for (uint32_t which = 0; which < DURATION_COUNT; ++which) {
    const uint8_t policy = policy_of(bytes, (enum duration)which);
    if (has_policy(page, descriptor, (enum duration)which, policy)) continue;
    return sense_parameter_bit(at + policy_rows[which].at, policy_rows[which].bit);
  }
  return sense_plain(SENSE_NONE);
}

struct sense duration_page_check(uint32_t number, const uint8_t* list, uint32_t at) {
  for (uint32_t i = MODE_SUBPAGE_HEADER_BYTES; i < rows[number].at; ++i) {
    if (list[at + i] != 0) return sense_parameter_field(at + i);
  }
  struct sense sense = sense_plain(SENSE_NONE);
  for (uint32_t i = 0; i < DURATION_DESCRIPTORS && sense.code == SENSE_NONE; ++i) {
    sense = check_descriptor(number, i + 1U, list, at + at_descriptor(number, i));
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
  static const uint8_t none[MODE_LIMITS_BYTES] = {0};
  ASSERT(number >= 1 && number <= DURATION_DESCRIPTORS);
  if (!pages->is_set) return none;
  return pages->bytes + rows[page].offset + at_descriptor(page, number - 1U);
}

void duration_pages_limits(const struct duration_pages* pages, bool writes, uint32_t number,
                           struct duration_limits* limits) {
  const uint8_t* bytes =
      descriptor_of(pages, writes ? DURATION_LIMITS_T2B : DURATION_LIMITS_T2A, number);
  (void)find_unit((uint8_t)MODE_GET(bytes, LIMITS, UNIT), true, &limits->unit_ticks);
  limits->value[DURATION_INACTIVE] = (uint16_t)MODE_GET(bytes, LIMITS, INACTIVE);
  limits->value[DURATION_ACTIVE] = (uint16_t)MODE_GET(bytes, LIMITS, ACTIVE);
  limits->value[DURATION_TOTAL] = (uint16_t)MODE_GET(bytes, LIMITS, TOTAL);
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
  const uint8_t* bytes =
      descriptor_of(pages, writes ? DURATION_LIMITS_B : DURATION_LIMITS_A, number);
  return (time_tick)unit_short(bytes) * MODE_GET(bytes, LIMIT, VALUE);
}
