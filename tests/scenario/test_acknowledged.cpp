// SPDX-License-Identifier: Apache-2.0
// Acknowledged data stay (SBC-2 6.3.3 WCE, 5.18; SAM-2 7.6; SCSI-2 8.3.3.1). No tag, mode page,
// reset or later command reverts a block after a GOOD status.
#include <random>

#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

using initiator::ManagementKind;

/// Random numbers below a limit, with a fixed seed.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }

 private:
  std::mt19937 engine_;
};

class Acknowledged : public DriveBench {
 protected:
  void set_cache(const CachePage& page) {
    ASSERT_EQ(run(mode_select_6(caching_page(page))), "GOOD");
  }
  static CachePage write_back() {
    CachePage page;
    page.flags = kWriteCache;
    return page;
  }
  Ticket submit_write(std::uint32_t lba, std::uint32_t count, std::uint16_t tag,
                      TagType type = TagType::kSimple) {
    return submit(tagged(write_10(lba, blocks().write(lba, count)), tag, type));
  }
  /// Expects the newest version of these blocks on the media.
  void expect_on_media(std::uint32_t lba, std::uint32_t count) {
    ASSERT_EQ(run(synchronize_cache()), "GOOD");
    EXPECT_EQ(blocks().first_difference(peek(lba, count), blocks().expected(lba, count), lba),
              std::nullopt);
  }
};

// ---- the cache's segments

TEST_F(Acknowledged, LargerSegments_ReturnTheRequestedBlocks) {
  power_on_fast();
  prepare(0, 2000);
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    CachePage page;
    page.segments = static_cast<std::uint8_t>(1 + random.below(6));
    page.segment_blocks = static_cast<std::uint16_t>(1 + random.below(192U / page.segments));
    set_cache(page);
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t count = 1 + random.below(60);
      const std::uint32_t lba = random.below(i % 2 == 0 ? 100 : 1900);
      const Completion done = execute(read_10(lba, count));
      expect_data(done, lba, count);
    }
  }
}

// As many segments as before, but larger: those that are too small must not be used again.
TEST_F(Acknowledged, LargerSegmentsOfTheSameNumber_ReturnTheRequestedBlocks) {
  power_on_fast();
  prepare(0, 2000);
  for (const std::uint8_t segments : {std::uint8_t{1}, std::uint8_t{3}}) {
    for (const int blocks : {4, 24, 60}) {
      CachePage page;
      page.segments = segments;
      page.segment_blocks = static_cast<std::uint16_t>(blocks);
      set_cache(page);
      for (std::uint32_t i = 0; i < 2U * segments; ++i) {
        const auto count = static_cast<std::uint32_t>(blocks);
        expect_data(execute(read_10(200 * i, count)), 200 * i, count);
      }
    }
  }
}

TEST_F(Acknowledged, SegmentsEnlargedDuringReads_ReturnTheRequestedBlocks) {
  power_on_fast();
  prepare(0, 2000);
  Random random(2);
  for (int round = 0; round < 10; ++round) {
    std::vector<std::pair<Ticket, std::pair<std::uint32_t, std::uint32_t>>> reads;
    for (std::uint16_t i = 0; i < 6; ++i) {
      const std::uint32_t lba = random.below(1900);
      const std::uint32_t count = 1 + random.below(50);
      reads.push_back({submit(tagged(read_10(lba, count), i)), {lba, count}});
    }
    CachePage page;
    page.segments = static_cast<std::uint8_t>(1 + random.below(16));
    page.segment_blocks = static_cast<std::uint16_t>(1 + random.below(192U / page.segments));
    const Ticket select = submit(tagged(mode_select_6(caching_page(page)), 99));
    await_all();
    EXPECT_EQ(outcome(result(select)), "GOOD");
    for (const auto& [ticket, range] : reads)
      expect_data(result(ticket), range.first, range.second);
  }
}

