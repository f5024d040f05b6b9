// SPDX-License-Identifier: Apache-2.0
// The drive's state when power returns: SCSI-2 7.9 (unit attention), SPC-2 8.3.1 (saved pages).
//
// The drive's first life is a process of its own, which is ended in between. Its media are a file,
// and nothing else remains. The second life is the test.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "firmware/transfer/store.h"
#include "tests/scenario/defect_bench.hpp"
#include "tests/support.hpp"

namespace headstack::scenario {
namespace {

constexpr std::uint8_t kRecovery = 0x01;
constexpr std::uint8_t kRetriesAt = 4 + 3;  // after MODE SENSE(6)'s header
constexpr std::uint8_t kPageAt = 4;
constexpr std::uint8_t kSaveable = 0x80;  // PS, SPC-2 8.3.1

class PowerCut : public DefectBench {
 protected:
  void SetUp() override {
    media_ = testing::TempDir() + "headstack_power_cut_" + std::to_string(::getpid());
  }
  void TearDown() override {
    DefectBench::TearDown();
    ::unlink(media_.c_str());
  }

  Setup with_store(std::uint32_t sectors) const {
    Setup setup = spared_setup();
    setup.description.design.zones[0].spares += sectors;
    setup.description.design.zones[0].remaps = {};
    setup.description.design.zones[0].store_sectors = sectors;
    setup.media_file = media_;
    return setup;
  }

  /// Runs until `body` has ended, and then loses its power.
  void first_life(const Setup& setup, const std::function<void()>& body) {
    const pid_t life = ::fork();
    ASSERT_GE(life, 0);
    if (life == 0) {
      power_on(setup);
      become_ready();
      body();
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(life, &status, 0), life);
    ASSERT_EQ(status, 0) << "the first life went well";
  }
  /// Fetches the unit attention of power-on, and waits for the spindle, and then the store.
  void become_ready() {
    EXPECT_EQ(run(test_unit_ready()), "6/29/00");
    run_until([this] { return run(test_unit_ready()) == "GOOD"; }, kPatience, kMillisecond);
  }
  /// Power returns: the spindle is at rest.
  void second_life(Setup setup) {
    setup.at_speed = false;
    power_on(setup);
    EXPECT_EQ(run(read_10(0, 1)), "6/29/00");
    EXPECT_EQ(run(test_unit_ready()), "2/04/01");
    run_until([this] { return run(test_unit_ready()) == "GOOD"; }, kPatience, kMillisecond);
    EXPECT_GE(platform().now(), 200 * kMillisecond);
  }

  static Bytes recovery_page(std::uint8_t retries) {
    return {kRecovery, 0x0A, 0, retries, 0, 0, 0, 0, retries, 0, 0, 0};
  }
  unsigned retries(Values values) {
    const Completion done = execute(mode_sense_6(kRecovery, values));
    EXPECT_EQ(outcome(done), "GOOD");
    return done.data.size() > kRetriesAt ? done.data[kRetriesAt] : 999;
  }
  /// The reserved sectors, in order: the store's.
  std::vector<media::SectorIndex> reserved() {
    const geometry::Geometry& geometry = platform().geometry();
    std::vector<media::SectorIndex> found;
    for (media::SectorIndex i = 0; i < geometry.sector_count(); ++i) {
      const auto use = geometry.content(geometry.sector_at(i)).use;
      if (use == geometry::SectorUse::kReserved) found.push_back(i);
    }
    return found;
  }
  bool is_saveable() {
    const Completion done = execute(mode_sense_6(kRecovery));
    return done.data.size() > kPageAt && (done.data[kPageAt] & kSaveable) != 0;
  }

