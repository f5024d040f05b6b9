// SPDX-License-Identifier: Apache-2.0
// Buffer manager: each promise of hdl/regs/buffer_mgr.rdl and of the ports by itself.
#include <gtest/gtest.h>

#include <utility>

#include "tests/rtl/disk_buffer_bench.hpp"

namespace headstack::disk_test {
namespace {

constexpr std::uint32_t kBase = 0x1000;
constexpr std::uint32_t kBytes = 16;
constexpr std::uint32_t kSectors = 3;
constexpr std::uint32_t kRamBytes = 1U << 21;  // buffer_mgr.sv, RamBytes
// Cycles within which an action has settled.
constexpr int kSettle = 8;

class BufferMgr : public testing::Test {
 protected:
  BufferMgr() {
    bench_.set_sector(kBytes);
    bench_.set_segment(2, kBase, kSectors);
  }
  /// Sends one sector from the disk, without a verdict.
  void disk_sends(const Bytes& sector) {
    bench_.disk.send(sector);
    ASSERT_TRUE(bench_.step_until(200, [&] { return bench_.disk.to_send.empty(); }));
  }
  /// Ring 2 gets all sectors that it has room for, each with its number as the pattern's.
  void fill_from_disk() {
    bench_.set_disk(2 | kEnable);
    for (std::uint32_t sector = 0; sector < kSectors; ++sector) {
      disk_sends(pattern(kBytes, sector));
      bench_.commit();
    }
  }
  void host_sends(const Bytes& sector) {
    bench_.host.send(sector);
    ASSERT_TRUE(bench_.step_until(200, [&] { return bench_.host.to_send.empty(); }));
    bench_.step(kSettle);
  }
  void host_takes(std::size_t bytes) {
    bench_.host.want += bytes;
    ASSERT_TRUE(bench_.step_until(200, [&] { return bench_.host.want == 0; }));
    bench_.step(kSettle);
  }
  BufferBench bench_;
};

TEST_F(BufferMgr, DiskSector_IsCreditedByItsCommitOnly) {
  bench_.set_disk(2 | kEnable);
  bench_.set_host(2 | kConsume | kEnable);
  bench_.host.want = kBytes;
  disk_sends(pattern(kBytes, 1));
  bench_.step(100);
  EXPECT_EQ(bench_.level(2), 0U);
  EXPECT_TRUE(bench_.host.received.empty());
  EXPECT_EQ(bench_.events(), 0U);
  bench_.commit();
  EXPECT_EQ(bench_.level(2), 1U);
  EXPECT_EQ(bench_.events(), kDiskSector);
  bench_.step(100);
  EXPECT_EQ(bench_.host.received, pattern(kBytes, 1));
  EXPECT_EQ(bench_.level(2), 0U);
  EXPECT_EQ(bench_.events(), kDiskSector | kHostSector);
}

TEST_F(BufferMgr, Commit_InTheCycleAfterTheLastByte_FindsItInTheRam) {
  bench_.set_disk(2 | kEnable);
  disk_sends(pattern(kBytes, 1));  // returns in the cycle after the last byte moved
  bench_.commit();
  for (std::uint32_t i = 0; i < kBytes; ++i) {
    EXPECT_EQ(bench_.core_byte(kBase + i), pattern(kBytes, 1)[i]);
  }
  EXPECT_EQ(bench_.level(2), 1U);
}

TEST_F(BufferMgr, Drop_StartsTheSectorAgain_AtAnyByte) {
  bench_.set_disk(2 | kEnable);
  for (std::uint32_t bytes = 1; bytes <= kBytes; ++bytes) {
    bench_.control(2, 1);
    bench_.step(kSettle);
    disk_sends(pattern(bytes, 9));
    bench_.drop();
    bench_.step(2);
    disk_sends(pattern(kBytes, bytes));
    bench_.commit();
    EXPECT_EQ(bench_.level(2), 1U);
    for (std::uint32_t i = 0; i < kBytes; ++i) {
      ASSERT_EQ(bench_.core_byte(kBase + i), pattern(kBytes, bytes)[i]) << bytes << ", " << i;
    }
  }
}

TEST_F(BufferMgr, CommitBeforeTheLastByte_CountsAsADrop) {
  bench_.set_disk(2 | kEnable);
  disk_sends(pattern(kBytes - 1, 9));
  bench_.commit();
  EXPECT_EQ(bench_.level(2), 0U);
  disk_sends(pattern(kBytes, 1));
  bench_.commit();
  EXPECT_EQ(bench_.level(2), 1U);
  EXPECT_EQ(bench_.core_byte(kBase), pattern(kBytes, 1)[0]);
}

TEST_F(BufferMgr, HostSectorBegun_IsBegunAgainAfterDisableAndEnable) {
  for (std::uint32_t bytes = 1; bytes < kBytes; ++bytes) {
    bench_.control(2, 1);
    bench_.set_host(2 | kEnable);
    host_sends(pattern(bytes, 9));
    bench_.set_host(2);
    bench_.set_host(2 | kEnable);
    host_sends(pattern(kBytes, bytes));
    ASSERT_EQ(bench_.level(2), 1U);
    // On the way out: `bytes` of it, then the whole of it.
    bench_.host.received.clear();
    bench_.set_host(2 | kConsume | kEnable);
    host_takes(bytes);
    bench_.set_host(2 | kConsume);
    bench_.set_host(2 | kConsume | kEnable);
    host_takes(kBytes);
    Bytes expected = pattern(kBytes, bytes);
    expected.insert(expected.begin(), expected.begin(), expected.begin() + bytes);
    ASSERT_EQ(bench_.host.received, expected);
    ASSERT_EQ(bench_.level(2), 0U);
    bench_.set_host(0);
  }
}

TEST_F(BufferMgr, DiskChannelTowardsTheMedia_DropAndDisable_StartTheSectorAgain) {
  bench_.set_host(2 | kEnable);
  host_sends(pattern(kBytes, 1));
  bench_.set_disk(2 | kConsume | kEnable);
  bench_.disk.want = 5;
  bench_.step(20);
  bench_.drop();
  bench_.disk.want = 6;
  bench_.step(20);
  bench_.set_disk(2 | kConsume);
  bench_.set_disk(2 | kConsume | kEnable);
  EXPECT_EQ(bench_.level(2), 1U);
  bench_.disk.want = kBytes;
  bench_.step(40);
  const Bytes sector = pattern(kBytes, 1);
  Bytes expected(sector.begin(), sector.begin() + 5);
  expected.insert(expected.end(), sector.begin(), sector.begin() + 6);
  expected.insert(expected.end(), sector.begin(), sector.end());
  EXPECT_EQ(bench_.disk.received, expected);
  EXPECT_EQ(bench_.level(2), 0U);
}

TEST_F(BufferMgr, FullRing_TakesNotOneByteMore_UntilASectorIsConsumed) {
  bench_.set_disk(2 | kEnable);
  for (std::uint32_t i = 0; i < kSectors; ++i) {
    bench_.step(2);
    EXPECT_TRUE(bench_.can_accept);
    disk_sends(pattern(kBytes, i));
    bench_.commit();
    EXPECT_EQ(bench_.level(2), i + 1);
  }
  bench_.step(2);
  EXPECT_FALSE(bench_.can_accept);
  bench_.disk.send({1});
  bench_.step(50);
  EXPECT_EQ(bench_.disk.to_send.size(), 1U);
  bench_.set_host(2 | kConsume | kEnable);
  host_takes(kBytes - 1);
  EXPECT_FALSE(bench_.can_accept);  // all but the last byte is not a sector
  host_takes(1);
  EXPECT_TRUE(bench_.can_accept);
  EXPECT_TRUE(bench_.disk.to_send.empty());
}

TEST_F(BufferMgr, EmptyRing_GivesNothing) {
  bench_.set_host(2 | kConsume | kEnable);
  bench_.set_disk(2 | kConsume);
  bench_.host.want = 1;
  bench_.step(50);
  EXPECT_TRUE(bench_.host.received.empty());
  EXPECT_FALSE(bench_.has_sector);
}

TEST_F(BufferMgr, SectorsWrapAtTheRingsEnd_AndTouchNothingBesideIt) {
  const std::uint32_t end = kBase + kSectors * kBytes;
  bench_.core(true, kBase - 4, 0xA5A5A5A5);
  bench_.core(true, end, 0x5A5A5A5A);
  bench_.set_host(2 | kEnable);
  bench_.set_disk(2 | kConsume | kEnable);
  for (std::uint32_t i = 0; i < 3 * kSectors + 1; ++i) {
    host_sends(pattern(kBytes, i));
    const std::uint32_t at = kBase + i % kSectors * kBytes;
    for (std::uint32_t byte = 0; byte < kBytes; ++byte) {
      ASSERT_EQ(bench_.core_byte(at + byte), pattern(kBytes, i)[byte]) << i << ", " << byte;
    }
    bench_.disk.received.clear();
    bench_.disk.want = kBytes;
    bench_.step(30);
    ASSERT_EQ(bench_.disk.received, pattern(kBytes, i));
  }
  EXPECT_EQ(bench_.core(false, kBase - 4), 0xA5A5A5A5U);
  EXPECT_EQ(bench_.core(false, end), 0x5A5A5A5AU);
}

TEST_F(BufferMgr, Reset_EmptiesTheRingAndGoesBackToItsBase) {
  bench_.set_host(2 | kEnable);
  host_sends(pattern(2 * kBytes, 1));
  host_sends(pattern(5, 2));  // a third one begun
  EXPECT_EQ(bench_.level(2), 2U);
  bench_.control(2, 1);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 0U);
  host_sends(pattern(kBytes, 3));
  EXPECT_EQ(bench_.level(2), 1U);
  for (std::uint32_t i = 0; i < kBytes; ++i) {
    EXPECT_EQ(bench_.core_byte(kBase + i), pattern(kBytes, 3)[i]);
  }
}

TEST_F(BufferMgr, Produce_AddsWhatTheCoreWrote_UpToTheRoomThereIs) {
  const auto produce = [&](std::uint32_t count) { bench_.control(2, count << 16, 0xC); };
  produce(kSectors + 1);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 0U);  // no room for all: none
  produce(kSectors - 1);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), kSectors - 1);
  produce(2);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), kSectors - 1);
  // The producing pointer has moved: the host's sector lands after the core's.
  bench_.set_host(2 | kEnable);
  host_sends(pattern(kBytes, 7));
  EXPECT_EQ(bench_.level(2), kSectors);
  EXPECT_EQ(bench_.core_byte(kBase + (kSectors - 1) * kBytes), pattern(kBytes, 7)[0]);
  // Reset and produce in one write: reset first.
  bench_.set_host(0);
  bench_.control(2, 1U << 16 | 1U);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 1U);
}

