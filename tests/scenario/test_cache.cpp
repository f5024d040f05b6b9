// SPDX-License-Identifier: Apache-2.0
// The drive's cache, as a host sees it (SBC-2 6.3.3, 5.18): page 08h, hits, read-ahead, and writes
// that are reported early. SCSI-2 8.2.14.2 is in tests/firmware/test_scsi_recovery.cpp, because no
// flaw makes a write fail here.
//
// Times: small_drive() turns in 10 ms, its sectors pass in 0.5 ms (20 a track) or 0.625 ms (16). A
// hit needs the bus alone: some 0.1 ms for a few blocks at 20 MB/s.
#include <random>

#include "tests/firmware/controller_page.hpp"
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

constexpr Picoseconds kRevolution = 10 * kMillisecond;
constexpr Picoseconds kHit = kMillisecond / 2;  // what no access to the media could do

class Cache : public DriveBench {
 protected:
  void power_on_with(const CachePage& page) {
    power_on_fast();
    prepare(0, 200);
    prepare(1000, 200);
    set(page);
  }
  void set(const CachePage& page) { ASSERT_EQ(run(mode_select_6(caching_page(page))), "GOOD"); }
  /// The time from the last byte of the command to the status.
  static Picoseconds service_time(const Completion& done) {
    return done.times.status - done.times.command_sent;
  }
  /// Reads, checks the data, and returns the time taken.
  Picoseconds read(std::uint32_t lba, std::uint32_t blocks) {
    const Completion done = execute(read_10(lba, blocks));
    expect_data(done, lba, blocks);
    return service_time(done);
  }
  Bytes write(std::uint32_t lba, std::uint32_t count, std::uint8_t byte_1 = 0) {
    Bytes data = blocks().write(lba, count);
    Command command = write_10(lba, data);
    command.cdb[1] = byte_1;
    const Completion done = execute(std::move(command));
    EXPECT_EQ(outcome(done), "GOOD");
    last_write_ = service_time(done);
    return data;
  }

  Picoseconds last_write_ = 0;
};

TEST_F(Cache, Page08_AtPowerOn_CachesNothing_AndNamesASegmentOfTheBuffer) {
  power_on_fast();
  const Completion done = execute(mode_sense_6(0x08));
  ASSERT_EQ(outcome(done), "GOOD");
  const Bytes page(done.data.begin() + 4, done.data.end());
  EXPECT_EQ(page[2], kReadCacheDisabled) << "RCD set, WCE clear";
  EXPECT_EQ(page[13], 3) << "segments";
  EXPECT_EQ(big_endian(page, 14, 2), 64U) << "a quarter of 128 KiB, in blocks";
  prepare(100, 8);
  (void)read(100, 8);
  EXPECT_GT(read(100, 8), kHit);
}

TEST_F(Cache, Page08_NoSegments_OrEmptyOnes_AreRefused) {
  power_on_fast();
  CachePage page;
  page.segments = 0;
  EXPECT_EQ(run(mode_select_6(caching_page(page))), "5/26/00");
  page.segments = 17;
  EXPECT_EQ(run(mode_select_6(caching_page(page))), "5/26/00");
  page.segments = 16;
  page.segment_blocks = 0;
  EXPECT_EQ(run(mode_select_6(caching_page(page))), "5/26/00");
}

TEST_F(Cache, BlocksReadBefore_ComeAtOnce) {
  power_on_with({});
  EXPECT_GT(read(100, 8), kHit);
  EXPECT_LT(read(100, 8), kHit);
  EXPECT_LT(read(103, 2), kHit) << "some of them, too";
}

TEST_F(Cache, BlocksAfterThem_AreReadAhead) {
  power_on_with({});
  EXPECT_GT(read(100, 4), kHit);
  run_for(40 * kMillisecond);  // 60 sectors of 0.5 ms, and three changes of track
  EXPECT_LT(read(104, 4), kHit);
  EXPECT_LT(read(108, 30), 3 * kHit) << "15 KB at 20 MB/s and two data phases";
  EXPECT_GT(read(96, 4), kHit) << "what lies before is not there";
}

TEST_F(Cache, ReadAhead_EndsWithItsSegment_AndAtThePagesLimit) {
  CachePage page;
  page.most_ahead = 10;
  power_on_with(page);
  (void)read(100, 4);
  run_for(40 * kMillisecond);
  EXPECT_LT(read(104, 10), kHit);
  run_for(40 * kMillisecond);
  EXPECT_LT(read(114, 10), kHit) << "a hit has it go on";
  set({});
  (void)read(0, 4);
  run_for(100 * kMillisecond);
  EXPECT_LT(read(62, 2), kHit);
  EXPECT_GT(read(64, 1), kHit) << "64 blocks are a segment";
}

TEST_F(Cache, DisableReadAhead_KeepsTheRequestedBlocks) {
  CachePage page;
  page.ahead_flags = kNoReadAhead;
  power_on_with(page);
  (void)read(100, 4);
  run_for(40 * kMillisecond);
  EXPECT_GT(read(104, 4), kHit);
  EXPECT_LT(read(100, 4), kHit);
}

