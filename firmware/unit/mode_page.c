// SPDX-License-Identifier: Apache-2.0
#include "firmware/unit/mode_page.h"

#define FILE_ID FILE_ID_MODE_PAGE
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/queue/write_buffer.h"
#include "firmware/unit/duration_page.h"
#include "firmware/unit/unit_config.h"

// The pages as modes.def has them, in MODE SENSE's order.
static const struct mode_page_row page_table[] = {
#define MODE_PAGE(page, code, subpage, bytes, saved, ...) \
  [MODE_LAYOUT_##page] = {code, subpage, bytes, MODE_OFFSET_##page, MODE_##saved},
#include "firmware/unit/modes.def"
};
#define PAGE_COUNT (sizeof(page_table) / sizeof(page_table[0]))

const struct mode_page_row* mode_page_find(uint8_t code, uint8_t subpage) {
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) {
    if (page_table[i].code == code && page_table[i].subpage == subpage) return &page_table[i];
  }
  return NULL;
}

const struct mode_page_row* mode_page_of(const uint8_t* page) {
  const bool is_subpage = (page[0] & MODE_SUBPAGE_FORMAT) != 0;
  return mode_page_find(page[0] & MODE_PAGE_CODE, is_subpage ? page[1] : MODE_SUBPAGE_NONE);
}

enum mode_layout mode_page_layout(const struct mode_page_row* row) {
  return (enum mode_layout)(row - page_table);
}

// ---------------------------------------------------------------------- structures of whole pages

