// SPDX-License-Identifier: Apache-2.0
#include "sim/media/file_content.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "sim/media/sparse_content.hpp"

namespace headstack::media {
namespace {

/// True when both have the same sectors written with the same bytes.
bool same_chunk(ChunkRef a, ChunkRef b, std::size_t chunk_bytes) {
  if (a.written_mask != b.written_mask) return false;
  if (a.written_mask == 0) return true;
  // Never-written slots are zero in both chunks, so whole chunks can be compared.
  return a.slots == b.slots || std::memcmp(a.slots, b.slots, chunk_bytes) == 0;
}

}  // namespace

/// The file's content at one moment: the file, except for chunks that changed since.
class FrozenView final : public ChunkSource {
 public:
  FrozenView(SectorFormatPtr format, std::shared_ptr<const BackingFile> file)
      : format_(std::move(format)),
        file_(std::move(file)),
        written_count_(file_->written_count()) {}

  [[nodiscard]] ChunkRef chunk(ChunkNumber number) const override {
    const auto kept = kept_.find(number);
    if (kept == kept_.end()) return file_->chunk(number);
    if (kept->second == nullptr) return {};
    return {kept->second->written_mask, kept->second->slots.data()};
  }

  [[nodiscard]] std::vector<ChunkNumber> chunk_numbers() const override {
    std::vector<ChunkNumber> kept;
    for (const auto& entry : kept_) kept.push_back(entry.first);
    const std::vector<ChunkNumber> in_file = file_->chunk_numbers();
    std::vector<ChunkNumber> all;
    std::set_union(kept.begin(), kept.end(), in_file.begin(), in_file.end(),
                   std::back_inserter(all));
    const auto was_unwritten = [this](ChunkNumber n) { return chunk(n).written_mask == 0; };
    all.erase(std::remove_if(all.begin(), all.end(), was_unwritten), all.end());
    return all;
  }

  [[nodiscard]] std::uint64_t written_count() const override { return written_count_; }

  [[nodiscard]] std::size_t resident_bytes() const override {
    const std::size_t chunk_bytes = sizeof(Chunk) + kChunkSectors * format_->slot_bytes();
    const auto holds_bytes = [](const auto& entry) { return entry.second != nullptr; };
    return chunk_bytes *
           static_cast<std::size_t>(std::count_if(kept_.begin(), kept_.end(), holds_bytes));
  }

  [[nodiscard]] bool keeps_nothing() const { return kept_.empty(); }
  [[nodiscard]] bool keeps(ChunkNumber number) const { return kept_.count(number) != 0; }

  /// Keeps a chunk's bytes from before a change; null: the chunk was unwritten.
  void keep(ChunkNumber number, std::shared_ptr<const Chunk> chunk) {
    kept_.emplace(number, std::move(chunk));
  }

 private:
  SectorFormatPtr format_;
  std::shared_ptr<const BackingFile> file_;
  std::uint64_t written_count_;
  std::map<ChunkNumber, std::shared_ptr<const Chunk>> kept_;
};

FileContent::FileContent(SectorFormatPtr format, std::shared_ptr<BackingFile> file)
    : format_(std::move(format)), file_(std::move(file)) {}

void FileContent::write(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) {
  const ChunkNumber number = index / kChunkSectors;
  file_->reserve(number);
  preserve(number);
  file_->write_sector(index, data, check);
}

SparseContent FileContent::freeze() {
  const auto dropped = [](const std::weak_ptr<FrozenView>& view) { return view.expired(); };
  views_.erase(std::remove_if(views_.begin(), views_.end(), dropped), views_.end());
  std::shared_ptr<FrozenView> view = views_.empty() ? nullptr : views_.back().lock();
  // Nothing has changed since the newest view, so it serves for this moment as well.
  if (view == nullptr || !view->keeps_nothing()) {
    view = std::make_shared<FrozenView>(format_, file_);
    views_.push_back(view);
  }
  return SparseContent(format_, view);
}

void FileContent::restore(const SparseContent& frozen) {
  const std::size_t chunk_bytes = kChunkSectors * format_->slot_bytes();
  const std::vector<ChunkNumber> here = chunk_numbers();
  const std::vector<ChunkNumber> there = frozen.chunk_numbers();
  std::vector<ChunkNumber> changed;
  std::set_union(here.begin(), here.end(), there.begin(), there.end(), std::back_inserter(changed));
  const auto is_same = [&](ChunkNumber number) {
    return same_chunk(chunk(number), frozen.chunk(number), chunk_bytes);
  };
  changed.erase(std::remove_if(changed.begin(), changed.end(), is_same), changed.end());
  for (const ChunkNumber number : changed) file_->reserve(number);
  for (const ChunkNumber number : changed) {
    preserve(number);
    file_->replace_chunk(number, frozen.chunk(number));
  }
}

void FileContent::preserve(ChunkNumber number) {
  std::shared_ptr<const Chunk> now;
  bool copied = false;
  // A view that keeps the chunk got it at an earlier change. All older views existed at that
  // change, and got it, too.
  for (auto view = views_.rbegin(); view != views_.rend(); ++view) {
    const std::shared_ptr<FrozenView> living = view->lock();
    if (living == nullptr) continue;
    if (living->keeps(number)) break;
    const ChunkRef chunk = file_->chunk(number);
    if (!copied && chunk.slots != nullptr) {
      now = std::make_shared<const Chunk>(copy_chunk(*format_, chunk));
    }
    copied = true;
    living->keep(number, now);
  }
}

}  // namespace headstack::media
