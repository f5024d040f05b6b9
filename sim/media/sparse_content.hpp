/// @file
/// Sector content in memory: sparse, and copied on write.
///
/// A SparseContent is a value. Copying it is O(1): the copy shares the chunk table, which is copied
/// by the first write on either side (O(chunks)), and the chunks, each copied when first written.
/// It may lie over a *base* (a read-only file, a frozen view of a file) that answers for chunks it
/// does not hold itself; a chunk is copied up from the base as a whole by the first write to it.
///
/// Look-up: O(log chunks) in an ordered map. Not for use by several threads.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sim/media/chunk_source.hpp"

namespace headstack::media {

class SparseContent final : public Content {
 public:
  /// @param base  What lies beneath; null for nothing. Must not change as seen through ChunkSource.
  explicit SparseContent(SectorFormatPtr format, std::shared_ptr<const ChunkSource> base = nullptr);

  [[nodiscard]] ChunkRef chunk(ChunkNumber number) const override;
  [[nodiscard]] std::vector<ChunkNumber> chunk_numbers() const override;
  [[nodiscard]] std::uint64_t written_count() const override { return written_count_; }
  [[nodiscard]] std::size_t resident_bytes() const override;

  void write(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) override;
  [[nodiscard]] SparseContent freeze() override { return *this; }
  void restore(const SparseContent& frozen) override { *this = frozen; }

 private:
  using ChunkMap = std::map<ChunkNumber, std::shared_ptr<Chunk>>;

  /// The chunk, made this content's own.
  Chunk& own_chunk(ChunkNumber number);

  SectorFormatPtr format_;
  std::shared_ptr<const ChunkSource> base_;
  std::shared_ptr<ChunkMap> chunks_;
  std::uint64_t written_count_;
};

}  // namespace headstack::media
