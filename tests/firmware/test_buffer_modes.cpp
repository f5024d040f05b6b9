// SPDX-License-Identifier: Apache-2.0
// Page 02h (SPC-2 8.3.7): how much of a command is in the buffer before the host, or the media,
// begin with it. Page 21h, byte 18: how far the drive reads ahead. Random loads test both, while
// MODE SELECT changes them.
//
// design_by_hand(): a track has 10 sectors of 40,000 ticks, a task's segment is 16 sectors at most.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "firmware/events.h"
#include "firmware/unit/mode_page.h"
#include "tests/firmware/cache_bench.hpp"

namespace headstack {
namespace {

using test::CacheBench;
using test::design_by_hand;
using test::FakeSoc;
using test::From;
using test::kNoLimit;
using test::kSectorTicks;
using test::ServiceWorld;

// ------------------------------------------------------------------------------------------------
// page 02h

struct ShareCase {
  const char* what;
  std::uint8_t ratio;
  std::uint32_t lba, blocks;
  std::uint32_t there;  // when the other side begins
  bool counts = false;  // `ratio` is a count of blocks (page 21h, byte 18)
};

class ReadShare : public testing::TestWithParam<ShareCase> {};

// The host may have no block before the share is in the buffer, and some as soon as it is.
TEST_P(ReadShare, ReadData_AreSentWithThatMuchInTheBuffer) {
  const ShareCase& test = GetParam();
  ServiceWorld::Options options;
  options.disconnect.full_ratio = test.ratio;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  const task* read = world.submit(TASK_READ, test.lba, test.blocks);
  while (world.traced(TRACE_HOST_GRANT).empty()) world.step();
  EXPECT_EQ(world.core().media.blocks_done, test.there);
  EXPECT_EQ((read->flags & TASK_FLAG_BY_SHARE) != 0, test.there < test.blocks);
  world.run();
  EXPECT_EQ(world.ended()[0].status, STATUS_OK);
  EXPECT_EQ(world.host_blocks(), test.blocks);
  EXPECT_TRUE(world.buffer_is_free());
}

// 256ths of the request, rounded down; 80h: half of its first run.
INSTANTIATE_TEST_SUITE_P(
    Modes, ReadShare,
    testing::Values(
        ShareCase{"HalfOfARun", MODE_RATIO_HALF_RUN, 0, 8, 4},
        ShareCase{"HalfOfTheFirstOfTwoRuns", MODE_RATIO_HALF_RUN, 5, 12, 3},
        ShareCase{"FirstSector", 0, 0, 8, 1}, ShareCase{"LessThanASector", 0x01, 0, 8, 1},
        ShareCase{"AQuarter", 0x40, 0, 8, 2}, ShareCase{"AlmostAQuarter", 0x3F, 0, 8, 1},
        ShareCase{"AboveAQuarter", 0x41, 0, 8, 2}, ShareCase{"ThreeQuarters", 0xC0, 0, 8, 6},
        ShareCase{"ThreeQuartersOfSeven", 0xC0, 0, 7, 5}, ShareCase{"AllButALittle", 0xFE, 0, 8, 7},
        ShareCase{"All", MODE_RATIO_ALL, 0, 8, 8}, ShareCase{"AllOfOne", MODE_RATIO_ALL, 3, 1, 1},
        ShareCase{"TheWholeFirstRun", 0x6B, 5, 12, 5}, ShareCase{"InTheSecondRun", 0xC0, 5, 12, 9},
        ShareCase{"AllOfTwoRuns", MODE_RATIO_ALL, 5, 12, 12},
        ShareCase{"AllOfThreeRuns", MODE_RATIO_ALL, 9, 13, 13},
        ShareCase{"LongerThanAnEighthOfTheBuffer", MODE_RATIO_ALL, 0, 20, 20},
        // The buffer has 128 sectors. Two sixteenths of 16 are left free beside a long one.
        ShareCase{"AStream_ByRuns", MODE_RATIO_ALL, 0, 97, 5}),
    test::case_name<ShareCase>);

// After the share, the rest leaves as the current run brings it.
TEST(BufferModes, AfterTheShare_EachRunLeavesWithItsFirstSector) {
  ServiceWorld::Options options;
  options.disconnect.full_ratio = 0x40;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_READ, 0, 16);
  while (world.traced(TRACE_HOST_GRANT).size() < 2) world.step();
  EXPECT_EQ(world.core().media.blocks_done, 11U) << "the second run's first";
  EXPECT_EQ(world.traced(TRACE_HOST_GRANT)[0].argument >> 16, 10U);
  world.run();
}

class WriteShare : public testing::TestWithParam<ShareCase> {};

// The host is slow and the arm is there: the formatter starts with the block that completes the
// share.
TEST_P(WriteShare, MediaWork_BeginsWithThatMuchInTheBuffer) {
  const ShareCase& test = GetParam();
  ServiceWorld::Options options;
  options.disconnect.write_ratio = test.ratio;
  options.disconnect.write_counts = test.counts;
  options.host_block_ticks = 5 * kSectorTicks;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_WRITE, test.lba, test.blocks);
  while (world.traced(TRACE_RUN_START).empty()) world.step();
  EXPECT_EQ(world.host_blocks(), test.there);
  world.run();
  EXPECT_EQ(world.ended()[0].status, STATUS_OK);
  EXPECT_EQ(world.host_blocks(), test.blocks);
  EXPECT_TRUE(world.buffer_is_free());
}

