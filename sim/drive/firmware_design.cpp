// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/firmware_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "sim/description/fault.hpp"
#include "sim/geometry/extents.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/seek_curve.hpp"
#include "sim/mechanics/spindle.hpp"

namespace headstack::drive {
namespace {

constexpr Picoseconds kTick = Picoseconds{DRIVE_DESIGN_TICK_NS} * 1000;
constexpr std::uint64_t kWholeTurn = std::uint64_t{1} << 32;

// Limits of a movement, 78 ms, and of a write's settling, 26 ms. Their sum is less than 2^31 parts,
// since it is a signed number in the firmware.
constexpr std::int64_t kMovePartsMax = std::int64_t{3} << 29;
constexpr std::int64_t kSettlePartsMax = std::int64_t{1} << 29;

std::uint32_t reciprocal(std::uint32_t divisor) { return 0xFFFF'FFFFU / divisor; }

/// A time in parts of 1/512 tick, rounded down (towards earlier, for negative times, too).
std::int32_t parts(const char* key, Picoseconds time, std::int64_t limit) {
  const std::int64_t scaled = time * std::int64_t{DRIVE_DESIGN_TICK_PARTS};
  const std::int64_t whole = scaled / kTick - (scaled % kTick < 0 ? 1 : 0);
  if (whole >= limit || whole < -limit) {
    throw Fault(key,
                fmt::format("{} ms is more than the firmware's {:.1f} ms", to_ms(time),
                            to_ms(limit * kTick / DRIVE_DESIGN_TICK_PARTS)),
                "give a shorter time");
  }
  return static_cast<std::int32_t>(whole);
}

/// A group of extents with equally many blocks at equal distances.
struct LikeExtents {
  geometry::Extent first;
  std::uint32_t stride;  // distance in positions; for a single extent, its length
};

/// Joins extents, in block order, into groups, each as long as possible from its first one on.
std::vector<LikeExtents> join_like(const std::vector<geometry::Extent>& extents) {
  std::vector<LikeExtents> joined;
  std::size_t members = 0;  // extents of the last group
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const geometry::Extent& extent = extents[i];
    if (!joined.empty() && extent.length == joined.back().first.length) {
      LikeExtents& last = joined.back();
      // A distance backwards, after a remap, is no divisor for the firmware.
      const bool ahead = extent.position > extents[i - 1].position;
      const std::uint32_t stride = extent.position - extents[i - 1].position;
      if (ahead && (members == 1 || stride == last.stride)) {
        last.stride = stride;
        ++members;
        continue;
      }
    }
    joined.push_back({extent, extent.length});
    members = 1;
  }
  return joined;
}

/// Writes the table's parts in order; each appends to the pool.
class Filler {
 public:
  Filler(const DriveDescription& description, ::drive_design& table)
      : design_(description.design),
        table_(table),
        layout_(geometry::build_layout(design_)),
        extents_(layout_.blocks) {}

  void fill(const std::string& name) {
    std::memset(&table_, 0, sizeof table_);
    table_.magic = DRIVE_DESIGN_MAGIC;
    fill_product(name);
    fill_drive();
    fill_rotation();
    fill_positioning();
    fill_zones();
  }

 private:
  void fill_product(const std::string& name) {
    std::fill(std::begin(table_.product), std::end(table_.product), std::uint8_t{' '});
    for (std::size_t i = 0; i < std::min<std::size_t>(name.size(), DRIVE_DESIGN_NAME_BYTES); ++i) {
      // SPC-2 7.3.2 allows the characters 20h .. 7Eh, left-aligned.
      const bool graphic = name[i] >= 0x20 && name[i] <= 0x7E;
      table_.product[i] = static_cast<std::uint8_t>(graphic ? name[i] : '?');
    }
  }

