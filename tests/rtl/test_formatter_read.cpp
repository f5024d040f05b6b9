// SPDX-License-Identifier: Apache-2.0
// Formatter: reading and verifying.
#include <gtest/gtest.h>

#include "tests/rtl/disk_formatter_bench.hpp"

namespace headstack::disk_test {
namespace {

// Published check values: the codes of "123456789".
TEST(FormatterTrack, CheckCodes_MatchTheirPublishedCheckValues) {
  const std::uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(crc16(digits, 9), 0x29B1);
  EXPECT_EQ(crc32(digits, 9), 0xCBF43926U);
}

class FormatterRead : public testing::TestWithParam<std::uint64_t> {
 protected:
  TrackFormat format_;
};

TEST_P(FormatterRead, OneSector_DeliversItsDataAndOneCredit) {
  Track track(format_);
  FormatterBench bench(track, GetParam());
  EXPECT_EQ(bench.run(kOpRead, 3, 1), kDone);
  EXPECT_EQ(joined(bench.buffer.committed), track.data(3));
  EXPECT_EQ(bench.done(), 1U);
  EXPECT_EQ(bench.buffer.drops, 0U);
  EXPECT_TRUE(bench.channel().written().empty());
}

TEST_P(FormatterRead, WholeTrack_FromAnyPlaceOfTheTrack) {
  Track track(format_);
  const std::uint32_t stride = GetParam() > 10000 ? 67 : 5;
  for (std::uint32_t start = 0; start < track.bytes().size(); start += stride) {
    FormatterBench bench(track, GetParam(), start);
    ASSERT_EQ(bench.run(kOpRead, 0, format_.sectors), kDone) << "start byte " << start;
    ASSERT_EQ(joined(bench.buffer.committed), track.data(0, format_.sectors));
    ASSERT_EQ(bench.done(), format_.sectors);
  }
}

// Sectors are back to back: a lost one would pass again only a revolution later.
TEST_P(FormatterRead, SectorsInARow_NoneIsLostAtAnyGap) {
  for (std::uint32_t gap = 1; gap <= 22; gap += GetParam() > 10000 ? 7 : 1) {
    format_.gap = gap;
    Track track(format_);
    // Some clocks before the index, so that the first sector is caught.
    FormatterBench bench(track, GetParam(), track.bytes().size() - 16);
    bench.start(kOpRead, 0, format_.sectors);
    ASSERT_TRUE(bench.step_until(bench.channel().cycles_per_revolution() + 16 * GetParam() / 1000,
                                 [&] { return bench.events() & kDone; }))
        << "gap " << gap;
    EXPECT_EQ(joined(bench.buffer.committed), track.data(0, format_.sectors));
    EXPECT_EQ(bench.index_pulses(), 1U);
  }
}

TEST_P(FormatterRead, LargeSectors_Deliver4096Bytes) {
  format_.data = 4096;
  format_.sectors = 2;
  Track track(format_);
  FormatterBench bench(track, GetParam());
  EXPECT_EQ(bench.run(kOpRead, 0, 2), kDone);
  EXPECT_EQ(joined(bench.buffer.committed), track.data(0, 2));
}

TEST_P(FormatterRead, Verify_ChecksAndMovesNothing) {
  Track track(format_);
  FormatterBench bench(track, GetParam());
  bench.buffer.can_accept = false;
  EXPECT_EQ(bench.run(kOpVerify, 1, 4), kDone);
  EXPECT_EQ(bench.done(), 4U);
  EXPECT_TRUE(bench.buffer.committed.empty());
  EXPECT_TRUE(bench.buffer.filling.empty());
  EXPECT_EQ(bench.buffer.drops, 0U);
}

INSTANTIATE_TEST_SUITE_P(ByteTime, FormatterRead, testing::ValuesIn(kByteTimes));

// COMMAND written in cycle c is obeyed in c + 1 and listens from c + 2 on. The first pulse that the
// channel makes for it comes in c + 3.
TEST(FormatterTiming, CommandJustBeforeTheSectorPulse_CatchesIt_JustAfter_WaitsARevolution) {
  TrackFormat format;
  for (const bool late : {false, true}) {
    Track track(format);
    FormatterBench bench(track, 1000);
    bench.write(offsetof(formatter_t, START), (format.first_sector + 2) | 1U << 16);
    const std::uint32_t pulse = 2 * format.raw();
    const std::uint32_t write_at = pulse - 3 + (late ? 1 : 0);  // a byte per clock
    ASSERT_TRUE(bench.step_until(1000, [&] { return bench.channel().position() == write_at; }));
    bench.command(kOpRead);
    EXPECT_EQ(bench.finish(), kDone);
    EXPECT_EQ(bench.index_pulses(), late ? 1U : 0U);
  }
}

// A header with one wrong field, for each field.
TEST(FormatterHeader, AnotherCylinderHeadOrSector_IsNotTakenForTheWanted) {
  TrackFormat format;
  const struct {
    std::uint32_t cylinder, head, sector;
  } cases[] = {{0x800000, 0, 0}, {0x000100, 0, 0}, {0x000001, 0, 0}, {0, 0x80, 0},
               {0, 0x01, 0},     {0, 0, 0x8000},   {0, 0, 0x0080}};
  for (const auto& c : cases) {
    Track track(format);
    track.write_header(2, format.cylinder ^ c.cylinder, format.head ^ c.head,
                       (format.first_sector + 2) ^ c.sector);
    FormatterBench bench(track, 2000);
    EXPECT_EQ(bench.run(kOpRead, 2, 1), kError);
    // Another sector's number sets no bit; another track's place does.
    EXPECT_EQ(bench.error(), kNotFound | (c.sector == 0 ? kOtherTrack : 0U));
    EXPECT_EQ(bench.error_sector(), format.first_sector + 2);
    EXPECT_TRUE(bench.buffer.committed.empty());
  }
}

TEST(FormatterHeader, AnyBadByte_IsReportedAndNotTaken) {
  TrackFormat format;
  for (std::uint32_t byte = 0; byte < 8; ++byte) {
    Track track(format);
    track.sector(2)[format.header_at() + byte] ^= 0x10;
    FormatterBench bench(track, 2000);
    EXPECT_EQ(bench.run(kOpRead, 2, 1), kError);
    EXPECT_EQ(bench.error(), kNotFound | kHeader);
    EXPECT_TRUE(bench.buffer.committed.empty());
  }
}

TEST(FormatterHeader, BadHeaderOfAnotherSector_StopsNothing) {
  TrackFormat format;
  Track track(format);
  track.sector(1)[format.header_at() + 7] ^= 0x01;
  FormatterBench bench(track, 2000, 1);
  EXPECT_EQ(bench.run(kOpRead, 2, 2), kDone);
  EXPECT_EQ(joined(bench.buffer.committed), track.data(2, 2));
  EXPECT_EQ(bench.error(), kHeader);
}

TEST(FormatterHeader, MissingSyncMark_IsReportedAndTheNextSectorStillFound) {
  TrackFormat format;
  for (std::uint32_t byte = 0; byte < 2; ++byte) {
    Track track(format);
    track.sector(2)[format.preamble + byte] = 0;
    FormatterBench bench(track, 2000, 1);
    EXPECT_EQ(bench.run(kOpRead, 3, 1), kDone);
    EXPECT_EQ(bench.index_pulses(), 0U);  // the sector right after it, in the same revolution
    EXPECT_EQ(bench.error(), kHeader | kNoSync);
    EXPECT_EQ(bench.run(kOpRead, 2, 1), kError);
    EXPECT_EQ(bench.error(), kNotFound | kHeader | kNoSync);
  }
}

// The hunt spans preamble, mark and 4 bytes of slack from the first byte that passes with the gate
// open. A mark up to 4 bytes late is found, one 6 late is not (byte 0 passes before the gate
// opens).
TEST(FormatterHeader, SyncMarkLate_IsFoundWithinTheSlackOnly) {
  for (const std::uint32_t late : {0U, 4U, 6U, 8U}) {
    TrackFormat format;
    format.preamble += late;  // as it stands on the track
    Track track(format);
    FormatterBench bench(track, 1680);
    bench.write(offsetof(formatter_t, FORMAT), (format.preamble - late) | format.data << 16);
    EXPECT_EQ(bench.run(kOpRead, 1, 1), late <= 4 ? kDone : kError) << late << " bytes late";
  }
}

TEST(FormatterHeader, Status_TellsTheLastGoodHeaderUntilTheIndex) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000);
  EXPECT_EQ(bench.run(kOpRead, 4, 1), kDone);
  EXPECT_EQ(bench.read(offsetof(formatter_t, STATUS)),
            (format.first_sector + 4) << 16 | FORMATTER__STATUS__HEADER_VALID_bm);
  bench.start(kOpRead, 4, 1);
  bench.step(2);
  const std::uint32_t busy = bench.read(offsetof(formatter_t, STATUS));
  EXPECT_EQ(busy & 3U, FORMATTER__STATUS__BUSY_bm);
}