// Without read-ahead the next block has just passed: almost a revolution.
TEST_F(Cache, BlocksThatAreJustBeingReadAhead_AreWaitedFor) {
  power_on_with({});
  (void)read(1000, 4);
  const Picoseconds next = read(1004, 4);
  EXPECT_GT(next, kHit);
  EXPECT_LT(next, 4 * kMillisecond) << "4 sectors of 0.625 ms, and at most a change of track";
}

TEST_F(Cache, AnyWaitingCommand_EndsReadAhead) {
  power_on_with({});
  (void)read(0, 4);
  const Picoseconds far = read(1100, 1);
  EXPECT_LT(far, 8 * kMillisecond + kRevolution) << "longest seek and a turn: 60 sectors are 30 ms";
}

TEST_F(Cache, Write_DropsOverlappingCachedBlocks) {
  power_on_with({});
  (void)read(100, 8);
  write(104, 1);
  EXPECT_GT(read(100, 8), kHit);
  EXPECT_LT(read(100, 8), kHit);
}

TEST_F(Cache, ForceUnitAccess_ReadsTheMedia) {
  power_on_with({});
  (void)read(100, 8);
  Command command = read_10(100, 8);
  command.cdb[1] = 0x08;
  const Completion done = execute(std::move(command));
  expect_data(done, 100, 8);
  EXPECT_GT(service_time(done), kHit);
}

TEST_F(Cache, MoreThanASegment_StreamsThrough) {
  CachePage page;
  page.segment_blocks = 16;
  power_on_with(page);
  EXPECT_GT(read(100, 17), kHit);
  EXPECT_GT(read(100, 17), kHit);
}

TEST_F(Cache, SegmentUsedLongestAgo_MakesRoom) {
  CachePage page;
  page.segments = 2;
  page.ahead_flags = kNoReadAhead;
  power_on_with(page);
  (void)read(0, 4);
  (void)read(100, 4);
  EXPECT_LT(read(0, 4), kHit);
  (void)read(1000, 4);
  EXPECT_LT(read(0, 4), kHit);
  EXPECT_GT(read(100, 4), kHit);
}

TEST_F(Cache, TurnedOff_DropsAllBlocks) {
  power_on_with({});
  (void)read(100, 8);
  CachePage off;
  off.flags = kReadCacheDisabled;
  set(off);
  EXPECT_GT(read(100, 8), kHit);
  set({});
  EXPECT_GT(read(100, 8), kHit);
}

// ---- writes

TEST_F(Cache, Write_IsReportedWhenItsDataAreThere_AndReachesTheMedia) {
  power_on_with({kWriteCache});
  const Bytes before = peek(1100, 8);
  const Bytes data = write(1100, 8);
  EXPECT_LT(last_write_, kHit);
  EXPECT_EQ(peek(1100, 8), before);
  run_for(3 * kRevolution);
  EXPECT_EQ(peek(1100, 8), data);
}

TEST_F(Cache, ForceUnitAccess_ReportsFromTheMedia) {
  power_on_with({kWriteCache});
  const Bytes data = write(1100, 8, 0x08);
  EXPECT_GT(last_write_, kHit);
  EXPECT_EQ(peek(1100, 8), data);
}

TEST_F(Cache, SynchronizeCache_EndsWhenAllIsOnTheMedia) {
  power_on_with({kWriteCache});
  const Bytes first = write(1100, 8);
  const Bytes second = write(20, 4);
  const Bytes third = write(1150, 1);
  ASSERT_EQ(run(synchronize_cache()), "GOOD");
  EXPECT_EQ(peek(1100, 8), first);
  EXPECT_EQ(peek(20, 4), second);
  EXPECT_EQ(peek(1150, 1), third);
}

TEST_F(Cache, ReadOfAJustReportedWrite_ReturnsIt) {
  power_on_with({kWriteCache});
  const auto write_and_expect_it_to_wait = [&](std::uint32_t lba, std::uint32_t count) {
    const Bytes data = write(lba, count);
    EXPECT_NE(peek(lba, count), data) << "or the read after it proves nothing";
  };
  EXPECT_GT(read(100, 8), kHit);  // read() compares the data
  write_and_expect_it_to_wait(102, 3);
  EXPECT_LT(last_write_, kHit);
  (void)read(100, 8);
  write_and_expect_it_to_wait(100, 8);
  EXPECT_LT(last_write_, kHit);
  write_and_expect_it_to_wait(101, 2);  // it waits for the one that it overlaps
  (void)read(100, 8);
}

