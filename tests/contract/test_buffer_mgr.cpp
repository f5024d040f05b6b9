// SPDX-License-Identifier: Apache-2.0
// The buffer manager, Verilated and as a model, against hdl/regs/buffer_mgr.rdl, and against each
// other.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/contract/buffer_bench.hpp"

namespace headstack::contract {
namespace {

namespace regs = tlm::buffer_mgr_regs;
using Intr = regs::IntrState;

constexpr std::uint32_t kBoth = Intr::kHostSectorMask | Intr::kDiskSectorMask;
constexpr std::uint32_t kEnable = regs::Host::kEnableMask;   // DISK's is the same bit
constexpr std::uint32_t kConsume = regs::Host::kToHostMask;  // and so is its direction
constexpr std::uint32_t kStride = 0x10;
constexpr std::uint32_t kRamBytes = tlm::BufferMgr::kRamBytes;

std::uint32_t of(std::uint32_t segment, std::uint32_t offset) { return offset + segment * kStride; }

/// A bench with a sector size, and firmware's steps.
template <class Bench>
class Scene : public Bench {
 public:
  explicit Scene(std::uint32_t sector_bytes) : sector(sector_bytes) {
    this->write(regs::Sector::kOffset, sector_bytes);
  }
  void ring(std::uint32_t segment, std::uint32_t base, std::uint32_t sectors) {
    this->write(of(segment, regs::SegmentBase::kOffset), base);
    this->write(of(segment, regs::SegmentSize::kOffset), sectors);
    control(segment, 1);
  }
  /// LEVEL follows CONTROL two clocks later; a channel takes six to be ready.
  void control(std::uint32_t segment, std::uint32_t value) {
    this->write(of(segment, regs::SegmentControl::kOffset), value);
    this->step(6);
  }
  void channel(std::uint32_t offset, std::uint32_t value) {
    this->write(offset, value);
    this->step(6);
  }
  std::uint32_t level(std::uint32_t segment) {
    return this->read(of(segment, regs::SegmentLevel::kOffset));
  }
  Bytes random_sectors(std::uint32_t seed, std::uint32_t count) const {
    std::mt19937 random(seed);
    Bytes bytes(std::size_t{count} * sector);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }

