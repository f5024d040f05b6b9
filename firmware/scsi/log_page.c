// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/log_page.h"

#include "firmware/kernel/bytes.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/scsi/scsi_state.h"

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

enum content {
  PAGES,
  PAGES_AND_SUBPAGES,
  SUBPAGES,
  ERRORS_WRITE,
  ERRORS_READ,
  ERRORS_VERIFY,
  LIMITS_PASSED,
  LIMITS_DONE,
  SCHEDULER,
  SERVICE_TIMES,
  REMAP_COUNTS,
  REMAP_TIMES,
};

static const struct row {
  uint8_t code;
  uint8_t subpage;
  uint8_t content;
} rows[] = {
    {0x00, 0x00, PAGES},
    {0x00, LOG_SUBPAGE_ALL, PAGES_AND_SUBPAGES},
    {0x02, 0x00, ERRORS_WRITE},
    {0x03, 0x00, ERRORS_READ},
    {0x05, 0x00, ERRORS_VERIFY},
    {0x19, 0x21, LIMITS_PASSED},
    {0x19, LOG_SUBPAGE_ALL, SUBPAGES},
    {LOG_PAGE_LIMITS, 0x00, LIMITS_DONE},
    {LOG_PAGE_SCHEDULER, 0x00, SCHEDULER},
    {LOG_PAGE_SERVICE_TIMES, 0x00, SERVICE_TIMES},
    {LOG_PAGE_REMAP_COUNTS, 0x00, REMAP_COUNTS},
    {LOG_PAGE_REMAP_TIMES, 0x00, REMAP_TIMES},
};

uint32_t log_page_count(void) { return sizeof rows / sizeof rows[0]; }
uint8_t log_page_code(uint32_t number) { return rows[number].code; }
uint8_t log_page_subpage(uint32_t number) { return rows[number].subpage; }
bool log_page_counts(uint32_t number) { return rows[number].content > SUBPAGES; }

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

// ----------------------------------------------------------------------------------------- errors

/// Parameter codes (SCSI-2 table 80).
enum error_parameter {
  CORRECTED_WITHOUT_DELAY = 0x0000,  ///< Always 0: this drive corrects nothing on the fly.
  CORRECTED_WITH_DELAY = 0x0001,     ///< Blocks recovered by retries: each takes a revolution.
  TOTAL_RETRIES = 0x0002,            ///< Number of attempts.
  TOTAL_CORRECTED = 0x0003,
  CORRECTION_RUNS = 0x0004,  ///< Always 0: there is no correction algorithm.
  BYTES_PROCESSED = 0x0005,
  TOTAL_UNCORRECTED = 0x0006,
  ERROR_PARAMETER_COUNT
};

static uint64_t error_value(const struct scsi* scsi, enum core_counters which, uint32_t parameter) {
  const struct error_counters* counters = core_error_counters(scsi->drive, which);
  switch ((enum error_parameter)parameter) {
    case CORRECTED_WITH_DELAY:
    case TOTAL_CORRECTED: return counters->recovered;
    case TOTAL_RETRIES: return counters->retries;
    case BYTES_PROCESSED: return counters->blocks * scsi->config->block_bytes;
    case TOTAL_UNCORRECTED: return counters->unrecovered;
    case CORRECTED_WITHOUT_DELAY:
    case CORRECTION_RUNS:
    case ERROR_PARAMETER_COUNT:
    default: return 0;
  }
}

static enum core_counters errors_of(uint32_t content) {
  if (content == ERRORS_WRITE) return CORE_COUNTERS_WRITE;
  return content == ERRORS_READ ? CORE_COUNTERS_READ : CORE_COUNTERS_VERIFY;
}

// ------------------------------------------------------------------------------- duration limits

#define LIMIT_VALUES 8U
#define LIMIT_PARAMETERS (2U * DURATION_DESCRIPTORS)
#define LIMIT_CODE_READS 0x10U
#define LIMIT_CODE_WRITES 0x20U
/// A counter that is always 0.
#define NO_TALLY TALLY_COUNT