INSTANTIATE_TEST_SUITE_P(
    Modes, WriteShare,
    testing::Values(ShareCase{"FirstSector", 0, 0, 8, 1}, ShareCase{"AQuarter", 0x40, 0, 8, 2},
                    ShareCase{"Half", 0x80, 0, 8, 4}, ShareCase{"ThreeQuarters", 0xC0, 0, 8, 6},
                    ShareCase{"All", MODE_RATIO_ALL, 0, 8, 8},
                    ShareCase{"AllOfTwoRuns", MODE_RATIO_ALL, 5, 12, 12},
                    ShareCase{"LongerThanAnEighthOfTheBuffer", MODE_RATIO_ALL, 0, 40, 40},
                    ShareCase{"AStream_FillsItsSegment", MODE_RATIO_ALL, 0, 100, 96},
                    ShareCase{"OfAByteAndMore", 2, 0, 700, 5},  // SPC-2 8.3.7: 5.47
                    ShareCase{"ACount", 10, 0, 12, 10, true},
                    ShareCase{"ACount_OverTwoRuns", 10, 5, 12, 10, true},
                    ShareCase{"ACountOfNone", 0, 0, 12, 1, true},
                    ShareCase{"AllOfAShorterOne", 10, 0, 7, 7, true},
                    ShareCase{"AllOfAsMany", 10, 0, 10, 10, true},
                    ShareCase{"NotYetALongOne", 10, 0, 44, 10, true},
                    ShareCase{"ALongOne", 10, 0, 45, 15, true},
                    ShareCase{"ACountAboveTheSegment", 200, 0, 100, 96, true}),
    test::case_name<ShareCase>);

// ------------------------------------------------------------------------------------------------
// page 21h, byte 18

class AheadModes : public CacheBench {
 protected:
  /// Two segments of 48 blocks.
  static ::mode_caching ahead(std::uint8_t bits, std::uint32_t blocks = kNoLimit) {
    ::mode_caching caching = reading_ahead(blocks);
    caching.segments = 2;
    caching.segment_blocks = 48;
    caching.ahead_bits = bits;
    return caching;
  }
};

struct TrackCase {
  const char* what;
  std::uint8_t bits;
  std::uint32_t ahead_blocks;
  std::uint32_t lba, blocks;
  std::uint32_t end;  // the first block that is not there
};

class AheadTrack : public AheadModes, public testing::WithParamInterface<TrackCase> {};

