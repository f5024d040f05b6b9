// SPDX-License-Identifier: Apache-2.0
// A drive of 800 blocks with a cache, natively (service_world.hpp). It finds out from outside where
// a read's data came from.
//
// The world compares every block that the host gets with the media's content at that time: a stale
// block ends the test. A track has 10 sectors of 40,000 ticks; the buffer holds 128 sectors, of
// which the cache may use 96.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/firmware/service_world.hpp"

namespace headstack::test {

constexpr std::uint32_t kSectorTicks = 40'000;
constexpr std::uint32_t kTrackSectors = 10;
constexpr std::uint32_t kNoLimit = 0xFFFF;  // page 08h: pre-fetch after reads of any length

/// The source of a read's blocks.
enum class From {
  kCache,  // the read was done at once: an access to the media takes at least one sector
  kMedia,
};

class CacheBench : public testing::Test {
 protected:
  /// Three segments of 16 blocks, and nothing is read ahead.
  static ::mode_caching small_cache(std::uint8_t bits = 0) {  // `bits` are byte 18 of page 21h
    ::mode_caching caching{};
    caching.reads = true;
    caching.segments = 3;
    caching.segment_blocks = 16;
    caching.ahead_task_blocks = kNoLimit;
    caching.ahead_bits = bits;
    return caching;
  }
  static ::mode_caching reading_ahead(std::uint32_t blocks, std::uint8_t bits = 0) {
    ::mode_caching caching = small_cache(bits);
    caching.ahead_blocks = blocks;
    return caching;
  }

  void power_on(const ::mode_caching& caching) {
    options_.caching = caching;
    world_.reset();  // Only one world can exist at a time.
    world_ = std::make_unique<ServiceWorld>(design_by_hand(), options_);
    world_->spin_up();
  }
  void set(const ::mode_caching& caching) {
    options_.caching = caching;
    world_->change_modes(options_);
  }
  ServiceWorld& world() { return *world_; }

  ::task* submit_read(std::uint32_t lba, std::uint32_t blocks, std::uint8_t flags = 0) {
    return world_->submit(TASK_READ, lba, blocks, TASK_SIMPLE, flags);
  }
  From read(std::uint32_t lba, std::uint32_t blocks, std::uint8_t flags = 0) {
    const FakeSoc::Tick now = world_->soc().now();
    submit_read(lba, blocks, flags);
    world_->run();
    EXPECT_EQ(world_->ended().back().lba, lba);
    EXPECT_EQ(world_->ended().back().status, STATUS_OK);
    return world_->ended().back().tick == now ? From::kCache : From::kMedia;
  }
  void write(std::uint32_t lba, std::uint32_t blocks) {
    world_->submit(TASK_WRITE, lba, blocks);
    world_->run();
    EXPECT_EQ(world_->ended().back().status, STATUS_OK);
  }
  /// Gives the media time for work that no command waits for.
  void idle(std::uint32_t sectors = 20 * kTrackSectors) {
    world_->run_until(world_->soc().now() + std::uint64_t{sectors} * kSectorTicks);
  }
  /// Whether no ring is in use: both media and host are idle.
  bool rings_are_free() const {
    const ::segments& segments = world_->core().segments;
    return segments.rings_free == (1U << SEGMENTS_RINGS) - 1 && segments.rings_kept == 0;
  }

  ServiceWorld::Options options_;
  std::unique_ptr<ServiceWorld> world_;
};

/// Prints a value in messages of failed tests.
inline void PrintTo(From from, std::ostream* out) {
  *out << (from == From::kCache ? "the cache" : "the media");
}

}  // namespace headstack::test
