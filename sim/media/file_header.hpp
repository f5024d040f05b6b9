// SPDX-License-Identifier: Apache-2.0
/// @file
/// The layout of a media file (usually named `.media`), version 2.
///
///     offset        bytes            what
///     0             8                magic "HSTKMEDI"
///     8             4                version, 2
///     12            4                header bytes, 4096
///     16            8                sector_count
///     24            4                sector_bytes
///     28            4                check_bytes
///     32            8                layout_signature
///     40            8                FNV-1a of a formatted slot: tells one check code from another
///     48            4                CRC-32 of bytes 0 .. 47
///     52 .. 4095                     zero
///     4096          16 per chunk     map of written sectors: an entry for each chunk of 64 sectors
///     ...                            zero
///     next 4096     64 slots a chunk the slots in index order: data bytes, then check bytes
///
/// An entry of the map:
///
///     0             8                sector n of the chunk is bit n % 8 of byte n / 8
///     8             4                CRC-32 of the chunk's number, in 8 bytes, and of bytes 0 .. 7
///     12            4                the same, complemented: no entry is all zeros or all ones
///
/// All numbers are little-endian, moved by shifts. The file is sparse: never-written chunks take no
/// disk space but for their entries. Slots of never-written sectors are zero.
///
/// Version 1 had a map without checks, of 8 bytes per chunk. It is not read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/media/media_geometry.hpp"

namespace headstack::media {

inline constexpr std::size_t kFileHeaderBytes = 4096;
using FileHeader = std::array<std::uint8_t, kFileHeaderBytes>;

/// The places of the regions of a format's file, in bytes.
struct FileLayout {
  explicit FileLayout(const SectorFormat& format);

  std::uint64_t map_offset;
  std::uint64_t slots_offset;
  std::uint64_t chunk_bytes;  ///< Slot bytes of one chunk.
  std::uint64_t file_bytes;
};

[[nodiscard]] FileHeader encode_file_header(const SectorFormat& format);

inline constexpr std::size_t kMapEntryBytes = 16;
using MapEntry = std::array<std::uint8_t, kMapEntryBytes>;

/// @param written_mask  bit n: sector n of the chunk has been written.
[[nodiscard]] MapEntry encode_map_entry(std::uint64_t chunk, std::uint64_t written_mask);

/// The first difference that makes a file with this header unusable for `format`, with the remedy.
/// Empty if it is usable.
[[nodiscard]] std::string find_file_header_error(const FileHeader& header,
                                                 const SectorFormat& format);

/// A number of up to 8 bytes, least significant byte first.
void store_little_endian(std::uint8_t* at, std::uint64_t number, int bytes);
[[nodiscard]] std::uint64_t load_little_endian(const std::uint8_t* at, int bytes);

}  // namespace headstack::media
