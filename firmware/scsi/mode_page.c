// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/mode_page.h"

#define FILE_ID FILE_ID_MODE_PAGE
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/queue/write_buffer.h"
#include "firmware/scsi/duration_page.h"
#include "firmware/scsi/scsi_config.h"
#include "firmware/scsi/scsi_core.h"

/// A page as modes.def has it, in MODE SENSE's order.
struct page_row {
  uint8_t code;
  uint8_t bytes;   ///< All of the page, with its header.
  uint8_t offset;  ///< Offset in the arrays of struct mode_pages: enum mode_page_offset.
  uint8_t saved;   ///< enum mode_saved
};

static const struct page_row page_table[] = {
#define MODE_PAGE(page, code, bytes, saved, ...) \
  [MODE_LAYOUT_##page] = {code, bytes, MODE_OFFSET_##page, MODE_##saved},
#include "firmware/scsi/modes.def"
};
#define PAGE_COUNT (sizeof(page_table) / sizeof(page_table[0]))

static const struct page_row* find_page(uint8_t code) {
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) {
    if (page_table[i].code == code) return &page_table[i];
  }
  return NULL;
}

static enum mode_layout layout_of(const struct page_row* row) {
  return (enum mode_layout)(row - page_table);
}

// ---------------------------------------------------------------------- structures of whole pages