// "Empties the ring and moves nothing that is produced", in a ring that has been filled. The next
// sectors go on where the ring begins again.
TEST_F(BufferMgr, Discard_LetsAFullRingGoOnBehindWhatWasProduced) {
  fill_from_disk();
  EXPECT_EQ(bench_.level(2), kSectors);
  bench_.control(2, 2);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 0U);
  disk_sends(pattern(kBytes, 9));
  bench_.commit();
  EXPECT_EQ(bench_.level(2), 1U);
  EXPECT_EQ(bench_.core_byte(kBase), pattern(kBytes, 9)[0]);
  EXPECT_EQ(bench_.core_byte(kBase + kBytes), pattern(kBytes, 1)[0]);
}

TEST_F(BufferMgr, Discard_LeavesTheSectorThatIsGivenInItsCycle) {
  bench_.control(2, 2U << 16, 0xC);
  bench_.set_disk(2 | kEnable);
  disk_sends(pattern(kBytes, 5));
  bench_.control(2, 2);
  bench_.commit();
  EXPECT_EQ(bench_.level(2), 1U);
  // The consuming pointer is at that sector.
  bench_.set_host(2 | kConsume | kEnable);
  host_takes(kBytes);
  EXPECT_EQ(bench_.host.received.back(), pattern(kBytes, 5).back());
  EXPECT_EQ(bench_.level(2), 0U);
}

