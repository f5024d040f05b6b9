// SPDX-License-Identifier: Apache-2.0
// The grown defect list against the layout's definition, sim/geometry. It compares which sectors
// are spare, which of them is nearest, and where blocks lie when some have moved.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "firmware/motion/defect_list.h"
#include "sim/geometry/geometry.hpp"
#include "tests/firmware/support.hpp"

namespace headstack {
namespace {

using drive::Mapping;
using drive::SpareLocation;
using geometry::SectorUse;

constexpr std::uint32_t kSeed = 1701;

struct LayoutCase {
  const char* what;
  SpareLocation location;
  std::uint32_t spares;
  std::vector<std::uint32_t> slips = {};
  std::vector<std::array<std::uint32_t, 2>> remaps = {};
  Mapping mapping = Mapping::kPlain;
  std::uint32_t reserved = 0;
};

/// Two zones of four cylinders, 2 heads, 10 and 7 sectors, with skews; a cylinder of no zone
/// between.
drive::Design design_of(const LayoutCase& layout) {
  drive::Design design = test::small_design();
  design.cylinders = 9;
  design.sparing.location = layout.location;
  design.sparing.range_cylinders = 2;
  design.mapping = layout.mapping;
  drive::Zone& zone = design.zones[0];
  zone.last_cylinder = 3;
  zone.spares = layout.spares;
  zone.slips = layout.slips;
  zone.remaps = layout.remaps;
  zone.reserved_sectors = layout.reserved;
  zone.track_skew = 3;
  zone.cylinder_skew = 4;
  drive::Zone second = zone;
  second.first_cylinder = 5;
  second.last_cylinder = 8;
  second.sectors_per_track = 7;
  second.slips.clear();
  second.remaps.clear();
  design.zones.push_back(second);
  return design;
}

const LayoutCase kLayouts[] = {
    {"None", SpareLocation::kNone, 0},
    {"TrackEnd", SpareLocation::kTrackEnd, 2, {3, 4, 21}},
    {"TrackEnd_Remapped", SpareLocation::kTrackEnd, 1, {}, {{3, 19}, {33, 9}}},
    {"CylinderEnd", SpareLocation::kCylinderEnd, 2, {0, 39, 61}},
    {"CylinderFront", SpareLocation::kCylinderFront, 2, {5, 19}},
    {"RangeEnd", SpareLocation::kRangeEnd, 3, {5, 19, 41}, {{7, 39}}},
    {"ZoneEnd", SpareLocation::kZoneEnd, 4, {11}, {}, Mapping::kSerpentine},
    {"ZoneEnd_Reserved", SpareLocation::kZoneEnd, 4, {79}, {{20, 78}}, Mapping::kPlain, 13},
    {"ZoneEndTracks", SpareLocation::kZoneEndTracks, 2, {3}, {{2, 7}}},
    {"SerpentineAbsolute", SpareLocation::kTrackEnd, 1, {11, 30}, {}, Mapping::kSerpentineAbsolute},
};

class DefectListOfLayout : public testing::TestWithParam<LayoutCase> {
 protected:
  DefectListOfLayout() { defect_list_init(&list_, table_.get()); }

  std::uint32_t capacity() const { return table_->capacity_blocks; }
  std::uint32_t home(std::uint32_t lba) const {
    return static_cast<std::uint32_t>(truth_.sector_index(truth_.locate(lba).chs()));
  }
  std::set<std::uint32_t> sectors_used_as(SectorUse use) const {
    std::set<std::uint32_t> found;
    for (std::uint32_t i = 0; i < truth_.sector_count(); ++i) {
      if (truth_.content(truth_.sector_at(i)).use == use) found.insert(i);
    }
    return found;
  }
  std::uint32_t zone_of(std::uint32_t sector) const {
    return *truth_.zone_of(truth_.sector_at(sector).cylinder);
  }

