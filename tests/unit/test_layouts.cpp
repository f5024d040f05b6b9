// SPDX-License-Identifier: Apache-2.0
// Whole drives of several zones, against a plain transcription of the definitions in extents.hpp.
// The tests compare each physical sector's content, facts of zones, free spares and the store.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "sim/description/fault.hpp"
#include "sim/geometry/geometry.hpp"
#include "tests/support.hpp"

namespace headstack::geometry {
namespace {

using drive::Mapping;
using drive::SpareLocation;

/// What the definitions give for one zone. All positions are in sectors.
struct ZoneModel {
  std::vector<std::uint32_t> blocks;    // sectors in block order
  std::vector<std::uint32_t> reserved;  // the blocks without an address
  std::set<std::uint32_t> slipped;
  std::set<std::uint32_t> defects;  // remapped away, or slipped
  std::vector<std::uint32_t> store;
};

class Model {
 public:
  explicit Model(const drive::Design& design) : design_(design) {
    for (const drive::Zone& zone : design.zones) add(zone);
  }

  const std::vector<ZoneModel>& zones() const { return zones_; }
  std::uint32_t sectors_of(const drive::Zone& zone) const {
    return (zone.last_cylinder - zone.first_cylinder + 1) * design_.heads * zone.sectors_per_track;
  }

  /// The position of a sector in its zone, counted by cylinders, tracks and sectors.
  std::uint32_t position(const drive::Zone& zone, const Chs& at) const {
    std::uint32_t before = 0;
    for (std::uint32_t c = zone.first_cylinder; c < at.cylinder; ++c) before += design_.heads;
    const bool descends =
        (design_.mapping == Mapping::kSerpentine && (at.cylinder - zone.first_cylinder) % 2 == 1) ||
        (design_.mapping == Mapping::kSerpentineAbsolute && at.cylinder % 2 == 1);
    before += descends ? design_.heads - 1 - at.head : at.head;
    return before * zone.sectors_per_track + at.sector;
  }

  SectorContent content(const Chs& at) const {
    std::uint64_t lba = 0;
    for (std::size_t z = 0; z < design_.zones.size(); ++z) {
      const drive::Zone& zone = design_.zones[z];
      const ZoneModel& model = zones_[z];
      if (at.cylinder < zone.first_cylinder || at.cylinder > zone.last_cylinder) {
        lba += model.blocks.size();
        continue;
      }
      if (at.head >= design_.heads || at.sector >= zone.sectors_per_track) return {};
      const std::uint32_t p = position(zone, at);
      const auto block = std::find(model.blocks.begin(), model.blocks.end(), p);
      if (block != model.blocks.end()) {
        return {SectorUse::kBlock, lba + static_cast<std::uint64_t>(block - model.blocks.begin())};
      }
      if (model.slipped.count(p) > 0) return {SectorUse::kSlipped, 0};
      if (model.defects.count(p) > 0) return {SectorUse::kDefect, 0};
      const auto holds = [p](const std::vector<std::uint32_t>& list) {
        return std::count(list.begin(), list.end(), p) > 0;
      };
      if (holds(model.reserved) || holds(model.store)) return {SectorUse::kReserved, 0};
      return {SectorUse::kSpare, 0};
    }
    return {};
  }

  /// Positions of a zone that nothing uses, ascending.
  std::vector<std::uint32_t> free_spares(std::size_t z) const {
    const ZoneModel& model = zones_[z];
    std::set<std::uint32_t> used(model.blocks.begin(), model.blocks.end());
    used.insert(model.reserved.begin(), model.reserved.end());
    used.insert(model.defects.begin(), model.defects.end());
    used.insert(model.store.begin(), model.store.end());
    std::vector<std::uint32_t> found;
    for (std::uint32_t p = 0; p < sectors_of(design_.zones[z]); ++p) {
      if (used.count(p) == 0) found.push_back(p);
    }
    return found;
  }

