// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/mode_page.h"

#define FILE_ID FILE_ID_MODE_PAGE
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/queue/write_buffer.h"
#include "firmware/scsi/duration_page.h"
#include "firmware/scsi/scsi_config.h"
#include "firmware/scsi/scsi_core.h"

/// Byte 0 of a page: the drive can save it (SPC-2 8.3.1: PS).
#define PAGE_SAVEABLE 0x80U
#define PAGE_CODE 0x3FU
/// Byte 0: subpage format, with the subpage in byte 1 and the length in bytes 2-3 (SPC-3 7.4.5).
#define MODE_SUBPAGE_FORMAT 0x40U
#define PAGE_HEADER_BYTES 2U
#define MODE_SUBPAGE_HEADER_BYTES 4U
#define PAGE_BYTES_MAX MODE_CONTROLLER_BYTES
#define REMAP_BYTES 20U

/// Offsets of the pages in the arrays of struct mode_pages.
enum page_offset {
  AT_ERROR_RECOVERY = 0,
  AT_DISCONNECT_RECONNECT = AT_ERROR_RECOVERY + 12,
  AT_FORMAT_DEVICE = AT_DISCONNECT_RECONNECT + MODE_DISCONNECT_BYTES,
  AT_RIGID_GEOMETRY = AT_FORMAT_DEVICE + 24,
  AT_VERIFY_RECOVERY = AT_RIGID_GEOMETRY + 24,
  AT_CACHING = AT_VERIFY_RECOVERY + 12,
  AT_CONTROL = AT_CACHING + MODE_CACHING_BYTES,
  AT_EXCEPTIONS = AT_CONTROL + 12,
  AT_SCHEDULER = AT_EXCEPTIONS + 12,
  AT_CONTROLLER = AT_SCHEDULER + 24,
  AT_WRITE_BUFFER = AT_CONTROLLER + MODE_CONTROLLER_BYTES,
  AT_REMAP = AT_WRITE_BUFFER + MODE_WRITE_BUFFER_BYTES,
  AT_END = AT_REMAP + REMAP_BYTES,
};
STATIC_ASSERT(AT_END == MODE_PAGES_BYTES, "the pages fill the array");
STATIC_ASSERT(REMAP_BYTES == PAGE_HEADER_BYTES + MODE_REMAP_BYTES, "page 23h");

/// Attempts after the first, at power-on.
#define RETRY_COUNT 8U

/// Page 03h (SCSI-2 9.3.3.3).
#define FORMAT_AT_BLOCK_BYTES 12U

/// Page 08h, byte 2 and byte 12.
#define CACHING_WCE 0x04U
#define CACHING_RCD 0x01U
#define CACHING_DRA 0x20U
#define CACHING_AT_SEGMENTS 13U
#define CACHING_AT_SEGMENT_BLOCKS 14U

struct page_row {
  uint8_t code;
  uint8_t bytes;   ///< All of the page, with its two header bytes.
  uint8_t offset;  ///< enum page_offset
  uint8_t changeable[PAGE_BYTES_MAX];
  uint8_t defaults[PAGE_BYTES_MAX];  ///< Values that do not depend on the drive's design.
};