 private:
  std::string media_;
};

TEST_F(PowerCut, BlocksThatWereGood_AreThere_TheirNeighboursAreAsBefore) {
  const Setup setup = with_store(0);
  const Bytes data(4 * kBlockBytes, 0xA5);
  first_life(setup, [&] { EXPECT_EQ(run(write_10(100, data)), "GOOD"); });
  second_life(setup);
  EXPECT_EQ(execute(read_10(100, 4)).data, data);
  expect_block(99, zeros());
  expect_block(104, zeros());
}

// Saved values are in force again; values that were only current are lost.
TEST_F(PowerCut, SavedPages_AreInForceAgain) {
  const Setup setup = with_store(4);
  first_life(setup, [&] {
    EXPECT_TRUE(is_saveable());
    EXPECT_EQ(retries(Values::kDefault), 8);
    EXPECT_EQ(run(mode_select_6(recovery_page(3), true)), "GOOD");
    EXPECT_EQ(retries(Values::kSaved), 3);
    EXPECT_EQ(run(mode_select_6(recovery_page(5))), "GOOD");
    EXPECT_EQ(retries(Values::kCurrent), 5);
  });
  second_life(setup);
  EXPECT_EQ(retries(Values::kCurrent), 3);
  EXPECT_EQ(retries(Values::kSaved), 3);
  EXPECT_EQ(retries(Values::kDefault), 8);
}

// Background control (SBC-3, page 1Ch/01h): EN_BMS is saved. Of the scan itself nothing is kept.
TEST_F(PowerCut, ASavedScan_BeginsAnew) {
  const Setup setup = with_store(4);
  const auto completed = [this] {
    const Completion done = execute(log_sense(0x15));
    EXPECT_EQ(outcome(done), "GOOD");
    return big_endian(done.data, 8 + 6, 2);
  };
  const auto await_scans = [&](unsigned count) {
    run_until([&] { return completed() == count; }, 20 * kPicosecondsPerSecond, 200 * kMillisecond);
  };
  first_life(setup, [&] {
    const Completion sense = execute(reads({0x5A, 0x08, 0x1C, 0x01, 0, 0, 0, 0, 64, 0}, 64));
    ASSERT_EQ(sense.data.size(), 8U + 16U);
    Bytes page(sense.data.begin() + 8, sense.data.end());
    page[0] = 0x5C;
    page[4] = 0x01;               // EN_BMS
    page[6] = page[7] = 0;        // interval
    page[10] = 0, page[11] = 50;  // ms
    EXPECT_EQ(run(mode_select_10(page, true)), "GOOD");
    await_scans(2);
  });
  second_life(setup);
  EXPECT_EQ(completed(), 0U);
  await_scans(2);
}

// The subpage of streams is saved with the pages (firmware/unit/stream_page.h), and has PS set.
TEST_F(PowerCut, SavedStreams_AreInForceAgain) {
  const Setup setup = with_store(4);
  Bytes page(132);
  page[0] = 0x60;
  page[1] = 0x01;
  page[3] = 0x80;
  page[5] = 100;  // u, thousandths, of stream 0
  page[7] = 50;   // and p, ms
  Command sense;
  sense.cdb = {0x1A, 0x08, 0x20, 0x01, 255, 0};
  sense.direction = initiator::Direction::kIn;
  sense.length = 255;
  first_life(setup, [&] { EXPECT_EQ(run(mode_select_6(page, true)), "GOOD"); });
  second_life(setup);
  page[0] |= kSaveable;
  const Bytes data = execute(sense).data;
  ASSERT_EQ(data.size(), kPageAt + page.size());
  EXPECT_EQ(Bytes(data.begin() + kPageAt, data.end()), page);
}

// Each save replaces the one before, in this life and the next.
TEST_F(PowerCut, SavedAgain_TheLastCounts) {
  const Setup setup = with_store(2);
  first_life(setup, [&] {
    for (std::uint8_t count = 1; count <= 4; ++count) {
      EXPECT_EQ(run(mode_select_6(recovery_page(count), true)), "GOOD");
    }
  });
  second_life(setup);
  EXPECT_EQ(retries(Values::kSaved), 4);
  EXPECT_EQ(run(mode_select_6(recovery_page(6), true)), "GOOD");
  EXPECT_EQ(retries(Values::kSaved), 6);
}

// PS is clear, SP is 5/24/00, and there are no saved values: 5/39/00 (SPC-2 7.6, 7.8.1).
TEST_F(PowerCut, WithoutAStore_PagesAreVolatile_AndNotSavable) {
  const Setup setup = with_store(0);
  first_life(setup, [&] {
    EXPECT_FALSE(is_saveable());
    EXPECT_EQ(run(mode_select_6(recovery_page(3), true)), "5/24/00");
    EXPECT_EQ(retries(Values::kCurrent), 8) << "nothing of it is in force";
    EXPECT_EQ(run(mode_sense_6(kRecovery, Values::kSaved)), "5/39/00");
    EXPECT_EQ(run(mode_select_6(recovery_page(3))), "GOOD");
    EXPECT_EQ(retries(Values::kCurrent), 3);
  });
  second_life(setup);
  EXPECT_EQ(retries(Values::kCurrent), 8);
}

// Capacity and places of blocks equal those of the same drive without a store.
TEST_F(PowerCut, Store_ChangesNoBlocksPlace) {
  const geometry::Geometry with(with_store(4).description.design);
  Setup setup = with_store(4);
  setup.description.design.zones[0].store_sectors = 0;
  const geometry::Geometry without(setup.description.design);
  ASSERT_EQ(with.capacity(), without.capacity());
  for (geometry::Lba lba = 0; lba < with.capacity(); ++lba) {
    ASSERT_EQ(with.locate(lba).chs(), without.locate(lba).chs()) << lba;
  }
}

// One bad copy: the other has the pages. The store is read 16 sectors at a time, and on past
// a bad one. Where it has 34 sectors, the other copy begins right after a whole piece.
class BadCopy : public PowerCut, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(BadCopy, IsNotMissed) {
  const Setup setup = with_store(GetParam());
  first_life(setup, [&] {
    EXPECT_EQ(run(mode_select_6(recovery_page(3), true)), "GOOD");
    // The copy is damaged without the drive: its check bytes no longer match.
    media::MediaStore& media = platform().surface().media();
    for (const media::SectorIndex i : reserved()) {
      if (!media.is_written(i)) continue;
      Bytes field(kBlockBytes + 4, 0xFF);
      ASSERT_EQ(media.write_part(i, field.data(), 0, 100), media::WriteStatus::kOk);
      break;
    }
  });
  second_life(setup);
  EXPECT_EQ(retries(Values::kSaved), 3);
}

INSTANTIATE_TEST_SUITE_P(PowerCut, BadCopy, testing::Values(2U, 34U));

// FORMAT UNIT saves the mode parameters, too (SCSI-2 9.2.1, DSP clear).
TEST_F(PowerCut, FormatUnit_SavesThePages) {
  const Setup setup = with_store(2);
  first_life(setup, [&] {
    EXPECT_EQ(run(mode_select_6(recovery_page(3))), "GOOD");
    EXPECT_EQ(run(format_unit()), "GOOD");
  });
  second_life(setup);
  EXPECT_EQ(retries(Values::kSaved), 3);
}

// The drive saves nothing until it has read its saved pages, for which the spindle must be at
// speed.
TEST_F(PowerCut, SavingBeforeReady_IsNotReady) {
  Setup setup = with_store(2);
  setup.at_speed = false;
  power_on(setup);
  EXPECT_EQ(run(test_unit_ready()), "6/29/00");
  EXPECT_EQ(run(mode_select_6(recovery_page(3), true)), "2/04/01");
  EXPECT_EQ(run(mode_select_6(recovery_page(4))), "GOOD");
  run_until([this] { return run(test_unit_ready()) == "GOOD"; }, kPatience, kMillisecond);
  EXPECT_EQ(retries(Values::kCurrent), 4) << "what came before is not undone";
}

// --------------------------------------------------------------------------- grown defects,
// formats

/// Room for the mode pages, the log's state and two cells of the log.
constexpr std::uint32_t kStoreSectors = 8;
constexpr Picoseconds kFormatTime = 20 * 1000 * kMillisecond;

// SCSI-2 9.2.10: the block is at its new place, with the data written there since.
TEST_F(PowerCut, ReassignedBlocks_LieWhereTheyWereMoved) {
  const Setup setup = with_store(kStoreSectors);
  const Bytes before(kBlockBytes, 0x11);
  const Bytes after(kBlockBytes, 0x3C);
  first_life(setup, [&] {
    for (const std::uint32_t lba : {105U, 106U}) EXPECT_EQ(run(write_10(lba, before)), "GOOD");
    EXPECT_EQ(run(reassign_blocks({105, 110})), "GOOD");
    for (const std::uint32_t lba : {105U, 110U}) EXPECT_EQ(run(write_10(lba, after)), "GOOD");
  });
  second_life(setup);
  expect_block(104, zeros());
  expect_block(105, after);
  expect_block(106, before);
  expect_block(110, after);
  EXPECT_EQ(grown_list(), (std::vector<Place>{place_of(home(105)), place_of(home(110))}));
  // The list continues: the next spare is another one.
  EXPECT_EQ(run(reassign_blocks({106})), "GOOD");
  expect_block(105, after);
  expect_block(110, after);
  expect_block(106, before);
}

// The list has the same length after power returns, bad spares included.
TEST_F(PowerCut, BadSpare_StaysOne) {
  const Setup setup = with_store(kStoreSectors);
  first_life(setup, [&] {
    flaw_sector(spares()[0], media::FlawKind::kUnreadable);
    EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
    EXPECT_EQ(grown_list().size(), 2U);
  });
  second_life(setup);
  EXPECT_EQ(grown_list().size(), 2U);
}

// SCSI-2 9.3.3.6, AWRE: a block whose sector cannot be written moves, and stays there.
TEST_F(PowerCut, BlockReallocatedByAWrite_StaysAtItsSpare) {
  const Setup setup = with_store(kStoreSectors);
  const Bytes data(3 * kBlockBytes, 0x77);
  first_life(setup, [&] {
    set_recovery(kAwre, 1);
    flaw_block(105, media::FlawKind::kBadHeader);
    EXPECT_EQ(run(write_10(104, data)), "GOOD");
  });
  second_life(setup);
  EXPECT_EQ(execute(read_10(104, 3)).data, data);
  EXPECT_EQ(grown_list(), std::vector<Place>{place_of(home(105))});
}

// With ARRE, a block that was read after errors moves.
TEST_F(PowerCut, BlockReallocatedByARead_StaysAtItsSpare) {
  const Setup setup = with_store(kStoreSectors);
  const Bytes data(kBlockBytes, 0x77);
  first_life(setup, [&] {
    set_recovery(kArre);
    EXPECT_EQ(run(write_10(105, Bytes(kBlockBytes, 0x11))), "GOOD");
    flaw_block(105, media::FlawKind::kCorrectable, 3);
    EXPECT_EQ(run(read_10(104, 3)), "GOOD");
    EXPECT_EQ(run(write_10(105, data)), "GOOD");
  });
  second_life(setup);
  expect_block(105, data);
}

// An abort at any time of a move, also while the arm is on its way to the store: "recorded in both
// copies. That cannot be aborted" (relocation.h). Both copies of the log's first cell are the same.
TEST_F(PowerCut, MoveThatIsAborted_IsRecordedInBothCopies_OrInNone) {
  constexpr std::uint32_t kTimes = 40;
  Setup setup = with_store(0);
  auto& zones = setup.description.design.zones;
  zones[0].spares += kTimes;
  // The copies are two tracks of 16 sectors apart: the arm moves between them.
  constexpr std::uint32_t kSectors = STORE_COPIES * 2 * 16;
  zones[1].spares += kSectors;
  zones[1].store_sectors = kSectors;
  power_on_ready(setup);
  const auto store = reserved();
  ASSERT_EQ(store.size(), kSectors);
  prepare(0, 2 * kTimes);
  set_recovery(kArre);
  for (std::uint32_t i = 0; i < kTimes; ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t lba = 2 * i;
    flaw_block(lba, media::FlawKind::kCorrectable, 1);
    (void)submit(tagged(read_10(lba, 2), 1));
    run_for(2 * i * kMillisecond);
    manage(initiator::ManagementKind::kAbort);
    await_all();
    expect_reads_back(100, 1);
    const auto second = store[kSectors / STORE_COPIES + STORE_CELL_LOG];
    EXPECT_TRUE(on_sector(store[STORE_CELL_LOG]) == on_sector(second));
    expect_reads_back(lba, 2);
  }
  EXPECT_GT(grown_list().size(), 1U);
}

// Without a store the list is lost with power: the block is where the design puts it.
TEST_F(PowerCut, WithoutAStore_ReassignedBlocksAreWhereTheyWere) {
  const Setup setup = with_store(0);
  const Bytes before(kBlockBytes, 0x11);
  first_life(setup, [&] {
    EXPECT_EQ(run(write_10(105, before)), "GOOD");
    EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
    EXPECT_EQ(run(write_10(105, Bytes(kBlockBytes, 0x3C))), "GOOD");
  });
  second_life(setup);
  expect_block(105, before);
  EXPECT_TRUE(grown_list().empty());
}

// The store's content is not overwritten by the format.
TEST_F(PowerCut, FormatUnit_LeavesZerosEverywhere) {
  const Setup setup = with_store(kStoreSectors);
  power_on_ready(setup);
  EXPECT_EQ(run(mode_select_6(recovery_page(3))), "GOOD");
  EXPECT_EQ(outcome(await(submit(format_unit()), kFormatTime)), "GOOD");
  EXPECT_EQ(execute(read_10(0, capacity())).data, zeros(capacity()));
}

// SCSI-2 9.2.1, table 71 (31/00): a format that power has cut short leaves nothing to read, until
// one ends well.
TEST_F(PowerCut, InterruptedFormat_IsDetected) {
  Setup setup = with_store(kStoreSectors);
  first_life(setup, [&] {
    submit(format_unit());
    run_for(150 * kMillisecond);
  });
  setup.at_speed = false;
  power_on(setup);
  EXPECT_EQ(run(test_unit_ready()), "6/29/00");
  run_until([this] { return run(test_unit_ready()) == "3/31/00"; }, kPatience, kMillisecond);
  EXPECT_EQ(run(read_10(0, 1)), "3/31/00");
  EXPECT_EQ(outcome(await(submit(format_unit()), kFormatTime)), "GOOD");
  EXPECT_EQ(run(read_10(0, 1)), "GOOD");
}

// 9.2.1: without CMPLST the grown list stays; with it, the list is discarded for good.
class PowerCutBehindAFormat : public PowerCut, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Scenario, PowerCutBehindAFormat, testing::Bool(),
                         [](const auto& complete) {
                           return complete.param ? "ListDiscarded" : "ListKept";
                         });

TEST_P(PowerCutBehindAFormat, GrownList_IsThatOfTheFormat) {
  const Setup setup = with_store(kStoreSectors);
  first_life(setup, [&] {
    EXPECT_EQ(run(reassign_blocks({100, 105})), "GOOD");
    const Command format = format_unit(GetParam(), kBlockFormat, 0);
    EXPECT_EQ(outcome(await(submit(format), kFormatTime)), "GOOD");
    EXPECT_EQ(run(reassign_blocks({33})), "GOOD");
  });
  second_life(setup);
  EXPECT_EQ(grown_list().size(), GetParam() ? 1U : 3U);
}

}  // namespace
}  // namespace headstack::scenario
