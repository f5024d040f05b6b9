/// @file
/// Content that lives in a media file, with snapshots that do not.
///
/// A snapshot of a file-backed store is a *frozen view*: it reads the file, and just before a chunk
/// of the file changes, the chunk's old bytes are handed to every view that still needs them. So a
/// snapshot costs nothing at first and then one memory copy per chunk changed after it, shared
/// among all views. Nothing done to a snapshot or a branch ever writes into the file.
#pragma once

#include <memory>
#include <vector>

#include "sim/media/backing_file.hpp"
#include "sim/media/chunk_source.hpp"

namespace headstack::media {

class FrozenView;

class FileContent final : public Content {
 public:
  FileContent(SectorFormatPtr format, std::shared_ptr<BackingFile> file);

  [[nodiscard]] ChunkRef chunk(ChunkNumber number) const override { return file_->chunk(number); }
  [[nodiscard]] std::vector<ChunkNumber> chunk_numbers() const override {
    return file_->chunk_numbers();
  }
  [[nodiscard]] std::uint64_t written_count() const override { return file_->written_count(); }
  [[nodiscard]] std::size_t resident_bytes() const override { return file_->resident_bytes(); }

  void write(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) override;
  [[nodiscard]] SparseContent freeze() override;

  /// Writes the chunks that differ into the file. Takes all disk space it needs before the first
  /// change, so a full disk leaves the content as it was.
  void restore(const SparseContent& frozen) override;
  void sync() override { file_->sync(); }

 private:
  /// Hands the chunk as it is now to every living view that still reads it from the file.
  void preserve(ChunkNumber number);

  SectorFormatPtr format_;
  std::shared_ptr<BackingFile> file_;
  std::vector<std::weak_ptr<FrozenView>> views_;  // oldest first
};

}  // namespace headstack::media
