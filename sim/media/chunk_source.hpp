// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sectors in chunks of 64: the unit in which content is looked up, shared and copied.
///
/// With 64, the mask of written sectors is one machine word. A chunk of 512-byte sectors (33 KB) is
/// small enough to copy on a write after a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/media/media_geometry.hpp"

namespace headstack::media {

inline constexpr std::uint64_t kChunkSectors = 64;

/// Number of a chunk: SectorIndex / kChunkSectors.
using ChunkNumber = std::uint64_t;

/// One chunk in memory. Slots of never-written sectors are all zero.
struct Chunk {
  std::uint64_t written_mask = 0;
  std::vector<std::uint8_t> slots;
};

/// A view of one chunk. Valid until the next change of the content it came from.
struct ChunkRef {
  std::uint64_t written_mask = 0;       ///< Bit n: sector n of the chunk was written.
  const std::uint8_t* slots = nullptr;  ///< kChunkSectors slots; null only when nothing written.
  std::shared_ptr<const Chunk> unpacked = nullptr;  ///< Holds slots that were made for this view.
};

/// Content whose sectors can be looked up by chunk: memory, a mapped file, a frozen view of one.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;

  /// The chunk, or an empty reference when none of its sectors was written.
  [[nodiscard]] virtual ChunkRef chunk(ChunkNumber number) const = 0;

  /// The chunk's written_mask.
  [[nodiscard]] virtual std::uint64_t written_mask(ChunkNumber number) const;

  /// One sector as stored; false, with nothing done, when it was never written. `check` may be null
  /// if it is not needed.
  virtual bool read(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
                    std::uint8_t* check) const;

  /// The chunks with at least one written sector, ascending.
  [[nodiscard]] virtual std::vector<ChunkNumber> chunk_numbers() const = 0;

  [[nodiscard]] virtual std::uint64_t written_count() const = 0;

  /// Heap bytes of the sectors reachable from here, shared ones included; not mapped file pages.
  [[nodiscard]] virtual std::size_t resident_bytes() const = 0;
};

class SparseContent;

/// A chunk source that can be written, frozen and restored: where a store keeps its sectors.
class Content : public ChunkSource {
 public:
  /// Stores one sector. `check` may be null when there are no check bytes.
  /// Throws MediaFileError, with nothing changed, when the backing file's disk is full.
  virtual void write(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) = 0;

  /// The present content as a value that later writes here do not change.
  [[nodiscard]] virtual SparseContent freeze() = 0;

  /// Makes the content equal to `frozen`, which may come from any store of the same format.
  virtual void restore(const SparseContent& frozen) = 0;

  /// Makes everything written so far durable; without effect for content in memory.
  virtual void sync() {}
};

/// Copies data and check bytes into `slot`.
void fill_slot(const SectorFormat& format, const std::uint8_t* data, const std::uint8_t* check,
               std::uint8_t* slot);

/// A copy of `chunk`; an all-zero chunk when it is empty.
[[nodiscard]] Chunk copy_chunk(const SectorFormat& format, ChunkRef chunk);

}  // namespace headstack::media
