// SPDX-License-Identifier: Apache-2.0
// Power at the media: what a cut write leaves (sim/media/media_store.hpp, media_power.hpp).
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "sim/media/media_store.hpp"

namespace headstack::media {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kData = 64;
constexpr std::uint32_t kCheck = 4;

MediaStore small_store() { return MediaStore(MediaGeometry{8, kData, kCheck, 0}); }

Bytes field(std::uint8_t from) {
  Bytes bytes(kData + kCheck);
  std::iota(bytes.begin(), bytes.end(), from);
  return bytes;
}

void write(MediaStore& store, SectorIndex index, const Bytes& bytes) {
  ASSERT_EQ(store.write(index, bytes.data(), &bytes[kData]), WriteStatus::kOk);
}

Bytes data_of(const MediaStore& store, SectorIndex index, Bytes* check = nullptr) {
  Bytes data(kData);
  Bytes unused(kCheck);
  store.peek(index, data.data(), check == nullptr ? unused.data() : check->data());
  return data;
}

Bytes right_check(const MediaGeometry& geometry, const Bytes& data) {
  Bytes check(kCheck);
  SectorFormat(geometry, {}).encode(data.data(), check.data());
  return check;
}

// A part of any length leaves new bytes, then old ones, and check bytes that are wrong in every
// bit.
TEST(MediaPart, HasNewThenOldBytes_AndNeverMatches) {
  for (std::uint32_t part = 1; part < kData + kCheck; ++part) {
    MediaStore store = small_store();
    write(store, 3, field(1));
    ASSERT_EQ(store.write_part(3, field(100).data(), 0, part), WriteStatus::kOk);
    Bytes expected = field(1);
    std::copy_n(field(100).begin(), part, expected.begin());
    expected.resize(kData);
    Bytes check(kCheck);
    EXPECT_EQ(data_of(store, 3, &check), expected);
    Bytes right = right_check(store.geometry(), expected);
    for (std::uint8_t& byte : right) byte = static_cast<std::uint8_t>(~byte);
    EXPECT_EQ(check, right) << part;
  }
}

TEST(MediaPowerTest, Cut_NothingIsWrittenAnyMore) {
  MediaStore store = small_store();
  write(store, 3, field(1));
  store.power().cut();
  write(store, 3, field(100));
  write(store, 4, field(100));
  EXPECT_EQ(data_of(store, 3)[0], 1);
  EXPECT_FALSE(store.is_written(4));
}

TEST(MediaPowerTest, Cut_OneSectorIsFinished_Once) {
  MediaStore store = small_store();
  store.power().cut(3);
  write(store, 4, field(100));
  EXPECT_TRUE(store.power().is_finishing());
  write(store, 3, field(1));
  EXPECT_FALSE(store.power().is_finishing());
  write(store, 3, field(100));
  EXPECT_FALSE(store.is_written(4));
  EXPECT_EQ(data_of(store, 3)[0], 1);
}

TEST(MediaPowerTest, Hook_HearsOfEachWriteBeforeIt_WithNumberAndByte) {
  MediaStore store = small_store();
  std::vector<std::uint64_t> heard;
  store.power().before_write([&](const MediaPower::Write& write) {
    heard.insert(heard.end(), {write.number, write.first_byte, write.index, write.data[0]});
    EXPECT_FALSE(store.is_written(write.index));
    if (write.number == 2) store.power().cut();
  });
  for (const SectorIndex index : {5, 6, 7}) write(store, index, field(9));
  EXPECT_EQ(heard, (std::vector<std::uint64_t>{0, 0, 5, 9, 1, kData + kCheck, 6, 9, 2,
                                               2 * (kData + kCheck), 7, 9}));
  EXPECT_TRUE(store.is_written(6));
  EXPECT_FALSE(store.is_written(7)) << "cut before it";
}

TEST(MediaPowerTest, Branch_HasPower) {
  MediaStore store = small_store();
  store.power().cut();
  MediaStore branch(store.snapshot());
  EXPECT_TRUE(branch.is_branch());
  EXPECT_TRUE(branch.power().is_on());
  EXPECT_EQ(branch.power().write_count(), 0);
  write(branch, 1, field(1));
  EXPECT_TRUE(branch.is_written(1));
}

}  // namespace
}  // namespace headstack::media
