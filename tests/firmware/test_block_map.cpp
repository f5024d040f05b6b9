// SPDX-License-Identifier: Apache-2.0
// The map of blocks keeps the place of the last block looked up. A new search finds the same place,
// whatever has moved since.
#include <gtest/gtest.h>

#include <random>

#include "firmware/motion/block_map.h"
#include "tests/firmware/support.hpp"

namespace headstack {
namespace {

constexpr std::uint32_t kSeed = 2711;
constexpr std::uint32_t kUnitBlocks = 4;

void expect_same(const ::place& kept, const ::place& found) {
  EXPECT_EQ(kept.cylinder, found.cylinder);
  EXPECT_EQ(kept.head, found.head);
  EXPECT_EQ(kept.sector, found.sector);
  EXPECT_EQ(kept.zone, found.zone);
  EXPECT_EQ(kept.mark, found.mark);
  EXPECT_EQ(kept.contiguous_blocks, found.contiguous_blocks);
  EXPECT_EQ(kept.angle_turn32, found.angle_turn32);
}

class BlockMap : public testing::Test {
 protected:
  BlockMap() {
    defect_list_init(&defects_, table_.get());
    block_map_init(map_.get(), &defects_);
    send_home(0, units());
  }

  static drive::Design design() {
    drive::Design design = test::small_design();
    design.sparing.location = drive::SpareLocation::kTrackEnd;
    design.zones[0].spares = 2;
    return design;
  }

  void send_home(std::uint32_t first_block, std::uint32_t units) {
    block_map_begin(map_.get(), first_block, kUnitBlocks, units);
    for (std::uint32_t unit = 0; unit < units; ++unit) block_map_set(map_.get(), unit, unit);
  }
  std::uint32_t blocks() const { return table_->capacity_blocks; }
  std::uint32_t units() const { return blocks() / kUnitBlocks; }
  std::uint32_t pick(std::uint32_t count) {
    return std::uniform_int_distribution<std::uint32_t>(0, count - 1)(random_);
  }

  /// Swaps the slots of two units, as a map's goal does.
  void swap_units() {
    const std::uint32_t a = pick(map_->units);
    const std::uint32_t b = pick(map_->units);
    const std::uint32_t slot = map_->location[a];
    block_map_move(map_.get(), a, map_->location[b]);
    block_map_move(map_.get(), b, slot);
  }

  void move_block(std::uint32_t lba) {
    std::uint32_t spare = 0;
    if (defect_list_find_spare(&defects_, lba, &spare) != STATUS_OK) return;
    if (pick(4) == 0) {
      defect_list_reject(&defects_, spare);
    } else {
      defect_list_move(&defects_, lba, spare);
    }
  }

  /// Changes where blocks lie in one of the possible ways, most often for `lba`.
  void change(std::uint32_t lba) {
    switch (pick(6)) {
      case 0: return swap_units();
      case 1: return move_block(pick(2) == 0 ? lba : pick(blocks()));
      case 2:
        if (pick(8) == 0) send_home(pick(3), units() - 1);
        return;
      case 3:
        if (pick(8) == 0) defect_list_clear(&defects_);
        return;
      default: return;
    }
  }

  std::mt19937 random_{kSeed};
  const std::unique_ptr<::drive_design> table_ = test::firmware_design(design());
  ::defect_list defects_{};
  const std::unique_ptr<::block_map> map_ = std::make_unique<::block_map>();
};

TEST_F(BlockMap, RecalledBlock_IsAtThePlaceOfANewSearch_AfterAnyMove) {
  std::uint32_t moved = 0;
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const std::uint32_t lba = pick(blocks());
    const ::place before = *block_map_look_up(map_.get(), lba);
    change(lba);
    const std::uint32_t asked = pick(4) == 0 ? pick(blocks()) : lba;
    ::place kept{};
    ::place found{};
    ASSERT_EQ(block_map_recall(map_.get(), asked, &kept), STATUS_OK);
    ASSERT_EQ(block_map_locate(map_.get(), asked, &found), STATUS_OK);
    expect_same(kept, found);
    if (asked == lba && before.sector != found.sector) ++moved;
    ASSERT_FALSE(HasFailure()) << "step " << step << ", block " << asked;
  }
  EXPECT_GT(moved, 100U) << "the block looked up itself has moved that often";
}

// Commands arrive between the plan and the movement, and their blocks are looked up. The planned
// block's place is still correct, whatever has moved since.
TEST_F(BlockMap, PlannedBlock_IsKept_DuringAnyLookUps) {
  std::uint32_t moved = 0;
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const std::uint32_t lba = pick(blocks());
    if (pick(3) == 0) (void)block_map_look_up(map_.get(), lba);
    block_map_expect(map_.get(), lba);
    const ::place before = map_->planned.place;
    const std::uint32_t arrivals = pick(4);
    for (std::uint32_t i = 0; i < arrivals; ++i) {
      (void)block_map_look_up(map_.get(), pick(blocks()));
    }
    if (pick(2) == 0) change(lba);
    ::place kept{};
    ::place found{};
    ASSERT_EQ(block_map_recall(map_.get(), lba, &kept), STATUS_OK);
    ASSERT_EQ(block_map_locate(map_.get(), lba, &found), STATUS_OK);
    expect_same(kept, found);
    if (before.sector != found.sector) ++moved;
    ASSERT_FALSE(HasFailure()) << "step " << step << ", block " << lba;
  }
  EXPECT_GT(moved, 100U) << "the planned block itself has moved that often";
}

// A planned place that was also looked up last is not searched for again.
TEST_F(BlockMap, PlannedBlock_IsTakenFromTheLastLookUp_AndStays) {
  const std::uint32_t lba = blocks() / 2;
  (void)block_map_look_up(map_.get(), lba);
  map_->last.place.angle_turn32 ^= 1U;  // a mark that no search would give
  block_map_expect(map_.get(), lba);
  (void)block_map_look_up(map_.get(), lba + 1);
  ::place kept{};
  ::place found{};
  ASSERT_EQ(block_map_recall(map_.get(), lba, &kept), STATUS_OK);
  ASSERT_EQ(block_map_locate(map_.get(), lba, &found), STATUS_OK);
  EXPECT_EQ(kept.angle_turn32, found.angle_turn32 ^ 1U);
  block_map_expect(map_.get(), lba);
  ASSERT_EQ(block_map_recall(map_.get(), lba, &kept), STATUS_OK);
  EXPECT_EQ(kept.angle_turn32, found.angle_turn32 ^ 1U);
}

TEST_F(BlockMap, BlockThatDoesNotExist_IsNotRecalled) {
  ::place at{};
  EXPECT_EQ(block_map_recall(map_.get(), blocks(), &at), STATUS_LBA_RANGE);
  EXPECT_EQ(block_map_recall(map_.get(), GEOMETRY_NONE, &at), STATUS_LBA_RANGE);
}

}  // namespace
}  // namespace headstack
