// SPDX-License-Identifier: Apache-2.0
// Buffer manager against a reference: segments as queues of sectors. Random directions, segments,
// pauses, verdicts, restarts, resets; the core works on the RAM all the while. No byte is lost,
// doubled or out of order, and LEVEL is the queue's length, never above SIZE.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>

#include "tests/rtl/disk_buffer_bench.hpp"

namespace headstack::disk_test {
namespace {

constexpr std::uint32_t kSegments = 3;
constexpr std::uint32_t kScratch = 0x80000;  // the core's area, far from the rings

struct RingModel {
  std::uint32_t base = 0;
  std::uint32_t size = 0;
  std::uint32_t produced = 0;  // place of the next sector in the ring
  std::deque<Bytes> sectors;

  void put(Bytes sector) {
    sectors.push_back(std::move(sector));
    produced = (produced + 1) % size;
  }
};

struct ChannelModel {
  std::uint32_t config = 0;  // value of the register
  Bytes partial;             // partial sector of a producer
  std::size_t position = 0;  // position of a consumer

  bool enabled() const { return (config & kEnable) != 0; }
  bool consumes() const { return (config & kConsume) != 0; }
  std::uint32_t segment() const { return config & 7U; }
  bool producing(std::uint32_t s) const { return enabled() && !consumes() && segment() == s; }
  void restart() {
    partial.clear();
    position = 0;
  }
};

class ReferenceBench : public BufferBench {
 public:
  ReferenceBench(std::uint32_t seed, bool gating) : BufferBench(gating), random_(seed) {
    const std::uint32_t sizes[kSegments] = {1, 2, 5};
    sector_bytes_ = std::array<std::uint32_t, 3>{4, 16, 64}[pick(3)];
    set_sector(sector_bytes_);
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      rings_[s].base = 0x400 + 0x1000 * s;
      rings_[s].size = sizes[s];
      set_segment(s, rings_[s].base, sizes[s]);
    }
    step(4);
  }

  void phase() {
    settle();
    disturb();
    choose_channels();
    if (HasFatalFailure()) return;
    const std::uint32_t cycles = 100 + pick(400);
    host_pace_ = pick(5);
    disk_pace_ = pick(5);
    for (std::uint32_t i = 0; i < cycles && !HasFatalFailure(); ++i) random_cycle();
  }

  /// Stops both ports and lets all actions settle, so that levels are exact.
  void settle() {
    host.pause = disk.pause = true;
    step(8);
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      ASSERT_EQ(level(s), rings_[s].sectors.size()) << "segment " << s;
    }
  }

