// SPDX-License-Identifier: Apache-2.0
#include "host/replay/kept_area.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sim/geometry/extents.hpp"
#include "sim/media/check_code.hpp"

namespace headstack::replay {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The formats of the data that the drive keeps besides blocks, written down a second time. This
// reader judges the firmware, so it takes no number from the firmware's headers. Each image has
// magic 0-3, two numbers 4-5 and 6-7, sequence 8-11, CRC 12-15, payload.
constexpr std::uint32_t kImageBytes = 512;
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kCrcAt = 12;

// Numbers of store.h.
constexpr std::uint32_t kStoreMagic = 0x54535348;  // the text "HSST"
constexpr std::uint32_t kMostCells = 32;
constexpr std::uint32_t kStateCell = 1;
constexpr std::uint32_t kFirstLogCell = 2;
// Numbers of defect_log.h.
constexpr std::uint32_t kFormatting = 1;
constexpr std::size_t kLogHeaderBytes = 4;
constexpr std::size_t kLogEntryBytes = 8;
constexpr std::uint32_t kNoBlock = 0xFFFFFFFF;
// Numbers of remap_area.h.
constexpr std::uint32_t kMapMagic = 0x504D5348;  // the text "HSMP"
constexpr std::uint32_t kMostUnits = 40'960;
constexpr std::uint32_t kEntries = 248;  // entries in a sector
constexpr std::uint32_t kBaseSectors = 1 + (kMostUnits + kEntries - 1) / kEntries;
constexpr std::uint32_t kBaseAt = 64;
constexpr std::uint32_t kRecordsAt = 1066;
constexpr std::uint32_t kRecords = 64;
constexpr std::uint32_t kScratchAt = 1194;
constexpr std::uint32_t kMostScratchSlots = 8;
constexpr std::uint32_t kBaseKind = 0;
constexpr std::uint32_t kRecordKind = 3;
// Payload of a base's header: units, then mode page 23h from its byte 2 on, whose words are
// big-endian (mode_page.h).
constexpr std::size_t kUnitsAt = kHeaderBytes;
constexpr std::size_t kFirstBlockAt = kHeaderBytes + 4 + 6;
constexpr std::size_t kUnitBlocksAt = kHeaderBytes + 4 + 10;
// Payload of a record: the number of moves, then unit and location of each.
constexpr std::size_t kMovesAt = kHeaderBytes + 4;

std::uint32_t le16(const Bytes& bytes, std::size_t at) {
  return bytes[at] | std::uint32_t{bytes[at + 1]} << 8;
}
std::uint32_t le32(const Bytes& bytes, std::size_t at) {
  return le16(bytes, at) | le16(bytes, at + 2) << 16;
}
std::uint32_t be16(const Bytes& bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 8 | bytes[at + 1];
}

/// Whether the CRC is right. It covers the image's header without the CRC itself, and its payload.
bool has_good_crc(const Bytes& image, std::size_t payload) {
  Bytes covered(image.begin(), image.begin() + kCrcAt);
  covered.insert(covered.end(), image.begin() + kHeaderBytes,
                 image.begin() + static_cast<std::ptrdiff_t>(kHeaderBytes + payload));
  return le32(image, kCrcAt) == media::crc32_ieee(covered.data(), covered.size());
}

class Reader {
 public:
  Reader(const drive::Design& design, const media::MediaStore& media)
      : media_(media), code_(media::default_check_code(media.geometry().check_bytes)) {
    const geometry::Layout layout = geometry::build_layout(design);
    if (!layout.store || design.sector_bytes < kImageBytes) return;
    first_ = layout.store->position;
    for (std::uint32_t zone = 0; zone < layout.store->zone; ++zone) {
      first_ += geometry::zone_sector_count(design, design.zones[zone]);
    }
    sectors_ = layout.store->length;
  }

  KeptArea read() {
    cells_ = std::min(sectors_ / 2, kMostCells);
    for (std::uint32_t cell = 0; cell < cells_; ++cell) read_cell(cell);
    if (sectors_ > kScratchAt) read_map();
    return std::move(area_);
  }

