// SPDX-License-Identifier: Apache-2.0
/// @file
/// The fields of mode pages: constants, access, default values and checks from the rows of
/// modes.def.
///
/// The constants of a page NAME and its field FIELD are:
///
///     MODE_PAGE_NAME       page code
///     MODE_NAME_BYTES      bytes of the page, with its header
///     MODE_NAME_AT_FIELD   first byte of the field
///     MODE_NAME_FIELD      mask of a field within a byte; number of elements of an array
///
/// A descriptor of a subpage has the same constants, but no page code. A subpage has
/// MODE_SUBPAGE_NAME, MODE_NAME_BYTES, and MODE_NAME_AT, its first descriptor's first byte.
/// `MODE_GET(page, CACHING, WCE)` is the value of a field. Hosts use these constants, too.
#ifndef FIRMWARE_UNIT_MODE_FIELDS_H
#define FIRMWARE_UNIT_MODE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/kernel/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct unit_config;

/// Page codes (SPC-2 8.3, SBC-2 6.3); those from 20h on are the vendor's.
enum mode_page_code {
#define MODE_PAGE(page, code, ...) MODE_PAGE_##page = (code),
#include "firmware/unit/modes.def"
  MODE_PAGE_ALL = 0x3F,
};

#define MODE_PAGE_HEADER_BYTES 2U
/// Byte 0 of a page: code, and the bit of a page that the drive can save (SPC-2 8.3.1: PS).
#define MODE_PAGE_CODE 0x3FU
#define MODE_PAGE_SAVEABLE 0x80U
/// Byte 0 of a page in subpage format; byte 1 is the subpage, 2-3 the length (SPC-3 7.4.5).
#define MODE_SUBPAGE_FORMAT 0x40U
#define MODE_SUBPAGE_HEADER_BYTES 4U

/// Bytes of a page's header. `page` points to it.
static inline uint32_t mode_header_bytes(const uint8_t* page) {
  return (page[0] & MODE_SUBPAGE_FORMAT) != 0 ? MODE_SUBPAGE_HEADER_BYTES : MODE_PAGE_HEADER_BYTES;
}

/// Which values of a page outlive a reset.
enum mode_saved {
  MODE_STORED,       ///< The values that MODE SELECT with SP has saved.
  MODE_WITH_MAP,     ///< The current values: the drive keeps them with its map.
  MODE_NEVER_SAVED,  ///< No values: the page has none that are saved.
};

/// Whether MODE SELECT can change a field.
enum mode_changes {
  MODE_FIXED = 0,
  MODE_CHANGES = 1,
};

/// What MODE SELECT does with a value beyond its field's limits.
enum mode_beyond {
  MODE_REFUSED,
  MODE_ROUNDED,
  MODE_ROUNDED_BUT_0,  ///< Rounding leaves 0, which is no value of the field.
};

/// Bits of a field in its first byte.
#define MODE_BITS_HERE(bits) ((bits) < 8 ? (bits) : 8)

/// Mask of `bits` bits of a byte from `bit` downward; all of it for a field of whole bytes.
#define MODE_MASK(bit, bits) \
  (((1 << MODE_BITS_HERE(bits)) - 1) << ((bit) + 1 - MODE_BITS_HERE(bits)))

enum mode_constant {
#define MODE_PAGE(page, code, subpage, bytes, ...) MODE_##page##_BYTES = (bytes),
#define MODE_DESCRIPTOR(descriptor, bytes) MODE_##descriptor##_BYTES = (bytes),
#define MODE_FIELD(page, field, name, byte, bit, bits, ...)                        \
  MODE_##page##_AT_##field = (byte), MODE_##page##_##field = MODE_MASK(bit, bits), \
  MODE_##page##_BIT_##field = (bit), MODE_##page##_BITS_##field = (bits),
#define MODE_ARRAY(page, field, name, byte, bits, count, ...)         \
  MODE_##page##_AT_##field = (byte), MODE_##page##_##field = (count), \
  MODE_##page##_BIT_##field = 7, MODE_##page##_BITS_##field = (bits),
#define MODE_FLAG(page, field, flag, bit, ...) MODE_##page##_##flag = 1 << (bit),
#define MODE_DESCRIPTOR_FIELD MODE_FIELD
#include "firmware/unit/modes.def"
};

/// Subpages (SPC-3 6.9.2): 00h is the page itself, which has none.
enum mode_subpage {
  MODE_SUBPAGE_NONE = 0x00,
#define MODE_PAGE(page, code, subpage, ...) MODE_SUBPAGE_##page = (subpage),
#define MODE_SUBPAGE(page, code, subpage, at, descriptor, count, ...)                      \
  MODE_SUBPAGE_##page = (subpage), MODE_##page##_AT = (at), MODE_##page##_COUNT = (count), \
  MODE_##page##_BYTES = (at) + (count)*MODE_##descriptor##_BYTES,
#include "firmware/unit/modes.def"
  MODE_SUBPAGE_ALL = 0xFF,
};