 private:
  /// Adds the model of a zone, built from sectors, or from whole tracks where spares are tracks.
  void add(const drive::Zone& zone) {
    const bool by_track = design_.sparing.location == SpareLocation::kZoneEndTracks;
    const std::uint32_t size = by_track ? zone.sectors_per_track : 1;
    std::vector<std::uint32_t> order;
    const std::uint32_t count = sectors_of(zone) / size;
    const std::uint32_t length = unit(zone, count);
    for (std::uint32_t first = 0; first < count; first += length) {
      add_unit(zone, first, std::min(first + length, count), length, order);
    }
    ZoneModel model;
    const auto take = [size](std::set<std::uint32_t>& into, std::uint32_t unit) {
      for (std::uint32_t s = 0; s < size; ++s) into.insert(unit * size + s);
    };
    for (const std::uint32_t slip : zone.slips) take(model.slipped, slip);
    model.defects = model.slipped;
    for (const auto& [defect, replacement] : zone.remaps) {
      if (defect == replacement) continue;
      *std::find(order.begin(), order.end(), defect) = replacement;
      take(model.defects, defect);
    }
    for (const std::uint32_t u : order) {
      for (std::uint32_t s = 0; s < size; ++s) model.blocks.push_back(u * size + s);
    }
    const auto data = model.blocks.begin() + zone.reserved_sectors;
    model.reserved.assign(model.blocks.begin(), data);
    model.blocks.erase(model.blocks.begin(), data);
    zones_.push_back(model);
    zones_.back().store = store_of(zone);
  }

  std::uint32_t unit(const drive::Zone& zone, std::uint32_t count) const {
    const std::uint32_t track = zone.sectors_per_track;
    switch (design_.sparing.location) {
      case SpareLocation::kTrackEnd: return track;
      case SpareLocation::kCylinderEnd:
      case SpareLocation::kCylinderFront: return track * design_.heads;
      case SpareLocation::kRangeEnd: return track * design_.heads * design_.sparing.range_cylinders;
      default: return count;
    }
  }

  void add_unit(const drive::Zone& zone, std::uint32_t first, std::uint32_t last,
                std::uint32_t length, std::vector<std::uint32_t>& order) const {
    const SpareLocation location = design_.sparing.location;
    const bool is_short = location == SpareLocation::kRangeEnd && last - first < length;
    const bool bare = location == SpareLocation::kNone || is_short;
    const std::uint32_t spares = bare ? 0 : zone.spares;
    const bool front = location == SpareLocation::kCylinderFront;
    const bool costs_blocks = design_.sparing.slip_to_zone_end || location == SpareLocation::kNone;
    std::vector<std::uint32_t> open;
    for (std::uint32_t p = first; p < last; ++p) {
      const bool slipped = std::count(zone.slips.begin(), zone.slips.end(), p) > 0;
      const bool is_spare = front ? p < first + spares : p >= last - spares;
      if (!slipped && !(costs_blocks && is_spare)) open.push_back(p);
    }
    if (!costs_blocks) {
      const std::uint32_t wanted = last - first - spares;
      if (front) open.erase(open.begin(), open.end() - wanted);
      open.resize(wanted);
    }
    order.insert(order.end(), open.begin(), open.end());
  }

  /// The first run of reserved sectors that is long enough; otherwise the last such run of free
  /// spares.
  std::vector<std::uint32_t> store_of(const drive::Zone& zone) {
    const std::uint32_t wanted = zone.store_sectors;
    if (wanted == 0) return {};
    const ZoneModel& model = zones_.back();
    const auto follows = [wanted](const std::vector<std::uint32_t>& list, std::size_t from) {
      for (std::uint32_t i = 1; i < wanted; ++i) {
        if (list[from + i] != list[from] + i) return false;
      }
      return true;
    };
    // Runs are in block order: the first that is long enough gives its first sectors.
    for (std::size_t i = 0; i + wanted <= model.reserved.size(); ++i) {
      if (follows(model.reserved, i)) {
        return {model.reserved.begin() + static_cast<std::ptrdiff_t>(i),
                model.reserved.begin() + static_cast<std::ptrdiff_t>(i + wanted)};
      }
    }
    const std::vector<std::uint32_t> spares = free_spares(zones_.size() - 1);
    for (std::size_t i = spares.size(); i >= wanted; --i) {
      if (follows(spares, i - wanted)) {
        return {spares.begin() + static_cast<std::ptrdiff_t>(i - wanted),
                spares.begin() + static_cast<std::ptrdiff_t>(i)};
      }
    }
    return {};
  }

