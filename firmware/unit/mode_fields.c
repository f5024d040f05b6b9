// SPDX-License-Identifier: Apache-2.0
#include "firmware/unit/mode_fields.h"

#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"
#include "firmware/queue/policy_stream.h"
#include "firmware/queue/write_buffer.h"
#include "firmware/unit/mode_values.h"
#include "firmware/unit/unit_config.h"

// ------------------------------------------------------------------------------- what a row may be

#define IS_WIDTH(bits) ((bits) <= 8 || (bits) == 16 || (bits) == 24 || (bits) == 32)
#define ENDS_BY(byte, bits, bytes) ((byte) + ((bits) + 7) / 8 <= (bytes))
#define MODE_FIELD(page, field, name, byte, bit, bits, ...)                                     \
  STATIC_ASSERT(IS_WIDTH(bits) && ((bits) > 8 ? (bit) == 7 : (bits) <= (bit) + 1 && (bit) < 8), \
                #page " " #field ": no such bits");                                             \
  STATIC_ASSERT(ENDS_BY(byte, bits, MODE_##page##_BYTES), #page " " #field ": beyond its page");
#define MODE_ARRAY(page, field, name, byte, bits, count, ...)                          \
  STATIC_ASSERT((bits) % 8 == 0 && IS_WIDTH(bits), #page " " #field ": no such bits"); \
  STATIC_ASSERT(ENDS_BY(byte, (bits) * (count), MODE_##page##_BYTES),                  \
                #page " " #field ": beyond its page");
#define MODE_DESCRIPTOR_FIELD MODE_FIELD
#include "firmware/unit/modes.def"

// ---------------------------------------------------------------------------------- default values

/// The header of a page of `count` bytes (SPC-3 7.4.5).
static void put_header(uint8_t* page, uint8_t first, uint8_t subpage, uint32_t count) {
  page[0] = first;
  if (subpage == MODE_SUBPAGE_NONE) {
    page[1] = (uint8_t)(count - MODE_PAGE_HEADER_BYTES);
    return;
  }
  page[0] |= MODE_SUBPAGE_FORMAT;
  page[1] = subpage;
  bytes_put_be16(page + 2, count - MODE_SUBPAGE_HEADER_BYTES);
}

RARE void mode_fields_put_defaults(const struct unit_config* config, uint8_t* values) {
  bytes_fill(values, 0, MODE_PAGES_BYTES);
  const uint8_t saveable = config->keeps_modes ? MODE_PAGE_SAVEABLE : 0;
#define MODE_PAGE(page, code, subpage, bytes, ...) \
  put_header(values + MODE_OFFSET_##page, (uint8_t)(saveable | (code)), subpage, bytes);
#define MODE_FIELD(page, field, name, byte, bit, bits, unit, least, most, beyond, initial, ...) \
  if ((initial) != 0) MODE_PUT(values + MODE_OFFSET_##page, page, field, initial);
#include "firmware/unit/modes.def"
}

// --------------------------------------------------------------------------- bits that can change

/// A field that can change: `bytes` bytes with the same mask.
struct field_row {
  uint8_t layout;  ///< enum mode_layout
  uint8_t at;
  uint8_t bytes;  ///< 0: the field cannot change.
  uint8_t mask;
};

/// Numbers of the rows, with the first of each layout.
enum row_number {
#define MODE_PAGE(page, ...) FIRST_##page, BEFORE_##page = FIRST_##page - 1,
#define MODE_DESCRIPTOR MODE_PAGE
#define MODE_FIELD(page, field, ...) ROW_##page##_##field,
#define MODE_ARRAY MODE_FIELD
#define MODE_DESCRIPTOR_FIELD MODE_FIELD
#include "firmware/unit/modes.def"
  ROW_COUNT,
};

static const struct field_row rows[ROW_COUNT + 1] = {
#define MODE_FIELD(page, field, name, byte, bit, bits, unit, least, most, beyond, initial, change, \
                   meaning)                                                                        \
  {MODE_LAYOUT_##page, byte, MODE_##change * (((bits) + 7) / 8), MODE_MASK(bit, bits)},
#define MODE_ARRAY(page, field, name, byte, bits, count, ...) \
  {MODE_LAYOUT_##page, byte, (count) * (bits) / 8, 0xFF},
#define MODE_DESCRIPTOR_FIELD MODE_FIELD
#include "firmware/unit/modes.def"
    [ROW_COUNT] = {.layout = MODE_LAYOUTS}};

static const uint8_t first_rows[MODE_LAYOUTS] = {
#define MODE_PAGE(page, ...) [MODE_LAYOUT_##page] = FIRST_##page,
#define MODE_DESCRIPTOR MODE_PAGE
#include "firmware/unit/modes.def"
};

void mode_fields_put_changeable(enum mode_layout layout, uint8_t* bytes) {
  for (const struct field_row* row = &rows[first_rows[layout]]; row->layout == layout; ++row) {
    for (uint32_t i = 0; i < row->bytes; ++i) bytes[row->at + i] |= row->mask;
  }
}

/// The bits of a byte that can change.
static uint32_t changeable_bits(enum mode_layout layout, uint32_t byte) {
  uint32_t mask = 0;
  for (const struct field_row* row = &rows[first_rows[layout]]; row->layout == layout; ++row) {
    if (byte - row->at < row->bytes) mask |= row->mask;
  }
  return mask;
}

uint32_t mode_fields_find_fixed(enum mode_layout layout, const uint8_t* bytes,
                                const uint8_t* current, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    const uint32_t changed = bytes[i] ^ (current == NULL ? 0U : current[i]);
    if (changed != 0 && (changed & ~changeable_bits(layout, i)) != 0) return i;
  }
  return end;
}

// ------------------------------------------------------------------------------------------ limits

static inline bool is_beyond(uint32_t value, uint32_t least, uint32_t most) {
  return value < least || value > most;
}

/// Whether a field has limits that its width alone does not give.
#define HAS_LIMITS(bits, least, most) \
  ((least) > 0 || (most) < (uint32_t)((UINT64_C(1) << (bits)) - 1U))

RARE uint32_t mode_fields_find_refused(enum mode_layout layout, const uint8_t* page) {
#define MODE_FIELD(page_, field, name, byte, bit, bits, unit, least, most, beyond, ...)        \
  if (HAS_LIMITS(bits, least, most) && MODE_##beyond == MODE_REFUSED &&                        \
      layout == MODE_LAYOUT_##page_ && is_beyond(MODE_GET(page, page_, field), least, most)) { \
    return byte;                                                                               \
  }
#include "firmware/unit/modes.def"
  return 0;
}

/// Rounds a field that begins at `at`. @return whether its value was beyond the limits.
static bool round_field(uint8_t* at, uint32_t bit, uint32_t bits, uint32_t least, uint32_t most,
                        enum mode_beyond beyond) {
  const uint32_t value = mode_bits_get(at, bit, bits);
  if (!is_beyond(value, least, most)) return false;
  if (value == 0 && beyond == MODE_ROUNDED_BUT_0) return false;
  mode_bits_put(at, bit, bits, value < least ? least : most);
  return true;
}

RARE bool mode_fields_round(enum mode_layout layout, uint8_t* page) {
  bool is_rounded = false;
#define MODE_FIELD(page_, field, name, byte, bit, bits, unit, least, most, beyond, ...)           \
  if (HAS_LIMITS(bits, least, most) && MODE_##beyond != MODE_REFUSED &&                           \
      layout == MODE_LAYOUT_##page_) {                                                            \
    is_rounded = round_field(page + (byte), bit, bits, least, most, MODE_##beyond) || is_rounded; \
  }
#include "firmware/unit/modes.def"
  return is_rounded;
}
