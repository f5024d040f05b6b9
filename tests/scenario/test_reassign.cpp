// SPDX-License-Identifier: Apache-2.0
// REASSIGN BLOCKS (SCSI-2 9.2.10) and READ DEFECT DATA (9.2.8). A block that cannot be read is
// repaired, its neighbours stay unchanged, and the lists have its place.
#include "tests/scenario/defect_bench.hpp"

namespace headstack::scenario {
namespace {

using media::FlawKind;

class Reassign : public DefectBench {
 protected:
  void SetUp() override { power_on_ready(spared_setup()); }
};

// 9.2.10: readable data are kept. A spare has them, and the old place stays unchanged.
TEST_F(Reassign, ReadableBlock_KeepsItsData_OnASpare) {
  prepare(100, 10);
  EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
  expect_reads_back(100, 10);
  const auto used = used_spares();
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(on_sector(*used.begin()), blocks().expected(105, 1));
  EXPECT_EQ(*used.begin(), spares().front()) << "the nearest of its zone: spares come after it";
  EXPECT_EQ(grown_list(), std::vector<Place>{place_of(home(105))});
}

// A flaw that cannot be repaired: every read of it fails, also after writes.
TEST_F(Reassign, UnreadableBlock_IsZerosAndReadable) {
  flaw_block(105, FlawKind::kUnreadable);
  prepare(100, 10);
  EXPECT_EQ(run(read_10(105, 1)), "3/11/00");
  EXPECT_EQ(run(write_10(105, blocks().write(105, 1))), "GOOD");
  EXPECT_EQ(run(read_10(105, 1)), "3/11/00") << "a write does not cure it";
  EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
  expect_block(105, zeros());
  expect_reads_back(100, 5);
  expect_reads_back(106, 4);
  // The block can be used again.
  EXPECT_EQ(run(write_10(103, blocks().write(103, 5))), "GOOD");
  expect_reads_back(100, 10);
  EXPECT_EQ(run(verify_10(100, 10)), "GOOD");
}

TEST_F(Reassign, MarginalBlock_IsReadWithRetries_AndKeepsItsData) {
  flaw_block(105, FlawKind::kCorrectable, 5);
  prepare(105, 1);
  EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
  set_recovery(0, 0);
  expect_reads_back(105, 1);
  expect_reads_back(105, 1);
}

// The cache must not return the earlier content.
TEST_F(Reassign, CachedBlock_IsReadFromTheMedia) {
  const Bytes read_cache = {0x08, 18,   0x00, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF,
                            0xFF, 0xFF, 0,    3, 0,    50,   0, 0, 0,    0};
  ASSERT_EQ(run(mode_select_6(read_cache)), "GOOD");
  prepare(100, 10);
  expect_reads_back(100, 10);
  flaw_block(105, FlawKind::kUnreadable);
  EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
  expect_block(105, zeros());
}

TEST_F(Reassign, ManyBlocks_InOneCommand) {
  prepare(0, capacity());
  EXPECT_EQ(run(reassign_blocks({3, 4, 5, 150, 260})), "GOOD");
  expect_reads_back(0, capacity());
  EXPECT_EQ(used_spares().size(), 5U);
  EXPECT_EQ(grown_list().size(), 5U);
}

// A spare may be bad, too. It is in the list then, and the next is used.
TEST_F(Reassign, BadSpare_IsSkipped) {
  const auto all = spares();
  flaw_sector(all[0], FlawKind::kUnreadable);
  flaw_sector(all[1], FlawKind::kCorrectable, 1);
  prepare(105, 1);
  EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
  expect_reads_back(105, 1);
  EXPECT_EQ(on_sector(all[2]), blocks().expected(105, 1));
  const std::vector<Place> want = {place_of(home(105)), place_of(all[0]), place_of(all[1])};
  EXPECT_EQ(grown_list(), want);
  // A spare has no block's address, so that no list of blocks can be given (9.2.8).
  const Completion done = execute(read_defect_data_10(false, true, kBlockFormat));
  EXPECT_EQ(outcome(done), "1/1C/00");
  ASSERT_EQ(done.data.size(), 4 + want.size() * 8);
  EXPECT_EQ(done.data[1], 0x08 | kPhysicalSector);
}

// A block that was moved fails at its new place, and moves on.
TEST_F(Reassign, MovedBlock_MovesAgain) {
  prepare(105, 1);
  EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
  flaw_sector(spares()[0], FlawKind::kUnreadable);
  EXPECT_EQ(run(read_10(105, 1)), "3/11/00");
  EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
  expect_block(105, zeros());
  EXPECT_EQ(grown_list().size(), 2U);
}

// 9.2.10: HARDWARE ERROR, no defect spare location available; the first block not reassigned is in
// the command-specific information. Those before it are.
TEST_F(Reassign, MoreBlocksThanSpares_NamesTheFirstThatStays) {
  const std::size_t spare_count = spares().size();
  ASSERT_EQ(spare_count, 7U) << "8 and 2; two slips and a remap have used three";
  prepare(0, 30);
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < spare_count + 2; ++i) wanted.push_back(2 * i);
  const Completion done = execute(reassign_blocks(wanted));
  EXPECT_EQ(outcome(done), "4/32/00");
  EXPECT_EQ(big_endian(done.sense, 8, 4), 14U);
  EXPECT_EQ(information(done.sense), 14U);
  EXPECT_EQ(grown_list().size(), spare_count);
  expect_reads_back(0, 30);
  EXPECT_EQ(run(reassign_blocks({1})), "4/32/00");
}

// The spares of other zones are used when those of a block's own are.
TEST_F(Reassign, SparesOfTheOtherZone_AreUsedLast) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < 7; ++i) all.push_back(i);
  ASSERT_EQ(run(reassign_blocks(all)), "GOOD");
  EXPECT_EQ(run(reassign_blocks({200})), "4/32/00");
}

