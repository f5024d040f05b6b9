// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/log_page.h"

#include "firmware/device/device.h"
#include "firmware/kernel/bytes.h"
#include "firmware/kernel/rare.h"
#include "firmware/queue/policy.h"
#include "firmware/queue/scheduler.h"
#include "firmware/remap/learn.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/scan.h"
#include "firmware/transfer/service_times.h"

#define FILE_ID FILE_ID_LOG_PAGE
#include "firmware/kernel/assert.h"

/// Byte 0 of a page that has a subpage (SPC-4 7.3.2).
#define SUBPAGE_FORMAT 0x40U
#define PARAMETER_HEADER_BYTES 4U
/// Control byte of a counter: DU 0, DS 1 (not saved), TSD 0, ETC 0, TMC 0, LP 0.
#define CONTROL_COUNTER 0x40U
/// Control byte of a list in binary (format and linking 11b), as page 19h has them. Not verified
/// for subpage 21h.
#define CONTROL_LIST 0x43U

enum page {
#define LOG_PAGE(page, ...) PAGE_##page,
#include "firmware/device/logs.def"
};

enum form { PAGES, COUNTERS, LISTS };
enum counted { DRIVE, INITIATOR };

/// A page as logs.def has it.
static const struct row {
  uint8_t code;
  uint8_t subpage;
  uint8_t form;     ///< enum form
  uint8_t counted;  ///< enum counted
} rows[] = {
#define LOG_PAGE(page, code, subpage, form, counted, ...) {code, subpage, form, counted},
#include "firmware/device/logs.def"
};

uint32_t log_page_count(void) { return sizeof rows / sizeof rows[0]; }
uint8_t log_page_code(uint32_t number) { return rows[number].code; }
uint8_t log_page_subpage(uint32_t number) { return rows[number].subpage; }
bool log_page_counts(uint32_t number) { return rows[number].form != PAGES; }

bool log_page_exists(uint32_t code) {
  uint32_t number = 0;
  while (number < log_page_count() && rows[number].code != code) ++number;
  return number < log_page_count();
}

uint32_t log_page_find(uint32_t code, uint32_t subpage) {
  uint32_t number = 0;
  while (number < log_page_count() &&
         (rows[number].code != code || rows[number].subpage != subpage)) {
    ++number;
  }
  return number;
}

// ------------------------------------------------------------------------------------- parameters

/// The parameters that a LOG SENSE asks for, as they come.
struct parameters {
  enum log_control control;
  uint32_t pointer;  ///< Lowest code that is asked for.
  uint8_t* bytes;
  uint32_t count;  ///< Bytes written.
};

/// @return where the values of a parameter are to be written; NULL: it is not asked for.
static RARE uint8_t* put_header(struct parameters* to, uint32_t code, uint8_t control,
                                uint32_t bytes) {
  if (code < to->pointer) return NULL;
  uint8_t* header = to->bytes + to->count;
  bytes_put_be16(header, code);
  header[2] = control;
  header[3] = (uint8_t)bytes;
  to->count += PARAMETER_HEADER_BYTES + bytes;
  return header + PARAMETER_HEADER_BYTES;
}

static uint64_t selected(uint64_t value, enum log_control control) {
  if (control == LOG_CUMULATIVE) return value;
  return control == LOG_DEFAULT_CUMULATIVE ? 0 : UINT64_MAX;
}

static RARE void put_counter(struct parameters* to, uint32_t code, uint32_t bytes, uint64_t value) {
  uint8_t* at = put_header(to, code, CONTROL_COUNTER, bytes);
  if (at == NULL) return;
  const uint64_t shown = selected(value, to->control);
  if (bytes == 8) {
    bytes_put_be64(at, shown);
  } else {
    bytes_put_be32(at, (uint32_t)shown);
  }
}

static void put_counters(struct parameters* to, uint32_t code, const uint32_t* values,
                         uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) put_counter(to, code + i, 4, values[i]);
}

static RARE void put_list(struct parameters* to, uint32_t code, const uint32_t* values,
                          uint32_t count) {
  uint8_t* at = put_header(to, code, CONTROL_LIST, 4U * count);
  if (at == NULL) return;
  for (uint32_t i = 0; i < count; ++i) bytes_put_be32(at + 4U * i, values[i]);
}

/// Pages 02h, 03h and 05h.
static void put_errors(const struct device* device, enum formatter_operation which,
                       struct parameters* to) {
  const struct unit_config* config = device->unit.config;
  const struct error_counters* errors = &device->parts.media->counters[which];
#define LOG_HAS(page) ((page) == 0x02)
#define LOG_COUNTER(page, name, code, bytes, value, ...) put_counter(to, code, bytes, value);
#include "firmware/device/logs.def"
}