// DiskSim's manual, buffer continuous read 4: a track ahead for a stream that began before the
// track. Otherwise it is to the end of its own track. Page 08h sets the limit.
TEST_P(AheadTrack, ReadingAhead_EndsWithATrack) {
  const TrackCase& test = GetParam();
  const ::mode_caching caching = ahead(test.bits, test.ahead_blocks);
  power_on(caching);
  (void)read(test.lba, test.blocks);
  idle(60 * test::kTrackSectors);
  EXPECT_TRUE(rings_are_free()) << "the media have ended";
  EXPECT_EQ(read(test.end - 1, 1), From::kCache);
  power_on(caching);  // a hit may make read-ahead go on, so that is tested in another world
  (void)read(test.lba, test.blocks);
  idle(60 * test::kTrackSectors);
  EXPECT_EQ(read(test.end, 1), From::kMedia);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, AheadTrack,
    testing::Values(
        TrackCase{"WithoutIt", 0, kNoLimit, 20, 4, 68},
        TrackCase{"FromATracksBeginning", MODE_CONTROLLER_AHEAD_ONE_TRACK, kNoLimit, 20, 4, 30},
        TrackCase{"FromItsMiddle", MODE_CONTROLLER_AHEAD_ONE_TRACK, kNoLimit, 25, 1, 30},
        TrackCase{"ToItsLastBlock", MODE_CONTROLLER_AHEAD_ONE_TRACK, kNoLimit, 25, 4, 30},
        TrackCase{"BehindAReadToTheEnd", MODE_CONTROLLER_AHEAD_ONE_TRACK, kNoLimit, 26, 4, 50},
        TrackCase{"FromTheNextOnesFirst", MODE_CONTROLLER_AHEAD_ONE_TRACK, kNoLimit, 30, 1, 40},
        TrackCase{"BehindAReadOverTwo", MODE_CONTROLLER_AHEAD_ONE_TRACK, kNoLimit, 28, 4, 50},
        TrackCase{"BehindAReadOverThree", MODE_CONTROLLER_AHEAD_ONE_TRACK, kNoLimit, 28, 14, 60},
        TrackCase{"NoMoreThanThePageSays", MODE_CONTROLLER_AHEAD_ONE_TRACK, 5, 20, 4, 29},
        TrackCase{"NoMoreThanThePage_InTheNext", MODE_CONTROLLER_AHEAD_ONE_TRACK, 12, 28, 4, 44},
        TrackCase{"BehindMisses_AsFar", MODE_CONTROLLER_AHEAD_MISSES, 8, 20, 4, 32}),
    test::case_name<TrackCase>);

TEST_F(AheadModes, AfterAHit_ReadAheadContinues_UnlessOnlyMissesCount) {
  for (const bool misses : {false, true}) {
    power_on(ahead(misses ? MODE_CONTROLLER_AHEAD_MISSES : 0, 8));
    (void)read(20, 4);
    idle();
    EXPECT_EQ(read(24, 8), From::kCache);
    idle();
    EXPECT_EQ(read(32, 1), misses ? From::kMedia : From::kCache);
  }
}

// A hit that uses up the read-ahead: it goes on to the end of that track, and of the next one.
TEST_F(AheadModes, ReadingOn_EndsWithATrackToo) {
  for (const bool behind : {false, true}) {
    power_on(ahead(MODE_CONTROLLER_AHEAD_ONE_TRACK));
    (void)read(20, 1);
    idle(60 * test::kTrackSectors);
    EXPECT_EQ(read(26, 4), From::kCache);
    idle(60 * test::kTrackSectors);
    EXPECT_EQ(read(behind ? 50 : 49, 1), behind ? From::kMedia : From::kCache);
  }
}