/// Pages in MODE SENSE's order. Bytes 0 and 1 are made from `code` and `bytes`.
static const struct page_row page_table[] = {
    // SBC-2 6.3.4: byte 3 read retries, byte 8 write retries. At power-on no block is reassigned
    // automatically, and no recovered error is reported.
    {MODE_PAGE_ERROR_RECOVERY,
     12,
     AT_ERROR_RECOVERY,
     {[2] = MODE_RECOVERY_AWRE | MODE_RECOVERY_ARRE | MODE_RECOVERY_TB | MODE_RECOVERY_PER |
            MODE_RECOVERY_DTE | MODE_RECOVERY_DCR,
      [3] = 0xFF,
      [8] = 0xFF},
     {[3] = RETRY_COUNT, [8] = RETRY_COUNT}},
    // SCSI-2 8.3.3.2, SPC-2 8.3.7: no limits; half of a read's run. EMDP and fair arbitration
    // (SPC-2) stay 0: data move in order, and SCSI-2 knows no fairness.
    {MODE_PAGE_DISCONNECT_RECONNECT,
     MODE_DISCONNECT_BYTES,
     AT_DISCONNECT_RECONNECT,
     {[MODE_DISCONNECT_AT_FULL] = 0xFF,
      [MODE_DISCONNECT_AT_EMPTY] = 0xFF,
      [4] = 0xFF,
      [5] = 0xFF,
      [6] = 0xFF,
      [7] = 0xFF,
      [8] = 0xFF,
      [9] = 0xFF,
      [10] = 0xFF,
      [11] = 0xFF,
      [MODE_DISCONNECT_AT_CONTROL] = MODE_DISCONNECT_DIMM | MODE_DISCONNECT_DTDC},
     {[MODE_DISCONNECT_AT_FULL] = MODE_RATIO_HALF_RUN}},
    // SCSI-2 9.3.3.3: byte 15 interleave 1, byte 20 hard sectoring.
    {MODE_PAGE_FORMAT_DEVICE, 24, AT_FORMAT_DEVICE, {0}, {[15] = 1, [20] = 0x40}},
    {MODE_PAGE_RIGID_GEOMETRY, 24, AT_RIGID_GEOMETRY, {0}, {0}},
    // SBC-2 6.3.5: byte 3 verify retries.
    {MODE_PAGE_VERIFY_RECOVERY,
     12,
     AT_VERIFY_RECOVERY,
     {[2] = MODE_RECOVERY_PER | MODE_RECOVERY_DTE | MODE_RECOVERY_DCR, [3] = 0xFF},
     {[3] = RETRY_COUNT}},
    // SBC-2 6.3.3. Pre-fetch: for transfers of any length, as far as the segment goes; the ceiling
    // (bytes 10-11) is that of the field.
    {MODE_PAGE_CACHING,
     MODE_CACHING_BYTES,
     AT_CACHING,
     {[2] = CACHING_WCE | CACHING_RCD,
      [4] = 0xFF,
      [5] = 0xFF,
      [8] = 0xFF,
      [9] = 0xFF,
      [12] = CACHING_DRA,
      [13] = 0xFF,
      [14] = 0xFF,
      [15] = 0xFF},
     {[2] = CACHING_RCD,
      [4] = 0xFF,
      [5] = 0xFF,
      [8] = 0xFF,
      [9] = 0xFF,
      [10] = 0xFF,
      [11] = 0xFF,
      [CACHING_AT_SEGMENTS] = MODE_CACHING_SEGMENTS_DEFAULT}},
    // SPC-2 8.3.6: byte 3 queue algorithm modifier F0h, QERR 06h.
    {MODE_PAGE_CONTROL, 12, AT_CONTROL, {[3] = 0xF6}, {0}},
    // SPC-2 8.3.8: byte 2 DEXCPT 08h: no failure is predicted.
    {MODE_PAGE_EXCEPTIONS, 12, AT_EXCEPTIONS, {0}, {[2] = 0x08}},
    {MODE_PAGE_SCHEDULER,
     24,
     AT_SCHEDULER,
     {[2] = 0xFF,  [3] = 0xFF,  [4] = 0xFF,  [5] = 0xFF,  [8] = 0xFF,  [9] = 0xFF,  [10] = 0xFF,
      [11] = 0xFF, [12] = 0xFF, [13] = 0xFF, [14] = 0xFF, [15] = 0xFF, [16] = 0xFF, [17] = 0xFF,
      [18] = 0xFF, [19] = 0xFF, [20] = 0xFF, [21] = 0xFF, [22] = 0xFF, [23] = 0xFF},
     {0}},
    {MODE_PAGE_CONTROLLER,
     MODE_CONTROLLER_BYTES,
     AT_CONTROLLER,
     {[2] = 0xFF,
      [3] = 0xFF,
      [4] = 0xFF,
      [5] = 0xFF,
      [6] = 0xFF,
      [7] = 0xFF,
      [8] = 0xFF,
      [9] = 0xFF,
      [10] = 0xFF,
      [11] = 0xFF,
      [12] = 0xFF,
      [13] = 0xFF,
      [14] = 0xFF,
      [15] = 0xFF,
      [16] = 0xFF,
      [17] = 0xFF,
      [MODE_CONTROLLER_AT_AHEAD] = MODE_AHEAD_ONE_TRACK | MODE_AHEAD_MISSES | MODE_AHEAD_OVER |
                                   MODE_KEEPS_WRITTEN | MODE_CONTROLLER_JOINS |
                                   MODE_CONTROLLER_COUNTS | MODE_RESELECTS_AHEAD |
                                   MODE_FAR_IN_SEQUENCE,
      [MODE_CONTROLLER_AT_WRITES] = 0xFF,
      [20] = 0xFF,
      [21] = 0xFF,
      [22] = 0xFF,
      [23] = 0xFF,
      [24] = 0xFF,
      [25] = 0xFF,
      [26] = 0xFF,
      [27] = 0xFF,
      [28] = 0xFF,
      [29] = 0xFF,
      [30] = 0xFF,
      [31] = 0xFF,
      [32] = 0xFF,
      [33] = 0xFF,
      [MODE_CONTROLLER_AT_MORE] = MODE_READS_FREE},
     {0}},
    {MODE_PAGE_WRITE_BUFFER,
     MODE_WRITE_BUFFER_BYTES,
     AT_WRITE_BUFFER,
     {[2] = 0xFF,
      [3] = 0xFF,
      [4] = 0xFF,
      [5] = 0xFF,
      [6] = 0xFF,
      [7] = 0xFF,
      [8] = 0xFF,
      [9] = 0xFF},
     {0}},
    {MODE_PAGE_REMAP,
     REMAP_BYTES,
     AT_REMAP,
     {[MODE_REMAP_AT_FLAGS] = MODE_REMAP_LEARNS | MODE_REMAP_MOVES | MODE_REMAP_CHOOSES,
      [MODE_REMAP_AT_MAP] = 0xFF,
      [MODE_REMAP_AT_SHARE] = 0xFF,
      [MODE_REMAP_AT_MAKES] = 0xFF,
      [6] = 0xFF,
      [7] = 0xFF,
      [8] = 0xFF,
      [9] = 0xFF,
      [10] = 0xFF,
      [11] = 0xFF,
      [12] = 0xFF,
      [13] = 0xFF,
      [14] = 0xFF,
      [15] = 0xFF,
      [16] = 0xFF,
      [17] = 0xFF,
      [18] = 0xFF,
      [19] = 0xFF},
     {0}},
};
#define PAGE_COUNT (sizeof(page_table) / sizeof(page_table[0]))