  void fill_drive() {
    std::uint64_t blocks = 0;
    for (const geometry::Extent& extent : extents_) blocks += extent.length;
    if (blocks >= kWholeTurn) {
      throw Fault("design.zones", fmt::format("{} blocks; the firmware counts below 2^32", blocks),
                  "give fewer or smaller zones");
    }
    std::uint64_t sectors = 0;
    for (const Zone& zone : design_.zones) sectors += geometry::zone_sector_count(design_, zone);
    if (sectors >= kWholeTurn) {
      throw Fault("design.zones",
                  fmt::format("{} sectors; the firmware counts below 2^32", sectors),
                  "give fewer or smaller zones");
    }
    if (design_.cylinders > DRIVE_DESIGN_CYLINDERS_MAX) {
      throw Fault("design.cylinders",
                  fmt::format("more than the firmware's {}", DRIVE_DESIGN_CYLINDERS_MAX),
                  "give fewer cylinders");
    }
    if (design_.buffer_bytes < design_.sector_bytes) {
      throw Fault("design.buffer_bytes",
                  fmt::format("{} bytes do not hold a sector", design_.buffer_bytes),
                  fmt::format("give {} or more", design_.sector_bytes));
    }
    const Format& format = design_.format;
    table_.capacity_blocks = static_cast<std::uint32_t>(blocks);
    table_.sector_bytes = design_.sector_bytes;
    table_.cylinders = design_.cylinders;
    table_.heads = design_.heads;
    table_.heads_reciprocal = reciprocal(design_.heads);
    table_.mapping = static_cast<std::uint32_t>(mapping());
    table_.rpm = static_cast<std::uint32_t>(std::lround(design_.rpm));
    table_.buffer_bytes = design_.buffer_bytes;
    table_.preamble_bytes = format.preamble_bytes;
    table_.raw_sector_bytes = format.preamble_bytes + format.sync_bytes + format.header_bytes +
                              design_.sector_bytes + format.check_bytes + format.gap_bytes;
    table_.scsi_version = design_.scsi_version;
    table_.bus_width_bits = design_.bus.width_bits;
    table_.bus_period_ns = design_.bus.sync_period_ns;
    table_.bus_offset = design_.bus.sync_offset;
    fill_store();
  }

  /// Fills in the store by sector number: the zones' sectors in order, as sim/geometry's index.
  void fill_store() {
    if (!layout_.store) return;
    std::uint64_t first = layout_.store->position;
    for (std::uint32_t zone = 0; zone < layout_.store->zone; ++zone) {
      first += geometry::zone_sector_count(design_, design_.zones[zone]);
    }
    table_.store_sector = static_cast<std::uint32_t>(first);
    table_.store_sectors = layout_.store->length;
  }

  ::drive_design_mapping mapping() const {
    switch (design_.mapping) {
      case Mapping::kPlain: return DRIVE_DESIGN_MAPPING_PLAIN;
      case Mapping::kSerpentine: return DRIVE_DESIGN_MAPPING_SERPENTINE;
      case Mapping::kSerpentineAbsolute: return DRIVE_DESIGN_MAPPING_SERPENTINE_ABSOLUTE;
    }
    return DRIVE_DESIGN_MAPPING_PLAIN;
  }

  void fill_rotation() {
    // The spindle's rate is in 2^-60 turn32 per ps; a tick has 25,000 ps.
    const Uint128 per_tick =
        static_cast<Uint128>(mechanics::Rotation(design_.rpm).rate()) * static_cast<Uint128>(kTick);
    const auto speed =
        static_cast<std::uint64_t>(per_tick >> (mechanics::Rotation::kFraction - 32));
    table_.turn32_per_tick_high = static_cast<std::uint32_t>(speed >> 32);
    table_.turn32_per_tick_low = static_cast<std::uint32_t>(speed);
    table_.mean_latency = design_.rotational_latency == RotationalLatency::kMean ? 1 : 0;
  }

  void fill_positioning() {
    const mechanics::SeekCurve curve(design_);
    table_.seek_table = table_.pool_words;
    for (std::uint32_t distance = 0; distance < design_.cylinders; ++distance) {
      append(static_cast<std::uint32_t>(parts("design.seek", curve.time(distance), kMovePartsMax)));
    }
    // The mean includes pairs of equal cylinders, which the curve's mean does not.
    const double cylinders = design_.cylinders;
    table_.mean_seek_part = static_cast<std::uint32_t>(parts(
        "design.seek", from_ms(curve.mean_ms() * (cylinders - 1) / cylinders), kMovePartsMax));
    fill_bands();
    table_.head_switch_part = static_cast<std::uint32_t>(
        parts("design.head_switch_ms", from_ms(design_.head_switch_ms), kMovePartsMax));
    table_.write_settle_part = static_cast<std::uint32_t>(
        parts("design.write_settle_ms", std::max<Picoseconds>(from_ms(design_.write_settle_ms), 0),
              kSettlePartsMax));
    table_.write_offset_part = static_cast<std::uint32_t>(
        parts("design.write_offset_ms", from_ms(design_.write_offset_ms), kMovePartsMax));
    table_.spin_up_ms = static_cast<std::uint32_t>(std::ceil(design_.spin_up_ms));
  }

