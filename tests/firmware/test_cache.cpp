// SPDX-License-Identifier: Apache-2.0
// The read cache by itself (firmware/transfer/cache.h): its hits, the effect of writes, and the
// choice of evicted segments. Reading ahead is in test_cache_ahead.cpp, page 08h in
// test_cache_modes.cpp.
#include <gtest/gtest.h>

#include "firmware/events.h"
#include "tests/firmware/cache_bench.hpp"

namespace headstack {
namespace {

using test::CacheBench;
using test::From;

// ---------------------------------------------------------------------------------- interval
// relations

/// The segment holds [20, 28). The thirteen relations that an interval can have to it (J. F. Allen,
/// "Maintaining Knowledge about Temporal Intervals", CACM 26, 1983), and the edges of single
/// blocks.
struct Relation {
  const char* what;
  std::uint32_t lba;
  std::uint32_t blocks;
  bool is_inside;   // all its blocks are in the segment
  bool is_touched;  // some of its blocks are
};

const Relation kRelations[] = {
    {"Before", 8, 4, false, false},
    {"Meets", 12, 8, false, false},
    {"Overlaps", 16, 8, false, true},
    {"OverlapsByOneBlock", 13, 8, false, true},
    {"Starts", 20, 4, true, true},
    {"During", 22, 4, true, true},
    {"Finishes", 24, 4, true, true},
    {"Equals", 20, 8, true, true},
    {"FinishedBy", 16, 12, false, true},
    {"Contains", 18, 12, false, true},
    {"StartedBy", 20, 9, false, true},
    {"OverlappedBy", 24, 8, false, true},
    {"OverlappedByOneBlock", 27, 8, false, true},
    {"MetBy", 28, 8, false, false},
    {"After", 36, 4, false, false},
    {"BlockBefore", 19, 1, false, false},
    {"FirstBlock", 20, 1, true, true},
    {"LastBlock", 27, 1, true, true},
    {"BlockBehind", 28, 1, false, false},
    {"FirstBlockOfTheDrive", 0, 1, false, false},
    {"LastBlockOfTheDrive", 799, 1, false, false},
};

class CacheRelation : public CacheBench, public testing::WithParamInterface<Relation> {
 protected:
  void SetUp() override {
    power_on(small_cache());
    ASSERT_EQ(read(20, 8), From::kMedia);
    ASSERT_EQ(read(400, 8), From::kMedia);  // the neighbour
  }
};

// cache.h: a read that finds all its blocks in one segment is a hit; any other takes a segment of
// its own.
TEST_P(CacheRelation, Read_IsAHit_IfAllItsBlocksAreThere) {
  EXPECT_EQ(read(GetParam().lba, GetParam().blocks),
            GetParam().is_inside ? From::kCache : From::kMedia);
  EXPECT_EQ(read(GetParam().lba, GetParam().blocks), From::kCache) << "now they are";
  EXPECT_EQ(read(20, 8), From::kCache) << "what was there is still there";
  EXPECT_EQ(read(400, 8), From::kCache);
}

// cache.h: a write drops the segments that it touches. The media then return the written data,
// which the world checks.
TEST_P(CacheRelation, Write_DropsTheSegmentsThatItTouches_AndNoOther) {
  write(GetParam().lba, GetParam().blocks);
  EXPECT_EQ(read(400, 8), From::kCache);
  EXPECT_EQ(read(20, 8), GetParam().is_touched ? From::kMedia : From::kCache);
}

// Restricted reordering (SCSI-2 8.3.3.1): the read waits for the write that it overlaps, whatever
// the cache holds.
TEST_P(CacheRelation, ReadAfterAWaitingWrite_ReturnsTheWrittenData) {
  world().submit(TASK_VERIFY, 700, 20);  // the media are busy
  world().submit(TASK_WRITE, GetParam().lba, GetParam().blocks);
  const auto now = world().soc().now();
  submit_read(20, 8);
  EXPECT_EQ(world().ended().back().lba == 20 && world().ended().back().tick == now,
            !GetParam().is_touched);
  world().run();
  EXPECT_EQ(world().ended().size(), 2U + 3U);
}

TEST_P(CacheRelation, Verification_DropsNothing) {
  world().submit(TASK_VERIFY, GetParam().lba, GetParam().blocks);
  world().run();
  EXPECT_EQ(read(20, 8), From::kCache);
  EXPECT_EQ(read(400, 8), From::kCache);
}

INSTANTIATE_TEST_SUITE_P(Cache, CacheRelation, testing::ValuesIn(kRelations),
                         test::case_name<Relation>);

class Cache : public CacheBench {};

TEST_F(Cache, BlocksInTwoSegments_AreNoHit) {
  power_on(small_cache());
  (void)read(20, 8);
  (void)read(28, 8);
  EXPECT_EQ(read(24, 8), From::kMedia);
  EXPECT_EQ(read(20, 8), From::kCache);
  EXPECT_EQ(read(28, 8), From::kCache);
}

TEST_F(Cache, Write_DropsEverySegmentThatItTouches) {
  power_on(small_cache());
  // Requests go backwards, so that none begins in the blocks of another.
  (void)read(30, 8);
  (void)read(24, 8);
  (void)read(20, 8);
  write(27, 1);
  EXPECT_EQ(read(30, 8), From::kCache);
  EXPECT_EQ(read(20, 8), From::kMedia);
  EXPECT_EQ(read(24, 8), From::kMedia);
}

// ------------------------------------------------------------------------------------------
// partial hits

// Blocks 20 to 27 are cached. A read that begins in them gets its first blocks from there, and the
// media read only the rest. Any other read gets all its blocks from the media, or all from the
// cache.
TEST_F(Cache, ReadWithItsFirstBlocksCached_ReadsOnlyTheOthers_InEachRelation) {
  for (std::uint32_t lba = 12; lba <= 30; ++lba) {
    for (std::uint32_t blocks = 1; blocks <= 16; ++blocks) {
      power_on(small_cache());
      (void)read(20, 8);
      const std::uint32_t there = lba >= 20 && lba < 28 ? std::min(28 - lba, blocks) : 0;
      const auto grants = world().traced(TRACE_HOST_GRANT).size();
      SCOPED_TRACE(testing::Message() << blocks << " blocks from " << lba << " on");
      if (there == blocks) {
        EXPECT_EQ(read(lba, blocks), From::kCache);
        continue;
      }
      submit_read(lba, blocks);
      while (world().core().media.state != MEDIA_TRANSFERRING) ASSERT_TRUE(world().step());
      EXPECT_EQ(world().core().media.request.lba, lba + there);
      EXPECT_EQ(world().core().media.request.block_count, blocks - there);
      if (there > 0) {
        EXPECT_EQ(world().traced(TRACE_HOST_GRANT).at(grants).argument >> 16, there)
            << "at once, before the media have begun";
      }
      world().run();
      EXPECT_EQ(world().ended().back().status, STATUS_OK);
      EXPECT_EQ(read(lba, blocks), From::kCache) << "all of it is there now";
      if (there > 0) {
        const std::uint32_t first = std::max(20U, lba + blocks > 16 ? lba + blocks - 16 : 0);
        EXPECT_EQ(read(first, lba + blocks - first), From::kCache) << "with what was there before";
        EXPECT_EQ(read(first - 1, 1), From::kMedia) << "the segment has 16";
      }
    }
  }
}

// SBC-2 5.6: with FUA the data are read from the medium.
TEST_F(Cache, ForcedReadWithItsFirstBlocksThere_ReadsAllOfThem) {
  power_on(small_cache());
  (void)read(20, 8);
  submit_read(24, 8, TASK_FLAG_FORCE_UNIT_ACCESS);
  while (world().core().media.state != MEDIA_TRANSFERRING) ASSERT_TRUE(world().step());
  EXPECT_EQ(world().core().media.request.lba, 24U);
  EXPECT_EQ(world().core().media.request.block_count, 8U);
  world().run();
}

// A write has invalidated the segment while a slow host still takes other blocks from it.
TEST_F(Cache, ReadThatBeginsInAnInvalidatedSegment_ReadsAllOfIt) {
  options_.host_block_ticks = 2'000'000;
  power_on(small_cache());
  (void)read(20, 8);
  submit_read(24, 2);
  world().submit(TASK_WRITE, 22, 1);
  submit_read(26, 2);
  submit_read(22, 12);  // ServiceWorld compares the data
  world().run();
  EXPECT_EQ(world().ended().size(), 5U);
  for (const auto& end : world().ended()) EXPECT_EQ(end.status, STATUS_OK);
}

// ------------------------------------------------------------------------------------------
// written data

// Page 21h, byte 18, bit 5. DiskSim's manual, "Allow read hits on write data".
TEST_F(Cache, BlocksJustWritten_AreHits_IfThePageAllows) {
  power_on(small_cache());
  write(40, 4);
  EXPECT_EQ(read(40, 4), From::kMedia);
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  write(40, 4);
  EXPECT_EQ(read(41, 2), From::kCache);
  EXPECT_EQ(read(40, 4), From::kCache) << "and again";
  EXPECT_EQ(read(40, 5), From::kMedia) << "the last block is not there";
  EXPECT_EQ(read(39, 2), From::kMedia);
  EXPECT_TRUE(rings_are_free());
}

// SBC-2 5.7: DPO marks blocks that are not likely to be accessed again. Reads treat it so, too.
TEST_F(Cache, WrittenData_OfAWriteWithDisablePageOut_AreNotKept) {
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  world().submit(TASK_WRITE, 40, 4, TASK_SIMPLE, TASK_FLAG_DISABLE_PAGE_OUT);
  world().run();
  EXPECT_EQ(read(40, 4), From::kMedia);
}

// Each data phase of a hit begins where the one before ended, also across the ring's end.
TEST_F(Cache, HitThatLeavesInParts_IsWhole) {
  for (const std::uint32_t blocks : {1U, 3U, 5U}) {
    options_.host_phase_blocks = blocks;
    power_on(small_cache());
    (void)read(20, 12);
    EXPECT_EQ(read(28, 12), From::kMedia) << "over the oldest ones: 24 to 39 are there";
    const auto heard = world().host_blocks();
    submit_read(26, 13);  // ServiceWorld compares
    world().run();
    EXPECT_EQ(world().host_blocks() - heard, 13U);
    EXPECT_EQ(world().traced(TRACE_CACHE_HIT).size(), 1U);
  }
}

TEST_F(Cache, WrittenData_AreDroppedWhenOverwritten) {
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  write(40, 4);
  write(42, 1);  // ServiceWorld compares
  EXPECT_EQ(read(42, 1), From::kCache);
  EXPECT_EQ(read(40, 4), From::kMedia);
}

// 90 blocks take the room of the tasks' part.
TEST_F(Cache, WrittenData_AreEvictedForOthers) {
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  write(40, 4);
  EXPECT_EQ(read(40, 4), From::kCache);
  write(100, 90);
  EXPECT_EQ(read(40, 4), From::kMedia);
}

// cache.h: the data of the last CACHE_WRITTEN writes are kept. The four are side by side.
TEST_F(Cache, WrittenData_AreThoseOfTheLastWrites) {
  static_assert(CACHE_WRITTEN == 2);
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  for (const std::uint32_t lba : {40U, 100U, 160U, 220U}) world().submit(TASK_WRITE, lba, 4);
  world().run();
  ASSERT_EQ(world().ended().size(), 4U);
  for (const std::uint32_t at : {2U, 3U}) {
    EXPECT_EQ(read(world().ended()[at].lba, 4), From::kCache) << at;
  }
  for (const std::uint32_t at : {0U, 1U}) {
    EXPECT_EQ(read(world().ended()[at].lba, 4), From::kMedia) << at;
  }
}

// The row of replaced data is free. The new data get that row, and the data of the write before
// stay.
TEST_F(Cache, WrittenData_TakeTheRowOfThoseTheyReplace) {
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  world().submit(TASK_WRITE, 40, 4);
  world().submit(TASK_WRITE, 100, 4);
  // This write is not kept. It lies after the two in the buffer, so that the last one lies after
  // it.
  world().submit(TASK_WRITE, 160, 4, TASK_SIMPLE, TASK_FLAG_DISABLE_PAGE_OUT);
  world().submit(TASK_WRITE, 100, 12);
  world().run();
  ASSERT_EQ(world().ended().back().lba, 100U);
  EXPECT_EQ(read(40, 4), From::kCache);
  EXPECT_EQ(read(100, 12), From::kCache);
  EXPECT_EQ(read(160, 4), From::kMedia);
}

// A slow host takes the data while others write: their cells are not reused meanwhile.
TEST_F(Cache, WrittenDataThatLeave_KeepTheirPlace) {
  options_.host_block_ticks = 20 * test::kSectorTicks;
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  write(40, 8);
  submit_read(40, 8);
  submit_read(42, 4);
  for (std::uint32_t lba = 100; lba < 140; lba += 8) world().submit(TASK_WRITE, lba, 8);
  world().run();
  EXPECT_EQ(world().ended().size(), 8U);
  EXPECT_TRUE(rings_are_free());
}

TEST_F(Cache, WriteThatIsAborted_OrFails_IsNotFound) {
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  world().abort(world().submit(TASK_WRITE, 40, 4));
  world().run();
  EXPECT_EQ(read(40, 4), From::kMedia);
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  world().soc().fail_sectors(std::vector<std::uint32_t>(20, FORMATTER_ERROR_WRITE_FAULT));
  world().submit(TASK_WRITE, 40, 4);
  world().run();
  EXPECT_NE(world().ended().back().status, STATUS_OK);
  submit_read(40, 4);
  world().run();
  EXPECT_TRUE(world().traced(TRACE_CACHE_HIT).empty());
}

TEST_F(Cache, ForcedReadOfBlocksJustWritten_ReadsTheMedia) {
  power_on(small_cache(MODE_CONTROLLER_KEEPS_WRITTEN));
  write(40, 4);
  EXPECT_EQ(read(40, 4, TASK_FLAG_FORCE_UNIT_ACCESS), From::kMedia);
}

// A defective block after the cached ones fails the read. The host gets those before it.
TEST_F(Cache, DefectAfterAPartialHit_FailsTheRead) {
  power_on(small_cache());
  (void)read(20, 8);
  std::vector<std::uint32_t> errors(20, FORMATTER_ERROR_CHECK);  // errors of all attempts
  errors[0] = 0;
  world().soc().fail_sectors(errors);
  submit_read(24, 8);
  world().run();
  EXPECT_NE(world().ended().back().status, STATUS_OK);
  EXPECT_TRUE(rings_are_free());
}

// ------------------------------------------------------------------------------------------ cached
// blocks

TEST_F(Cache, SwitchedOff_KeepsNothing) {
  power_on({});
  EXPECT_EQ(read(20, 8), From::kMedia);
  EXPECT_EQ(read(20, 8), From::kMedia);
  EXPECT_TRUE(world().buffer_is_free());
}

TEST_F(Cache, ReadOfASegmentsLength_IsKept_ALongerOneLeavesNothing) {
  power_on(small_cache());
  (void)read(20, 16);
  EXPECT_EQ(read(20, 16), From::kCache);
  EXPECT_EQ(read(100, 17), From::kMedia);
  EXPECT_EQ(read(100, 17), From::kMedia);
  EXPECT_EQ(read(100, 1), From::kMedia);
  EXPECT_EQ(read(20, 16), From::kCache);
}

// SBC-2 5.6: FUA requires a read from the medium; DPO gives the lowest priority for being retained.
TEST_F(Cache, ForceUnitAccess_ReadsTheMedia) {
  power_on(small_cache());
  (void)read(20, 8);
  EXPECT_EQ(read(20, 8, TASK_FLAG_FORCE_UNIT_ACCESS), From::kMedia);
  EXPECT_EQ(read(22, 2, TASK_FLAG_FORCE_UNIT_ACCESS), From::kMedia);
}

TEST_F(Cache, DisablePageOut_LeavesTheSegmentsToOthers) {
  power_on(small_cache());
  for (const std::uint32_t lba : {20U, 100U, 200U}) (void)read(lba, 8);
  EXPECT_EQ(read(300, 8, TASK_FLAG_DISABLE_PAGE_OUT), From::kMedia);
  EXPECT_EQ(read(300, 8), From::kMedia);
  EXPECT_EQ(read(100, 8), From::kCache);
  EXPECT_EQ(read(200, 8), From::kCache);
}

// A write is reported early when page 08h lets it and FUA does not forbid it.
TEST_F(Cache, OnlyAWriteWithoutForceUnitAccess_MayBeReportedEarly_AndOnlyWithWce) {
  for (const bool enabled : {false, true}) {
    ::cache cache{};
    cache.mode.writes = enabled;
    for (const auto operation :
         {TASK_READ, TASK_WRITE, TASK_VERIFY, TASK_SYNCHRONIZE, TASK_START, TASK_STOP}) {
      for (const bool forced : {false, true}) {
        ::task task{};
        task.operation = operation;
        task.flags =
            static_cast<std::uint8_t>(TASK_FLAG_MAY_DISCONNECT | TASK_FLAG_DISABLE_PAGE_OUT |
                                      (forced ? TASK_FLAG_FORCE_UNIT_ACCESS : 0));
        EXPECT_EQ(cache_reports(&cache, &task), enabled && operation == TASK_WRITE && !forced);
      }
    }
  }
}

// ------------------------------------------------------------------------------ evicted segments

struct EvictionCase {
  const char* what;
  std::vector<std::uint32_t> hits;  // after reads of 20, 100 and 200
  std::uint32_t goes;
};

class CacheEviction : public CacheBench, public testing::WithParamInterface<EvictionCase> {};

TEST_P(CacheEviction, SegmentUsedLongestAgo_MakesRoom) {
  power_on(small_cache());
  for (const std::uint32_t lba : {20U, 100U, 200U}) (void)read(lba, 4);
  for (const std::uint32_t lba : GetParam().hits) EXPECT_EQ(read(lba + 1, 2), From::kCache);
  EXPECT_EQ(read(300, 4), From::kMedia);
  for (const std::uint32_t lba : {20U, 100U, 200U, 300U}) {
    if (lba != GetParam().goes) {
      EXPECT_EQ(read(lba, 4), From::kCache) << lba;
    }
  }
  EXPECT_EQ(read(GetParam().goes, 4), From::kMedia);
}

INSTANTIATE_TEST_SUITE_P(Cache, CacheEviction,
                         testing::Values(EvictionCase{"First", {}, 20},
                                         EvictionCase{"Second", {20}, 100},
                                         EvictionCase{"Third", {100, 20}, 200},
                                         EvictionCase{"FirstAgain", {20, 200, 100}, 20},
                                         EvictionCase{"SecondLast", {100, 20, 200}, 100}),
                         test::case_name<EvictionCase>);

TEST_F(Cache, WriteMakesRoom_WhereItDropsASegment) {
  power_on(small_cache());
  for (const std::uint32_t lba : {20U, 100U, 200U}) (void)read(lba, 4);
  write(201, 1);
  (void)read(300, 4);
  EXPECT_EQ(read(20, 4), From::kCache) << "the oldest, but a place was free";
  EXPECT_EQ(read(100, 4), From::kCache);
}

// The cache has as many segments as the page sets, of that size: 6 * 16 blocks are all that the
// buffer leaves it.
TEST_F(Cache, AllSegmentsOfThePage_HoldTheirBlocks) {
  ::mode_caching caching = small_cache();
  for (const std::uint32_t segments : {1U, 2U, 6U}) {
    caching.segments = segments;
    power_on(caching);
    for (std::uint32_t i = 0; i < segments; ++i) (void)read(40 * i, 16);
    for (std::uint32_t i = 0; i < segments; ++i) EXPECT_EQ(read(40 * i, 16), From::kCache) << i;
    (void)read(40 * segments, 16);
    EXPECT_EQ(read(0, 16), From::kMedia) << "one more than there are";
  }
}

// segments.h: tasks cannot use the cache's part of the buffer.
TEST_F(Cache, WritesAndLongReads_TakeNoSegmentAway) {
  ::mode_caching caching = small_cache();
  caching.segments = 6;
  power_on(caching);
  for (std::uint32_t i = 0; i < 6; ++i) (void)read(40 * i, 16);
  for (std::uint32_t i = 0; i < 12; ++i) world().submit(TASK_WRITE, 300 + 30 * i, 20);
  submit_read(660, 100);
  world().run();
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(read(40 * i, 16), From::kCache) << i;
}

// A slow host takes its data for long: no other command may get the segment meanwhile.
TEST_F(Cache, SegmentStillReadByTheHost_IsNotReused) {
  options_.host_block_ticks = 10 * test::kSectorTicks;
  ::mode_caching caching = small_cache();
  for (const std::uint32_t segments : {1U, 2U}) {
    caching.segments = segments;
    power_on(caching);
    submit_read(20, 8);
    while (world().ended().empty()) world().step();
    for (const std::uint32_t lba : {100U, 200U, 300U}) submit_read(lba, 8);
    world().run();
    EXPECT_EQ(world().ended().size(), 4U);
    EXPECT_TRUE(rings_are_free());
  }
}

TEST_F(Cache, TwoTasks_TakeTheirDataFromOneSegment) {
  power_on(small_cache());
  (void)read(20, 8);
  options_.host_block_ticks = test::kSectorTicks;
  const auto now = world().soc().now();
  submit_read(20, 8);
  submit_read(22, 4);
  submit_read(20, 1);
  ASSERT_EQ(world().ended().size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(world().ended()[i].tick, now);
  write(21, 1);  // the segment is dropped when the last of them has its data
  EXPECT_EQ(read(20, 8), From::kMedia);
  EXPECT_TRUE(rings_are_free());
}

}  // namespace
}  // namespace headstack