static const struct page_row* find_page(uint8_t code) {
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) {
    if (page_table[i].code == code) return &page_table[i];
  }
  return NULL;
}

/// Values from the drive's design: pages 03h, 04h (SCSI-2 9.3.3.3, 9.3.3.7) and 20h.
static void put_design(uint8_t* values, const struct scsi_config* config) {
  uint8_t* format = values + AT_FORMAT_DEVICE;
  bytes_put_be16(format + 2, config->heads);  // tracks per zone: a cylinder
  bytes_put_be16(format + 10, config->sectors_per_track);
  bytes_put_be16(format + FORMAT_AT_BLOCK_BYTES, config->block_bytes);
  uint8_t* rigid = values + AT_RIGID_GEOMETRY;
  bytes_put_be24(rigid + 2, config->cylinders);
  rigid[5] = (uint8_t)config->heads;
  bytes_put_be16(rigid + 20, config->rotation_rpm);
  uint8_t* caching = values + AT_CACHING;
  bytes_put_be16(caching + CACHING_AT_SEGMENT_BLOCKS, config->cache_segment_blocks);
  uint8_t* scheduler = values + AT_SCHEDULER;
  scheduler[2] = config->default_policy;
  bytes_put_be16(scheduler + MODE_SCHEDULER_AT_MARGIN, config->default_margin_us);
}

void mode_pages_init(struct mode_pages* modes, const struct scsi_config* config) {
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) {
    const struct page_row* row = &page_table[i];
    uint8_t* page = modes->defaults + row->offset;
    bytes_copy(page, row->defaults, row->bytes);
    page[0] = (uint8_t)((config->keeps_modes ? PAGE_SAVEABLE : 0U) | row->code);
    page[1] = (uint8_t)(row->bytes - PAGE_HEADER_BYTES);
  }
  put_design(modes->defaults, config);
  modes->selected = modes->selected_remap = false;
  bytes_copy(modes->saved, modes->defaults, MODE_PAGES_BYTES);
  stream_page_put_default(modes->saved_streams);
  mode_pages_reset(modes);
}

void mode_pages_reset(struct mode_pages* modes) {
  bytes_copy(modes->current, modes->saved, MODE_PAGES_BYTES);
  bytes_copy(modes->streams, modes->saved_streams, STREAM_PAGE_BYTES);
}

void mode_pages_pack(const struct mode_pages* modes, uint8_t* bytes) {
  bytes_copy(bytes, modes->current, MODE_PAGES_BYTES);
  bytes_copy(bytes + MODE_PAGES_BYTES, modes->streams, STREAM_PAGE_BYTES);
}

static void unpack_saved(struct mode_pages* modes, const uint8_t* packed) {
  bytes_copy(modes->saved, packed, MODE_PAGES_BYTES);
  bytes_copy(modes->saved_streams, packed + MODE_PAGES_BYTES, STREAM_PAGE_BYTES);
}

void mode_pages_set_saved(struct mode_pages* modes, const uint8_t* packed) {
  unpack_saved(modes, packed);
  // A MODE SELECT may have changed page 23h since they were packed.
  bytes_copy(modes->saved + AT_REMAP, modes->current + AT_REMAP, REMAP_BYTES);
}

bool mode_pages_load(struct mode_pages* modes, const uint8_t* packed, uint32_t bytes) {
  if (bytes != MODE_PAGES_SAVED_BYTES) return false;
  unpack_saved(modes, packed);
  if (modes->selected) return false;
  mode_pages_reset(modes);
  return true;
}

static void decode_scheduler(const uint8_t* page, struct mode_scheduler* scheduler) {
  scheduler->policy = page[MODE_SCHEDULER_AT_POLICY];
  scheduler->flags = page[MODE_SCHEDULER_AT_FLAGS];
  scheduler->margin_us = bytes_get_be16(page + MODE_SCHEDULER_AT_MARGIN);
  for (uint32_t i = 0; i < MODE_SCHEDULER_PARAMETERS; ++i) {
    scheduler->parameter[i] = bytes_get_be32(page + MODE_SCHEDULER_AT_PARAMETERS + 4 * i);
  }
}

void mode_pages_scheduler(const struct mode_pages* modes, struct mode_scheduler* scheduler) {
  decode_scheduler(modes->current + AT_SCHEDULER, scheduler);
}

void mode_pages_caching(const struct mode_pages* modes, struct mode_caching* caching) {
  const uint8_t* page = modes->current + AT_CACHING;
  caching->reads = (page[2] & CACHING_RCD) == 0;
  caching->writes = (page[2] & CACHING_WCE) != 0;
  caching->segments = page[CACHING_AT_SEGMENTS];
  caching->segment_blocks = bytes_get_be16(page + CACHING_AT_SEGMENT_BLOCKS);
  caching->ahead_blocks = (page[12] & CACHING_DRA) != 0 ? 0 : bytes_get_be16(page + 8);
  caching->ahead_task_blocks = bytes_get_be16(page + 4);
  caching->ahead_bits = modes->current[AT_CONTROLLER + MODE_CONTROLLER_AT_AHEAD];
  const uint8_t more = modes->current[AT_CONTROLLER + MODE_CONTROLLER_AT_MORE];
  caching->reads_free = (more & MODE_READS_FREE) != 0;
}