  /// Fills in, for each distance in bands, the least seek time over that distance or a longer one.
  /// A published curve need not rise all the way.
  void fill_bands() {
    table_.band_shift = 0;
    while ((design_.cylinders - 1) >> table_.band_shift >= DRIVE_DESIGN_BANDS_MAX) {
      ++table_.band_shift;
    }
    const std::uint32_t bands = ((design_.cylinders - 1) >> table_.band_shift) + 1;
    table_.seek_floor_table = table_.pool_words;
    for (std::uint32_t band = 0; band < bands; ++band) append(0);
    std::uint32_t least = UINT32_MAX;
    std::uint32_t distance = design_.cylinders;
    for (std::uint32_t band = bands; band-- > 1;) {
      const std::uint32_t nearest = ((band - 1) << table_.band_shift) + 1;
      while (distance > nearest) {
        least = std::min(least, table_.pool[table_.seek_table + --distance]);
      }
      table_.pool[table_.seek_floor_table + band] = least;
    }
  }

  void fill_zones() {
    if (design_.zones.size() > DRIVE_DESIGN_ZONES_MAX) {
      throw Fault("design.zones",
                  fmt::format("more than the firmware's {}", DRIVE_DESIGN_ZONES_MAX), "join zones");
    }
    table_.zone_count = static_cast<std::uint32_t>(design_.zones.size());
    std::uint32_t lba = 0;
    for (std::size_t i = 0; i < design_.zones.size(); ++i) {
      check_skew_sum(design_.zones[i], i);
      fill_zone(design_.zones[i], table_.zones[i]);
      fill_extents(static_cast<std::uint32_t>(i), table_.zones[i], lba);
      fill_slips(design_.zones[i], table_.zones[i]);
      fill_unused(static_cast<std::uint32_t>(i), table_.zones[i]);
    }
  }

  void fill_zone(const Zone& zone, ::drive_design_zone& row) const {
    const std::uint32_t sectors = zone.sectors_per_track;
    const std::uint64_t turn_per_mark = sectors == 1 ? 0 : ~std::uint64_t{0} / sectors + 1;
    const std::uint64_t cylinder_skew =
        zone.cylinder_skew + std::uint64_t{design_.heads - 1} * zone.track_skew;
    row.first_cylinder = zone.first_cylinder;
    row.last_cylinder = zone.last_cylinder;
    row.sectors_per_track = sectors;
    row.sectors_reciprocal = reciprocal(sectors);
    row.turn_per_mark_high = static_cast<std::uint32_t>(turn_per_mark >> 32);
    row.turn_per_mark_low = static_cast<std::uint32_t>(turn_per_mark);
    row.mark_offset = zone.first_sector_offset % sectors;
    row.cylinder_skew_marks = static_cast<std::uint32_t>(cylinder_skew % sectors);
    row.track_skew_marks = zone.track_skew % sectors;
    row.spares = zone.spares;
  }

  void fill_extents(std::uint32_t zone, ::drive_design_zone& row, std::uint32_t& lba) {
    row.first_lba = lba;
    row.first_extent = table_.pool_words;
    row.extents_ascend = 1;
    std::vector<geometry::Extent> own;
    for (const geometry::Extent& extent : extents_) {
      if (extent.zone != zone) continue;
      if (!own.empty() && extent.position < own.back().position) row.extents_ascend = 0;
      own.push_back(extent);
      lba += extent.length;
    }
    const std::vector<LikeExtents> like = join_like(own);
    // A row for one extent is shorter, and the firmware is faster with it.
    const bool regular =
        like.size() * DRIVE_DESIGN_REGULAR_WORDS < own.size() * DRIVE_DESIGN_EXTENT_WORDS;
    row.extent_words = regular ? DRIVE_DESIGN_REGULAR_WORDS : DRIVE_DESIGN_EXTENT_WORDS;
    row.extent_count = static_cast<std::uint32_t>(regular ? like.size() : own.size());
    if (regular) {
      for (const LikeExtents& some : like) append_like(some);
      return;
    }
    for (const geometry::Extent& extent : own) append_extent(extent);
  }

  void append_extent(const geometry::Extent& extent) {
    append(static_cast<std::uint32_t>(extent.lba));
    append(extent.position);
  }

  void append_like(const LikeExtents& some) {
    append_extent(some.first);
    append(some.first.length);
    append(reciprocal(some.first.length));
    append(some.stride);
    append(reciprocal(some.stride));
  }

  /// Fills in slips, which add to the skew where spares lie in every cylinder or track
  /// (geometry.hpp).
  void fill_slips(const Zone& zone, ::drive_design_zone& row) {
    row.first_slip = table_.pool_words;
    if (zone.slips.empty()) return;
    switch (design_.sparing.location) {
      case SpareLocation::kTrackEnd: row.slip_unit_tracks = 1; break;
      case SpareLocation::kCylinderEnd:
      case SpareLocation::kCylinderFront: row.slip_unit_tracks = design_.heads; break;
      default: return;
    }
    for (const std::uint32_t slip : zone.slips) append(slip);
    row.slip_count = static_cast<std::uint32_t>(zone.slips.size());
  }

