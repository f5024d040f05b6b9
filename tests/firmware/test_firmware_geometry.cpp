// SPDX-License-Identifier: Apache-2.0
// The firmware's integer geometry against the definition, sim/geometry: equal to the bit.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>

#include "firmware/kernel/arithmetic.h"
#include "firmware/motion/defect_data.h"
#include "firmware/motion/geometry.h"
#include "sim/description/fault.hpp"
#include "sim/geometry/extents.hpp"
#include "sim/geometry/geometry.hpp"
#include "tests/firmware/support.hpp"

namespace headstack {
namespace {

constexpr std::uint32_t kSeed = 4711;

class Both {
 public:
  explicit Both(const drive::Design& design)
      : truth_(design), firmware_(test::firmware_design(design)) {}

  const geometry::Geometry& truth() const { return truth_; }
  const ::drive_design& firmware() const { return *firmware_; }

  /// Checks that the place of a sector leads to the content that the design has at its position.
  void expect_equal_content(std::uint32_t zone, std::uint32_t position) const {
    const std::uint32_t sector = geometry_sector(firmware_.get(), zone, position);
    ::place at{};
    geometry_place_sector(firmware_.get(), sector, &at);
    const geometry::SectorContent want = truth_.content({at.cylinder, at.head, at.sector});
    const std::uint32_t block = geometry_block_at(firmware_.get(), zone, position);
    if (want.use == geometry::SectorUse::kBlock) {
      EXPECT_EQ(block, want.lba) << "zone " << zone << " position " << position;
    } else {
      EXPECT_EQ(block, GEOMETRY_NONE) << "zone " << zone << " position " << position;
    }
  }

  /// Checks every member of the place, and the ends of the following sectors.
  void expect_equal(std::uint32_t lba) const {
    const geometry::Placement want = truth_.locate(lba);
    ::place got{};
    ASSERT_EQ(geometry_locate(firmware_.get(), lba, &got), STATUS_OK) << "lba " << lba;
    EXPECT_EQ(got.cylinder, want.cylinder) << "lba " << lba;
    EXPECT_EQ(got.head, want.head) << "lba " << lba;
    EXPECT_EQ(got.sector, want.sector) << "lba " << lba;
    EXPECT_EQ(got.zone, want.zone) << "lba " << lba;
    EXPECT_EQ(got.mark, want.mark) << "lba " << lba;
    EXPECT_EQ(got.contiguous_blocks, want.contiguous) << "lba " << lba;
    EXPECT_EQ(got.angle_turn32, want.angle) << "lba " << lba;
    EXPECT_EQ(geometry_swept_turn32(&firmware_->zones[got.zone], got.mark, got.contiguous_blocks),
              truth_.zones()[want.zone].swept(want.mark, want.contiguous))
        << "lba " << lba;
  }

 private:
  geometry::Geometry truth_;
  std::unique_ptr<::drive_design> firmware_;
};

/// Blocks on both sides of every place where an extent begins, of every zone's and drive's edges.
std::set<std::uint32_t> edges(const ::drive_design& design) {
  std::set<std::uint32_t> blocks{0, design.capacity_blocks - 1};
  for (std::uint32_t z = 0; z < design.zone_count; ++z) {
    const ::drive_design_zone& zone = design.zones[z];
    for (std::uint32_t e = 0; e < zone.extent_count; ++e) {
      const std::uint32_t lba = design.pool[zone.first_extent + zone.extent_words * e];
      blocks.insert(lba);
      if (lba > 0) blocks.insert(lba - 1);
    }
  }
  return blocks;
}

class GeometryOfEveryDrive : public testing::TestWithParam<const char*> {
 protected:
  const Both both_{test::shipped(GetParam()).design};
};

TEST_P(GeometryOfEveryDrive, Table_PassesTheFirmwaresOwnCheck) {
  EXPECT_EQ(drive_design_check(&both_.firmware()), STATUS_OK);
  EXPECT_EQ(both_.firmware().capacity_blocks, both_.truth().capacity());
}

TEST_P(GeometryOfEveryDrive, ExtentEdges_AreWhereTheDefinitionPutsThem) {
  for (const std::uint32_t lba : edges(both_.firmware())) both_.expect_equal(lba);
}

// Goes from track to track by the definition's own runs. It takes the first and last block of every
// stretch of adjacent sectors: every edge of a track, a cylinder and a zone.
TEST_P(GeometryOfEveryDrive, TrackEdges_AreWhereTheDefinitionPutsThem) {
  const auto capacity = static_cast<std::uint32_t>(both_.truth().capacity());
  for (std::uint32_t lba = 0; lba < capacity;) {
    const std::uint32_t run = both_.truth().locate(lba).contiguous;
    both_.expect_equal(lba);
    both_.expect_equal(lba + run - 1);
    ASSERT_FALSE(HasFailure());
    lba += run;
  }
}

TEST_P(GeometryOfEveryDrive, RandomBlocks_LieWhereTheDefinitionPutsThem) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 100'000; ++i) {
    both_.expect_equal(static_cast<std::uint32_t>(random() % both_.truth().capacity()));
    ASSERT_FALSE(HasFailure()) << "seed " << kSeed;
  }
}

