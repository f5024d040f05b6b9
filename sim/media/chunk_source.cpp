// SPDX-License-Identifier: Apache-2.0
#include "sim/media/chunk_source.hpp"

#include <cstring>

namespace headstack::media {

std::uint64_t ChunkSource::written_mask(ChunkNumber number) const {
  return chunk(number).written_mask;
}

bool ChunkSource::read(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
                       std::uint8_t* check) const {
  const ChunkRef here = chunk(index / kChunkSectors);
  const std::uint64_t position = index % kChunkSectors;
  if ((here.written_mask >> position & 1U) == 0) return false;
  const MediaGeometry& geometry = format.geometry();
  const std::uint8_t* slot = here.slots + position * format.slot_bytes();
  std::memcpy(data, slot, geometry.sector_bytes);
  if (check != nullptr && geometry.check_bytes != 0) {
    std::memcpy(check, slot + geometry.sector_bytes, geometry.check_bytes);
  }
  return true;
}

void fill_slot(const SectorFormat& format, const std::uint8_t* data, const std::uint8_t* check,
               std::uint8_t* slot) {
  const MediaGeometry& geometry = format.geometry();
  std::memcpy(slot, data, geometry.sector_bytes);
  if (geometry.check_bytes != 0) {
    std::memcpy(slot + geometry.sector_bytes, check, geometry.check_bytes);
  }
}

Chunk copy_chunk(const SectorFormat& format, ChunkRef chunk) {
  const std::size_t bytes = kChunkSectors * format.slot_bytes();
  Chunk copy;
  copy.written_mask = chunk.written_mask;
  if (chunk.slots == nullptr) {
    copy.slots.assign(bytes, 0);
  } else {
    copy.slots.assign(chunk.slots, chunk.slots + bytes);
  }
  return copy;
}

}  // namespace headstack::media
