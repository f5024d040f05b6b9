// SPDX-License-Identifier: Apache-2.0
// Free blocks pass before the first block of a read, and are in the buffer afterwards. Page 21h,
// byte 34, switches them on; DiskSim's manual, "Read any free blocks".
//
// small_drive() turns in 10 ms. Its outer tracks have 20 sectors of 0.5 ms; block 100 is the first
// of one. A hit needs the bus alone.
#include <random>

#include "tests/firmware/controller_page.hpp"
#include "tests/scenario/defect_bench.hpp"

namespace headstack::scenario {
namespace {

constexpr Picoseconds kHit = kMillisecond / 2;  // what no access to the media could do
constexpr Picoseconds kTurn = 10 * kMillisecond;

class FreeBlocks : public DefectBench {
 protected:
  void power_on_with(bool reads_free, std::uint8_t flags = 0) {
    power_on_ready(spared_setup());
    CachePage caching;
    caching.flags = flags;
    caching.ahead_flags = 0x20;  // DRA
    ASSERT_EQ(run(mode_select_6(caching_page(caching))), "GOOD");
    Bytes page = test::controller_page();
    page[MODE_CONTROLLER_AT_MORE] = reads_free ? MODE_CONTROLLER_READS_FREE : 0;
    ASSERT_EQ(run(mode_select_6(page)), "GOOD");
  }
  /// Reads, checks the data, and returns the time from the last byte of the command to the status.
  Picoseconds read(std::uint32_t lba, std::uint32_t count) {
    const Completion done = execute(read_10(lba, count));
    expect_data(done, lba, count);
    return done.times.status - done.times.command_sent;
  }
};

TEST_F(FreeBlocks, BlocksThatPassBeforeARead_AreHits) {
  power_on_with(true);
  prepare(100, 20);
  read(101, 1);
  // The answer and the next command take less than a sector: blocks from 104 on can be read.
  EXPECT_GT(read(112, 2), kHit);
  EXPECT_LT(read(105, 7), kHit);
  EXPECT_LT(read(105, 9), kHit);
  EXPECT_GT(read(102, 1), kHit) << "it had passed before";
}

TEST_F(FreeBlocks, WithoutTheBit_NothingBeforeAReadIsKept) {
  power_on_with(false);
  prepare(100, 20);
  read(101, 1);
  read(112, 2);
  EXPECT_GT(read(110, 2), kHit);
}

// Free blocks take no time: no read waits longer than a turn, its movement, and its own sectors.
TEST_F(FreeBlocks, NoReadLosesATurnForThem) {
  power_on_with(true);
  std::mt19937 engine(20261127);
  const auto below = [&engine](std::uint32_t n) {
    return static_cast<std::uint32_t>(engine() % n);
  };
  const Picoseconds longest_seek = 8 * kMillisecond;  // 2 ms, and 0.1 ms per cylinder
  std::uint32_t hits = 0;
  prepare(0, capacity());
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t count = 1 + below(6);
    const std::uint32_t lba = below(capacity() - count);
    const Picoseconds took = read(lba, count);
    // 0.625 ms for an inner sector; a change of track between two, and 1 ms for bus and firmware.
    const Picoseconds own = count * 5 * kMillisecond / 8 + 3 * kMillisecond;
    EXPECT_LT(took, longest_seek + kTurn + own + kMillisecond) << lba << " +" << count;
    // A nearby block, often one that has just passed.
    const std::uint32_t near = lba > 3 ? lba - 1 - below(3) : lba;
    hits += read(near, 1) < kHit;
    run_for(below(1500) * kMicrosecond);
  }
  EXPECT_GT(hits, 30U) << "blocks before a read are there, most often";
}

TEST_F(FreeBlocks, FlawInOne_IsNoErrorOfTheRead) {
  power_on_with(true);
  set_recovery(kPer, 2);
  prepare(100, 20);
  flaw_block(108, media::FlawKind::kUnreadable);
  read(101, 1);
  const Completion done = execute(read_10(112, 2));
  expect_data(done, 112, 2);
  EXPECT_LT(done.times.status - done.times.command_sent, 2 * kTurn);
  EXPECT_EQ(counter(kReadErrors, kRetries), 0U);
  EXPECT_EQ(run(read_10(108, 1)), "3/11/00") << "SCSI-2 table 71: unrecovered read error";
  EXPECT_LT(read(112, 2), kHit);
}

TEST_F(FreeBlocks, ReportedWriteToOne_IsFoundAfterwards) {
  power_on_with(true, kWriteCache);
  prepare(100, 20);
  read(101, 1);
  ASSERT_EQ(run(write_10(108, blocks().write(108, 1))), "GOOD");
  read(112, 2);
  read(107, 3);  // compared
  ASSERT_EQ(run(write_10(110, blocks().write(110, 1))), "GOOD");
  read(109, 3);
}

}  // namespace
}  // namespace headstack::scenario