void mode_pages_disconnect(const struct mode_pages* modes, struct mode_disconnect* disconnect) {
  const uint8_t* page = modes->current + AT_DISCONNECT_RECONNECT;
  disconnect->full_ratio = page[MODE_DISCONNECT_AT_FULL];
  disconnect->empty_ratio = page[MODE_DISCONNECT_AT_EMPTY];
  disconnect->write_ratio = modes->current[AT_CONTROLLER + MODE_CONTROLLER_AT_WRITES];
  const uint8_t bits = modes->current[AT_CONTROLLER + MODE_CONTROLLER_AT_AHEAD];
  disconnect->write_counts = (bits & MODE_CONTROLLER_COUNTS) != 0;
}

static uint32_t block_bytes_of(const struct mode_pages* modes) {
  return bytes_get_be16(modes->defaults + AT_FORMAT_DEVICE + FORMAT_AT_BLOCK_BYTES);
}

void mode_pages_tenancy(const struct mode_pages* modes, struct mode_tenancy* tenancy) {
  const uint8_t* page = modes->current + AT_DISCONNECT_RECONNECT;
  const uint32_t unit = MODE_TENANCY_UNIT_TICKS;
  const uint32_t burst_bytes =
      bytes_get_be16(page + MODE_DISCONNECT_AT_BURST) * MODE_BURST_UNIT_BYTES;
  tenancy->inactivity_ticks = bytes_get_be16(page + MODE_DISCONNECT_AT_INACTIVITY) * unit;
  tenancy->disconnect_ticks = bytes_get_be16(page + MODE_DISCONNECT_AT_DISCONNECT) * unit;
  tenancy->connect_ticks = bytes_get_be16(page + MODE_DISCONNECT_AT_CONNECT) * unit;
  tenancy->burst_blocks = burst_bytes == 0 ? 0 : burst_bytes / block_bytes_of(modes);
  tenancy->dtdc = page[MODE_DISCONNECT_AT_CONTROL] & MODE_DISCONNECT_DTDC;
  tenancy->dimm = (page[MODE_DISCONNECT_AT_CONTROL] & MODE_DISCONNECT_DIMM) != 0;
  tenancy->any = tenancy->inactivity_ticks != 0 || tenancy->disconnect_ticks != 0 ||
                 tenancy->connect_ticks != 0 || tenancy->burst_blocks != 0 || tenancy->dtdc != 0 ||
                 tenancy->dimm;
}

static uint32_t stage_ticks(const struct mode_pages* modes, enum mode_controller_stage stage) {
  const uint8_t* stages = modes->current + AT_CONTROLLER + MODE_CONTROLLER_AT_STAGES;
  return bytes_get_be16(stages + 2U * (uint32_t)stage) * MODE_CONTROLLER_UNIT_TICKS;
}

void mode_pages_controller(const struct mode_pages* modes, struct mode_controller* controller) {
  const uint8_t* times = modes->current + AT_CONTROLLER + MODE_CONTROLLER_AT_TIMES;
  const uint8_t bits = modes->current[AT_CONTROLLER + MODE_CONTROLLER_AT_AHEAD];
  controller->joins = (bits & MODE_CONTROLLER_JOINS) != 0;
  controller->far_in_sequence = (bits & MODE_FAR_IN_SEQUENCE) != 0;
  controller->takes_time = false;
  for (uint32_t i = 0; i < MODE_CONTROLLER_TIMES; ++i) {
    controller->ticks[i] = bytes_get_be16(times + 2 * i) * MODE_CONTROLLER_UNIT_TICKS;
    controller->takes_time = controller->takes_time || controller->ticks[i] != 0;
  }
  controller->far_write_ticks = stage_ticks(modes, MODE_STAGE_FAR_WRITE);
  controller->takes_time = controller->takes_time || controller->far_write_ticks != 0;
  controller->write_hold_ticks = stage_ticks(modes, MODE_STAGE_WRITE_HOLD);
}

void mode_pages_controller_stages(const struct mode_pages* modes,
                                  struct mode_controller_stages* stages) {
  const uint8_t bits = modes->current[AT_CONTROLLER + MODE_CONTROLLER_AT_AHEAD];
  stages->ahead = (bits & MODE_RESELECTS_AHEAD) != 0;
  stages->any = false;
  for (uint32_t i = 0; i < MODE_CONTROLLER_STAGES; ++i) {
    stages->ticks[i] = stage_ticks(modes, (enum mode_controller_stage)i);
    stages->any = stages->any || stages->ticks[i] != 0;
  }
}

static void decode_write_buffer(const uint8_t* page, struct mode_write_buffer* buffer) {
  buffer->threshold = page[MODE_WRITE_BUFFER_AT_THRESHOLD];
  buffer->below = page[MODE_WRITE_BUFFER_AT_FRAMES];
  buffer->rate_milli = bytes_get_be32(page + MODE_WRITE_BUFFER_AT_RATE);
  buffer->scale_milli = (uint16_t)bytes_get_be16(page + MODE_WRITE_BUFFER_AT_SCALE);
}

