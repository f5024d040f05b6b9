// SPDX-License-Identifier: Apache-2.0
/// @file
/// Content that lives in a media file, with snapshots that live in memory.
///
/// A snapshot of a file-backed store is a *frozen view*: it reads the file. Just before a chunk of
/// the file changes, every view that still needs the old bytes gets them. So a snapshot costs
/// nothing at first, and then one copy in memory per changed chunk, shared among all views. No
/// write to a snapshot or a branch reaches the file.
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

  /// Writes the chunks that differ into the file. Reserves all disk space it needs before the first
  /// change, so a full disk leaves the content as it was.
  void restore(const SparseContent& frozen) override;
  void sync() override { file_->sync(); }

 private:
  /// Gives the chunk's present content to every living view that still reads it from the file.
  void preserve(ChunkNumber number);

  SectorFormatPtr format_;
  std::shared_ptr<BackingFile> file_;
  std::vector<std::weak_ptr<FrozenView>> views_;  // oldest first
};

}  // namespace headstack::media
