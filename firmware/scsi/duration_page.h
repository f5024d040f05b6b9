/// @file
/// Command duration limits: subpages of the control mode page, each initiator's own (SPC-5).
///
///     0Ah/03h  A    a limit for reads: what the scheduler goes by, where page T2A has none
///     0Ah/04h  B    the same for writes
///     0Ah/07h  T2A  limits for READ(16), with what to do when one passes
///     0Ah/08h  T2B  the same for WRITE(16)
///
/// Each has seven descriptors; a command names one of them in its CDB. The pages cannot be saved:
/// behind every reset there are no limits.
///
/// Bytes 0-3 of a page are 4Ah, the subpage and the length of what follows. From byte 8 on are the
/// descriptors. Of A and B (4 bytes): 0 bits 7-5 the unit, 2-3 the limit (big-endian). Of T2A and
/// T2B (32 bytes): 0 bits 3-0 the unit, 2-3 inactive time, 4-5 active time, 6 their policies, 10-11
/// total time ("duration guideline"), 14 bits 3-0 its policy. All else is 0: the drive does not
/// slow others down for the sake of limits (T2A byte 7).
#ifndef FIRMWARE_SCSI_DURATION_PAGE_H
#define FIRMWARE_SCSI_DURATION_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/time.h"
#include "firmware/scsi/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a limit limits. Where two pass at once, the first here acts.
enum duration {
  DURATION_INACTIVE,  ///< From the command's arrival to the beginning of its processing.
  DURATION_ACTIVE,    ///< From there to its status.
  DURATION_TOTAL,     ///< From its arrival to its status.
  DURATION_COUNT,
};

/// What is done when a limit passes.
enum duration_policy {
  DURATION_COMPLETE_EARLIEST = 0x0,  ///< Nothing: the command is late, and goes on.
  DURATION_NEXT_LIMIT = 0x1,         ///< The limits are those of the next descriptor. Total only.
  DURATION_NO_LIMIT = 0x2,           ///< There are no limits any more. Total only.
  DURATION_COMPLETE_UNAVAILABLE = 0xD,  ///< GOOD, with F/55/0A. Reads only: of a write, GOOD is all
                                        ///< that an initiator without autosense hears.
  DURATION_ABORT_RECOVERY = 0xE,  ///< Errors are not recovered any more: B/2E/03. Active only.
  DURATION_ABORT = 0xF,           ///< B/2E/01, 02 or 03.
};

/// A descriptor of page T2A or T2B.
struct duration_limits {
  uint32_t unit_ticks;             ///< 0: there are no limits.
  uint16_t value[DURATION_COUNT];  ///< In that unit; 0: no limit.
  uint8_t policy[DURATION_COUNT];  ///< enum duration_policy
  uint8_t number;                  ///< Of the descriptor, 1 .. DURATION_DESCRIPTORS.
};

/// Byte 0 of a page in subpage format; byte 1 is the subpage, 2-3 the length (SPC-3 7.4.5).
#define MODE_SUBPAGE_FORMAT 0x40U
#define MODE_SUBPAGE_HEADER_BYTES 4U

#define DURATION_DESCRIPTORS 7U
#define DURATION_PAGE_CODE 0x0AU
#define DURATION_PAGE_BYTES_MAX 232U
/// All four.
#define DURATION_PAGES_BYTES 536U

struct duration_pages {
  bool is_set;  ///< Else there are no limits, and `bytes` may be of any content.
  uint8_t bytes[DURATION_PAGES_BYTES];
};

/// A reset: no limits.
void duration_pages_init(struct duration_pages* pages);

/// The pages by number, in ascending order.
#define DURATION_PAGE_COUNT 4U
/// @return the number of a page, or DURATION_PAGE_COUNT: there is no such subpage.
uint32_t duration_page_find(uint8_t subpage);
uint8_t duration_page_subpage(uint32_t number);
/// All of it, header included.
uint32_t duration_page_bytes(uint32_t number);

/// Writes the page: its current values, those behind a reset, or the bits that can change, behind
/// the header (SPC-2 table 64).
void duration_page_put_current(const struct duration_pages* pages, uint32_t number, uint8_t* bytes);
void duration_page_put_default(uint32_t number, uint8_t* bytes);
void duration_page_put_changeable(uint32_t number, uint8_t* bytes);

/// Checks the whole page that stands at byte `at` of a parameter list.
/// @return SENSE_NONE, or 26/00 with its field pointer.
struct sense duration_page_check(uint32_t number, const uint8_t* list, uint32_t at);
/// Takes over what passed. In force for commands that come from now on.
void duration_page_set(struct duration_pages* pages, uint32_t number, const uint8_t* page);

/// Decodes descriptor `number` (1 ..) of page T2A, or T2B for writes.
void duration_pages_limits(const struct duration_pages* pages, bool writes, uint32_t number,
                           struct duration_limits* limits);

/// Ticks of a limit; 0: there is none.
static inline time_tick duration_ticks(const struct duration_limits* limits, enum duration which) {
  return (time_tick)limits->unit_ticks * limits->value[which];
}

/// Whether there is some limit,
bool duration_limits_exist(const struct duration_limits* limits);
/// and whether one does anything when it passes.
bool duration_limits_act(const struct duration_limits* limits);

/// How long a command may take that names descriptor `number`: by page T2A or T2B its total time,
/// else inactive and active time; or, if that descriptor has no unit, by page A or B.
/// @return ticks; 0: as long as it likes.
time_tick duration_pages_deadline(const struct duration_pages* pages, bool writes, uint32_t number,
                                  const struct duration_limits* limits);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_DURATION_PAGE_H