static enum formatter_operation errors_of(uint32_t page) {
  if (page == PAGE_ERRORS_WRITE) return FORMATTER_WRITE;
  return page == PAGE_ERRORS_READ ? FORMATTER_READ : FORMATTER_VERIFY;
}

// ------------------------------------------------------------------------------- duration limits

#define LIMIT_CODE_READS 0x11U
#define LIMIT_CODE_WRITES 0x21U
/// A counter that is always 0.
#define NO_TALLY TALLY_COUNT

static const uint8_t passed_tallies[] = {
#define LOG_HAS(page) ((page) == 0x19)
#define LOG_TALLY(page, name, tally, ...) tally,
#include "firmware/device/logs.def"
};
static const uint8_t done_tallies[] = {
#define LOG_HAS(page) ((page) == 0x30)
#define LOG_TALLY(page, name, tally, ...) tally,
#include "firmware/device/logs.def"
};

static uint32_t limit_value(const struct duration_counts* counts, uint32_t tally, bool writes,
                            uint32_t number) {
  if (tally == NO_TALLY) return 0;
  return duration_counts_get(counts, writes, number, (enum duration_tally)tally);
}

/// Puts lists of the tallies, for descriptors of reads, then of writes.
static void put_limits(const struct duration_counts* counts, const uint8_t* tallies,
                       uint32_t tally_count, struct parameters* to) {
  for (uint32_t i = 0; i < 2U * DURATION_DESCRIPTORS; ++i) {
    const bool writes = i >= DURATION_DESCRIPTORS;
    const uint32_t index = i % DURATION_DESCRIPTORS;
    const uint32_t code = (writes ? LIMIT_CODE_WRITES : LIMIT_CODE_READS) + index;
    uint8_t* at = put_header(to, code, CONTROL_LIST, 4U * tally_count);
    if (at == NULL) continue;
    for (uint32_t k = 0; k < tally_count; ++k) {
      bytes_put_be32(at + 4U * k, limit_value(counts, tallies[k], writes, index + 1U));
    }
  }
}

// -------------------------------------------------------------------------------- the drive's own

#define LOG_COUNTER_ROW(page, name, code, bytes, value, ...) put_counter(to, code, bytes, value);
#define LOG_COUNTERS_ROW(page, name, code, values, count, ...) \
  put_counters(to, code, values, count);
#define LOG_LIST_ROW(page, name, code, values, count, ...) put_list(to, code, values, count);

static void put_scheduler(const struct device_parts* parts, struct parameters* to) {
#define LOG_HAS(page) ((page) == 0x31)
#define LOG_COUNTER(...) LOG_COUNTER_ROW(__VA_ARGS__)
#define LOG_COUNTERS(...) LOG_COUNTERS_ROW(__VA_ARGS__)
#include "firmware/device/logs.def"
}

static void put_service_times(const struct device_parts* parts, struct parameters* to) {
#define LOG_HAS(page) ((page) == 0x32)
#define LOG_LIST(...) LOG_LIST_ROW(__VA_ARGS__)
#include "firmware/device/logs.def"
}

/// Words of the parameters of page 15h.
#define SCAN_STATUS_WORDS 3U
#define SCAN_RESULT_WORDS 5U

static void put_scan_status(const struct scan* scan, uint32_t words[SCAN_RESULT_WORDS]) {
  words[0] = scan_minutes();
  words[1] = (uint32_t)scan->status << 16 | scan->completed;
  words[2] = scan_progress(scan) << 16 | scan->completed;
}

/// The block's number has 8 bytes, of which the last 4 are used.
static void put_scan_result(const struct scan_result* result, uint32_t words[SCAN_RESULT_WORDS]) {
  const uint32_t sense = sense_number(sense_from_status((enum status)result->status));
  words[0] = result->minutes;
  words[1] = (uint32_t)result->reassign << 28 | sense << 8;
  words[2] = words[3] = 0;
  words[4] = result->lba;
}

static RARE void put_scan(const struct scan* scan, struct parameters* to) {
  uint32_t words[SCAN_RESULT_WORDS];
  put_scan_status(scan, words);
#define LOG_HAS(page) ((page) == 0x15)
#define LOG_LIST(...) LOG_LIST_ROW(__VA_ARGS__)
#define LOG_LISTS(page, name, code, put_one, count, ...) \
  for (uint32_t i = 0; i < scan->result_count; ++i) {    \
    put_one(&scan->results[i], words);                   \
    put_list(to, (code) + i, words, count);              \
  }
#include "firmware/device/logs.def"
}

