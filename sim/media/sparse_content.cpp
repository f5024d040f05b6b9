#include "sim/media/sparse_content.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace headstack::media {

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

SparseContent::SparseContent(SectorFormatPtr format, std::shared_ptr<const ChunkSource> base)
    : format_(std::move(format)),
      base_(std::move(base)),
      chunks_(std::make_shared<ChunkMap>()),
      written_count_(base_ ? base_->written_count() : 0) {}

ChunkRef SparseContent::chunk(ChunkNumber number) const {
  const auto found = chunks_->find(number);
  if (found != chunks_->end()) return {found->second->written_mask, found->second->slots.data()};
  return base_ ? base_->chunk(number) : ChunkRef{};
}

std::vector<ChunkNumber> SparseContent::chunk_numbers() const {
  std::vector<ChunkNumber> own;
  own.reserve(chunks_->size());
  for (const auto& entry : *chunks_) own.push_back(entry.first);
  if (!base_) return own;
  const std::vector<ChunkNumber> beneath = base_->chunk_numbers();
  std::vector<ChunkNumber> all;
  all.reserve(own.size() + beneath.size());
  std::set_union(own.begin(), own.end(), beneath.begin(), beneath.end(), std::back_inserter(all));
  return all;
}

std::size_t SparseContent::resident_bytes() const {
  const std::size_t chunk_bytes = sizeof(Chunk) + kChunkSectors * format_->slot_bytes();
  return chunks_->size() * chunk_bytes + (base_ ? base_->resident_bytes() : 0);
}

void SparseContent::write(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) {
  Chunk& chunk = own_chunk(index / kChunkSectors);
  const std::uint64_t position = index % kChunkSectors;
  const std::uint64_t bit = std::uint64_t{1} << position;
  fill_slot(*format_, data, check, chunk.slots.data() + position * format_->slot_bytes());
  if ((chunk.written_mask & bit) == 0) ++written_count_;
  chunk.written_mask |= bit;
}

Chunk& SparseContent::own_chunk(ChunkNumber number) {
  // The table first: copying it raises the chunks' use counts, which then tell what is shared.
  if (chunks_.use_count() > 1) chunks_ = std::make_shared<ChunkMap>(*chunks_);
  const auto found = chunks_->find(number);
  if (found != chunks_->end() && found->second.use_count() == 1) return *found->second;
  auto own = std::make_shared<Chunk>(copy_chunk(*format_, chunk(number)));
  return *(chunks_->insert_or_assign(number, std::move(own)).first->second);
}

}  // namespace headstack::media
