// SPDX-License-Identifier: Apache-2.0
// The buffer manager's registers and rings against a model that is right in every cycle. An access
// comes in any cycle, to any segment, with any byte enables, while the channels move. LEVEL, the
// other registers, can_accept, the interrupt and each byte's place are as
// hdl/regs/buffer_mgr.rdl and the head of buffer_mgr_segments.sv say.
//
// Each byte of RAM has a value of its own, and the disk writes what is there already. So a sector
// that goes to, or comes from, a wrong place shows.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>

#include "tests/rtl/disk_buffer_bench.hpp"

namespace headstack::disk_test {
namespace {

constexpr std::uint32_t kSegments = 8;
constexpr std::uint32_t kArea = 0x100;  // of a segment's ring
constexpr std::uint32_t kCycles = 20000;

std::uint8_t value_at(std::uint32_t address) {
  return static_cast<std::uint8_t>(address * 37 + (address >> 8) * 101 + 11);
}

/// The bits that a write with these byte enables reaches.
std::uint32_t reach(std::uint32_t byte_enables) {
  std::uint32_t mask = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if ((byte_enables >> byte & 1) != 0) mask |= 0xFFU << 8 * byte;
  }
  return mask;
}

struct RingModel {
  std::uint32_t base = 0;
  std::uint32_t size = 1;
  std::uint32_t level = 0;
  std::uint32_t produce = 0;
  std::uint32_t consume = 0;
};

struct ChannelModel {
  std::uint32_t config = 0;    // value of the register
  bool changed = false;        // changed in the cycle before
  bool ran = false;            // enabled in the cycle before
  std::uint32_t position = 0;  // bytes of the current sector

  bool enabled() const { return (config & kEnable) != 0; }
  bool consumes() const { return (config & kConsume) != 0; }
  std::uint32_t segment() const { return config & 7U; }
};

/// A write of CONTROL, served in the cycle after it.
struct Order {
  bool reset = false;
  bool produce = false;
  bool discard = false;
  bool skip = false;
  std::uint32_t segment = 0;
  std::uint32_t count = 0;
};

class Adversary : public BufferBench {
 public:
  Adversary(std::uint32_t seed, bool gating) : BufferBench(gating), random_(seed) {
    sector_ = std::array{4U, 8U, 16U}[pick(3)];
    set_sector(sector_);
    for (std::uint32_t at = 0; at < kSegments * kArea; at += 4) {
      std::uint32_t word = 0;
      for (unsigned byte = 0; byte < 4; ++byte) word |= value_at(at + byte) << 8 * byte;
      core(true, at, word);
    }
    playing_ = true;
  }

  void play() {
    for (std::uint32_t i = 0; i < kCycles && !testing::Test::HasFailure(); ++i) {
      if (i % 256 == 0) host_pace_ = pick(4);
      if (i % 256 == 128) disk_pace_ = pick(4);
      choose_bytes();
      access_or_not();
      disk_in.commit = disk_in.drop = false;
    }
  }

  /// Checks that RAM has only its original content.
  void look_at_ram() {
    playing_ = false;
    host.pause = disk.pause = true;
    for (std::uint32_t at = 0; at < kSegments * kArea; ++at) {
      ASSERT_EQ(core_byte(at), value_at(at)) << "address " << at;
    }
  }

  std::uint32_t finished = 0;    // sectors
  std::uint32_t collisions = 0;  // cycles with an order and a sector of its segment

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  RingModel& ring_of(const ChannelModel& channel) { return rings_[channel.segment()]; }
  bool feeds(std::uint32_t s) const {
    return disk_model_.enabled() && !disk_model_.consumes() && disk_model_.segment() == s;
  }
  bool drains(std::uint32_t s) const {
    return (host_model_.enabled() && host_model_.consumes() && host_model_.segment() == s) ||
           (disk_model_.enabled() && disk_model_.consumes() && disk_model_.segment() == s);
  }
  bool in_use(std::uint32_t s) const {
    return (host_model_.enabled() && host_model_.segment() == s) ||
           (disk_model_.enabled() && disk_model_.segment() == s);
  }
  std::uint32_t place(const RingModel& ring, std::uint32_t index) const {
    return ring.base + index * sector_;
  }