// The stream's next read comes while its track is read ahead, and ends on the next one. Its first
// blocks have passed: a read that does not join waits for a revolution.
TEST_F(AheadModes, ReadOverTheTracksEnd_JoinsInTime) {
  power_on(ahead(MODE_CONTROLLER_AHEAD_ONE_TRACK));
  submit_read(20, 4);
  while (world().ended().empty()) world().step();
  const auto now = world().soc().now();
  world().run_until(now + 5 * kSectorTicks / 2);
  submit_read(24, 10);
  while (world().ended().size() < 2) world().step();
  // Ten sectors, a head switch with a sector of skew, and the sector under way.
  EXPECT_LE(world().ended().back().tick - now, 13 * kSectorTicks);
  world().run();
}

// ------------------------------------------------------------------------------------------------
// page 21h, holds of a write; tests/firmware/test_scsi_stages.cpp has the bus's part

/// The time from a write's arrival at an idle drive to the formatter's start.
FakeSoc::Tick ticks_to_run(ServiceWorld& world, std::uint32_t lba) {
  const auto now = world.soc().now();
  const std::size_t runs = world.traced(TRACE_RUN_START).size();
  world.submit(TASK_WRITE, lba, 4);
  while (world.traced(TRACE_RUN_START).size() == runs) world.step();
  const auto ticks = world.soc().now() - now;
  world.run();
  return ticks;
}