// An empty list is no error (9.2.10); nothing happens.
TEST_F(Reassign, NoBlocks_IsGood) {
  EXPECT_EQ(run(reassign_blocks({})), "GOOD");
  EXPECT_TRUE(grown_list().empty());
}

TEST_F(Reassign, BlockPastTheEnd_IsRefused_AndNoneMoves) {
  const Completion done = execute(reassign_blocks({5, capacity()}));
  EXPECT_EQ(outcome(done), "5/21/00");
  EXPECT_EQ(information(done.sense), capacity());
  EXPECT_TRUE(grown_list().empty());
}

struct BadList {
  const char* what;
  Bytes header;
  const char* pointer;  // SPC-2 7.20.3: SKSV, field pointer
};

TEST_F(Reassign, BadHeader_IsPointedAt) {
  const BadList lists[] = {
      {"reserved byte 0", {1, 0, 0, 4}, "80 00 00"},
      {"reserved byte 1", {0, 1, 0, 4}, "80 00 01"},
      {"no whole block", {0, 0, 0, 6}, "80 00 02"},
      {"more than 1,024 blocks", {0, 0, 0x10, 4}, "80 00 02"},
  };
  for (const BadList& list : lists) {
    const Completion done = execute(writes({0x07, 0, 0, 0, 0, 0}, list.header));
    EXPECT_EQ(outcome(done), "5/26/00") << list.what;
    EXPECT_EQ(specific(done.sense), list.pointer) << list.what;
  }
}

// More blocks than the drive takes from the bus at a time (256 bytes).
TEST_F(Reassign, LongList_ComesInPieces) {
  std::vector<std::uint32_t> blocks_named;
  for (std::uint32_t i = 0; i < 100; ++i) blocks_named.push_back(i + 10);
  EXPECT_EQ(run(reassign_blocks(blocks_named)), "4/32/00");
  EXPECT_EQ(grown_list().size(), 7U);
}