TEST_P(GeometryOfEveryDrive, FirstBlockPastTheEnd_IsOutOfRange) {
  const ::drive_design& design = both_.firmware();
  ::place at{};
  EXPECT_EQ(geometry_locate(&design, design.capacity_blocks, &at), STATUS_LBA_RANGE);
  EXPECT_EQ(geometry_locate(&design, 0xFFFF'FFFFU, &at), STATUS_LBA_RANGE);
  EXPECT_EQ(geometry_check_range(&design, design.capacity_blocks - 1, 1), STATUS_OK);
  EXPECT_EQ(geometry_check_range(&design, design.capacity_blocks - 1, 2), STATUS_LBA_RANGE);
  EXPECT_EQ(geometry_check_range(&design, 1, 0xFFFF'FFFFU), STATUS_LBA_RANGE);
  EXPECT_EQ(geometry_check_range(&design, design.capacity_blocks, 0), STATUS_OK);
}

// READ CAPACITY with PMI: the answer is on the block's cylinder, and so are all blocks up to it;
// the next block is on another.
TEST_P(GeometryOfEveryDrive, LastOfCylinder_IsWhereTheDefinitionLeavesTheCylinder) {
  const geometry::Geometry& truth = both_.truth();
  const auto capacity = static_cast<std::uint32_t>(truth.capacity());
  std::mt19937 random(kSeed);
  for (int i = 0; i < 500; ++i) {
    const auto lba = static_cast<std::uint32_t>(i == 0 ? capacity - 1 : random() % capacity);
    const std::uint32_t cylinder = truth.locate(lba).cylinder;
    std::uint32_t next = lba;
    while (next < capacity && truth.locate(next).cylinder == cylinder) {
      next += truth.locate(next).contiguous;
    }
    ASSERT_EQ(geometry_last_of_cylinder(&both_.firmware(), lba), next - 1) << lba;
  }
}

// The maker's list in its order, backward and at random: a cursor changes no entry. Exactly the
// entries are sectors that hold no block.
TEST_P(GeometryOfEveryDrive, DefectEntries_AreTheSameInAnyOrder) {
  const ::drive_design& design = both_.firmware();
  std::vector<::defect_place> forward(design.defect_descriptors);
  ::defect_cursor cursor{};
  for (std::uint32_t i = 0; i < forward.size(); ++i) {
    defect_data_primary(&design, &cursor, i, &forward[i]);
    if (forward[i].sector == DEFECT_TRACK) continue;
    const geometry::SectorContent content =
        both_.truth().content({forward[i].cylinder, forward[i].head, forward[i].sector});
    EXPECT_NE(content.use, geometry::SectorUse::kBlock) << i;
  }
  const auto expect_same = [&](std::uint32_t index) {
    ::defect_place at{};
    defect_data_primary(&design, &cursor, index, &at);
    EXPECT_EQ(at.cylinder, forward[index].cylinder) << index;
    EXPECT_EQ(at.head, forward[index].head) << index;
    EXPECT_EQ(at.sector, forward[index].sector) << index;
    EXPECT_EQ(at.bytes, forward[index].bytes) << index;
  };
  for (auto i = static_cast<std::uint32_t>(forward.size()); i-- > 0;) expect_same(i);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 100 && !forward.empty(); ++i) {
    expect_same(static_cast<std::uint32_t>(random() % forward.size()));
  }
  if (std::string(GetParam()) == "cheetah_9lp") {
    EXPECT_EQ(forward.size(), 594U) << "slips and remaps of its description";
  }
}

INSTANTIATE_TEST_SUITE_P(FirmwareGeometry, GeometryOfEveryDrive,
                         testing::ValuesIn(test::kShippedDrives), test::case_name<const char*>);

/// Layouts that no shipped drive has.
struct LayoutCase {
  const char* what;
  drive::SpareLocation location;
  std::uint32_t spares;
  std::vector<std::uint32_t> slips;
  std::vector<std::array<std::uint32_t, 2>> remaps;
  drive::Mapping mapping = drive::Mapping::kPlain;
  std::uint32_t reserved = 0;
};

class GeometryOfEveryLayout : public testing::TestWithParam<LayoutCase> {};

// Every block of two zones of four cylinders, 2 heads, 10 sectors, with skews.
TEST_P(GeometryOfEveryLayout, EveryBlock_LiesWhereTheDefinitionPutsIt) {
  drive::Design design = test::small_design();
  design.cylinders = 9;
  design.sparing.location = GetParam().location;
  design.sparing.range_cylinders = 2;
  design.mapping = GetParam().mapping;
  drive::Zone& zone = design.zones[0];
  zone.spares = GetParam().spares;
  zone.slips = GetParam().slips;
  zone.remaps = GetParam().remaps;
  zone.reserved_sectors = GetParam().reserved;
  zone.track_skew = 3;
  zone.cylinder_skew = 4;
  zone.first_sector_offset = 12;
  drive::Zone second = zone;
  second.first_cylinder = 5;
  second.last_cylinder = 8;
  second.sectors_per_track = 7;
  second.slips.clear();
  second.remaps.clear();
  design.zones.push_back(second);
  const Both both(design);
  for (std::uint32_t lba = 0; lba < both.truth().capacity(); ++lba) both.expect_equal(lba);
}

using drive::Mapping;
using drive::SpareLocation;
INSTANTIATE_TEST_SUITE_P(
    FirmwareGeometry, GeometryOfEveryLayout,
    testing::Values(
        LayoutCase{"Plain", SpareLocation::kNone, 0, {}, {}},
        LayoutCase{"SlipsWithoutSpares", SpareLocation::kNone, 0, {3, 4, 50}, {}},
        LayoutCase{"TrackSpares_SlipsPushTheSkew", SpareLocation::kTrackEnd, 2, {3, 4, 21}, {}},
        LayoutCase{
            "CylinderSpares_SlipsPushTheSkew", SpareLocation::kCylinderEnd, 2, {0, 39, 61}, {}},
        LayoutCase{"CylinderFront", SpareLocation::kCylinderFront, 2, {5, 19}, {}},
        LayoutCase{"RangeEnd", SpareLocation::kRangeEnd, 3, {5, 19, 41}, {{7, 39}}},
        LayoutCase{"ZoneEndTracks", SpareLocation::kZoneEndTracks, 2, {3}, {{2, 7}}},
        LayoutCase{"Serpentine", SpareLocation::kZoneEnd, 4, {11}, {}, Mapping::kSerpentine},
        LayoutCase{"SerpentineAbsolute_TrackSpares",
                   SpareLocation::kTrackEnd,
                   1,
                   {11, 30},
                   {},
                   Mapping::kSerpentineAbsolute},
        LayoutCase{"Reserved", SpareLocation::kNone, 0, {}, {}, Mapping::kPlain, 13}),
    test::case_name<LayoutCase>);

/// Checks all blocks and all positions.
void expect_all_equal(const Both& both) {
  for (std::uint32_t lba = 0; lba < both.truth().capacity(); ++lba) both.expect_equal(lba);
  for (std::uint32_t z = 0; z < both.firmware().zone_count; ++z) {
    const ::drive_design_zone& zone = both.firmware().zones[z];
    const std::uint32_t sectors = (zone.last_cylinder - zone.first_cylinder + 1) *
                                  both.firmware().heads * zone.sectors_per_track;
    for (std::uint32_t position = 0; position < sectors; ++position) {
      both.expect_equal_content(z, position);
    }
  }
}

// A spare on each of 36,386 tracks: each track is a run of adjacent blocks, and one row describes
// all of a zone.
TEST(FirmwareGeometry, SpareOnEveryTrack_IsARow) {
  drive::Design design = test::small_design();
  design.cylinders = 2599;
  design.heads = 14;
  design.sparing.location = drive::SpareLocation::kTrackEnd;
  design.seek.pieces[0].up_to_cylinders = 2598;
  drive::Zone& zone = design.zones[0];
  zone.first_cylinder = 0;
  zone.last_cylinder = 1500;
  zone.sectors_per_track = 96;
  zone.spares = 1;
  zone.track_skew = 12;
  zone.cylinder_skew = 17;
  drive::Zone inner = zone;
  inner.first_cylinder = 1501;
  inner.last_cylinder = 2598;
  inner.sectors_per_track = 68;
  inner.reserved_sectors = 100;
  // A slip in the middle of a track: the zone's run before it, the two runs of its track, and the
  // rest.
  inner.slips = {68 * 1000 + 20};
  design.zones.push_back(inner);
  const Both both(design);
  EXPECT_EQ(both.firmware().zones[0].extent_count, 1U);
  EXPECT_EQ(both.firmware().zones[0].extent_words, DRIVE_DESIGN_REGULAR_WORDS);
  EXPECT_LE(both.firmware().zones[1].extent_count, 6U);
  EXPECT_EQ(drive_design_check(&both.firmware()), STATUS_OK);
  EXPECT_EQ(both.truth().capacity(), 1501U * 14 * 95 + 1098 * 14 * 67 - 100);
  for (const std::uint32_t lba : edges(both.firmware())) both.expect_equal(lba);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 100'000; ++i) {
    both.expect_equal(static_cast<std::uint32_t>(random() % both.truth().capacity()));
    const std::uint32_t z = random() % 2;
    const std::uint32_t cylinders = z == 0 ? 1501 : 1098;
    both.expect_equal_content(z, random() % (cylinders * 14 * design.zones[z].sectors_per_track));
    ASSERT_FALSE(HasFailure()) << "seed " << kSeed;
  }
}

// Spares far apart after many blocks: a position before the zone's first row has no block.
TEST(FirmwareGeometry, PositionsBeforeTheFirstRow_HoldNoBlock) {
  drive::Design design = test::small_design();
  design.cylinders = 400;
  design.sparing.location = drive::SpareLocation::kCylinderFront;
  design.zones[0].last_cylinder = 399;
  design.zones[0].spares = 19;  // of 20 sectors
  const Both both(design);
  ASSERT_EQ(both.firmware().zones[0].extent_words, DRIVE_DESIGN_REGULAR_WORDS);
  expect_all_equal(both);
}

/// A layout with random spares, slips and remaps; empty if the definition refuses it.
std::optional<drive::Design> random_layout(std::mt19937& random) {
  const auto below = [&random](std::uint32_t count) {
    return static_cast<std::uint32_t>(random() % count);
  };
  drive::Design design = test::small_design();
  design.cylinders = 2 + below(40);
  design.heads = 1 + below(5);
  design.seek.pieces[0].up_to_cylinders = 1000;
  design.mapping = static_cast<drive::Mapping>(below(3));
  design.sparing.location = static_cast<drive::SpareLocation>(below(7));
  design.sparing.slip_to_zone_end = below(4) == 0;
  design.sparing.range_cylinders = 1 + below(4);
  drive::Zone first = design.zones[0];
  first.last_cylinder = below(design.cylinders - 1);
  drive::Zone second = first;
  second.first_cylinder = first.last_cylinder + 1;
  second.last_cylinder = design.cylinders - 1;
  design.zones = {first, second};
  for (drive::Zone& zone : design.zones) {
    zone.sectors_per_track = 2 + below(20);
    zone.track_skew = below(9);
    zone.cylinder_skew = below(9);
    zone.first_sector_offset = below(9);
    const bool has_spares = design.sparing.location != drive::SpareLocation::kNone;
    zone.spares = has_spares ? below(zone.sectors_per_track) : 0;
    zone.reserved_sectors = below(3) == 0 ? below(30) : 0;
    const std::uint32_t tracks = (zone.last_cylinder - zone.first_cylinder + 1) * design.heads;
    const bool whole_tracks = design.sparing.location == drive::SpareLocation::kZoneEndTracks;
    const std::uint32_t places = whole_tracks ? tracks : tracks * zone.sectors_per_track;
    std::set<std::uint32_t> slips;
    for (std::uint32_t i = below(4); i > 0; --i) slips.insert(below(places));
    zone.slips.assign(slips.begin(), slips.end());
    if (below(3) == 0) zone.remaps.push_back({below(places), below(places)});
  }
  try {
    (void)geometry::build_layout(design);
    return design;
  } catch (const drive::Fault&) {
    return std::nullopt;
  }
}

TEST(FirmwareGeometry, RandomLayouts_LieWhereTheDefinitionPutsThem) {
  std::mt19937 random(kSeed);
  int tried = 0;
  int regular = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto design = random_layout(random);
    if (!design) continue;
    const geometry::Geometry truth(*design);
    if (truth.capacity() == 0) continue;
    const Both both(*design);
    ASSERT_EQ(drive_design_check(&both.firmware()), STATUS_OK) << "layout " << i;
    ++tried;
    for (std::uint32_t z = 0; z < 2; ++z) {
      if (both.firmware().zones[z].extent_words == DRIVE_DESIGN_REGULAR_WORDS) ++regular;
    }
    expect_all_equal(both);
    ASSERT_FALSE(HasFailure()) << "layout " << i << " of seed " << kSeed;
  }
  EXPECT_GT(tried, 300);
  EXPECT_GT(regular, 100);
}

// A zone without a block lies between two others: it is skipped.
TEST(FirmwareGeometry, ZoneWithoutBlocks_IsSkipped) {
  drive::Design design = test::small_design();
  drive::Zone zone = design.zones[0];
  zone.last_cylinder = 0;
  drive::Zone empty = zone;
  empty.first_cylinder = empty.last_cylinder = 1;
  empty.reserved_sectors = 20;
  drive::Zone last = zone;
  last.first_cylinder = 2;
  last.last_cylinder = 3;
  design.zones = {zone, empty, last};
  const Both both(design);
  for (std::uint32_t lba = 0; lba < both.truth().capacity(); ++lba) both.expect_equal(lba);
}

TEST(Arithmetic, DivisionByReciprocal_EqualsDivisionAtEveryEdge) {
  for (const std::uint32_t d : {1U, 2U, 3U, 7U, 10U, 254U, 255U, 65'535U, 65'536U, 0xFFFF'FFFFU}) {
    const std::uint32_t reciprocal = 0xFFFF'FFFFU / d;
    for (const std::uint64_t multiple : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000},
                                         std::uint64_t{0xFFFF'FFFFU} / d}) {
      for (const std::int64_t off : {-1, 0, 1}) {
        const auto n = static_cast<std::uint32_t>(multiple * d + off);
        EXPECT_EQ(divide_by_reciprocal(n, d, reciprocal), n / d) << n << " / " << d;
      }
    }
  }
}

TEST(Arithmetic, DivisionByReciprocal_EqualsDivisionOnRandomNumbers) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 200'000; ++i) {
    const auto d = static_cast<std::uint32_t>(random() >> (random() % 32)) | 1U;
    const auto n = static_cast<std::uint32_t>(random());
    ASSERT_EQ(divide_by_reciprocal(n, d, 0xFFFF'FFFFU / d), n / d)
        << n << " / " << d << " seed " << kSeed;
  }
}

}  // namespace
}  // namespace headstack
