// SPDX-License-Identifier: Apache-2.0
// The sector on the track, against the format table of hdl/README.md.
#include <gtest/gtest.h>

#include <numeric>

#include "sim/channel/sector_codec.hpp"
#include "sim/description/fault.hpp"
#include "tests/support.hpp"
#include "tests/unit/test_channel_support.hpp"

namespace headstack::channel {
namespace {

std::vector<std::uint8_t> ramp(std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  std::iota(data.begin(), data.end(), std::uint8_t{3});
  return data;
}

TEST(SectorCodec, Crc16_HasTheCheckValueOfCcittFalse) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc16_ccitt_false(reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()),
            0x29B1);                                 // hdl/README.md, "The format of a sector"
  EXPECT_EQ(crc16_ccitt_false(nullptr, 0), 0xFFFF);  // the preset
}

TEST(SectorCodec, Header_HoldsCylinderHeadSectorAndCrc_HighByteFirst) {
  const Header header = encode_header({0x01'23'45, 0x67, 0x89'AB});
  const std::vector<std::uint8_t> place = {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB};
  EXPECT_EQ(std::vector<std::uint8_t>(header.begin(), header.begin() + 6), place);
  EXPECT_EQ(header[6] << 8 | header[7], test::bitwise_crc16(place));
}

TEST(SectorCodec, HeaderWithAnyBitFlipped_NamesNoPlace) {
  const geometry::Chs at{6961, 7, 118};
  const Header good = encode_header(at);
  ASSERT_EQ(decode_header(good.data()), at);
  for (unsigned bit = 0; bit < 8 * kHeaderBytes; ++bit) {
    Header bad = good;
    bad[bit / 8] = static_cast<std::uint8_t>(bad[bit / 8] ^ 1U << bit % 8);
    EXPECT_FALSE(decode_header(bad.data())) << "bit " << bit;  // a CRC sees every single-bit error
  }
}

TEST(SectorCodec, Fields_FollowEachOther) {
  drive::Design design = test::small_design();
  design.format.preamble_bytes = 16;
  design.format.gap_bytes = 5;
  design.sector_bytes = 256;
  const SectorLayout layout = layout_of(design);
  EXPECT_EQ(layout.sync_start, 16U);
  EXPECT_EQ(layout.header_start, 18U);
  EXPECT_EQ(layout.data_start, 26U);
  EXPECT_EQ(layout.check_start, 282U);
  EXPECT_EQ(layout.gap_start, 286U);
  EXPECT_EQ(layout.raw_bytes, 291U);
}

TEST(SectorCodec, RawSector_IsTheFormatTable) {
  const SectorLayout layout = layout_of(test::small_design());
  const geometry::Chs at{3, 1, 9};
  const std::vector<std::uint8_t> data = ramp(512);
  EXPECT_EQ(encode_sector(layout, at, data.data()),
            test::expected_sector(test::small_design(), at, data));
}

TEST(SectorCodec, Decode_FindsWhatIsWrong) {
  const SectorLayout layout = layout_of(test::small_design());
  const geometry::Chs at{2, 0, 4};
  const std::vector<std::uint8_t> data = ramp(512);
  const std::vector<std::uint8_t> good = encode_sector(layout, at, data.data());
  const DecodedSector whole = decode_sector(layout, good.data());
  EXPECT_TRUE(whole.sync_found);
  EXPECT_EQ(whole.place, at);
  EXPECT_TRUE(whole.check_ok);
  EXPECT_EQ(whole.data, data);

  const struct {
    std::uint32_t byte;
    bool sync, place, check;
  } kCases[] = {
      {layout.sync_start, false, false, true}, {layout.header_start, true, false, true},
      {layout.data_start, true, true, false},  {layout.check_start - 1, true, true, false},
      {layout.check_start, true, true, false}, {layout.gap_start - 1, true, true, false},
      {layout.gap_start, true, true, true},    {layout.sync_start - 1, true, true, true},
  };
  for (const auto& c : kCases) {
    std::vector<std::uint8_t> raw = good;
    raw[c.byte] ^= 0x10;
    const DecodedSector sector = decode_sector(layout, raw.data());
    EXPECT_EQ(sector.sync_found, c.sync) << c.byte;
    EXPECT_EQ(sector.place.has_value(), c.place) << c.byte;
    EXPECT_EQ(sector.check_ok, c.check) << c.byte;
  }
}

TEST(SectorCodec, OtherFieldSizes_AreRefusedByKey) {
  const struct {
    std::uint32_t drive::Format::*field;
    std::uint32_t bytes;
    const char* key;
  } kCases[] = {
      {&drive::Format::sync_bytes, 1, "design.format.sync_bytes"},
      {&drive::Format::sync_bytes, 3, "design.format.sync_bytes"},
      {&drive::Format::header_bytes, 7, "design.format.header_bytes"},
      {&drive::Format::header_bytes, 9, "design.format.header_bytes"},
      {&drive::Format::check_bytes, 0, "design.format.check_bytes"},
  };
  for (const auto& c : kCases) {
    drive::Design design = test::small_design();
    design.format.*c.field = c.bytes;
    try {
      static_cast<void>(layout_of(design));
      FAIL() << c.key << " = " << c.bytes << " was taken";
    } catch (const drive::Fault& fault) {
      EXPECT_EQ(fault.key, c.key);
    }
  }
}

// hdl/regs/buffer_mgr.rdl: SECTOR.bytes is a multiple of 4. Data that a host can check has 8 bytes.
TEST(SectorCodec, DataOfHalfAWord_IsRefused) {
  drive::Design design = test::small_design();
  for (const std::uint32_t bytes : {8U, 12U, 508U, 516U, 16'384U}) {
    design.sector_bytes = bytes;
    EXPECT_EQ(layout_of(design).data_bytes(), bytes);
  }
  for (const std::uint32_t bytes : {1U, 4U, 7U, 9U, 10U, 511U, 513U, 16'382U}) {
    design.sector_bytes = bytes;
    EXPECT_THROW(static_cast<void>(layout_of(design)), drive::Fault) << bytes;
  }
}

TEST(SectorCodec, PreambleOutsideTheFormattersField_IsRefused) {
  drive::Design design = test::small_design();
  for (const std::uint32_t bytes : {1U, 4095U}) {
    design.format.preamble_bytes = bytes;
    EXPECT_EQ(layout_of(design).sync_start, bytes);
  }
  for (const std::uint32_t bytes : {0U, 4096U}) {
    design.format.preamble_bytes = bytes;
    EXPECT_THROW(static_cast<void>(layout_of(design)), drive::Fault) << bytes;
  }
}

TEST(SectorCodec, BytesBelowANanosecond_AreRefused) {
  drive::Design design = test::small_design();
  design.rpm = 60'000;  // 1 ms a turn: 1,785 sectors of 560 bytes take 1 ns a byte
  design.zones[0].sectors_per_track = 1785;
  EXPECT_NO_THROW(static_cast<void>(layout_of(design)));
  design.zones[0].sectors_per_track = 1786;
  EXPECT_THROW(static_cast<void>(layout_of(design)), drive::Fault);
}

TEST(SectorCodec, BytesOfExactlyANanosecond_AreTaken_AndNoShorterOnes) {
  drive::Design design = test::small_design();
  design.rpm = 30'000;  // 2 ms a turn: 3,200 sectors of 625 bytes take 1 ns a byte
  design.zones[0].sectors_per_track = 3200;
  design.format.gap_bytes += 625 - drive::raw_sector_bytes(design);
  EXPECT_NO_THROW(static_cast<void>(layout_of(design)));
  design.rpm = 30'000.0000003;  // 1 in 10^11 shorter
  EXPECT_THROW(static_cast<void>(layout_of(design)), drive::Fault);
}

}  // namespace
}  // namespace headstack::channel