// A reassignment is a barrier, as START and STOP are: earlier commands have ended, and later ones
// wait.
TEST_F(Reassign, IsABarrier) {
  prepare(0, 64);
  std::vector<Ticket> before;
  for (std::uint16_t i = 0; i < 4; ++i) {
    before.push_back(submit(tagged(write_10(8U * i, blocks().write(8U * i, 8)), i)));
  }
  const Ticket reassign = submit(tagged(reassign_blocks({3, 12, 20}), 10));
  std::vector<Ticket> after;
  for (std::uint16_t i = 0; i < 4; ++i) {
    after.push_back(submit(tagged(read_10(8U * i, 8), static_cast<std::uint16_t>(20 + i))));
  }
  await_all();
  for (const Ticket ticket : before) {
    EXPECT_EQ(outcome(result(ticket)), "GOOD");
    EXPECT_LT(place(ticket), place(reassign));
  }
  EXPECT_EQ(outcome(result(reassign)), "GOOD");
  for (std::uint16_t i = 0; i < 4; ++i) {
    EXPECT_GT(place(after[i]), place(reassign));
    expect_data(result(after[i]), 8U * i, 8);
  }
}

// Only one such command is accepted at a time.
TEST_F(Reassign, SecondOne_GetsQueueFull_UntilTheFirstIsDone) {
  const Ticket first = submit(tagged(reassign_blocks({3}), 1));
  const Ticket second = submit(tagged(reassign_blocks({5}), 2));
  EXPECT_EQ(outcome(await(first)), "GOOD");
  EXPECT_EQ(outcome(await(second)), "QUEUE FULL");
  EXPECT_EQ(run(reassign_blocks({5})), "GOOD");
  EXPECT_EQ(grown_list().size(), 2U);
}

// Reported writes are on the media before.
TEST_F(Reassign, CachedWrites_AreOnTheMediaBefore) {
  const Bytes both_caches = {0x08, 18,   0x04, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF,
                             0xFF, 0xFF, 0,    3, 0,    50,   0, 0, 0,    0};
  ASSERT_EQ(run(mode_select_6(both_caches)), "GOOD");
  prepare(100, 10);
  EXPECT_EQ(run(write_10(100, blocks().write(100, 10))), "GOOD");
  EXPECT_EQ(run(reassign_blocks({105})), "GOOD");
  EXPECT_EQ(on_sector(spares()[0]), blocks().expected(105, 1));
  expect_reads_back(100, 10);
}

// After an abort at any point the block is whole: at its old place, or on its spare.
TEST_F(Reassign, AbortedAnywhere_LosesNothing) {
  prepare(100, 10);
  for (Picoseconds after = 0; after < 60 * kMillisecond; after += 3 * kMillisecond) {
    const Ticket ticket = submit(tagged(reassign_blocks({102, 105}), 1));
    run_for(after);
    manage(initiator::ManagementKind::kAbort);
    await_all();
    expect_reads_back(100, 10);
    if (outcome(result(ticket)) == "4/32/00") break;  // the spares are used up by now
  }
}

// ---------------------------------------------------------------------------------- the lists

class DefectData : public DefectBench {
 protected:
  void SetUp() override { power_on_ready(spared_setup()); }
};

// The primary list has the maker's defects: the design's slips and its remapped defect, as places.
TEST_F(DefectData, PrimaryList_HasTheMakersDefects) {
  // Positions 25, 26, 40 of a zone of 20 sectors and 2 heads.
  const std::vector<Place> want = {{0, 1, 5}, {0, 1, 6}, {1, 0, 0}};
  EXPECT_EQ(primary_list(), want);
  EXPECT_TRUE(grown_list().empty());
}