  const drive::Design& design_;
  std::vector<ZoneModel> zones_;
};

class RandomDrive {
 public:
  explicit RandomDrive(std::uint32_t seed) : random_(seed) {
    design_ = test::small_design();
    design_.heads = 1 + number(3);
    design_.mapping = static_cast<Mapping>(number(3));
    design_.sparing.location = static_cast<SpareLocation>(number(7));
    design_.sparing.range_cylinders = 2;
    design_.sparing.slip_to_zone_end = number(3) == 0;
    design_.zones.clear();
    std::uint32_t cylinder = number(2);
    const std::uint32_t zones = 1 + number(3);
    for (std::uint32_t z = 0; z < zones; ++z) {
      drive::Zone zone;
      zone.first_cylinder = cylinder;
      zone.last_cylinder = cylinder + number(4);
      zone.sectors_per_track = 4 + number(5);
      // A reserved cylinder follows, or none.
      cylinder = zone.last_cylinder + 1 + number(2);
      design_.zones.push_back(zone);
    }
    design_.cylinders = cylinder + 1;
    for (drive::Zone& zone : design_.zones) furnish(zone);
    design_.zones[number(zones)].store_sectors = number(2) * 2;
  }

  const drive::Design& design() const { return design_; }

 private:
  std::uint32_t number(std::uint32_t below) {
    return static_cast<std::uint32_t>(random_() % below);
  }

  void furnish(drive::Zone& zone) {
    const bool by_track = design_.sparing.location == SpareLocation::kZoneEndTracks;
    const std::uint32_t tracks = (zone.last_cylinder - zone.first_cylinder + 1) * design_.heads;
    const std::uint32_t count = by_track ? tracks : tracks * zone.sectors_per_track;
    zone.spares = design_.sparing.location == SpareLocation::kNone ? 0 : number(4);
    if (by_track) zone.spares = std::min(zone.spares, tracks - 1);
    std::set<std::uint32_t> slips;
    for (std::uint32_t i = number(3); i > 0; --i) slips.insert(number(count));
    zone.slips.assign(slips.begin(), slips.end());
    zone.reserved_sectors = number(2) * number(12);
    for (std::uint32_t i = number(3); i > 0; --i)
      zone.remaps.push_back({number(count), number(count)});
  }

