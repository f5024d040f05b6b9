// SPDX-License-Identifier: Apache-2.0
// Formatter and buffer manager joined: sectors between the track and the host's byte port.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "Vdisk_path_top.h"
#include "buffer_mgr_regs.h"
#include "formatter_regs.h"
#include "hdl_ports.hpp"
#include "tests/rtl/disk_bench.hpp"
#include "tests/rtl/disk_track.hpp"

namespace headstack::disk_test {
namespace {

// formatter.rdl op_e; buffer_mgr.rdl HOST and DISK, alike in both.
constexpr std::uint32_t kRead = 1;
constexpr std::uint32_t kWrite = 2;
constexpr std::uint32_t kAbort = 4;
constexpr std::uint32_t kConsume = BUFFER_MGR__DISK__TO_DISK_bm;
constexpr std::uint32_t kEnable = BUFFER_MGR__DISK__ENABLE_bm;
constexpr std::uint32_t kDone = FORMATTER__INTR_STATE__DONE_bm;
constexpr std::uint32_t kError = FORMATTER__INTR_STATE__ERROR_bm;

class PathBench : public BlockBench<Vdisk_path_top> {
 public:
  PathBench(Track& track, std::uint64_t byte_time_milliclocks, std::uint32_t ring_sectors,
            bool gating = false)
      : BlockBench(gating), channel_(track, byte_time_milliclocks, 1), format_(track.format()) {
    reset();
    formatter(offsetof(formatter_t, TRACK), format_.cylinder | format_.head << 24);
    formatter(offsetof(formatter_t, FORMAT), format_.preamble | format_.data << 16);
    buffer(offsetof(buffer_mgr_t, SECTOR), format_.data);
    buffer(offsetof(buffer_mgr_t, SEGMENT[3].BASE), 0x4000);
    buffer(offsetof(buffer_mgr_t, SEGMENT[3].SIZE), ring_sectors);
  }

  void buffer(std::size_t offset, std::uint32_t value) {
    model_.reg_select_i = 0;
    write(offset, value);
  }
  void formatter(std::size_t offset, std::uint32_t value) {
    model_.reg_select_i = 1;
    write(offset, value);
  }
  std::uint32_t formatter(std::size_t offset) {
    model_.reg_select_i = 1;
    return read(offset);
  }
  std::uint32_t level() {
    model_.reg_select_i = 0;
    return read(offsetof(buffer_mgr_t, SEGMENT[3].LEVEL));
  }

  /// Both channels on segment 3, streaming from the media to the host or back.
  void connect(bool to_host) {
    buffer(offsetof(buffer_mgr_t, DISK), 3 | kEnable | (to_host ? 0 : kConsume));
    buffer(offsetof(buffer_mgr_t, HOST), 3 | kEnable | (to_host ? kConsume : 0));
  }

  void start(std::uint32_t op, std::uint32_t place, std::uint32_t count) {
    formatter(offsetof(formatter_t, START), (format_.first_sector + place) | count << 16);
    formatter(offsetof(formatter_t, INTR_STATE), kDone | kError);
    formatter(offsetof(formatter_t, COMMAND), op);
  }
  std::uint32_t finish() {
    step(2);
    EXPECT_TRUE(
        step_until(20 * channel_.cycles_per_revolution(), [&] { return !gates.sector_listen; }));
    step();
    return formatter(offsetof(formatter_t, INTR_STATE)) & (kDone | kError);
  }
  std::uint32_t done() { return formatter(offsetof(formatter_t, PROGRESS)) & 0xFFFF; }
  std::uint32_t error() { return formatter(offsetof(formatter_t, ERROR)) & 0xFFFF; }

  /// An operation over `count` sectors, restarted where an error stopped it, as firmware does.
  /// @return the number of starts.
  std::uint32_t run_to_the_end(std::uint32_t op, std::uint32_t count) {
    std::uint32_t starts = 0;
    for (std::uint32_t at = 0; at < count && starts < 100; at += done()) {
      start(op, at, count - at);
      ++starts;
      const std::uint32_t events = finish();
      if (events == kError) {
        EXPECT_EQ(error(),
                  op == kRead ? FORMATTER__ERROR__OVERRUN_bm : FORMATTER__ERROR__UNDERRUN_bm);
      }
    }
    return starts;
  }
  /// Waits until the host has caught up.
  void settle() { step(format_.data * format_.sectors * host_clocks_per_byte + 100); }

