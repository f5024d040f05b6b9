// SPDX-License-Identifier: Apache-2.0
// Automatic reallocation of flawed blocks by page 01h (SCSI-2 9.3.3.6), and its reports. Also its
// counters (LOG SENSE, 8.2.7; error counter pages, 8.3.2.2), and SEND DIAGNOSTIC (8.2.15).
#include "tests/scenario/defect_bench.hpp"

namespace headstack::scenario {
namespace {

using media::FlawKind;

class Recovery : public DefectBench {
 protected:
  void SetUp() override { power_on_ready(spared_setup()); }
  void fill_spares() {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < 7; ++i) all.push_back(200 + i);
    ASSERT_EQ(run(reassign_blocks(all)), "GOOD") << "two of the inner zone and five of the outer";
  }
};

// -------------------------------------------------------------------------------- all bits are off

// With all bits off no block moves, and no recovered error is reported.
TEST_F(Recovery, Off_RecoveredErrorsAreNotReported_NothingMoves) {
  flaw_block(105, FlawKind::kCorrectable, 3);
  prepare(100, 10);
  expect_reads_back(100, 10);
  EXPECT_EQ(run(verify_10(100, 10)), "GOOD");
  EXPECT_TRUE(grown_list().empty());
  EXPECT_TRUE(used_spares().empty());
}

TEST_F(Recovery, Off_UnrecoveredError_ReturnsTheBlocksBeforeIt) {
  flaw_block(105, FlawKind::kUnreadable);
  prepare(100, 10);
  const Completion done = execute(read_10(100, 10));
  EXPECT_EQ(outcome(done), "3/11/00");
  EXPECT_EQ(information(done.sense), 105U);
  EXPECT_LE(done.data.size(), 5 * kBlockBytes);
}

// --------------------------------------------------------------------------------------------- PER

// PER: RECOVERED ERROR comes after all of the data, and names the last such block.
TEST_F(Recovery, Per_ReportsRecoveredReads) {
  flaw_block(102, FlawKind::kCorrectable, 1);
  flaw_block(105, FlawKind::kCorrectable, 3);
  prepare(100, 10);
  set_recovery(kPer);
  const Completion done = execute(read_10(100, 10));
  EXPECT_EQ(outcome(done), "1/17/01");
  EXPECT_EQ(information(done.sense), 105U);
  EXPECT_EQ(done.data, blocks().expected(100, 10));
  EXPECT_EQ(run(read_10(106, 4)), "GOOD");
  EXPECT_TRUE(grown_list().empty());
}

// Verifies have a page of their own: 07h.
TEST_F(Recovery, Per_OfPage07_ReportsRecoveredVerifies) {
  flaw_block(105, FlawKind::kCorrectable, 1);
  prepare(100, 10);
  set_recovery(kPer);
  EXPECT_EQ(run(verify_10(100, 10)), "GOOD") << "page 01h is not for it";
  ASSERT_EQ(run(mode_select_6({0x07, 0x0A, kPer, 8, 0, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  const Completion done = execute(verify_10(100, 10));
  EXPECT_EQ(outcome(done), "1/17/01");
  EXPECT_EQ(information(done.sense), 105U);
}

// DTE: the transfer ends with the recovered block.
TEST_F(Recovery, Dte_EndsTheTransferWithTheRecoveredBlock) {
  flaw_block(102, FlawKind::kCorrectable, 1);
  flaw_block(105, FlawKind::kCorrectable, 1);
  prepare(100, 10);
  set_recovery(kPer | kDte);
  const Completion done = execute(read_10(100, 10));
  EXPECT_EQ(outcome(done), "1/17/01");
  EXPECT_EQ(information(done.sense), 102U);
  EXPECT_EQ(done.data, blocks().expected(100, 3));
}

// At any point of the transfer: the host gets no block that it was not granted.
TEST_F(Recovery, Dte_EndsTheTransfer_AtAnyBlock) {
  prepare(100, 10);
  set_recovery(kPer | kDte);
  for (std::uint32_t lba = 109; lba >= 100; --lba) {
    flaw_block(lba, FlawKind::kCorrectable, 1);
    const Completion done = execute(read_10(100, 10));
    EXPECT_EQ(outcome(done), "1/17/01");
    EXPECT_EQ(information(done.sense), lba);
    EXPECT_EQ(done.data, blocks().expected(100, lba - 99)) << lba;
  }
}

// TB: the block that could not be recovered is transferred, with the data that were read.
TEST_F(Recovery, Tb_TransfersTheBadBlock) {
  for (const std::uint32_t bad : {100U, 105U, 109U, 20U, 38U}) {
    const std::uint32_t first = bad - bad % 10;
    flaw_block(bad, FlawKind::kUnreadable);
    ASSERT_EQ(run(write_10(first, blocks().write(first, 10))), "GOOD");
    set_recovery(kTb, 2);
    const Completion done = execute(read_10(first, 10));
    EXPECT_EQ(outcome(done), "3/11/00");
    EXPECT_EQ(information(done.sense), bad);
    ASSERT_EQ(done.data.size(), (bad - first + 1) * kBlockBytes);
    const Bytes good = blocks().expected(first, bad - first);
    EXPECT_TRUE(std::equal(good.begin(), good.end(), done.data.begin()));
    EXPECT_EQ(run(reassign_blocks({bad})), "GOOD");
  }
}

// -------------------------------------------------------------------------------------------- ARRE

TEST_F(Recovery, Arre_MovesARecoveredBlock_AndKeepsItsData) {
  flaw_block(105, FlawKind::kCorrectable, 3);
  prepare(100, 10);
  set_recovery(kArre);
  expect_reads_back(100, 10);  // GOOD: PER is off.
  EXPECT_EQ(grown_list(), std::vector<Place>{place_of(home(105))});
  EXPECT_EQ(on_sector(spares()[0]), blocks().expected(105, 1));
  set_recovery(0, 0);
  expect_reads_back(100, 10);
  expect_reads_back(100, 10);
}

TEST_F(Recovery, Arre_WithPer_ReportsTheReallocation) {
  flaw_block(102, FlawKind::kCorrectable, 1);
  flaw_block(105, FlawKind::kCorrectable, 1);
  prepare(95, 20);
  set_recovery(kArre | kPer);
  const Completion done = execute(read_10(95, 20));
  EXPECT_EQ(outcome(done), "1/17/06");
  EXPECT_EQ(information(done.sense), 105U);
  EXPECT_EQ(done.data, blocks().expected(95, 20));
  EXPECT_EQ(grown_list().size(), 2U);
  expect_reads_back(95, 20);
}

// The first and the last block of a request, and both ends of tracks.
TEST_F(Recovery, Arre_AtTheEdges) {
  prepare(0, capacity());
  const std::vector<std::uint32_t> edges = {0, 19, 20, 100, 149};
  for (const std::uint32_t lba : edges) flaw_block(lba, FlawKind::kCorrectable, 1);
  set_recovery(kArre);
  for (const std::uint32_t lba : edges) {
    const std::uint32_t before = lba < 3 ? lba : 3;
    expect_reads_back(lba - before, before + 1);
  }
  EXPECT_EQ(grown_list().size(), edges.size());
  set_recovery(0, 0);
  expect_reads_back(0, capacity());
}

// MODE SELECT sets ARRE while a block is read again and again, during any attempt. Whether it moves
// or not, it keeps its data.
TEST_F(Recovery, Arre_SetDuringTheAttempts_KeepsTheBlocksData) {
  constexpr std::uint32_t kTimes = 9;
  prepare(20, 20 * kTimes);
  for (std::uint32_t i = 0; i < kTimes; ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t first = 20 + 20 * i;
    flaw_block(first + 2, FlawKind::kCorrectable, 3);
    set_recovery(0);
    const Ticket read = submit(tagged(read_10(first, 8), 1));
    run_for(kRevolution * i / 2);
    ASSERT_EQ(run(tagged(mode_select_6({0x01, 0x0A, kArre, 8, 0, 0, 0, 0, 8, 0, 0, 0}), 2)),
              "GOOD");
    expect_data(await(read), first, 8);
    set_recovery(0);
    expect_reads_back(first, 8);
  }
}

// A block moves only if its data were recovered (9.3.3.6). Otherwise the requested reallocation has
// failed.
TEST_F(Recovery, Arre_UnreadableBlock_StaysWhereItIs) {
  flaw_block(105, FlawKind::kUnreadable);
  prepare(100, 10);
  set_recovery(kArre, 2);
  const Completion done = execute(read_10(100, 10));
  EXPECT_EQ(outcome(done), "3/11/04");
  EXPECT_EQ(information(done.sense), 105U);
  EXPECT_TRUE(grown_list().empty());
  EXPECT_TRUE(used_spares().empty());
}

// A failed reallocation is reported whether PER is set or not, and all data are transferred.
TEST_F(Recovery, Arre_NoSpare_IsReported_AndTheBlockStays) {
  fill_spares();
  const std::size_t listed = grown_list().size();
  flaw_block(105, FlawKind::kCorrectable, 1);
  prepare(100, 10);
  set_recovery(kArre);
  const Completion done = execute(read_10(100, 10));
  EXPECT_EQ(outcome(done), "1/17/07");
  EXPECT_EQ(information(done.sense), 105U);
  EXPECT_EQ(done.data, blocks().expected(100, 10));
  EXPECT_EQ(grown_list().size(), listed);
}

TEST_F(Recovery, Arre_BadSpare_IsSkipped) {
  const auto all = spares();
  flaw_sector(all[0], FlawKind::kUnreadable);
  flaw_block(105, FlawKind::kCorrectable, 1);
  prepare(100, 10);
  set_recovery(kArre);
  expect_reads_back(100, 10);
  EXPECT_EQ(on_sector(all[1]), blocks().expected(105, 1));
  EXPECT_EQ(grown_list().size(), 2U);
}

// VERIFY has no data that could be moved.
TEST_F(Recovery, Arre_IsNotForVerify) {
  flaw_block(105, FlawKind::kCorrectable, 1);
  prepare(100, 10);
  set_recovery(kArre | kPer);
  EXPECT_EQ(run(verify_10(100, 10)), "GOOD");
  EXPECT_TRUE(grown_list().empty());
}

// A failure during read-ahead belongs to no command. The block moves when a command reads it.
TEST_F(Recovery, Arre_WithReadAhead_ReallocatesRequestedBlocksOnly) {
  flaw_block(105, FlawKind::kCorrectable, 1);
  prepare(95, 20);
  set_recovery(kArre | kPer);
  ASSERT_EQ(run(mode_select_6(caching_page({0, 0, 3, 50}))), "GOOD");
  expect_reads_back(95, 5);
  run_for(5 * kRevolution);
  EXPECT_TRUE(grown_list().empty());
  // The specimen has counted the attempt of read-ahead: the next one is good.
  expect_reads_back(100, 15);
  flaw_block(112, FlawKind::kCorrectable, 2);
  ASSERT_EQ(run(synchronize_cache()), "GOOD");
  ASSERT_EQ(run(write_10(112, blocks().write(112, 1))), "GOOD");  // Out of the cache with it.
  const Completion done = execute(read_10(110, 5));
  EXPECT_EQ(outcome(done), "1/17/06");
  EXPECT_EQ(information(done.sense), 112U);
  EXPECT_EQ(done.data, blocks().expected(110, 5));
}

// An abort may come at any time: the block is whole, at its old place or on its spare.
TEST_F(Recovery, Arre_AbortedAnywhere_LosesNothing) {
  prepare(100, 10);
  set_recovery(kArre);
  for (Picoseconds after = 0; after < 90 * kMillisecond; after += 7 * kMillisecond) {
    flaw_block(105, FlawKind::kCorrectable, 1);
    const Ticket ticket = submit(tagged(read_10(100, 10), 1));
    run_for(after);
    manage(initiator::ManagementKind::kAbort);
    await_all();
    (void)ticket;
    expect_reads_back(100, 10);
  }
}

// ---------------------------------------------------------------------------------------- page 01h

// ------------------------------------------------------------------------------------------- AWRE

// AWRE: a block whose sector a write cannot find moves, and its data go to the spare. With PER the
// host is told (0Ch/01h: write error recovered with auto reallocation).
TEST_F(Recovery, Awre_MovesABlockThatAWriteCannotFind) {
  prepare(100, 10);
  flaw_block(105, FlawKind::kBadHeader);
  set_recovery(0, 1);
  EXPECT_EQ(run(write_10(103, blocks().version(103, 5, 7))), "3/10/00");
  EXPECT_TRUE(grown_list().empty());
  set_recovery(kAwre | kPer, 1);
  const Completion done = execute(write_10(103, blocks().write(103, 5)));
  EXPECT_EQ(outcome(done), "1/0C/01");
  EXPECT_EQ(information(done.sense), 105U);
  EXPECT_EQ(grown_list(), std::vector<Place>{place_of(home(105))});
  ASSERT_EQ(used_spares().size(), 1U);
  EXPECT_EQ(on_sector(*used_spares().begin()), blocks().expected(105, 1));
  expect_reads_back(100, 10);
  EXPECT_EQ(run(write_10(103, blocks().write(103, 5))), "GOOD") << "it has moved already";
  expect_reads_back(100, 10);
}

// Without a spare the block stays where it is, and the write fails (0Ch/02h: auto reallocation
// failed).
TEST_F(Recovery, Awre_NoSpare_IsReported) {
  prepare(100, 10);
  fill_spares();
  flaw_block(105, FlawKind::kBadHeader);
  set_recovery(kAwre, 1);
  const Completion done = execute(write_10(103, blocks().version(103, 5, 7)));
  EXPECT_EQ(outcome(done), "3/0C/02");
  EXPECT_EQ(information(done.sense), 105U);
  EXPECT_EQ(grown_list().size(), 7U) << "the reassigned ones";
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

// 9.3.3.6, table 170: DTE without PER is no combination. RC and EER cannot be changed here.
TEST_F(Recovery, BitsThatCannotBe_AreRefused) {
  for (const std::uint8_t bits : {kDte, kRc, kEer, std::uint8_t(kRc | kPer)}) {
    EXPECT_EQ(run(mode_select_6({0x01, 0x0A, bits, 8, 0, 0, 0, 0, 8, 0, 0, 0})), "5/26/00")
        << int{bits};
  }
  for (const std::uint8_t bits : {kPer, kAwre, kArre, kTb, kDcr, std::uint8_t(kPer | kDte)}) {
    EXPECT_EQ(run(mode_select_6({0x01, 0x0A, bits, 8, 0, 0, 0, 0, 8, 0, 0, 0})), "GOOD")
        << int{bits};
  }
}

// The list is in the firmware's memory, which a bus reset leaves unchanged (a power-off does not).
TEST_F(Recovery, GrownList_OutlivesABusReset) {
  prepare(100, 10);
  ASSERT_EQ(run(reassign_blocks({105})), "GOOD");
  host().reset_bus();
  run_for(kMillisecond);
  while (run(test_unit_ready()) != "GOOD") {
  }
  EXPECT_EQ(grown_list().size(), 1U);
  expect_reads_back(100, 10);
}

// ---------------------------------------------------------------------------------------- counters

class Counters : public DefectBench {
 protected:
  void SetUp() override {
    Setup setup = spared_setup();
    setup.hosts.push_back(host_config(initiator::kFast10Wide, 6));
    power_on_ready(setup);
    ASSERT_EQ(run(log_select_reset()), "GOOD");
    ASSERT_EQ(run(test_unit_ready(), 1), "6/2A/02");
  }
  void expect_counters(std::uint8_t page, std::uint64_t retries, std::uint64_t corrected,
                       std::uint64_t uncorrected, std::uint64_t blocks) {
    EXPECT_EQ(counter(page, 0), 0U) << "nothing is corrected on the fly";
    EXPECT_EQ(counter(page, kCorrectedWithDelay), corrected);
    EXPECT_EQ(counter(page, kRetries), retries);
    EXPECT_EQ(counter(page, kCorrected), corrected);
    EXPECT_EQ(counter(page, 4), 0U);
    EXPECT_EQ(counter(page, kBytes), blocks * kBlockBytes);
    EXPECT_EQ(counter(page, kUncorrected), uncorrected);
  }
};

TEST_F(Counters, CountReads) {
  flaw_block(102, FlawKind::kCorrectable, 1);
  flaw_block(105, FlawKind::kCorrectable, 3);
  flaw_block(150, FlawKind::kUnreadable);
  prepare(100, 10);
  prepare(150, 1);
  expect_reads_back(100, 10);
  expect_counters(kReadErrors, 4, 2, 0, 10);
  EXPECT_EQ(run(read_10(150, 1)), "3/11/00");
  expect_counters(kReadErrors, 4 + 8, 2, 1, 10);
  expect_counters(kWriteErrors, 0, 0, 0, 0);
  expect_counters(kVerifyErrors, 0, 0, 0, 0);
}

TEST_F(Counters, CountVerifiesAndWrites) {
  flaw_block(105, FlawKind::kCorrectable, 2);
  EXPECT_EQ(run(write_10(100, blocks().write(100, 10))), "GOOD");
  EXPECT_EQ(run(verify_10(100, 10)), "GOOD");
  expect_counters(kWriteErrors, 0, 0, 0, 10);
  expect_counters(kVerifyErrors, 2, 1, 0, 10);
  expect_counters(kReadErrors, 0, 0, 0, 0);
}

// The drive's own accesses are not counted.
TEST_F(Counters, DoNotCountReassignsAndFormats) {
  flaw_block(105, FlawKind::kUnreadable);
  flaw_block(110, FlawKind::kCorrectable, 1);
  EXPECT_EQ(run(reassign_blocks({105, 110})), "GOOD");
  EXPECT_EQ(outcome(await(submit(format_unit()), 20 * kPicosecondsPerSecond)), "GOOD");
  for (const std::uint8_t page : {kWriteErrors, kReadErrors, kVerifyErrors}) {
    expect_counters(page, 0, 0, 0, 0);
  }
}

// LOG SELECT with PCR, and with the default cumulative values, sets counters to zero. The other
// hosts get a unit attention.
TEST_F(Counters, Reset_ClearsAll_AndIsAUnitAttentionForOthers) {
  for (const Bytes& cdb : {Bytes{0x4C, 0x02, 0x40, 0, 0, 0, 0, 0, 0, 0},
                           Bytes{0x4C, 0x00, 0xC0, 0, 0, 0, 0, 0, 0, 0}}) {
    prepare(100, 10);
    expect_reads_back(100, 10);
    expect_counters(kReadErrors, 0, 0, 0, 10);
    EXPECT_EQ(run(plain(cdb)), "GOOD");
    expect_counters(kReadErrors, 0, 0, 0, 0);
    EXPECT_EQ(run(test_unit_ready(), 1), "6/2A/02");
    EXPECT_EQ(run(test_unit_ready(), 1), "GOOD");
  }
}

TEST_F(Counters, SupportedPages_AreListed) {
  const Completion done = execute(log_sense(0));
  EXPECT_EQ(outcome(done), "GOOD");
  EXPECT_EQ(done.data,
            (Bytes{0, 0, 0, 10, 0x00, 0x02, 0x03, 0x05, 0x15, 0x30, 0x31, 0x32, 0x33, 0x34}));
}

// Page control: thresholds are the highest values, defaults of counters are 0. The pointer skips.
TEST_F(Counters, PageControl_AndParameterPointer) {
  prepare(100, 10);
  expect_reads_back(100, 10);
  for (const std::uint8_t thresholds : {std::uint8_t{0}, std::uint8_t{2}}) {
    const Completion done = execute(log_sense(kReadErrors, thresholds));
    EXPECT_EQ(log_parameter(done.data, kRetries), 0xFFFF'FFFFU);
    EXPECT_EQ(log_parameter(done.data, kBytes), ~std::uint64_t{0});
  }
  EXPECT_EQ(log_parameter(execute(log_sense(kReadErrors, 3)).data, kBytes), 0U);
  const Completion from_five = execute(log_sense(kReadErrors, 1, 5));
  EXPECT_EQ(outcome(from_five), "GOOD");
  EXPECT_EQ(from_five.data, (Bytes{3, 0, 0,    20, 0, 5, 0x40, 8, 0, 0, 0, 0,
                                   0, 0, 0x14, 0,  0, 6, 0x40, 4, 0, 0, 0, 0}));
}

struct BadLog {
  const char* what;
  Bytes cdb;
  const char* pointer;
};

TEST_F(Counters, BadFields_ArePointedAt) {
  const BadLog cases[] = {
      {"no such page", {0x4D, 0, 0x40 | 0x04, 0, 0, 0, 0, 0, 255, 0}, "C0 00 02"},
      {"pointer past the page", {0x4D, 0, 0x40 | 0x03, 0, 0, 0, 7, 0, 255, 0}, "C0 00 05"},
      {"pointer in the list", {0x4D, 0, 0x40, 0, 0, 0, 1, 0, 255, 0}, "C0 00 05"},
      {"a list to LOG SELECT", {0x4C, 0, 0x40, 0, 0, 0, 0, 0, 8, 0}, "C0 00 07"},
      {"a list to SEND DIAGNOSTIC", {0x1D, 0, 0, 0, 8, 0}, "C0 00 03"},
  };
  for (const BadLog& bad : cases) {
    const Completion done = execute(plain(bad.cdb));
    EXPECT_EQ(outcome(done), "5/24/00") << bad.what;
    EXPECT_EQ(specific(done.sense), bad.pointer) << bad.what;
  }
}

// -------------------------------------------------------------------------------------- self-test

// 8.2.15: the heads go to both ends. Unreadable data are no failure of the drive.
TEST_F(Recovery, SelfTest_TakesTheHeadsToBothEnds) {
  flaw_block(0, FlawKind::kUnreadable);
  const Completion done = execute(send_diagnostic(true));
  EXPECT_EQ(outcome(done), "GOOD");
  EXPECT_GT(done.times.status - done.times.command_sent, 2 * kMillisecond) << "a seek, at least";
  EXPECT_EQ(run(send_diagnostic(false)), "GOOD");
}

}  // namespace
}  // namespace headstack::scenario