// The arm is there (2,000 ticks bring the first block), or moves for 80,000 ticks (and the head of
// design_by_hand() settles for a write).
TEST(WriteHold, Write_BeginsNoEarlierThanThePageAllows) {
  constexpr std::uint32_t kNear = 4, kFar = 400;
  ServiceWorld free(design_by_hand());
  free.spin_up();
  (void)ticks_to_run(free, 0);
  const auto near = ticks_to_run(free, kNear);
  const auto far = ticks_to_run(free, kFar);
  ASSERT_LT(near, 10'000U);
  ASSERT_GE(far, 80'000U);

  for (const std::uint32_t hold : {50'000U, 300'000U}) {
    ServiceWorld::Options options;
    options.controller.write_hold_ticks = hold;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    (void)ticks_to_run(world, 0);
    EXPECT_EQ(ticks_to_run(world, kNear), hold);
    EXPECT_EQ(ticks_to_run(world, kFar), std::max<FakeSoc::Tick>(hold, far));
  }
}

// The second write's data arrive while the first one is held, so no event of the buffer follows.
// When its turn comes, the arm is there, and its hold may end whenever the firmware looks at the
// time.
TEST(WriteHold, HoldThatEndsDuringTheFirmwaresCheck_StartsTheWrite) {
  constexpr FakeSoc::Tick kLookTicks = 10;
  constexpr std::uint32_t kLongHold = 30'000;
  for (std::uint32_t hold = 1; hold < 20 * kLookTicks; hold += kLookTicks / 2) {
    ServiceWorld::Options options;
    options.controller.write_hold_ticks = kLongHold;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    world.submit(TASK_WRITE, 0, 4);
    world.submit(TASK_WRITE, 4, 4);
    while (world.host_blocks() < 8) world.step();
    ASSERT_TRUE(world.traced(TRACE_RUN_START).empty()) << "the first one is held";
    options.controller.write_hold_ticks = hold;
    world.change_modes(options);
    world.soc().take_time(kLookTicks);
    world.run();
    EXPECT_EQ(world.ended().size(), 2U) << hold;
  }
}

TEST(FarWrite, OnlyAfterAWriteThatItDoesNotFollow_HasASeparateTime) {
  constexpr std::uint32_t kFarTicks = 70'000, kTicks = 20'000;
  ServiceWorld::Options options;
  options.controller.takes_time = true;
  options.controller.far_write_ticks = kFarTicks;
  for (const bool follows_write : {false, true}) {
    options.controller.ticks[controller_row(true, follows_write, false)] = kTicks;
  }
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  struct Case {
    enum task_operation operation;
    std::uint32_t lba;
    FakeSoc::Tick ticks;
  };
  constexpr Case kCases[] = {{TASK_READ, 700, 0},         {TASK_WRITE, 10, kTicks},
                             {TASK_WRITE, 14, kTicks},    {TASK_WRITE, 19, kFarTicks},
                             {TASK_WRITE, 10, kFarTicks}, {TASK_READ, 14, 0},
                             {TASK_WRITE, 30, kTicks}};
  for (const Case& c : kCases) {
    const auto now = world.soc().now();
    const std::size_t chosen = world.traced(TRACE_TASK_CHOSEN).size();
    world.submit(c.operation, c.lba, 4);
    world.run();
    EXPECT_EQ(world.traced(TRACE_TASK_CHOSEN)[chosen].tick - now, c.ticks) << c.lba;
  }
}

// ------------------------------------------------------------------------------------------------
// at random

constexpr std::uint32_t kSeed = 4711;

ServiceWorld::Options drawn_modes(std::mt19937& random) {
  constexpr std::array<std::uint8_t, 8> kRatios = {0, 1, 0x40, 0x80, 0xC0, 0xFE, 0xFF, 0x7F};
  ServiceWorld::Options options;
  options.disconnect.full_ratio = kRatios[random() % 8];
  options.disconnect.write_ratio = kRatios[random() % 8];
  options.disconnect.write_counts = random() % 2 != 0;
  options.caching.reads = random() % 4 != 0;
  options.caching.writes = random() % 2 != 0;
  options.caching.segments = 1 + random() % 6;
  options.caching.segment_blocks = 1 + random() % 16;
  options.caching.ahead_blocks = random() % 40;
  options.caching.ahead_task_blocks = random() % 4 == 0 ? 4 : kNoLimit;
  options.caching.ahead_bits = static_cast<std::uint8_t>(
      random() % (MODE_CONTROLLER_AHEAD_ONE_TRACK + MODE_CONTROLLER_AHEAD_MISSES + 1));
  return options;
}

// Requests near each other overlap blocks that are cached, read ahead or moving. The world checks
// each block that moves. Every task ends once, and nothing remains.
TEST(BufferModes, RandomLoads_KeepTheirData_WhileModesChange) {
  for (std::uint32_t seed = kSeed; seed < kSeed + 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::uint32_t host_block_ticks = std::array{500U, 2000U, 50'000U}[random() % 3];
    const std::uint32_t depth = 1U << random() % 7;
    ServiceWorld::Options options = drawn_modes(random);
    options.host_block_ticks = host_block_ticks;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    std::size_t aborts = 0;
    for (int i = 0; i < 250; ++i) {
      if (random() % 8 == 0) {
        ServiceWorld::Options changed = drawn_modes(random);
        changed.host_block_ticks = host_block_ticks;
        world.change_modes(changed);
      }
      const auto blocks = static_cast<std::uint32_t>(1 + random() % (random() % 4 == 0 ? 40 : 12));
      const auto lba = static_cast<std::uint32_t>(random() % (120 - blocks));
      ::task* task = world.submit(random() % 3 == 0 ? TASK_WRITE : TASK_READ, lba, blocks);
      if (random() % 16 == 0) {
        world.abort(task);
        ++aborts;
      }
      for (std::uint32_t steps = random() % 30; steps > 0 && world.step(); --steps) {
      }
      while (world.live() >= depth) world.step();
    }
    world.run();
    // A task that the core releases at once has no reported end.
    EXPECT_EQ(world.live(), 0U);
    EXPECT_LE(world.ended().size(), 250U);
    EXPECT_GE(world.ended().size(), 250U - aborts);
    for (const auto& end : world.ended()) {
      ASSERT_TRUE(end.status == STATUS_OK || end.status == STATUS_ABORTED) << end.lba;
    }
    options.caching = {};  // The cache gives its segments back.
    world.change_modes(options);
    world.run_until(world.soc().now() + 100 * kSectorTicks);
    EXPECT_TRUE(world.buffer_is_free());
  }
}

}  // namespace
}  // namespace headstack