static void put_remap_counts(const struct device_parts* parts, struct parameters* to) {
#define LOG_HAS(page) ((page) == 0x33)
#define LOG_COUNTERS(...) LOG_COUNTERS_ROW(__VA_ARGS__)
#include "firmware/device/logs.def"
}

static void put_remap_times(const struct device_parts* parts, struct parameters* to) {
#define LOG_HAS(page) ((page) == 0x34)
#define LOG_LIST(...) LOG_LIST_ROW(__VA_ARGS__)
#include "firmware/device/logs.def"
}

// ------------------------------------------------------------------------------------------ pages

static void put_parameters(const struct device* device, uint8_t initiator, uint32_t number,
                           struct parameters* to) {
  const struct duration_counts* counts = &device->unit.duration_counts[initiator];
  switch (number) {
    case PAGE_ERRORS_WRITE:
    case PAGE_ERRORS_READ:
    case PAGE_ERRORS_VERIFY: put_errors(device, errors_of(number), to); break;
    case PAGE_LIMITS_PASSED: put_limits(counts, passed_tallies, sizeof passed_tallies, to); break;
    case PAGE_SCAN: put_scan(device->parts.scan, to); break;
    case PAGE_LIMITS: put_limits(counts, done_tallies, sizeof done_tallies, to); break;
    case PAGE_SCHEDULER: put_scheduler(&device->parts, to); break;
    case PAGE_SERVICE_TIMES: put_service_times(&device->parts, to); break;
    case PAGE_REMAP_COUNTS: put_remap_counts(&device->parts, to); break;
    case PAGE_REMAP_TIMES: put_remap_times(&device->parts, to); break;
    default: ASSERT_UNREACHABLE();
  }
}

/// Page codes that have subpage 00h; or pages and subpages, of all page codes or one.
static uint32_t put_pages(uint32_t number, uint8_t* bytes) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < log_page_count(); ++i) {
    const struct row* row = &rows[i];
    if (number == PAGE_ALL && row->subpage != 0) continue;
    if (number == PAGE_SUBPAGES && row->code != rows[number].code) continue;
    bytes[count++] = row->code;
    if (number != PAGE_ALL) bytes[count++] = row->subpage;
  }
  return count;
}

uint32_t log_page_put(const struct device* device, uint8_t initiator, uint32_t number,
                      enum log_control control, uint32_t pointer, uint8_t* bytes) {
  const struct row* row = &rows[number];
  uint8_t* data = bytes + LOG_PAGE_HEADER_BYTES;
  struct parameters to = {.control = control, .pointer = pointer, .bytes = data, .count = 0};
  if (row->form != PAGES) {
    put_parameters(device, initiator, number, &to);
  } else if (pointer == 0) {
    to.count = put_pages(number, data);
  }
  ASSERT(LOG_PAGE_HEADER_BYTES + to.count <= DEVICE_DATA_BYTES);
  if (to.count == 0) return 0;
  bytes[0] = (uint8_t)(row->code | (row->subpage != 0 ? SUBPAGE_FORMAT : 0U));
  bytes[1] = row->subpage;
  bytes_put_be16(bytes + 2, to.count);
  return LOG_PAGE_HEADER_BYTES + to.count;
}

bool log_page_clear(struct device* device, uint8_t initiator, uint32_t number) {
  struct duration_counts* counts = &device->unit.duration_counts[initiator];
  switch (number) {
    case PAGE_ERRORS_WRITE:
    case PAGE_ERRORS_READ:
    case PAGE_ERRORS_VERIFY:
      device->parts.media->counters[errors_of(number)] = (struct error_counters){0};
      break;
    case PAGE_LIMITS_PASSED:
      duration_counts_reset(counts, passed_tallies, sizeof passed_tallies);
      break;
    case PAGE_LIMITS: duration_counts_reset(counts, done_tallies, sizeof done_tallies); break;
    case PAGE_SCAN: scan_clear_results(device->parts.scan); break;
    case PAGE_SCHEDULER: scheduler_clear_counters(device->parts.scheduler); break;
    case PAGE_SERVICE_TIMES: *device->parts.service_times = (struct service_times){0}; break;
    case PAGE_REMAP_COUNTS: remap_clear_tally(device->parts.remap); break;
    case PAGE_REMAP_TIMES:
      bytes_fill((uint8_t*)device->parts.remap->wait_bin, 0, sizeof device->parts.remap->wait_bin);
      learn_clear_gaps(device->parts.learn);
      break;
    default: ASSERT_UNREACHABLE();
  }
  return rows[number].counted == DRIVE;
}
