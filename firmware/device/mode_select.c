// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/mode_select.h"

#define FILE_ID FILE_ID_MODE_SELECT
#include "firmware/device/device.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/queue/write_buffer.h"
#include "firmware/transfer/modes.h"
#include "firmware/transfer/segments.h"
#include "firmware/unit/duration_page.h"

/// Segments without blocks are an error where the buffer has room for some.
/// @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_caching(const struct device_parts* parts, const uint8_t* page) {
  if (MODE_GET(page, CACHING, SEGMENT_BLOCKS) > 0) return 0;
  const uint32_t segments = MODE_GET(page, CACHING, SEGMENTS);
  return segments_slot_limit(parts->segments, segments) > 0 ? MODE_CACHING_AT_SEGMENT_BLOCKS : 0;
}

/// A threshold that counts frames needs them, and no other may have them. Only the threshold time
/// may have a rate.
/// @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_write_buffer(const uint8_t* page) {
  struct mode_write_buffer buffer;
  mode_write_buffer_unpack(page, &buffer);
  const bool counts =
      buffer.threshold == WRITE_THRESHOLD_SPACE || buffer.threshold == WRITE_THRESHOLD_FREE;
  if (counts != (buffer.below > 0)) return MODE_WRITE_BUFFER_AT_FRAMES;
  if (buffer.threshold == WRITE_THRESHOLD_TIME) return 0;
  if (buffer.rate_milli != 0) return MODE_WRITE_BUFFER_AT_RATE;
  return buffer.scale_milli != 0 ? MODE_WRITE_BUFFER_AT_SCALE : 0;
}