#define UNPACK_FIELD(page, field, name, byte, bit, bits, ...) \
  mode->name = (MODE_UINT_##bits)MODE_GET(bytes, page, field);
#define UNPACK_ARRAY(page, field, name, byte, bits, count, ...)           \
  for (uint32_t i = 0; i < (count); ++i) {                                \
    mode->name[i] = (MODE_UINT_##bits)MODE_GET_AT(bytes, page, field, i); \
  }

static void unpack_scheduler(const uint8_t* bytes, struct mode_scheduler* mode) {
#define MODE_HAS(page) ((page) == 0x20)
#define MODE_FIELD(...) UNPACK_FIELD(__VA_ARGS__)
#define MODE_ARRAY(...) UNPACK_ARRAY(__VA_ARGS__)
#include "firmware/scsi/modes.def"
}

static void unpack_write_buffer(const uint8_t* bytes, struct mode_write_buffer* mode) {
#define MODE_HAS(page) ((page) == 0x22)
#define MODE_FIELD(...) UNPACK_FIELD(__VA_ARGS__)
#include "firmware/scsi/modes.def"
}

static void unpack_remap(const uint8_t* bytes, struct mode_remap* mode) {
#define MODE_HAS(page) ((page) == 0x23)
#define MODE_FIELD(...) UNPACK_FIELD(__VA_ARGS__)
#include "firmware/scsi/modes.def"
}

/// The page's header stays.
static void pack_remap(const struct mode_remap* mode, uint8_t* bytes) {
  bytes_fill(bytes + MODE_PAGE_HEADER_BYTES, 0, MODE_REMAP_PACKED_BYTES);
#define MODE_HAS(page) ((page) == 0x23)
#define MODE_FIELD(page, field, name, ...) MODE_PUT(bytes, page, field, mode->name);
#include "firmware/scsi/modes.def"
}

void mode_remap_unpack(const uint8_t* bytes, struct mode_remap* mode) {
  unpack_remap(bytes - MODE_PAGE_HEADER_BYTES, mode);
}

void mode_remap_pack(const struct mode_remap* mode, uint8_t* bytes) {
  pack_remap(mode, bytes - MODE_PAGE_HEADER_BYTES);
}

// --------------------------------------------------------------------------- values of all pages

void mode_pages_init(struct mode_pages* modes, const struct scsi_config* config) {
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
  unpack_scheduler(modes->current + MODE_OFFSET_SCHEDULER, scheduler);
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

static uint32_t block_bytes_of(const struct mode_pages* modes) {
  return MODE_GET(modes->defaults + MODE_OFFSET_FORMAT_DEVICE, FORMAT_DEVICE, BLOCK_BYTES);
}

void mode_pages_tenancy(const struct mode_pages* modes, struct mode_tenancy* tenancy) {
  const uint32_t unit = MODE_TENANCY_UNIT_TICKS;
  const uint32_t burst_bytes = MODE_VALUE(modes, DISCONNECT, BURST) * MODE_BURST_UNIT_BYTES;
  tenancy->inactivity_ticks = MODE_VALUE(modes, DISCONNECT, INACTIVITY) * unit;
  tenancy->disconnect_ticks = MODE_VALUE(modes, DISCONNECT, DISCONNECT) * unit;
  tenancy->connect_ticks = MODE_VALUE(modes, DISCONNECT, CONNECT) * unit;
  tenancy->burst_blocks = burst_bytes == 0 ? 0 : burst_bytes / block_bytes_of(modes);
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
  unpack_write_buffer(modes->current + MODE_OFFSET_WRITE_BUFFER, buffer);
}

void mode_pages_remap(const struct mode_pages* modes, struct mode_remap* remap) {
  unpack_remap(modes->current + MODE_OFFSET_REMAP, remap);
}

void mode_pages_set_remap(struct mode_pages* modes, const struct mode_remap* remap) {
  pack_remap(remap, modes->current + MODE_OFFSET_REMAP);
  pack_remap(remap, modes->saved + MODE_OFFSET_REMAP);
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
  return modes->current[find_page((uint8_t)page)->offset + MODE_ERROR_RECOVERY_AT_PER];
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

static void get_page(const struct mode_pages* modes, const struct page_row* row,
                     enum mode_page_control control, uint8_t* bytes) {
  switch (control) {
    case MODE_CURRENT: bytes_copy(bytes, modes->current + row->offset, row->bytes); break;
    case MODE_DEFAULT: bytes_copy(bytes, modes->defaults + row->offset, row->bytes); break;
    case MODE_SAVED: bytes_copy(bytes, modes->saved + row->offset, row->bytes); break;
    case MODE_CHANGEABLE:
      bytes_copy(bytes, modes->defaults + row->offset, MODE_PAGE_HEADER_BYTES);
      bytes_fill(bytes + MODE_PAGE_HEADER_BYTES, 0, row->bytes - MODE_PAGE_HEADER_BYTES);
      mode_fields_put_changeable(layout_of(row), bytes);
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

// ------------------------------------------------------------------------------------ MODE SELECT

/// Segments without blocks are an error where the buffer has room for some.
/// @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_caching(const struct drive* drive, const uint8_t* page) {
  if (MODE_GET(page, CACHING, SEGMENT_BLOCKS) > 0) return 0;
  const uint32_t segments = MODE_GET(page, CACHING, SEGMENTS);
  return core_cache_segment_limit(drive, segments) > 0 ? MODE_CACHING_AT_SEGMENT_BLOCKS : 0;
}

/// A threshold that counts frames needs them, and no other may have them. Only the threshold time
/// may have a rate.
/// @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_write_buffer(const uint8_t* page) {
  struct mode_write_buffer buffer;
  unpack_write_buffer(page, &buffer);
  const bool counts =
      buffer.threshold == WRITE_THRESHOLD_SPACE || buffer.threshold == WRITE_THRESHOLD_FREE;
  if (counts != (buffer.below > 0)) return MODE_WRITE_BUFFER_AT_FRAMES;
  if (buffer.threshold == WRITE_THRESHOLD_TIME) return 0;
  if (buffer.rate_milli != 0) return MODE_WRITE_BUFFER_AT_RATE;
  return buffer.scale_milli != 0 ? MODE_WRITE_BUFFER_AT_SCALE : 0;
}

static uint32_t find_bad_remap(const struct drive* drive, const uint8_t* page) {
  struct mode_remap wanted;
  unpack_remap(page, &wanted);
  return core_remap_fault(drive, &wanted);
}

/// SCSI-2 8.3.3.2: a reserved value of DTDC, and a burst size beside DTDC.
/// @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_disconnect(const uint8_t* page) {
  const uint32_t dtdc = MODE_GET(page, DISCONNECT, DTDC);
  if (dtdc == MODE_DTDC_NONE) return 0;
  const bool reserved = dtdc != MODE_DTDC_DATA && dtdc != MODE_DTDC_COMMAND;
  const bool contradicts = MODE_GET(page, DISCONNECT, BURST) != 0;
  return reserved || contradicts ? MODE_DISCONNECT_AT_DTDC : 0;
}

/// SCSI-2 table 170: DTE without PER is invalid. Pages 01h and 07h.
static uint32_t find_bad_recovery(const uint8_t* page) {
  const bool ends = MODE_GET(page, ERROR_RECOVERY, DTE) != 0;
  return ends && MODE_GET(page, ERROR_RECOVERY, PER) == 0 ? MODE_ERROR_RECOVERY_AT_DTE : 0;
}

static uint32_t find_bad_control(const uint8_t* page) {
  return MODE_GET(page, CONTROL, QERR) == MODE_QUEUE_ERROR_RESERVED ? MODE_CONTROL_AT_QERR : 0;
}

static uint32_t find_bad_scheduler(const struct drive* drive, const uint8_t* page) {
  struct mode_scheduler wanted;
  unpack_scheduler(page, &wanted);
  return core_scheduler_fault(drive, &wanted);
}

/// Checks values by rules that no row has. @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_value(const struct drive* drive, const uint8_t* page) {
  switch (page[0] & MODE_PAGE_CODE) {
    case MODE_PAGE_ERROR_RECOVERY:
    case MODE_PAGE_VERIFY_RECOVERY: return find_bad_recovery(page);
    case MODE_PAGE_DISCONNECT: return find_bad_disconnect(page);
    case MODE_PAGE_CACHING: return find_bad_caching(drive, page);
    case MODE_PAGE_CONTROL: return find_bad_control(page);
    case MODE_PAGE_SCHEDULER: return find_bad_scheduler(drive, page);
    case MODE_PAGE_WRITE_BUFFER: return find_bad_write_buffer(page);
    case MODE_PAGE_REMAP: return find_bad_remap(drive, page);
    default: return 0;
  }
}

/// SPC-2 7.6: page unknown, of another length, or with bits changed that cannot change: 26/00.
static struct sense check_page(const struct mode_pages* modes, const struct drive* drive,
                               const uint8_t* list, uint32_t at, const struct page_row* row) {
  const uint8_t* page = list + at;
  const uint8_t* current = modes->current + row->offset;
  const uint32_t fixed =
      mode_fields_find_fixed(layout_of(row), page, current, MODE_PAGE_HEADER_BYTES, row->bytes);
  if (fixed < row->bytes) return sense_parameter_field(at + fixed);
  uint32_t bad = mode_fields_find_refused(page);
  if (bad == 0) bad = find_bad_value(drive, page);
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
  if (left < MODE_PAGE_HEADER_BYTES) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  *bytes = row->bytes;
  if (list[at + 1] + MODE_PAGE_HEADER_BYTES != *bytes) return sense_parameter_field(at + 1);
  if (left < *bytes) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  return check_page(view->shared, drive, list, at, row);
}

static bool is_subpage(const uint8_t* page) { return (page[0] & MODE_SUBPAGE_FORMAT) != 0; }

struct sense mode_pages_check(const struct mode_view* view, const struct drive* drive,
                              uint8_t* list, uint32_t offset, uint32_t length) {
  struct sense sense = sense_plain(SENSE_NONE);
  for (uint32_t at = offset; at < length && sense.code == SENSE_NONE;) {
    uint32_t bytes = 0;
    list[at] &= (uint8_t)~MODE_PAGE_SAVEABLE;
    sense = is_subpage(list + at) ? check_subpage(list, at, length - at, &bytes)
                                  : check_page_0(view, drive, list, at, length - at, &bytes);
    at += bytes;
  }
  return sense;
}

/// Bytes of a page that was checked.
static uint32_t bytes_of(const uint8_t* page) {
  return is_subpage(page) ? bytes_get_be16(page + 2) + MODE_SUBPAGE_HEADER_BYTES
                          : page[1] + MODE_PAGE_HEADER_BYTES;
}

static bool round_caching(const struct drive* drive, uint8_t* page) {
  const uint32_t most = core_cache_segment_limit(drive, MODE_GET(page, CACHING, SEGMENTS));
  if (MODE_GET(page, CACHING, SEGMENT_BLOCKS) <= most) return false;
  MODE_PUT(page, CACHING, SEGMENT_BLOCKS, most);
  return true;
}

/// The drive disconnects between blocks. A burst of less than a block is rounded up to one (SCSI-2
/// 7.5.4).
static bool round_burst(const struct mode_pages* modes, uint8_t* page) {
  const uint32_t burst = MODE_GET(page, DISCONNECT, BURST);
  const uint32_t least =
      (block_bytes_of(modes) + MODE_BURST_UNIT_BYTES - 1U) / MODE_BURST_UNIT_BYTES;
  if (burst == 0 || burst >= least) return false;
  MODE_PUT(page, DISCONNECT, BURST, least);
  return true;
}

bool mode_pages_round(const struct mode_pages* modes, const struct drive* drive, uint8_t* list,
                      uint32_t offset, uint32_t length) {
  bool rounded = false;
  for (uint32_t at = offset; at < length;) {
    uint8_t* page = list + at;
    at += bytes_of(page);
    if (is_subpage(page)) continue;
    rounded = mode_fields_round(page) || rounded;
    if (page[0] == MODE_PAGE_CACHING) rounded = round_caching(drive, page) || rounded;
    if (page[0] == MODE_PAGE_DISCONNECT) rounded = round_burst(modes, page) || rounded;
  }
  return rounded;
}

bool mode_pages_turn_cache_off(const uint8_t* list, uint32_t offset, uint32_t length) {
  bool off = false;
  for (uint32_t at = offset; at < length; at += bytes_of(list + at)) {
    if (list[at] == MODE_PAGE_CACHING) off = MODE_GET(list + at, CACHING, WCE) == 0;
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
  if (row->saved == MODE_WITH_MAP) {
    bytes_copy(modes->saved + row->offset + MODE_PAGE_HEADER_BYTES, page + MODE_PAGE_HEADER_BYTES,
               row->bytes - MODE_PAGE_HEADER_BYTES);
    modes->selected_remap = true;
  }
  return set_bytes(modes->current + row->offset, page, MODE_PAGE_HEADER_BYTES, row->bytes);
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
