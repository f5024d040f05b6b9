// SPDX-License-Identifier: Apache-2.0
// The generator of the firmware's design table: its input, its byte image, its limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "firmware/kernel/bytes.h"
#include "sim/description/fault.hpp"
#include "tests/firmware/support.hpp"

namespace headstack {
namespace {

TEST(FirmwareDesign, Facts_AreThoseOfTheDescription) {
  const drive::DriveDescription eagle = test::shipped("eagle");
  const auto table = test::firmware_design(eagle.design, "Eagle");
  EXPECT_EQ(table->capacity_blocks, 840U * 20 * 67);
  EXPECT_EQ(table->sector_bytes, 512U);
  EXPECT_EQ(table->rpm, 3600U);
  EXPECT_EQ(table->raw_sector_bytes, 12U + 2 + 8 + 512 + 4 + 22);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(table->product), 16), "Eagle           ");
  EXPECT_EQ(table->scsi_version, 7U) << "if not given";
  EXPECT_EQ(table->defect_descriptors, 0U);
  EXPECT_EQ(test::firmware_design(test::shipped("cheetah_9lp").design)->scsi_version, 2U) << "1997";
}

// READ DEFECT DATA has an entry for each whole track, and one for each other sector (SCSI-2
// 9.2.1.1). Tracks have 20 sectors.
TEST(FirmwareDesign, DefectDescriptors_CountWholeTracksAsOne) {
  const auto entries = [](std::uint32_t first, std::uint32_t count) {
    drive::Design design = test::small_design();
    design.zones.resize(1);
    design.zones[0].sectors_per_track = 20;
    design.sparing.location = drive::SpareLocation::kZoneEnd;
    design.zones[0].spares = 100;
    for (std::uint32_t i = 0; i < count; ++i) design.zones[0].slips.push_back(first + i);
    return test::firmware_design(design)->defect_descriptors;
  };
  EXPECT_EQ(entries(0, 1), 1U);
  EXPECT_EQ(entries(0, 19), 19U);
  EXPECT_EQ(entries(0, 20), 1U);
  EXPECT_EQ(entries(0, 21), 2U);
  EXPECT_EQ(entries(19, 20), 20U) << "no whole track";
  EXPECT_EQ(entries(19, 21), 2U);
  EXPECT_EQ(entries(19, 22), 3U);
  EXPECT_EQ(entries(25, 60), 15U + 2 + 5);
}

// The Eagle's formula: 4.6 + 0.87 sqrt(x) ms up to 239 cylinders, 18 + 0.028 (x - 239) beyond. A
// part is 25 ns / 512.
TEST(FirmwareDesign, SeekTimes_AreTheCurveRoundedDown) {
  const auto table = test::firmware_design(test::shipped("eagle").design);
  const std::uint32_t* seek = &table->pool[table->seek_table];
  EXPECT_EQ(seek[0], 0U);
  EXPECT_EQ(seek[100], static_cast<std::uint32_t>(13'300'000 / 25 * 512));  // 4.6 + 8.7 ms, in ns
  EXPECT_EQ(seek[339], static_cast<std::uint32_t>(20'800'000 / 25 * 512));  // 18 + 2.8 ms
  EXPECT_LT(seek[240], seek[239]);  // the formula itself goes down here
}

// 3600 rpm is 60 turns a second, each 2^32; a second has 40,000,000 ticks.
TEST(FirmwareDesign, Speed_IsThePublishedOne) {
  const auto table = test::firmware_design(test::shipped("eagle").design);
  const double speed = table->turn32_per_tick_high + table->turn32_per_tick_low / 4294967296.0;
  EXPECT_NEAR(speed, 60.0 * 4294967296.0 / 40e6, 1e-6);
}

TEST(FirmwareDesign, Image_IsTheTablesWordsLowByteFirst) {
  const auto table = test::firmware_design(test::shipped("cheetah_4lp").design, "CHEETAH");
  const std::vector<std::uint8_t> image = drive::firmware_design_image(*table);
  ASSERT_EQ(image.size(), offsetof(::drive_design, pool) + 4 * std::size_t{table->pool_words});
  EXPECT_EQ(bytes_get_le32(&image[0]), DRIVE_DESIGN_MAGIC);
  EXPECT_EQ(std::memcmp(&image[offsetof(::drive_design, product)], "CHEETAH         ", 16), 0);
  EXPECT_EQ(bytes_get_le32(&image[offsetof(::drive_design, capacity_blocks)]),
            table->capacity_blocks);
  EXPECT_EQ(bytes_get_le32(&image[image.size() - 4]), table->pool[table->pool_words - 1]);
}

// Times round down, towards earlier; a settling time below 0 counts as none (head_stack.hpp).
TEST(FirmwareDesign, NegativeSettling_IsNone) {
  drive::Design design = test::small_design();
  design.write_settle_ms = -0.000'001;  // 1 ns is 20.48 parts
  EXPECT_EQ(test::firmware_design(design)->write_settle_part, 0);
  design.write_settle_ms = 0.000'001;
  EXPECT_EQ(test::firmware_design(design)->write_settle_part, 20);
}

TEST(FirmwareDesign, WriteOffset_RoundsDown) {
  drive::Design design = test::small_design();
  EXPECT_EQ(test::firmware_design(design)->write_offset_part, 0);
  design.write_offset_ms = 0.000'001;
  EXPECT_EQ(test::firmware_design(design)->write_offset_part, 20);
}

std::string key_of_fault(const drive::Design& design) {
  try {
    test::firmware_design(design);
  } catch (const drive::Fault& fault) {
    return fault.key;
  }
  return "";
}