// SCSI-2 7.5.4: values beyond the drive's limits are rounded, reported, and shown by MODE SENSE.
TEST_F(Acknowledged, SegmentsThatTheBufferHasNoRoomFor_AreRounded) {
  power_on_fast();
  CachePage page;
  page.segments = 3;
  page.segment_blocks = 64;  // 3 x 64 of the buffer's 256 blocks; a quarter is left for tasks
  EXPECT_EQ(run(mode_select_6(caching_page(page))), "GOOD");
  page.segment_blocks = 65;
  EXPECT_EQ(run(mode_select_6(caching_page(page))), "1/37/00");
  const Completion done = execute(mode_sense_6(0x08));
  EXPECT_EQ(big_endian(done.data, 4 + 14, 2), 64U);
  EXPECT_EQ(done.data[4 + 13], 3);
  EXPECT_EQ(run(mode_select_6(caching_page(write_back()))), "GOOD")
      << "what fits is taken as it is";
}

TEST_F(Acknowledged, AllSegmentsOfThePage_HoldTheirBlocks) {
  power_on_fast();
  prepare(0, 2000);
  for (const auto& [segments, blocks] : {std::pair{3, 64}, {1, 192}, {16, 12}, {6, 32}}) {
    CachePage page;
    page.segments = static_cast<std::uint8_t>(segments);
    page.segment_blocks = static_cast<std::uint16_t>(blocks);
    page.ahead_flags = kNoReadAhead;
    set_cache(page);
    const auto count = static_cast<std::uint32_t>(blocks);
    // Two rounds: the second finds all blocks.
    Picoseconds longest = 0;
    for (int i = 0; i < 2 * segments; ++i) {
      const auto lba = static_cast<std::uint32_t>(i % segments) * 120;
      const Completion done = execute(read_10(lba, count));
      expect_data(done, lba, count);
      if (i >= segments) {
        longest = std::max(longest, done.times.data_first - done.times.command_sent);
      }
    }
    EXPECT_LT(longest, kMillisecond / 2)
        << segments << " of " << blocks << ": the media would take 10 ms for one turn";
  }
}

// ---- HEAD OF QUEUE

TEST_F(Acknowledged, HeadOfQueueWrite_DoesNotPassAReportedOne) {
  power_on_fast();
  prepare(0, 2000);
  set_cache(write_back());
  const Ticket far = submit(tagged(read_10(1900, 8), 1));  // keeps the media busy
  const Ticket older = submit_write(100, 8, 2);
  EXPECT_EQ(outcome(await(older)), "GOOD");
  const Ticket newer = submit_write(100, 8, 3, TagType::kHeadOfQueue);
  EXPECT_EQ(outcome(await(newer)), "GOOD");
  await(far);
  expect_on_media(100, 8);
  expect_reads_back(100, 8);
}

TEST_F(Acknowledged, HeadOfQueueRead_ReturnsAReportedWrite) {
  power_on_fast();
  prepare(0, 2000);
  set_cache(write_back());
  const Ticket far = submit(tagged(read_10(1900, 8), 1));
  EXPECT_EQ(outcome(await(submit_write(100, 8, 2))), "GOOD");
  const Ticket read = submit(tagged(read_10(100, 8), 3, TagType::kHeadOfQueue));
  expect_data(await(read), 100, 8);
  await(far);
}

// ---- WCE is switched off while reported writes wait

struct SwitchedOff {
  const char* name;
  bool by_reset;  // to saved pages, where WCE is clear
  bool by_device_reset;
};

class WriteCacheOff : public Acknowledged, public testing::WithParamInterface<SwitchedOff> {
 protected:
  void switch_off() {
    const SwitchedOff how = GetParam();
    CachePage page;
    page.flags = kReadCacheDisabled;
    if (how.by_reset) {
      host().reset_bus();
    } else if (how.by_device_reset) {
      await(manage(ManagementKind::kBusDeviceReset));
    } else {
      ASSERT_EQ(run(mode_select_6(caching_page(page))), "GOOD");
      return;
    }
    while (run(test_unit_ready()) != "GOOD") {
    }
  }
};

TEST_P(WriteCacheOff, ReportedWrites_AreNotPassed) {
  power_on_ready(stored_setup());
  prepare(0, 2000);
  ASSERT_EQ(run(mode_select_6(control_page(kUnrestrictedReordering), true)), "GOOD");
  ASSERT_EQ(run(mode_select_6(scheduler_page(kStf), true)), "GOOD");
  Random random(3);
  CachePage page = write_back();
  page.flags |= kReadCacheDisabled;
  for (int round = 0; round < 24; ++round) {
    set_cache(page);
    // Other commands wait, so that the older of the two does, too. They survive a reset.
    for (std::uint16_t i = 0; i < 6; ++i) {
      EXPECT_EQ(outcome(await(submit_write(100U * i + random.below(80), 2, i))), "GOOD");
    }
    const std::uint32_t lba = 1400 + random.below(400);
    EXPECT_EQ(outcome(await(submit_write(lba, 30, 20))), "GOOD");
    switch_off();
    EXPECT_EQ(outcome(await(submit_write(lba + 20, 10, 21))), "GOOD");
    expect_on_media(lba, 30);
    run_for(round * kMillisecond / 3);
  }
}