void mode_pages_write_buffer(const struct mode_pages* modes, struct mode_write_buffer* buffer) {
  decode_write_buffer(modes->current + AT_WRITE_BUFFER, buffer);
}

void mode_remap_pack(const struct mode_remap* mode, uint8_t* bytes) {
  uint8_t* page = bytes - PAGE_HEADER_BYTES;
  bytes_fill(bytes, 0, MODE_REMAP_BYTES);
  page[MODE_REMAP_AT_FLAGS] = mode->flags;
  page[MODE_REMAP_AT_MAP] = mode->map;
  page[MODE_REMAP_AT_SHARE] = mode->share;
  bytes_put_be16(page + MODE_REMAP_AT_IDLE, mode->idle_ms);
  bytes_put_be32(page + MODE_REMAP_AT_FIRST, mode->first_block);
  bytes_put_be16(page + MODE_REMAP_AT_UNIT, mode->unit_blocks);
  bytes_put_be16(page + MODE_REMAP_AT_GROUP, mode->group_blocks);
  page[MODE_REMAP_AT_MAKES] = (uint8_t)(mode->method << 4 | mode->into);
  bytes_put_be16(page + MODE_REMAP_AT_TRIALS, mode->trials_thousands);
  bytes_put_be16(page + MODE_REMAP_AT_HOTTEST, mode->hottest);
}

void mode_remap_unpack(const uint8_t* bytes, struct mode_remap* mode) {
  const uint8_t* page = bytes - PAGE_HEADER_BYTES;
  *mode = (struct mode_remap){.flags = page[MODE_REMAP_AT_FLAGS],
                              .map = page[MODE_REMAP_AT_MAP],
                              .share = page[MODE_REMAP_AT_SHARE],
                              .idle_ms = bytes_get_be16(page + MODE_REMAP_AT_IDLE),
                              .first_block = bytes_get_be32(page + MODE_REMAP_AT_FIRST),
                              .unit_blocks = bytes_get_be16(page + MODE_REMAP_AT_UNIT),
                              .group_blocks = bytes_get_be16(page + MODE_REMAP_AT_GROUP),
                              .into = page[MODE_REMAP_AT_MAKES] & 0x0FU,
                              .method = page[MODE_REMAP_AT_MAKES] >> 4,
                              .trials_thousands = bytes_get_be16(page + MODE_REMAP_AT_TRIALS),
                              .hottest = bytes_get_be16(page + MODE_REMAP_AT_HOTTEST)};
}

void mode_pages_remap(const struct mode_pages* modes, struct mode_remap* remap) {
  mode_remap_unpack(modes->current + AT_REMAP + PAGE_HEADER_BYTES, remap);
}

void mode_pages_set_remap(struct mode_pages* modes, const struct mode_remap* remap) {
  mode_remap_pack(remap, modes->current + AT_REMAP + PAGE_HEADER_BYTES);
  mode_remap_pack(remap, modes->saved + AT_REMAP + PAGE_HEADER_BYTES);
}

void mode_pages_streams(const struct mode_pages* modes,
                        struct policy_stream streams[POLICY_STREAMS]) {
  stream_page_decode(modes->streams, streams);
}

uint8_t mode_recovery(const struct mode_pages* modes, enum mode_page_code page) {
  return modes->current[find_page((uint8_t)page)->offset + 2];
}

uint8_t mode_read_retry_count(const struct mode_pages* modes) {
  return modes->current[AT_ERROR_RECOVERY + 3];
}

uint8_t mode_write_retry_count(const struct mode_pages* modes) {
  return modes->current[AT_ERROR_RECOVERY + 8];
}

uint8_t mode_verify_retry_count(const struct mode_pages* modes) {
  return modes->current[AT_VERIFY_RECOVERY + 3];
}

static uint8_t algorithm_modifier(const uint8_t* control_page) { return control_page[3] >> 4; }
static uint8_t queue_error(const uint8_t* control_page) { return control_page[3] >> 1 & 3U; }

/// SPC-2 table 156.
#define ALGORITHM_UNRESTRICTED 1U

bool mode_unrestricted_reordering(const struct mode_pages* modes) {
  return algorithm_modifier(modes->current + AT_CONTROL) == ALGORITHM_UNRESTRICTED;
}

enum mode_queue_error mode_queue_error(const struct mode_pages* modes) {
  return (enum mode_queue_error)queue_error(modes->current + AT_CONTROL);
}

static void get_page(const struct mode_pages* modes, const struct page_row* row,
                     enum mode_page_control control, uint8_t* bytes) {
  switch (control) {
    case MODE_CURRENT: bytes_copy(bytes, modes->current + row->offset, row->bytes); break;
    case MODE_DEFAULT: bytes_copy(bytes, modes->defaults + row->offset, row->bytes); break;
    case MODE_SAVED: bytes_copy(bytes, modes->saved + row->offset, row->bytes); break;
    case MODE_CHANGEABLE:
      bytes_copy(bytes, row->changeable, row->bytes);
      bytes_copy(bytes, modes->defaults + row->offset, PAGE_HEADER_BYTES);
      break;
    default: ASSERT_UNREACHABLE();
  }
}

