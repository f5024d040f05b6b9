// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_STORE
#include "firmware/transfer/store.h"

#include <stddef.h>

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

#define MAGIC 0x54535348U  // "HSST", low byte first

enum header_byte {
  AT_MAGIC = 0,
  AT_CELL = 4,
  AT_BYTES = 6,
  AT_SEQUENCE = 8,
  AT_CRC = 12,
  AT_PAYLOAD = STORE_HEADER_BYTES,
};

/// CRC-32 of IEEE 802.3, reflected, half a byte at a time.
static uint32_t crc_step(uint32_t crc, const uint8_t* bytes, uint32_t count) {
  static const uint32_t table[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                     0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                     0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                     0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
#pragma GCC unroll 4  // It is most of the time that a sector of the store takes.
  for (uint32_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    crc = crc >> 4 ^ table[crc & 0xF];
    crc = crc >> 4 ^ table[crc & 0xF];
  }
  return crc;
}

uint32_t store_crc(const uint8_t* image, uint32_t payload_bytes) {
  const uint32_t header = crc_step(UINT32_MAX, image, AT_CRC);
  return ~crc_step(header, image + AT_PAYLOAD, payload_bytes);
}

/// Whether an image fits a sector, and buffer RAM has a sector for it (store_sector.h).
static bool has_room(const struct drive_design* design) {
  return design->sector_bytes >= STORE_IMAGE_BYTES &&
         design->buffer_bytes / design->sector_bytes < BUFFER_MGR_RAM_BYTES / design->sector_bytes;
}

void store_init(struct store* store, const struct drive_design* design) {
  uint32_t cells = has_room(design) ? design->store_sectors / STORE_COPIES : 0;
  if (cells > STORE_CELLS_MAX) cells = STORE_CELLS_MAX;
  store->cells = cells >= STORE_CELLS_MIN ? cells : 0;
  store->payload_bytes = store->cells > 0 ? STORE_PAYLOAD_MAX : 0;
  for (uint32_t i = 0; i < store->cells; ++i) store->cell[i] = (struct store_cell){0, 0};
}

/// Whether `image` is a good one of this cell.
static bool is_good(const struct store* store, uint32_t cell) {
  const uint8_t* image = store->image;
  const uint32_t bytes = bytes_get_le16(image + AT_BYTES);
  return bytes_get_le32(image + AT_MAGIC) == MAGIC && bytes_get_le16(image + AT_CELL) == cell &&
         bytes <= store->payload_bytes && bytes_get_le32(image + AT_CRC) == store_crc(image, bytes);
}

void store_show(struct store* store, uint32_t index) {
  ASSERT(index < store_sector_count(store));
  const uint32_t copy = index / store->cells;
  const uint32_t number = index - copy * store->cells;
  if (!is_good(store, number)) return;
  struct store_cell* cell = &store->cell[number];
  const uint32_t sequence = bytes_get_le32(store->image + AT_SEQUENCE);
  if (cell->good != 0 && sequence < cell->sequence) return;
  if (sequence != cell->sequence) cell->good = 0;
  cell->sequence = sequence;
  cell->good |= 1U << copy;
}

void store_lose(struct store* store, uint32_t cell, uint32_t copy) {
  store->cell[cell].good &= ~(1U << copy);
}

const uint8_t* store_payload(const struct store* store, uint32_t cell, uint32_t* bytes) {
  if (!is_good(store, cell)) return NULL;
  if (bytes_get_le32(store->image + AT_SEQUENCE) != store->cell[cell].sequence) return NULL;
  *bytes = bytes_get_le16(store->image + AT_BYTES);
  return store->image + AT_PAYLOAD;
}

const uint8_t* store_composed(const struct store* store, uint32_t* bytes) {
  *bytes = bytes_get_le16(store->image + AT_BYTES);
  return store->image + AT_PAYLOAD;
}

void store_compose(struct store* store, uint32_t cell, const uint8_t* payload, uint32_t bytes) {
  ASSERT(cell < store->cells && bytes <= store->payload_bytes);
  uint8_t* image = store->image;
  bytes_fill(image, 0, STORE_IMAGE_BYTES);
  bytes_put_le32(image + AT_MAGIC, MAGIC);
  bytes_put_le16(image + AT_CELL, cell);
  bytes_put_le16(image + AT_BYTES, bytes);
  bytes_put_le32(image + AT_SEQUENCE, store->cell[cell].sequence + 1);
  bytes_copy(image + AT_PAYLOAD, payload, bytes);
  bytes_put_le32(image + AT_CRC, store_crc(image, bytes));
}

uint32_t store_first_copy(const struct store* store, uint32_t cell) {
  return store->cell[cell].good == 1U ? 1 : 0;
}

void store_begin(struct store* store, uint32_t cell, uint32_t copy) {
  store_lose(store, cell, copy);
}

void store_end(struct store* store, uint32_t cell, uint32_t copy, bool is_first) {
  struct store_cell* at = &store->cell[cell];
  if (is_first) {
    ++at->sequence;
    at->good = 0;
  }
  at->good |= 1U << copy;
}