// 9.2.8: header byte 1 names the list; its length is that of the descriptors.
TEST_F(DefectData, Header_HasListsFormatAndLength) {
  ASSERT_EQ(run(reassign_blocks({105})), "GOOD");
  struct Case {
    bool primary, grown;
    std::uint8_t format;
    Bytes header;
  };
  const Case cases[] = {
      {false, false, kPhysicalSector, {0, 0x05, 0, 0}},
      {true, false, kPhysicalSector, {0, 0x15, 0, 24}},
      {false, true, kPhysicalSector, {0, 0x0D, 0, 8}},
      {true, true, kPhysicalSector, {0, 0x1D, 0, 32}},
      {true, true, kBytesFromIndex, {0, 0x1C, 0, 32}},
      {false, true, kBlockFormat, {0, 0x08, 0, 4}},
  };
  for (const Case& c : cases) {
    const Completion done = execute(read_defect_data_10(c.primary, c.grown, c.format));
    EXPECT_EQ(outcome(done), "GOOD");
    EXPECT_EQ(Bytes(done.data.begin(), done.data.begin() + 4), c.header);
  }
  const Completion in_12 = execute(read_defect_data_12(true, true, kPhysicalSector));
  EXPECT_EQ(outcome(in_12), "GOOD");
  EXPECT_EQ(Bytes(in_12.data.begin(), in_12.data.begin() + 8), (Bytes{0, 0x1D, 0, 0, 0, 0, 0, 32}));
  EXPECT_EQ(in_12.data.size(), 40U);
  const Completion in_10 = execute(read_defect_data_10(true, true, kPhysicalSector));
  EXPECT_TRUE(std::equal(in_12.data.begin() + 8, in_12.data.end(), in_10.data.begin() + 4));
}

TEST_F(DefectData, BlockFormat_NamesBlocks) {
  ASSERT_EQ(run(reassign_blocks({105, 20, 270})), "GOOD");
  const Completion done = execute(read_defect_data_10(false, true, kBlockFormat));
  EXPECT_EQ(outcome(done), "GOOD");
  EXPECT_EQ(
      done.data,
      joined(
          {{0, 0x08, 0, 12}, block_descriptor(20), block_descriptor(105), block_descriptor(270)}));
}

// Bytes from the index: the mark that the sector begins at, times the raw bytes of a sector.
TEST_F(DefectData, BytesFromIndex_AreThoseOfTheSectorsMark) {
  ASSERT_EQ(run(reassign_blocks({105})), "GOOD");
  const Completion done = execute(read_defect_data_10(false, true, kBytesFromIndex));
  const auto at = platform().geometry().locate(105);
  const std::uint32_t raw_bytes = platform().surface().layout().raw_bytes;
  EXPECT_EQ(done.data,
            joined({{0, 0x0C, 0, 8}, place_descriptor(at.cylinder, at.head, at.mark * raw_bytes)}));
}

// 9.2.8: the drive replaces an unsupported format by its own, and reports that after the data.
TEST_F(DefectData, FormatThatCannotBeGiven_IsReplaced_WithARecoveredError) {
  for (const std::uint8_t format : {kBlockFormat, std::uint8_t{6}, std::uint8_t{1}}) {
    const Completion done = execute(read_defect_data_10(true, false, format));
    EXPECT_EQ(outcome(done), "1/1C/00") << int{format};
    ASSERT_EQ(done.data.size(), 4 + 24U);
    EXPECT_EQ(done.data[1], 0x15);
    EXPECT_EQ(run(test_unit_ready()), "GOOD");
  }
}

// The allocation length cuts the data, not the length in the header.
TEST_F(DefectData, AllocationLength_CutsTheDataOnly) {
  const Completion done = execute(read_defect_data_10(true, false, kPhysicalSector, 7));
  EXPECT_EQ(done.data, (Bytes{0, 0x15, 0, 24, 0, 0, 0}));
  EXPECT_EQ(execute(read_defect_data_10(true, false, kPhysicalSector, 0)).data.size(), 0U);
}

}  // namespace
}  // namespace headstack::scenario
