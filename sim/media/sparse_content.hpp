// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sector content in memory: sparse, packed, and copied on write.
///
/// A SparseContent is a value. Copying it is O(1): the copy shares the chunk table. The first write
/// on either side copies the table (O(pages)). Pages and chunks are copied when they are first
/// written. The content may lie over a *base* (a read-only file, a frozen view of a file). The base
/// answers for chunks that the content does not hold. The first write to such a chunk copies it
/// whole from the base.
///
/// Look-up: an ordered map of pages of 512 chunks, 16 MiB of 512-byte sectors each. A whole drive
/// has some hundred pages, so look-ups stay fast when a run has been everywhere. Memory per written
/// sector: packed_chunk.hpp. Not for use by several threads.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "sim/media/chunk_source.hpp"
#include "sim/media/packed_chunk.hpp"

namespace headstack::media {

class SparseContent final : public Content {
 public:
  /// @param base  The base below; null for none. Its content as seen through ChunkSource must not
  ///              change.
  explicit SparseContent(SectorFormatPtr format, std::shared_ptr<const ChunkSource> base = nullptr);

  [[nodiscard]] ChunkRef chunk(ChunkNumber number) const override;
  [[nodiscard]] std::uint64_t written_mask(ChunkNumber number) const override;
  bool read(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
            std::uint8_t* check) const override;
  [[nodiscard]] std::vector<ChunkNumber> chunk_numbers() const override;
  [[nodiscard]] std::uint64_t written_count() const override { return written_count_; }
  [[nodiscard]] std::size_t resident_bytes() const override;

  void write(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) override;
  [[nodiscard]] SparseContent freeze() override { return *this; }
  void restore(const SparseContent& frozen) override { *this = frozen; }

 private:
  static constexpr std::uint64_t kPageChunks = 512;
  using Page = std::array<std::shared_ptr<PackedChunk>, kPageChunks>;
  using PageMap = std::map<std::uint64_t, std::shared_ptr<Page>>;

  /// The chunk in this content; null when the base answers.
  [[nodiscard]] const PackedChunk* find(ChunkNumber number) const;
  /// The chunk in this content, copied from the base first if needed.
  PackedChunk& own_chunk(ChunkNumber number);

  SectorFormatPtr format_;
  std::shared_ptr<const ChunkSource> base_;
  std::shared_ptr<PageMap> pages_;
  std::uint64_t written_count_;
};

}  // namespace headstack::media
