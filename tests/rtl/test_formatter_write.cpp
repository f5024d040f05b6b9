// SPDX-License-Identifier: Apache-2.0
// Formatter: writing. The content of the track is checked byte by byte afterwards.
#include <gtest/gtest.h>

#include "tests/rtl/disk_formatter_bench.hpp"

namespace headstack::disk_test {
namespace {

/// Data to write, unlike anything on a new track.
Bytes fresh_data(const TrackFormat& format, std::uint32_t seed) {
  Bytes data(format.data);
  for (std::uint32_t i = 0; i < format.data; ++i) {
    data[i] = static_cast<std::uint8_t>(~(i * 29 + seed * 101 + 1));
  }
  return data;
}

/// Bytes of the track that writing the sectors of these places may touch: data and check bytes.
std::vector<std::uint32_t> places_of(const TrackFormat& format, std::uint32_t first,
                                     std::uint32_t count) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = first; place < first + count; ++place) {
    for (std::uint32_t byte = format.data_at(); byte < format.gap_at(); ++byte) {
      places.push_back(place * format.raw() + byte);
    }
  }
  return places;
}

class FormatterWrite : public testing::TestWithParam<std::uint64_t> {
 protected:
  void fill(FormatterBench& bench, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      bench.buffer.waiting.push_back(fresh_data(format_, i));
    }
  }
  /// The expected track with `count` sectors of fresh data from `first` on.
  Track written(std::uint32_t first, std::uint32_t count) {
    Track track(format_);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bytes data = fresh_data(format_, i);
      std::copy(data.begin(), data.end(), track.sector(first + i) + format_.data_at());
      track.write_check(first + i);
    }
    return track;
  }
  TrackFormat format_;
};

TEST_P(FormatterWrite, WriteGate_OpensForDataAndCheckBytesOnly) {
  Track track(format_);
  FormatterBench bench(track, GetParam());
  fill(bench, 3);
  EXPECT_EQ(bench.run(kOpWrite, 1, 3), kDone);
  EXPECT_EQ(bench.channel().written(), places_of(format_, 1, 3));
  EXPECT_EQ(track.bytes(), written(1, 3).bytes());
  EXPECT_EQ(bench.done(), 3U);
  EXPECT_TRUE(bench.buffer.waiting.empty());
  EXPECT_EQ(bench.buffer.drops, 0U);
}

TEST_P(FormatterWrite, WrittenSectors_ReadBack) {
  Track track(format_);
  FormatterBench bench(track, GetParam());
  fill(bench, format_.sectors);
  EXPECT_EQ(bench.run(kOpWrite, 0, format_.sectors), kDone);
  EXPECT_EQ(bench.run(kOpRead, 0, format_.sectors), kDone);
  Bytes all;
  for (std::uint32_t i = 0; i < format_.sectors; ++i) {
    const Bytes data = fresh_data(format_, i);
    all.insert(all.end(), data.begin(), data.end());
  }
  EXPECT_EQ(joined(bench.buffer.committed), all);
}

TEST_P(FormatterWrite, SectorsInARow_NoneIsLostAtAnyGap) {
  for (std::uint32_t gap = 1; gap <= 22; gap += GetParam() > 10000 ? 7 : 1) {
    format_.gap = gap;
    Track track(format_);
    FormatterBench bench(track, GetParam(), track.bytes().size() - 16);
    fill(bench, format_.sectors);
    bench.start(kOpWrite, 0, format_.sectors);
    ASSERT_TRUE(bench.step_until(bench.channel().cycles_per_revolution() + 16 * GetParam() / 1000,
                                 [&] { return bench.events() & kDone; }))
        << "gap " << gap;
    EXPECT_EQ(track.bytes(), written(0, format_.sectors).bytes());
  }
}

