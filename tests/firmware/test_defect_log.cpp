// SPDX-License-Identifier: Apache-2.0
// The defect log (firmware/transfer/defect_log.h), against a small model: a map from blocks to the
// sectors that they moved to, and a set of bad spares. Whenever power fails, the list that is read
// back is the model's, before the last change or after it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "firmware/transfer/defect_log.h"

namespace headstack {
namespace {

constexpr std::uint32_t kSectorBytes = 512;
constexpr std::uint32_t kWhole = 2 * kSectorBytes;
constexpr std::uint32_t kCells = 6;            // of which the log has four
constexpr std::uint32_t kEntriesOfACell = 61;  // (512 - 16 - 4) / 8
constexpr std::uint32_t kCapacityBlocks = 100'000;

struct Model {
  std::map<std::uint32_t, std::uint32_t> moved;
  std::set<std::uint32_t> bad;
  bool operator==(const Model& other) const { return moved == other.moved && bad == other.bad; }
};

/// Data that survive a loss of power.
struct Area {
  std::vector<std::vector<std::uint8_t>> sectors{2 * kCells,
                                                 std::vector<std::uint8_t>(kSectorBytes)};
  std::vector<bool> readable = std::vector<bool>(2 * kCells, true);
};

/// Data that a loss of power ends.
class Ram {
 public:
  explicit Ram(Area& area) : area_(area) {
    static const auto design = [] {
      auto table = std::make_unique<::drive_design>();
      table->sector_bytes = kSectorBytes;
      table->store_sectors = 2 * kCells;
      table->capacity_blocks = kCapacityBlocks;
      return table;
    }();
    store_init(store_.get(), design.get());
    defect_log_init(log_.get(), store_.get());
    defect_list_init(list_.get(), design.get());
    defect_list_limit(list_.get(), defect_log_capacity(log_.get()));
    for (std::uint32_t i = 0; i < 2 * kCells; ++i) {
      if (read(i)) store_show(store_.get(), i);
    }
    for (std::uint32_t cell = STORE_CELL_STATE; cell < kCells; ++cell) load(cell);
  }

  ::defect_log* log() { return log_.get(); }

  Model list() const {
    Model model;
    for (std::uint32_t i = 0; i < list_->count; ++i) {
      const ::grown_defect& entry = list_->entry[i];
      if (i < list_->moved) {
        model.moved[entry.lba] = entry.spare;
      } else {
        model.bad.insert(entry.spare);
      }
    }
    return model;
  }

  void reject(std::uint32_t spare) {
    defect_list_reject(list_.get(), spare);
    defect_log_reject(log_.get(), spare);
  }

  /// Moves a block with power for `power` bytes. @return whether both copies were written.
  bool move(std::uint32_t lba, std::uint32_t spare, std::uint32_t power = kWhole) {
    const std::uint32_t cell = defect_log_compose_move(log_.get(), lba, spare);
    if (!write(cell, power, [&] { defect_log_take_move(log_.get(), cell); })) return false;
    defect_list_move(list_.get(), lba, spare);
    return true;
  }

  void save(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t cell = first; cell < end; ++cell) {
      defect_log_compose(log_.get(), list_.get(), cell);
      write(cell, kWhole, [] {});
    }
  }
  void save_list() { save(STORE_CELL_LOG, defect_log_end_cell(log_.get(), list_.get())); }
  void clear_list() { defect_list_clear(list_.get()); }

 private:
  bool read(std::uint32_t index) {
    std::copy_n(area_.sectors[index].begin(), kSectorBytes, store_->image);
    return area_.readable[index];
  }

  void load(std::uint32_t cell) {
    if (!store_has(store_.get(), cell)) return;
    read(store_index(store_.get(), cell, store_good_copy(store_.get(), cell)));
    std::uint32_t bytes = 0;
    const std::uint8_t* payload = store_payload(store_.get(), cell, &bytes);
    ASSERT_NE(payload, nullptr);
    defect_log_load(log_.get(), list_.get(), cell, payload, bytes);
  }

  template <typename Take>
  bool write(std::uint32_t cell, std::uint32_t power, const Take& take) {
    std::uint32_t copy = store_first_copy(store_.get(), cell);
    for (const bool is_first : {true, false}) {
      store_begin(store_.get(), cell, copy);
      const std::uint32_t bytes = std::min(power, kSectorBytes);
      const std::uint32_t index = store_index(store_.get(), cell, copy);
      std::copy_n(store_->image, bytes, area_.sectors[index].begin());
      if (bytes > 0) area_.readable[index] = bytes == kSectorBytes;
      power -= bytes;
      if (bytes < kSectorBytes) return false;
      store_end(store_.get(), cell, copy, is_first);
      if (is_first) take();
      copy = 1 - copy;
    }
    return true;
  }