  /// Chooses the ports' actions in this cycle.
  void choose_bytes() {
    host.pause = pick(4) < host_pace_;
    disk.pause = pick(4) < disk_pace_;
    host.want = disk.want = 1;
    offer();
    if (feeds(disk_model_.segment()) && disk_model_.position == sector_ && pick(3) == 0) {
      disk.pause = true;
      (pick(5) != 0 ? disk_in.commit : disk_in.drop) = true;
    }
  }

  /// Offers the byte that belongs to the place of the disk's next byte.
  void offer() {
    disk.to_send.clear();
    const RingModel& ring = ring_of(disk_model_);
    if (!feeds(disk_model_.segment()) || disk_model_.position == sector_) return;
    disk.send({value_at(place(ring, ring.produce) + disk_model_.position)});
  }

  void access_or_not() {
    const std::uint32_t s = pick(kSegments);
    // Often the segments that are in use.
    const std::uint32_t busy = pick(2) != 0 ? disk_model_.segment() : host_model_.segment();
    switch (pick(16)) {
      case 0: return set_channel(host_model_, true);
      case 1: return set_channel(disk_model_, false);
      case 2:
      case 3: return order(busy);
      case 4: return order(s);
      case 5: return shape(s);
      case 6: return clear_events();
      case 7: return expect(offsetof(buffer_mgr_t, INTR_STATE), events_);
      case 8: return look_at(s);
      case 9:
      case 10: return expect_level(busy);
      case 11: return expect_level(s);
      case 12: return refused();
      default: return step();
    }
  }

  void expect(std::size_t offset, std::uint32_t value) {
    // The model advances in the step of the read itself.
    const std::uint32_t is = read(offset);
    EXPECT_EQ(is, value) << "offset " << offset << ", cycle " << cycle();
    EXPECT_FALSE(access_failed());
  }
  void expect_level(std::uint32_t s) {
    expect(segment(s, offsetof(buffer_mgr__segment_rf_t, LEVEL)), rings_[s].level);
  }
  void look_at(std::uint32_t s) {
    switch (pick(5)) {
      case 0: return expect(segment(s, offsetof(buffer_mgr__segment_rf_t, BASE)), rings_[s].base);
      case 1: return expect(segment(s, offsetof(buffer_mgr__segment_rf_t, SIZE)), rings_[s].size);
      case 2: return expect(segment(s, offsetof(buffer_mgr__segment_rf_t, CONTROL)), 0);
      case 3: return expect(offsetof(buffer_mgr_t, HOST), host_model_.config);
      default: return expect(offsetof(buffer_mgr_t, DISK), disk_model_.config);
    }
  }
  void refused() {
    const std::size_t offset = std::array{0x0CU, 0x18U, 0x7CU, 0x100U, 0xFFCU}[pick(5)];
    if (pick(2) != 0) {
      write(offset, 0xFFFFFFFF);
    } else {
      static_cast<void>(read(offset));
    }
    EXPECT_TRUE(access_failed()) << "no register at " << offset;
  }

  void set_channel(ChannelModel& channel, bool is_host) {
    // The host channel only drains: no pin shows the cycle in which its last word would reach RAM.
    const std::uint32_t direction = is_host || pick(2) != 0 ? kConsume : 0;
    const std::uint32_t config = pick(kSegments) | direction | (pick(6) != 0 ? kEnable : 0);
    // Bytes of the register that are not written stay unchanged.
    const std::uint32_t byte_enables = pick(4) != 0 ? 0xF : pick(16);
    const std::uint32_t mask = reach(byte_enables);
    const std::uint32_t before = channel.config;
    is_host ? write(offsetof(buffer_mgr_t, HOST), config, byte_enables)
            : write(offsetof(buffer_mgr_t, DISK), config, byte_enables);
    channel.config = (before & ~mask) | (config & mask);
    channel.changed = channel.config != before;
  }

