/// @file
/// The magnetic side of the channel: what byte the head reads at a place, and what becomes of a
/// byte that it writes there. One sector passes at a time.
///
/// Reading. Preamble and gap are 00, sync mark and header are made from the sector's place, data
/// and check bytes come from the media store. The store is read once a pass, when the first data
/// or check byte is read: a pass of which only the header was read is no attempt on a flaw. A
/// header with a flaw reads, in the turns in which it does, with bits of its first byte inverted,
/// or without a sync mark.
///
/// Writing.
/// - Data and check bytes that were all written in one go (no byte skipped, gate open throughout)
///   go to the media store as they are, with the last one.
/// - A field written in part is stored when that write ends, or with the field's last byte: new
///   bytes where they were written, the old ones elsewhere, and as check bytes the complement of
///   the right ones for this mixture. It therefore always reads as bad, even where the new bytes
///   equal the old, as the splice in the middle of a real track would.
/// - A byte written before the data destroys the header: that sector's preamble, sync mark and
///   header read as 00 from its next pass on until restore_headers(). Its data stay.
/// - Bytes written into the gap leave no trace.
/// - Where the head's current fails (media::FlawKind::kWriteFault) nothing changes, and
///   write_fails() tells so from the first byte of data or check bytes on, until the write ends.
///
/// A misplaced-write flaw acts on every store: the sector, or the mixture, lands elsewhere.
/// Units: bytes from the sector's mark. Ownership: owns the media store; geometry must outlive it.
/// Errors: a full disk behind the media store throws (media_store.hpp).
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

  /// The sector, which must exist, begins another pass under the head, in a turn of the spindle.
  void enter(const geometry::Chs& at, std::uint64_t turn = 0);

  /// The byte that passes now. A sector must have been entered.
  [[nodiscard]] std::uint8_t read(std::uint32_t byte);
  void write(std::uint32_t byte, std::uint8_t value);
  /// The write gate closes or the write is cut: the next byte written starts anew.
  void end_write();
  /// The sector of which data or check bytes are being written, if there is one.
  std::optional<media::SectorIndex> writing() const {
    if (written_from_ == written_to_) return std::nullopt;
    return index_;
  }
  /// Bytes are being written, and no current flows.
  bool write_fails() const { return write_fails_; }

  const SectorLayout& layout() const { return layout_; }
  media::MediaStore& media() { return media_; }
  const media::MediaStore& media() const { return media_; }

  /// Sectors whose header is gone, by media index.
  const std::set<media::SectorIndex>& destroyed_headers() const { return destroyed_; }
  /// Writes every header anew, as formatting the drive does.
  void restore_headers() { destroyed_.clear(); }
  /// Fields that were stored although written in part.
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
  std::vector<std::uint8_t> raw_;  // as it reads; the field only once field_loaded_
  bool field_loaded_ = false;
  std::vector<std::uint8_t> written_;  // the write under way: data and check bytes
  std::uint32_t written_from_ = 0;     // of the field, first and behind the last
  std::uint32_t written_to_ = 0;
  bool write_fails_ = false;
};

}  // namespace headstack::channel