/// The page can be saved where page 20h can, and all its values have PS set (SPC-2 8.3.1).
static uint32_t get_streams(const struct mode_pages* modes, enum mode_page_control control,
                            uint8_t* bytes) {
  switch (control) {
    case MODE_CURRENT: bytes_copy(bytes, modes->streams, STREAM_PAGE_BYTES); break;
    case MODE_CHANGEABLE: stream_page_put_changeable(bytes); break;
    case MODE_DEFAULT: stream_page_put_default(bytes); break;
    case MODE_SAVED: bytes_copy(bytes, modes->saved_streams, STREAM_PAGE_BYTES); break;
    default: ASSERT_UNREACHABLE();
  }
  bytes[0] |= modes->defaults[AT_SCHEDULER] & PAGE_SAVEABLE;
  return STREAM_PAGE_BYTES;
}

/// @return bytes written: 0 of saved values.
static uint32_t get_subpage(const struct mode_view* view, uint32_t number,
                            enum mode_page_control control, uint8_t* bytes) {
  switch (control) {
    case MODE_CURRENT: duration_page_put_current(view->own, number, bytes); break;
    case MODE_CHANGEABLE: duration_page_put_changeable(number, bytes); break;
    case MODE_DEFAULT: duration_page_put_default(number, bytes); break;
    case MODE_SAVED: return 0;
    default: ASSERT_UNREACHABLE();
  }
  return duration_page_bytes(number);
}

/// Which subpages of the control page a request finds.
static uint32_t get_own_subpages(const struct mode_view* view, uint8_t subpage,
                                 enum mode_page_control control, uint8_t* bytes) {
  uint32_t count = 0;
  for (uint32_t number = 0; number < DURATION_PAGE_COUNT; ++number) {
    if (subpage != MODE_SUBPAGE_ALL && subpage != duration_page_subpage(number)) continue;
    count += get_subpage(view, number, control, bytes + count);
  }
  return count;
}

/// Which subpages of a page a request finds.
static uint32_t get_subpages(const struct mode_view* view, uint8_t page, uint8_t subpage,
                             enum mode_page_control control, uint8_t* bytes) {
  if (page == DURATION_PAGE_CODE) return get_own_subpages(view, subpage, control, bytes);
  if (page == STREAM_PAGE_CODE) return get_streams(view->shared, control, bytes);
  return 0;
}

static bool is_streams(uint8_t page, uint8_t subpage) {
  return page == STREAM_PAGE_CODE && subpage == STREAM_PAGE_SUBPAGE;
}

static bool is_of_durations(uint8_t page, uint8_t subpage) {
  return page == DURATION_PAGE_CODE && duration_page_find(subpage) < DURATION_PAGE_COUNT;
}

enum mode_page_found mode_pages_get(const struct mode_view* view, uint8_t page, uint8_t subpage,
                                    enum mode_page_control control, uint8_t* bytes,
                                    uint32_t* count) {
  const bool with_page = subpage == MODE_SUBPAGE_NONE || subpage == MODE_SUBPAGE_ALL;
  *count = 0;
  if (page != MODE_PAGE_ALL && find_page(page) == NULL) return MODE_NO_PAGE;
  if (!with_page) {
    const bool is_own = is_of_durations(page, subpage);
    if (!is_own && !is_streams(page, subpage)) return MODE_NO_SUBPAGE;
    if (is_own && control == MODE_SAVED) return MODE_NOT_SAVED;
  }
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) {
    const struct page_row* row = &page_table[i];
    if (page != MODE_PAGE_ALL && page != row->code) continue;
    if (with_page) {
      get_page(view->shared, row, control, bytes + *count);
      *count += row->bytes;
    }
    if (subpage == MODE_SUBPAGE_NONE) continue;
    *count += get_subpages(view, row->code, subpage, control, bytes + *count);
  }
  return MODE_FOUND;
}

/// Errors are no segments, and segments without blocks where the buffer has room for some.
/// @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_caching(const struct drive* drive, const uint8_t* page) {
  const uint32_t segments = page[CACHING_AT_SEGMENTS];
  if (segments == 0 || segments > MODE_CACHING_SEGMENTS_MAX) return CACHING_AT_SEGMENTS;
  if (bytes_get_be16(page + CACHING_AT_SEGMENT_BLOCKS) > 0) return 0;
  return core_cache_segment_limit(drive, segments) > 0 ? CACHING_AT_SEGMENT_BLOCKS : 0;
}

/// A threshold that counts frames needs them, and no other may have them. Only the threshold time
/// may have a rate.
/// @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_write_buffer(const uint8_t* page) {
  struct mode_write_buffer buffer;
  decode_write_buffer(page, &buffer);
  const bool counts =
      buffer.threshold == WRITE_THRESHOLD_SPACE || buffer.threshold == WRITE_THRESHOLD_FREE;
  if (buffer.threshold > WRITE_THRESHOLD_FREE) return MODE_WRITE_BUFFER_AT_THRESHOLD;
  if (counts != (buffer.below > 0)) return MODE_WRITE_BUFFER_AT_FRAMES;
  if (buffer.threshold == WRITE_THRESHOLD_TIME) return 0;
  if (buffer.rate_milli != 0) return MODE_WRITE_BUFFER_AT_RATE;
  return buffer.scale_milli != 0 ? MODE_WRITE_BUFFER_AT_SCALE : 0;
}