  void order(std::uint32_t s) {
    // "Not while a channel produces into the segment."
    std::uint32_t byte_enables = pick(3) != 0 ? 0xF : pick(16);
    std::uint32_t value = pick(rings_[s].size + 2) << 16 | (pick(4) == 0 ? 1 : 0);
    // "Not while a channel consumes from the segment."
    if (!drains(s) && pick(3) == 0) value |= 2;
    if (!drains(s) && pick(3) == 0) value |= 4;
    // A skip alone may come then.
    if (feeds(s) && ((value & 7) != 4 || byte_enables % 2 == 0)) byte_enables &= 0x3;
    control(s, value, byte_enables);
    const std::uint32_t reached = value & reach(byte_enables);
    const bool reset = (reached & 1) != 0;
    const bool discard = !reset && (reached & 2) != 0;
    const bool skip = !reset && !discard && (reached & 4) != 0;
    const bool produce = (byte_enables & 0xC) != 0 && !discard && !skip;
    order_ = {reset, produce, discard, skip, s, reached >> 16};
  }

  /// "Change it only while no channel uses the segment, and reset the segment then."
  void shape(std::uint32_t s) {
    if (in_use(s) || order_.segment == s) return step();
    RingModel& ring = rings_[s];
    const std::uint32_t byte_enables = pick(2) != 0 ? 0xF : pick(16);
    const std::uint32_t mask = reach(byte_enables);
    const std::uint32_t base = kArea * s + 4 * pick(16);
    const std::uint32_t size = 1 + pick(5);
    write(segment(s, offsetof(buffer_mgr__segment_rf_t, BASE)), base, byte_enables);
    ring.base = (ring.base & ~mask) | (base & mask);
    write(segment(s, offsetof(buffer_mgr__segment_rf_t, SIZE)), size, byte_enables);
    ring.size = (ring.size & ~mask) | (size & mask);
    control(s, 1);
    order_ = {true, true, false, false, s, 0};
  }

  void clear_events() {
    const std::uint32_t bits = pick(4);
    clears_ = bits;
    write(offsetof(buffer_mgr_t, INTR_STATE), bits);
    if (pick(4) != 0) return;
    const std::uint32_t mask = pick(4);
    write(offsetof(buffer_mgr_t, INTR_ENABLE), mask);
    mask_ = mask;
  }

  /// Whether a channel may move bytes in this cycle. One that may not has dropped its sector.
  bool runs(ChannelModel& channel, bool enabled) const {
    const bool reset = order_.reset && order_.segment == channel.segment();
    const bool run = enabled && channel.ran && !channel.changed && !reset;
    channel.ran = enabled;
    channel.changed = false;
    if (!run) channel.position = 0;
    return run;
  }

  void observe() override {
    const bool was_sent = !disk.to_send.empty();
    BufferBench::observe();
    if (!playing_) return;
    const bool shared = disk_model_.enabled() && disk_model_.segment() == host_model_.segment() &&
                        disk_model_.consumes() == host_model_.consumes();
    const RingModel& disk_ring = ring_of(disk_model_);
    EXPECT_EQ(can_accept, feeds(disk_model_.segment()) && disk_ring.level < disk_ring.size);
    EXPECT_EQ(model_.irq_o, (events_ & mask_) != 0);

    const bool host_run = runs(host_model_, host_model_.enabled() && !shared);
    const bool disk_run = runs(disk_model_, disk_model_.enabled());
    const bool host_took = take(host_model_, host, host_run);
    const bool disk_took = take(disk_model_, disk, disk_run);
    if (was_sent && disk.to_send.empty()) {
      EXPECT_TRUE(disk_run) << "a byte is refused by a channel that stands";
      EXPECT_LT(disk_ring.level, disk_ring.size);
      ++disk_model_.position;
    }
    const bool gave = disk_in.commit && disk_run && disk_model_.position == sector_;
    if (disk_in.commit || disk_in.drop) disk_model_.position = 0;

    // First the channels, then reset, then produce or skip. A discard comes before the channels.
    if (order_.discard) empty(rings_[order_.segment]);
    if (host_took) move(host_model_);
    if (disk_took || gave) move(disk_model_);
    serve(host_took, disk_took || gave);
    const std::uint32_t told =
        (host_took ? kHostSector : 0U) | (disk_took || gave ? kDiskSector : 0U);
    events_ = (events_ & ~clears_) | told;
    clears_ = 0;
    offer();  // an access may take more than one cycle
  }

