// SPDX-License-Identifier: Apache-2.0
// What a drive keeps on its media, read without the drive (host/replay/kept_area.hpp). The test
// writes images as the pictures in firmware/transfer/store.h, defect_log.h and remap_area.h show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/replay/kept_area.hpp"
#include "sim/drive/drive_media.hpp"
#include "sim/drive/load.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/media/check_code.hpp"
#include "tests/paths.hpp"

namespace headstack::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kCells = 32;  // cells of the store; the area has room for more
constexpr std::uint32_t kBase = 64;
constexpr std::uint32_t kBaseCopy = 167;
constexpr std::uint32_t kRecords = 1066;
constexpr std::uint32_t kRecordCopy = 64;
constexpr std::uint32_t kFirstBlock = 200;
constexpr std::uint32_t kUnitBlocks = 16;

void put(Bytes& bytes, std::size_t at, std::uint32_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}
void put_be(Bytes& bytes, std::size_t at, std::uint32_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(value >> 8 * (count - 1 - i));
  }
}
void append(Bytes& bytes, std::uint32_t value, unsigned count) {
  bytes.resize(bytes.size() + count);
  put(bytes, bytes.size() - count, value, count);
}

class Kept : public testing::Test {
 protected:
  Kept()
      : description_(
            drive::load(std::string(test::source_root()) + "/tests/power/small.toml").description),
        geometry_(description_.design),
        media_(media::media_geometry_of(description_.design, geometry_)) {}

  /// Writes an image: magic, two 16-bit numbers, sequence, CRC over these and the payload, payload.
  void lay(std::uint32_t sector, const char* magic, std::uint32_t first, std::uint32_t second,
           std::uint32_t sequence, const Bytes& payload, std::size_t covered) {
    Bytes image(512);
    std::copy_n(magic, 4, image.begin());
    put(image, 4, first, 2);
    put(image, 6, second, 2);
    put(image, 8, sequence, 4);
    std::copy(payload.begin(), payload.end(), image.begin() + 16);
    Bytes part(image.begin(), image.begin() + 12);
    part.insert(part.end(), image.begin() + 16,
                image.begin() + 16 + static_cast<std::ptrdiff_t>(covered));
    put(image, 12, media::crc32_ieee(part.data(), part.size()), 4);
    media_.write_formatted(sector, image.data());  // The area begins with the drive's first sector.
  }
  void cell(std::uint32_t number, std::uint32_t copy, std::uint32_t sequence,
            const Bytes& payload) {
    lay(copy * kCells + number, "HSST", number, static_cast<std::uint32_t>(payload.size()),
        sequence, payload, payload.size());
  }
  void base(std::uint32_t copy, std::uint32_t sequence, const std::vector<std::uint32_t>& slots) {
    Bytes head(496);
    put(head, 0, static_cast<std::uint32_t>(slots.size()), 4);
    put_be(head, 4 + 8 - 2, kFirstBlock, 4);  // page 23h, without its first 2 bytes
    put_be(head, 4 + 12 - 2, kUnitBlocks, 2);
    lay(kBase + copy * kBaseCopy, "HSMP", 0, 0, sequence, head, 496);
    Bytes body(496);
    for (std::size_t i = 0; i < slots.size(); ++i) put(body, 2 * i, slots[i], 2);
    lay(kBase + copy * kBaseCopy + 1, "HSMP", 0, 1, sequence, body, 496);
  }
  using Moves = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  void record(std::uint32_t copy, std::uint32_t index, std::uint32_t sequence, const Moves& moves) {
    Bytes payload(496);
    put(payload, 0, static_cast<std::uint32_t>(moves.size()), 2);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      put(payload, 4 + 4 * i, moves[i].first, 2);
      put(payload, 6 + 4 * i, moves[i].second, 2);
    }
    lay(kRecords + copy * kRecordCopy + index, "HSMP", 3, index, sequence, payload, 496);
  }
  void tear(std::uint32_t sector) {
    const Bytes field(516, 0x77);
    ASSERT_EQ(media_.write_part(sector, field.data(), 100, 300), media::WriteStatus::kOk);
  }
  KeptArea read() const { return read_kept_area(description_.design, media_); }

  drive::DriveDescription description_;
  geometry::Geometry geometry_;
  media::MediaStore media_;
};

TEST_F(Kept, ANewDrive_HasNothing) {
  const KeptArea kept = read();
  EXPECT_THAT(kept.faults, IsEmpty());
  EXPECT_THAT(kept.moved, IsEmpty());
  EXPECT_THAT(kept.location, IsEmpty());
  EXPECT_FALSE(kept.is_formatting);
}