static const uint8_t passed_tallies[LIMIT_VALUES] = {TALLY_INACTIVE_PASSED,
                                                     TALLY_ACTIVE_PASSED,
                                                     TALLY_TOTAL_PASSED,
                                                     NO_TALLY,
                                                     NO_TALLY,
                                                     TALLY_TOTAL_PASSED_RECOVERED,
                                                     NO_TALLY,
                                                     NO_TALLY};
static const uint8_t done_tallies[LIMIT_VALUES] = {
    TALLY_COMMANDS,           TALLY_UNWATCHED,   TALLY_ABORTED_WAITING, TALLY_ABORTED,
    TALLY_ABORTED_RECOVERING, TALLY_UNAVAILABLE, TALLY_NEXT_LIMIT,      TALLY_NO_LIMIT};

static uint64_t limit_value(const struct scsi* scsi, uint8_t initiator, const uint8_t* tallies,
                            uint32_t index, uint32_t value) {
  const uint32_t tally = tallies[value];
  if (tally == NO_TALLY) return 0;
  return duration_counts_get(&scsi->duration_counts[initiator], index >= DURATION_DESCRIPTORS,
                             index % DURATION_DESCRIPTORS + 1U, (enum duration_tally)tally);
}

// ------------------------------------------------------------------------------------- parameters

/// The common properties of a page's parameters.
struct shape {
  uint32_t parameters;
  uint32_t values;  ///< Counters in each parameter.
  bool is_list;
};

static struct shape shape_of(const struct scsi* scsi, uint32_t content) {
  switch (content) {
    case LIMITS_PASSED:
    case LIMITS_DONE: return (struct shape){LIMIT_PARAMETERS, LIMIT_VALUES, true};
    case SCHEDULER: return (struct shape){1U + core_policy_counts(scsi->drive).count, 1, false};
    case SERVICE_TIMES: {
      const struct core_histogram times = core_service_times(scsi->drive);
      return (struct shape){times.rows, times.bins, true};
    }
    case REMAP_COUNTS: return (struct shape){core_remap_counts(scsi->drive).rows, 1, false};
    case REMAP_TIMES: return (struct shape){2, core_remap_waits(scsi->drive).bins, true};
    default: return (struct shape){ERROR_PARAMETER_COUNT, 1, false};
  }
}

static uint32_t code_of(uint32_t content, uint32_t index) {
  switch (content) {
    case LIMITS_PASSED:
    case LIMITS_DONE:
      return (index < DURATION_DESCRIPTORS ? LIMIT_CODE_READS : LIMIT_CODE_WRITES) +
             index % DURATION_DESCRIPTORS + 1U;
    case SERVICE_TIMES:
    case REMAP_TIMES: return index + 1U;
    default: return index;
  }
}

static uint64_t value_of(const struct scsi* scsi, uint8_t initiator, uint32_t content,
                         uint32_t index, uint32_t value) {
  switch (content) {
    case LIMITS_PASSED: return limit_value(scsi, initiator, passed_tallies, index, value);
    case LIMITS_DONE: return limit_value(scsi, initiator, done_tallies, index, value);
    case SCHEDULER: {
      const struct policy_counts counts = core_policy_counts(scsi->drive);
      return index == 0 ? counts.policy : counts.value[index - 1U];
    }
    case SERVICE_TIMES: {
      const struct core_histogram times = core_service_times(scsi->drive);
      return times.value[index * times.bins + value];
    }
    case REMAP_COUNTS: return core_remap_counts(scsi->drive).value[index];
    case REMAP_TIMES:
      return (index == 0 ? core_remap_waits(scsi->drive) : core_host_gaps(scsi->drive))
          .value[value];
    default: return error_value(scsi, errors_of(content), index);
  }
}

/// A counter has 4 bytes, that of bytes 8.
static uint32_t value_bytes(uint32_t content, uint32_t index) {
  const bool is_error = content >= ERRORS_WRITE && content <= ERRORS_VERIFY;
  return is_error && index == BYTES_PROCESSED ? 8 : 4;
}

