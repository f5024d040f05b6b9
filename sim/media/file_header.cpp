// SPDX-License-Identifier: Apache-2.0
#include "sim/media/file_header.hpp"

#include <algorithm>
#include <cstring>

#include "sim/media/chunk_source.hpp"
#include "sim/media/fnv1a.hpp"

namespace headstack::media {
namespace {

constexpr char kMagic[] = "HSTKMEDI";
constexpr std::size_t kMagicBytes = 8;
constexpr std::uint64_t kVersion = 2;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::size_t kHeaderCrcOffset = 48;

std::uint64_t round_up_to_page(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

/// One number of the header. Writing and comparing both walk this table.
struct HeaderField {
  const char* name;
  std::size_t offset;
  int bytes;
  std::uint64_t (*value)(const SectorFormat& format);
};

std::uint64_t formatted_slot_hash(const SectorFormat& format) {
  Fnv1a64 hash;
  hash.add(format.formatted_slot(), format.slot_bytes());
  return hash.value();
}

constexpr std::size_t kVersionOffset = 8;
constexpr int kVersionBytes = 4;

constexpr HeaderField kFields[] = {
    {"version", kVersionOffset, kVersionBytes, [](const SectorFormat&) { return kVersion; }},
    {"header size", 12, 4, [](const SectorFormat&) { return std::uint64_t{kFileHeaderBytes}; }},
    {"sector_count", 16, 8, [](const SectorFormat& f) { return f.geometry().sector_count; }},
    {"sector_bytes", 24, 4,
     [](const SectorFormat& f) { return std::uint64_t{f.geometry().sector_bytes}; }},
    {"check_bytes", 28, 4,
     [](const SectorFormat& f) { return std::uint64_t{f.geometry().check_bytes}; }},
    {"layout signature", 32, 8,
     [](const SectorFormat& f) { return f.geometry().layout_signature; }},
    {"check code", 40, 8, formatted_slot_hash},
};

}  // namespace

FileLayout::FileLayout(const SectorFormat& format)
    : map_offset(kFileHeaderBytes),
      slots_offset(map_offset + round_up_to_page(format.chunk_count() * kMapEntryBytes)),
      chunk_bytes(kChunkSectors * format.slot_bytes()),
      file_bytes(slots_offset + format.chunk_count() * chunk_bytes) {}

FileHeader encode_file_header(const SectorFormat& format) {
  FileHeader header{};
  std::copy_n(kMagic, kMagicBytes, header.begin());
  for (const HeaderField& field : kFields) {
    store_little_endian(header.data() + field.offset, field.value(format), field.bytes);
  }
  store_little_endian(header.data() + kHeaderCrcOffset, crc32_ieee(header.data(), kHeaderCrcOffset),
                      4);
  return header;
}

MapEntry encode_map_entry(std::uint64_t chunk, std::uint64_t written_mask) {
  MapEntry entry{};
  std::array<std::uint8_t, 16> checked{};
  store_little_endian(checked.data(), chunk, 8);
  store_little_endian(checked.data() + 8, written_mask, 8);
  const std::uint32_t crc = crc32_ieee(checked.data(), checked.size());
  store_little_endian(entry.data(), written_mask, 8);
  store_little_endian(entry.data() + 8, crc, 4);
  store_little_endian(entry.data() + 12, ~crc, 4);
  return entry;
}

std::string find_file_header_error(const FileHeader& header, const SectorFormat& format) {
  if (std::memcmp(header.data(), kMagic, kMagicBytes) != 0) {
    return "is not a media file (no HSTKMEDI at its start); check the path, or delete the file to "
           "start from formatted media";
  }
  if (load_little_endian(header.data() + kHeaderCrcOffset, 4) !=
      crc32_ieee(header.data(), kHeaderCrcOffset)) {
    return "has a damaged header (its CRC-32 does not match); take a backup copy, or delete the "
           "file to start from formatted media";
  }
  const bool is_blank = std::all_of(header.begin() + kHeaderCrcOffset + 4, header.end(),
                                    [](std::uint8_t byte) { return byte == 0; });
  if (!is_blank) {
    return "has a damaged header (bytes that must be zero are not); take a backup copy, or delete "
           "the file to start from formatted media";
  }
  if (const std::uint64_t version =
          load_little_endian(header.data() + kVersionOffset, kVersionBytes);
      version != kVersion) {
    return "is of another headstack: its version is " + std::to_string(version) + ", not " +
           std::to_string(kVersion) +
           "; use the headstack that made it, or delete the file to start from formatted media";
  }
  for (const HeaderField& field : kFields) {
    const std::uint64_t stored = load_little_endian(header.data() + field.offset, field.bytes);
    const std::uint64_t wanted = field.value(format);
    if (stored == wanted) continue;
    return std::string("was made for another drive: its ") + field.name + " is " +
           std::to_string(stored) + ", this drive's is " + std::to_string(wanted) +
           "; use the drive description it was made with, or another file";
  }
  return {};
}

void store_little_endian(std::uint8_t* at, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

std::uint64_t load_little_endian(const std::uint8_t* at, int bytes) {
  std::uint64_t number = 0;
  for (int i = 0; i < bytes; ++i) number |= std::uint64_t{at[i]} << (8 * i);
  return number;
}

}  // namespace headstack::media