static uint32_t find_bad_remap(const struct drive* drive, const uint8_t* page) {
  struct mode_remap wanted;
  mode_remap_unpack(page + PAGE_HEADER_BYTES, &wanted);
  return core_remap_fault(drive, &wanted);
}

/// SCSI-2 8.3.3.2: reserved values of DTDC, and a burst size beside DTDC.
/// @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_disconnect(const uint8_t* page) {
  const uint8_t dtdc = page[MODE_DISCONNECT_AT_CONTROL] & MODE_DISCONNECT_DTDC;
  if (dtdc == MODE_DTDC_NONE) return 0;
  const bool reserved = dtdc != MODE_DTDC_DATA && dtdc != MODE_DTDC_COMMAND;
  const bool contradicts = bytes_get_be16(page + MODE_DISCONNECT_AT_BURST) != 0;
  return reserved || contradicts ? MODE_DISCONNECT_AT_CONTROL : 0;
}

/// Checks values that a mask cannot. @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_value(const struct drive* drive, const uint8_t* page) {
  struct mode_scheduler scheduler;
  switch (page[0] & PAGE_CODE) {
    case MODE_PAGE_ERROR_RECOVERY:
    case MODE_PAGE_VERIFY_RECOVERY:
      // SCSI-2 table 170: DTE without PER is invalid.
      return (page[2] & (MODE_RECOVERY_PER | MODE_RECOVERY_DTE)) == MODE_RECOVERY_DTE ? 2 : 0;
    case MODE_PAGE_CONTROL:
      if (algorithm_modifier(page) > ALGORITHM_UNRESTRICTED) return 3;
      return queue_error(page) == MODE_QUEUE_ERROR_RESERVED ? 3 : 0;
    case MODE_PAGE_DISCONNECT_RECONNECT: return find_bad_disconnect(page);
    case MODE_PAGE_CACHING: return find_bad_caching(drive, page);
    case MODE_PAGE_WRITE_BUFFER: return find_bad_write_buffer(page);
    case MODE_PAGE_REMAP: return find_bad_remap(drive, page);
    case MODE_PAGE_SCHEDULER:
      decode_scheduler(page, &scheduler);
      return core_scheduler_fault(drive, &scheduler);
    default: return 0;
  }
}

/// SPC-2 7.6: page unknown, of another length, or with bits changed that cannot change: 26/00.
static struct sense check_page(const struct mode_pages* modes, const struct drive* drive,
                               const uint8_t* list, uint32_t at, const struct page_row* row) {
  const uint8_t* page = list + at;
  const uint8_t* current = modes->current + row->offset;
  for (uint32_t i = PAGE_HEADER_BYTES; i < row->bytes; ++i) {
    if (((page[i] ^ current[i]) & (uint8_t)~row->changeable[i]) != 0) {
      return sense_parameter_field(at + i);
    }
  }
  const uint32_t bad = find_bad_value(drive, page);
  return bad == 0 ? sense_plain(SENSE_NONE) : sense_parameter_field(at + bad);
}

/// A page of subpage format. @param[out] bytes  All of it, if it is fine.
static struct sense check_subpage(const uint8_t* list, uint32_t at, uint32_t left,
                                  uint32_t* bytes) {
  const uint8_t code = list[at] ^ MODE_SUBPAGE_FORMAT;
  if (code != DURATION_PAGE_CODE && code != STREAM_PAGE_CODE) return sense_parameter_field(at);
  if (left < 2) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  const uint8_t subpage = list[at + 1];
  const bool is_own = is_of_durations(code, subpage);
  if (!is_own && !is_streams(code, subpage)) return sense_parameter_field(at + 1);
  if (left < MODE_SUBPAGE_HEADER_BYTES) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  *bytes = is_own ? duration_page_bytes(duration_page_find(subpage)) : STREAM_PAGE_BYTES;
  if (bytes_get_be16(list + at + 2) + MODE_SUBPAGE_HEADER_BYTES != *bytes) {
    return sense_parameter_field(at + 2);
  }
  if (left < *bytes) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  return is_own ? duration_page_check(duration_page_find(subpage), list, at)
                : stream_page_check(list, at);
}

/// Checks a page without subpages in the same way.
static struct sense check_page_0(const struct mode_view* view, const struct drive* drive,
                                 const uint8_t* list, uint32_t at, uint32_t left, uint32_t* bytes) {
  const struct page_row* row = find_page(list[at]);
  if (row == NULL) return sense_parameter_field(at);
  if (left < PAGE_HEADER_BYTES) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  *bytes = row->bytes;
  if (list[at + 1] + PAGE_HEADER_BYTES != *bytes) return sense_parameter_field(at + 1);
  if (left < *bytes) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  return check_page(view->shared, drive, list, at, row);
}

static bool is_subpage(const uint8_t* page) { return (page[0] & MODE_SUBPAGE_FORMAT) != 0; }

struct sense mode_pages_check(const struct mode_view* view, const struct drive* drive,
                              uint8_t* list, uint32_t offset, uint32_t length) {
  struct sense sense = sense_plain(SENSE_NONE);
  for (uint32_t at = offset; at < length && sense.code == SENSE_NONE;) {
    uint32_t bytes = 0;
    list[at] &= (uint8_t)~PAGE_SAVEABLE;
    sense = is_subpage(list + at) ? check_subpage(list, at, length - at, &bytes)
                                  : check_page_0(view, drive, list, at, length - at, &bytes);
    at += bytes;
  }
  return sense;
}

