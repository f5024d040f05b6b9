// SPDX-License-Identifier: Apache-2.0
/// @file
/// The layout of a media file (usually named `.media`), version 1.
///
///     offset        bytes            what
///     0             8                magic "HSTKMEDI"
///     8             4                version, 1
///     12            4                header bytes, 4096
///     16            8                sector_count
///     24            4                sector_bytes
///     28            4                check_bytes
///     32            8                layout_signature
///     40            8                FNV-1a of a formatted slot: tells one check code from another
///     48            4                CRC-32 of bytes 0 .. 47
///     52 .. 4095                     zero; not read
///     4096          8 per chunk      written bitmap: sector n is bit n % 8 of byte n / 8
///     next 4096     64 slots a chunk the slots in index order: data bytes, then check bytes
///
/// All numbers are little-endian, moved by shifts. The file is sparse: never-written chunks take no
/// disk space. Slots of never-written sectors are zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/media/media_geometry.hpp"

namespace headstack::media {

inline constexpr std::size_t kFileHeaderBytes = 4096;
using FileHeader = std::array<std::uint8_t, kFileHeaderBytes>;

/// Where the regions of a format's file lie, in bytes.
struct FileLayout {
  explicit FileLayout(const SectorFormat& format);

  std::uint64_t bitmap_offset;
  std::uint64_t slots_offset;
  std::uint64_t chunk_bytes;  ///< Slot bytes of one chunk.
  std::uint64_t file_bytes;
};

[[nodiscard]] FileHeader encode_file_header(const SectorFormat& format);

/// Why a file with this header cannot serve `format`: the first difference, with the remedy. Empty
/// when it can.
[[nodiscard]] std::string find_file_header_error(const FileHeader& header,
                                                 const SectorFormat& format);

/// A number of up to 8 bytes, least significant byte first.
void store_little_endian(std::uint8_t* at, std::uint64_t number, int bytes);
[[nodiscard]] std::uint64_t load_little_endian(const std::uint8_t* at, int bytes);

}  // namespace headstack::media
