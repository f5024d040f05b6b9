// SPDX-License-Identifier: Apache-2.0
// Generated sectors are stored packed, but every byte reads as it was written.
#include <cstring>

#include "sim/media/generated_data.hpp"
#include "tests/unit/test_media_support.hpp"

namespace headstack::media {
namespace {

constexpr MediaGeometry kGeometry{1000, 512, 4};
constexpr std::size_t kPackedChunkBytes = 64 * (8 + 4);

Sector generated_sector(std::uint64_t state) {
  Sector sector = empty_sector(kGeometry);
  generate_data(state, sector.data.data(), sector.data.size());
  sector.check = {1, 2, 3, 4};  // wrong, which the store does not check
  return sector;
}

TEST(GeneratedData, IsSplitMix64) {
  // The first outputs from state 1234567, as published with the reference implementation
  // (Vigna, prng.di.unimi.it/splitmix64.c, in Rosetta Code's "Pseudo-random numbers/Splitmix64").
  constexpr std::uint64_t kPublished[] = {6457827717110365317U, 3203168211198807973U,
                                          9817491932198370423U};
  Bytes data(sizeof kPublished);
  generate_data(1234567, data.data(), data.size());
  for (std::size_t word = 0; word < 3; ++word) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | data[8 * word + i];
    EXPECT_EQ(value, kPublished[word]);
  }
}

TEST(GeneratedData, ItsStateIsFound_WhateverTheLength) {
  std::mt19937_64 random(11);
  for (const std::size_t bytes : {8, 9, 15, 16, 511, 512, 520}) {
    const std::uint64_t state = random();
    Bytes data(bytes);
    generate_data(state, data.data(), bytes);
    EXPECT_EQ(find_generator_state(data.data(), bytes), state) << bytes;
  }
}

TEST(GeneratedData, OneWrongBitAnywhereBehindTheFirstWord_IsNotGenerated) {
  Bytes data(45);
  generate_data(5, data.data(), data.size());
  for (std::size_t at = 8; at < data.size(); ++at) {
    Bytes other = data;
    other[at] ^= 0x10;
    EXPECT_EQ(find_generator_state(other.data(), other.size()), std::nullopt) << at;
  }
  EXPECT_EQ(find_generator_state(data.data(), 7), std::nullopt) << "too few name many states";
}

TEST(PackedMedia, GeneratedSectors_ReadAsWritten_CheckBytesToo) {
  MediaStore store(kGeometry);
  for (SectorIndex index = 0; index < 130; ++index) {
    write_sector(store, index, generated_sector(index * 77));
  }
  for (SectorIndex index = 0; index < 130; ++index) {
    EXPECT_EQ(peek_sector(store, index), generated_sector(index * 77)) << index;
  }
  EXPECT_EQ(store.written_count(), 130U);
  EXPECT_FALSE(store.is_written(130));
}

TEST(PackedMedia, TakesAFortiethOfTheMemory) {
  MediaStore store(kGeometry);
  for (SectorIndex index = 0; index < 64; ++index) {
    write_sector(store, index, generated_sector(index));
  }
  EXPECT_GE(store.resident_bytes(), kPackedChunkBytes);
  EXPECT_LT(store.resident_bytes(), kPackedChunkBytes + 256);
}

// A chunk may hold packed and plain sectors, and a sector may change from one to the other and
// back.
TEST(PackedMedia, OtherDataBesideAndOver_AndBack) {
  MediaStore store(kGeometry);
  const Sector other = tagged_sector(kGeometry, 3);
  write_sector(store, 10, generated_sector(1));
  write_sector(store, 11, other);
  EXPECT_EQ(peek_sector(store, 10), generated_sector(1));
  EXPECT_EQ(peek_sector(store, 11), other);
  write_sector(store, 10, other);
  write_sector(store, 11, generated_sector(2));
  EXPECT_EQ(peek_sector(store, 10), other);
  EXPECT_EQ(peek_sector(store, 11), generated_sector(2));
  write_sector(store, 10, generated_sector(9));
  EXPECT_EQ(peek_sector(store, 10), generated_sector(9));
  EXPECT_EQ(store.written_count(), 2U);
}

TEST(PackedMedia, HashAndVisit_SeeTheBytes) {
  MediaStore packed(kGeometry);
  MediaStore plain(MediaGeometry{1000, 512, 4});
  const Sector sector = generated_sector(42);
  write_sector(packed, 65, sector);
  std::size_t visited = 0;
  packed.visit_written([&](SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) {
    ++visited;
    EXPECT_EQ(index, 65U);
    EXPECT_EQ(std::memcmp(data, sector.data.data(), 512), 0);
    EXPECT_EQ(std::memcmp(check, sector.check.data(), 4), 0);
  });
  EXPECT_EQ(visited, 1U);
  write_sector(plain, 65, tagged_sector(kGeometry, 1));  // its chunk has room for plain slots, too
  write_sector(plain, 65, sector);
  EXPECT_EQ(plain.content_hash(), packed.content_hash());
}

TEST(PackedMedia, SnapshotAndBranch_GoTheirOwnWays) {
  MediaStore store(kGeometry);
  write_sector(store, 5, generated_sector(1));
  const MediaSnapshot before = store.snapshot();
  write_sector(store, 5, generated_sector(2));
  MediaStore branch(before);
  write_sector(branch, 6, generated_sector(3));
  EXPECT_EQ(peek_sector(store, 5), generated_sector(2));
  EXPECT_FALSE(store.is_written(6));
  EXPECT_EQ(peek_sector(branch, 5), generated_sector(1));
  EXPECT_EQ(peek_sector(branch, 6), generated_sector(3));
  store.restore(before);
  EXPECT_EQ(peek_sector(store, 5), generated_sector(1));
}

// Damage is done to the bytes that are read; the stored ones stay.
TEST(PackedMedia, Flaw_DamagesWhatIsRead_NotWhatIsKept) {
  MediaStore store(kGeometry);
  FlawSpec spec;
  spec.listed = {{7, FlawKind::kUnreadable}};
  store.inject(spec);
  Sector sector = generated_sector(8);
  write_sector(store, 7, sector);
  EXPECT_FALSE(read_sector(store, 7, ReadStatus::kDamaged) == sector);
  EXPECT_EQ(peek_sector(store, 7), sector);
}

}  // namespace
}  // namespace headstack::media