// One wrong bit in each byte of data and check code.
TEST(FormatterCheck, AnyBadByte_GivesNoCreditAndStopsThere) {
  TrackFormat format;
  for (const Op op : {kOpRead, kOpVerify}) {
    for (std::uint32_t byte = format.data_at(); byte < format.gap_at(); ++byte) {
      Track track(format);
      track.sector(2)[byte] ^= static_cast<std::uint8_t>(1U << byte % 8);
      FormatterBench bench(track, 1680);
      ASSERT_EQ(bench.run(op, 1, 3), kError);
      ASSERT_EQ(bench.error(), kCheck);
      ASSERT_EQ(bench.error_sector(), format.first_sector + 2);
      ASSERT_EQ(bench.done(), 1U);
      ASSERT_EQ(bench.buffer.committed.size(), op == kOpRead ? 1U : 0U);
      ASSERT_EQ(bench.buffer.drops, op == kOpRead ? 1U : 0U);
    }
  }
}

TEST(FormatterCheck, BytesBesideTheSector_DoNotMatter) {
  TrackFormat format;
  Track track(format);
  track.sector(2)[format.gap_at()] = 0xFF;
  track.sector(2)[3] = 0xFF;  // preamble
  FormatterBench bench(track, 1680);
  EXPECT_EQ(bench.run(kOpRead, 1, 3), kDone);
}

TEST(FormatterOverrun, NoRoomWhenTheSectorBegins_StopsBeforeItsFirstByte) {
  Track track(TrackFormat{});
  FormatterBench bench(track, 2000);
  bench.buffer.can_accept = false;
  EXPECT_EQ(bench.run(kOpRead, 1, 2), kError);
  EXPECT_EQ(bench.error(), kOverrun);
  EXPECT_TRUE(bench.buffer.filling.empty());
  EXPECT_EQ(bench.done(), 0U);
}

TEST(FormatterOverrun, RefusedByte_StopsAndDropsTheSector) {
  for (const std::size_t byte : {0, 1, 30, 31}) {
    Track track(TrackFormat{});
    FormatterBench bench(track, 2000);
    bench.buffer.refuse_from_byte = byte;
    EXPECT_EQ(bench.run(kOpRead, 1, 1), kError) << "byte " << byte;
    EXPECT_EQ(bench.error(), kOverrun);
    EXPECT_EQ(bench.buffer.drops, 1U);
    EXPECT_TRUE(bench.buffer.committed.empty());
  }
}

}  // namespace
}  // namespace headstack::disk_test
