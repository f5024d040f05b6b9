// SPDX-License-Identifier: Apache-2.0
/// @file
/// One chunk in memory, its generated sectors packed.
///
/// A sector whose data equals a generator's sequence (generated_data.hpp) is kept as the
/// generator's state and its check bytes. The check bytes are kept as written, right or wrong. That
/// takes 12 bytes for 516. Any other sector is kept byte for byte. Either way it reads as it was
/// written.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/media/chunk_source.hpp"

namespace headstack::media {

class PackedChunk {
 public:
  PackedChunk() = default;
  /// A copy of a chunk of another content; no written sectors when that is empty.
  PackedChunk(const SectorFormat& format, const ChunkRef& chunk);

  [[nodiscard]] std::uint64_t written_mask() const { return written_mask_; }
  [[nodiscard]] bool is_written(std::uint64_t position) const {
    return (written_mask_ >> position & 1U) != 0;
  }

  /// Writes one sector of the chunk; `check` may be null when there are no check bytes.
  void write(const SectorFormat& format, std::uint64_t position, const std::uint8_t* data,
             const std::uint8_t* check);
  /// Reads a written sector; `check` may be null if it is not needed.
  void read(const SectorFormat& format, std::uint64_t position, std::uint8_t* data,
            std::uint8_t* check) const;

  /// All sectors as slots.
  [[nodiscard]] Chunk unpacked(const SectorFormat& format) const;
  [[nodiscard]] std::size_t resident_bytes() const {
    return sizeof(*this) + packed_.size() + slots_.size();
  }

 private:
  std::uint64_t written_mask_ = 0;
  std::uint64_t packed_mask_ = 0;     // which of the written sectors are packed
  std::vector<std::uint8_t> packed_;  // state and check bytes, 64 times; empty if none is packed
  std::vector<std::uint8_t> slots_;   // slots for 64 sectors; empty until one is not packed
};

}  // namespace headstack::media