Bytes state(std::uint32_t age, std::uint32_t flags) {
  Bytes payload;
  append(payload, age, 4);
  append(payload, flags, 4);
  return payload;
}
Bytes log(std::uint32_t age, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& entries) {
  Bytes payload;
  append(payload, age, 4);
  for (const auto& [block, sector] : entries) {
    append(payload, block, 4);
    append(payload, sector, 4);
  }
  return payload;
}

TEST_F(Kept, TheNewerCopyOfACellCounts) {
  for (const std::uint32_t newer : {0U, 1U}) {
    cell(1, newer, 8, state(3, 1));
    cell(1, 1 - newer, 7, state(3, 0));
    EXPECT_TRUE(read().is_formatting);
    EXPECT_EQ(read().open_cells, 1U);
    tear(newer * kCells + 1);
    EXPECT_FALSE(read().is_formatting) << "the older one is what there is";
    EXPECT_THAT(read().faults, IsEmpty());
    tear((1 - newer) * kCells + 1);
    EXPECT_THAT(read().faults, ElementsAre("cell 1 of the store has no good copy"));
  }
}

TEST_F(Kept, ACellTornAsItWasFirstWritten_IsNoFault) {
  tear(1);
  EXPECT_THAT(read().faults, IsEmpty());
}

TEST_F(Kept, CopiesOfACell_AreOneSequenceApart_OrEqual) {
  cell(0, 0, 5, {1, 2, 3});
  cell(0, 1, 5, {1, 2, 3});
  EXPECT_THAT(read().faults, IsEmpty());
  EXPECT_EQ(read().open_cells, 0U);
  cell(0, 1, 5, {1, 2, 4});
  EXPECT_THAT(read().faults, ElementsAre("copies of cell 0 have sequence 5, and differ"));
  cell(0, 1, 7, {1, 2, 4});
  EXPECT_THAT(read().faults, ElementsAre("copies of cell 0 have sequences 5 and 7"));
}

TEST_F(Kept, LogCellsOfTheStatesAge_SayWhereBlocksLie) {
  cell(1, 0, 1, state(2, 0));
  cell(2, 0, 1, log(2, {{10, 2430}, {0xFFFFFFFF, 2431}, {11, 2432}, {10, 2433}}));
  cell(3, 1, 1, log(2, {{12, 2434}}));
  cell(4, 0, 1, log(1, {{13, 2435}}));  // a cell of an older log
  cell(5, 0, 1, log(2, {{14, 2436}}));  // after a gap
  EXPECT_THAT(read().moved, UnorderedElementsAre(Pair(10, 2433), Pair(11, 2432), Pair(12, 2434)));
}

TEST_F(Kept, TheBaseAndItsRecords_SayWhereUnitsLie) {
  base(0, 4, {0, 1, 2, 3});
  base(1, 5, {1, 0, 2, 3});
  record(0, 0, 5, {{2, 4}, {3, 2}});
  record(1, 0, 5, {{2, 4}, {3, 2}});
  record(1, 1, 5, {{2, 3}});
  record(0, 2, 4, {{0, 9}});  // a record of the previous base
  const KeptArea kept = read();
  EXPECT_THAT(kept.faults, IsEmpty());
  EXPECT_EQ(kept.first_block, kFirstBlock);
  EXPECT_EQ(kept.unit_blocks, kUnitBlocks);
  EXPECT_THAT(kept.location, ElementsAre(1, 0, 3, 2));
  EXPECT_EQ(kept.open_records, 1U);
  tear(kBase + kBaseCopy + 1);
  EXPECT_THAT(read().location, ElementsAre(0, 1, 2, 3)) << "the older base without its records";
  tear(kBase);
  EXPECT_THAT(read().faults, ElementsAre("no copy of the map's base is whole"));
}

TEST_F(Kept, WhatDoesNotHoldOfAMap_IsTold) {
  base(0, 5, {0, 1, 2, 3});
  EXPECT_THAT(read().faults, IsEmpty());
  record(0, 1, 5, {{1, 4}});
  EXPECT_THAT(read().faults, ElementsAre("a record of moves before 1 is lost"));
  record(0, 0, 5, {{0, 4}});
  EXPECT_THAT(read().faults, ElementsAre(HasSubstr("unit 1 lies in slot 4, which is another's")));
  record(1, 0, 5, {{0, 5}});
  EXPECT_THAT(read().faults, testing::Contains("copies of record 0 of the moves differ"));
  base(1, 5, {1, 0, 2, 3});
  EXPECT_THAT(read().faults,
              testing::Contains("copies of the map's base have one sequence, and differ"));
}

}  // namespace
}  // namespace headstack::replay
