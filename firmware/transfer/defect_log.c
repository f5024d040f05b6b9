// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_DEFECT_LOG
#include "firmware/transfer/defect_log.h"

#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

enum state_byte { AT_AGE = 0, AT_FLAGS = 4, STATE_BYTES = 8 };

static void begin_cell(struct defect_log* log, uint32_t cell) {
  log->cell = cell;
  log->bytes = DEFECT_LOG_HEADER_BYTES;
  bytes_put_le32(log->payload + AT_AGE, log->age);
}

void defect_log_init(struct defect_log* log, struct store* store) {
  log->store = store;
  log->age = 0;
  log->flags = 0;
  log->pending_count = 0;
  begin_cell(log, STORE_CELL_LOG);
}

/// Most entries of one cell.
static uint32_t entries_max(const struct defect_log* log) {
  return (log->store->payload_bytes - DEFECT_LOG_HEADER_BYTES) / DEFECT_LOG_ENTRY_BYTES;
}

uint32_t defect_log_capacity(const struct defect_log* log) {
  return defect_log_is_kept(log) ? (log->store->cells - STORE_CELL_LOG) * entries_max(log) : 0;
}

static bool has_room_for(const struct defect_log* log, uint32_t bytes, uint32_t entries) {
  return bytes + entries * DEFECT_LOG_ENTRY_BYTES <= log->store->payload_bytes;
}

static uint32_t put_entry(uint8_t* payload, uint32_t at, uint32_t lba, uint32_t sector) {
  bytes_put_le32(payload + at, lba);
  bytes_put_le32(payload + at + 4, sector);
  return at + DEFECT_LOG_ENTRY_BYTES;
}

// ------------------------------------------------------------------------------------------- load

static void enter(struct defect_list* list, uint32_t lba, uint32_t sector) {
  if (list->count == list->limit) return;
  if (lba == DEFECT_NO_BLOCK) {
    defect_list_reject(list, sector);
  } else if (lba < list->design->capacity_blocks) {
    defect_list_move(list, lba, sector);
  }
}

static void load_state(struct defect_log* log, const uint8_t* payload, uint32_t bytes) {
  if (bytes != STATE_BYTES) return;
  log->age = bytes_get_le32(payload + AT_AGE);
  log->flags = bytes_get_le32(payload + AT_FLAGS);
  begin_cell(log, STORE_CELL_LOG);
}

void defect_log_load(struct defect_log* log, struct defect_list* list, uint32_t cell,
                     const uint8_t* payload, uint32_t bytes) {
  if (cell == STORE_CELL_STATE) {
    load_state(log, payload, bytes);
    return;
  }
  const bool is_empty = log->bytes == DEFECT_LOG_HEADER_BYTES;
  if (cell != log->cell + (is_empty ? 0U : 1U) || bytes < DEFECT_LOG_HEADER_BYTES) return;
  if (bytes_get_le32(payload + AT_AGE) != log->age) return;
  begin_cell(log, cell);
  bytes_copy(log->payload, payload, bytes);
  log->bytes = bytes;
  for (uint32_t at = DEFECT_LOG_HEADER_BYTES; has_room_for(log, at, 1) && at < bytes;
       at += DEFECT_LOG_ENTRY_BYTES) {
    enter(list, bytes_get_le32(payload + at), bytes_get_le32(payload + at + 4));
  }
}

// ------------------------------------------------------------------------------------------- move

void defect_log_reject(struct defect_log* log, uint32_t spare) {
  if (log->pending_count == DEFECT_LOG_PENDING_MAX) return;
  log->pending[log->pending_count++] = spare;
}

bool defect_log_has_room(const struct defect_log* log) {
  return has_room_for(log, log->bytes, log->pending_count + 1) || log->cell + 1 < log->store->cells;
}

uint32_t defect_log_compose_move(struct defect_log* log, uint32_t lba, uint32_t spare) {
  ASSERT(defect_log_has_room(log));
  const bool same = has_room_for(log, log->bytes, log->pending_count + 1);
  uint8_t payload[STORE_PAYLOAD_MAX];
  uint32_t bytes = same ? log->bytes : DEFECT_LOG_HEADER_BYTES;
  bytes_copy(payload, log->payload, bytes);
  for (uint32_t i = 0; i < log->pending_count; ++i) {
    bytes = put_entry(payload, bytes, DEFECT_NO_BLOCK, log->pending[i]);
  }
  bytes = put_entry(payload, bytes, lba, spare);
  const uint32_t cell = log->cell + (same ? 0U : 1U);
  store_compose(log->store, cell, payload, bytes);
  return cell;
}

void defect_log_take_move(struct defect_log* log, uint32_t cell) {
  const uint8_t* payload = store_composed(log->store, &log->bytes);
  log->cell = cell;
  log->pending_count = 0;
  bytes_copy(log->payload, payload, log->bytes);
}

// ----------------------------------------------------------------------------------------- format

void defect_log_begin_format(struct defect_log* log) {
  ++log->age;
  log->flags |= DEFECT_LOG_FORMATTING;
  log->pending_count = 0;
  begin_cell(log, STORE_CELL_LOG);
}

void defect_log_end_format(struct defect_log* log) {
  log->flags &= ~(uint32_t)DEFECT_LOG_FORMATTING;
}

uint32_t defect_log_end_cell(const struct defect_log* log, const struct defect_list* list) {
  return STORE_CELL_LOG + (list->count + entries_max(log) - 1) / entries_max(log);
}

static void compose_state(const struct defect_log* log) {
  uint8_t payload[STATE_BYTES];
  bytes_put_le32(payload + AT_AGE, log->age);
  bytes_put_le32(payload + AT_FLAGS, log->flags);
  store_compose(log->store, STORE_CELL_STATE, payload, STATE_BYTES);
}

void defect_log_compose(struct defect_log* log, const struct defect_list* list, uint32_t cell) {
  if (cell == STORE_CELL_STATE) {
    compose_state(log);
    return;
  }
  begin_cell(log, cell);
  const uint32_t first = (cell - STORE_CELL_LOG) * entries_max(log);
  for (uint32_t i = first; i < list->count && i < first + entries_max(log); ++i) {
    log->bytes = put_entry(log->payload, log->bytes, list->entry[i].lba, list->entry[i].spare);
  }
  store_compose(log->store, cell, log->payload, log->bytes);
}