  std::uint32_t sector;
};

template <class Bench>
class BufferContract : public testing::Test {};
using Benches = testing::Types<BufferRtl, BufferTlm>;
class BenchName {
 public:
  template <class Bench>
  static std::string GetName(int) {
    return std::is_same_v<Bench, BufferRtl> ? "rtl" : "tlm";
  }
};
TYPED_TEST_SUITE(BufferContract, Benches, BenchName);

TYPED_TEST(BufferContract, Reset_LeavesTheRegistersAsDescribed) {
  TypeParam bench;
  EXPECT_EQ(bench.read(regs::Sector::kOffset), 512U);
  for (std::uint32_t segment = 0; segment < 8; ++segment) {
    EXPECT_EQ(bench.read(of(segment, regs::SegmentSize::kOffset)), 1U);
    EXPECT_EQ(bench.read(of(segment, regs::SegmentLevel::kOffset)), 0U);
  }
  static_cast<void>(bench.read(0x0C));
  EXPECT_TRUE(bench.access_failed()) << "no register there";
}

TYPED_TEST(BufferContract, Credits_FollowWholeSectors) {
  Scene<TypeParam> scene(64);
  scene.ring(5, 0x1000, 2);
  scene.write(regs::IntrEnable::kOffset, kBoth);
  scene.channel(regs::Disk::kOffset, 5 | kEnable);
  const Bytes first = scene.random_sectors(1, 1);
  scene.disk_put(first, true);
  EXPECT_EQ(scene.level(5), 1U);
  EXPECT_EQ(scene.read(Intr::kOffset), Intr::kDiskSectorMask);
  EXPECT_TRUE(scene.irq());
  scene.disk_put(scene.random_sectors(2, 1), false);
  EXPECT_EQ(scene.level(5), 1U) << "a dropped sector gives none";
  scene.step(4);
  const Bytes second = scene.random_sectors(3, 1);
  scene.disk_put(second, true);
  EXPECT_EQ(scene.level(5), 2U);
  EXPECT_FALSE(scene.disk_ready().can_accept) << "full";
  scene.channel(regs::Host::kOffset, 5 | kConsume | kEnable);
  EXPECT_EQ(scene.host_read(64, 64), first);
  EXPECT_EQ(scene.level(5), 1U);
  EXPECT_TRUE(scene.disk_ready().can_accept);
  EXPECT_EQ(scene.host_read(64, 64), second);
  EXPECT_EQ(scene.read(Intr::kOffset), kBoth);
}

// "disk_sector comes with this one of the sectors finished since enable was last 0".
TYPED_TEST(BufferContract, Notice_TellsOfOneSector) {
  constexpr std::uint32_t kThird = 3U << regs::Disk::kNoticeShift;
  Scene<TypeParam> scene(64);
  scene.ring(2, 0x1000, 16);
  const auto told = [&scene](const Bytes& sector, bool good) {
    scene.write(Intr::kOffset, kBoth);
    scene.disk_put(sector, good);
    scene.step(4);
    return scene.read(Intr::kOffset) != 0;
  };
  const Bytes sector = scene.random_sectors(1, 1);
  for (int i = 0; i < 2; ++i) {
    scene.channel(regs::Disk::kOffset, 2 | kEnable | kThird);
    EXPECT_FALSE(told(sector, true));
    EXPECT_FALSE(told(sector, false)) << "it is not finished";
    EXPECT_FALSE(told(sector, true));
    EXPECT_TRUE(told(sector, true));
    EXPECT_FALSE(told(sector, true));
    scene.channel(regs::Disk::kOffset, 0);
  }
  // The value is changed while the channel is on: the count continues, and no sector is begun
  // again.
  scene.channel(regs::Disk::kOffset, 2 | kEnable | kThird);
  EXPECT_FALSE(told(sector, true));
  scene.channel(regs::Disk::kOffset, 2 | kEnable | 2U << regs::Disk::kNoticeShift);
  EXPECT_TRUE(told(sector, true));
  scene.channel(regs::Disk::kOffset, 2 | kEnable);
  EXPECT_TRUE(told(sector, true)) << "0: each";
  EXPECT_TRUE(told(sector, true));
  EXPECT_EQ(scene.level(2), 12U);
  // The same limit holds towards the disk.
  scene.channel(regs::Disk::kOffset, 0);
  scene.channel(regs::Disk::kOffset, 2 | kEnable | kConsume | 2U << regs::Disk::kNoticeShift);
  scene.write(Intr::kOffset, kBoth);
  scene.disk_get(64, true);
  scene.step(6);
  EXPECT_EQ(scene.read(Intr::kOffset), 0U);
  scene.disk_get(64, true);
  EXPECT_EQ(scene.read(Intr::kOffset), Intr::kDiskSectorMask);
}

// "Setting it starts at the segment's own pointer; a sector begun is begun again."
TYPED_TEST(BufferContract, SectorBegun_IsBegunAgainWhenTheChannelWasOff) {
  Scene<TypeParam> scene(64);
  scene.ring(0, 0x40, 4);
  scene.channel(regs::Disk::kOffset, kEnable);
  const Bytes data = scene.random_sectors(1, 1);
  scene.disk_put(data, true);
  scene.channel(regs::Host::kOffset, kConsume | kEnable);
  EXPECT_EQ(scene.host_read(10, 64), Bytes(data.begin(), data.begin() + 10));
  scene.channel(regs::Host::kOffset, 0);
  scene.channel(regs::Host::kOffset, kConsume | kEnable);
  scene.host_restarts();
  EXPECT_EQ(scene.host_read(64, 64), data);
}

// "Adds this many sectors to the level ... Ignored where the ring has no room for all of them."
TYPED_TEST(BufferContract, Produce_CountsAllOrNone_BehindResetOfTheSameWrite) {
  Scene<TypeParam> scene(64);
  scene.ring(3, 0, 4);
  scene.control(3, 3U << 16);
  EXPECT_EQ(scene.level(3), 3U);
  scene.control(3, 2U << 16);
  EXPECT_EQ(scene.level(3), 3U);
  scene.control(3, 4U << 16 | 1);
  EXPECT_EQ(scene.level(3), 4U);
}

// CONTROL keeps no value: bytes that a narrow write does not reach count as zero.
TYPED_TEST(BufferContract, ProduceOfANarrowWrite_CountsItsOwnByteAlone) {
  Scene<TypeParam> scene(4);
  scene.ring(3, 0, 0x300);
  scene.control(3, 0x200U << 16);
  scene.write(of(3, regs::SegmentControl::kOffset), 0x3301U << 16, 0x4);
  scene.step(6);
  EXPECT_EQ(scene.level(3), 0x201U);
}

TYPED_TEST(BufferContract, CoreWindow_IsTheRingsMemory) {
  Scene<TypeParam> scene(64);
  scene.ring(1, 0x200, 2);
  for (std::uint32_t i = 0; i < 16; ++i) scene.window(true, 0x200 + 4 * i, 0x04030201 * (i + 1));
  scene.control(1, 1U << 16);
  scene.channel(regs::Host::kOffset, 1 | kConsume | kEnable);
  const Bytes read = scene.host_read(64, 64);
  for (std::uint32_t i = 0; i < 16; ++i) {
    for (std::uint32_t byte = 0; byte < 4; ++byte) {  // "Byte 0 ... at the lowest address"
      EXPECT_EQ(read[4 * i + byte], static_cast<std::uint8_t>((byte + 1) * (i + 1)));
    }
  }
  EXPECT_EQ(scene.window(false, 0x200, 0), 0x04030201U);
}

// ------------------------------------------------------------------------------ model against RTL

template <class Bench>
class Play {
 public:
  explicit Play(std::uint32_t seed) : random_(seed), scene_(std::array{16U, 64U, 132U}[seed % 3]) {
    for (std::uint32_t s = 0; s < kRings; ++s) {
      sizes_[s] = 1 + pick(5);
      // The last ring lies across the end of RAM.
      const std::uint32_t base = s + 1 == kRings ? kRamBytes - 0x18 : 0x2000 * (s + 1);
      scene_.ring(s, base, sizes_[s]);
      // Credits made by hand show the earlier content.
      for (std::uint32_t at = 0; at < sizes_[s] * scene_.sector; at += 4) {
        scene_.window(true, (base + at) % kRamBytes, 0);
      }
    }
    scene_.write(regs::IntrEnable::kOffset, pick(4));
  }