static uint32_t find_bad_remap(const struct device_parts* parts, const uint8_t* page) {
  struct mode_remap wanted;
  mode_remap_unpack(page + MODE_PAGE_HEADER_BYTES, &wanted);
  const uint32_t fault = remap_mode_fault(parts->remap, &wanted);
  return fault != 0 ? fault : remap_units_fault(parts->remap, &wanted);
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

static uint32_t find_bad_scheduler(const uint8_t* page) {
  struct mode_scheduler wanted;
  mode_scheduler_unpack(page, &wanted);
  return modes_scheduler_fault(&wanted);
}

/// Checks values by rules that no row has. @return 0, or the byte of the page that is wrong.
static uint32_t find_bad_value(enum mode_layout layout, const struct device_parts* parts,
                               const uint8_t* page) {
  switch (layout) {
    case MODE_LAYOUT_ERROR_RECOVERY:
    case MODE_LAYOUT_VERIFY_RECOVERY: return find_bad_recovery(page);
    case MODE_LAYOUT_DISCONNECT: return find_bad_disconnect(page);
    case MODE_LAYOUT_CACHING: return find_bad_caching(parts, page);
    case MODE_LAYOUT_CONTROL: return find_bad_control(page);
    case MODE_LAYOUT_SCHEDULER: return find_bad_scheduler(page);
    case MODE_LAYOUT_WRITE_BUFFER: return find_bad_write_buffer(page);
    case MODE_LAYOUT_REMAP: return find_bad_remap(parts, page);
    default: return 0;
  }
}

/// SPC-2 7.6: page unknown, of another length, or with bits changed that cannot change: 26/00.
static struct sense check_page(const struct mode_pages* modes, const struct device_parts* parts,
                               const uint8_t* list, uint32_t at, const struct mode_page_row* row) {
  const uint8_t* page = list + at;
  const uint8_t* current = modes->current + row->offset;
  const enum mode_layout layout = mode_page_layout(row);
  const uint32_t fixed =
      mode_fields_find_fixed(layout, page, current, mode_header_bytes(page), row->bytes);
  if (fixed < row->bytes) return sense_parameter_field(at + fixed);
  uint32_t bad = mode_fields_find_refused(layout, page);
  if (bad == 0) bad = find_bad_value(layout, parts, page);
  return bad == 0 ? sense_plain(SENSE_NONE) : sense_parameter_field(at + bad);
}

/// The kinds of subpages.
enum subpage_kind { NO_SUBPAGE, SUBPAGE_OF_ROWS, SUBPAGE_OF_DURATIONS, SUBPAGE_OF_STREAMS };

static enum subpage_kind subpage_kind_of(uint8_t code, uint8_t subpage) {
  if (mode_page_is_of_durations(code, subpage)) return SUBPAGE_OF_DURATIONS;
  if (mode_page_is_streams(code, subpage)) return SUBPAGE_OF_STREAMS;
  const bool has_row = subpage != MODE_SUBPAGE_NONE && mode_page_find(code, subpage) != NULL;
  return has_row ? SUBPAGE_OF_ROWS : NO_SUBPAGE;
}

static uint32_t subpage_bytes(enum subpage_kind kind, uint8_t code, uint8_t subpage) {
  switch (kind) {
    case SUBPAGE_OF_ROWS: return mode_page_find(code, subpage)->bytes;
    case SUBPAGE_OF_DURATIONS: return duration_page_bytes(duration_page_find(subpage));
    case SUBPAGE_OF_STREAMS: return STREAM_PAGE_BYTES;
    case NO_SUBPAGE: break;
  }
  ASSERT_UNREACHABLE();
}

/// A page of subpage format. @param[out] bytes  All of it, if it is fine.
static struct sense check_subpage(const struct mode_view* view, const struct device_parts* parts,
                                  const uint8_t* list, uint32_t at, uint32_t left,
                                  uint32_t* bytes) {
  const uint8_t code = list[at] ^ MODE_SUBPAGE_FORMAT;
  if (!mode_page_has_subpages(code)) return sense_parameter_field(at);
  if (left < 2) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  const uint8_t subpage = list[at + 1];
  const enum subpage_kind kind = subpage_kind_of(code, subpage);
  if (kind == NO_SUBPAGE) return sense_parameter_field(at + 1);
  if (left < MODE_SUBPAGE_HEADER_BYTES) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  *bytes = subpage_bytes(kind, code, subpage);
  if (bytes_get_be16(list + at + 2) + MODE_SUBPAGE_HEADER_BYTES != *bytes) {
    return sense_parameter_field(at + 2);
  }
  if (left < *bytes) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  switch (kind) {
    case SUBPAGE_OF_ROWS:
      return check_page(view->shared, parts, list, at, mode_page_find(code, subpage));
    case SUBPAGE_OF_DURATIONS: return duration_page_check(duration_page_find(subpage), list, at);
    case SUBPAGE_OF_STREAMS: return stream_page_check(list, at);
    case NO_SUBPAGE: break;
  }
  ASSERT_UNREACHABLE();
}

/// Checks a page without subpages in the same way.
static struct sense check_page_0(const struct mode_view* view, const struct device_parts* parts,
                                 const uint8_t* list, uint32_t at, uint32_t left, uint32_t* bytes) {
  const struct mode_page_row* row = mode_page_find(list[at], MODE_SUBPAGE_NONE);
  if (row == NULL) return sense_parameter_field(at);
  if (left < MODE_PAGE_HEADER_BYTES) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  *bytes = row->bytes;
  if (list[at + 1] + MODE_PAGE_HEADER_BYTES != *bytes) return sense_parameter_field(at + 1);
  if (left < *bytes) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  return check_page(view->shared, parts, list, at, row);
}

static bool is_subpage(const uint8_t* page) { return (page[0] & MODE_SUBPAGE_FORMAT) != 0; }

struct sense mode_select_check(const struct mode_view* view, const struct device_parts* parts,
                               uint8_t* list, uint32_t offset, uint32_t length) {
  struct sense sense = sense_plain(SENSE_NONE);
  for (uint32_t at = offset; at < length && sense.code == SENSE_NONE;) {
    uint32_t bytes = 0;
    list[at] &= (uint8_t)~MODE_PAGE_SAVEABLE;
    sense = is_subpage(list + at) ? check_subpage(view, parts, list, at, length - at, &bytes)
                                  : check_page_0(view, parts, list, at, length - at, &bytes);
    at += bytes;
  }
  return sense;
}

/// Bytes of a page that was checked.
static uint32_t bytes_of(const uint8_t* page) {
  return is_subpage(page) ? bytes_get_be16(page + 2) + MODE_SUBPAGE_HEADER_BYTES
                          : page[1] + MODE_PAGE_HEADER_BYTES;
}

static bool round_caching(const struct device_parts* parts, uint8_t* page) {
  const uint32_t most = segments_slot_limit(parts->segments, MODE_GET(page, CACHING, SEGMENTS));
  if (MODE_GET(page, CACHING, SEGMENT_BLOCKS) <= most) return false;
  MODE_PUT(page, CACHING, SEGMENT_BLOCKS, most);
  return true;
}

/// The drive disconnects between blocks. A burst of less than a block is rounded up to one (SCSI-2
/// 7.5.4).
static bool round_burst(const struct mode_pages* modes, uint8_t* page) {
  const uint32_t burst = MODE_GET(page, DISCONNECT, BURST);
  const uint32_t least =
      (mode_pages_block_bytes(modes) + MODE_BURST_UNIT_BYTES - 1U) / MODE_BURST_UNIT_BYTES;
  if (burst == 0 || burst >= least) return false;
  MODE_PUT(page, DISCONNECT, BURST, least);
  return true;
}

bool mode_select_round(const struct mode_pages* modes, const struct device_parts* parts,
                       uint8_t* list, uint32_t offset, uint32_t length) {
  bool rounded = false;
  for (uint32_t at = offset; at < length;) {
    uint8_t* page = list + at;
    at += bytes_of(page);
    const struct mode_page_row* row = mode_page_of(page);
    if (row == NULL) continue;  // a subpage of descriptors, where nothing is rounded
    rounded = mode_fields_round(mode_page_layout(row), page) || rounded;
    if (page[0] == MODE_PAGE_CACHING) rounded = round_caching(parts, page) || rounded;
    if (page[0] == MODE_PAGE_DISCONNECT) rounded = round_burst(modes, page) || rounded;
  }
  return rounded;
}

bool mode_select_turn_cache_off(const uint8_t* list, uint32_t offset, uint32_t length) {
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
  const struct mode_page_row* row = mode_page_of(page);
  if (row == NULL) {
    return set_bytes(modes->streams, page, MODE_SUBPAGE_HEADER_BYTES, STREAM_PAGE_BYTES);
  }
  if (row->saved == MODE_WITH_MAP) {
    bytes_copy(modes->saved + row->offset + MODE_PAGE_HEADER_BYTES, page + MODE_PAGE_HEADER_BYTES,
               row->bytes - MODE_PAGE_HEADER_BYTES);
    modes->selected_remap = true;
  }
  return set_bytes(modes->current + row->offset, page, mode_header_bytes(page), row->bytes);
}

bool mode_select_set(const struct mode_view* view, const uint8_t* list, uint32_t offset,
                     uint32_t length) {
  bool changed = false;
  view->shared->selected = true;
  for (uint32_t at = offset; at < length; at += bytes_of(list + at)) {
    const uint8_t* page = list + at;
    if (is_subpage(page) && mode_page_is_of_durations(page[0] & MODE_PAGE_CODE, page[1])) {
      duration_page_set(view->own, duration_page_find(page[1]), page);
    } else if (set_page(view->shared, page)) {
      changed = true;
    }
  }
  return changed;
}
