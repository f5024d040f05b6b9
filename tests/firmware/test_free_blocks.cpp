// SPDX-License-Identifier: Apache-2.0
// Free blocks (firmware/transfer/free_blocks.h): blocks that pass before the first block of a read
// stay in the buffer. DiskSim's manual, "Read any free blocks".
//
// A track has 10 sectors, which pass in 40,000 ticks each. Block 200 is the first of one. After a
// verification the head is at the start of the next sector. The margin is 2,000 ticks, so that the
// first free block is the one after that.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "firmware/events.h"
#include "firmware/transfer/free_blocks.h"
#include "tests/firmware/cache_bench.hpp"

namespace headstack {
namespace {

using test::CacheBench;
using test::design_by_hand;
using test::From;
using test::kSectorTicks;
using test::kTrackSectors;
using test::ServiceWorld;

static_assert(FREE_BLOCKS_MARGIN_TICKS == 2000, "the blocks below are counted with that");

class FreeBlocks : public CacheBench {
 protected:
  static ::mode_caching reading_free(::mode_caching caching = small_cache()) {
    caching.reads_free = true;
    return caching;
  }
  std::size_t free_runs() { return world().traced(TRACE_FREE_BLOCKS).size(); }
  /// Runs until the head has just passed that block.
  void pass(std::uint32_t lba) {
    world().submit(TASK_VERIFY, lba, 1);
    world().run();
  }
  /// Powers on with sector 8 of block 200's track slipped: block 208 lies after it.
  void power_on_with_a_gap(const ::mode_caching& caching) {
    drive::Design design = design_by_hand();
    design.zones[0].slips = {208};
    options_.caching = caching;
    world_ = std::make_unique<ServiceWorld>(design, options_);
    world_->spin_up();
  }
  /// Number of sectors that the media are going to write into the segment.
  std::uint32_t planned() {
    const ::media& media = world().core().media;
    return media.free_blocks + media_blocks_planned(&media);
  }
  /// Runs until this many of the free blocks are in the buffer.
  void pass_free(std::uint32_t sectors) {
    while (free_runs() == 0) world().step();
    ::media& media = world().core().media;
    while (media.free_blocks < sectors + media.free_left) {
      world().step();
      (void)media_count_blocks(&media);
    }
  }
};

TEST_F(FreeBlocks, BlocksThatPassBeforeARead_AreFoundInTheCache) {
  power_on(reading_free());
  pass(201);
  EXPECT_EQ(read(207, 2), From::kMedia);
  EXPECT_EQ(read(203, 4), From::kCache);
  EXPECT_EQ(read(207, 2), From::kCache);
  EXPECT_EQ(read(203, 6), From::kCache);
  EXPECT_EQ(read(202, 1), From::kMedia) << "it had begun";
}

// firmware/events.h: events count free blocks like the run's sectors, for records and waves.
TEST_F(FreeBlocks, EventsCountThemAmongTheRunsSectors) {
  const auto last = [this](std::uint32_t number) { return world().traced(number).back().argument; };
  power_on(reading_free());
  pass(201);
  (void)read(207, 2);
  EXPECT_EQ(last(TRACE_RUN_START), 3U << 16 | 6);
  EXPECT_EQ(last(TRACE_FREE_BLOCKS), 4U);
  EXPECT_EQ(last(TRACE_RUN_DONE), 6U);
  power_on(reading_free(reading_ahead(1)));
  pass(201);
  (void)read(207, 2);
  EXPECT_EQ(last(TRACE_READ_AHEAD), 6U);
  // The formatter goes on to the next track: no sector of that run is free.
  power_on(reading_free());
  pass(203);
  (void)read(208, 4);
  EXPECT_EQ(last(TRACE_RUN_START), 5U << 16 | 5);
  EXPECT_EQ(last(TRACE_RUN_NEXT) & 0xFFFFU, 2U);
  EXPECT_EQ(last(TRACE_RUN_DONE), 2U);
}

TEST_F(FreeBlocks, WithoutTheBit_NoneIsKept) {
  power_on(small_cache());
  pass(201);
  (void)read(207, 2);
  EXPECT_EQ(read(206, 1), From::kMedia);
  EXPECT_EQ(free_runs(), 0U);
}

TEST_F(FreeBlocks, SectorThatMayStillBeCaught_IsNotGivenAway) {
  for (const std::uint32_t ticks : {0U, 1000U}) {
    power_on(reading_free());
    pass(201);
    world().run_until(world().soc().now() + ticks);
    // 202 has just begun. Blocks taken before it would be those of a whole turn.
    (void)read(202, 1);
    EXPECT_EQ(free_runs(), 0U) << ticks;
  }
}

TEST_F(FreeBlocks, FirstOfThem_IsTheMarginAway) {
  struct Case {
    std::uint32_t ticks, kept;  // before block 203 begins; with it there are four before 207
  };
  for (const auto& [ticks, kept] :
       {Case{FREE_BLOCKS_MARGIN_TICKS + 100, 4}, {FREE_BLOCKS_MARGIN_TICKS - 100, 3}}) {
    power_on(reading_free());
    pass(201);
    world().run_until(world().soc().now() + kSectorTicks - ticks);
    (void)read(207, 2);
    EXPECT_EQ(world().traced(TRACE_FREE_BLOCKS).back().argument, kept) << ticks;
  }
}

TEST_F(FreeBlocks, SingleBlock_IsKept) {
  power_on(reading_free());
  pass(201);
  (void)read(204, 1);
  EXPECT_EQ(world().traced(TRACE_FREE_BLOCKS).back().argument, 1U);
  EXPECT_EQ(read(203, 1), From::kCache);
}

TEST_F(FreeBlocks, FirstBlocksOfTheDrive_HaveNoMoreThanThereAre) {
  power_on(reading_free());
  pass(4);
  (void)read(2, 1);  // six sectors pass before it
  EXPECT_EQ(world().traced(TRACE_FREE_BLOCKS).back().argument, 2U);
  EXPECT_EQ(read(0, 3), From::kCache);
}

TEST_F(FreeBlocks, FirstBlockOfATrack_HasNoneBeforeIt) {
  power_on(reading_free());
  pass(204);
  (void)read(200, 2);
  EXPECT_EQ(free_runs(), 0U);
  // Six sectors pass before 212, two of which have blocks of its track.
  pass(215);
  (void)read(212, 1);
  EXPECT_EQ(world().traced(TRACE_FREE_BLOCKS).back().argument, 2U);
  EXPECT_EQ(read(210, 3), From::kCache);
  EXPECT_EQ(read(209, 1), From::kMedia);
}

TEST_F(FreeBlocks, TheyTakeTheRoomThatReadAndReadAheadLeave) {
  struct Case {
    std::uint32_t ahead, kept;  // of a segment of five blocks, two of which the read has
  };
  for (const auto& [ahead, kept] : {Case{0, 3}, {1, 2}, {3, 0}}) {
    SCOPED_TRACE(ahead);
    ::mode_caching caching = reading_free(reading_ahead(ahead));
    caching.segment_blocks = 5;
    power_on(caching);
    pass(201);  // four blocks may come before 207
    (void)read(207, 2);
    const auto runs = world().traced(TRACE_FREE_BLOCKS);
    EXPECT_EQ(runs.empty() ? 0 : runs.back().argument, kept);
  }
}

// Page 21h, byte 18, bit 0: read-ahead ends with the track, which leaves more room for free blocks.
TEST_F(FreeBlocks, ReadAheadLimitedToTheTrack_LeavesMoreRoomForThem) {
  ::mode_caching caching = reading_free(reading_ahead(20, MODE_CONTROLLER_AHEAD_ONE_TRACK));
  caching.segment_blocks = 7;
  power_on(caching);
  pass(201);
  submit_read(207, 2);  // one block is left on its track, and four of the segment
  while (free_runs() == 0) world().step();
  EXPECT_EQ(world().traced(TRACE_FREE_BLOCKS).back().argument, 4U);
  // Another read may join the planned read-ahead: the segment has room for that.
  EXPECT_LE(planned(), 7U);
  world().run();
  idle();
  EXPECT_EQ(read(209, 1), From::kCache);
}

// The run ends at the gap, and its read-ahead goes on after it. The segment must have room for
// that, too.
TEST_F(FreeBlocks, BeforeAGap_TheReadAheadIsTrimmed) {
  ::mode_caching caching = reading_free(reading_ahead(20, MODE_CONTROLLER_AHEAD_ONE_TRACK));
  caching.segment_blocks = 8;
  power_on_with_a_gap(caching);
  pass(201);
  submit_read(205, 2);
  while (free_runs() == 0) world().step();
  EXPECT_EQ(world().traced(TRACE_FREE_BLOCKS).back().argument, 2U);
  EXPECT_LE(planned(), 8U);
  world().run();
}

// No sector of the track passes before the first one, so no room is needed. Then the track's last
// block, which lies after the gap, is read ahead.
TEST_F(FreeBlocks, WithNoneInFrontOfTheRead_TheReadAheadIsNotTrimmed) {
  power_on_with_a_gap(reading_free(reading_ahead(20, MODE_CONTROLLER_AHEAD_ONE_TRACK)));
  pass(203);
  (void)read(200, 2);
  EXPECT_EQ(free_runs(), 0U);
  idle();
  EXPECT_EQ(read(208, 1), From::kCache);
  EXPECT_EQ(read(209, 1), From::kMedia) << "on the next track";
}

// media_state.h: read-ahead ends with the track of the first block that was not requested. Here
// that is the next track, for which there must be room.
TEST_F(FreeBlocks, ReadToTheTracksEnd_ReadsAheadOnTheNextOne) {
  power_on(reading_free(reading_ahead(10, MODE_CONTROLLER_AHEAD_ONE_TRACK)));
  pass(201);
  (void)read(208, 2);  // five may come before it, and the segment has room for four
  EXPECT_EQ(world().traced(TRACE_FREE_BLOCKS).back().argument, 4U);
  idle();
  EXPECT_EQ(read(210, 10), From::kCache);
}

TEST_F(FreeBlocks, AfterAGap_NoneIsAdjacent) {
  power_on_with_a_gap(reading_free());
  pass(201);
  (void)read(208, 1);
  EXPECT_EQ(free_runs(), 0U);
}

// free_blocks.h: the margin is for two look-ups of a block. The track before, the blocks before
// the gap and those after it would be three.
TEST_F(FreeBlocks, CheckThatTakesTooLong_IsAborted) {
  drive::Design design = design_by_hand();
  design.zones[0].slips = {201};
  options_.caching = reading_free();
  world_ = std::make_unique<ServiceWorld>(design, options_);
  world_->spin_up();
  pass(203);
  (void)read(203, 1);  // eight sectors pass, and block 195 is the eighth before it
  EXPECT_EQ(free_runs(), 0U);
}

/// The ends of 40 reads, each on a track of its own and at any time.
std::vector<test::FakeSoc::Tick> ends_of_reads(bool reads_free, std::uint32_t seed) {
  ServiceWorld::Options options;
  options.caching.reads = true;
  options.caching.segments = 3;
  options.caching.segment_blocks = 16;
  options.caching.ahead_blocks = seed % 3 == 0 ? 0 : seed % 20;
  options.caching.ahead_task_blocks = test::kNoLimit;
  options.caching.reads_free = reads_free;
  options.disconnect.full_ratio = std::array<std::uint8_t, 3>{0, 0x80, 0xFF}[seed % 3];
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  std::mt19937 random(seed);
  std::vector<std::uint32_t> tracks(40);
  std::iota(tracks.begin(), tracks.end(), 0);
  for (std::size_t i = tracks.size(); i-- > 1;) std::swap(tracks[i], tracks[random() % (i + 1)]);
  std::vector<test::FakeSoc::Tick> ends;
  for (const std::uint32_t track : tracks) {
    const std::uint32_t sector = random() % 2 == 0 ? 7 : random() % kTrackSectors;
    const std::uint32_t blocks = 1 + random() % 12;  // some reads cross the track's end
    world.submit(TASK_READ, 2 * track * kTrackSectors + sector, blocks);
    world.run();
    ends.push_back(world.soc().now());
    world.run_until(world.soc().now() + random() % (30 * kSectorTicks));
  }
  return ends;
}

// The blocks pass while the read waits: it ends when it would have ended without them.
TEST_F(FreeBlocks, NoReadWaitsForThem) {
  for (std::uint32_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(ends_of_reads(true, seed), ends_of_reads(false, seed));
  }
}

TEST_F(FreeBlocks, ErrorInOne_IsNoErrorOfTheRead) {
  for (const std::uint32_t error : {FORMATTER_ERROR_CHECK, FORMATTER_ERROR_OVERRUN}) {
    options_.retries = 0;
    power_on(reading_free());
    pass(201);
    world().soc().fail_sectors({0, error});  // 203 comes, 204 does not
    EXPECT_EQ(read(207, 2), From::kMedia);
    EXPECT_TRUE(world().traced(TRACE_MEDIA_RETRY).empty());
    EXPECT_TRUE(rings_are_free());
    EXPECT_EQ(read(207, 2), From::kCache);
    EXPECT_EQ(read(203, 1), From::kMedia) << "what came before the error is not kept";
  }
}

TEST_F(FreeBlocks, AfterAnErrorInOne_TheDataLeaveByTheirShare) {
  options_.disconnect.full_ratio = 0;  // with the first sector
  power_on(reading_free());
  pass(201);
  world().soc().fail_sectors({FORMATTER_ERROR_CHECK});
  (void)read(207, 3);
  const auto grant = world().traced(TRACE_HOST_GRANT).front().tick;
  EXPECT_EQ(world().traced(TRACE_MEDIA_DONE).back().tick - grant, 2U * kSectorTicks);
}

// The data of a read of some free blocks are still leaving when others need the room.
TEST_F(FreeBlocks, ReadThatTakesSomeOfThem_KeepsTheirPlaces) {
  options_.host_block_ticks = 30 * kSectorTicks;
  options_.host_phase_blocks = 1;
  ::mode_caching caching = reading_free(reading_ahead(3));
  caching.segment_blocks = 9;
  power_on(caching);
  pass(203);
  world().soc().fail_sectors({0, 0, 0, FORMATTER_ERROR_CHECK});
  submit_read(209, 2);  // 205 to 208 come before it, but for the last
  pass_free(3);
  submit_read(205, 3);  // a hit, whose third block leaves after both blocks of the other read
  while (world().host_blocks() < 4) world().step();
  submit_read(213, 5);  // 213 was read ahead: the other blocks would replace 205 to 207
  world().run();        // ServiceWorld compares
  EXPECT_EQ(world().ended().size(), 4U);
  for (const auto& end : world().ended()) EXPECT_EQ(end.status, STATUS_OK);
}

TEST_F(FreeBlocks, ReadThatTakesSomeOfThem_KeepsThemWhenTheOthersFail) {
  options_.host_block_ticks = 3 * kSectorTicks;
  power_on(reading_free());
  pass(203);
  world().soc().fail_sectors({0, 0, FORMATTER_ERROR_CHECK});
  submit_read(208, 2);  // 205 is the first to pass
  pass_free(2);
  submit_read(205, 2);  // a hit, with data on their way when 207 fails
  world().run();        // ServiceWorld compares them
  ASSERT_EQ(world().ended().size(), 3U);
  EXPECT_EQ(world().ended()[1].lba, 205U);
  for (const auto& end : world().ended()) EXPECT_EQ(end.status, STATUS_OK);
  EXPECT_TRUE(rings_are_free());
  EXPECT_EQ(read(205, 1), From::kMedia);
}

TEST_F(FreeBlocks, ReadThatIsAborted_LeavesThem) {
  power_on(reading_free());
  pass(201);
  ::task* task = submit_read(207, 2);
  pass_free(2);
  world().abort(task);
  world().run();
  idle(2);
  EXPECT_TRUE(rings_are_free());
  EXPECT_EQ(read(203, 2), From::kCache);
  EXPECT_EQ(read(207, 1), From::kMedia);
}

// The aborted read has dropped the free blocks, and the arm is on its way back to its track. The
// next request is not affected by them: a write has no segment of the cache.
TEST_F(FreeBlocks, ReadAbortedAfterAnErrorInOne_LeavesNothingToTheNextTask) {
  power_on(reading_free());
  pass(201);
  world().soc().fail_sectors({0, FORMATTER_ERROR_NOT_FOUND});
  ::task* task = submit_read(207, 2);
  const std::size_t seeks = world().traced(TRACE_SEEK_START).size();
  while (world().core().media.state != MEDIA_SEEKING || free_runs() == 0) {
    ASSERT_TRUE(world().step());
  }
  ASSERT_GT(world().traced(TRACE_SEEK_START).size(), seeks);
  world().abort(task);
  write(300, 4);  // ServiceWorld compares
  EXPECT_TRUE(rings_are_free());
  EXPECT_EQ(read(207, 2), From::kMedia);
}

TEST_F(FreeBlocks, PartialHit_TakesNone) {
  power_on(reading_free());
  pass(203);
  (void)read(204, 2);
  ASSERT_EQ(free_runs(), 0U);
  (void)read(204, 4);  // 204 and 205 are there; a turn passes before 206
  EXPECT_EQ(free_runs(), 0U);
}

TEST_F(FreeBlocks, WriteToOneOfThem_InvalidatesIt) {
  power_on(reading_free());
  pass(201);
  (void)read(207, 2);
  write(204, 1);
  EXPECT_EQ(read(204, 1), From::kMedia);  // ServiceWorld compares its content
}

}  // namespace
}  // namespace headstack