/// Stores a page that was checked.
static uint32_t bytes_of(const uint8_t* page) {
  return is_subpage(page) ? bytes_get_be16(page + 2) + MODE_SUBPAGE_HEADER_BYTES
                          : page[1] + PAGE_HEADER_BYTES;
}

static bool round_caching(const struct drive* drive, uint8_t* page) {
  const uint32_t most = core_cache_segment_limit(drive, page[CACHING_AT_SEGMENTS]);
  if (bytes_get_be16(page + CACHING_AT_SEGMENT_BLOCKS) <= most) return false;
  bytes_put_be16(page + CACHING_AT_SEGMENT_BLOCKS, most);
  return true;
}

static uint32_t limited(uint32_t value, uint32_t least, uint32_t most) {
  if (value < least) return least;
  return value > most ? most : value;
}

/// 0 stays, because it is no value of its field.
static bool round_write_buffer(uint8_t* page) {
  struct mode_write_buffer wanted;
  decode_write_buffer(page, &wanted);
  const uint32_t below = limited(wanted.below, 0, MODE_CACHING_SEGMENTS_MAX);
  const uint32_t least = wanted.rate_milli == 0 ? 0 : WRITE_BUFFER_RATE_LEAST_MILLI;
  const uint32_t rate = limited(wanted.rate_milli, least, WRITE_BUFFER_RATE_MOST_MILLI);
  const uint32_t scale = limited(wanted.scale_milli, 0, WRITE_BUFFER_SCALE_MOST_MILLI);
  page[MODE_WRITE_BUFFER_AT_FRAMES] = (uint8_t)below;
  bytes_put_be32(page + MODE_WRITE_BUFFER_AT_RATE, rate);
  bytes_put_be16(page + MODE_WRITE_BUFFER_AT_SCALE, scale);
  return below != wanted.below || rate != wanted.rate_milli || scale != wanted.scale_milli;
}

/// The drive disconnects between blocks. A burst of less than a block is rounded up to one (SCSI-2
/// 7.5.4).
static bool round_burst(const struct mode_pages* modes, uint8_t* page) {
  const uint32_t burst = bytes_get_be16(page + MODE_DISCONNECT_AT_BURST);
  const uint32_t least =
      (block_bytes_of(modes) + MODE_BURST_UNIT_BYTES - 1U) / MODE_BURST_UNIT_BYTES;
  if (burst == 0 || burst >= least) return false;
  bytes_put_be16(page + MODE_DISCONNECT_AT_BURST, least);
  return true;
}

bool mode_pages_round(const struct mode_pages* modes, const struct drive* drive, uint8_t* list,
                      uint32_t offset, uint32_t length) {
  bool rounded = false;
  for (uint32_t at = offset; at < length;) {
    uint8_t* page = list + at;
    at += bytes_of(page);
    if (page[0] == MODE_PAGE_CACHING) rounded = round_caching(drive, page) || rounded;
    if (page[0] == MODE_PAGE_DISCONNECT_RECONNECT) rounded = round_burst(modes, page) || rounded;
    if (page[0] == MODE_PAGE_WRITE_BUFFER) rounded = round_write_buffer(page) || rounded;
  }
  return rounded;
}

bool mode_pages_turn_cache_off(const uint8_t* list, uint32_t offset, uint32_t length) {
  bool off = false;
  for (uint32_t at = offset; at < length; at += bytes_of(list + at)) {
    if (list[at] == MODE_PAGE_CACHING) off = (list[at + 2] & CACHING_WCE) == 0;
  }
  return off;
}

/// @return whether a current value changed.
static bool set_bytes(uint8_t* current, const uint8_t* page, uint32_t first, uint32_t count) {
  bool changed = false;
  for (uint32_t i = first; i < count; ++i) {
    changed = changed || current[i] != page[i];
    current[i] = page[i];
  }
  return changed;
}

/// Sets a page that all initiators share.
static bool set_page(struct mode_pages* modes, const uint8_t* page) {
  if (is_subpage(page)) {
    return set_bytes(modes->streams, page, MODE_SUBPAGE_HEADER_BYTES, STREAM_PAGE_BYTES);
  }
  const struct page_row* row = find_page(page[0]);
  ASSERT(row != NULL);
  if (row->code == MODE_PAGE_REMAP) {
    bytes_copy(modes->saved + row->offset + PAGE_HEADER_BYTES, page + PAGE_HEADER_BYTES,
               MODE_REMAP_BYTES);
    modes->selected_remap = true;
  }
  return set_bytes(modes->current + row->offset, page, PAGE_HEADER_BYTES, row->bytes);
}

bool mode_pages_set(const struct mode_view* view, const uint8_t* list, uint32_t offset,
                    uint32_t length) {
  bool changed = false;
  view->shared->selected = true;
  for (uint32_t at = offset; at < length; at += bytes_of(list + at)) {
    const uint8_t* page = list + at;
    if (is_subpage(page) && page[0] == (MODE_SUBPAGE_FORMAT | DURATION_PAGE_CODE)) {
      duration_page_set(view->own, duration_page_find(page[1]), page);
    } else if (set_page(view->shared, page)) {
      changed = true;
    }
  }
  return changed;
}
