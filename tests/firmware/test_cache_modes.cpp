// SPDX-License-Identifier: Apache-2.0
// Effects of page 08h on a cache in use (SBC-2 6.3.3), of failed and aborted reads, and all of
// these at random.
#include <gtest/gtest.h>

#include <random>

#include "firmware/hal/formatter_hal.h"
#include "tests/firmware/cache_bench.hpp"

namespace headstack {
namespace {

using test::CacheBench;
using test::From;

class CacheModes : public CacheBench {};

// ------------------------------------------------------------------------------------------------
// page 08h

struct ModeCase {
  const char* what;
  void (*change)(::mode_caching& caching);
  bool stays;  // whether the content of the cache stays
};

class CacheMode : public CacheBench, public testing::WithParamInterface<ModeCase> {};

// cache.h: another number or size of segments invalidates all of them; no other change does.
TEST_P(CacheMode, Change_KeepsAllowedBlocks_AndTheCacheWorks) {
  power_on(small_cache());
  for (const std::uint32_t lba : {20U, 100U, 200U}) (void)read(lba, 8);
  ::mode_caching changed = small_cache();
  GetParam().change(changed);
  set(changed);
  for (const std::uint32_t lba : {20U, 100U, 200U}) {
    EXPECT_EQ(read(lba, 8), GetParam().stays ? From::kCache : From::kMedia) << lba;
  }
  if (changed.reads) {
    EXPECT_EQ(read(200, 8), From::kCache) << "it caches";
  }
  set(small_cache());
  for (const std::uint32_t lba : {20U, 100U, 200U}) (void)read(lba, 8);
  for (const std::uint32_t lba : {20U, 100U, 200U}) EXPECT_EQ(read(lba, 8), From::kCache);
}

INSTANTIATE_TEST_SUITE_P(
    Cache, CacheMode,
    testing::Values(
        ModeCase{"Nothing", [](::mode_caching&) {}, true},
        ModeCase{"ReadCacheDisabled", [](::mode_caching& c) { c.reads = false; }, false},
        ModeCase{"WriteCacheEnabled", [](::mode_caching& c) { c.writes = true; }, true},
        ModeCase{"ReadAheadAllowed", [](::mode_caching& c) { c.ahead_blocks = 4; }, true},
        ModeCase{"ReadAheadOfShortOnes", [](::mode_caching& c) { c.ahead_task_blocks = 2; }, true},
        ModeCase{"MoreSegments", [](::mode_caching& c) { c.segments = 4; }, false},
        ModeCase{"FewerSegments", [](::mode_caching& c) { c.segments = 2; }, false},
        ModeCase{"LargerSegments", [](::mode_caching& c) { c.segment_blocks = 17; }, false},
        ModeCase{"SmallerSegments", [](::mode_caching& c) { c.segment_blocks = 15; }, false}),
    test::case_name<ModeCase>);

TEST_F(CacheModes, BlocksCachedBeforeReadingWasDisabled_AreNotHitsLater) {
  power_on(small_cache());
  (void)read(20, 8);
  ::mode_caching off = small_cache();
  off.reads = false;
  set(off);
  EXPECT_TRUE(world().buffer_is_free());
  set(small_cache());
  EXPECT_EQ(read(20, 8), From::kMedia);
}

// When reading is off, the number of segments has no effect.
TEST_F(CacheModes, SegmentsOfASwitchedOffCache_TakeNoRoom) {
  ::mode_caching off = small_cache();
  off.reads = false;
  power_on(off);
  off.segments = 6;
  set(off);
  EXPECT_EQ(world().core().segments.task_cells, world().core().segments.cell_count);
  set(small_cache());
  EXPECT_EQ(world().core().segments.task_cells, world().core().segments.cell_count - 3 * 16U);
}

TEST_F(CacheModes, LargerSegments_HoldLongerReads) {
  power_on(small_cache());
  for (const std::uint32_t lba : {20U, 100U, 200U}) (void)read(lba, 16);
  ::mode_caching larger = small_cache();
  larger.segment_blocks = 32;
  set(larger);
  for (const std::uint32_t lba : {20U, 100U, 200U}) (void)read(lba, 32);
  for (const std::uint32_t lba : {20U, 100U, 200U}) EXPECT_EQ(read(lba, 32), From::kCache) << lba;
}

// The page changes while a host takes its data: the data stay unchanged, but no read finds them any
// more.
TEST_F(CacheModes, ChangeWhileASegmentIsInUse_LeavesItToItsUsers) {
  options_.host_block_ticks = 4 * test::kSectorTicks;
  for (const std::uint32_t segments : {1U, 3U, 6U}) {
    for (const std::uint32_t blocks : {8U, 16U}) {
      SCOPED_TRACE(testing::Message() << segments << " segments of " << blocks);
      power_on(small_cache());
      submit_read(20, 8);
      while (world().ended().empty()) world().step();
      ASSERT_GT(world().live(), 0U) << "the host still fetches it";
      ::mode_caching other = small_cache();
      other.segments = segments;
      other.segment_blocks = blocks;
      set(other);
      submit_read(20, 8);
      const bool same = segments == 3 && blocks == 16;
      EXPECT_EQ(world().ended().size(), same ? 2U : 1U) << "at once, if it is found";
      for (const std::uint32_t lba : {100U, 200U, 300U, 400U, 500U, 600U}) submit_read(lba, blocks);
      world().run();
      EXPECT_TRUE(rings_are_free());
      for (std::uint32_t i = 0; i < segments; ++i) (void)read(700 + 16 * i, blocks);
      for (std::uint32_t i = 0; i < segments; ++i) {
        EXPECT_EQ(read(700 + 16 * i, blocks), From::kCache) << "all places are there again";
      }
    }
  }
}

// ---------------------------------------------------------------------------------------- failures

TEST_F(CacheModes, ReadThatFailsAtItsFirstBlock_LeavesNoSegment) {
  options_.retries = 0;
  power_on(small_cache());
  world().soc().fail_sectors({FORMATTER_ERROR_CHECK});
  submit_read(20, 8);
  world().run();
  EXPECT_NE(world().ended().back().status, STATUS_OK);
  EXPECT_TRUE(world().buffer_is_free());
  EXPECT_EQ(world().core().cache.count, 0U);
  EXPECT_EQ(read(20, 8), From::kMedia);
}

TEST_F(CacheModes, ReadThatFailsLater_LeavesTheBlocksBefore) {
  options_.retries = 0;
  power_on(small_cache());
  world().soc().fail_sectors({0, 0, FORMATTER_ERROR_CHECK});
  submit_read(20, 8);
  world().run();
  EXPECT_EQ(world().ended().back().failed_lba, 22U);
  EXPECT_EQ(read(20, 2), From::kCache);
  EXPECT_EQ(read(20, 3), From::kMedia);
  EXPECT_TRUE(rings_are_free());
}

TEST_F(CacheModes, ReadThatIsAbortedAtEveryStep_LeavesTheCacheSound) {
  for (std::uint32_t steps = 0; steps < 40; ++steps) {
    power_on(reading_ahead(6));
    (void)read(100, 8);
    ::task* task = submit_read(20, 8);
    for (std::uint32_t i = 0; i < steps && world().ended().size() < 2; ++i) world().step();
    if (world().live() > 0) world().abort(task);
    (void)read(20, 8);
    EXPECT_EQ(read(20, 8), From::kCache) << steps;
    idle();
    EXPECT_TRUE(rings_are_free()) << steps;
  }
}

// ------------------------------------------------------------------------------------------ at
// random

// Reads and writes of a few blocks in a small range, aborts and changes of the page. The world
// compares every block that is read with the media. In the end no task or ring is left.
TEST_F(CacheModes, RandomLoadsAndPages_NeverReturnAStaleBlock) {
  constexpr std::uint32_t kSeed = 4711;
  std::mt19937 random(kSeed);
  const auto below = [&random](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " round " << round);
    options_.policy = below(2) * 2;
    options_.host_block_ticks = below(2) == 0 ? 2000 : 60'000;
    ::mode_caching caching = reading_ahead(below(12));
    power_on(caching);
    for (int i = 0; i < 150; ++i) {
      const std::uint32_t lba = 100 + below(60);
      switch (below(12)) {
        case 0: {
          // Half of the time the segments stay, and so does the work in them.
          caching.ahead_blocks = below(12);
          caching.ahead_task_blocks = below(2) == 0 ? test::kNoLimit : below(8);
          if (below(2) == 0) {
            caching.reads = below(4) != 0;
            caching.segments = 1 + below(6);
            caching.segment_blocks = 1 + below(16);
          }
          set(caching);
          break;
        }
        case 1: world().abort(submit_read(lba, 1 + below(20))); break;
        case 2:
        case 3: world().submit(TASK_WRITE, lba, 1 + below(12)); break;
        default: submit_read(lba, 1 + below(20), below(6) == 0 ? TASK_FLAG_FORCE_UNIT_ACCESS : 0);
      }
      if (below(3) == 0) idle(below(6));
      if (below(12) == 0) world().run();
    }
    world().run();
    idle();
    EXPECT_TRUE(rings_are_free());
    ::mode_caching off{};
    set(off);
    EXPECT_TRUE(world().buffer_is_free());
  }
}

}  // namespace
}  // namespace headstack
