// SPDX-License-Identifier: Apache-2.0
/// @file
/// A sector as it lies on the track, byte by byte: the format of docs/blocks/formatter.md.
///
///     preamble 00 | sync A1 FE | header 8 | data | check 4 | gap 00
///
/// The header is cylinder (3 bytes), head (1), sector (2) and their CRC-16/CCITT-FALSE (2); the
/// check bytes are the CRC-32 of the data (media::crc32_ieee). All numbers high byte first.
///
/// Units: bytes, counted from the sector's mark. Errors: layout_of() throws drive::Fault for a
/// format that the formatter cannot handle. A header with a wrong CRC decodes to nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::channel {

inline constexpr std::array<std::uint8_t, 2> kSyncMark = {0xA1, 0xFE};
inline constexpr std::uint32_t kHeaderBytes = 8;
inline constexpr std::uint32_t kCheckBytes = 4;

/// Where each field starts; the next field's start is its end.
struct SectorLayout {
  std::uint32_t sync_start = 0;  // the preamble starts at 0
  std::uint32_t header_start = 0;
  std::uint32_t data_start = 0;
  std::uint32_t check_start = 0;
  std::uint32_t gap_start = 0;
  std::uint32_t raw_bytes = 0;

  std::uint32_t data_bytes() const { return check_start - data_start; }
  /// Data and check bytes: the field that one write replaces.
  std::uint32_t field_bytes() const { return gap_start - data_start; }
};

/// The layout of a drive's sectors. Throws drive::Fault for fields whose sizes the formatter or the
/// buffer manager cannot handle. Data are whole words of 4 bytes, and 8 bytes or more. Also throws
/// for a track whose bytes pass in less than 1 ns: too short for the simulated time.
[[nodiscard]] SectorLayout layout_of(const drive::Design& design);

/// CRC-16/CCITT-FALSE: polynomial 0x1021, preset 0xFFFF, most significant bit first, no complement.
[[nodiscard]] std::uint16_t crc16_ccitt_false(const std::uint8_t* data, std::size_t data_bytes);

using Header = std::array<std::uint8_t, kHeaderBytes>;

[[nodiscard]] Header encode_header(const geometry::Chs& at);
/// The place that a header names; nothing when its CRC does not match.
[[nodiscard]] std::optional<geometry::Chs> decode_header(const std::uint8_t* header);

/// The whole sector with the right check bytes. `data` holds layout.data_bytes().
[[nodiscard]] std::vector<std::uint8_t> encode_sector(const SectorLayout& layout,
                                                      const geometry::Chs& at,
                                                      const std::uint8_t* data);

/// What a reader finds in a whole raw sector.
struct DecodedSector {
  bool sync_found = false;             // the sync mark is at its place
  std::optional<geometry::Chs> place;  // the place; only with a sync mark and a good header
  bool check_ok = false;               // the check bytes match the data, whatever the header
  std::vector<std::uint8_t> data;
};
[[nodiscard]] DecodedSector decode_sector(const SectorLayout& layout, const std::uint8_t* raw);

}  // namespace headstack::channel