// Takes as many sectors away as `produce` says": the first ones, after which a full ring has room
// again.
TEST_F(BufferMgr, Skip_TakesWhatCameFirst) {
  fill_from_disk();
  bench_.control(2, (kSectors - 1) << 16 | 4);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 1U);
  disk_sends(pattern(kBytes, 9));
  bench_.commit();
  EXPECT_EQ(bench_.level(2), 2U);
  bench_.set_host(2 | kConsume | kEnable);
  for (const std::uint32_t sector : {kSectors - 1, 9U}) {
    host_takes(kBytes);
    EXPECT_EQ(bench_.host.received.back(), pattern(kBytes, sector).back()) << sector;
  }
  EXPECT_EQ(bench_.level(2), 0U);
}

TEST_F(BufferMgr, SkipOfMoreSectorsThanThereAre_DoesNothing) {
  bench_.control(2, 2U << 16, 0xC);
  bench_.control(2, 3U << 16 | 4);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 2U);
  // Skip has no effect with a reset, and none after a discard.
  bench_.control(2, 1U << 16 | 5);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 1U);
  bench_.control(2, 1U << 16 | 6);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 0U);
}

TEST_F(BufferMgr, Skip_CountsTheSectorThatIsGivenInItsCycle) {
  for (const auto& [skipped, level] : {std::pair{2U, 0U}, {3U, 2U}}) {
    bench_.set_segment(2, kBase, kSectors);
    bench_.control(2, 1U << 16, 0xC);
    bench_.set_disk(2 | kEnable);
    disk_sends(pattern(kBytes, 5));
    bench_.control(2, skipped << 16 | 4);
    bench_.commit();
    EXPECT_EQ(bench_.level(2), level) << skipped << " of 1 and 1";
    bench_.set_disk(0);
  }
}