  std::mt19937 random_;
  drive::Design design_;
};

/// The runs of consecutive numbers in an ascending list.
std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_of(
    const std::vector<std::uint32_t>& list) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  for (const std::uint32_t p : list) {
    if (!runs.empty() && runs.back().first + runs.back().second == p) {
      ++runs.back().second;
    } else {
      runs.emplace_back(p, 1);
    }
  }
  return runs;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_of(
    const std::vector<PositionRun>& found) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  for (const PositionRun& run : found) runs.emplace_back(run.first, run.count);
  return runs;
}

void check_sectors(const drive::Design& design, const Model& model, const Geometry& geometry) {
  std::map<Lba, Chs> places;
  for (std::uint32_t c = 0; c <= design.cylinders; ++c) {
    for (std::uint32_t h = 0; h <= design.heads; ++h) {
      for (std::uint32_t s = 0; s < 10; ++s) {
        const SectorContent expected = model.content({c, h, s});
        const SectorContent found = geometry.content({c, h, s});
        ASSERT_EQ(found.use, expected.use)
            << c << "/" << h << "/" << s << ": " << to_string(found.use);
        ASSERT_EQ(found.lba, expected.lba);
        if (expected.use == SectorUse::kBlock) places[expected.lba] = {c, h, s};
      }
    }
  }
  ASSERT_EQ(geometry.capacity(), places.size());
  for (const auto& [lba, chs] : places) ASSERT_EQ(geometry.locate(lba).chs(), chs) << lba;
}

void check_zones(const drive::Design& design, const Model& model, const Geometry& geometry,
                 const Layout& layout) {
  std::uint64_t lba = 0;
  std::uint64_t sectors = 0;
  for (std::uint32_t z = 0; z < design.zones.size(); ++z) {
    const ZoneModel& zone = model.zones()[z];
    const ZoneGrid& grid = geometry.zones()[z];
    ASSERT_EQ(grid.block_count, zone.blocks.size());
    if (!zone.blocks.empty()) {
      ASSERT_EQ(grid.first_lba, lba) << "zone " << z;
    }
    ASSERT_EQ(grid.first_sector_index, sectors);
    lba += zone.blocks.size();
    sectors += model.sectors_of(design.zones[z]);
    const Unused unused = find_unused(design, layout, z);
    ASSERT_EQ(runs_of(unused.spares), runs_of(model.free_spares(z))) << "zone " << z;
    ASSERT_EQ(runs_of(unused.defects),
              runs_of(std::vector<std::uint32_t>(zone.defects.begin(), zone.defects.end())));
    if (design.zones[z].store_sectors > 0) {
      ASSERT_TRUE(layout.store.has_value());
      ASSERT_EQ(layout.store->zone, z);
      ASSERT_EQ(layout.store->position, zone.store.front());
      ASSERT_EQ(layout.store->length, zone.store.size());
    }
  }
  ASSERT_EQ(geometry.sector_count(), sectors);
  ASSERT_TRUE(std::is_sorted(layout.reserved.begin(), layout.reserved.end(),
                             [](const Extent& a, const Extent& b) { return a.zone < b.zone; }));
}

TEST(Layouts, RandomDrives_FollowTheDefinition_InEverySector) {
  int possible = 0;
  int stores = 0;
  for (std::uint32_t seed = 1; seed <= 20000; ++seed) {
    const RandomDrive random(seed);
    const drive::Design& design = random.design();
    std::optional<Layout> layout;
    try {
      layout = build_layout(design);
    } catch (const drive::Fault&) {
      continue;  // the design is impossible, such as more slips than spares
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model model(design);
    const Geometry geometry(design);
    check_sectors(design, model, geometry);
    check_zones(design, model, geometry, *layout);
    if (testing::Test::HasFatalFailure()) return;
    ++possible;
    stores += layout->store ? 1 : 0;
  }
  EXPECT_GT(possible, 2000);
  EXPECT_GT(stores, 500);
}

// firmware/transfer/store.h: an image takes the 512 bytes of a sector.
TEST(Layouts, AStoreNeedsSectorsOf512Bytes) {
  drive::Design design = test::small_design();
  design.zones[0].reserved_sectors = 4;
  design.zones[0].store_sectors = 2;
  design.sector_bytes = 512;
  EXPECT_NO_THROW(build_layout(design));
  design.sector_bytes = 511;
  EXPECT_THROW(build_layout(design), drive::Fault);
}

TEST(Layouts, UsesOfSectorsHaveNames) {
  EXPECT_STREQ(to_string(SectorUse::kBlock), "block");
  EXPECT_STREQ(to_string(SectorUse::kReserved), "reserved");
  EXPECT_STREQ(to_string(SectorUse::kSpare), "spare");
  EXPECT_STREQ(to_string(SectorUse::kSlipped), "slipped");
  EXPECT_STREQ(to_string(SectorUse::kDefect), "remapped defect");
  EXPECT_STREQ(to_string(SectorUse::kNoSector), "no sector");
}

}  // namespace
}  // namespace headstack::geometry