 private:
  /// The data of a sector; nothing if it is damaged.
  std::optional<Bytes> sector(std::uint32_t index) const {
    const media::MediaGeometry& geometry = media_.geometry();
    Bytes data(geometry.sector_bytes);
    Bytes check(geometry.check_bytes);
    Bytes wanted(geometry.check_bytes);
    media_.peek(first_ + index, data.data(), check.data());
    if (code_) code_(data.data(), data.size(), wanted.data());
    if (check != wanted) return std::nullopt;
    return data;
  }
  bool is_written(std::uint32_t index) const { return media_.is_written(first_ + index); }
  void fault(std::string text) { area_.faults.push_back(std::move(text)); }

  // ---- The store.

  std::optional<Bytes> cell_copy(std::uint32_t cell, std::uint32_t copy) const {
    auto image = sector(copy * cells_ + cell);
    if (!image || le32(*image, 0) != kStoreMagic || le16(*image, 4) != cell) return std::nullopt;
    const std::uint32_t bytes = le16(*image, 6);
    if (bytes > kImageBytes - kHeaderBytes || !has_good_crc(*image, bytes)) return std::nullopt;
    return image;
  }

  void read_cell(std::uint32_t cell) {
    const std::array<std::optional<Bytes>, 2> copies = {cell_copy(cell, 0), cell_copy(cell, 1)};
    if (!copies[0] && !copies[1]) {
      if (is_written(cell) && is_written(cells_ + cell)) {
        fault(fmt::format("cell {} of the store has no good copy", cell));
      }
      return;
    }
    if (!copies[0] || !copies[1] || *copies[0] != *copies[1]) ++area_.open_cells;
    std::size_t newer = copies[0] ? 0 : 1;
    if (copies[0] && copies[1]) {
      const std::uint32_t first = le32(*copies[0], 8);
      const std::uint32_t second = le32(*copies[1], 8);
      if (second > first) newer = 1;
      if (std::max(first, second) - std::min(first, second) > 1) {
        fault(fmt::format("copies of cell {} have sequences {} and {}", cell, first, second));
      }
      if (first == second && *copies[0] != *copies[1]) {
        fault(fmt::format("copies of cell {} have sequence {}, and differ", cell, first));
      }
    }
    take_cell(cell, *copies[newer]);
  }

  void take_cell(std::uint32_t cell, const Bytes& image) {
    const std::uint32_t bytes = le16(image, 6);
    if (cell == kStateCell && bytes == 8) {
      age_ = le32(image, kHeaderBytes);
      area_.is_formatting = (le32(image, kHeaderBytes + 4) & kFormatting) != 0;
    }
    if (cell < kFirstLogCell || cell != next_log_cell_ || bytes < kLogHeaderBytes) return;
    if (le32(image, kHeaderBytes) != age_) return;
    ++next_log_cell_;
    const std::size_t end = kHeaderBytes + bytes;
    for (std::size_t at = kHeaderBytes + kLogHeaderBytes; at + kLogEntryBytes <= end;
         at += kLogEntryBytes) {
      if (le32(image, at) != kNoBlock) area_.moved[le32(image, at)] = le32(image, at + 4);
    }
  }

  // ---- The map.

  std::optional<Bytes> map_image(std::uint32_t at, std::uint32_t kind, std::uint32_t index) const {
    auto image = sector(at);
    if (!image || le32(*image, 0) != kMapMagic) return std::nullopt;
    if (le16(*image, 4) != kind || le16(*image, 6) != index) return std::nullopt;
    if (!has_good_crc(*image, kImageBytes - kHeaderBytes)) return std::nullopt;
    return image;
  }