TEST_F(BufferMgr, Discard_MakesARingThatBeginsAnywhere) {
  // A ring whose first sector is not at its base needs: produce to that place, discard, produce.
  bench_.set_segment(2, kBase, kSectors);
  bench_.control(2, (kSectors - 1) << 16 | 1U);
  bench_.control(2, 2);
  bench_.control(2, 2U << 16, 0xC);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), 2U);
  bench_.set_disk(2 | kEnable);
  disk_sends(pattern(kBytes, 3));
  bench_.commit();
  EXPECT_EQ(bench_.core_byte(kBase + kBytes), pattern(kBytes, 3)[0]);
}

// buffer_mgr_segments.sv: within one cycle, the channels' sectors count first, then reset, then
// produce. CONTROL is served in the cycle after its write.
TEST_F(BufferMgr, SectorTakenInTheCycleOfAnOrder_MakesRoomForIt) {
  for (const auto& [ordered, level] : {std::pair{2U, 3U}, {3U, 1U}}) {
    bench_.set_segment(2, kBase, kSectors);
    bench_.control(2, 2U << 16, 0xC);
    bench_.set_host(2 | kConsume | kEnable);
    host_takes(kBytes - 1);
    bench_.control(2, ordered << 16, 0xC);
    bench_.host.want = 1;
    bench_.step();
    EXPECT_EQ(bench_.host.want, 0U) << "the sector's last byte left in that cycle";
    EXPECT_EQ(bench_.level(2), level) << ordered << " more, after 2 less 1 of " << kSectors;
    bench_.set_host(0);
  }
}

TEST_F(BufferMgr, SectorGivenInTheCycleOfAnOrder_LiesBeforeIt) {
  for (const auto& [ordered, level] : {std::pair{1U, 3U}, {2U, 2U}}) {
    bench_.set_segment(2, kBase, kSectors);
    bench_.control(2, 1U << 16, 0xC);
    bench_.set_disk(2 | kEnable);
    disk_sends(pattern(kBytes, 1));
    bench_.control(2, ordered << 16, 0xC);
    bench_.commit();
    EXPECT_EQ(bench_.level(2), level) << ordered << " more, after 1 and 1 of " << kSectors;
    EXPECT_EQ(bench_.core_byte(kBase + kBytes), pattern(kBytes, 1)[0]);
    // The producing pointer is past all of them.
    bench_.set_host(2 | kConsume | kEnable);
    host_takes(level * kBytes);
    disk_sends(pattern(kBytes, 2));
    bench_.commit();
    EXPECT_EQ(bench_.core_byte(kBase + level % kSectors * kBytes), pattern(kBytes, 2)[0]);
    bench_.set_host(0);
    bench_.set_disk(0);
  }
}