  Notes run() {
    for (int i = 0; i < 400; ++i) {
      act();
      look();
    }
    return scene_.notes;
  }

 private:
  static constexpr std::uint32_t kRings = 3;

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  bool enabled(std::uint32_t channel) const { return (channel & kEnable) != 0; }
  bool consumes(std::uint32_t channel) const { return (channel & kConsume) != 0; }
  std::uint32_t segment(std::uint32_t channel) const { return channel & 7; }
  bool host_runs() const { return enabled(host_) && !(enabled(disk_) && (host_ == disk_)); }
  bool feeds(std::uint32_t channel, std::uint32_t s) const {
    return enabled(channel) && !consumes(channel) && segment(channel) == s;
  }

  bool drains(std::uint32_t channel, std::uint32_t s) const {
    return enabled(channel) && consumes(channel) && segment(channel) == s;
  }

  void act() {
    switch (pick(10)) {
      case 0: configure(regs::Host::kOffset, host_); break;
      case 1: configure(regs::Disk::kOffset, disk_); break;
      case 2: control(); break;
      case 3: scene_.write(Intr::kOffset, pick(4)); break;
      case 4:
      case 5:
      case 6: move_host(); break;
      default: move_disk(); break;
    }
  }

  void configure(std::uint32_t offset, std::uint32_t& channel) {
    const bool host_ran = host_runs();
    const std::uint32_t before = host_;
    channel = pick(kRings) | (pick(2) != 0 ? kConsume : 0) | (pick(5) != 0 ? kEnable : 0);
    scene_.channel(offset, channel);
    if (host_runs() != host_ran || host_ != before) host_begins();
  }

