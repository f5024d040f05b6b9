// SPDX-License-Identifier: Apache-2.0
// What becomes of bytes written and read, sector pass by sector pass, without time.
//
// Expected values are the definitions in sim/channel/surface.hpp and the format table of
// hdl/README.md.
#include <gtest/gtest.h>

#include "sim/channel/byte_grid.hpp"
#include "sim/channel/surface.hpp"
#include "sim/drive/drive_media.hpp"
#include "tests/support.hpp"
#include "tests/unit/test_channel_support.hpp"

namespace headstack::channel {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A small drive's surface whose sector 5 of track 1/0 and both neighbours hold known data.
class SurfaceTest : public testing::Test {
 protected:
  SurfaceTest() {
    for (std::uint32_t s = 4; s <= 6; ++s) {
      surface_.media().write_formatted(index(s), old_data(s).data());
    }
  }

  static geometry::Chs at(std::uint32_t sector) { return {1, 0, sector}; }
  media::SectorIndex index(std::uint32_t sector) const {
    return geometry_.sector_index(at(sector));
  }
  static Bytes old_data(std::uint32_t sector) { return test::random_bytes(sector, 512); }

  /// One pass with the read gate open over bytes [from, to).
  Bytes read(std::uint32_t sector, std::uint32_t from, std::uint32_t to) {
    surface_.enter(at(sector));
    Bytes bytes;
    for (std::uint32_t k = from; k < to; ++k) bytes.push_back(surface_.read(k));
    return bytes;
  }
  Bytes read(std::uint32_t sector) { return read(sector, 0, layout_.raw_bytes); }
  bool reads_well(std::uint32_t sector) {
    const DecodedSector decoded = decode_sector(layout_, read(sector).data());
    return decoded.place == at(sector) && decoded.check_ok;
  }

  /// One pass with the write gate open over bytes [from, to) of `raw`.
  void write(std::uint32_t sector, const Bytes& raw, std::uint32_t from, std::uint32_t to) {
    surface_.enter(at(sector));
    for (std::uint32_t k = from; k < to; ++k) surface_.write(k, raw[k]);
    surface_.end_write();
  }

  /// Data and check bytes as stored.
  Bytes stored(std::uint32_t sector) const {
    Bytes field(516);
    surface_.media().peek(index(sector), field.data(), &field[512]);
    return field;
  }