TEST(FirmwareDesign, Zones_AHundredAndTwentyEightFitAndOneMoreDoesNot) {
  drive::Design design = test::small_design();
  const drive::Zone zone = design.zones[0];
  design.cylinders = 129;
  design.zones.clear();
  for (std::uint32_t i = 0; i < 128; ++i) {
    design.zones.push_back(zone);
    design.zones.back().first_cylinder = design.zones.back().last_cylinder = i;
  }
  EXPECT_EQ(key_of_fault(design), "");
  design.zones.push_back(zone);
  design.zones.back().first_cylinder = design.zones.back().last_cylinder = 128;
  EXPECT_EQ(key_of_fault(design), "design.zones");
}

// No seek between two cylinders is shorter than the floor for the distance of their bands. Some
// seek of at least that distance is as short. Both hold where a curve dips, as the Eagle's at 240.
TEST(FirmwareDesign, SeekFloors_AreTheLeastFromThereOn) {
  for (const char* drive : {"eagle", "cheetah_9lp"}) {
    const auto table = test::firmware_design(test::shipped(drive).design);
    const std::uint32_t* seek = &table->pool[table->seek_table];
    const std::uint32_t* floor = &table->pool[table->seek_floor_table];
    const std::uint32_t last = (table->cylinders - 1) >> table->band_shift;
    EXPECT_LT(last, DRIVE_DESIGN_BANDS_MAX);
    EXPECT_EQ(floor[0], 0U);
    for (std::uint32_t band = 1; band <= last; ++band) {
      const std::uint32_t nearest = ((band - 1) << table->band_shift) + 1;
      EXPECT_EQ(floor[band], *std::min_element(seek + nearest, seek + table->cylinders)) << band;
    }
  }
}

// The pool holds the seek times, a word for each 256 of them and two words for the one extent.
TEST(FirmwareDesign, Pool_FitsToTheLastWord) {
  drive::Design design = test::small_design();
  design.cylinders = 56'353;
  ASSERT_EQ(56'353 + 221 + 2, DRIVE_DESIGN_POOL_WORDS);
  design.zones[0].last_cylinder = design.cylinders - 1;
  EXPECT_EQ(test::firmware_design(design)->pool_words, DRIVE_DESIGN_POOL_WORDS);
  EXPECT_EQ(key_of_fault(design), "");
  ++design.cylinders;
  EXPECT_EQ(key_of_fault(design), "design");
}

// 2^32 blocks: 1,048,576 tracks of 4,096; one sector less fits.
TEST(FirmwareDesign, Capacity_OfTwoToThe32IsRefused) {
  drive::Design design = test::small_design();
  design.cylinders = 8192;
  design.heads = 128;
  design.zones[0].last_cylinder = 8191;
  design.zones[0].sectors_per_track = 4096;
  design.zones[0].reserved_sectors = 1;
  EXPECT_EQ(key_of_fault(design).substr(0, 12), "design.zones");  // the zone itself is too large
  design.zones[0].last_cylinder = 8190;
  EXPECT_EQ(key_of_fault(design), "");
}

// 3 * 2^29 parts of 25 ns / 512 are 78.64 ms.
TEST(FirmwareDesign, LongSeek_IsRefusedByItsKey) {
  drive::Design design = test::small_design();
  design.seek.pieces[0].constant_ms = 78.6;
  EXPECT_EQ(key_of_fault(design), "");
  design.seek.pieces[0].constant_ms = 78.7;
  EXPECT_EQ(key_of_fault(design), "design.seek");
}

TEST(FirmwareDesign, DamagedTable_FailsTheFirmwaresCheck) {
  auto table = test::firmware_design(test::small_design());
  ASSERT_EQ(drive_design_check(table.get()), STATUS_OK);
  const auto spoiled = [&](std::uint32_t(::drive_design::*field), std::uint32_t value) {
    ::drive_design copy = *table;
    copy.*field = value;
    return drive_design_check(&copy);
  };
  EXPECT_EQ(spoiled(&::drive_design::magic, 0), STATUS_BAD_VALUE);
  EXPECT_EQ(spoiled(&::drive_design::zone_count, 0), STATUS_BAD_VALUE);
  EXPECT_EQ(spoiled(&::drive_design::zone_count, DRIVE_DESIGN_ZONES_MAX + 1), STATUS_BAD_VALUE);
  EXPECT_EQ(spoiled(&::drive_design::cylinders, 65'535), STATUS_BAD_VALUE);  // no seek times
  EXPECT_EQ(spoiled(&::drive_design::pool_words, DRIVE_DESIGN_POOL_WORDS + 1), STATUS_BAD_VALUE);
  EXPECT_EQ(spoiled(&::drive_design::heads, 256), STATUS_BAD_VALUE);
  EXPECT_EQ(spoiled(&::drive_design::scsi_version, 2), STATUS_OK);
  for (const std::uint32_t version : {0U, 1U, 3U, 6U, 8U}) {
    EXPECT_EQ(spoiled(&::drive_design::scsi_version, version), STATUS_BAD_VALUE) << version;
  }
  for (const std::uint32_t words : {0U, 1U, 3U, 5U, 7U}) {
    ::drive_design copy = *table;
    copy.zones[0].extent_words = words;
    EXPECT_EQ(drive_design_check(&copy), STATUS_BAD_VALUE) << words;
  }
  ::drive_design copy = *table;
  copy.zones[0].extent_count = copy.pool_words;
  EXPECT_EQ(drive_design_check(&copy), STATUS_BAD_VALUE);
}

}  // namespace
}  // namespace headstack