#define UNPACK_FIELD(page, field, name, byte, bit, bits, ...) \
  mode->name = (MODE_UINT_##bits)MODE_GET(bytes, page, field);
#define UNPACK_ARRAY(page, field, name, byte, bits, count, ...)           \
  for (uint32_t i = 0; i < (count); ++i) {                                \
    mode->name[i] = (MODE_UINT_##bits)MODE_GET_AT(bytes, page, field, i); \
  }

void mode_scheduler_unpack(const uint8_t* bytes, struct mode_scheduler* mode) {
#define MODE_HAS(page) ((page) == 0x20)
#define MODE_FIELD(...) UNPACK_FIELD(__VA_ARGS__)
#define MODE_ARRAY(...) UNPACK_ARRAY(__VA_ARGS__)
#include "firmware/unit/modes.def"
}

void mode_write_buffer_unpack(const uint8_t* bytes, struct mode_write_buffer* mode) {
#define MODE_HAS(page) ((page) == 0x22)
#define MODE_FIELD(...) UNPACK_FIELD(__VA_ARGS__)
#include "firmware/unit/modes.def"
}

static void unpack_remap(const uint8_t* bytes, struct mode_remap* mode) {
#define MODE_HAS(page) ((page) == 0x23)
#define MODE_FIELD(...) UNPACK_FIELD(__VA_ARGS__)
#include "firmware/unit/modes.def"
}

/// The page's header stays.
static void pack_remap(const struct mode_remap* mode, uint8_t* bytes) {
  bytes_fill(bytes + MODE_PAGE_HEADER_BYTES, 0, MODE_REMAP_PACKED_BYTES);
#define MODE_HAS(page) ((page) == 0x23)
#define MODE_FIELD(page, field, name, ...) MODE_PUT(bytes, page, field, mode->name);
#include "firmware/unit/modes.def"
}

void mode_remap_unpack(const uint8_t* bytes, struct mode_remap* mode) {
  unpack_remap(bytes - MODE_PAGE_HEADER_BYTES, mode);
}

void mode_remap_pack(const struct mode_remap* mode, uint8_t* bytes) {
  pack_remap(mode, bytes - MODE_PAGE_HEADER_BYTES);
}

// --------------------------------------------------------------------------- values of all pages

void mode_pages_init(struct mode_pages* modes, const struct unit_config* config) {
  mode_fields_put_defaults(config, modes->defaults);
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
  bytes_copy(modes->saved + MODE_OFFSET_REMAP, modes->current + MODE_OFFSET_REMAP,
             MODE_REMAP_BYTES);
}

bool mode_pages_load(struct mode_pages* modes, const uint8_t* packed, uint32_t bytes) {
  if (bytes != MODE_PAGES_SAVED_BYTES) return false;
  unpack_saved(modes, packed);
  if (modes->selected) return false;
  mode_pages_reset(modes);
  return true;
}

void mode_pages_scheduler(const struct mode_pages* modes, struct mode_scheduler* scheduler) {
  mode_scheduler_unpack(modes->current + MODE_OFFSET_SCHEDULER, scheduler);
}

void mode_pages_caching(const struct mode_pages* modes, struct mode_caching* caching) {
  caching->reads = MODE_VALUE(modes, CACHING, RCD) == 0;
  caching->writes = MODE_VALUE(modes, CACHING, WCE) != 0;
  caching->segments = MODE_VALUE(modes, CACHING, SEGMENTS);
  caching->segment_blocks = MODE_VALUE(modes, CACHING, SEGMENT_BLOCKS);
  caching->ahead_blocks =
      MODE_VALUE(modes, CACHING, DRA) != 0 ? 0 : MODE_VALUE(modes, CACHING, PREFETCH_MOST);
  caching->ahead_task_blocks = MODE_VALUE(modes, CACHING, PREFETCH_LENGTH);
  caching->ahead_bits = modes->current[MODE_OFFSET_CONTROLLER + MODE_CONTROLLER_AT_AHEAD];
  caching->reads_free = MODE_VALUE(modes, CONTROLLER, READS_FREE) != 0;
}

void mode_pages_disconnect(const struct mode_pages* modes, struct mode_disconnect* disconnect) {
  disconnect->full_ratio = (uint8_t)MODE_VALUE(modes, DISCONNECT, FULL);
  disconnect->empty_ratio = (uint8_t)MODE_VALUE(modes, DISCONNECT, EMPTY);
  disconnect->write_ratio = (uint8_t)MODE_VALUE(modes, CONTROLLER, WRITES);
  disconnect->write_counts = MODE_VALUE(modes, CONTROLLER, COUNTS) != 0;
}

uint32_t mode_pages_block_bytes(const struct mode_pages* modes) {
  return MODE_GET(modes->defaults + MODE_OFFSET_FORMAT_DEVICE, FORMAT_DEVICE, BLOCK_BYTES);
}

void mode_pages_tenancy(const struct mode_pages* modes, struct mode_tenancy* tenancy) {
  const uint32_t unit = MODE_TENANCY_UNIT_TICKS;
  const uint32_t burst_bytes = MODE_VALUE(modes, DISCONNECT, BURST) * MODE_BURST_UNIT_BYTES;
  tenancy->inactivity_ticks = MODE_VALUE(modes, DISCONNECT, INACTIVITY) * unit;
  tenancy->disconnect_ticks = MODE_VALUE(modes, DISCONNECT, DISCONNECT) * unit;
  tenancy->connect_ticks = MODE_VALUE(modes, DISCONNECT, CONNECT) * unit;
  tenancy->burst_blocks = burst_bytes == 0 ? 0 : burst_bytes / mode_pages_block_bytes(modes);
  tenancy->dtdc = (uint8_t)MODE_VALUE(modes, DISCONNECT, DTDC);
  tenancy->dimm = MODE_VALUE(modes, DISCONNECT, DIMM) != 0;
  tenancy->any = tenancy->inactivity_ticks != 0 || tenancy->disconnect_ticks != 0 ||
                 tenancy->connect_ticks != 0 || tenancy->burst_blocks != 0 || tenancy->dtdc != 0 ||
                 tenancy->dimm;
}

static uint32_t stage_ticks(const struct mode_pages* modes, enum mode_controller_stage stage) {
  return MODE_VALUE_AT(modes, CONTROLLER, STAGES, (uint32_t)stage) * MODE_CONTROLLER_UNIT_TICKS;
}

void mode_pages_controller(const struct mode_pages* modes, struct mode_controller* controller) {
  controller->joins = MODE_VALUE(modes, CONTROLLER, JOINS) != 0;
  controller->far_in_sequence = MODE_VALUE(modes, CONTROLLER, FAR_IN_SEQUENCE) != 0;
  controller->takes_time = false;
  for (uint32_t i = 0; i < MODE_CONTROLLER_TIMES; ++i) {
    controller->ticks[i] = MODE_VALUE_AT(modes, CONTROLLER, TIMES, i) * MODE_CONTROLLER_UNIT_TICKS;
    controller->takes_time = controller->takes_time || controller->ticks[i] != 0;
  }
  controller->far_write_ticks = stage_ticks(modes, MODE_STAGE_FAR_WRITE);
  controller->takes_time = controller->takes_time || controller->far_write_ticks != 0;
  controller->write_hold_ticks = stage_ticks(modes, MODE_STAGE_WRITE_HOLD);
  controller->access_ticks = MODE_VALUE(modes, CONTROLLER, ACCESS) * MODE_CONTROLLER_UNIT_TICKS;
}

void mode_pages_controller_stages(const struct mode_pages* modes,
                                  struct mode_controller_stages* stages) {
  stages->ahead = MODE_VALUE(modes, CONTROLLER, RESELECTS_AHEAD) != 0;
  stages->any = false;
  for (uint32_t i = 0; i < MODE_CONTROLLER_STAGES; ++i) {
    stages->ticks[i] = stage_ticks(modes, (enum mode_controller_stage)i);
    stages->any = stages->any || stages->ticks[i] != 0;
  }
}

void mode_pages_write_buffer(const struct mode_pages* modes, struct mode_write_buffer* buffer) {
  mode_write_buffer_unpack(modes->current + MODE_OFFSET_WRITE_BUFFER, buffer);
}

void mode_pages_remap(const struct mode_pages* modes, struct mode_remap* remap) {
  unpack_remap(modes->current + MODE_OFFSET_REMAP, remap);
}

void mode_pages_set_remap(struct mode_pages* modes, const struct mode_remap* remap) {
  pack_remap(remap, modes->current + MODE_OFFSET_REMAP);
  pack_remap(remap, modes->saved + MODE_OFFSET_REMAP);
}

void mode_pages_background(const struct mode_pages* modes, struct mode_background* mode) {
  const uint8_t* bytes = modes->current + MODE_OFFSET_BACKGROUND;
#define MODE_HAS(page) ((page) == 0x5C)
#define MODE_FIELD(...) UNPACK_FIELD(__VA_ARGS__)
#include "firmware/unit/modes.def"
}

void mode_pages_streams(const struct mode_pages* modes,
                        struct policy_stream streams[POLICY_STREAMS]) {
  stream_page_decode(modes->streams, streams);
}

STATIC_ASSERT(MODE_ERROR_RECOVERY_AT_PER == MODE_VERIFY_RECOVERY_AT_PER &&
                  MODE_ERROR_RECOVERY_PER == MODE_VERIFY_RECOVERY_PER &&
                  MODE_ERROR_RECOVERY_DTE == MODE_VERIFY_RECOVERY_DTE &&
                  MODE_ERROR_RECOVERY_DCR == MODE_VERIFY_RECOVERY_DCR,
              "pages 01h and 07h have the bits at the same place");

uint8_t mode_recovery(const struct mode_pages* modes, enum mode_page_code page) {
  return modes->current[mode_page_find((uint8_t)page, MODE_SUBPAGE_NONE)->offset +
                        MODE_ERROR_RECOVERY_AT_PER];
}

uint8_t mode_read_retry_count(const struct mode_pages* modes) {
  return (uint8_t)MODE_VALUE(modes, ERROR_RECOVERY, READ_RETRIES);
}

uint8_t mode_write_retry_count(const struct mode_pages* modes) {
  return (uint8_t)MODE_VALUE(modes, ERROR_RECOVERY, WRITE_RETRIES);
}

uint8_t mode_verify_retry_count(const struct mode_pages* modes) {
  return (uint8_t)MODE_VALUE(modes, VERIFY_RECOVERY, RETRIES);
}

bool mode_unrestricted_reordering(const struct mode_pages* modes) {
  return MODE_VALUE(modes, CONTROL, ALGORITHM) == MODE_ALGORITHM_UNRESTRICTED;
}

enum mode_queue_error mode_queue_error(const struct mode_pages* modes) {
  return (enum mode_queue_error)MODE_VALUE(modes, CONTROL, QERR);
}

// ------------------------------------------------------------------------------------- MODE SENSE

static void get_page(const struct mode_pages* modes, const struct mode_page_row* row,
                     enum mode_page_control control, uint8_t* bytes) {
  const uint32_t header_bytes = mode_header_bytes(modes->defaults + row->offset);
  switch (control) {
    case MODE_CURRENT: bytes_copy(bytes, modes->current + row->offset, row->bytes); break;
    case MODE_DEFAULT: bytes_copy(bytes, modes->defaults + row->offset, row->bytes); break;
    case MODE_SAVED: bytes_copy(bytes, modes->saved + row->offset, row->bytes); break;
    case MODE_CHANGEABLE:
      bytes_copy(bytes, modes->defaults + row->offset, header_bytes);
      bytes_fill(bytes + header_bytes, 0, row->bytes - header_bytes);
      mode_fields_put_changeable(mode_page_layout(row), bytes);
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
  bytes[0] |= modes->defaults[MODE_OFFSET_SCHEDULER] & MODE_PAGE_SAVEABLE;
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

bool mode_page_has_subpages(uint8_t code) {
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) {
    if (page_table[i].code == code && page_table[i].subpage != MODE_SUBPAGE_NONE) return true;
  }
  return code == DURATION_PAGE_CODE || code == STREAM_PAGE_CODE;
}

bool mode_page_is_streams(uint8_t page, uint8_t subpage) {
  return page == STREAM_PAGE_CODE && subpage == STREAM_PAGE_SUBPAGE;
}

bool mode_page_is_of_durations(uint8_t page, uint8_t subpage) {
  return page == DURATION_PAGE_CODE && duration_page_find(subpage) < DURATION_PAGE_COUNT;
}

enum mode_page_found mode_pages_get(const struct mode_view* view, uint8_t page, uint8_t subpage,
                                    enum mode_page_control control, uint8_t* bytes,
                                    uint32_t* count) {
  *count = 0;
  if (page != MODE_PAGE_ALL && mode_page_find(page, MODE_SUBPAGE_NONE) == NULL) return MODE_NO_PAGE;
  if (subpage != MODE_SUBPAGE_NONE && subpage != MODE_SUBPAGE_ALL) {
    const bool is_own = mode_page_is_of_durations(page, subpage);
    const bool is_there = mode_page_find(page, subpage) != NULL;
    if (!is_there && !is_own && !mode_page_is_streams(page, subpage)) return MODE_NO_SUBPAGE;
    if (is_own && control == MODE_SAVED) return MODE_NOT_SAVED;
  }
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) {
    const struct mode_page_row* row = &page_table[i];
    if (page != MODE_PAGE_ALL && page != row->code) continue;
    if (subpage == MODE_SUBPAGE_ALL || subpage == row->subpage) {
      get_page(view->shared, row, control, bytes + *count);
      *count += row->bytes;
    }
    if (subpage == MODE_SUBPAGE_NONE || row->subpage != MODE_SUBPAGE_NONE) continue;
    *count += get_subpages(view, row->code, subpage, control, bytes + *count);
  }
  return MODE_FOUND;
}