TEST_F(BufferMgr, SectorGivenInTheCycleOfAReset_IsForgotten) {
  for (const std::uint32_t ordered : {0U, 2U}) {
    bench_.set_segment(2, kBase, kSectors);
    bench_.control(2, 1U << 16, 0xC);
    bench_.set_disk(2 | kEnable);
    disk_sends(pattern(kBytes, 1));
    bench_.control(2, ordered << 16 | 1U);
    bench_.commit();
    EXPECT_EQ(bench_.level(2), ordered);
    bench_.step(kSettle);
    disk_sends(pattern(kBytes, 2));
    bench_.commit();
    EXPECT_EQ(bench_.core_byte(kBase + ordered * kBytes), pattern(kBytes, 2)[0]);
    bench_.set_disk(0);
  }
}

TEST_F(BufferMgr, RingFilledByHandUnderASector_GivesItNoCredit) {
  bench_.set_disk(2 | kEnable);
  disk_sends(pattern(kBytes, 1));
  bench_.control(2, kSectors << 16, 0xC);
  bench_.step(2);
  EXPECT_EQ(bench_.level(2), kSectors);
  bench_.commit();
  EXPECT_EQ(bench_.level(2), kSectors);
}

TEST_F(BufferMgr, CoreAndChannels_AgreeOnTheOrderOfBytes) {
  bench_.core(true, kBase, 0x44332211);
  bench_.core(true, kBase, 0xFF66FFFF, 0x4);  // one lane only
  bench_.control(2, 1U << 16, 0xC);
  bench_.set_host(2 | kConsume | kEnable);
  host_takes(4);
  EXPECT_EQ(bench_.host.received, (Bytes{0x11, 0x22, 0x66, 0x44}));
}

TEST_F(BufferMgr, BothFillingOneSegment_TheHostStandsStill) {
  bench_.set_disk(2 | kEnable);
  bench_.set_host(2 | kEnable);
  bench_.host.send(pattern(kBytes, 1));
  disk_sends(pattern(kBytes, 2));
  bench_.commit();
  bench_.step(50);
  EXPECT_EQ(bench_.host.sent, 0U);
  EXPECT_EQ(bench_.level(2), 1U);
  bench_.set_disk(0);
  bench_.step(50);
  EXPECT_EQ(bench_.host.sent, kBytes);
  EXPECT_EQ(bench_.level(2), 2U);
}

// Other segments are the untouched neighbours of each.
TEST_F(BufferMgr, Segments_AreIndependent) {
  for (std::uint32_t s = 0; s < 8; ++s) bench_.set_segment(s, 0x2000 + 0x100 * s, 2 + s);
  for (std::uint32_t s = 0; s < 8; ++s) {
    bench_.set_host(s | kEnable);
    host_sends(pattern(kBytes, s));
    for (std::uint32_t other = 0; other < 8; ++other) {
      EXPECT_EQ(bench_.level(other), other <= s ? 1U : 0U);
    }
    EXPECT_EQ(bench_.core_byte(0x2000 + 0x100 * s), pattern(kBytes, s)[0]);
  }
}

