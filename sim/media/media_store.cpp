// SPDX-License-Identifier: Apache-2.0
#include "sim/media/media_store.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "sim/assert.hpp"
#include "sim/media/file_content.hpp"
#include "sim/media/fnv1a.hpp"

namespace headstack::media {
namespace {

SectorFormatPtr make_format(const MediaGeometry& geometry, CheckCode check_code) {
  return std::make_shared<const SectorFormat>(geometry, std::move(check_code));
}

/// Whether two formats have the same sizes, layout and formatted slot: sectors are interchangeable.
bool same_format(const SectorFormat& a, const SectorFormat& b) {
  return a.geometry().sector_count == b.geometry().sector_count &&
         a.geometry().sector_bytes == b.geometry().sector_bytes &&
         a.geometry().check_bytes == b.geometry().check_bytes &&
         a.geometry().layout_signature == b.geometry().layout_signature &&
         std::memcmp(a.formatted_slot(), b.formatted_slot(), a.slot_bytes()) == 0;
}

}  // namespace

MediaSnapshot::MediaSnapshot(SectorFormatPtr format, SparseContent content, FlawTable flaws)
    : format_(std::move(format)), content_(std::move(content)), flaws_(std::move(flaws)) {}

MediaStore::MediaStore(SectorFormatPtr format, std::unique_ptr<Content> content)
    : format_(std::move(format)), content_(std::move(content)) {}

MediaStore::MediaStore(const MediaGeometry& geometry, CheckCode check_code)
    : format_(make_format(geometry, std::move(check_code))),
      content_(std::make_unique<SparseContent>(format_)) {}

MediaStore::MediaStore(const MediaSnapshot& snapshot)
    : format_(snapshot.format_),
      content_(std::make_unique<SparseContent>(snapshot.content_)),
      flaws_(snapshot.flaws_),
      is_branch_(true) {}

MediaStore MediaStore::open_file(const std::string& path, const MediaGeometry& geometry,
                                 FileMode mode, CheckCode check_code) {
  SectorFormatPtr format = make_format(geometry, std::move(check_code));
  std::shared_ptr<BackingFile> file = BackingFile::open(path, format, mode);
  std::unique_ptr<Content> content;
  if (mode == FileMode::kReadOnly) {
    content = std::make_unique<SparseContent>(format, std::move(file));
  } else {
    content = std::make_unique<FileContent>(format, std::move(file));
  }
  return MediaStore(std::move(format), std::move(content));
}

ReadStatus MediaStore::read(SectorIndex index, std::uint8_t* data, std::uint8_t* check) {
  peek(index, data, check);
  if (!flaws_.attempt_read(index)) return ReadStatus::kOk;
  std::array<std::uint8_t, kMaxCheckBytes> unwanted_check{};
  if (check == nullptr) {
    check = unwanted_check.data();
    peek(index, data, check);
  }
  damage_sector(*format_, index, data, check);
  return ReadStatus::kDamaged;
}

WriteStatus MediaStore::write(SectorIndex index, const std::uint8_t* data,
                              const std::uint8_t* check) {
  assert_index(index);
  HEADSTACK_ASSERT(data != nullptr, "a write brings its data");
  HEADSTACK_ASSERT(check != nullptr || geometry().check_bytes == 0,
                   "a write brings its check bytes");
  if (!power_.admits(index, data, check, geometry().sector_bytes + geometry().check_bytes)) {
    return WriteStatus::kOk;
  }
  if (flaws_.refuses_write(index)) {
    flaws_.note_refused_write(index);
    return WriteStatus::kFault;
  }
  const SectorIndex landed = flaws_.landing_of_write(index);
  content_->write(landed, data, check);
  flaws_.note_write(index, landed);
  return WriteStatus::kOk;
}

WriteStatus MediaStore::write_part(SectorIndex index, const std::uint8_t* field, std::uint32_t from,
                                   std::uint32_t to) {
  const std::uint32_t data_bytes = geometry().sector_bytes;
  HEADSTACK_ASSERT(from < to && to <= data_bytes + geometry().check_bytes, "a part of the sector");
  std::vector<std::uint8_t> mixture(data_bytes + kMaxCheckBytes);
  peek(index, mixture.data(), &mixture[data_bytes]);
  std::memcpy(&mixture[from], field + from, to - from);
  format_->encode(mixture.data(), &mixture[data_bytes]);
  for (std::uint32_t i = 0; i < geometry().check_bytes; ++i) {
    std::uint8_t& byte = mixture[data_bytes + i];
    byte = static_cast<std::uint8_t>(~byte);
  }
  return write(index, mixture.data(), &mixture[data_bytes]);
}

void MediaStore::write_formatted(SectorIndex index, const std::uint8_t* data) {
  assert_index(index);
  HEADSTACK_ASSERT(data != nullptr, "a write brings its data");
  std::array<std::uint8_t, kMaxCheckBytes> check{};
  format_->encode(data, check.data());
  content_->write(index, data, check.data());
}

void MediaStore::peek(SectorIndex index, std::uint8_t* data, std::uint8_t* check) const {
  HEADSTACK_ASSERT(data != nullptr, "a read brings a buffer for the data");
  assert_index(index);
  if (content_->read(*format_, index, data, check)) return;
  const std::uint8_t* slot = format_->formatted_slot();
  std::memcpy(data, slot, geometry().sector_bytes);
  if (check != nullptr) {
    std::memcpy(check, slot + geometry().sector_bytes, geometry().check_bytes);
  }
}

bool MediaStore::is_written(SectorIndex index) const {
  assert_index(index);
  const std::uint64_t mask = content_->written_mask(index / kChunkSectors);
  return (mask >> (index % kChunkSectors) & 1U) != 0;
}

void MediaStore::visit_written(const Visitor& visit) const {
  for (const ChunkNumber number : content_->chunk_numbers()) {
    const ChunkRef chunk = content_->chunk(number);
    for (std::uint64_t position = 0; position < kChunkSectors; ++position) {
      if (((chunk.written_mask >> position) & 1U) == 0) continue;
      const std::uint8_t* slot = chunk.slots + position * format_->slot_bytes();
      visit(number * kChunkSectors + position, slot, slot + geometry().sector_bytes);
    }
  }
}

std::uint64_t MediaStore::content_hash() const {
  Fnv1a64 hash;
  visit_written([&](SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) {
    hash.add_u64(index);
    hash.add(data, geometry().sector_bytes);
    hash.add(check, geometry().check_bytes);
  });
  return hash.value();
}

MediaSnapshot MediaStore::snapshot() { return MediaSnapshot(format_, content_->freeze(), flaws_); }

void MediaStore::restore(const MediaSnapshot& snapshot) {
  HEADSTACK_ASSERT(same_format(*format_, *snapshot.format_),
                   "a snapshot is restored into a store of its own geometry and check code");
  content_->restore(snapshot.content_);
  flaws_ = snapshot.flaws_;
}

void MediaStore::inject(const FlawSpec& spec) {
  for (const Flaw& flaw : plan_flaws(spec, geometry().sector_count)) flaws_.add(flaw, spec.seed);
}

void MediaStore::assert_index(SectorIndex index) const {
  HEADSTACK_ASSERT(index < geometry().sector_count, "a sector index lies on the drive");
}

}  // namespace headstack::media
