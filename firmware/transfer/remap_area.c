// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/remap_area.h"

#include "firmware/kernel/bytes.h"

#define MAGIC 0x504D5348U  // "HSMP", low byte first

enum header_byte { AT_MAGIC = 0, AT_KIND = 4, AT_INDEX = 6, AT_SEQUENCE = 8, AT_CRC = 12 };

uint32_t remap_area_scratch_slots(const struct drive_design* design, uint32_t unit_blocks) {
  if (design->sector_bytes < STORE_IMAGE_BYTES || design->store_sectors <= REMAP_SCRATCH_FIRST) {
    return 0;
  }
  const uint32_t sectors = design->store_sectors - REMAP_SCRATCH_FIRST;
  uint32_t slots = 0;
  while (slots < BLOCK_MAP_SCRATCH_MAX && (slots + 1U) * unit_blocks <= sectors) ++slots;
  return slots;
}

void remap_image_seal(uint8_t* image, uint32_t kind, uint32_t index, uint32_t sequence) {
  bytes_put_le32(image + AT_MAGIC, MAGIC);
  bytes_put_le16(image + AT_KIND, kind);
  bytes_put_le16(image + AT_INDEX, index);
  bytes_put_le32(image + AT_SEQUENCE, sequence);
  bytes_put_le32(image + AT_CRC, store_crc(image, REMAP_PAYLOAD_BYTES));
}

bool remap_image_check(const uint8_t* image, uint32_t kind, uint32_t index, uint32_t* sequence) {
  if (bytes_get_le32(image + AT_MAGIC) != MAGIC || bytes_get_le16(image + AT_KIND) != kind ||
      bytes_get_le16(image + AT_INDEX) != index) {
    return false;
  }
  if (bytes_get_le32(image + AT_CRC) != store_crc(image, REMAP_PAYLOAD_BYTES)) return false;
  *sequence = bytes_get_le32(image + AT_SEQUENCE);
  return true;
}