  const drive::Design design_ = design_of(GetParam());
  const geometry::Geometry truth_{design_};
  const std::unique_ptr<::drive_design> table_ = test::firmware_design(design_);
  ::defect_list list_{};
};

TEST_P(DefectListOfLayout, EverySector_HasItsPlaceAndItsBlock) {
  for (std::uint32_t index = 0; index < truth_.sector_count(); ++index) {
    const geometry::Chs want = truth_.sector_at(index);
    ::place at{};
    geometry_place_sector(table_.get(), index, &at);
    EXPECT_EQ((geometry::Chs{at.cylinder, at.head, at.sector}), want) << index;
    EXPECT_EQ(at.angle_turn32, truth_.sector_angle(want)) << index;
    EXPECT_EQ(at.contiguous_blocks, 1U);
    std::uint32_t position = 0;
    const std::uint32_t zone = geometry_position(table_.get(), index, &position);
    EXPECT_EQ(zone, zone_of(index));
    EXPECT_EQ(geometry_sector(table_.get(), zone, position), index);
    EXPECT_EQ(geometry_zone_of(table_.get(), want.cylinder), zone);
    EXPECT_EQ(geometry_track_position(table_.get(), zone, want.cylinder, want.head) + want.sector,
              position);
    const geometry::SectorContent content = truth_.content(want);
    EXPECT_EQ(
        geometry_block_at(table_.get(), zone, position),
        content.use == SectorUse::kBlock ? static_cast<std::uint32_t>(content.lba) : GEOMETRY_NONE)
        << index;
  }
  EXPECT_EQ(geometry_zone_of(table_.get(), 4), GEOMETRY_NONE);
  EXPECT_EQ(geometry_zone_of(table_.get(), 9), GEOMETRY_NONE);
}

// A block moves from spare to spare until none is left: they are exactly those of the definition.
TEST_P(DefectListOfLayout, Spares_AreThoseOfTheDefinition_EachGivenOnce) {
  std::set<std::uint32_t> given;
  std::uint32_t spare = 0;
  while (defect_list_find_spare(&list_, 5, &spare) == STATUS_OK) {
    EXPECT_TRUE(given.insert(spare).second) << spare << " twice";
    defect_list_move(&list_, 5, spare);
  }
  EXPECT_EQ(given, sectors_used_as(SectorUse::kSpare));
}

// A spare is in the block's own zone first, by distance in positions, which is that of sector
// numbers inside a zone.
TEST_P(DefectListOfLayout, Spare_IsTheNearestOfTheBlocksZone) {
  std::set<std::uint32_t> free = sectors_used_as(SectorUse::kSpare);
  std::mt19937 random(kSeed);
  while (!free.empty()) {
    const auto lba = static_cast<std::uint32_t>(random() % capacity());
    const std::uint32_t from = home(lba);
    std::uint32_t nearest = GEOMETRY_NONE;
    for (const std::uint32_t sector : free) {
      if (zone_of(sector) != zone_of(from)) continue;
      const std::uint32_t distance = std::max(sector, from) - std::min(sector, from);
      nearest = std::min(nearest, distance);
    }
    std::uint32_t spare = 0;
    ASSERT_EQ(defect_list_find_spare(&list_, lba, &spare), STATUS_OK);
    ASSERT_EQ(free.count(spare), 1U) << "seed " << kSeed;
    if (nearest != GEOMETRY_NONE) {
      ASSERT_EQ(std::max(spare, from) - std::min(spare, from), nearest) << "block " << lba;
    }
    free.erase(spare);
    random() % 2 == 0 ? defect_list_move(&list_, lba, spare) : defect_list_reject(&list_, spare);
  }
  std::uint32_t spare = 0;
  EXPECT_EQ(defect_list_find_spare(&list_, 0, &spare), STATUS_NO_SPARE);
}

// A drive's whole life at random, against a map of where each block lies.
TEST_P(DefectListOfLayout, RandomDefects_LeaveEveryBlockOnAGoodSector) {
  std::mt19937 random(kSeed);
  std::set<std::uint32_t> bad;
  std::map<std::uint32_t, std::uint32_t> moved;
  bool full = false;
  while (!full && bad.size() < truth_.sector_count()) {
    const auto sector = static_cast<std::uint32_t>(random() % truth_.sector_count());
    const enum status added = defect_list_add(&list_, sector);
    full = added != STATUS_OK;
    if (full) break;
    bad.insert(sector);
    for (std::uint32_t lba = 0; lba < capacity(); ++lba) {
      const std::uint32_t lies = defect_list_sector_of(&list_, lba);
      ASSERT_EQ(bad.count(lies), 0U) << "block " << lba << ", seed " << kSeed;
      if (lies != home(lba)) {
        ASSERT_EQ(truth_.content(truth_.sector_at(lies)).use, SectorUse::kSpare);
        ASSERT_EQ(bad.count(home(lba)), 1U) << "block " << lba << " moved without need";
      }
    }
  }
  // The list has each bad sector that the maker did not know, once.
  std::set<std::uint32_t> named;
  for (std::uint32_t i = 0; i < list_.count; ++i) {
    EXPECT_TRUE(named.insert(defect_list_sector(&list_, i)).second);
  }
  std::set<std::uint32_t> grown;
  for (const std::uint32_t sector : bad) {
    const SectorUse use = truth_.content(truth_.sector_at(sector)).use;
    if (use == SectorUse::kBlock || use == SectorUse::kSpare) grown.insert(sector);
  }
  EXPECT_EQ(named, grown);
  std::uint32_t spare = 0;
  EXPECT_EQ(defect_list_find_spare(&list_, 0, &spare) == STATUS_NO_SPARE, full);
}

// A moved block is alone on its spare; the run of adjacent sectors before it ends there.
TEST_P(DefectListOfLayout, Locate_CutsRunsAtMovedBlocks) {
  for (const std::uint32_t lba : {0U, 7U, 8U, 60U, capacity() - 1}) {
    std::uint32_t spare = 0;
    if (defect_list_find_spare(&list_, lba, &spare) == STATUS_OK) {
      defect_list_move(&list_, lba, spare);
    }
  }
  std::map<std::uint32_t, std::uint32_t> moved;
  for (std::uint32_t i = 0; i < list_.moved; ++i) moved[list_.entry[i].lba] = list_.entry[i].spare;
  for (std::uint32_t lba = 0; lba < capacity(); ++lba) {
    const geometry::Placement want = truth_.locate(lba);
    ::place at{};
    ASSERT_EQ(defect_list_locate(&list_, lba, &at), STATUS_OK);
    const auto here = moved.find(lba);
    if (here != moved.end()) {
      const geometry::Chs spare = truth_.sector_at(here->second);
      EXPECT_EQ((geometry::Chs{at.cylinder, at.head, at.sector}), spare);
      EXPECT_EQ(at.angle_turn32, truth_.sector_angle(spare));
      EXPECT_EQ(at.contiguous_blocks, 1U);
      continue;
    }
    EXPECT_EQ((geometry::Chs{at.cylinder, at.head, at.sector}), want.chs());
    const auto next = moved.lower_bound(lba);
    const std::uint32_t cut = next == moved.end() ? GEOMETRY_NONE : next->first - lba;
    EXPECT_EQ(at.contiguous_blocks, std::min(want.contiguous, cut)) << "block " << lba;
  }
  ::place at{};
  EXPECT_EQ(defect_list_locate(&list_, capacity(), &at), STATUS_LBA_RANGE);
}

INSTANTIATE_TEST_SUITE_P(Firmware, DefectListOfLayout, testing::ValuesIn(kLayouts),
                         test::case_name<LayoutCase>);

// The spares of the shipped drives, by the definition's own count of them.
class DefectListOfDrive : public testing::TestWithParam<const char*> {};

TEST_P(DefectListOfDrive, SpareGroups_HaveTheRestOfEachZone) {
  const drive::Design design = test::shipped(GetParam()).design;
  const geometry::Geometry truth(design);
  const auto table = test::firmware_design(design);
  for (std::uint32_t z = 0; z < table->zone_count; ++z) {
    const ::drive_design_zone& zone = table->zones[z];
    std::uint64_t unused = geometry::zone_sector_count(design, design.zones[z]);
    unused -= truth.zones()[z].block_count + design.zones[z].reserved_sectors;
    // For the firmware, spares that are the store are not spares (sim/geometry/extents.hpp,
    // "Store").
    const drive::Zone& described = design.zones[z];
    if (described.reserved_sectors < described.store_sectors) unused -= described.store_sectors;
    for (std::uint32_t i = 0; i < zone.defect_run_count; ++i) {
      unused -= table->pool[zone.first_defect + 2 * i + 1];
    }
    std::uint64_t spares = 0;
    for (std::uint32_t i = 0; i < zone.spare_group_count; ++i) {
      const std::uint32_t* group = &table->pool[zone.first_spare + DRIVE_DESIGN_SPARE_WORDS * i];
      spares += std::uint64_t{group[1]} * group[3];
      for (const std::uint32_t position :
           {group[0], group[0] + (group[3] - 1) * group[2] + group[1] - 1}) {
        const std::uint32_t sector = geometry_sector(table.get(), z, position);
        EXPECT_EQ(truth.content(truth.sector_at(sector)).use, SectorUse::kSpare) << position;
      }
    }
    EXPECT_EQ(spares, unused) << "zone " << z;
  }
}

INSTANTIATE_TEST_SUITE_P(Firmware, DefectListOfDrive, testing::ValuesIn(test::kShippedDrives),
                         test::case_name<const char*>);

// The table is full before the spares are used up: both sides of its limit.
TEST(DefectList, Full_HasNoSpareForAnother) {
  drive::Design design = test::small_design();
  design.sparing.location = SpareLocation::kZoneEnd;
  design.cylinders = 400;
  design.seek.pieces[0].up_to_cylinders = 399;
  design.zones[0].last_cylinder = 399;
  design.zones[0].spares = DEFECT_LIST_MAX + 1;
  const auto table = test::firmware_design(design);
  const auto list = std::make_unique<::defect_list>();
  defect_list_init(list.get(), table.get());
  std::uint32_t spare = 0;
  for (std::uint32_t i = 0; i < DEFECT_LIST_MAX; ++i) {
    ASSERT_EQ(defect_list_find_spare(list.get(), 2 * i, &spare), STATUS_OK) << i;
    defect_list_move(list.get(), 2 * i, spare);
  }
  EXPECT_EQ(defect_list_find_spare(list.get(), 1, &spare), STATUS_NO_SPARE);
  EXPECT_EQ(defect_list_add(list.get(), 1), STATUS_NO_SPARE);
  EXPECT_EQ(defect_list_add(list.get(), 2), STATUS_OK) << "known already";
  defect_list_clear(list.get());
  EXPECT_EQ(defect_list_find_spare(list.get(), 1, &spare), STATUS_OK);
}

}  // namespace
}  // namespace headstack
