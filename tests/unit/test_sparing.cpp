// SPDX-License-Identifier: Apache-2.0
// Spares, slips and remaps: every location against a plain transcription of the definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include "sim/description/fault.hpp"
#include "sim/geometry/geometry.hpp"
#include "tests/support.hpp"

namespace headstack::geometry {
namespace {

using drive::SpareLocation;

// Sectors of small_design(): 4 cylinders x 2 heads x 10 = positions 0..79 of one zone.
drive::Design spared(SpareLocation location, std::uint32_t spares,
                     std::vector<std::uint32_t> slips = {}) {
  drive::Design design = test::small_design();
  design.sparing.location = location;
  design.sparing.range_cylinders = 3;
  design.zones[0].spares = spares;
  design.zones[0].slips = std::move(slips);
  return design;
}

std::vector<std::uint64_t> positions(const drive::Design& design) {
  const Geometry geometry(design);
  std::vector<std::uint64_t> result;
  for (Lba lba = 0; lba < geometry.capacity(); ++lba) {
    result.push_back(geometry.sector_index(geometry.locate(lba).chs()));
  }
  return result;
}

/// The definition in extents.hpp, applied to one position at a time; nothing if it cannot be met.
std::optional<std::vector<std::uint64_t>> by_definition(const drive::Design& design) {
  const drive::Zone& zone = design.zones[0];
  const bool tracks = design.sparing.location == SpareLocation::kZoneEndTracks;
  const std::uint64_t track = tracks ? 1 : zone.sectors_per_track;
  const std::uint64_t cylinder = track * design.heads;
  const std::uint64_t count = cylinder * (zone.last_cylinder - zone.first_cylinder + 1);
  std::uint64_t unit = count;
  if (design.sparing.location == SpareLocation::kTrackEnd) unit = track;
  if (design.sparing.location == SpareLocation::kCylinderEnd ||
      design.sparing.location == SpareLocation::kCylinderFront) {
    unit = cylinder;
  }
  if (design.sparing.location == SpareLocation::kRangeEnd) {
    unit = cylinder * design.sparing.range_cylinders;
  }
  const bool costs_blocks =
      design.sparing.slip_to_zone_end || design.sparing.location == SpareLocation::kNone;
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t first = 0; first < count; first += unit) {
    const std::uint64_t last = std::min(first + unit, count);
    const bool bare = design.sparing.location == SpareLocation::kNone ||
                      (design.sparing.location == SpareLocation::kRangeEnd && last - first < unit);
    const std::uint64_t spares = bare ? 0 : zone.spares;
    const bool front = design.sparing.location == SpareLocation::kCylinderFront;
    std::vector<std::uint64_t> open;  // not slipped
    for (std::uint64_t p = first; p < last; ++p) {
      const bool slipped = std::count(zone.slips.begin(), zone.slips.end(), p) > 0;
      const bool spare_area = front ? p < first + spares : p >= last - spares;
      if (!slipped && !(costs_blocks && spare_area)) open.push_back(p);
    }
    if (!costs_blocks) {
      const std::uint64_t wanted = last - first - spares;
      if (open.size() < wanted) return std::nullopt;  // more slips than spares
      if (front) open.erase(open.begin(), open.end() - static_cast<std::ptrdiff_t>(wanted));
      open.resize(wanted);
    }
    chosen.insert(chosen.end(), open.begin(), open.end());
  }
  std::vector<std::uint64_t> sectors;
  const std::uint64_t scale = tracks ? zone.sectors_per_track : 1;
  for (const std::uint64_t p : chosen) {
    for (std::uint64_t s = 0; s < scale; ++s) sectors.push_back(p * scale + s);
  }
  if (zone.reserved_sectors > sectors.size()) return std::nullopt;
  sectors.erase(sectors.begin(), sectors.begin() + zone.reserved_sectors);
  return sectors;
}

TEST(Sparing, TrackEnd_LeavesTheTracksLastSectors) {
  const auto at = positions(spared(SpareLocation::kTrackEnd, 2));
  EXPECT_EQ(at.size(), 64U);  // 8 tracks of 8
  EXPECT_EQ(at[7], 7U);
  EXPECT_EQ(at[8], 10U);
}

TEST(Sparing, SlipTakesTheUnitsSpare) {
  const auto at = positions(spared(SpareLocation::kTrackEnd, 1, {3}));
  EXPECT_EQ(at.size(), 72U);
  EXPECT_EQ(at[2], 2U);
  EXPECT_EQ(at[3], 4U);   // 3 is slipped
  EXPECT_EQ(at[8], 9U);   // the spare is used
  EXPECT_EQ(at[9], 10U);  // the neighbour track is untouched
}

TEST(Sparing, CylinderFront_SlipPushesBlocksToTheFront) {
  const auto at = positions(spared(SpareLocation::kCylinderFront, 2, {5}));
  EXPECT_EQ(at[0], 1U);  // the slip took 1 of spares 0 and 1
  EXPECT_EQ(at[3], 4U);
  EXPECT_EQ(at[4], 6U);
  EXPECT_EQ(at[17], 19U);
  EXPECT_EQ(at[18], 22U);  // next cylinder: spares 20 and 21
}

TEST(Sparing, SlipToZoneEnd_KeepsTheSparesAndCostsABlock) {
  drive::Design design = spared(SpareLocation::kZoneEnd, 5, {0, 40});
  EXPECT_EQ(positions(design).size(), 75U);
  EXPECT_EQ(positions(design).back(), 76U);
  design.sparing.slip_to_zone_end = true;
  EXPECT_EQ(positions(design).size(), 73U);
  EXPECT_EQ(positions(design).back(), 74U);
}

TEST(Sparing, SlipWithoutAnySpares_CostsABlock) {
  const auto at = positions(spared(SpareLocation::kNone, 0, {7}));
  EXPECT_EQ(at.size(), 79U);
  EXPECT_EQ(at[7], 8U);
}

TEST(Sparing, LastShortRange_HasNoSpares) {
  const auto at = positions(spared(SpareLocation::kRangeEnd, 6));
  EXPECT_EQ(at.size(), 54U + 20U);  // 3 cylinders with spares, 1 without
  EXPECT_EQ(at[53], 53U);
  EXPECT_EQ(at[54], 60U);
}

TEST(Sparing, WholeTracks_SlipsCountTracks) {
  const auto at = positions(spared(SpareLocation::kZoneEndTracks, 2, {1}));
  EXPECT_EQ(at.size(), 60U);
  EXPECT_EQ(at[9], 9U);
  EXPECT_EQ(at[10], 20U);
  EXPECT_EQ(at.back(), 69U);
}

TEST(Sparing, Remap_MovesOneBlockAndNoNeighbour) {
  drive::Design design = spared(SpareLocation::kZoneEnd, 4);
  design.zones[0].remaps = {{7, 78}};
  const auto at = positions(design);
  EXPECT_EQ(at[6], 6U);
  EXPECT_EQ(at[7], 78U);
  EXPECT_EQ(at[8], 8U);
  const Geometry geometry(design);
  EXPECT_EQ(geometry.content(geometry.sector_at(7)).use, SectorUse::kDefect);
  EXPECT_EQ(geometry.content(geometry.sector_at(78)).lba, 7U);
  EXPECT_EQ(geometry.content(geometry.sector_at(79)).use, SectorUse::kSpare);
  EXPECT_EQ(geometry.locate(6).contiguous, 1U);  // an access stops at the defect
}

TEST(Sparing, RemapOntoABadPosition_IsAFault) {
  drive::Design design = spared(SpareLocation::kZoneEnd, 4, {77});
  design.zones[0].remaps = {{7, 77}};  // slipped
  EXPECT_THROW(Geometry{design}, drive::Fault);
  design.zones[0].remaps = {{7, 78}, {8, 7}};  // the replacement is a defect itself
  EXPECT_THROW(Geometry{design}, drive::Fault);
  design.zones[0].remaps = {{7, 78}, {8, 79}};
  EXPECT_NO_THROW(Geometry{design});
}

TEST(Sparing, SparesInFront_AreNotReservedSectors) {
  drive::Design design = spared(SpareLocation::kCylinderFront, 2);
  design.zones[0].reserved_sectors = 1;
  const Geometry geometry(design);
  EXPECT_EQ(geometry.content({0, 0, 0}).use, SectorUse::kSpare);
  EXPECT_EQ(geometry.content({0, 0, 1}).use, SectorUse::kSpare);
  EXPECT_EQ(geometry.content({0, 0, 2}).use, SectorUse::kReserved);
  EXPECT_EQ(geometry.content({0, 0, 3}).use, SectorUse::kBlock);
}

TEST(Sparing, RemapOfATrack_MovesTheWholeTrack) {
  drive::Design design = spared(SpareLocation::kZoneEndTracks, 1);
  design.zones[0].remaps = {{2, 7}};
  const auto at = positions(design);
  EXPECT_EQ(at[19], 19U);
  EXPECT_EQ(at[20], 70U);
  EXPECT_EQ(at[29], 79U);
  EXPECT_EQ(at[30], 30U);
}

TEST(Sparing, ReservedSectors_ShiftTheFirstBlock) {
  drive::Design design = spared(SpareLocation::kNone, 0);
  design.zones[0].reserved_sectors = 13;
  const auto at = positions(design);
  EXPECT_EQ(at.size(), 67U);
  EXPECT_EQ(at[0], 13U);
  const Geometry geometry(design);
  EXPECT_EQ(geometry.content({0, 1, 2}).use, SectorUse::kReserved);
  EXPECT_EQ(geometry.content({0, 1, 3}).lba, 0U);
}

TEST(Sparing, MoreSlipsThanSparesInOneUnit_IsAFault) {
  EXPECT_THROW(Geometry(spared(SpareLocation::kTrackEnd, 1, {3, 4})), drive::Fault);
  EXPECT_NO_THROW(Geometry(spared(SpareLocation::kTrackEnd, 1, {3, 14})));
  EXPECT_THROW(Geometry(spared(SpareLocation::kCylinderFront, 1, {3, 4})), drive::Fault);
}

// If each cylinder or track has spares, a slip adds to the skew of later tracks.
TEST(Sparing, SlipsPushTheSkew_OfLaterCylindersOnly) {
  const Geometry geometry(spared(SpareLocation::kCylinderEnd, 2, {3}));
  const Geometry plain(spared(SpareLocation::kCylinderEnd, 2));
  EXPECT_EQ(geometry.sector_angle({0, 1, 0}), plain.sector_angle({0, 1, 0}));
  EXPECT_EQ(geometry.sector_angle({1, 0, 0}), plain.sector_angle({1, 0, 1}));
  const Geometry by_zone(spared(SpareLocation::kZoneEnd, 2, {3}));
  EXPECT_EQ(by_zone.sector_angle({1, 0, 0}), plain.sector_angle({1, 0, 0}));
}

// 2,000 random layouts of every kind against the definition, in both directions.
TEST(Sparing, RandomLayouts_FollowTheDefinition) {
  constexpr std::uint32_t kSeed = 31415;
  std::mt19937 random(kSeed);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto location = static_cast<SpareLocation>(random() % 7);
    const auto spares = static_cast<std::uint32_t>(random() % 4);
    drive::Design design = spared(location, location == SpareLocation::kNone ? 0 : spares);
    design.sparing.slip_to_zone_end = random() % 3 == 0;
    design.mapping = static_cast<drive::Mapping>(random() % 3);
    const bool tracks = location == SpareLocation::kZoneEndTracks;
    const std::uint32_t positions_in_zone = tracks ? 8 : 80;
    std::set<std::uint32_t> slips;
    const auto wanted = random() % 4;
    for (std::uint32_t i = 0; i < wanted; ++i) {
      slips.insert(static_cast<std::uint32_t>(random() % positions_in_zone));
    }
    design.zones[0].slips.assign(slips.begin(), slips.end());
    design.zones[0].reserved_sectors = static_cast<std::uint32_t>(random() % 25);
    const auto expected = by_definition(design);
    if (!expected) {
      ASSERT_THROW(Geometry{design}, drive::Fault) << "round " << round << " seed " << kSeed;
      ++refused;
      continue;
    }
    ASSERT_EQ(positions(design), *expected) << "round " << round << " seed " << kSeed;
    const Geometry geometry(design);
    for (Lba lba = 0; lba < geometry.capacity(); ++lba) {
      const SectorContent back = geometry.content(geometry.locate(lba).chs());
      ASSERT_EQ(back.use, SectorUse::kBlock);
      ASSERT_EQ(back.lba, lba) << "round " << round << " seed " << kSeed;
    }
  }
  EXPECT_GT(refused, 100) << "impossible layouts should be among them";
  EXPECT_LT(refused, 1000) << "most layouts should be possible";
}

}  // namespace
}  // namespace headstack::geometry
