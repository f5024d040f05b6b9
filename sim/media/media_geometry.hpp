// SPDX-License-Identifier: Apache-2.0
/// @file
/// The size and shape of a drive's media, and what one formatted sector holds.
///
/// A *physical sector* is addressed by its position in traversal order over the whole drive, spares
/// and reserved sectors included. The geometry module maps cylinder, head and sector to it. This
/// module has only the number of sectors, and the number of bytes of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/media/check_code.hpp"

namespace headstack::media {

/// Dense physical sector number, 0 .. sector_count - 1.
using SectorIndex = std::uint64_t;

struct MediaGeometry {
  std::uint64_t sector_count;  ///< Physical sectors, 1 .. kMaxSectorCount.
  std::uint32_t sector_bytes;  ///< Data bytes per sector, 1 .. kMaxSectorBytes.
  std::uint32_t check_bytes;   ///< Check bytes per sector, 0 .. kMaxCheckBytes.

  /// A number that identifies the map of indices to places. A backing file made under another
  /// signature is refused, because there the same index is another place.
  std::uint64_t layout_signature = 0;
};

inline constexpr std::uint64_t kMaxSectorCount = std::uint64_t{1} << 36;  // 32 TiB of 512 bytes
inline constexpr std::uint32_t kMaxSectorBytes = 65536;
inline constexpr std::uint32_t kMaxCheckBytes = 64;

/// An error of `geometry`, in words for the reader of a drive description; else empty.
///
/// @param has_own_code  True when the store is given a CheckCode. Without one only 0 and 4 check
///                      bytes are possible (see default_check_code()).
[[nodiscard]] std::string find_geometry_error(const MediaGeometry& geometry, bool has_own_code);

/// Geometry plus check code: everything that all stores, snapshots and branches of one drive share.
/// A *slot* is one sector as stored: its data bytes, then its check bytes.
class SectorFormat {
 public:
  /// Asserts that find_geometry_error() finds nothing. An empty `check_code` means the default.
  SectorFormat(const MediaGeometry& geometry, CheckCode check_code);

  [[nodiscard]] const MediaGeometry& geometry() const { return geometry_; }
  [[nodiscard]] std::size_t slot_bytes() const { return formatted_slot_.size(); }
  [[nodiscard]] std::uint64_t chunk_count() const;

  /// A never-written sector: zero data with its correct check bytes.
  [[nodiscard]] const std::uint8_t* formatted_slot() const { return formatted_slot_.data(); }

  /// Computes the check bytes of one sector's data.
  void encode(const std::uint8_t* data, std::uint8_t* check) const;

  /// True when `check` is what encode() gives for `data`; always true without check bytes.
  [[nodiscard]] bool check_matches(const std::uint8_t* data, const std::uint8_t* check) const;

 private:
  MediaGeometry geometry_;
  CheckCode check_code_;
  std::vector<std::uint8_t> formatted_slot_;
};

using SectorFormatPtr = std::shared_ptr<const SectorFormat>;

}  // namespace headstack::media
