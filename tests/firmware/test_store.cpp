// SPDX-License-Identifier: Apache-2.0
// The store's rule (firmware/transfer/store.h), against a small model of what must hold. At any
// moment of a power cut, a cell holds all of its old content or all of its new one. From the first
// copy's end on it is the new one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "firmware/transfer/store.h"
#include "sim/media/check_code.hpp"

namespace headstack {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kCells = 3;
constexpr std::uint32_t kSectorBytes = 512;
constexpr std::uint32_t kHeaderBytes = 16;

/// Sectors that keep their content, and a write that a loss of power cuts off.
class Area {
 public:
  Area() : sectors_(2 * kCells) {}

  /// Writes the first `bytes` of the sector. The rest is torn, and the sector unreadable, unless
  /// all of it was written.
  void write(std::uint32_t index, const std::uint8_t* image, std::uint32_t bytes) {
    Sector& sector = sectors_[index];
    std::copy_n(image, bytes, sector.data.begin());
    sector.readable = bytes == kSectorBytes;
  }
  /// The mixture reads as good, as if the channel's check bytes had missed it.
  void write_unnoticed(std::uint32_t index, const std::uint8_t* image, std::uint32_t bytes) {
    std::copy_n(image, bytes, sectors_[index].data.begin());
  }
  bool read(std::uint32_t index, std::uint8_t* image) const {
    if (sectors_[index].readable) std::copy_n(sectors_[index].data.begin(), kSectorBytes, image);
    return sectors_[index].readable;
  }
  void lose(std::uint32_t index) { sectors_[index].readable = false; }

 private:
  struct Sector {
    Bytes data = Bytes(kSectorBytes);
    bool readable = true;
  };
  std::vector<Sector> sectors_;
};

/// The firmware's memory, which a loss of power clears.
class Ram {
 public:
  explicit Ram(const Area& area) : store_(std::make_unique<::store>()) {
    static const auto design = [] {
      auto table = std::make_unique<::drive_design>();
      table->sector_bytes = kSectorBytes;
      table->store_sectors = 2 * kCells;
      return table;
    }();
    store_init(store_.get(), design.get());
    for (std::uint32_t i = 0; i < 2 * kCells; ++i) {
      if (area.read(i, store_->image)) store_show(store_.get(), i);
    }
  }
  ::store* get() { return store_.get(); }