  /// Checks the byte that left, if one did. Returns whether it finished the sector.
  bool take(ChannelModel& channel, BytePort& port, bool run) {
    if (port.received.empty()) return false;
    const RingModel& ring = ring_of(channel);
    EXPECT_TRUE(run && channel.consumes());
    EXPECT_GT(ring.level, 0U) << "a byte from an empty ring, cycle " << cycle();
    EXPECT_EQ(port.received.front(), value_at(place(ring, ring.consume) + channel.position))
        << "segment " << channel.segment() << ", cycle " << cycle();
    port.received.clear();
    if (++channel.position < sector_) return false;
    channel.position = 0;
    return true;
  }

  void move(const ChannelModel& channel) {
    RingModel& ring = ring_of(channel);
    std::uint32_t& pointer = channel.consumes() ? ring.consume : ring.produce;
    ring.level += channel.consumes() ? -1U : 1U;
    pointer = (pointer + 1) % ring.size;
    ++finished;
  }

  static void empty(RingModel& ring) {
    ring.level = 0;
    ring.consume = ring.produce;
  }

  void serve(bool host_finished, bool disk_finished) {
    RingModel& ring = rings_[order_.segment];
    if (order_.produce || order_.discard || order_.skip) {
      collisions += (host_finished && host_model_.segment() == order_.segment) ||
                    (disk_finished && disk_model_.segment() == order_.segment);
    }
    if (order_.reset) ring.level = ring.produce = ring.consume = 0;
    if (order_.produce && ring.level + order_.count <= ring.size) {
      ring.level += order_.count;
      ring.produce = (ring.produce + order_.count) % ring.size;
    }
    if (order_.skip && order_.count <= ring.level) {
      ring.level -= order_.count;
      ring.consume = (ring.consume + order_.count) % ring.size;
    }
    order_ = {};
  }

  std::mt19937 random_;
  bool playing_ = false;
  std::uint32_t sector_ = 0;  // bytes
  std::array<RingModel, kSegments> rings_;
  ChannelModel host_model_;
  ChannelModel disk_model_;
  Order order_;
  std::uint32_t events_ = 0;     // INTR_STATE
  std::uint32_t clears_ = 0;     // cleared by the write of this cycle
  std::uint32_t mask_ = 0;       // INTR_ENABLE
  std::uint32_t host_pace_ = 0;  // quarters of the cycles paused
  std::uint32_t disk_pace_ = 0;
};

class BufferMgrAdversary : public testing::TestWithParam<std::tuple<std::uint32_t, bool>> {};

TEST_P(BufferMgrAdversary, RegistersAndRings_AreRightInEveryCycle) {
  const auto [seed, gating] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed) + (gating ? ", gated clock" : ""));
  Adversary bench(seed, gating);
  ASSERT_NO_FATAL_FAILURE(bench.play());
  if (HasFailure()) return;
  ASSERT_NO_FATAL_FAILURE(bench.look_at_ram());
  EXPECT_GT(bench.finished, 100U);
  EXPECT_GT(bench.collisions, 2U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BufferMgrAdversary,
                         testing::Combine(testing::Range(1U, 13U), testing::Bool()));

}  // namespace
}  // namespace headstack::disk_test