// "A sector begun is closed with bad check bytes": each byte of the check code differs from the
// good one. The rest of the sector is zeros, and the gate opens and closes as usual.
TEST_P(FormatterWrite, UnderrunWithinASector_ClosesItWithBadCheckBytes) {
  for (const std::size_t byte : {1, 4, 30, 31}) {
    Track track(format_);
    FormatterBench bench(track, GetParam());
    fill(bench, 2);
    bench.buffer.missing_from_byte = byte;
    ASSERT_EQ(bench.run(kOpWrite, 2, 2), kError);
    ASSERT_EQ(bench.error(), kUnderrun);
    ASSERT_EQ(bench.error_sector(), format_.first_sector + 2);
    ASSERT_EQ(bench.done(), 0U);
    ASSERT_EQ(bench.channel().written(), places_of(format_, 2, 1));
    Bytes data = fresh_data(format_, 0);
    std::fill(data.begin() + static_cast<std::ptrdiff_t>(byte), data.end(), 0);
    ASSERT_EQ(track.data(2), data);
    for (std::uint32_t i = 0; i < 4; ++i) ASSERT_NE(track.check(2)[i], track.good_check(2)[i]);
    // The buffer still has the sector, from its first byte on.
    ASSERT_EQ(bench.buffer.waiting.size(), 2U);
    ASSERT_EQ(bench.buffer.taken, 0U);
    // Reading detects it.
    ASSERT_EQ(bench.run(kOpVerify, 2, 1), kError);
    ASSERT_EQ(bench.error(), kCheck);
  }
}

TEST_P(FormatterWrite, UnderrunBeforeASector_WritesNothing) {
  Track track(format_);
  FormatterBench bench(track, GetParam());
  fill(bench, 1);
  EXPECT_EQ(bench.run(kOpWrite, 2, 2), kError);
  EXPECT_EQ(bench.error(), kUnderrun);
  EXPECT_EQ(bench.error_sector(), format_.first_sector + 3);
  EXPECT_EQ(bench.done(), 1U);
  EXPECT_EQ(track.bytes(), written(2, 1).bytes());
}

INSTANTIATE_TEST_SUITE_P(ByteTime, FormatterWrite, testing::ValuesIn(kByteTimes));

TEST(FormatterWriteReady, SectorBeforeIt_PassesByAndIsWrittenNextTimeRound) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000, 1);
  bench.buffer.waiting.push_back(fresh_data(format, 0));
  bench.write_ready = false;
  bench.start(kOpWrite, 2, 1);
  // Ready is one byte after the header's last: too late for this sector.
  ASSERT_TRUE(bench.step_until(10000, [&] {
    return bench.channel().position() == 2 * format.raw() + format.data_at() + 1;
  }));
  bench.write_ready = true;
  EXPECT_EQ(bench.finish(), kDone);
  EXPECT_EQ(bench.index_pulses(), 1U);
  EXPECT_EQ(bench.channel().written(), places_of(format, 2, 1));
  EXPECT_EQ(track.data(2), fresh_data(format, 0));
}

TEST(FormatterWriteReady, ReadyByTheHeadersLastByte_IsInTime) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000, 1);
  bench.buffer.waiting.push_back(fresh_data(format, 0));
  bench.write_ready = false;
  bench.start(kOpWrite, 2, 1);
  ASSERT_TRUE(bench.step_until(10000, [&] {
    return bench.channel().position() == 2 * format.raw() + format.data_at() - 1;
  }));
  bench.write_ready = true;
  EXPECT_EQ(bench.finish(), kDone);
  EXPECT_EQ(bench.index_pulses(), 0U);
}

