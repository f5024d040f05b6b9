// SPDX-License-Identifier: Apache-2.0
/// @file
/// Command duration limits: subpages of the control mode page, each initiator's own (SPC-5).
///
///     0Ah/03h  A    a limit for reads: what the scheduler goes by, where page T2A has none
///     0Ah/04h  B    the same for writes
///     0Ah/07h  T2A  limits for READ(16), with what to do when one passes
///     0Ah/08h  T2B  the same for WRITE(16)
///
/// Each has seven descriptors; a command names one of them in its CDB. The pages cannot be saved:
/// after every reset there are no limits.
///
/// The rows of modes.def have the bytes of the pages and of their descriptors. All other bytes are
/// 0. T2A byte 7: the drive slows no command down to meet limits of others.
#ifndef FIRMWARE_UNIT_DURATION_PAGE_H
#define FIRMWARE_UNIT_DURATION_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/time.h"
#include "firmware/unit/mode_fields.h"
#include "firmware/unit/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The time that a limit applies to. If two expire at once, the first here acts.
enum duration {
  DURATION_INACTIVE,  ///< Time from the command's arrival to the beginning of its processing.
  DURATION_ACTIVE,    ///< Time from the beginning of the processing to the status.
  DURATION_TOTAL,     ///< Time from the command's arrival to its status.
  DURATION_COUNT,
};

/// The drive's action when a limit expires.
enum duration_policy {
  DURATION_COMPLETE_EARLIEST = 0x0,     ///< No action: the late command goes on.
  DURATION_NEXT_LIMIT = 0x1,            ///< The next descriptor's limits apply. Total only.
  DURATION_NO_LIMIT = 0x2,              ///< No limits apply any more. Total only.
  DURATION_COMPLETE_UNAVAILABLE = 0xD,  ///< GOOD, with F/55/0A. Reads only: an initiator without
                                        ///< autosense would take a late write for done.
  DURATION_ABORT_RECOVERY = 0xE,        ///< No more error recovery: B/2E/03. Active only.
  DURATION_ABORT = 0xF,                 ///< B/2E/01, 02 or 03.
};

/// A descriptor of page T2A or T2B.
struct duration_limits {
  uint32_t unit_ticks;             ///< 0: there are no limits.
  uint16_t value[DURATION_COUNT];  ///< Limits in units of unit_ticks; 0: no limit.
  uint8_t policy[DURATION_COUNT];  ///< enum duration_policy
  uint8_t number;                  ///< Number of the descriptor, 1 .. DURATION_DESCRIPTORS.
};

#define DURATION_PAGE_CODE MODE_PAGE_CONTROL
#define DURATION_DESCRIPTORS ((uint32_t)MODE_LIMITS_T2A_COUNT)

/// The pages by number, in ascending order.
enum duration_page_number {
#define MODE_HAS(page) ((page) == 0x4A)
#define MODE_SUBPAGE(page, ...) DURATION_##page,
#include "firmware/unit/modes.def"
  DURATION_PAGE_COUNT,
};

/// Offsets of the pages in struct duration_pages.
enum duration_page_offset {
#define MODE_HAS(page) ((page) == 0x4A)
#define MODE_SUBPAGE(page, ...) \
  DURATION_OFFSET_##page, DURATION_LAST_##page = DURATION_OFFSET_##page + MODE_##page##_BYTES - 1,
#include "firmware/unit/modes.def"
  DURATION_PAGES_BYTES,
};

struct duration_pages {
  bool is_set;  ///< Limits have been set. Otherwise there are none, and `bytes` may have any
                ///< content.
  uint8_t bytes[DURATION_PAGES_BYTES];
};

/// Resets the pages: no limits.
void duration_pages_init(struct duration_pages* pages);

/// @return the number of a page, or DURATION_PAGE_COUNT: there is no such subpage.
uint32_t duration_page_find(uint8_t subpage);
uint8_t duration_page_subpage(uint32_t number);
/// Bytes of the whole page, header included.
uint32_t duration_page_bytes(uint32_t number);

/// Writes the page: its current values, its values after a reset, or, after the header, the bits
/// that can change (SPC-2 table 64).
void duration_page_put_current(const struct duration_pages* pages, uint32_t number, uint8_t* bytes);
void duration_page_put_default(uint32_t number, uint8_t* bytes);
void duration_page_put_changeable(uint32_t number, uint8_t* bytes);

/// Checks the whole page at byte `at` of a parameter list.
/// @return SENSE_NONE, or 26/00 with its field pointer.
struct sense duration_page_check(uint32_t number, const uint8_t* list, uint32_t at);
/// Stores a page that was checked. It is in force for later commands.
void duration_page_set(struct duration_pages* pages, uint32_t number, const uint8_t* page);

/// Decodes descriptor `number` (1 ..) of page T2A, or T2B for writes.
void duration_pages_limits(const struct duration_pages* pages, bool writes, uint32_t number,
                           struct duration_limits* limits);

/// Ticks of a limit; 0: there is none.
static inline time_tick duration_ticks(const struct duration_limits* limits, enum duration which) {
  return (time_tick)limits->unit_ticks * limits->value[which];
}

/// Whether there is any limit.
bool duration_limits_exist(const struct duration_limits* limits);
/// Whether any limit has an action when it expires.
bool duration_limits_act(const struct duration_limits* limits);

/// How long a command that names descriptor `number` may take. By page T2A or T2B it is the total
/// time, else inactive and active time. If that descriptor has no unit, page A or B gives it.
/// @return ticks; 0: no limit.
time_tick duration_pages_deadline(const struct duration_pages* pages, bool writes, uint32_t number,
                                  const struct duration_limits* limits);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_DURATION_PAGE_H