  Bytes to_send;
  Bytes received;
  std::uint32_t host_clocks_per_byte = 1;
  ports::ChannelOut gates;
  Channel& channel() { return channel_; }

 private:
  void drive() override {
    const Passing passing = channel_.step(gates);
    model_.channel_i = ports::ChannelIn{passing.sector_pulse, passing.index_pulse, passing.strobe,
                                        passing.nrz, false}
                           .word();
    model_.heads_i = ports::Heads{true, true, false}.word();
    model_.core_req_i = 0;
    const bool turn = cycle() % host_clocks_per_byte == 0;
    const bool more = sent_ < to_send.size();
    host_ = {turn && more, more ? to_send[sent_] : std::uint8_t{0xEE}, turn};
    model_.host_i = host_.word();
  }
  void observe() override {
    gates = ports::ChannelOut::of(model_.channel_o);
    const auto from_buffer = ports::BytesFromBuffer::of(model_.host_o);
    if (host_.rd_ready && from_buffer.rd_valid) received.push_back(from_buffer.rd_data);
    if (host_.wr_valid && from_buffer.wr_ready) ++sent_;
  }

  Channel channel_;
  TrackFormat format_;
  ports::BytesToBuffer host_;
  std::size_t sent_ = 0;
};

Bytes fresh_data(std::size_t bytes) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<std::uint8_t>(~(i * 13 + (i >> 8) * 5 + 1));
  }
  return data;
}

class DiskPath : public testing::TestWithParam<std::uint64_t> {
 protected:
  DiskPath() {
    format_.data = 512;
    format_.gap = 1;
  }
  TrackFormat format_;
};

// A ring of two sectors and a host as fast as the media: one stream without a pause.
TEST_P(DiskPath, Read_StreamsATrackThroughARingOfTwoSectors) {
  Track track(format_);
  PathBench bench(track, GetParam(), 2);
  bench.connect(true);
  EXPECT_EQ(bench.run_to_the_end(kRead, format_.sectors), 1U);
  bench.settle();
  EXPECT_EQ(bench.received, track.data(0, format_.sectors));
  EXPECT_EQ(bench.level(), 0U);
}

TEST_P(DiskPath, Write_StreamsATrackThroughARingOfTwoSectors) {
  Track track(format_);
  const Bytes before = track.bytes();
  PathBench bench(track, GetParam(), 2);
  bench.to_send = fresh_data(format_.data * format_.sectors);
  bench.connect(false);
  bench.settle();  // two sectors ahead
  EXPECT_EQ(bench.level(), 2U);
  EXPECT_EQ(bench.run_to_the_end(kWrite, format_.sectors), 1U);
  EXPECT_EQ(track.data(0, format_.sectors), bench.to_send);
  EXPECT_EQ(bench.channel().written().size(), format_.sectors * (format_.data + 4));
  for (std::uint32_t place = 0; place < format_.sectors; ++place) {
    EXPECT_EQ(track.check(place), track.good_check(place));
  }
  EXPECT_EQ(bench.level(), 0U);
}

// The host is much slower than the media. The operation stops and is resumed after the last good
// sector, until every byte has been transferred once.
TEST_P(DiskPath, ReadOverrun_TakenUpAgain_LosesAndDoublesNothing) {
  Track track(format_);
  PathBench bench(track, GetParam(), 2);
  bench.host_clocks_per_byte = static_cast<std::uint32_t>(3 * GetParam() / 1000);
  bench.connect(true);
  EXPECT_GT(bench.run_to_the_end(kRead, format_.sectors), 1U);
  bench.settle();
  EXPECT_EQ(bench.received, track.data(0, format_.sectors));
}

TEST_P(DiskPath, WriteUnderrun_TakenUpAgain_LosesAndDoublesNothing) {
  Track track(format_);
  PathBench bench(track, GetParam(), 2);
  bench.to_send = fresh_data(format_.data * format_.sectors);
  bench.host_clocks_per_byte = static_cast<std::uint32_t>(3 * GetParam() / 1000);
  bench.connect(false);
  EXPECT_GT(bench.run_to_the_end(kWrite, format_.sectors), 1U);
  EXPECT_EQ(track.data(0, format_.sectors), bench.to_send);
}