  void host_begins() {
    host_position_ = 0;
    scene_.host_restarts();
  }

  void control() {
    const std::uint32_t s = pick(kRings);
    const bool reset = pick(2) != 0;
    // Not while a channel produces into the segment." In the ring that wraps, the rest of a dropped
    // sector is not defined.
    const bool produces = feeds(host_, s) || feeds(disk_, s) || s + 1 == kRings;
    // "Not while a channel consumes from the segment."
    const bool consumes = drains(host_, s) || drains(disk_, s);
    const bool discard = !consumes && pick(3) == 0;
    const bool skip = !consumes && pick(3) == 0;
    const bool skips = skip && !reset && !discard;
    const std::uint32_t count = produces && !skips ? 0 : pick(sizes_[s] + 2);
    scene_.control(s, count << 16 | (skip ? 4 : 0) | (discard ? 2 : 0) | (reset ? 1 : 0));
    if (reset && segment(host_) == s) host_begins();
  }

  void move_host() {
    if (!host_runs()) return;
    const std::uint32_t level = scene_.level(segment(host_));
    const std::uint32_t sectors = consumes(host_) ? level : sizes_[segment(host_)] - level;
    const std::uint32_t most = sectors * scene_.sector - (sectors == 0 ? 0 : host_position_);
    std::uint32_t bytes = pick(most / 4 + 1) * 4;
    if (pick(2) != 0) bytes = most;
    host_position_ = (host_position_ + bytes) % scene_.sector;
    if (consumes(host_)) {
      digest(scene_.host_read(bytes, scene_.sector));
    } else {
      Bytes data = scene_.random_sectors(random_(), sectors);
      data.resize(bytes);
      scene_.host_write(data, scene_.sector);
    }
    scene_.step(pick(8));
  }

  void move_disk() {
    const DiskReady ready = scene_.disk_ready();
    note(scene_.notes, scene_.cycle(), "disk ready", ready.can_accept + 2 * ready.has_sector);
    const bool good = pick(4) != 0;
    // Credits made by hand may show the rest in RAM, so whole words are written.
    const std::uint32_t part = good ? scene_.sector : 4 + 4 * pick(scene_.sector / 4 - 1);
    if (ready.can_accept) {
      scene_.step(4);  // the formatter's header lies between two sectors
      Bytes data = scene_.random_sectors(random_(), 1);
      data.resize(part);
      scene_.disk_put(data, good);
    } else if (ready.has_sector) {
      digest(scene_.disk_get(part, good));
    }
  }

  void digest(const Bytes& data) {
    for (const std::uint8_t byte : data) digest_ = digest_ * 31 + byte;
    note(scene_.notes, scene_.cycle(), "bytes", digest_);
  }

  void look() {
    for (std::uint32_t s = 0; s < kRings; ++s) {
      const std::uint64_t cycle = scene_.cycle();
      note(scene_.notes, cycle, "level", scene_.level(s));
    }
    const std::uint64_t cycle = scene_.cycle();
    note(scene_.notes, cycle, "events", scene_.read(Intr::kOffset));
  }

  std::mt19937 random_;
  Scene<Bench> scene_;
  std::uint32_t sizes_[kRings] = {};
  std::uint32_t host_ = 0;  // value of the register
  std::uint32_t disk_ = 0;
  std::uint32_t host_position_ = 0;
  std::uint32_t digest_ = 0;
};

class BufferRandom : public testing::TestWithParam<std::uint32_t> {};
TEST_P(BufferRandom, ModelAndRtl_AnswerAlikeInEveryCycle) {
  EXPECT_TRUE(alike(Play<BufferTlm>(GetParam()).run(), Play<BufferRtl>(GetParam()).run()))
      << "seed " << GetParam();
}
INSTANTIATE_TEST_SUITE_P(Seeds, BufferRandom, testing::Range(1U, 101U));

}  // namespace
}  // namespace headstack::contract