  /// Lets the host take all remaining sectors, in bounded time.
  void drain() {
    settle();
    configure(disk_model_, 0, false);
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      configure(host_model_, s | kConsume | kEnable, true);
      host.pause = false;
      host.want = 1U << 20;
      const bool empty = step_until(8 * (rings_[s].size * (sector_bytes_ + 8)),
                                    [&] { return rings_[s].sectors.empty(); });
      ASSERT_TRUE(empty) << "segment " << s;
      settle();
    }
  }

  std::uint64_t moved() const { return moved_; }

 private:
  static bool HasFatalFailure() { return testing::Test::HasFatalFailure(); }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  Bytes random_sector() {
    Bytes sector(sector_bytes_);
    for (auto& byte : sector) byte = static_cast<std::uint8_t>(random_());
    return sector;
  }

  void configure(ChannelModel& channel, std::uint32_t config, bool is_host) {
    is_host ? set_host(config) : set_disk(config);
    if (config != channel.config) channel.restart();
    channel.config = config;
    BytePort& port = is_host ? host : disk;
    port.to_send.clear();
    port.want = channel.consumes() ? 1U << 20 : 0;
  }

  /// Actions of firmware between transfers: resets, and sectors that the core wrote itself.
  void disturb() {
    if (pick(4) != 0) return;
    const std::uint32_t s = pick(kSegments);
    RingModel& ring = rings_[s];
    if (pick(2) != 0) {
      control(s, 1);
      ring.sectors.clear();
      ring.produced = 0;
      for (ChannelModel* channel : {&host_model_, &disk_model_}) {
        if (channel->segment() == s) channel->restart();
      }
      step(2);
      return;
    }
    if (host_model_.producing(s) || disk_model_.producing(s)) return;
    if (ring.sectors.size() == ring.size) return;
    const Bytes sector = random_sector();
    for (std::uint32_t i = 0; i < sector_bytes_; i += 4) {
      const std::uint32_t word = sector[i] | sector[i + 1] << 8 | sector[i + 2] << 16 |
                                 static_cast<std::uint32_t>(sector[i + 3]) << 24;
      core(true, ring.base + ring.produced * sector_bytes_ + i, word);
    }
    control(s, 1U << 16, 0xC);
    step(2);
    ring.put(sector);
  }

  void choose_channels() {
    const std::uint32_t host_config = pick(kSegments) | (pick(2) ? kConsume : 0) | kEnable;
    std::uint32_t disk_config = pick(kSegments) | (pick(2) ? kConsume : 0) | kEnable;
    // Often both on one segment, and never in the same direction there.
    if (pick(2) != 0) disk_config = (host_config & 7U) | kEnable;
    if ((disk_config & 7U) == (host_config & 7U)) {
      disk_config = host_config ^ kConsume;
    }
    // A change goes through "off" or directly; through "off" if both would collide.
    configure(disk_model_, 0, false);
    if (pick(2) != 0) configure(host_model_, 0, true);
    configure(host_model_, host_config, true);
    configure(disk_model_, disk_config, false);
  }

  void random_cycle() {
    host.pause = pick(5) < host_pace_;
    disk.pause = pick(5) < disk_pace_;
    if (host.to_send.empty() && host_model_.enabled() && !host_model_.consumes()) {
      host.send(random_sector());
    }
    const bool disk_fills = disk_model_.enabled() && !disk_model_.consumes();
    const bool complete = disk_fills && disk_model_.partial.size() == sector_bytes_;
    if (disk_fills && !complete && disk.to_send.empty()) {
      Bytes rest = random_sector();
      rest.resize(sector_bytes_ - disk_model_.partial.size());
      disk.send(rest);
    }
    if (complete && pick(3) == 0) {
      pick(4) != 0 ? commit() : drop();
    } else if (pick(200) == 0) {
      disk.pause = true;  // a verdict never comes in the cycle of a byte
      drop();
      disk.to_send.clear();
    } else if (pick(8) == 0) {
      play_as_core();
    } else if (pick(16) == 0) {
      const std::uint32_t s = pick(kSegments);
      ASSERT_LE(level(s), rings_[s].size);
    } else {
      step();
    }
  }

  void play_as_core() {
    const std::uint32_t word = pick(16);
    if (pick(2) != 0) {
      scratch_[word] = static_cast<std::uint32_t>(random_());
      core(true, kScratch + 4 * word, scratch_[word]);
      written_[word] = true;
    } else if (written_[word]) {
      ASSERT_EQ(core(false, kScratch + 4 * word), scratch_[word]);
    }
    ASSERT_TRUE(!written_[word] || core_answer_in_time);
  }

  void observe() override {
    const std::size_t host_sent = host.sent;
    const std::size_t disk_sent = disk.sent;
    const std::uint8_t host_byte = host.to_send.empty() ? 0 : host.to_send.front();
    const std::uint8_t disk_byte = disk.to_send.empty() ? 0 : disk.to_send.front();
    BufferBench::observe();
    // Consumers go first: sectors credited in this cycle are available in the next.
    if (!host.received.empty()) consume(host_model_, host);
    if (!disk.received.empty()) consume(disk_model_, disk);
    if (host.sent != host_sent) {
      produce(host_model_, host_byte);
      if (host_model_.partial.size() == sector_bytes_) credit(host_model_);
    }
    if (disk.sent != disk_sent) produce(disk_model_, disk_byte);
    if (disk_in.commit) credit(disk_model_);
    if (disk_in.drop) disk_model_.restart();
  }

  void produce(ChannelModel& channel, std::uint8_t byte) {
    const RingModel& ring = rings_[channel.segment()];
    if (channel.partial.empty()) {
      ASSERT_LT(ring.sectors.size(), ring.size) << "no room";
    }
    ASSERT_LT(channel.partial.size(), sector_bytes_);
    channel.partial.push_back(byte);
    ++moved_;
  }

  void credit(ChannelModel& channel) {
    ASSERT_EQ(channel.partial.size(), sector_bytes_);
    rings_[channel.segment()].put(channel.partial);
    channel.partial.clear();
  }

  void consume(ChannelModel& channel, BytePort& port) {
    RingModel& ring = rings_[channel.segment()];
    ASSERT_FALSE(ring.sectors.empty()) << "a byte from an empty ring";
    ASSERT_EQ(port.received.front(), ring.sectors.front()[channel.position]);
    port.received.clear();
    ++moved_;
    if (++channel.position == sector_bytes_) {
      ring.sectors.pop_front();
      channel.position = 0;
    }
  }

  std::mt19937 random_;
  std::uint32_t sector_bytes_ = 0;
  std::array<RingModel, kSegments> rings_;
  ChannelModel host_model_;
  ChannelModel disk_model_;
  std::uint32_t host_pace_ = 0;  // fifths of the cycles paused
  std::uint32_t disk_pace_ = 0;
  std::array<std::uint32_t, 16> scratch_{};
  std::array<bool, 16> written_{};
  std::uint64_t moved_ = 0;
};

class BufferMgrRandom : public testing::TestWithParam<std::tuple<std::uint32_t, bool>> {};

TEST_P(BufferMgrRandom, NoByteIsLostDoubledOrReordered) {
  const auto [seed, gating] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed) + (gating ? ", gated clock" : ""));
  ReferenceBench bench(seed, gating);
  for (int phase = 0; phase < 60; ++phase) {
    ASSERT_NO_FATAL_FAILURE(bench.phase()) << "phase " << phase;
  }
  ASSERT_NO_FATAL_FAILURE(bench.drain());
  EXPECT_GT(bench.moved(), 1000U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BufferMgrRandom,
                         testing::Combine(testing::Range(1U, 13U), testing::Bool()));

}  // namespace
}  // namespace headstack::disk_test