  Area& area_;
  std::unique_ptr<::store> store_ = std::make_unique<::store>();
  std::unique_ptr<::defect_log> log_ = std::make_unique<::defect_log>();
  std::unique_ptr<::defect_list> list_ = std::make_unique<::defect_list>();
};

/// A move in the model: the block's place before, if it was a spare, is bad.
void move(Model& model, std::uint32_t lba, std::uint32_t spare) {
  const auto before = model.moved.find(lba);
  if (before != model.moved.end()) model.bad.insert(before->second);
  model.moved[lba] = spare;
}

TEST(DefectLog, Fresh_HasNothing) {
  Area area;
  Ram ram(area);
  EXPECT_EQ(ram.list(), Model{});
  EXPECT_FALSE(defect_log_is_formatting(ram.log()));
  EXPECT_EQ(defect_log_capacity(ram.log()), 4 * kEntriesOfACell);
}

// The log spans several cells. A block that moves again leaves a bad spare behind.
TEST(DefectLog, MovesAndBadSpares_AreReadBack) {
  std::mt19937 random(11);
  Area area;
  Model model;
  std::uint32_t spare = 1'000'000;
  {
    Ram ram(area);
    for (int i = 0; i < 150; ++i) {
      const std::uint32_t lba = random() % 100;
      if (random() % 4 == 0) {
        ram.reject(spare);
        model.bad.insert(spare++);
      }
      ASSERT_TRUE(defect_log_has_room(ram.log()));
      ASSERT_TRUE(ram.move(lba, spare));
      move(model, lba, spare++);
      EXPECT_EQ(Ram(area).list(), model) << "after move " << i;
    }
    EXPECT_EQ(ram.list(), model);
  }
}

// Power fails at every byte of the two copies, in a cell and at the beginning of the next.
TEST(DefectLog, PowerGoesAtEachByte_TheBlockHasMovedOrNot) {
  for (const std::uint32_t before : {0U, 1U, kEntriesOfACell - 1, kEntriesOfACell}) {
    for (std::uint32_t power = 0; power <= kWhole; ++power) {
      Area area;
      Model model;
      {
        Ram ram(area);
        for (std::uint32_t i = 0; i < before; ++i) {
          ASSERT_TRUE(ram.move(i, 5'000 + i));
          move(model, i, 5'000 + i);
        }
        ram.move(777, 9'000, power);
      }
      if (power >= kSectorBytes) move(model, 777, 9'000);
      ASSERT_EQ(Ram(area).list(), model) << before << " before, power for " << power;
    }
  }
}

// Random moves with power cuts.
TEST(DefectLog, RandomPowerCuts_LoseNothing) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    Area area;
    Model model;
    std::uint32_t spare = 1'000;
    for (int life = 0; life < 20; ++life) {
      Ram ram(area);
      ASSERT_EQ(ram.list(), model) << "seed " << seed << ", life " << life;
      for (std::uint32_t moves = random() % 5; moves > 0; --moves) {
        const std::uint32_t lba = random() % 30;
        ASSERT_TRUE(ram.move(lba, spare));
        move(model, lba, spare++);
      }
      const std::uint32_t lba = random() % 30;
      const std::uint32_t power = random() % (kWhole + 1);
      ram.move(lba, spare, power);
      if (power >= kSectorBytes) move(model, lba, spare);
      ++spare;
    }
  }
}

TEST(DefectLog, Full_HasNoRoom) {
  Area area;
  Ram ram(area);
  for (std::uint32_t i = 0; i < 4 * kEntriesOfACell; ++i) {
    ASSERT_TRUE(defect_log_has_room(ram.log())) << i;
    ASSERT_TRUE(ram.move(i, 10'000 + i));
  }
  EXPECT_FALSE(defect_log_has_room(ram.log()));
}

// From the state's cell on the old log is void. The new one counts, with the moves after it.
TEST(DefectLog, Format_BeginsANewLog) {
  Area area;
  Model model;
  Ram ram(area);
  for (std::uint32_t i = 0; i < 2 * kEntriesOfACell; ++i) ASSERT_TRUE(ram.move(i, 10'000 + i));
  ram.clear_list();
  defect_log_begin_format(ram.log());
  ram.save(STORE_CELL_STATE, STORE_CELL_STATE + 1);
  {
    Ram cut(area);
    EXPECT_TRUE(defect_log_is_formatting(cut.log()));
    EXPECT_EQ(cut.list(), Model{});
  }
  ASSERT_TRUE(ram.move(5, 20'000));
  move(model, 5, 20'000);
  EXPECT_EQ(Ram(area).list(), model);
  defect_log_end_format(ram.log());
  ram.save(STORE_CELL_STATE, STORE_CELL_STATE + 1);
  Ram again(area);
  EXPECT_FALSE(defect_log_is_formatting(again.log()));
  EXPECT_EQ(again.list(), model) << "cells of the old log do not count any more";
}

// A format that keeps the list writes it anew.
TEST(DefectLog, FormatThatKeepsTheList_WritesAllOfIt) {
  Area area;
  Model model;
  Ram ram(area);
  for (std::uint32_t i = 0; i < 100; ++i) {
    if (i % 10 == 0) {
      ram.reject(50'000 + i);
      model.bad.insert(50'000 + i);
    }
    ASSERT_TRUE(ram.move(i % 70, 10'000 + i));
    move(model, i % 70, 10'000 + i);
  }
  defect_log_begin_format(ram.log());
  ram.save(STORE_CELL_STATE, STORE_CELL_STATE + 1);
  ram.save_list();
  EXPECT_EQ(Ram(area).list(), model);
  ASSERT_TRUE(ram.move(300, 60'000));
  move(model, 300, 60'000);
  EXPECT_EQ(Ram(area).list(), model);
}

}  // namespace
}  // namespace headstack
