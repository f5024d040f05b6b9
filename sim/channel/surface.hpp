// SPDX-License-Identifier: Apache-2.0
/// @file
/// The magnetic side of the channel: which byte the head reads at a place, and what becomes of a
/// byte that it writes there. One sector passes at a time.
///
/// Reading. Preamble and gap are 00. Sync mark and header are made from the sector's place. Data
/// and check bytes come from the media store. The store is read once a pass, when the first data or
/// check byte is read. So a pass of which only the header was read is no attempt on a flaw. In the
/// turns in which a header's flaw strikes, the header reads with bits of its first byte inverted,
/// or without a sync mark.
///
/// Writing.
/// - Data and check bytes may all be written in one go (no byte skipped, gate open throughout).
///   Then they go to the media store as they are, with the last one.
/// - A field written in part is stored when that write ends, or with the field's last byte. It has
///   new bytes where they were written, and the old ones elsewhere. Its check bytes are the
///   complement of the right ones for this mixture. So it always reads as bad, even where the new
///   bytes equal the old, as the splice in the middle of a real track would.
/// - A byte written before the data destroys the header. From the next pass on that sector's
///   preamble, sync mark and header read as 00, until restore_headers(). Its data stay.
/// - Bytes written into the gap leave no trace.
/// - Where the head's current fails (media::FlawKind::kWriteFault) nothing changes. write_fails()
///   is then true from the first byte of data or check bytes on, until the write ends.
///
/// A misplaced-write flaw acts on every store: the sector, or the mixture, lands elsewhere.
/// Units: bytes from the sector's mark. Ownership: owns the media store; geometry must outlive it.
/// Errors: throws when the disk of the media store's file is full (media_store.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "sim/channel/sector_codec.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/media/media_store.hpp"

namespace headstack::channel {

class Surface {
 public:
  Surface(const SectorLayout& layout, const geometry::Geometry& geometry, media::MediaStore media);

  /// Another pass of a sector begins under the head, in the given turn of the spindle. The sector
  /// must exist.
  void enter(const geometry::Chs& at, std::uint64_t turn = 0);

  /// The byte that passes now. enter() must have been called before.
  [[nodiscard]] std::uint8_t read(std::uint32_t byte);
  void write(std::uint32_t byte, std::uint8_t value);
  /// Called when the write gate closes or the write is cut: the next written byte begins a new
  /// write.
  void end_write();
  /// The sector whose data or check bytes are being written, if there is one.
  std::optional<media::SectorIndex> writing() const {
    if (written_from_ == written_to_) return std::nullopt;
    return index_;
  }
  /// Whether bytes are being written while no current flows.
  bool write_fails() const { return write_fails_; }

  const SectorLayout& layout() const { return layout_; }
  media::MediaStore& media() { return media_; }
  const media::MediaStore& media() const { return media_; }

  /// Sectors whose header is destroyed, by media index.
  const std::set<media::SectorIndex>& destroyed_headers() const { return destroyed_; }
  /// Writes every header anew, as formatting the drive does.
  void restore_headers() { destroyed_.clear(); }
  /// How many fields were stored although written in part.
  std::uint64_t cut_write_count() const { return cut_write_count_; }

 private:
  void load_field();
  void store_whole();
  void store_part();

  SectorLayout layout_;
  const geometry::Geometry& geometry_;
  media::MediaStore media_;
  std::set<media::SectorIndex> destroyed_;
  std::uint64_t cut_write_count_ = 0;

  // The pass under way.
  media::SectorIndex index_ = 0;
  std::vector<std::uint8_t> raw_;  // the sector as it reads; its field only once field_loaded_
  bool field_loaded_ = false;
  std::vector<std::uint8_t> written_;  // the write under way: data and check bytes
  std::uint32_t written_from_ = 0;     // part of the field that is written: first, and after the
                                       // last
  std::uint32_t written_to_ = 0;
  bool write_fails_ = false;
};

}  // namespace headstack::channel
