// SPDX-License-Identifier: Apache-2.0
// Geometry: angles wrap exactly, places and blocks are inverse, divisions are exact.
#include <gtest/gtest.h>

#include <random>

#include "sim/geometry/geometry.hpp"
#include "tests/support.hpp"

namespace headstack::geometry {
namespace {

Geometry small() { return Geometry(test::small_design()); }

TEST(Divider, EqualsDivisionAtEveryEdge) {
  for (const std::uint32_t d : {1U, 2U, 3U, 7U, 10U, 254U, 65'535U, 65'536U, 0xFFFF'FFFFU}) {
    const Divider divider(d);
    for (const std::uint64_t multiple : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000},
                                         std::uint64_t{0xFFFF'FFFFU} / d}) {
      for (const std::int64_t off : {-1, 0, 1}) {
        const auto n = static_cast<std::uint32_t>(multiple * d + off);
        EXPECT_EQ(divider.quotient(n), n / d) << n << " / " << d;
        EXPECT_EQ(divider.remainder(n), n % d) << n << " % " << d;
      }
    }
  }
}

TEST(Divider, EqualsDivisionOnRandomNumbers) {
  constexpr std::uint32_t kSeed = 20261121;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 200'000; ++i) {
    const auto d = static_cast<std::uint32_t>(random() >> (random() % 32)) | 1U;
    const auto n = static_cast<std::uint32_t>(random());
    ASSERT_EQ(Divider(d).quotient(n), n / d) << n << " / " << d << " seed " << kSeed;
  }
}

// 2^32 / S is whole only for powers of two: the marks are floors, and still meet exactly.
TEST(Angle, MarksAreFloorsOfExactFractions) {
  for (const std::uint32_t s : {1U, 2U, 3U, 10U, 67U, 254U, 334U, 1000U, 65'535U}) {
    drive::Design design = test::small_design();
    design.zones[0].sectors_per_track = s;
    const Geometry geometry(design);
    for (std::uint32_t i = 0; i < s; i += 1 + s / 997) {
      const auto expected = static_cast<Turn32>((std::uint64_t{i} << 32) / s);
      ASSERT_EQ(geometry.zones()[0].mark_angle(i), expected) << i << " of " << s;
    }
    EXPECT_EQ(geometry.zones()[0].mark_angle(s), 0U) << "mark S is a whole turn";
  }
}

TEST(Angle, AdjacentSectors_AreExactlyZeroApart) {
  const Geometry geometry = small();
  const ZoneGrid& zone = geometry.zones()[0];
  for (std::uint32_t s = 0; s + 1 < 10; ++s) {
    const Placement at = geometry.locate(s);
    const auto end = static_cast<Turn32>(at.angle + zone.swept(at.mark, 1));
    EXPECT_EQ(distance_turn32(end, geometry.locate(s + 1).angle), 0U) << s;
  }
}

TEST(Angle, LastToFirstSector_WrapsToZero) {
  const Geometry geometry = small();
  const Placement last = geometry.locate(9);
  const auto end = static_cast<Turn32>(last.angle + geometry.zones()[0].swept(last.mark, 1));
  EXPECT_EQ(end, 0U);
  EXPECT_EQ(distance_turn32(end, geometry.locate(0).angle), 0U);
}

TEST(Angle, DistanceToItself_IsZero_AndJustBehindIsAlmostATurn) {
  EXPECT_EQ(distance_turn32(5, 5), 0U);
  EXPECT_EQ(distance_turn32(5, 4), 0xFFFF'FFFFU);
  EXPECT_EQ(distance_turn32(0xFFFF'FFFFU, 0), 1U);
}

TEST(Angle, AWholeTrack_SweepsExactlyOneTurnFromAnyMark) {
  const Geometry geometry(test::shipped("eagle").design);
  for (std::uint32_t mark = 0; mark < 67; ++mark) {
    EXPECT_EQ(geometry.zones()[0].swept(mark, 67), std::uint64_t{1} << 32);
  }
}

// The layout formula of geometry.hpp, with numbers small enough to do by hand.
TEST(Angle, SkewsAndOffset_ShiftTheTrack) {
  drive::Design design = test::small_design();
  design.zones[0].track_skew = 3;
  design.zones[0].cylinder_skew = 4;
  design.zones[0].first_sector_offset = 2;
  const Geometry geometry(design);
  EXPECT_EQ(geometry.locate(0).mark, 2U);   // cylinder 0, head 0: offset
  EXPECT_EQ(geometry.locate(10).mark, 5U);  // head 1: + track skew 3
  EXPECT_EQ(geometry.locate(20).mark, 9U);  // cylinder 1: 2 + (4 + 3) = 9
  EXPECT_EQ(geometry.locate(30).mark, 2U);  // its head 1: 9 + 3 = 12 mod 10
  EXPECT_EQ(geometry.locate(29).mark, 8U);  // sector 9 of cylinder 1: 9 + 9 mod 10
}

TEST(Mapping, Serpentine_DescendsOnOddCylindersOfTheZone) {
  drive::Design design = test::small_design();
  design.mapping = drive::Mapping::kSerpentine;
  design.zones[0].track_skew = 1;
  const Geometry geometry(design);
  EXPECT_EQ(geometry.locate(19).chs(), (Chs{0, 1, 9}));
  EXPECT_EQ(geometry.locate(20).chs(), (Chs{1, 1, 0}));  // stays on head 1
  EXPECT_EQ(geometry.locate(30).chs(), (Chs{1, 0, 0}));
  EXPECT_EQ(geometry.locate(40).chs(), (Chs{2, 0, 0}));  // and on head 0
  // The skew follows the order of traversal, not the head's number.
  EXPECT_EQ(geometry.locate(30).mark, geometry.locate(20).mark + 1);
}

TEST(Mapping, SerpentineAbsolute_CountsCylindersOfTheDrive) {
  drive::Design design = test::small_design();
  design.zones[0].last_cylinder = 0;
  drive::Zone second = design.zones[0];
  second.first_cylinder = 1;
  second.last_cylinder = 3;
  design.zones.push_back(second);
  design.mapping = drive::Mapping::kSerpentineAbsolute;
  EXPECT_EQ(Geometry(design).locate(20).chs(), (Chs{1, 1, 0}));  // cylinder 1 is odd: descends
  design.mapping = drive::Mapping::kSerpentine;
  EXPECT_EQ(Geometry(design).locate(20).chs(), (Chs{1, 0, 0}));  // first of its zone: ascends
}

TEST(Place, ContiguousRun_EndsAtTheTracksEnd) {
  const Geometry geometry = small();
  EXPECT_EQ(geometry.locate(0).contiguous, 10U);
  EXPECT_EQ(geometry.locate(9).contiguous, 1U);
  EXPECT_EQ(geometry.locate(10).contiguous, 10U);
}

TEST(Place, OutsideTheDrive_HoldsNoSector) {
  const Geometry geometry = small();
  EXPECT_EQ(geometry.content({3, 1, 9}).use, SectorUse::kBlock);
  EXPECT_EQ(geometry.content({3, 1, 10}).use, SectorUse::kNoSector);
  EXPECT_EQ(geometry.content({3, 2, 9}).use, SectorUse::kNoSector);
  EXPECT_EQ(geometry.content({4, 0, 0}).use, SectorUse::kNoSector);
}

TEST(Place, ReservedCylinder_HoldsNoSector) {
  const Geometry geometry(test::shipped("cheetah_9lp").design);
  EXPECT_EQ(geometry.content({846, 0, 0}).use, SectorUse::kBlock);
  EXPECT_EQ(geometry.content({847, 0, 0}).use, SectorUse::kNoSector);
  EXPECT_EQ(geometry.content({848, 0, 0}).use, SectorUse::kBlock);
  EXPECT_FALSE(geometry.zone_of(847).has_value());
}

TEST(Place, SectorIndex_IsDenseInTraversalOrder) {
  drive::Design design = test::small_design();
  design.mapping = drive::Mapping::kSerpentine;
  const Geometry geometry(design);
  ASSERT_EQ(geometry.sector_count(), 80U);
  for (std::uint64_t i = 0; i < 80; ++i) {
    EXPECT_EQ(geometry.sector_index(geometry.sector_at(i)), i);
    EXPECT_EQ(geometry.sector_at(i), geometry.locate(i).chs());  // no spares: the same order
  }
}

TEST(Place, LocatingPastTheEnd_IsABug) {
  const Geometry geometry = small();
  EXPECT_DEATH(static_cast<void>(geometry.locate(80)), "capacity");
}

}  // namespace
}  // namespace headstack::geometry