  /// Reads the base from this copy, as far as it is intact. @return its sequence, or 0.
  std::uint32_t read_base(std::uint32_t copy, KeptArea& base) const {
    const std::uint32_t at = kBaseAt + copy * kBaseSectors;
    const auto head = map_image(at, kBaseKind, 0);
    if (!head) return 0;
    const std::uint32_t units = le32(*head, kUnitsAt);
    if (units > kMostUnits) return 0;
    base.first_block = be16(*head, kFirstBlockAt) << 16 | be16(*head, kFirstBlockAt + 2);
    base.unit_blocks = std::max(1U, be16(*head, kUnitBlocksAt));
    for (std::uint32_t index = 1; base.location.size() < units; ++index) {
      const auto image = map_image(at + index, kBaseKind, index);
      if (!image || le32(*image, 8) != le32(*head, 8)) return 0;
      for (std::uint32_t i = 0; i < kEntries && base.location.size() < units; ++i) {
        base.location.push_back(le16(*image, kHeaderBytes + 2 * std::size_t{i}));
      }
    }
    return le32(*head, 8);
  }

  void read_map() {
    std::array<KeptArea, 2> bases;
    const std::array<std::uint32_t, 2> sequence = {read_base(0, bases[0]), read_base(1, bases[1])};
    const std::size_t newer = sequence[1] > sequence[0] ? 1 : 0;
    area_.scratch_sector = first_ + kScratchAt;
    if (sequence[newer] == 0) {
      if (is_written(kBaseAt) && is_written(kBaseAt + kBaseSectors)) {
        fault("no copy of the map's base is whole");
      }
      return;
    }
    if (sequence[0] == sequence[1] && bases[0].location != bases[1].location) {
      fault("copies of the map's base have one sequence, and differ");
    }
    area_.first_block = bases[newer].first_block;
    area_.unit_blocks = bases[newer].unit_blocks;
    area_.location = bases[newer].location;
    take_records(sequence[newer]);
    require_own_slots();
  }

  std::optional<Bytes> record_copy(std::uint32_t sequence, std::uint32_t copy,
                                   std::uint32_t index) const {
    auto image = map_image(kRecordsAt + copy * kRecords + index, kRecordKind, index);
    if (image && le32(*image, 8) != sequence) image.reset();
    return image;
  }

  void take_records(std::uint32_t sequence) {
    bool has_ended = false;
    for (std::uint32_t index = 0; index < kRecords; ++index) {
      const auto first = record_copy(sequence, 0, index);
      const auto second = record_copy(sequence, 1, index);
      if (!first && !second) {
        has_ended = true;
        continue;
      }
      if (has_ended) return fault(fmt::format("a record of moves before {} is lost", index));
      if (first && second && *first != *second) {
        return fault(fmt::format("copies of record {} of the moves differ", index));
      }
      if (!first || !second) ++area_.open_records;
      take_record(first ? *first : *second);
    }
  }

  void take_record(const Bytes& image) {
    const std::uint32_t count = le16(image, kHeaderBytes);
    for (std::uint32_t i = 0; i < std::min(count, kMostScratchSlots); ++i) {
      const std::uint32_t unit = le16(image, kMovesAt + 4 * std::size_t{i});
      if (unit >= area_.location.size())
        return fault(fmt::format("unit {} moves, and is none", unit));
      area_.location[unit] = le16(image, kMovesAt + 4 * std::size_t{i} + 2);
    }
  }

  void require_own_slots() {
    std::vector<bool> taken(area_.location.size() + kMostScratchSlots);
    for (std::uint32_t unit = 0; unit < area_.location.size(); ++unit) {
      const std::uint32_t slot = area_.location[unit];
      if (slot >= taken.size() || taken[slot]) {
        return fault(
            fmt::format("unit {} lies in slot {}, which is another's or none", unit, slot));
      }
      taken[slot] = true;
    }
  }

  const media::MediaStore& media_;
  media::CheckCode code_;
  std::uint64_t first_ = 0;
  std::uint32_t sectors_ = 0;
  std::uint32_t cells_ = 0;
  std::uint32_t age_ = 0;
  std::uint32_t next_log_cell_ = kFirstLogCell;
  KeptArea area_;
};

}  // namespace

KeptArea read_kept_area(const drive::Design& design, const media::MediaStore& media) {
  return Reader(design, media).read();
}

}  // namespace headstack::replay