// Byte times: a clock; 42 ns, and two clocks of 25 ns; an odd time.
INSTANTIATE_TEST_SUITE_P(ByteTime, DiskPath, testing::Values(1000, 1680, 2000, 5300));

TEST(DiskPathFaults, BadSector_GivesNoByteToTheHost_AndIsReadAgainWhenGood) {
  Track track(TrackFormat{});
  const TrackFormat& format = track.format();
  PathBench bench(track, 1680, 4);
  bench.connect(true);
  std::uint8_t& flaw = track.sector(2)[format.data_at() + 20];
  flaw ^= 0x04;
  bench.start(kRead, 0, format.sectors);
  EXPECT_EQ(bench.finish(), kError);
  EXPECT_EQ(bench.error(), FORMATTER__ERROR__CHECK_bm);
  bench.settle();
  EXPECT_EQ(bench.received, track.data(0, 2));
  flaw ^= 0x04;
  bench.start(kRead, 2, format.sectors - 2);
  EXPECT_EQ(bench.finish(), kDone);
  bench.settle();
  EXPECT_EQ(bench.received, track.data(0, format.sectors));
}

// The operation is stopped at any cycle and resumed: the stream stays whole.
TEST(DiskPathFaults, AbortInAnyCycle_TakenUpAgain_LosesAndDoublesNothing) {
  for (const std::uint32_t op : {kRead, kWrite}) {
    for (std::uint32_t when = 0; when < 500; ++when) {
      Track track(TrackFormat{});
      const TrackFormat& format = track.format();
      PathBench bench(track, 1680, 6);
      bench.to_send = fresh_data(format.data * format.sectors);
      bench.connect(op == kRead);
      bench.settle();
      bench.start(op, 0, format.sectors);
      ASSERT_TRUE(bench.step_until(5000, [&] { return bench.gates.read_gate; }));
      bench.step(when);
      bench.formatter(offsetof(formatter_t, COMMAND), kAbort);
      ASSERT_EQ(bench.finish(), kDone) << when;
      const std::uint32_t done = bench.done();
      if (done < format.sectors) {
        bench.start(op, done, format.sectors - done);
        ASSERT_EQ(bench.finish(), kDone) << when;
      }
      bench.settle();
      const Bytes& expected = op == kRead ? bench.received : bench.to_send;
      ASSERT_EQ(track.data(0, format.sectors), expected) << when;
    }
  }
}

// With the clock given only on request, both blocks do the same, at any byte time.
TEST(DiskPathSleep, ClockOnRequestOnly_ChangesNothing) {
  for (const std::uint64_t byte_time : {1000, 1680, 5300, 70000}) {
    for (const std::uint32_t op : {kRead, kWrite}) {
      Track track_asleep(TrackFormat{});
      Track track_awake(TrackFormat{});
      PathBench asleep(track_asleep, byte_time, 6, true);
      PathBench awake(track_awake, byte_time, 6, false);
      for (PathBench* bench : {&asleep, &awake}) {
        bench->to_send = fresh_data(track_awake.format().data * 6);
        bench->connect(op == kRead);
        bench->settle();
        bench->start(op, 0, 6);
      }
      const std::uint64_t cycles = 2 * awake.channel().cycles_per_revolution();
      for (std::uint64_t i = 0; i < cycles; ++i) {
        asleep.step();
        awake.step();
        ASSERT_EQ(asleep.received.size(), awake.received.size()) << i;
        ASSERT_EQ(asleep.gates.write_gate, awake.gates.write_gate) << i;
      }
      EXPECT_EQ(asleep.received, awake.received);
      EXPECT_EQ(track_asleep.bytes(), track_awake.bytes());
      EXPECT_EQ(asleep.done(), 6U);
      if (byte_time == 70000) {
        EXPECT_LT(asleep.edges() * 10, awake.edges());
      }
    }
  }
}

}  // namespace
}  // namespace headstack::disk_test