static uint64_t selected(uint64_t value, enum log_control control, bool is_list) {
  if (is_list || control == LOG_CUMULATIVE) return value;
  return control == LOG_DEFAULT_CUMULATIVE ? 0 : UINT64_MAX;
}

static uint32_t put_parameter(const struct scsi* scsi, uint8_t initiator, uint32_t content,
                              const struct shape* shape, enum log_control control, uint32_t index,
                              uint8_t* bytes) {
  const uint32_t step = value_bytes(content, index);
  bytes_put_be16(bytes, code_of(content, index));
  bytes[2] = shape->is_list ? CONTROL_LIST : CONTROL_COUNTER;
  bytes[3] = (uint8_t)(step * shape->values);
  for (uint32_t i = 0; i < shape->values; ++i) {
    const uint64_t value =
        selected(value_of(scsi, initiator, content, index, i), control, shape->is_list);
    uint8_t* at = bytes + PARAMETER_HEADER_BYTES + i * step;
    if (step == 8) {
      bytes_put_be64(at, value);
    } else {
      bytes_put_be32(at, (uint32_t)value);
    }
  }
  return PARAMETER_HEADER_BYTES + step * shape->values;
}

// ------------------------------------------------------------------------------------------ pages

static uint32_t put_parameters(const struct scsi* scsi, uint8_t initiator, uint32_t content,
                               enum log_control control, uint32_t pointer, uint8_t* bytes) {
  const struct shape shape = shape_of(scsi, content);
  uint32_t count = 0;
  for (uint32_t i = 0; i < shape.parameters; ++i) {
    if (code_of(content, i) < pointer) continue;
    count += put_parameter(scsi, initiator, content, &shape, control, i, bytes + count);
  }
  return count;
}

/// Page codes that have subpage 00h; or pages and subpages, of all page codes or one.
static uint32_t put_pages(const struct row* page, uint8_t* bytes) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < log_page_count(); ++i) {
    const struct row* row = &rows[i];
    if (page->content == PAGES ? row->subpage != 0
                               : page->content == SUBPAGES && row->code != page->code) {
      continue;
    }
    bytes[count++] = row->code;
    if (page->content != PAGES) bytes[count++] = row->subpage;
  }
  return count;
}

uint32_t log_page_put(const struct scsi* scsi, uint8_t initiator, uint32_t number,
                      enum log_control control, uint32_t pointer, uint8_t* bytes) {
  const struct row* row = &rows[number];
  uint8_t* data = bytes + LOG_PAGE_HEADER_BYTES;
  uint32_t count = 0;
  if (log_page_counts(number)) {
    count = put_parameters(scsi, initiator, row->content, control, pointer, data);
  } else if (pointer == 0) {
    count = put_pages(row, data);
  }
  ASSERT(LOG_PAGE_HEADER_BYTES + count <= CONNECTION_DATA_BYTES);
  if (count == 0) return 0;
  bytes[0] = (uint8_t)(row->code | (row->subpage != 0 ? SUBPAGE_FORMAT : 0U));
  bytes[1] = row->subpage;
  bytes_put_be16(bytes + 2, count);
  return LOG_PAGE_HEADER_BYTES + count;
}

bool log_page_clear(struct scsi* scsi, uint8_t initiator, uint32_t number) {
  const uint32_t content = rows[number].content;
  switch (content) {
    case LIMITS_PASSED:
      duration_counts_reset(&scsi->duration_counts[initiator], passed_tallies, LIMIT_VALUES);
      return false;
    case LIMITS_DONE:
      duration_counts_reset(&scsi->duration_counts[initiator], done_tallies, LIMIT_VALUES);
      return false;
    case SCHEDULER: core_clear_policy_counts(scsi->drive); return true;
    case SERVICE_TIMES: core_clear_service_times(scsi->drive); return true;
    case REMAP_COUNTS: core_clear_remap_counts(scsi->drive); return true;
    case REMAP_TIMES: core_clear_remap_times(scsi->drive); return true;
    default: core_clear_error_counters(scsi->drive, errors_of(content)); return true;
  }
}
