// SPDX-License-Identifier: Apache-2.0
// Reading ahead (firmware/transfer/cache.h): how far, which commands end it, which join it, and
// when a hit continues it.
//
// A sector passes in 40,000 ticks. A new run after blocks that have just passed waits for almost a
// revolution of ten. A read that joins is done within its own sectors.
#include <gtest/gtest.h>

#include "firmware/events.h"
#include "firmware/hal/formatter_hal.h"
#include "tests/firmware/cache_bench.hpp"

namespace headstack {
namespace {

using test::CacheBench;
using test::From;
using test::kNoLimit;
using test::kSectorTicks;

class CacheAhead : public CacheBench {
 protected:
  /// The sectors that passed between a command's arrival and its end, rounded up.
  std::uint32_t sectors_taken(std::uint32_t lba, std::uint32_t blocks) {
    const auto now = world().soc().now();
    const std::size_t ended = world().ended().size();
    submit_read(lba, blocks);
    while (world().ended().size() == ended) world().step();
    const auto ticks = world().ended().back().tick - now;
    world().run();
    return static_cast<std::uint32_t>((ticks + kSectorTicks - 1) / kSectorTicks);
  }
};

struct ReachCase {
  const char* what;
  std::uint32_t ahead_blocks;
  std::uint32_t ahead_task_blocks;
  std::uint32_t lba, blocks;  // of the read; a segment has 16
  std::uint32_t reach;        // blocks that are found after it
};

class CacheReach : public CacheAhead, public testing::WithParamInterface<ReachCase> {};

// Page 08h, maximum pre-fetch and disable pre-fetch transfer length; the segment's and the drive's
// end.
TEST_P(CacheReach, BlocksAfterARead_AreReadAsFarAsThePageTheSegmentAndTheDriveAllow) {
  const ReachCase& test = GetParam();
  ::mode_caching caching = reading_ahead(test.ahead_blocks);
  caching.ahead_task_blocks = test.ahead_task_blocks;
  power_on(caching);
  (void)read(test.lba, test.blocks);
  idle();
  EXPECT_TRUE(rings_are_free()) << "the media have ended";
  const std::uint32_t end = test.lba + test.blocks;
  if (test.reach > 0) {
    EXPECT_EQ(read(end, test.reach), From::kCache);
    power_on(caching);  // a hit makes read-ahead go on, so the block after it is requested in
                        // another world
    (void)read(test.lba, test.blocks);
    idle();
  }
  if (end + test.reach < 800) {
    EXPECT_EQ(read(end + test.reach, 1), From::kMedia) << "one more";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cache, CacheReach,
    testing::Values(ReachCase{"AsThePageSays", 10, kNoLimit, 20, 4, 10},
                    ReachCase{"OverTracks", 12, kNoLimit, 26, 4, 12},
                    ReachCase{"NotAtAll", 0, kNoLimit, 20, 4, 0},
                    ReachCase{"OneBlock", 1, kNoLimit, 20, 4, 1},
                    ReachCase{"UntilTheSegmentIsFull", 10, kNoLimit, 20, 12, 4},
                    ReachCase{"NothingBehindAFullSegment", 10, kNoLimit, 20, 16, 0},
                    ReachCase{"UntilTheDrivesEnd", 10, kNoLimit, 790, 4, 6},
                    ReachCase{"NothingBehindTheDrivesEnd", 10, kNoLimit, 796, 4, 0},
                    ReachCase{"BehindAReadThatIsShortEnough", 10, 4, 20, 4, 10},
                    ReachCase{"NotBehindALongerOne", 10, 4, 20, 5, 0}),
    test::case_name<ReachCase>);

TEST_F(CacheAhead, BlockBeforeTheRead_IsNotThere) {
  power_on(reading_ahead(8));
  (void)read(20, 4);
  idle();
  EXPECT_EQ(read(19, 1), From::kMedia);
}

TEST_F(CacheAhead, NothingIsReadAhead_WhileAnotherTaskWaits) {
  power_on(reading_ahead(8));
  submit_read(20, 4);
  submit_read(300, 4);
  world().run();
  idle();
  EXPECT_EQ(read(304, 8), From::kCache) << "nobody waited behind the last one";
  EXPECT_EQ(read(24, 1), From::kMedia);
}

// Two and a half sectors later a command needs the media elsewhere: the current sector is the last.
TEST_F(CacheAhead, AnyCommand_EndsIt_AndTheBlocksReadAreCached) {
  power_on(reading_ahead(12));
  (void)read(20, 4);
  world().run_until(world().ended().back().tick + 2 * kSectorTicks + kSectorTicks / 2);
  const auto now = world().soc().now();
  submit_read(300, 1);
  while (world().ended().back().lba != 300) world().step();
  // The longest way: one sector to its end, 2 ms of seek, a whole turn, a sector.
  EXPECT_LT(world().ended().back().tick - now, kSectorTicks + 80'000 + 11 * kSectorTicks);
  world().run();
  idle();
  EXPECT_EQ(read(24, 2), From::kCache);
  EXPECT_EQ(read(27, 1), From::kMedia) << "the third had been begun, the fourth had not";
}

TEST_F(CacheAhead, WriteToReadAheadBlocks_EndsIt_AndIsReadBack) {
  power_on(reading_ahead(12));
  (void)read(20, 4);
  world().run_until(world().ended().back().tick + kSectorTicks + kSectorTicks / 2);
  write(28, 2);
  idle();
  EXPECT_EQ(read(28, 2), From::kMedia);
}

// ------------------------------------------------------------------------------------------------
// joining

struct JoinCase {
  const char* what;
  std::uint32_t lba, blocks;
  bool joins;
};

class CacheJoin : public CacheAhead, public testing::WithParamInterface<JoinCase> {};

// Blocks 20 to 23 were read, and twelve more may be: 24 to 35. 24 has passed, and 25 is passing. A
// read joins if it begins in the present blocks, or right after. The ring has room for it, in place
// of blocks before it.
TEST_P(CacheJoin, ReadOfBlocksThatPassNow_WaitsForThem) {
  power_on(reading_ahead(12));
  (void)read(20, 4);
  world().run_until(world().ended().back().tick + kSectorTicks + kSectorTicks / 2);
  const int runs = world().soc().runs();
  const int seeks = world().soc().seeks();
  const std::uint32_t taken = sectors_taken(GetParam().lba, GetParam().blocks);
  if (GetParam().joins) {
    // Blocks 20 to 29 are one track, and a change of head costs the skew, one sector.
    const std::uint32_t last = GetParam().lba + GetParam().blocks - 1;
    EXPECT_LE(taken, last - 25 + 1 + (last >= 30 ? 1 : 0));
    EXPECT_EQ(world().soc().seeks() - seeks, last >= 30 ? 1 : 0);
  } else {
    EXPECT_GT(world().soc().runs(), runs);
    EXPECT_GE(taken, 2U);
  }
  idle();
  EXPECT_TRUE(rings_are_free());
  EXPECT_EQ(read(GetParam().lba, GetParam().blocks), From::kCache) << "and it is there";
}

INSTANTIATE_TEST_SUITE_P(Cache, CacheJoin,
                         testing::Values(JoinCase{"FromTheFirstOn", 20, 8, true},
                                         JoinCase{"FromTheLastThatIsThere", 24, 4, true},
                                         JoinCase{"FromTheNext", 25, 3, true},
                                         JoinCase{"ToTheLastThatMayBeRead", 25, 11, true},
                                         JoinCase{"BeyondTheSegment", 25, 12, true},
                                         JoinCase{"AsLongAsTheSegment", 24, 16, true},
                                         JoinCase{"WithAGap", 26, 3, false},
                                         JoinCase{"BeginningBefore", 19, 8, false}),
                         test::case_name<JoinCase>);

// Four blocks may be read ahead, 24 to 27. The current run was to end there: it continues for a
// read.
TEST_F(CacheAhead, ReadBeyondTheReadAheadLimit_ExtendsTheRun) {
  for (const std::uint32_t blocks : {3U, 4U, 5U}) {
    power_on(reading_ahead(4));
    (void)read(20, 4);
    world().run_until(world().ended().back().tick + kSectorTicks + kSectorTicks / 2);
    const int runs = world().soc().runs();
    EXPECT_LE(sectors_taken(25, blocks), blocks);
    EXPECT_EQ(world().soc().runs(), runs) << "a new one may come a revolution late";
  }
}

// Recovered errors of the earlier read are reported by that read only (page 01h, PER).
TEST_F(CacheAhead, ReadThatJoins_ReportsNoErrorsOfTheOneBefore) {
  options_.recovery = MODE_RECOVERY_PER;
  power_on(reading_ahead(12));
  world().soc().fail_sectors({0, 0, FORMATTER_ERROR_CHECK});
  submit_read(20, 4);
  world().run();
  ASSERT_EQ(world().ended().back().status, STATUS_READ_RECOVERED);
  world().run_until(world().ended().back().tick + kSectorTicks / 2);
  EXPECT_LE(sectors_taken(24, 4), 4U);
  EXPECT_EQ(world().ended().back().status, STATUS_OK);
}

// Read-ahead continues after the joined read, as far as the page allows after that read.
TEST_F(CacheAhead, AfterAJoinedRead_ItContinues) {
  power_on(reading_ahead(4));
  (void)read(20, 4);
  world().run_until(world().ended().back().tick + kSectorTicks / 2);
  EXPECT_LE(sectors_taken(24, 4), 4U);
  idle();
  EXPECT_EQ(read(28, 4), From::kCache);
}

// MODE SELECT changes the maximum pre-fetch while the media read ahead by the old value.
TEST_F(CacheAhead, ReadJoins_ThoughThePageAllowsLessByNow) {
  for (const std::uint32_t allowed : {0U, 1U, 4U}) {
    for (const std::uint32_t blocks : {1U, 2U, 5U}) {
      SCOPED_TRACE(testing::Message() << "allowed " << allowed << ", blocks " << blocks);
      power_on(reading_ahead(12));
      (void)read(20, 4);
      world().run_until(world().ended().back().tick + kSectorTicks / 2);
      set(reading_ahead(allowed));
      EXPECT_LE(sectors_taken(24, blocks), blocks);
      idle();
      EXPECT_TRUE(rings_are_free()) << "the media have ended";
    }
  }
}

// No command asked for the block: the media try once and report nothing, and the blocks before it
// are cached.
TEST_F(CacheAhead, BadBlockAfterARead_EndsReadAhead) {
  power_on(reading_ahead(12));
  world().soc().fail_sectors({0, 0, 0, 0, 0, 0, FORMATTER_ERROR_CHECK});
  (void)read(20, 4);
  idle();
  EXPECT_TRUE(rings_are_free()) << "the media have ended";
  EXPECT_EQ(world().ended().size(), 1U);
  EXPECT_EQ(read(24, 2), From::kCache);
  EXPECT_EQ(read(26, 1), From::kMedia);
  EXPECT_EQ(world().ended().back().status, STATUS_OK);
}

// media.h: blocks after the requested ones belong to no task, and an error ends read-ahead. The
// firmware is late, and gets the event of the last block and the error together.
TEST_F(CacheAhead, BadBlockAfterARead_ReportedWithItsLast_FailsNoCommand) {
  options_.retries = 0;
  options_.host_block_ticks = 100 * kSectorTicks;
  for (const std::size_t bad : {3U, 4U}) {
    power_on(reading_ahead(8));
    std::vector<std::uint32_t> errors(bad + 1, 0);
    errors[bad] = FORMATTER_ERROR_CHECK;
    world().soc().fail_sectors(errors);
    submit_read(20, 4);
    while (world().traced(TRACE_RUN_START).empty()) ASSERT_TRUE(world().step());
    while (formatter_hal_busy()) ASSERT_TRUE(world().soc().advance());
    world().run();
    EXPECT_EQ(world().ended()[0].status, bad < 4 ? STATUS_DATA_DAMAGED : STATUS_OK);
    EXPECT_EQ(world().host_blocks(), bad < 4 ? 0U : 4U) << "its data begin with the end";
    EXPECT_TRUE(rings_are_free());
  }
}

TEST_F(CacheAhead, ForcedRead_DoesNotJoin) {
  power_on(reading_ahead(12));
  (void)read(20, 4);
  world().run_until(world().ended().back().tick + kSectorTicks + kSectorTicks / 2);
  const int runs = world().soc().runs();
  submit_read(25, 2, TASK_FLAG_FORCE_UNIT_ACCESS);
  world().run();
  EXPECT_GT(world().soc().runs(), runs);
}

TEST_F(CacheAhead, BlocksReadAlready_AreHitsWhileItContinues) {
  power_on(reading_ahead(12));
  (void)read(20, 4);
  world().run_until(world().ended().back().tick + 3 * kSectorTicks + kSectorTicks / 2);
  EXPECT_EQ(read(20, 7), From::kCache) << "20 to 26 have passed";
  idle();
  EXPECT_EQ(read(27, 9), From::kCache) << "and it went on";
}

// ------------------------------------------------------------------------ read-ahead after hits

// A read of 4 blocks and 8 after it: 20 to 31 are cached. Half of the following blocks are used up
// when fewer than four are left.
TEST_F(CacheAhead, HitThatUsesMoreThanHalf_ExtendsIt) {
  power_on(reading_ahead(8));
  (void)read(20, 4);
  idle();
  const int runs = world().soc().runs();
  EXPECT_EQ(read(24, 4), From::kCache);
  idle();
  EXPECT_EQ(world().soc().runs(), runs) << "four are left: half of eight";
  EXPECT_EQ(read(28, 1), From::kCache);
  idle();
  EXPECT_GT(world().soc().runs(), runs);
  EXPECT_EQ(read(29, 8), From::kCache) << "eight after 28";
  idle();
  EXPECT_TRUE(rings_are_free());
}

// A segment of 16 is a ring: new blocks replace its oldest ones.
TEST_F(CacheAhead, FullSegment_ContinuesOverItsOldestBlocks) {
  power_on(reading_ahead(8));
  (void)read(20, 16);
  EXPECT_EQ(read(30, 6), From::kCache);
  idle();
  EXPECT_EQ(read(28, 16), From::kCache) << "eight more after 35";
  const int runs = world().soc().runs();
  idle();
  EXPECT_EQ(world().soc().runs(), runs) << "it has no block before what was asked for";
  EXPECT_EQ(read(27, 1), From::kMedia);
}

// Page 21h, byte 18, bit 4. DiskSim's manual, "Read-ahead over requested": the data of the last
// read may be replaced, too.
TEST_F(CacheAhead, OverRequestedBlocks_AFullSegmentContinues_IfThePageAllows) {
  for (const std::uint8_t bits : {std::uint8_t{0}, std::uint8_t{MODE_CONTROLLER_AHEAD_OVER}}) {
    power_on(reading_ahead(8, bits));
    (void)read(20, 16);
    EXPECT_EQ(read(20, 16), From::kCache);
    idle();
    const From from = bits == 0 ? From::kMedia : From::kCache;
    EXPECT_EQ(read(36, 8), from);
    EXPECT_EQ(read(27, 1), bits == 0 ? From::kCache : From::kMedia);
  }
}

// The same for a joined read: the current read-ahead continues when that read's data have left.
TEST_F(CacheAhead, OverTheBlocksOfAJoinedRead_ItContinues_IfThePageAllows) {
  for (const std::uint8_t bits : {std::uint8_t{0}, std::uint8_t{MODE_CONTROLLER_AHEAD_OVER}}) {
    power_on(reading_ahead(8, bits));
    (void)read(20, 4);
    world().run_until(world().ended().back().tick + kSectorTicks + kSectorTicks / 2);
    EXPECT_LE(sectors_taken(24, 12), 12U) << "to 35";
    idle();
    // With 24 kept, a ring of 16 ends with 39. Otherwise eight are ahead of 36.
    EXPECT_EQ(read(36, 4), From::kCache);
    EXPECT_EQ(read(36, 8), bits == 0 ? From::kMedia : From::kCache);
  }
}

// More reads than CACHE_READERS wait for a slow host, and the last but one began at the oldest
// block. ServiceWorld compares their data.
TEST_F(CacheAhead, BlocksThatManyReadsNeed_Stay) {
  options_.host_block_ticks = 50 * kSectorTicks;
  power_on(reading_ahead(8));
  (void)read(20, 16);
  for (const std::uint32_t lba : {30U, 31U, 32U, 33U, 20U, 34U}) submit_read(lba, 1);
  world().run();
  EXPECT_EQ(world().ended().size(), 7U);
}

// The first of them needs the most blocks.
TEST_F(CacheAhead, BlocksThatAFewReadsNeed_Stay_AndOthersAreEvicted) {
  options_.host_block_ticks = 50 * kSectorTicks;
  power_on(reading_ahead(8));
  (void)read(20, 16);
  for (const std::uint32_t lba : {25U, 34U}) submit_read(lba, 1);
  world().run();
  EXPECT_EQ(read(36, 5), From::kCache) << "over 20 to 24";
}

// A hit continues read-ahead. A write ends it before it has covered half of the allowed blocks, and
// then it is over. docs/cache.md: the drive does not go back to an old stream.
TEST_F(CacheAhead, AfterAHit_AWriteEndsIt_AndTheHeadsDoNotGoBack) {
  power_on(reading_ahead(8));
  (void)read(20, 4);
  world().run_until(world().ended().back().tick + 3 * kSectorTicks + kSectorTicks / 2);
  EXPECT_EQ(read(24, 2), From::kCache);
  write(500, 4);
  const int runs = world().soc().runs();
  idle();
  EXPECT_EQ(world().soc().runs(), runs);
  EXPECT_EQ(read(26, 1), From::kCache) << "what had come stays";
  EXPECT_EQ(read(31, 1), From::kMedia);
}

// Page 21h, byte 18, bit 1: read-ahead only after misses. The read-ahead of a miss goes no farther
// for a hit.
TEST_F(CacheAhead, OnlyAfterMisses_AHitDoesNotExtendIt) {
  for (const std::uint8_t bits : {std::uint8_t{0}, std::uint8_t{MODE_CONTROLLER_AHEAD_MISSES}}) {
    power_on(reading_ahead(8, bits));
    (void)read(20, 4);
    world().run_until(world().ended().back().tick + 3 * kSectorTicks + kSectorTicks / 2);
    EXPECT_EQ(read(24, 2), From::kCache);
    idle();
    EXPECT_EQ(read(31, 1), From::kCache);
    EXPECT_EQ(read(33, 1), bits == 0 ? From::kCache : From::kMedia);
  }
}

// The hit and the current read-ahead belong to different segments. Use of one does not extend the
// other.
TEST_F(CacheAhead, HitInAnotherSegment_DoesNotExtendIt) {
  power_on(reading_ahead(8));
  (void)read(300, 4);
  idle();
  (void)read(20, 4);
  world().run_until(world().ended().back().tick + kSectorTicks / 2);
  EXPECT_EQ(read(300, 4), From::kCache);
  idle();
  EXPECT_EQ(read(31, 1), From::kCache);
  EXPECT_EQ(read(33, 1), From::kMedia);
}

// The firmware's work for it delays no host, so a hit's data leave first. Meanwhile the media are
// free, after the verification.
TEST_F(CacheAhead, ReadAheadContinuesAfterAHit_WhenItsDataHaveBeenSent) {
  options_.host_block_ticks = 5 * kSectorTicks;
  power_on(reading_ahead(8));
  (void)read(20, 4);
  idle();
  const int runs = world().soc().runs();
  submit_read(28, 4);
  world().submit(TASK_SYNCHRONIZE, 300, 1);  // it makes the service look for work
  world().run_until(world().soc().now() + 18 * kSectorTicks);
  EXPECT_EQ(world().ended().back().lba, 300U);
  EXPECT_EQ(world().soc().runs(), runs) << "three of four blocks have left";
  world().run();
  idle();
  EXPECT_EQ(world().soc().runs(), runs + 1);
}

// Page 08h has divided the buffer anew: no read could find blocks in an old segment.
TEST_F(CacheAhead, AfterTheLossOfItsSegment_NothingIsReadAhead) {
  for (const bool divides : {false, true}) {
    options_.host_block_ticks = kSectorTicks / 2;
    power_on(reading_ahead(8));
    submit_read(20, 4);  // it reads to 31 while its data leave
    world().run_until(world().soc().now() + 1);
    while (!media_reads_ahead(&world().core().media)) ASSERT_TRUE(world().step());
    submit_read(22, 2);
    ASSERT_EQ(world().traced(TRACE_CACHE_HIT).size(), 1U);
    ::mode_caching caching = reading_ahead(12);
    if (divides) caching.segments = 2;
    set(caching);
    while (media_reads_ahead(&world().core().media)) ASSERT_TRUE(world().step());
    EXPECT_EQ(world().core().media.blocks_done, divides ? 12U : 16U);
    world().run();
  }
}

// A stream of hits, each of four blocks, while the media read ahead: they never have to begin anew.
TEST_F(CacheAhead, StreamOfHits_KeepsTheRunGoing) {
  power_on(reading_ahead(8));
  (void)read(20, 4);
  const int runs = world().soc().runs();
  std::uint32_t lba = 24;
  for (; lba < 300; lba += 4) {
    // Each read comes as soon as its blocks are cached.
    world().run_until(world().ended().back().tick + 5 * kSectorTicks);
    submit_read(lba, 4);
    world().run();
    ASSERT_EQ(world().ended().back().status, STATUS_OK);
    ASSERT_EQ(world().soc().runs(), runs) << "block " << lba;
  }
}

// A stream of which the next two reads always wait, and a read elsewhere that arrived before most
// of them. Younger reads join only up to the segment's end, as its ring could otherwise take in the
// whole stream.
TEST_F(CacheAhead, StreamThatJoins_DoesNotBlockAnOlderReadForEver) {
  for (const std::uint8_t bits : {std::uint8_t{0}, std::uint8_t{MODE_CONTROLLER_AHEAD_ONE_TRACK}}) {
    power_on(reading_ahead(8, bits));
    (void)read(20, 4);
    world().run_until(world().ended().back().tick + kSectorTicks / 2);
    std::uint32_t lba = 24;
    for (; lba < 32; lba += 4) submit_read(lba, 4);
    submit_read(700, 1);
    std::uint32_t behind_it = 0;
    std::size_t heard = world().ended().size();
    for (bool served = false; !served && lba < 600;) {
      ASSERT_TRUE(world().step());
      for (; heard < world().ended().size(); ++heard) {
        served = served || world().ended()[heard].lba == 700;
        if (served) continue;
        submit_read(lba, 4);
        lba += 4;
        ++behind_it;
      }
    }
    EXPECT_LE(behind_it, 2U + 16 / 4) << "the older ones, and a segment";
    world().run();
  }
}

// SCSI-2 8.3.3.1: longer reads than page 08h's disable pre-fetch transfer length have no pre-fetch.
// 24 to 31 are read ahead in any case.
TEST_F(CacheAhead, ForALongReadThatHitsOrJoins_NothingMoreIsReadAhead) {
  for (const std::uint32_t limit : {6U, 5U}) {
    for (const std::uint32_t passed : {0U, 4U, 20U}) {  // it joins; hits meanwhile; or hits then
      SCOPED_TRACE(testing::Message() << "limit " << limit << ", passed " << passed);
      ::mode_caching caching = reading_ahead(8);
      caching.ahead_task_blocks = limit;
      power_on(caching);
      (void)read(20, 4);
      world().run_until(world().ended().back().tick + passed * kSectorTicks + kSectorTicks / 2);
      submit_read(passed == 0 ? 24 : passed == 4 ? 22 : 26, 6);
      world().run();
      idle();
      EXPECT_EQ(read(31, 1), From::kCache);
      EXPECT_EQ(read(32, 1), limit == 6 ? From::kCache : From::kMedia);
    }
  }
}

TEST_F(CacheAhead, ReadingOn_EndsAtTheDrivesEnd) {
  power_on(reading_ahead(4));
  (void)read(788, 4);  // it reads to 795
  idle();
  EXPECT_EQ(read(794, 2), From::kCache);
  idle();
  EXPECT_EQ(read(796, 4), From::kCache);
  const int runs = world().soc().runs();
  idle();
  EXPECT_EQ(world().soc().runs(), runs);
}

// Read-ahead that a hit began is joined, too: blocks count from the segment's first, not from the
// fill's.
TEST_F(CacheAhead, ReadAheadOfAHit_IsJoined) {
  ::mode_caching caching = reading_ahead(8);
  caching.segment_blocks = 24;
  power_on(caching);
  (void)read(20, 4);
  idle();  // it reads to 31
  const int runs = world().soc().runs();
  EXPECT_EQ(read(28, 4), From::kCache);  // and now it reads to 39
  ::task block_33{};
  block_33.operation = TASK_READ;
  block_33.lba = 33;
  block_33.blocks = 1;
  cache_segment* segment = nullptr;
  while (cache_find(&world().core().cache, &block_33, &segment) == CACHE_MISS) {
    ASSERT_TRUE(world().step());
  }
  EXPECT_LE(sectors_taken(33, 4), 4U) << "32 has passed";
  EXPECT_EQ(world().soc().runs(), runs + 1);
  idle();
  EXPECT_EQ(read(37, 8), From::kCache) << "eight after 36";
  EXPECT_EQ(read(20, 1), From::kMedia) << "24 that end with 44";
}

// A hit continued the read-ahead without a request. Once a read waits for a block, its errors are
// that read's (PER).
TEST_F(CacheAhead, ReadThatJoinsTheReadAheadOfAHit_ReportsItsErrors) {
  options_.recovery = MODE_RECOVERY_PER;
  power_on(reading_ahead(8));
  (void)read(20, 4);
  idle();  // it reads to 31
  EXPECT_EQ(read(28, 4), From::kCache);
  while (world().core().media.state != MEDIA_TRANSFERRING) ASSERT_TRUE(world().step());
  submit_read(32, 4);
  world().soc().fail_sectors({0, 0, FORMATTER_ERROR_CHECK});
  world().run();
  EXPECT_EQ(world().ended().back().status, STATUS_READ_RECOVERED);
  EXPECT_EQ(world().ended().back().failed_lba, 34U);
}

// A hit's continuation ends when another segment is asked for: its own segment would otherwise lose
// its blocks to the other read.
TEST_F(CacheAhead, AfterAJoinInAnotherSegment_TheSegmentOfAHitStays) {
  power_on(reading_ahead(8));
  (void)read(20, 4);
  idle();  // it reads to 31
  (void)read(300, 4);
  world().run_until(world().ended().back().tick + kSectorTicks / 2);
  submit_read(28, 2);
  submit_read(304, 4);
  world().run();
  ASSERT_EQ(world().traced(TRACE_CACHE_HIT).size(), 2U);
  idle();
  EXPECT_EQ(read(20, 1), From::kCache);
}

// A controller that is busy with a command (page 21h) leaves the arm free when its time is over.
class CacheAheadControllerTime : public CacheAhead {
 protected:
  static constexpr std::uint32_t kThinkTicks = 5 * kSectorTicks;

  /// Two and a half sectors of read-ahead after blocks 20 to 23.
  void power_on_and_read_ahead() {
    options_.controller.takes_time = true;
    for (std::uint32_t& ticks : options_.controller.ticks) ticks = kThinkTicks;
    power_on(reading_ahead(12));
    (void)read(20, 4);
    world().run_until(world().ended().back().tick + 2 * kSectorTicks + kSectorTicks / 2);
    ASSERT_TRUE(media_reads_ahead(&world().core().media));
  }
  /// Whether the media are idle while the controller is busy.
  bool is_idle_in_a_sector() {
    idle(1);
    return media_is_idle(&world().core().media);
  }
};

TEST_F(CacheAheadControllerTime, CommandForOtherBlocks_EndsItAtOnce_AndBeginsInTime) {
  for (const auto operation : {TASK_READ, TASK_WRITE, TASK_VERIFY}) {
    power_on_and_read_ahead();
    const auto now = world().soc().now();
    world().submit(operation, 300, 1);
    EXPECT_TRUE(is_idle_in_a_sector());
    world().run();
    EXPECT_NEAR(static_cast<double>(world().traced(TRACE_TASK_CHOSEN).back().tick - now),
                kThinkTicks, 2);
    idle();
    EXPECT_EQ(world().traced(TRACE_CACHE_HIT).size(), 0U);
    world().submit(TASK_READ, 24, 2);
    world().run();
    EXPECT_EQ(world().traced(TRACE_CACHE_HIT).size(), 1U) << "what was read is there";
  }
}

TEST_F(CacheAheadControllerTime, CommandForItsBlocks_DoesNotEndIt) {
  for (const std::uint32_t lba :
       {21U, 24U, 26U}) {  // read long ago, just read, and the sector under way
    power_on_and_read_ahead();
    submit_read(lba, 2);
    EXPECT_FALSE(is_idle_in_a_sector());
    world().run();
    EXPECT_EQ(world().traced(TRACE_CACHE_HIT).size(), 1U);
  }
}

TEST_F(CacheAheadControllerTime, CommandThatWaitsForItsBlocks_GetsThem_WhateverArrivesLater) {
  power_on_and_read_ahead();
  submit_read(26, 2);
  submit_read(300, 1);
  EXPECT_FALSE(is_idle_in_a_sector());
  world().run();
  EXPECT_EQ(world().traced(TRACE_CACHE_HIT).size(), 1U);
  ASSERT_EQ(world().ended().size(), 3U);
  EXPECT_EQ(world().ended()[1].lba, 26U);
}

// The second command arrives while the controller is busy with the first, which is no hit.
TEST_F(CacheAheadControllerTime, AfterACommandForOtherBlocks_TheBlocksReadAreCached_TheRestAreNot) {
  power_on_and_read_ahead();
  submit_read(300, 1);
  submit_read(24, 2);
  submit_read(30, 2);
  world().run();
  EXPECT_EQ(world().traced(TRACE_CACHE_HIT).size(), 1U);
}

}  // namespace
}  // namespace headstack
