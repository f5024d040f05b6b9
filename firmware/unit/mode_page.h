// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mode parameters: current, changeable, default and saved values of every page this drive has.
///
/// The pages and their fields are rows of modes.def; mode_fields.h has their constants. The values
/// that can change are in struct mode_pages, as the bytes that go over the wire. Saved values
/// survive every reset. They outlive power where the drive has a store (firmware/transfer/store.h):
/// they come back when the spindle is at speed. Without a store, saved values are the defaults at
/// power-on. Subpages of descriptors are in duration_page.h and stream_page.h.
#ifndef FIRMWARE_UNIT_MODE_PAGE_H
#define FIRMWARE_UNIT_MODE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/kernel/time.h"
#include "firmware/unit/mode_fields.h"
#include "firmware/unit/mode_values.h"
#include "firmware/unit/sense.h"
#include "firmware/unit/stream_page.h"

#ifdef __cplusplus
extern "C" {
#endif

struct duration_pages;
struct unit_config;

/// Page control field of MODE SENSE (SPC-2 table 64).
enum mode_page_control {
  MODE_CURRENT = 0,
  MODE_CHANGEABLE = 1,
  MODE_DEFAULT = 2,
  MODE_SAVED = 3,
};

/// One initiator's pages. All initiators share struct mode_pages. The subpages of the control page
/// (duration_page.h) are the initiator's own. They have no saved values, and their defaults are
/// their values after a reset.
struct mode_view {
  struct mode_pages* shared;
  struct duration_pages* own;
};

/// Page 20h. The policy defines the flags and the parameters (firmware/queue/policy.h). A sector
/// that passes sooner than the margin after a seek counts as missed (motion/predictor.h).
struct mode_scheduler {
#define MODE_HAS(page) ((page) == 0x20)
#define MODE_FIELD(page, field, name, byte, bit, bits, ...) MODE_UINT_##bits name;
#define MODE_ARRAY(page, field, name, byte, bits, count, ...) MODE_UINT_##bits name[count];
#include "firmware/unit/modes.def"
};

/// Page 08h. A segment size that does not fit into the buffer is rounded down to one that does.
/// Page 21h, too, says how the drive reads ahead.
struct mode_caching {
  bool reads;                  ///< RCD is clear.
  bool writes;                 ///< WCE: a write's status is sent when its data are in the buffer.
  uint32_t segments;           ///< Number of segments: 1 .. MODE_CACHING_SEGMENTS_MAX.
  uint32_t segment_blocks;     ///< Blocks of a segment; 0 in a buffer without room for any.
  uint32_t ahead_blocks;       ///< Most blocks read ahead after a task's last block; 0 with DRA.
  uint32_t ahead_task_blocks;  ///< Length of the longest task after which there is read-ahead.
  uint8_t ahead_bits;          ///< MODE_CONTROLLER_AHEAD_*, MODE_CONTROLLER_KEEPS_WRITTEN.
  bool reads_free;             ///< MODE_CONTROLLER_READS_FREE
};

/// Page 02h. Without a limit, a write's data are accepted as far as there is room. A command may
/// leave the bus for an empty or a full buffer. The empty ratio, and the full one again, say when
/// it comes back. The limits are struct mode_tenancy; firmware/target/tenancy.h has what they do.
#define MODE_TENANCY_UNIT_TICKS (100U * TIME_TICKS_PER_MICROSECOND)
#define MODE_BURST_UNIT_BYTES 512U

struct mode_disconnect {
  uint8_t full_ratio;
  uint8_t write_ratio;  ///< Share of a write that starts the media, from page 21h.
  bool write_counts;    ///< `write_ratio` is a number of blocks: MODE_CONTROLLER_COUNTS.
  uint8_t empty_ratio;
};

/// Limits of the time and the data for which the drive may keep the bus. A tenancy lasts from a
/// selection or reselection to bus free.
struct mode_tenancy {
  bool any;                   ///< Any limit is not 0.
  bool dimm;                  ///< No data move in the tenancy in which the command comes.
  uint8_t dtdc;               ///< enum mode_dtdc
  uint32_t inactivity_ticks;  ///< Limit of idle time on the bus; 0: no limit, as in the next three.
  uint32_t disconnect_ticks;
  uint32_t connect_ticks;
  uint32_t burst_blocks;
};

/// A ratio's share of so many blocks, 1 or more. It is rounded down, as SPC-2 8.3.7 requires for
/// ratios that a drive does not support.
static inline uint32_t mode_ratio_blocks(uint8_t ratio, uint32_t blocks) {
  if (ratio == MODE_RATIO_ALL) return blocks;
  const uint32_t share = (blocks >> 8) * ratio + (((blocks & 0xFFU) * ratio) >> 8);
  return share > 0 ? share : 1;
}

/// Page 21h with COUNTS: the media begin when the page's number of the write's blocks are in the
/// buffer, or all of a shorter write. From MODE_LONG_WRITE_BLOCKS on the number is half as large
/// again. Source: DiskSim 4.0's disk module has 10, 15 and 45, for drives whose writes leave the
/// bus once more before their data.
#define MODE_LONG_WRITE_BLOCKS 45U

/// The number of a write's blocks, 1 or more, that must be in the buffer before the media begin
/// with it.
static inline uint32_t mode_write_start_blocks(const struct mode_disconnect* mode,
                                               uint32_t blocks) {
  if (!mode->write_counts) return mode_ratio_blocks(mode->write_ratio, blocks);
  const uint32_t count = mode->write_ratio;
  const uint32_t wanted = blocks < MODE_LONG_WRITE_BLOCKS ? count : count + count / 2;
  return wanted < blocks ? wanted : blocks;
}

/// Page 21h. If all times are 0, a command takes no more than the firmware does. The page describes
/// drives whose own controller was slower, and whose times were measured. The share of a write
/// counts as page 02h's do. A write that is longer than its part of the buffer needs no more than
/// that part, full. A read whose share is all of it waits as without RESELECTS_AHEAD.
#define MODE_CONTROLLER_UNIT_TICKS 4U

/// Bytes of page 21h whose bits are fields.
enum mode_controller_bits {
  MODE_CONTROLLER_AT_AHEAD = MODE_CONTROLLER_AT_JOINS,
  MODE_CONTROLLER_AT_MORE = MODE_CONTROLLER_AT_READS_FREE,
};

struct mode_controller {
  bool joins;                             ///< MODE_CONTROLLER_JOINS
  bool takes_time;                        ///< `ticks` or far_write_ticks are not all 0.
  bool far_in_sequence;                   ///< MODE_CONTROLLER_FAR_IN_SEQUENCE
  uint32_t ticks[MODE_CONTROLLER_TIMES];  ///< Times in the order of controller_row().
  uint32_t far_write_ticks;               ///< MODE_STAGE_FAR_WRITE
  uint32_t write_hold_ticks;              ///< MODE_STAGE_WRITE_HOLD
  uint32_t access_ticks;                  ///< MODE_CONTROLLER_ACCESS
};

/// The times of the stages on the bus.
struct mode_controller_stages {
  bool any;    ///< Any of `ticks` is not 0, or struct mode_tenancy has limits.
  bool ahead;  ///< MODE_CONTROLLER_RESELECTS_AHEAD
  uint32_t ticks[MODE_CONTROLLER_STAGES];
};

/// The row of the time for a command: reads first, then commands after a read, then misses. A write
/// that is reported from the buffer is a hit. It has the time after a write on the track where the
/// write before it ended. Elsewhere it has that after a read: the controller has to move the arm.
static inline uint32_t controller_row(bool is_write, bool follows_write, bool is_hit) {
  return (is_write ? 4U : 0U) + (follows_write ? 2U : 0U) + (is_hit ? 1U : 0U);
}

/// Page 22h.
struct mode_write_buffer {
#define MODE_HAS(page) ((page) == 0x22)
#define MODE_FIELD(page, field, name, byte, bit, bits, ...) MODE_UINT_##bits name;
#include "firmware/unit/modes.def"
};

/// Page 23h. The drive keeps the page with its map: current and saved values are the same.
struct mode_remap {
#define MODE_HAS(page) ((page) == 0x23)
#define MODE_FIELD(page, field, name, byte, bit, bits, ...) MODE_UINT_##bits name;
#include "firmware/unit/modes.def"
};

/// Page 1Ch/01h: the background medium scan (transfer/scan.h).
struct mode_background {
#define MODE_HAS(page) ((page) == 0x5C)
#define MODE_FIELD(page, field, name, byte, bit, bits, ...) MODE_UINT_##bits name;
#include "firmware/unit/modes.def"
};

/// The byte of page 23h that says which map is to be made.
#define MODE_REMAP_AT_MAKES MODE_REMAP_AT_METHOD

static inline bool mode_remap_is_same(const struct mode_remap* a, const struct mode_remap* b) {
  bool is_same = true;
#define MODE_HAS(page) ((page) == 0x23)
#define MODE_FIELD(page, field, name, ...) is_same = is_same && a->name == b->name;
#include "firmware/unit/modes.def"
  return is_same;
}

/// The page's bytes from 2 on, as the drive keeps them.
#define MODE_REMAP_PACKED_BYTES (MODE_REMAP_BYTES - MODE_PAGE_HEADER_BYTES)
void mode_remap_pack(const struct mode_remap* mode, uint8_t* bytes);
void mode_remap_unpack(const uint8_t* bytes, struct mode_remap* mode);

/// Bits of byte 2 of pages 01h and 07h. RC and EER stay 0 (SCSI-2 9.3.3.6): the formatter stops at
/// an error, and there is one way to recover.
enum mode_recovery_bit {
  MODE_RECOVERY_AWRE = MODE_ERROR_RECOVERY_AWRE,
  MODE_RECOVERY_ARRE = MODE_ERROR_RECOVERY_ARRE,
  MODE_RECOVERY_TB = MODE_ERROR_RECOVERY_TB,
  MODE_RECOVERY_PER = MODE_ERROR_RECOVERY_PER,
  MODE_RECOVERY_DTE = MODE_ERROR_RECOVERY_DTE,
  MODE_RECOVERY_DCR = MODE_ERROR_RECOVERY_DCR,
};

struct mode_pages {
  uint8_t current[MODE_PAGES_BYTES];
  uint8_t saved[MODE_PAGES_BYTES];
  uint8_t defaults[MODE_PAGES_BYTES];
  uint8_t streams[STREAM_PAGE_BYTES];  ///< Current values of subpage 20h/01h.
  uint8_t saved_streams[STREAM_PAGE_BYTES];
  bool selected;        ///< A MODE SELECT has come since power-on.
  bool selected_remap;  ///< A MODE SELECT of page 23h has come since power-on.
};

/// Power-on: sets all three from the tables and the drive's design.
void mode_pages_init(struct mode_pages* modes, const struct unit_config* config);

/// Reset: sets current values from the saved ones (SCSI-2 9.3.3).
void mode_pages_reset(struct mode_pages* modes);

/// The content of the store: the pages, and the subpage of streams.
#define MODE_PAGES_SAVED_BYTES (MODE_PAGES_BYTES + STREAM_PAGE_BYTES)

/// Writes the current values in the store's format.
void mode_pages_pack(const struct mode_pages* modes, uint8_t* bytes);

/// Makes the packed values the saved ones, except for page 23h, which stays as it is.
void mode_pages_set_saved(struct mode_pages* modes, const uint8_t* packed);

/// Loads saved values from the store at power-on. Values of another length come from another
/// firmware, and are ignored. They become the current ones, too, unless a MODE SELECT came before.
/// @return whether current values changed.
bool mode_pages_load(struct mode_pages* modes, const uint8_t* packed, uint32_t bytes);

/// The current value of a field: `MODE_VALUE(modes, CACHING, WCE)`; of element `index` of an array.
#define MODE_VALUE(modes, page, field) MODE_GET((modes)->current + MODE_OFFSET_##page, page, field)
#define MODE_VALUE_AT(modes, page, field, index) \
  MODE_GET_AT((modes)->current + MODE_OFFSET_##page, page, field, index)

// Decoded values for the rest of the drive.
void mode_pages_scheduler(const struct mode_pages* modes, struct mode_scheduler* scheduler);
void mode_pages_caching(const struct mode_pages* modes, struct mode_caching* caching);
void mode_pages_write_buffer(const struct mode_pages* modes, struct mode_write_buffer* buffer);
void mode_pages_remap(const struct mode_pages* modes, struct mode_remap* remap);
void mode_pages_background(const struct mode_pages* modes, struct mode_background* background);
/// Sets the current and the saved values of page 23h.
void mode_pages_set_remap(struct mode_pages* modes, const struct mode_remap* remap);
void mode_pages_disconnect(const struct mode_pages* modes, struct mode_disconnect* disconnect);
void mode_pages_tenancy(const struct mode_pages* modes, struct mode_tenancy* tenancy);
void mode_pages_controller(const struct mode_pages* modes, struct mode_controller* controller);
void mode_pages_controller_stages(const struct mode_pages* modes,
                                  struct mode_controller_stages* stages);
void mode_pages_streams(const struct mode_pages* modes,
                        struct policy_stream streams[POLICY_STREAMS]);
/// Byte 2 of page 01h or 07h: which recovery is allowed, and what is reported.
uint8_t mode_recovery(const struct mode_pages* modes, enum mode_page_code page);
uint8_t mode_read_retry_count(const struct mode_pages* modes);
uint8_t mode_write_retry_count(const struct mode_pages* modes);
uint8_t mode_verify_retry_count(const struct mode_pages* modes);
/// Whether SIMPLE tasks may pass each other even where they overlap (control page, queue algorithm
/// modifier 1h).
bool mode_unrestricted_reordering(const struct mode_pages* modes);

/// What a CHECK CONDITION does to other tasks.
enum mode_queue_error mode_queue_error(const struct mode_pages* modes);

/// Whether the drive has the page and subpage that MODE SENSE requests.
enum mode_page_found {
  MODE_FOUND,
  MODE_NO_PAGE,
  MODE_NO_SUBPAGE,
  MODE_NOT_SAVED,  ///< Saved values of a page that cannot be saved.
};

/// Appends pages to `bytes`, in ascending order, vendor pages too. They are one page or
/// MODE_PAGE_ALL, without subpages, with one, or with MODE_SUBPAGE_ALL. For several, saved values
/// are those of the pages that have any.
/// @param[out] count  Bytes written, at most MODE_PAGES_BYTES + DURATION_PAGES_BYTES +
/// STREAM_PAGE_BYTES.
enum mode_page_found mode_pages_get(const struct mode_view* view, uint8_t page, uint8_t subpage,
                                    enum mode_page_control control, uint8_t* bytes,
                                    uint32_t* count);

// ---- what MODE SELECT needs of a page (device/mode_select.h)

struct mode_page_row {
  uint8_t code;
  uint8_t subpage;  ///< MODE_SUBPAGE_NONE for a page itself.
  uint8_t bytes;    ///< Number of bytes of the page, with its header.
  uint8_t offset;   ///< Offset in the arrays of struct mode_pages: enum mode_page_offset.
  uint8_t saved;    ///< enum mode_saved
};

/// @return the row of a page or subpage, or NULL: there is none, or it has descriptors.
const struct mode_page_row* mode_page_find(uint8_t code, uint8_t subpage);
/// @return the row of a page whose bytes these are, or NULL. PS must be 0.
const struct mode_page_row* mode_page_of(const uint8_t* page);
enum mode_layout mode_page_layout(const struct mode_page_row* row);

/// Whether any subpage has this page code.
bool mode_page_has_subpages(uint8_t code);

/// Whether the subpage is that of streams, or one of those of duration limits.
bool mode_page_is_streams(uint8_t page, uint8_t subpage);
bool mode_page_is_of_durations(uint8_t page, uint8_t subpage);

/// Bytes of a block, from page 03h.
uint32_t mode_pages_block_bytes(const struct mode_pages* modes);

/// Decode a page with its header.
void mode_scheduler_unpack(const uint8_t* bytes, struct mode_scheduler* mode);
void mode_write_buffer_unpack(const uint8_t* bytes, struct mode_write_buffer* mode);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_MODE_PAGE_H