  /// The content that power-on gives to the cell's user.
  std::optional<Bytes> content(const Area& area, std::uint32_t cell) {
    while (store_has(store_.get(), cell)) {
      const std::uint32_t copy = store_good_copy(store_.get(), cell);
      std::uint32_t bytes = 0;
      if (area.read(store_index(store_.get(), cell, copy), store_->image)) {
        const std::uint8_t* payload = store_payload(store_.get(), cell, &bytes);
        if (payload != nullptr) return Bytes(payload, payload + bytes);
      }
      store_lose(store_.get(), cell, copy);
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<::store> store_;
};

/// The choice of the copy that is written first.
using Order = std::uint32_t (*)(const ::store*, std::uint32_t);
std::uint32_t as_it_should(const ::store* store, std::uint32_t cell) {
  return store_first_copy(store, cell);
}
/// A broken commit order: the good copy is written first.
std::uint32_t the_good_one(const ::store* store, std::uint32_t cell) {
  return 1 - store_first_copy(store, cell);
}

/// Writes a cell with power for `power` bytes. @return the number of bytes that it took.
std::uint32_t commit(Ram& ram, Area& area, std::uint32_t cell, const Bytes& payload,
                     std::uint32_t power_bytes, bool noticed = true, Order order = as_it_should) {
  ::store* store = ram.get();
  store_compose(store, cell, payload.data(), static_cast<std::uint32_t>(payload.size()));
  std::uint32_t copy = order(store, cell);
  std::uint32_t left = power_bytes;
  for (const bool is_first : {true, false}) {
    store_begin(store, cell, copy);
    const std::uint32_t bytes = std::min(left, kSectorBytes);
    const std::uint32_t index = store_index(store, cell, copy);
    if (bytes > 0 && noticed) area.write(index, store->image, bytes);
    if (bytes > 0 && !noticed) area.write_unnoticed(index, store->image, bytes);
    left -= bytes;
    if (bytes < kSectorBytes) return power_bytes - left;
    store_end(store, cell, copy, is_first);
    copy = 1 - copy;
  }
  return power_bytes - left;
}

constexpr std::uint32_t kWhole = 2 * kSectorBytes;

Bytes some(std::mt19937& random, std::uint32_t most = kSectorBytes - kHeaderBytes) {
  Bytes payload(random() % (most + 1));
  for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random());
  return payload;
}

TEST(Store, Fresh_HasNothing) {
  const Area area;
  Ram ram(area);
  ASSERT_TRUE(store_is_there(ram.get()));
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    EXPECT_EQ(ram.content(area, cell), std::nullopt);
  }
}

TEST(Store, WithoutReservedSectors_DoesNotExist) {
  const auto design = std::make_unique<::drive_design>();
  design->sector_bytes = kSectorBytes;
  const auto store = std::make_unique<::store>();
  for (const std::uint32_t sectors : {0U, 1U}) {
    design->store_sectors = sectors;
    store_init(store.get(), design.get());
    EXPECT_FALSE(store_is_there(store.get())) << sectors;
  }
  design->store_sectors = 2;
  store_init(store.get(), design.get());
  EXPECT_TRUE(store_is_there(store.get()));
  EXPECT_EQ(store->payload_bytes, kSectorBytes - kHeaderBytes);
}

// The layout that the header of store.h promises, with a CRC that another program made.
TEST(Store, Image_IsAsDocumented) {
  Area area;
  Ram ram(area);
  const Bytes payload = {0xDE, 0xAD, 0xBE};
  store_compose(ram.get(), 2, payload.data(), 3);
  const std::uint8_t* image = ram.get()->image;
  EXPECT_EQ(Bytes(image, image + 12), (Bytes{'H', 'S', 'S', 'T', 2, 0, 3, 0, 1, 0, 0, 0}));
  EXPECT_EQ(Bytes(image + 16, image + 20), (Bytes{0xDE, 0xAD, 0xBE, 0}));
  Bytes covered(image, image + 12);
  covered.insert(covered.end(), payload.begin(), payload.end());
  const std::uint32_t crc = media::crc32_ieee(covered.data(), covered.size());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(image[12 + i], crc >> (8 * i) & 0xFF) << i;
}

// Power fails at every byte, with torn sectors that the channel notices or does not.
TEST(Store, PowerGoesAtEachByte_OldOrNew_AndNewFromTheFirstCopyOn) {
  std::mt19937 random(7);
  for (const bool noticed : {true, false}) {
    for (std::uint32_t power = 0; power <= kWhole; ++power) {
      Area area;
      const Bytes before = some(random);
      const Bytes after = some(random);
      {
        Ram ram(area);
        ASSERT_EQ(commit(ram, area, 1, before, kWhole), kWhole);
        commit(ram, area, 1, after, power, noticed);
      }
      Ram ram(area);
      const std::optional<Bytes> found = ram.content(area, 1);
      ASSERT_TRUE(found) << power;
      if (power >= kSectorBytes) {
        EXPECT_EQ(*found, after) << power;
      } else {
        // All bytes that differ may be written already: then the sector is the new one.
        EXPECT_TRUE(*found == before || (!noticed && *found == after)) << power;
      }
      EXPECT_EQ(ram.content(area, 0), std::nullopt) << "a neighbour";
    }
  }
}

// Outcome of random writes with power cuts: never anything but the last acknowledged content, or
// one being written.
struct Outcome {
  int cuts = 0;
  int lost = 0;
};
Outcome live(std::uint32_t seed, Order order) {
  std::mt19937 random(seed);
  Outcome outcome;
  Area area;
  std::array<std::optional<Bytes>, kCells> held;
  for (int life = 0; life < 40; ++life) {
    Ram ram(area);
    for (std::uint32_t cell = 0; cell < kCells; ++cell) {
      if (ram.content(area, cell) != held[cell]) {
        ++outcome.lost;
        held[cell] = ram.content(area, cell);
      }
    }
    for (std::uint32_t writes = random() % 4; writes > 0; --writes) {
      const std::uint32_t cell = random() % kCells;
      held[cell] = some(random, 64);
      EXPECT_EQ(commit(ram, area, cell, *held[cell], kWhole, true, order), kWhole);
    }
    const std::uint32_t cell = random() % kCells;
    const Bytes payload = some(random, 64);
    const std::uint32_t power = random() % (kWhole + 1);
    commit(ram, area, cell, payload, power, true, order);
    ++outcome.cuts;
    if (power >= kSectorBytes) held[cell] = payload;
  }
  return outcome;
}

TEST(Store, RandomPowerCuts_LoseNothing) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    EXPECT_EQ(live(seed, as_it_should).lost, 0) << "seed " << seed;
  }
}

TEST(Store, BrokenCommitOrder_IsCaught) {
  int lost = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) lost += live(seed, the_good_one).lost;
  EXPECT_GT(lost, 20);
}

TEST(Store, OneCopyIsLost_TheOtherHasTheContent) {
  std::mt19937 random(3);
  for (const std::uint32_t copy : {0U, 1U}) {
    Area area;
    const Bytes payload = some(random);
    {
      Ram ram(area);
      commit(ram, area, 2, some(random), kWhole);
      commit(ram, area, 2, payload, kWhole);
      area.lose(store_index(ram.get(), 2, copy));
    }
    Ram ram(area);
    EXPECT_EQ(ram.content(area, 2), payload);
    // The next content goes to the lost copy first, so that the good one stays meanwhile.
    EXPECT_EQ(store_first_copy(ram.get(), 2), copy);
  }
}

// A sector with another cell's content, from a misplaced write, is not accepted.
TEST(Store, AnotherCellsImage_IsNoContent) {
  Area area;
  Ram ram(area);
  std::mt19937 random(5);
  commit(ram, area, 0, some(random), kWhole);
  std::array<std::uint8_t, kSectorBytes> image{};
  ASSERT_TRUE(area.read(store_index(ram.get(), 0, 0), image.data()));
  area.write(store_index(ram.get(), 1, 0), image.data(), kSectorBytes);
  Ram again(area);
  EXPECT_EQ(again.content(area, 1), std::nullopt);
  EXPECT_NE(again.content(area, 0), std::nullopt);
}

}  // namespace
}  // namespace headstack