// Looked at with the last check byte": the sector gives no credit, and the buffer keeps its data.
TEST(FormatterWriteFault, StopsTheRunAtItsSector_AndTheBufferKeepsIt) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000, 1);
  for (std::uint32_t i = 0; i < 3; ++i) bench.buffer.waiting.push_back(fresh_data(format, i));
  bench.start(kOpWrite, 1, 3);
  ASSERT_TRUE(bench.step_until(100'000, [&] { return bench.done() == 1; }));
  bench.write_fault = true;  // as long as the gate is open
  EXPECT_EQ(bench.finish(), kError);
  EXPECT_EQ(bench.error(), kWriteFault);
  EXPECT_EQ(bench.error_sector(), format.first_sector + 2);
  EXPECT_EQ(bench.done(), 1U);
  EXPECT_EQ(bench.buffer.waiting.size(), 2U);
  EXPECT_EQ(bench.buffer.taken, 0U) << "from its first byte on";
  bench.write_fault = false;
  EXPECT_EQ(bench.run(kOpWrite, 2, 2), kDone);
  EXPECT_EQ(bench.error(), 0U);
}

// The fault is asserted with the last check byte's strobe, and no longer: both edges.
TEST(FormatterWriteFault, CountsInTheCycleOfTheLastCheckByte) {
  TrackFormat format;
  for (const bool stays : {false, true}) {
    Track track(format);
    FormatterBench bench(track, 2000, 1);
    bench.buffer.waiting.push_back(fresh_data(format, 0));
    bench.write_fault = true;
    bench.start(kOpWrite, 2, 1);
    ASSERT_TRUE(bench.step_until(10'000, [&] {
      return bench.channel().position() == 2 * format.raw() + format.gap_at() - 1;
    }));
    bench.write_fault = stays;
    EXPECT_EQ(bench.finish(), stays ? kError : kDone);
    EXPECT_EQ(bench.error(), stays ? kWriteFault : 0U);
  }
}

TEST(FormatterWriteFault, WhileReading_MeansNothing) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000, 1);
  bench.write_fault = true;
  EXPECT_EQ(bench.run(kOpRead, 1, 2), kDone);
  EXPECT_EQ(bench.error(), 0U);
}

TEST(FormatterWriteFault, InTheLastSectorOfAnAbort_EndsWithBoth) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000, 1);
  for (std::uint32_t i = 0; i < 2; ++i) bench.buffer.waiting.push_back(fresh_data(format, i));
  bench.write_fault = true;
  bench.start(kOpWrite, 2, 2);
  ASSERT_TRUE(bench.step_until(10'000, [&] {
    return bench.channel().position() == 2 * format.raw() + format.data_at() + 5;
  }));
  bench.command(kOpAbort);
  EXPECT_EQ(bench.finish(), kError | kDone);
  EXPECT_EQ(bench.error(), kWriteFault);
}

// The limit counts index pulses "without a sector found", and is 2. One passes before the last
// sector comes round and is written. The next does not exist: two more pulses pass until it is
// given up.
TEST(FormatterWritePatience, EverySectorWritten_BeginsTheCountAgain) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000, (format.sectors - 1) * format.raw() + 1);
  for (std::uint32_t i = 0; i < 2; ++i) bench.buffer.waiting.push_back(fresh_data(format, i));
  bench.write(offsetof(formatter_t, LIMIT), 2);
  EXPECT_EQ(bench.run(kOpWrite, format.sectors - 1, 2), kError);
  EXPECT_EQ(bench.done(), 1U);
  EXPECT_EQ(bench.error(), kNotFound);
  EXPECT_EQ(bench.index_pulses(), 3U);
}

// A bad header must never open the write gate.
TEST(FormatterWriteSafety, BadHeader_WritesNothing) {
  TrackFormat format;
  for (std::uint32_t byte = 0; byte < 8; ++byte) {
    Track track(format);
    track.sector(2)[format.header_at() + byte] ^= 0x02;
    FormatterBench bench(track, 1680);
    bench.buffer.waiting.push_back(fresh_data(format, 0));
    EXPECT_EQ(bench.run(kOpWrite, 2, 1), kError);
    EXPECT_EQ(bench.error(), kNotFound | kHeader);
    EXPECT_TRUE(bench.channel().written().empty());
  }
}

}  // namespace
}  // namespace headstack::disk_test
