// SPDX-License-Identifier: Apache-2.0
#include "sim/media/sparse_content.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headstack::media {
namespace {

/// The object behind a pointer, copied first if it is shared.
template <class Object>
Object& own(std::shared_ptr<Object>& shared) {
  if (shared.use_count() > 1) shared = std::make_shared<Object>(*shared);
  return *shared;
}

}  // namespace

SparseContent::SparseContent(SectorFormatPtr format, std::shared_ptr<const ChunkSource> base)
    : format_(std::move(format)),
      base_(std::move(base)),
      pages_(std::make_shared<PageMap>()),
      written_count_(base_ ? base_->written_count() : 0) {}

const PackedChunk* SparseContent::find(ChunkNumber number) const {
  const auto page = pages_->find(number / kPageChunks);
  return page == pages_->end() ? nullptr : (*page->second)[number % kPageChunks].get();
}

ChunkRef SparseContent::chunk(ChunkNumber number) const {
  const PackedChunk* own = find(number);
  if (own == nullptr) return base_ ? base_->chunk(number) : ChunkRef{};
  auto unpacked = std::make_shared<const Chunk>(own->unpacked(*format_));
  const std::uint8_t* slots = unpacked->slots.data();
  return {own->written_mask(), slots, std::move(unpacked)};
}

std::uint64_t SparseContent::written_mask(ChunkNumber number) const {
  const PackedChunk* own = find(number);
  if (own != nullptr) return own->written_mask();
  return base_ ? base_->written_mask(number) : 0;
}

bool SparseContent::read(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
                         std::uint8_t* check) const {
  const PackedChunk* own = find(index / kChunkSectors);
  if (own == nullptr) return base_ && base_->read(format, index, data, check);
  if (!own->is_written(index % kChunkSectors)) return false;
  own->read(format, index % kChunkSectors, data, check);
  return true;
}

std::vector<ChunkNumber> SparseContent::chunk_numbers() const {
  std::vector<ChunkNumber> own;
  for (const auto& [page, chunks] : *pages_) {
    for (std::uint64_t i = 0; i < kPageChunks; ++i) {
      if ((*chunks)[i] != nullptr) own.push_back(page * kPageChunks + i);
    }
  }
  if (!base_) return own;
  const std::vector<ChunkNumber> beneath = base_->chunk_numbers();
  std::vector<ChunkNumber> all;
  all.reserve(own.size() + beneath.size());
  std::set_union(own.begin(), own.end(), beneath.begin(), beneath.end(), std::back_inserter(all));
  return all;
}

std::size_t SparseContent::resident_bytes() const {
  std::size_t bytes = base_ ? base_->resident_bytes() : 0;
  for (const auto& entry : *pages_) {
    for (const auto& chunk : *entry.second) {
      if (chunk != nullptr) bytes += chunk->resident_bytes();
    }
  }
  return bytes;
}

void SparseContent::write(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) {
  PackedChunk& chunk = own_chunk(index / kChunkSectors);
  const std::uint64_t position = index % kChunkSectors;
  if (!chunk.is_written(position)) ++written_count_;
  chunk.write(*format_, position, data, check);
}

PackedChunk& SparseContent::own_chunk(ChunkNumber number) {
  // Copies go from the top down: copying a shared object raises the use counts of the objects that
  // it points at. These are then recognised as shared, too.
  std::shared_ptr<Page>& page = own(pages_)[number / kPageChunks];
  if (page == nullptr) page = std::make_shared<Page>();
  std::shared_ptr<PackedChunk>& chunk = own(page)[number % kPageChunks];
  if (chunk == nullptr) {
    chunk = base_ ? std::make_shared<PackedChunk>(*format_, base_->chunk(number))
                  : std::make_shared<PackedChunk>();
  }
  return own(chunk);
}

}  // namespace headstack::media
