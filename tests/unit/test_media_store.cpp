// SPDX-License-Identifier: Apache-2.0
// The media store in memory: reading, writing, counting, hashing. The definitions in
// sim/media/media_store.hpp give the expected values, unless a comment says otherwise.

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "sim/media/chunk_source.hpp"
#include "sim/media/fnv1a.hpp"
#include "tests/unit/test_media_support.hpp"

namespace headstack::media {
namespace {

// Three chunks, of which the last has only 22 sectors.
constexpr MediaGeometry kGeometry{150, 512, 4};

TEST(MediaStoreTest, WriteThenRead_ReturnsTheSameBytes) {
  // The first, the last, both sides of both chunk boundaries, and one in the middle.
  for (const SectorIndex index : {0, 149, 63, 64, 127, 128, 90}) {
    MediaStore store(kGeometry);
    const Sector sector = tagged_sector(kGeometry, index);
    write_sector(store, index, sector);
    EXPECT_EQ(read_sector(store, index, ReadStatus::kOk), sector) << index;
  }
}

TEST(MediaStoreTest, WrongCheckBytes_AreKeptAsWritten) {
  MediaStore store(kGeometry);
  const Sector wrong{Bytes(512, 0x11), {1, 2, 3, 4}};
  write_sector(store, 5, wrong);
  EXPECT_EQ(read_sector(store, 5, ReadStatus::kOk), wrong);
}

TEST(MediaStoreTest, Write_LeavesEveryOtherSectorUntouched) {
  const MediaStore fresh(kGeometry);
  for (const SectorIndex written : {0, 63, 64, 128, 149}) {
    MediaStore store(kGeometry);
    write_sector(store, written, tagged_sector(kGeometry, 1));
    for (SectorIndex index = 0; index < kGeometry.sector_count; ++index) {
      EXPECT_EQ(store.is_written(index), index == written) << index;
      if (index == written) continue;
      EXPECT_EQ(peek_sector(store, index), peek_sector(fresh, index)) << index;
    }
  }
}

TEST(MediaStoreTest, NeverWritten_ReadsAsZeroDataWithItsCrc32) {
  // CRC-32 of 512 zero bytes is 0xB2AA7578, from Python's zlib.crc32(bytes(512)).
  const Sector formatted{Bytes(512, 0), {0xB2, 0xAA, 0x75, 0x78}};
  MediaStore store(kGeometry);
  write_sector(store, 1, tagged_sector(kGeometry, 1));
  for (const SectorIndex index : {0, 2, 149}) {  // beside a written one, and in an untouched chunk
    EXPECT_EQ(read_sector(store, index, ReadStatus::kOk), formatted);
    EXPECT_FALSE(store.is_written(index));
  }
}

TEST(MediaStoreTest, OwnCheckCode_IsUsedForFormattedSectors) {
  constexpr MediaGeometry kGeometryTwo{10, 16, 2};
  const CheckCode sum = [](const std::uint8_t* data, std::size_t bytes, std::uint8_t* check) {
    check[0] = static_cast<std::uint8_t>(std::accumulate(data, data + bytes, 0));
    check[1] = 0x77;
  };
  MediaStore store(kGeometryTwo, sum);
  EXPECT_EQ(read_sector(store, 3, ReadStatus::kOk), (Sector{Bytes(16, 0), {0, 0x77}}));
  const Bytes data(16, 3);
  store.write_formatted(3, data.data());
  EXPECT_EQ(read_sector(store, 3, ReadStatus::kOk), (Sector{data, {48, 0x77}}));  // 48 = 16 * 3
}

TEST(MediaStoreTest, NoCheckBytes_NeedNoCheckBuffers) {
  MediaStore store(MediaGeometry{4, 8, 0});
  const Bytes data = {1, 2, 3, 4, 5, 6, 7, 8};
  store.write(2, data.data(), nullptr);
  Bytes got(8);
  EXPECT_EQ(store.read(2, got.data(), nullptr), ReadStatus::kOk);
  EXPECT_EQ(got, data);
}

TEST(MediaStoreTest, WriteFormatted_StoresTheCorrectCheckBytes) {
  MediaStore store(kGeometry);
  const Bytes data = tagged_sector(kGeometry, 3).data;
  store.write_formatted(149, data.data());
  EXPECT_EQ(read_sector(store, 149, ReadStatus::kOk), (Sector{data, crc_bytes(data)}));
}

TEST(MediaStoreTest, WrittenCount_CountsSectorsNotWrites) {
  MediaStore store(kGeometry);
  EXPECT_EQ(store.written_count(), 0U);
  write_sector(store, 7, tagged_sector(kGeometry, 1));
  write_sector(store, 7, tagged_sector(kGeometry, 2));
  EXPECT_EQ(store.written_count(), 1U);
  write_sector(store, 149, tagged_sector(kGeometry, 3));
  EXPECT_EQ(store.written_count(), 2U);
}

TEST(MediaStoreTest, Memory_IsTakenByChunksWrittenOnly) {
  // 32 TiB is the largest drive. One chunk holds 64 slots of 516 bytes.
  constexpr std::size_t kChunkBytes = 64 * 516;
  MediaStore store(MediaGeometry{kMaxSectorCount, 512, 4});
  EXPECT_EQ(store.resident_bytes(), 0U);
  write_sector(store, kMaxSectorCount - 1, tagged_sector(kGeometry, 1));
  write_sector(store, kMaxSectorCount - 64, tagged_sector(kGeometry, 1));  // same chunk
  EXPECT_GE(store.resident_bytes(), kChunkBytes);
  EXPECT_LT(store.resident_bytes(), kChunkBytes + 1024);
  write_sector(store, kMaxSectorCount - 65, tagged_sector(kGeometry, 1));  // the chunk before
  EXPECT_GE(store.resident_bytes(), 2 * kChunkBytes);
}

TEST(MediaStoreTest, VisitWritten_GoesInIndexOrderWithTheBytes) {
  MediaStore store(kGeometry);
  const std::vector<SectorIndex> order = {0, 2, 63, 64, 149};
  for (const SectorIndex index : {149, 64, 0, 63, 2}) {
    write_sector(store, index, tagged_sector(kGeometry, index));
  }
  std::vector<SectorIndex> visited;
  store.visit_written([&](SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) {
    visited.push_back(index);
    EXPECT_EQ((Sector{Bytes(data, data + 512), Bytes(check, check + 4)}),
              tagged_sector(kGeometry, index));
  });
  EXPECT_EQ(visited, order);
}

TEST(MediaStoreTest, ContentHash_IsFnv1aOverIndexDataAndCheck) {
  MediaStore store(kGeometry);
  EXPECT_EQ(store.content_hash(), 0xCBF29CE484222325ULL);  // FNV-1a of nothing: its offset basis
  Fnv1a64 expected;
  for (const SectorIndex index : {3, 100}) {
    const Sector sector = tagged_sector(kGeometry, index);
    expected.add_u64(index);
    expected.add(sector.data.data(), 512);
    expected.add(sector.check.data(), 4);
  }
  write_sector(store, 100, tagged_sector(kGeometry, 100));
  write_sector(store, 3, tagged_sector(kGeometry, 3));
  EXPECT_EQ(store.content_hash(), expected.value());
}

TEST(MediaStoreTest, ContentHash_SeesOneBitAnywhereAndTheOrderOfSectorsOnly) {
  MediaStore a(kGeometry);
  MediaStore b(kGeometry);
  for (SectorIndex index = 0; index < 150; ++index) {
    write_sector(a, index, tagged_sector(kGeometry, index));
    write_sector(b, 149 - index, tagged_sector(kGeometry, 149 - index));
  }
  EXPECT_EQ(a.content_hash(), b.content_hash());
  Sector changed = tagged_sector(kGeometry, 149);
  changed.check[3] ^= 0x80;
  write_sector(b, 149, changed);
  EXPECT_NE(a.content_hash(), b.content_hash());
}

TEST(MediaStoreTest, MovedStore_KeepsItsContent) {
  MediaStore store(kGeometry);
  write_sector(store, 9, tagged_sector(kGeometry, 9));
  MediaStore moved = std::move(store);
  EXPECT_EQ(peek_sector(moved, 9), tagged_sector(kGeometry, 9));
}

TEST(MediaStoreDeathTest, IndexPastTheEnd_IsABug) {
  MediaStore store(kGeometry);
  Sector sector = empty_sector(kGeometry);
  EXPECT_DEATH(write_sector(store, 150, sector), "a sector index lies on the drive");
  EXPECT_DEATH((void)store.read(150, sector.data.data(), sector.check.data()),
               "a sector index lies on the drive");
  EXPECT_DEATH((void)store.is_written(150), "a sector index lies on the drive");
}

TEST(MediaStoreDeathTest, MissingBytes_AreABug) {
  MediaStore store(kGeometry);
  const Bytes data(512);
  EXPECT_DEATH(store.write(0, data.data(), nullptr), "brings its check bytes");
  EXPECT_DEATH(store.write(0, nullptr, data.data()), "brings its data");
}

TEST(MediaStoreDeathTest, FiveCheckBytesWithoutACode_AreABug) {
  EXPECT_DEATH(MediaStore(MediaGeometry{10, 512, 5}), "check_bytes is 5");
}

}  // namespace
}  // namespace headstack::media
