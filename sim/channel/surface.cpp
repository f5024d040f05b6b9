// SPDX-License-Identifier: Apache-2.0
#include "sim/channel/surface.hpp"

#include <algorithm>
#include <utility>

#include "sim/assert.hpp"

namespace headstack::channel {

Surface::Surface(const SectorLayout& layout, const geometry::Geometry& geometry,
                 media::MediaStore media)
    : layout_(layout),
      geometry_(geometry),
      media_(std::move(media)),
      raw_(layout.raw_bytes, 0),
      written_(layout.field_bytes(), 0) {
  HEADSTACK_ASSERT(media_.geometry().sector_bytes == layout.data_bytes() &&
                       media_.geometry().check_bytes == kCheckBytes &&
                       media_.geometry().sector_count == geometry.sector_count(),
                   "the media store is this drive's");
}

void Surface::enter(const geometry::Chs& at, std::uint64_t turn) {
  end_write();
  index_ = geometry_.sector_index(at);
  field_loaded_ = false;
  std::fill(raw_.begin(), raw_.begin() + layout_.data_start, std::uint8_t{0});
  const media::HeaderRead header_read = media_.read_header(index_, turn);
  if (destroyed_.count(index_) != 0 || header_read == media::HeaderRead::kNoSync) return;
  std::copy(kSyncMark.begin(), kSyncMark.end(), raw_.begin() + layout_.sync_start);
  const Header header = encode_header(at);
  std::copy(header.begin(), header.end(), raw_.begin() + layout_.header_start);
  // The damage is within one byte: a burst that CRC-16 always detects.
  if (header_read == media::HeaderRead::kDamaged) raw_[layout_.header_start] ^= 0xA5;
}

std::uint8_t Surface::read(std::uint32_t byte) {
  const bool in_field = byte >= layout_.data_start && byte < layout_.gap_start;
  if (in_field && !field_loaded_) load_field();
  return raw_[byte];
}

void Surface::load_field() {
  // The status is for observers: the drive detects damage by the check bytes.
  static_cast<void>(media_.read(index_, &raw_[layout_.data_start], &raw_[layout_.check_start]));
  field_loaded_ = true;
}

void Surface::write(std::uint32_t byte, std::uint8_t value) {
  HEADSTACK_ASSERT(byte < layout_.raw_bytes, "a byte of the sector");
  if (byte < layout_.data_start) {
    destroyed_.insert(index_);
    return;
  }
  if (byte >= layout_.gap_start) return;
  const std::uint32_t at = byte - layout_.data_start;
  if (written_to_ != at) end_write();  // a byte was skipped
  if (written_from_ == written_to_) write_fails_ = media_.refuses_write(index_);
  if (written_from_ == written_to_) written_from_ = at;
  written_[at] = value;
  written_to_ = at + 1;
  if (written_to_ == layout_.field_bytes()) end_write();
}

void Surface::end_write() {
  write_fails_ = false;
  if (written_from_ == written_to_) return;
  if (written_to_ - written_from_ == layout_.field_bytes()) {
    store_whole();
  } else {
    store_part();
  }
  written_from_ = written_to_ = 0;
  field_loaded_ = false;
}

void Surface::store_whole() {
  // The result is not needed: the signal has reported a fault.
  static_cast<void>(media_.write(index_, &written_[0], &written_[layout_.data_bytes()]));
}

void Surface::store_part() {
  const media::WriteStatus status =
      media_.write_part(index_, written_.data(), written_from_, written_to_);
  if (status == media::WriteStatus::kOk) ++cut_write_count_;
}

}  // namespace headstack::channel