// Disk, host and core all at their fastest: neither the disk nor the core ever waits.
TEST_F(BufferMgr, FullLoad_DiskAndCoreNeverWait) {
  constexpr std::uint32_t kLarge = 4096;
  for (const bool to_disk : {false, true}) {
    bench_.set_disk(0);
    bench_.set_host(0);
    bench_.set_sector(kLarge);
    bench_.set_segment(0, 0x10000, 2);
    bench_.set_segment(1, 0x20000, 2);
    if (to_disk) bench_.control(0, 2U << 16, 0xC);
    bench_.control(1, 2U << 16, 0xC);
    bench_.set_disk(0 | kEnable | (to_disk ? kConsume : 0));
    bench_.set_host(1 | kEnable | kConsume);
    bench_.step(kSettle);
    bench_.disk.refused = bench_.disk.starved = 0;
    if (to_disk) {
      bench_.disk.want = kLarge;
    } else {
      bench_.disk.send(pattern(kLarge, 1));
    }
    bench_.host.want = kLarge;
    bench_.model().core_req_i = 1;
    bench_.model().core_we_i = 0;
    bench_.model().core_addr_i = 0;
    bench_.step();  // An answer comes in the cycle after its request.
    std::uint32_t answers = 0;
    for (std::uint32_t i = 0; i < kLarge; ++i) {
      bench_.step();
      answers += bench_.model().core_rvalid_o;
    }
    bench_.model().core_req_i = 0;
    EXPECT_EQ(bench_.disk.want + bench_.disk.to_send.size(), 0U);  // a byte in each cycle
    EXPECT_EQ(bench_.disk.refused + bench_.disk.starved, 0U);
    EXPECT_EQ(answers, kLarge);
    bench_.host.want = 0;
  }
}

TEST_F(BufferMgr, CoreWindow_AnswersReadsAndWritesInTheNextCycle) {
  for (const std::uint32_t address : {0x0U, 0x4U, kRamBytes / 2 - 4, kRamBytes - 4}) {
    bench_.core(true, address, 0x10203040 ^ address);
    EXPECT_TRUE(bench_.core_answer_in_time);
  }
  for (const std::uint32_t address : {0x0U, 0x4U, kRamBytes / 2 - 4, kRamBytes - 4}) {
    EXPECT_EQ(bench_.core(false, address), 0x10203040 ^ address);
    EXPECT_TRUE(bench_.core_answer_in_time);
  }
}

TEST_F(BufferMgr, Interrupt_FollowsTheMask) {
  for (std::uint32_t mask = 0; mask < 4; ++mask) {
    bench_.write(offsetof(buffer_mgr_t, INTR_ENABLE), mask);
    bench_.control(2, 1);
    bench_.set_host(2 | kEnable);
    host_sends(pattern(kBytes, mask));
    EXPECT_EQ(bench_.model().irq_o != 0, (mask & kHostSector) != 0);
    bench_.write(offsetof(buffer_mgr_t, INTR_STATE), kDiskSector);
    EXPECT_EQ(bench_.events(), kHostSector);
    bench_.write(offsetof(buffer_mgr_t, INTR_STATE), kHostSector);
    EXPECT_EQ(bench_.events(), 0U);
    EXPECT_EQ(bench_.model().irq_o, 0);
  }
}

TEST_F(BufferMgr, OffsetsWithoutARegister_AnswerWithAnError) {
  for (const std::size_t offset : {0x0C, 0x18, 0x7C, 0x100, 0xFFC}) {
    (void)bench_.read(offset);
    EXPECT_TRUE(bench_.access_failed()) << offset;
  }
  (void)bench_.read(0xFC);
  EXPECT_FALSE(bench_.access_failed());
}

TEST_F(BufferMgr, NothingToDo_NeedsNoClock) {
  bench_.step(kSettle);
  EXPECT_EQ(bench_.model().clk_req_o, 0);
  bench_.set_disk(2 | kEnable);  // there is room, and no byte comes
  bench_.set_host(2 | kConsume | kEnable);
  bench_.step(kSettle);
  EXPECT_EQ(bench_.model().clk_req_o, 0);
  disk_sends(pattern(kBytes, 1));  // the sector is whole, and no verdict comes
  bench_.step(kSettle);
  EXPECT_EQ(bench_.model().clk_req_o, 0);
  bench_.commit();  // a byte is ready for the host, who does not take it
  bench_.step(kSettle);
  EXPECT_EQ(bench_.model().clk_req_o, 0);
}

}  // namespace
}  // namespace headstack::disk_test