INSTANTIATE_TEST_SUITE_P(By, WriteCacheOff,
                         testing::Values(SwitchedOff{"ModeSelect", false, false},
                                         SwitchedOff{"BusReset", true, false},
                                         SwitchedOff{"DeviceReset", false, true}),
                         [](const auto& test) { return std::string(test.param.name); });

// ---- the spindle stops

TEST_F(Acknowledged, WriteAfterStopUnit_IsNotReported) {
  power_on_fast();
  prepare(0, 2000);
  set_cache(write_back());
  const Ticket busy = submit(tagged(read_10(1900, 64), 1));
  const Ticket stop = submit(tagged(start_stop(false), 2));
  const Bytes before = peek(100, 8);
  const Ticket write = submit(tagged(write_10(100, Bytes(8 * kBlockBytes, 0x5A)), 3));
  await_all();
  EXPECT_EQ(outcome(result(busy)), "GOOD");
  EXPECT_EQ(outcome(result(stop)), "GOOD");
  EXPECT_EQ(outcome(result(write)), "2/04/02") << "SPC-2: initializing command required";
  EXPECT_EQ(run(start_stop(true)), "GOOD");
  EXPECT_EQ(peek(100, 8), before);
  EXPECT_EQ(run(test_unit_ready()), "GOOD") << "no deferred error";
}

// SBC-3 6.4.5: after GOOD for a MODE SELECT that clears WCE, no block is in the cache alone.
TEST_F(Acknowledged, WriteCacheTurnedOff_WritesAllCachedData) {
  power_on_fast();
  prepare(0, 2000);
  const auto expect_written = [&] {
    for (std::uint32_t i = 0; i < 6; ++i) {
      EXPECT_EQ(blocks().first_difference(peek(300 * i, 8), blocks().expected(300 * i, 8), 300 * i),
                std::nullopt);
    }
  };
  for (const bool may_disconnect : {true, false}) {
    for (const std::uint16_t segment_blocks : {std::uint16_t{64}, std::uint16_t{65}}) {
      set_cache(write_back());
      for (std::uint16_t tag = 0; tag < 6; ++tag) {
        EXPECT_EQ(outcome(await(submit_write(300U * (tag * 5U % 6U), 8, tag))), "GOOD");
      }
      CachePage page;
      page.segment_blocks = segment_blocks;
      Command off = mode_select_6(caching_page(page));
      off.may_disconnect = may_disconnect;
      const Completion done = execute(off);
      EXPECT_EQ(outcome(done), segment_blocks == 64 ? "GOOD" : "1/37/00");
      EXPECT_EQ(information(done.sense), std::nullopt);
      expect_written();
    }
  }
}

// An older write whose status is owed may need the bus. The command that keeps the bus is refused,
// and has changed nothing.
TEST_F(Acknowledged, WriteCacheTurnedOff_ByACommandThatKeepsTheBus_MayBeRefused) {
  power_on_fast();
  prepare(0, 2000);
  set_cache(write_back());
  EXPECT_EQ(outcome(await(submit_write(1500, 8, 1))), "GOOD");
  const Ticket longest = submit(tagged(read_10(0, 1000), 2));
  run_until([&] { return host().waiting_count() == 0; });
  Command off = tagged(mode_select_6(caching_page(CachePage{})), 3);
  off.may_disconnect = false;
  const std::string answer = run(off);
  if (answer == "QUEUE FULL") {
    const Bytes pages = execute(tagged(mode_sense_10(0x08), 4)).data;
    ASSERT_GT(pages.size(), 10U);
    EXPECT_EQ(pages[8 + 2] & kWriteCache, kWriteCache);
  } else {
    EXPECT_EQ(answer, "GOOD");
  }
  expect_data(await(longest), 0, 1000);
}

}  // namespace
}  // namespace headstack::scenario
