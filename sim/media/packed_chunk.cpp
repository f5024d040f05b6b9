// SPDX-License-Identifier: Apache-2.0
#include "sim/media/packed_chunk.hpp"

#include <cstring>

#include "sim/media/generated_data.hpp"

namespace headstack::media {
namespace {

constexpr std::size_t kStateBytes = sizeof(std::uint64_t);

std::size_t packed_bytes(const SectorFormat& format) {
  return kStateBytes + format.geometry().check_bytes;
}

void copy(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

}  // namespace

PackedChunk::PackedChunk(const SectorFormat& format, const ChunkRef& chunk) {
  for (std::uint64_t position = 0; position < kChunkSectors; ++position) {
    if ((chunk.written_mask >> position & 1U) == 0) continue;
    const std::uint8_t* slot = chunk.slots + position * format.slot_bytes();
    write(format, position, slot, slot + format.geometry().sector_bytes);
  }
}

void PackedChunk::write(const SectorFormat& format, std::uint64_t position,
                        const std::uint8_t* data, const std::uint8_t* check) {
  const std::uint64_t bit = std::uint64_t{1} << position;
  const auto state = find_generator_state(data, format.geometry().sector_bytes);
  if (state) {
    if (packed_.empty()) packed_.assign(kChunkSectors * packed_bytes(format), 0);
    std::uint8_t* at = packed_.data() + position * packed_bytes(format);
    std::memcpy(at, &*state, kStateBytes);
    copy(at + kStateBytes, check, format.geometry().check_bytes);
    packed_mask_ |= bit;
  } else {
    if (slots_.empty()) slots_.assign(kChunkSectors * format.slot_bytes(), 0);
    fill_slot(format, data, check, slots_.data() + position * format.slot_bytes());
    packed_mask_ &= ~bit;
  }
  written_mask_ |= bit;
}

void PackedChunk::read(const SectorFormat& format, std::uint64_t position, std::uint8_t* data,
                       std::uint8_t* check) const {
  const MediaGeometry& geometry = format.geometry();
  const std::uint8_t* stored_check = nullptr;
  if ((packed_mask_ >> position & 1U) != 0) {
    const std::uint8_t* at = packed_.data() + position * packed_bytes(format);
    std::uint64_t state = 0;
    std::memcpy(&state, at, kStateBytes);
    generate_data(state, data, geometry.sector_bytes);
    stored_check = at + kStateBytes;
  } else {
    const std::uint8_t* slot = slots_.data() + position * format.slot_bytes();
    std::memcpy(data, slot, geometry.sector_bytes);
    stored_check = slot + geometry.sector_bytes;
  }
  if (check != nullptr) copy(check, stored_check, geometry.check_bytes);
}

Chunk PackedChunk::unpacked(const SectorFormat& format) const {
  Chunk chunk;
  chunk.written_mask = written_mask_;
  chunk.slots.assign(kChunkSectors * format.slot_bytes(), 0);
  for (std::uint64_t position = 0; position < kChunkSectors; ++position) {
    if (!is_written(position)) continue;
    std::uint8_t* slot = chunk.slots.data() + position * format.slot_bytes();
    read(format, position, slot, slot + format.geometry().sector_bytes);
  }
  return chunk;
}

}  // namespace headstack::media
