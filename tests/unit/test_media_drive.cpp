// SPDX-License-Identifier: Apache-2.0
// The media of a described drive: sizes and flaws are those of the description.
#include <gtest/gtest.h>

#include "sim/drive/drive_media.hpp"
#include "sim/drive/load.hpp"
#include "sim/drive/schema.hpp"
#include "sim/media/media_store.hpp"
#include "tests/support.hpp"

namespace headstack::media {
namespace {

TEST(DriveMedia, HoldsEverySector_SparesIncluded) {
  const drive::Design design = test::shipped("hp_c3323a").design;
  const geometry::Geometry geometry(design);
  const MediaGeometry media = media_geometry_of(design, geometry);
  EXPECT_EQ(media.sector_count, geometry.sector_count());
  EXPECT_GT(media.sector_count, geometry.capacity());
  EXPECT_EQ(media.sector_bytes, 512U);
}

TEST(DriveMedia, AnotherLayout_HasAnotherSignature) {
  drive::Design design = test::small_design();
  const auto signature = [&design] {
    return media_geometry_of(design, geometry::Geometry(design)).layout_signature;
  };
  const std::uint64_t before = signature();
  EXPECT_EQ(signature(), before);
  design.zones[0].track_skew = 3;  // turns the platter, and moves no sector to another index
  EXPECT_EQ(signature(), before);
  design.mapping = drive::Mapping::kSerpentine;
  EXPECT_NE(signature(), before);
}

TEST(DriveMedia, ListedFlaw_IsOnTheBlocksSector) {
  drive::DriveDescription drive;
  drive.design = test::small_design();
  drive.design.sparing.location = drive::SpareLocation::kZoneEnd;
  drive.design.zones[0].spares = 2;
  drive.design.zones[0].slips = {5};
  drive.specimen.flaws = {{FlawKind::kUnreadable, 7, 0}};
  const geometry::Geometry geometry(drive.design);
  MediaStore store(media_geometry_of(drive.design, geometry));
  store.inject(flaw_spec_of(drive.specimen, geometry));
  std::vector<std::uint8_t> data(512);
  std::vector<std::uint8_t> check(4);
  // Block 7 lies one position later, because of the slip.
  EXPECT_EQ(store.read(8, data.data(), check.data()), ReadStatus::kDamaged);
  EXPECT_EQ(store.read(7, data.data(), check.data()), ReadStatus::kOk);
}

TEST(DriveMedia, FlawKinds_AreSpeltTheSameInFilesAndReports) {
  for (const auto& choice : drive::kFlawKinds) {
    EXPECT_EQ(choice.name, flaw_kind_name(choice.value));
  }
}

TEST(DriveMedia, BadSpecimen_IsAFaultOfTheDescription) {
  drive::DriveDescription drive;
  drive.name = "d";
  drive.design = test::small_design();
  drive.specimen.flaws = {{FlawKind::kUnreadable, 80, 0}};
  EXPECT_THROW(drive::check(drive), drive::Fault);
  drive.specimen.flaws = {{FlawKind::kCorrectable, 79, 0}};
  EXPECT_THROW(drive::check(drive), drive::Fault);
  drive.specimen.flaws = {{FlawKind::kCorrectable, 79, 2}};
  EXPECT_NO_THROW(drive::check(drive));
  drive.specimen.unreadable_sectors = 81;
  EXPECT_THROW(drive::check(drive), drive::Fault);
}

}  // namespace
}  // namespace headstack::media