  drive::Design design_ = test::small_design();
  geometry::Geometry geometry_{design_};
  SectorLayout layout_ = layout_of(design_);
  Surface surface_{layout_, geometry_,
                   media::MediaStore(media::media_geometry_of(design_, geometry_))};
};

TEST_F(SurfaceTest, Pass_ReadsAsTheFormatSays) {
  EXPECT_EQ(read(5), test::expected_sector(design_, at(5), old_data(5)));
  EXPECT_EQ(read(9), test::expected_sector(design_, at(9), Bytes(512, 0))) << "never written";
}

TEST_F(SurfaceTest, FieldWrittenWhole_IsStoredAsItIs_RightOrWrong) {
  Bytes raw = test::expected_sector(design_, at(5), test::random_bytes(99, 512));
  raw[layout_.check_start] ^= 0xFF;  // the store keeps what the formatter wrote
  write(5, raw, layout_.data_start, layout_.gap_start);
  EXPECT_EQ(stored(5), Bytes(raw.begin() + layout_.data_start, raw.begin() + layout_.gap_start));
  EXPECT_EQ(surface_.cut_write_count(), 0U);
  EXPECT_EQ(read(4), test::expected_sector(design_, at(4), old_data(4)));
  EXPECT_EQ(read(6), test::expected_sector(design_, at(6), old_data(6)));
}

TEST_F(SurfaceTest, FieldIsStoredWithItsLastByte) {
  const Bytes raw = test::expected_sector(design_, at(5), test::random_bytes(99, 512));
  surface_.enter(at(5));
  for (std::uint32_t k = layout_.data_start; k + 1 < layout_.gap_start; ++k) {
    surface_.write(k, raw[k]);
  }
  EXPECT_EQ(stored(5)[0], old_data(5)[0]);
  surface_.write(layout_.gap_start - 1, raw[layout_.gap_start - 1]);
  EXPECT_EQ(stored(5)[0], raw[layout_.data_start]);
}

TEST_F(SurfaceTest, FieldWrittenInPart_IsAMixtureThatReadsAsBad) {
  const Bytes raw = test::expected_sector(design_, at(5), test::random_bytes(99, 512));
  const std::uint32_t first = layout_.data_start;
  const struct {
    std::uint32_t from, to;  // of the field
  } kCases[] = {{0, 1}, {0, 256}, {0, 511}, {0, 512}, {0, 515}, {1, 516}, {515, 516}, {100, 200}};
  for (const auto& c : kCases) {
    surface_.media().write_formatted(index(5), old_data(5).data());
    write(5, raw, first + c.from, first + c.to);
    Bytes mixture = old_data(5);
    for (std::uint32_t i = c.from; i < std::min(c.to, 512U); ++i) mixture[i] = raw[first + i];
    const std::uint32_t wrong = ~test::bitwise_crc32(mixture);
    for (int i = 3; i >= 0; --i) mixture.push_back(static_cast<std::uint8_t>(wrong >> 8 * i));
    EXPECT_EQ(stored(5), mixture) << c.from << ".." << c.to;
    EXPECT_FALSE(reads_well(5)) << c.from << ".." << c.to;
  }
  EXPECT_EQ(surface_.cut_write_count(), std::size(kCases));
  EXPECT_TRUE(reads_well(4));
  EXPECT_TRUE(reads_well(6));
}

TEST_F(SurfaceTest, TheSameBytesInPart_StillReadAsBad_UntilWrittenWhole) {
  const Bytes raw = read(5);
  write(5, raw, layout_.data_start, layout_.gap_start - 1);
  EXPECT_FALSE(reads_well(5));
  write(5, raw, layout_.data_start, layout_.gap_start);
  EXPECT_TRUE(reads_well(5));
}

TEST_F(SurfaceTest, GateClosedAndOpenedWithinAField_LeavesASplice) {
  const Bytes raw = test::expected_sector(design_, at(5), test::random_bytes(99, 512));
  surface_.enter(at(5));
  for (std::uint32_t k = layout_.data_start; k < layout_.gap_start; ++k) {
    if (k == 300) surface_.end_write();
    surface_.write(k, raw[k]);
  }
  EXPECT_FALSE(reads_well(5));
  // All bytes are new all the same.
  const Bytes field = stored(5);
  EXPECT_TRUE(std::equal(field.begin(), field.begin() + 512, raw.begin() + layout_.data_start));
}

TEST_F(SurfaceTest, ByteBeforeTheData_DestroysTheHeader_NotTheData) {
  for (const std::uint32_t byte : {0U, layout_.sync_start, layout_.data_start - 1}) {
    write(5, Bytes(560, 0x55), byte, byte + 1);
    const Bytes raw = read(5);
    EXPECT_EQ(Bytes(raw.begin(), raw.begin() + layout_.data_start), Bytes(layout_.data_start, 0));
    EXPECT_TRUE(decode_sector(layout_, raw.data()).check_ok);
    EXPECT_EQ(surface_.destroyed_headers(), std::set<media::SectorIndex>{index(5)});
    EXPECT_TRUE(reads_well(4));
    EXPECT_TRUE(reads_well(6));
    surface_.restore_headers();
    EXPECT_TRUE(reads_well(5));
  }
}

TEST_F(SurfaceTest, BytesBesideHeaderAndField_LeaveNoTrace) {
  const Bytes before = read(5);
  write(5, Bytes(560, 0x55), layout_.gap_start, layout_.raw_bytes);
  EXPECT_EQ(read(5), before);
  EXPECT_TRUE(surface_.destroyed_headers().empty());
  EXPECT_EQ(surface_.cut_write_count(), 0U);
}

TEST_F(SurfaceTest, OnlyAPassThatReadsTheField_IsAnAttempt) {
  media::FlawSpec spec;
  spec.listed = {{index(5), media::FlawKind::kCorrectable, 2, {}}};
  surface_.media().inject(spec);
  for (int i = 0; i < 5; ++i) read(5, 0, layout_.data_start);                 // headers
  for (int i = 0; i < 5; ++i) read(5, layout_.gap_start, layout_.raw_bytes);  // gaps
  EXPECT_FALSE(reads_well(5));
  read(5, layout_.data_start, layout_.data_start + 1);  // one byte of the field is the second
  EXPECT_TRUE(reads_well(5));
  EXPECT_FALSE(reads_well(5)) << "and it starts over";
}

TEST(ByteGrid, EveryByteOfATurn_StartsAtItsDefinition) {
  const std::uint64_t turn = std::uint64_t{5} << 32;
  for (const std::uint32_t sectors : {1U, 3U, 67U, 120U}) {
    const ByteGrid grid(sectors, 560);
    BytePlace place = grid.byte_at_or_after(turn);
    for (std::uint64_t m = 0; m < sectors; ++m) {
      const std::uint64_t mark = (m << 32) / sectors;
      const std::uint64_t next = ((m + 1) << 32) / sectors;
      for (std::uint64_t k = 0; k < 560; ++k) {
        const std::uint64_t angle = turn + mark + k * (next - mark) / 560;
        ASSERT_EQ(place.angle, angle);
        ASSERT_EQ(place.mark, m);
        ASSERT_EQ(place.byte, k);
        // Found from its own angle, not from one after it.
        ASSERT_EQ(grid.byte_at_or_after(angle).angle, angle);
        place = grid.after(place);
        ASSERT_EQ(grid.byte_at_or_after(angle + 1).angle, place.angle);
      }
      ASSERT_EQ(grid.mark_at_or_after(turn + mark).angle, turn + mark);
      ASSERT_EQ(grid.mark_at_or_after(turn + mark + 1).angle, turn + next);
    }
    EXPECT_EQ(place.angle, turn + (std::uint64_t{1} << 32)) << "the turn closes";
    EXPECT_EQ(place.mark, 0U);
  }
}

}  // namespace
}  // namespace headstack::channel
