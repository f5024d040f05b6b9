// SPDX-License-Identifier: Apache-2.0
#include "sim/channel/sector_codec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/description/fault.hpp"
#include "sim/media/check_code.hpp"

namespace headstack::channel {
namespace {

// Data of a sector are whole words, as the buffer manager moves them (SECTOR.bytes). A host that
// checks its data identifies a block by its first 8 bytes (sim/media/generated_data.hpp).
constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint32_t kDataBytesMin = 8;
// FORMAT.preamble has 12 bits. The gate opens after the sector pulse's byte, so the mark must not
// be that byte.
constexpr std::uint32_t kPreambleBytesMin = 1;
constexpr std::uint32_t kPreambleBytesMax = 4095;

constexpr std::array<std::uint16_t, 256> make_crc_table() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? (crc << 1) ^ 0x1021U : crc << 1;
    }
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kCrcTable = make_crc_table();

/// Stores the low `bytes` bytes of `value`, high byte first.
void store(std::uint8_t* to, std::uint32_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    to[i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
  }
}

std::uint32_t load(const std::uint8_t* from, unsigned bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value = (value << 8) | from[i];
  return value;
}

void require(const char* key, std::uint32_t given, std::uint32_t wanted) {
  if (given == wanted) return;
  throw drive::Fault(fmt::format("design.format.{}", key),
                     fmt::format("{} bytes, but the formatter's field has {}", given, wanted),
                     fmt::format("give {}", wanted));
}

void require_fields(const drive::Design& design) {
  const std::uint32_t data = design.sector_bytes;
  if (data < kDataBytesMin || data % kWordBytes != 0) {
    throw drive::Fault(
        "design.sector_bytes",
        fmt::format("{} bytes, but the drive's buffer moves words of {}", data, kWordBytes),
        fmt::format("give a multiple of {}, {} or more", kWordBytes, kDataBytesMin));
  }
  const drive::Format& format = design.format;
  if (format.preamble_bytes < kPreambleBytesMin || format.preamble_bytes > kPreambleBytesMax) {
    throw drive::Fault(
        "design.format.preamble_bytes",
        fmt::format("the formatter finds no sync mark after {} bytes", format.preamble_bytes),
        fmt::format("give {} .. {}", kPreambleBytesMin, kPreambleBytesMax));
  }
  require("sync_bytes", format.sync_bytes, kSyncMark.size());
  require("header_bytes", format.header_bytes, kHeaderBytes);
  require("check_bytes", format.check_bytes, kCheckBytes);
}

}  // namespace

SectorLayout layout_of(const drive::Design& design) {
  const drive::Format& format = design.format;
  require_fields(design);
  SectorLayout layout;
  layout.sync_start = format.preamble_bytes;
  layout.header_start = layout.sync_start + format.sync_bytes;
  layout.data_start = layout.header_start + format.header_bytes;
  layout.check_start = layout.data_start + design.sector_bytes;
  layout.gap_start = layout.check_start + format.check_bytes;
  layout.raw_bytes = drive::raw_sector_bytes(design);
  for (std::size_t i = 0; i < design.zones.size(); ++i) {
    const std::uint32_t sectors = design.zones[i].sectors_per_track;
    const double ns =
        60e9 / design.rpm / (static_cast<double>(sectors) * static_cast<double>(layout.raw_bytes));
    // The simulated time counts picoseconds. A byte of only a few of them is outside any disk
    // drive's range.
    if (ns >= 1) continue;
    throw drive::Fault(fmt::format("design.zones[{}].sectors_per_track", i),
                       fmt::format("{} sectors of {} raw bytes pass in {:.3f} ns a byte", sectors,
                                   layout.raw_bytes, ns),
                       "give fewer sectors or a slower spindle: at least 1 ns a byte");
  }
  return layout;
}

std::uint16_t crc16_ccitt_false(const std::uint8_t* data, std::size_t data_bytes) {
  std::uint32_t crc = 0xFFFF;
  for (std::size_t i = 0; i < data_bytes; ++i) {
    crc = ((crc << 8) & 0xFFFFU) ^ kCrcTable[(crc >> 8) ^ data[i]];
  }
  return static_cast<std::uint16_t>(crc);
}

Header encode_header(const geometry::Chs& at) {
  Header header{};
  store(&header[0], at.cylinder, 3);
  store(&header[3], at.head, 1);
  store(&header[4], at.sector, 2);
  store(&header[6], crc16_ccitt_false(header.data(), 6), 2);
  return header;
}

std::optional<geometry::Chs> decode_header(const std::uint8_t* header) {
  if (load(header + 6, 2) != crc16_ccitt_false(header, 6)) return std::nullopt;
  return geometry::Chs{load(header, 3), load(header + 3, 1), load(header + 4, 2)};
}

std::vector<std::uint8_t> encode_sector(const SectorLayout& layout, const geometry::Chs& at,
                                        const std::uint8_t* data) {
  std::vector<std::uint8_t> raw(layout.raw_bytes, 0);
  std::copy(kSyncMark.begin(), kSyncMark.end(), &raw[layout.sync_start]);
  const Header header = encode_header(at);
  std::copy(header.begin(), header.end(), &raw[layout.header_start]);
  std::copy_n(data, layout.data_bytes(), &raw[layout.data_start]);
  store(&raw[layout.check_start], media::crc32_ieee(data, layout.data_bytes()), kCheckBytes);
  return raw;
}

DecodedSector decode_sector(const SectorLayout& layout, const std::uint8_t* raw) {
  DecodedSector sector;
  sector.sync_found = std::equal(kSyncMark.begin(), kSyncMark.end(), raw + layout.sync_start);
  if (sector.sync_found) sector.place = decode_header(raw + layout.header_start);
  sector.data.assign(raw + layout.data_start, raw + layout.check_start);
  sector.check_ok = load(raw + layout.check_start, kCheckBytes) ==
                    media::crc32_ieee(sector.data.data(), sector.data.size());
  return sector;
}

}  // namespace headstack::channel