/// Pages, and descriptors of subpages.
enum mode_layout {
#define MODE_PAGE(page, ...) MODE_LAYOUT_##page,
#include "firmware/unit/modes.def"
#define MODE_DESCRIPTOR(descriptor, ...) MODE_LAYOUT_##descriptor,
#include "firmware/unit/modes.def"
  MODE_LAYOUTS,
};

/// Offsets of the pages where all are behind each other.
enum mode_page_offset {
#define MODE_PAGE(page, code, subpage, bytes, ...) \
  MODE_OFFSET_##page, MODE_LAST_##page = MODE_OFFSET_##page + (bytes)-1,
#include "firmware/unit/modes.def"
  MODE_PAGES_BYTES,  ///< Bytes of all pages, without subpages of descriptors.
};

/// The type of a field's value, by the width of the field.
#define MODE_UINT_1 uint8_t
#define MODE_UINT_2 uint8_t
#define MODE_UINT_3 uint8_t
#define MODE_UINT_4 uint8_t
#define MODE_UINT_5 uint8_t
#define MODE_UINT_6 uint8_t
#define MODE_UINT_7 uint8_t
#define MODE_UINT_8 uint8_t
#define MODE_UINT_16 uint16_t
#define MODE_UINT_24 uint32_t
#define MODE_UINT_32 uint32_t

/// The value of a field whose first byte is `at`.
static inline uint32_t mode_bits_get(const uint8_t* at, uint32_t bit, uint32_t bits) {
  switch (bits) {
    case 32: return bytes_get_be32(at);
    case 24: return bytes_get_be24(at);
    case 16: return bytes_get_be16(at);
    default: return (uint32_t)at[0] >> (bit + 1U - bits) & ((1U << bits) - 1U);
  }
}

/// Sets a field to the lowest bits of a value. Other fields of its byte stay.
static inline void mode_bits_put(uint8_t* at, uint32_t bit, uint32_t bits, uint32_t value) {
  const uint32_t mask = (uint32_t)MODE_MASK(bit, bits);
  switch (bits) {
    case 32: bytes_put_be32(at, value); break;
    case 24: bytes_put_be24(at, value); break;
    case 16: bytes_put_be16(at, value); break;
    default: at[0] = (uint8_t)((at[0] & ~mask) | (value << (bit + 1U - bits) & mask));
  }
}

/// Access to a field of a page, or of a descriptor, whose bytes begin at `bytes`.
#define MODE_GET(bytes, page, field)                                           \
  mode_bits_get((bytes) + MODE_##page##_AT_##field, MODE_##page##_BIT_##field, \
                MODE_##page##_BITS_##field)
#define MODE_PUT(bytes, page, field, value)                                    \
  mode_bits_put((bytes) + MODE_##page##_AT_##field, MODE_##page##_BIT_##field, \
                MODE_##page##_BITS_##field, value)

/// Access to element `index` of an array.
#define MODE_GET_AT(bytes, page, field, index) \
  MODE_GET((bytes) + (index) * (MODE_##page##_BITS_##field / 8U), page, field)
#define MODE_PUT_AT(bytes, page, field, index, value) \
  MODE_PUT((bytes) + (index) * (MODE_##page##_BITS_##field / 8U), page, field, value)

/// Default values of all pages, with their headers: MODE_PAGES_BYTES bytes.
void mode_fields_put_defaults(const struct unit_config* config, uint8_t* values);

/// Sets the bits that can change. `bytes` is a page or a descriptor whose other bits are 0.
void mode_fields_put_changeable(enum mode_layout layout, uint8_t* bytes);

/// Compares bytes `first` .. `end` - 1 of a page or descriptor with the current ones; NULL: all 0.
/// @return the first byte with a changed bit that cannot change; `end`: there is none.
uint32_t mode_fields_find_fixed(enum mode_layout layout, const uint8_t* bytes,
                                const uint8_t* current, uint32_t first, uint32_t end);

/// Compares the fields of a page with their limits, in the order of the rows.
/// @return 0, or the first byte of a field whose value is refused.
uint32_t mode_fields_find_refused(enum mode_layout layout, const uint8_t* page);

/// Rounds the values of a page that are beyond their limits. @return whether any was.
bool mode_fields_round(enum mode_layout layout, uint8_t* page);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_MODE_FIELDS_H