  /// Fills in free spares, with equal runs at equal distances as one group, and the maker's
  /// defects.
  void fill_unused(std::uint32_t zone, ::drive_design_zone& row) {
    const geometry::Unused unused = geometry::find_unused(design_, layout_, zone);
    row.first_spare = table_.pool_words;
    const auto& runs = unused.spares;
    for (std::size_t at = 0; at < runs.size();) {
      const std::uint32_t stride = at + 1 < runs.size() ? runs[at + 1].first - runs[at].first : 0;
      std::size_t end = at + 1;
      while (end < runs.size() && runs[end].count == runs[at].count &&
             runs[end].first - runs[end - 1].first == stride) {
        ++end;
      }
      const auto repeats = static_cast<std::uint32_t>(end - at);
      append(runs[at].first);
      append(runs[at].count);
      append(repeats == 1 ? 0 : stride);
      append(repeats);
      ++row.spare_group_count;
      at = end;
    }
    row.first_defect = table_.pool_words;
    for (const geometry::PositionRun& run : unused.defects) {
      append(run.first);
      append(run.count);
      ++row.defect_run_count;
      table_.defect_descriptors += descriptors_of(run, row.sectors_per_track);
    }
  }

  /// The number of descriptors for a run of defects in READ DEFECT DATA. It has one for each whole
  /// track, and one for each other sector (firmware/motion/defect_data.h).
  static std::uint32_t descriptors_of(const geometry::PositionRun& run, std::uint32_t per_track) {
    const std::uint32_t first_whole = (run.first + per_track - 1) / per_track;
    const std::uint32_t end_whole = (run.first + run.count) / per_track;
    if (end_whole <= first_whole) return run.count;
    const std::uint32_t tracks = end_whole - first_whole;
    return run.count - tracks * (per_track - 1);
  }

  /// Checks the sum of marks, which the firmware computes in 32 bits.
  void check_skew_sum(const Zone& zone, std::size_t index) const {
    const std::uint64_t cylinders = zone.last_cylinder - zone.first_cylinder + 1;
    const std::uint64_t sum =
        (cylinders + design_.heads + 2) * zone.sectors_per_track + zone.slips.size();
    if (sum < kWholeTurn) return;
    throw Fault(fmt::format("design.zones[{}]", index), "its skews add up to 2^32 sectors",
                "split the zone");
  }

  void append(std::uint32_t word) {
    if (table_.pool_words == DRIVE_DESIGN_POOL_WORDS) {
      throw Fault("design",
                  fmt::format("{} cylinders and {} runs of adjacent blocks need more than the {} "
                              "words of the firmware's table",
                              design_.cylinders, extents_.size(), DRIVE_DESIGN_POOL_WORDS),
                  "give fewer cylinders or slips, or spares that lie at the zone's end");
    }
    table_.pool[table_.pool_words++] = word;
  }

  const Design& design_;
  ::drive_design& table_;
  const geometry::Layout layout_;
  const std::vector<geometry::Extent>& extents_;
};

void put_word(std::uint8_t* at, std::uint32_t word) {
  for (unsigned i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

}  // namespace

void fill_firmware_design(const DriveDescription& description, ::drive_design& design) {
  Filler(description, design).fill(description.name);
}

std::vector<std::uint8_t> firmware_design_image(const ::drive_design& design) {
  // The product's bytes stay bytes; everything else is in words: see firmware/drive_design.h.
  constexpr std::size_t kProduct = offsetof(::drive_design, product);
  const std::size_t end =
      offsetof(::drive_design, pool) + std::size_t{design.pool_words} * sizeof(std::uint32_t);
  const auto* memory = reinterpret_cast<const std::uint8_t*>(&design);
  std::vector<std::uint8_t> bytes(memory, memory + end);
  for (std::size_t at = 0; at < end; at += sizeof(std::uint32_t)) {
    if (at >= kProduct && at < kProduct + DRIVE_DESIGN_NAME_BYTES) continue;
    std::uint32_t word = 0;
    std::memcpy(&word, memory + at, sizeof word);
    put_word(&bytes[at], word);
  }
  return bytes;
}

std::vector<std::uint8_t> firmware_design_image(const DriveDescription& description) {
  const auto design = std::make_unique<::drive_design>();  // too large for a stack
  fill_firmware_design(description, *design);
  return firmware_design_image(*design);
}

}  // namespace headstack::drive
