// SPDX-License-Identifier: Apache-2.0
#include "sim/geometry/geometry.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/assert.hpp"

namespace headstack::geometry {
namespace {

constexpr std::uint64_t kWholeTurn = std::uint64_t{1} << 32;

/// The unit whose slips add to the skew, in layouts with spares in every cylinder or track.
std::uint32_t skewing_unit(const drive::Design& design, const drive::Zone& zone) {
  switch (design.sparing.location) {
    case drive::SpareLocation::kTrackEnd: return zone.sectors_per_track;
    case drive::SpareLocation::kCylinderEnd:
    case drive::SpareLocation::kCylinderFront: return zone.sectors_per_track * design.heads;
    default: return 0;
  }
}

ZoneGrid make_grid(const drive::Design& design, const drive::Zone& zone) {
  const std::uint32_t s = zone.sectors_per_track;
  const std::uint64_t per_cylinder =
      zone.cylinder_skew + std::uint64_t{design.heads - 1} * zone.track_skew;
  ZoneGrid grid;
  grid.first_cylinder = zone.first_cylinder;
  grid.last_cylinder = zone.last_cylinder;
  grid.sectors_per_track = s;
  grid.by_sectors = Divider(s);
  grid.offset = zone.first_sector_offset % s;
  grid.skew_per_cylinder = static_cast<std::uint32_t>(per_cylinder % s);
  grid.skew_per_track = zone.track_skew % s;
  grid.skewing_unit = zone.slips.empty() ? 0 : skewing_unit(design, zone);
  grid.turn_per_mark = s == 1 ? 0 : ~std::uint64_t{0} / s + 1;
  return grid;
}

}  // namespace

const char* to_string(SectorUse use) {
  switch (use) {
    case SectorUse::kBlock: return "block";
    case SectorUse::kReserved: return "reserved";
    case SectorUse::kSpare: return "spare";
    case SectorUse::kSlipped: return "slipped";
    case SectorUse::kDefect: return "remapped defect";
    case SectorUse::kNoSector: return "no sector";
  }
  return "?";
}

std::uint64_t ZoneGrid::swept(std::uint32_t mark, std::uint32_t count) const {
  const std::uint32_t end = mark + count;
  const std::uint64_t start_angle = mark_angle(mark);
  if (end < sectors_per_track) return mark_angle(end) - start_angle;
  return kWholeTurn + mark_angle(end - sectors_per_track) - start_angle;
}

Geometry::Geometry(const drive::Design& design)
    : design_(design),
      heads_(design.heads),
      cylinders_(design.cylinders),
      mapping_(design.mapping),
      by_heads_(design.heads) {
  Layout layout = build_layout(design);
  extents_ = std::move(layout.blocks);
  reserved_ = std::move(layout.reserved);
  for (const drive::Zone& zone : design.zones) {
    ZoneGrid grid = make_grid(design, zone);
    grid.first_sector_index = sector_count_;
    sector_count_ += zone_sector_count(design, zone);
    zones_.push_back(grid);
  }
  index_blocks();
}

void Geometry::index_blocks() {
  for (const Extent& extent : extents_) {
    ZoneGrid& zone = zones_[extent.zone];
    if (zone.block_count == 0) zone.first_lba = extent.lba;
    zone.block_count += extent.length;
    capacity_ += extent.length;
  }
  by_position_.resize(extents_.size());
  std::iota(by_position_.begin(), by_position_.end(), 0U);
  std::sort(by_position_.begin(), by_position_.end(), [this](std::uint32_t a, std::uint32_t b) {
    const Extent& x = extents_[a];
    const Extent& y = extents_[b];
    return x.zone != y.zone ? x.zone < y.zone : x.position < y.position;
  });
  // There are about four buckets per extent, so that locate() seldom steps past the first extent.
  while ((capacity_ >> bucket_shift_) > 4 * extents_.size() + 64) ++bucket_shift_;
  const auto count = static_cast<std::uint32_t>(extents_.size());
  extents_.push_back({capacity_, 0, 0, 0});
  std::uint32_t extent = 0;
  for (Lba lba = 0; lba < capacity_; lba += Lba{1} << bucket_shift_) {
    while (extent + 1 < count && extents_[extent + 1].lba <= lba) ++extent;
    first_extent_.push_back(extent);
  }
}

Placement Geometry::locate(Lba lba) const {
  HEADSTACK_ASSERT(lba < capacity_, "callers check the block address against capacity()");
  const Extent* extent = &extents_[first_extent_[lba >> bucket_shift_]];
  while (extent[1].lba <= lba) ++extent;
  const auto into = static_cast<std::uint32_t>(lba - extent->lba);
  const std::uint32_t position = extent->position + into;

  const ZoneGrid& zone = zones_[extent->zone];
  const std::uint32_t track = zone.by_sectors.quotient(position);
  const std::uint32_t cylinder_in_zone = by_heads_.quotient(track);
  const std::uint32_t turn = track - cylinder_in_zone * heads_;

  Placement at;
  at.zone = extent->zone;
  at.sector = position - track * zone.sectors_per_track;
  at.cylinder = zone.first_cylinder + cylinder_in_zone;
  at.head = descending(zone, at.cylinder) ? heads_ - 1 - turn : turn;
  at.mark = mark_of(extent->zone, cylinder_in_zone, turn, at.sector);
  at.angle = zone.mark_angle(at.mark);
  at.contiguous = std::min(extent->length - into, zone.sectors_per_track - at.sector);
  return at;
}

bool Geometry::descending(const ZoneGrid& zone, std::uint32_t cylinder) const {
  switch (mapping_) {
    case drive::Mapping::kPlain: return false;
    case drive::Mapping::kSerpentine: return ((cylinder - zone.first_cylinder) & 1) != 0;
    case drive::Mapping::kSerpentineAbsolute: return (cylinder & 1) != 0;
  }
  return false;
}

std::uint32_t Geometry::mark_of(std::uint32_t zone, std::uint32_t cylinder_in_zone,
                                std::uint32_t turn, std::uint32_t sector) const {
  const ZoneGrid& grid = zones_[zone];
  std::uint64_t sum = grid.offset + std::uint64_t{cylinder_in_zone} * grid.skew_per_cylinder +
                      std::uint64_t{turn} * grid.skew_per_track + sector;
  if (grid.skewing_unit != 0) {
    sum += skewing_slips(zone, (cylinder_in_zone * heads_ + turn) * grid.sectors_per_track);
  }
  // The sum is below 2^32 if cylinders times sectors per track is; otherwise the slow way divides.
  if (sum <= 0xFFFF'FFFFULL) return grid.by_sectors.remainder(static_cast<std::uint32_t>(sum));
  return static_cast<std::uint32_t>(sum % grid.sectors_per_track);
}

std::uint32_t Geometry::skewing_slips(std::uint32_t zone, std::uint32_t track_position) const {
  const std::uint32_t unit = zones_[zone].skewing_unit;
  const std::uint32_t unit_start = track_position / unit * unit;
  const auto& slips = design_.zones[zone].slips;
  const auto end = std::lower_bound(slips.begin(), slips.end(), unit_start);
  return static_cast<std::uint32_t>(end - slips.begin());
}

std::optional<std::uint32_t> Geometry::zone_of(std::uint32_t cylinder) const {
  const auto after =
      std::upper_bound(zones_.begin(), zones_.end(), cylinder,
                       [](std::uint32_t c, const ZoneGrid& z) { return c < z.first_cylinder; });
  if (after == zones_.begin() || cylinder > std::prev(after)->last_cylinder) return std::nullopt;
  return static_cast<std::uint32_t>(std::prev(after) - zones_.begin());
}

std::uint32_t Geometry::position_of(const ZoneGrid& zone, const Chs& at) const {
  const std::uint32_t turn = descending(zone, at.cylinder) ? heads_ - 1 - at.head : at.head;
  return ((at.cylinder - zone.first_cylinder) * heads_ + turn) * zone.sectors_per_track + at.sector;
}

Chs Geometry::place_of(const ZoneGrid& zone, std::uint32_t position) const {
  const std::uint32_t track = zone.by_sectors.quotient(position);
  const std::uint32_t cylinder_in_zone = by_heads_.quotient(track);
  const std::uint32_t turn = track - cylinder_in_zone * heads_;
  const std::uint32_t cylinder = zone.first_cylinder + cylinder_in_zone;
  return {cylinder, descending(zone, cylinder) ? heads_ - 1 - turn : turn,
          position - track * zone.sectors_per_track};
}

const Extent* Geometry::extent_holding(std::uint32_t zone, std::uint32_t position) const {
  const auto after = std::upper_bound(
      by_position_.begin(), by_position_.end(), position, [&](std::uint32_t p, std::uint32_t e) {
        return zone != extents_[e].zone ? zone < extents_[e].zone : p < extents_[e].position;
      });
  if (after == by_position_.begin()) return nullptr;
  const Extent& extent = extents_[*std::prev(after)];
  const bool inside = extent.zone == zone && position - extent.position < extent.length;
  return inside ? &extent : nullptr;
}

SectorContent Geometry::content(const Chs& at) const {
  const auto zone = zone_of(at.cylinder);
  if (!zone || at.head >= heads_ || at.sector >= zones_[*zone].sectors_per_track) return {};
  const std::uint32_t position = position_of(zones_[*zone], at);
  if (const Extent* extent = extent_holding(*zone, position)) {
    return {SectorUse::kBlock, extent->lba + (position - extent->position)};
  }
  const drive::Zone& facts = design_.zones[*zone];
  const bool by_track = design_.sparing.location == drive::SpareLocation::kZoneEndTracks;
  const std::uint32_t counted = by_track ? zones_[*zone].by_sectors.quotient(position) : position;
  if (std::binary_search(facts.slips.begin(), facts.slips.end(), counted)) {
    return {SectorUse::kSlipped, 0};
  }
  for (const auto& [defect, replacement] : facts.remaps) {
    if (counted == defect && defect != replacement) return {SectorUse::kDefect, 0};
  }
  for (const Extent& run : reserved_) {
    const bool inside = run.zone == *zone && position >= run.position;
    if (inside && position - run.position < run.length) return {SectorUse::kReserved, 0};
  }
  return {SectorUse::kSpare, 0};  // every other sector without a block
}

Turn32 Geometry::sector_angle(const Chs& at) const {
  const auto zone = zone_of(at.cylinder);
  HEADSTACK_ASSERT(zone && at.head < heads_ && at.sector < zones_[*zone].sectors_per_track,
                   "the sector exists on this drive");
  const ZoneGrid& grid = zones_[*zone];
  const std::uint32_t turn = descending(grid, at.cylinder) ? heads_ - 1 - at.head : at.head;
  return grid.mark_angle(mark_of(*zone, at.cylinder - grid.first_cylinder, turn, at.sector));
}

std::uint64_t Geometry::sector_index(const Chs& at) const {
  const auto zone = zone_of(at.cylinder);
  HEADSTACK_ASSERT(zone && at.head < heads_ && at.sector < zones_[*zone].sectors_per_track,
                   "the sector exists on this drive");
  return zones_[*zone].first_sector_index + position_of(zones_[*zone], at);
}

Chs Geometry::sector_at(std::uint64_t sector_index) const {
  HEADSTACK_ASSERT(sector_index < sector_count_, "the sector exists on this drive");
  const auto after =
      std::upper_bound(zones_.begin(), zones_.end(), sector_index,
                       [](std::uint64_t i, const ZoneGrid& z) { return i < z.first_sector_index; });
  const ZoneGrid& zone = *std::prev(after);
  return place_of(zone, static_cast<std::uint32_t>(sector_index - zone.first_sector_index));
}

}  // namespace headstack::geometry