// SPC-2 8.3.6: unrestricted reordering is the initiator's risk, but a status is a promise.
TEST_F(Cache, UnrestrictedReordering_DoesNotPassAReportedWrite) {
  power_on_with({kWriteCache});
  ASSERT_EQ(run(mode_select_6({0x0A, 0x0A, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  for (int i = 0; i < 5; ++i) {
    const Bytes data = write(1000, 8);
    EXPECT_NE(peek(1000, 8), data) << "or the read after it proves nothing";
    (void)read(1000, 8);  // compares the data
  }
}

TEST_F(Cache, Reset_LosesNoReportedWrite) {
  power_on_with({kWriteCache});
  const Bytes data = write(1100, 8);
  host().reset_bus();
  run_for(5 * kRevolution);
  EXPECT_EQ(peek(1100, 8), data);
  while (run(test_unit_ready()) != "GOOD") {
  }
}

TEST_F(Cache, StopUnit_WaitsForReportedWrites) {
  power_on_with({kWriteCache});
  const Bytes data = write(1100, 8);
  ASSERT_EQ(run(start_stop(false)), "GOOD");
  EXPECT_EQ(peek(1100, 8), data);
}

// ---- a random load

// Overlapping reads and writes of few blocks, eight at a time, some of them in sequence. The data
// are those that the order of arrival gives.
TEST_F(Cache, ManyOverlappingCommands_ReturnDataInOrderOfArrival) {
  power_on_with({kWriteCache});
  std::mt19937 generator(17);
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  struct Waiting {
    Ticket ticket;
    std::uint32_t lba;
    Bytes expected;
  };
  std::vector<Waiting> waiting;
  std::uint16_t tag = 0;
  std::uint32_t lba = 0;
  for (int i = 0; i < 240; ++i) {
    const std::uint32_t count = 1 + random() % 12;
    lba = random() % 3 == 0 ? lba + count : random() % 180;
    if (lba > 180) lba = 0;
    const bool writes = random() % 3 == 0;
    if (writes) {
      submit(tagged(write_10(lba, blocks().write(lba, count)), ++tag));
    } else {
      Bytes expected = blocks().expected(lba, count);
      waiting.push_back({submit(tagged(read_10(lba, count), ++tag)), lba, std::move(expected)});
    }
    if (i % 8 == 7) await_all();
    if (i % 40 == 39) run_for(random() % 50 * kMillisecond);
  }
  await_all();
  for (const Waiting& read : waiting) {
    EXPECT_EQ(outcome(result(read.ticket)), "GOOD");
    EXPECT_EQ(blocks().first_difference(result(read.ticket).data, read.expected, read.lba),
              std::nullopt);
  }
  ASSERT_EQ(run(synchronize_cache()), "GOOD");
  EXPECT_EQ(peek(0, 200), blocks().expected(0, 200));
}

// ---- the vendor's page 21h

// Twelve writes of four blocks: 48 sectors of 0.5 ms on three tracks. One by one each but the first
// waits for its sector, which has just gone by: a turn of 10 ms each. When they are joined, the
// first goes by itself, as it came before the others. All others are one request. It takes a turn
// or less until it begins, 22 ms for its sectors, and two changes of track.
TEST_F(Cache, ReportedWritesInSequence_AreOneRequest_IfThePageAllows) {
  constexpr std::uint32_t kWrites = 12, kBlocks = 4;
  constexpr std::uint8_t kJoins = 0x04;
  CachePage page;
  page.flags = kWriteCache;
  page.segments = 1;  // There is room for all of them in the buffer.
  page.segment_blocks = 16;
  power_on_with(page);
  for (const bool joins : {false, true}) {
    Bytes controller = test::controller_page();
    controller[18] = joins ? kJoins : 0;
    ASSERT_EQ(run(mode_select_6(controller)), "GOOD");
    const Picoseconds began = platform().now();
    for (std::uint32_t i = 0; i < kWrites; ++i) write(100 + kBlocks * i, kBlocks);
    EXPECT_LT(platform().now() - began, kRevolution) << "all are reported before";
    ASSERT_EQ(run(synchronize_cache()), "GOOD");
    const Picoseconds took = platform().now() - began;
    if (joins) {
      EXPECT_LT(took, 6 * kRevolution);
    } else {
      EXPECT_GT(took, (kWrites - 1) * kRevolution);
    }
    EXPECT_EQ(peek(100, kWrites * kBlocks), blocks().expected(100, kWrites * kBlocks));
  }
}

TEST_F(Cache, ControllerTime_IsTakenForEachKindOfCommand) {
  power_on_with({});
  (void)read(100, 8);
  const Picoseconds fast = read(100, 8);
  Bytes page = test::controller_page();
  page[4] = 0x27;  // a read that hits, after a read: 10,000 times 100 ns
  page[5] = 0x10;
  ASSERT_EQ(run(mode_select_6(page)), "GOOD");
  (void)read(1000, 1);
  (void)read(100, 8);
  const Picoseconds slow = read(100, 8);
  // It counts from the command's receipt. What the firmware does for a hit meanwhile is in it.
  EXPECT_GT(slow, fast + kMillisecond - 40 * kMicrosecond);
  EXPECT_LT(slow, fast + kMillisecond + 200 * kMicrosecond);
}

}  // namespace
}  // namespace headstack::scenario
