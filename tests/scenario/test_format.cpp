// SPDX-License-Identifier: Apache-2.0
// FORMAT UNIT (SCSI-2 9.2.1): it takes the media's time, and other commands wait. The grown list
// follows its bits. Afterwards all blocks are readable, or none.
#include "tests/scenario/defect_bench.hpp"

namespace headstack::scenario {
namespace {

using initiator::ManagementKind;
using media::FlawKind;

constexpr Picoseconds kLong = 20 * kPicosecondsPerSecond;
constexpr std::uint32_t kTracks = 16;

class Format : public DefectBench {
 protected:
  void SetUp() override {
    Setup setup = spared_setup();
    setup.hosts.push_back(host_config(initiator::kFast10Wide, 6));
    power_on_ready(setup);
  }

  std::string format(Command command) { return outcome(await(submit(std::move(command)), kLong)); }
  /// Expects this content in every block.
  void expect_all(const Bytes& block) {
    const Completion done = execute(read_10(0, capacity()));
    EXPECT_EQ(outcome(done), "GOOD");
    ASSERT_EQ(done.data.size(), capacity() * kBlockBytes);
    for (std::uint32_t lba = 0; lba < capacity(); ++lba) {
      const auto at = done.data.begin() + static_cast<std::ptrdiff_t>(lba) * kBlockBytes;
      ASSERT_TRUE(std::equal(block.begin(), block.end(), at)) << "block " << lba;
    }
  }
  /// A command of another host during a format.
  std::string other(Command command) { return run(std::move(command), 1); }
};

class FormatOfASmallBuffer : public Format {
 protected:
  void SetUp() override {
    Setup setup = spared_setup();
    setup.description.design.buffer_bytes = 64 * kBlockBytes;
    power_on_ready(setup);
  }
};

/// A drive that keeps mode pages, defects and the state of a format.
class FormatOfAStoredDrive : public Format {
 protected:
  void SetUp() override {
    Setup setup = spared_setup();
    setup.description.design.zones[0].spares += 4;
    setup.description.design.zones[0].remaps = {};
    setup.description.design.zones[0].store_sectors = 4;
    power_on_ready(setup);
  }
};

// ----------------------------------------------------------------------------------- effects

TEST_F(Format, WithoutData_WritesZerosEverywhere) {
  prepare(0, capacity());
  EXPECT_EQ(format(format_unit()), "GOOD");
  expect_all(zeros());
  for (std::uint32_t lba = 0; lba < capacity(); ++lba) {
    ASSERT_TRUE(platform().surface().media().is_written(home(lba))) << "block " << lba;
  }
  EXPECT_TRUE(used_spares().empty());
  EXPECT_EQ(run(write_10(0, blocks().write(0, 50))), "GOOD");
  expect_reads_back(0, 50);
}

// A track is written in a revolution and read back in another. A head switch (0.5 ms and 0.3 ms of
// settling; skew 2 of 20 sectors) or a seek leads to the next.
TEST_F(Format, TakesTheMediasTime) {
  const Completion certified = execute(format_unit());
  EXPECT_EQ(outcome(certified), "GOOD");
  const Picoseconds service = certified.times.status - certified.times.command_sent;
  EXPECT_GT(service, 2 * kTracks * kRevolution);
  EXPECT_LT(service, 4 * kTracks * kRevolution);
  const Completion plain = execute(format_unit(false, kBlockFormat, kFov | kDcrt));
  EXPECT_EQ(outcome(plain), "GOOD");
  const Picoseconds uncertified = plain.times.status - plain.times.command_sent;
  EXPECT_GT(uncertified, kTracks * kRevolution);
  EXPECT_LT(uncertified, 2 * kTracks * kRevolution);
}

// The buffer gives it 16 sectors, a track has 20. Each sector's room is used again as soon as it is
// written, and no revolution is lost. A track takes a revolution, and the skew to the next one: 2
// sectors between heads, 5 between cylinders, at most 16 a revolution. The first sector and the
// remapped one take a revolution each, and so does the way back.
TEST_F(FormatOfASmallBuffer, TakesTheMediasTime) {
  const Completion plain = execute(format_unit(false, kBlockFormat, kFov | kDcrt));
  EXPECT_EQ(outcome(plain), "GOOD");
  constexpr std::uint32_t kSkewSectors = kTracks / 2 * (2 + 5);
  EXPECT_LT(plain.times.status - plain.times.command_sent,
            (kTracks + 3) * kRevolution + kSkewSectors * kRevolution / 16);
}

// Table 114: a pattern of 1 byte up to a block, repeated in each block.
TEST_F(Format, Pattern_IsInEveryBlock) {
  for (const std::size_t length : {std::size_t{1}, std::size_t{5}, std::size_t{512}}) {
    Bytes pattern(length);
    for (std::size_t i = 0; i < length; ++i) pattern[i] = static_cast<std::uint8_t>(length + 3 * i);
    Bytes block(kBlockBytes);
    for (std::size_t i = 0; i < kBlockBytes; ++i) block[i] = pattern[i % length];
    EXPECT_EQ(format(format_unit(false, kBlockFormat, kFov | kIp, {}, repeat_pattern(pattern))),
              "GOOD");
    expect_all(block);
  }
}

TEST_F(Format, DefaultPattern_IsZeros) {
  EXPECT_EQ(format(format_unit(false, kBlockFormat, kFov | kIp, {}, {0, 0, 0, 0})), "GOOD");
  expect_all(zeros());
}

// Certification finds and replaces flawed sectors, both hard and marginal ones.
TEST_F(Format, Certification_ReplacesFlawedSectors) {
  flaw_block(7, FlawKind::kUnreadable);
  flaw_block(100, FlawKind::kCorrectable, 1);
  flaw_block(capacity() - 1, FlawKind::kUnreadable);
  EXPECT_EQ(format(format_unit()), "GOOD");
  expect_all(zeros());
  const std::vector<Place> want = {place_of(home(7)), place_of(home(100)),
                                   place_of(home(capacity() - 1))};
  EXPECT_EQ(grown_list(), want);
  EXPECT_EQ(used_spares().size(), 3U);
  // The pattern is on the spares, too.
  for (const media::SectorIndex spare : used_spares()) EXPECT_EQ(on_sector(spare), zeros());
}

TEST_F(Format, WithoutCertification_FlawsStay) {
  flaw_block(7, FlawKind::kUnreadable);
  EXPECT_EQ(format(format_unit(false, kBlockFormat, kFov | kDcrt)), "GOOD");
  EXPECT_EQ(run(read_10(7, 1)), "3/11/00");
  EXPECT_TRUE(grown_list().empty());
}

// All blocks of a track: its first and its last are the edges of what is certified at a time.
TEST_F(Format, Certification_ManyFlawsOnATrack) {
  for (const std::uint32_t lba : {0U, 1U, 2U, 18U, 19U}) flaw_block(lba, FlawKind::kUnreadable);
  EXPECT_EQ(format(format_unit()), "GOOD");
  expect_all(zeros());
  EXPECT_EQ(grown_list().size(), 5U);
}

// No spare is left: the rest is still formatted, and the sense data name the first such block.
TEST_F(Format, MoreFlawsThanSpares_FormatsTheRest) {
  for (std::uint32_t i = 0; i < 9; ++i) flaw_block(10 * i, FlawKind::kUnreadable);
  const Completion done = execute(format_unit());
  EXPECT_EQ(outcome(done), "4/32/00");
  EXPECT_EQ(information(done.sense), 70U) << "seven spares took blocks 0 to 60";
  // SCSI-2 9.2.10: that is the block at which REASSIGN BLOCKS stopped.
  EXPECT_EQ(big_endian(done.sense, 8, 4), 0U) << "command-specific information";
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  EXPECT_EQ(run(read_10(0, 70)), "GOOD");
  EXPECT_EQ(run(read_10(70, 1)), "3/11/00");
  EXPECT_EQ(run(read_10(71, 9)), "GOOD");
  EXPECT_EQ(run(read_10(80, 1)), "3/11/00");
  EXPECT_EQ(run(read_10(81, capacity() - 81)), "GOOD");
}

// ----------------------------------------------------------------------------------- the grown
// list

class FormatLists : public Format {
 protected:
  /// Two blocks have moved, 5 and 105.
  void grow() { ASSERT_EQ(run(reassign_blocks({5, 105})), "GOOD"); }
  std::vector<Place> homes(const std::vector<std::uint32_t>& lbas) {
    std::vector<Place> places;
    for (const std::uint32_t lba : lbas) places.push_back(place_of(home(lba)));
    return places;
  }
};

// SCSI-2 6.6.8: on a wide bus the data of a command are one stream of words. Two bytes share a word
// also where the drive takes the list in pieces.
TEST_F(FormatLists, DescriptorsAfterAPatternOfOddLength_NameTheirBlocks) {
  for (const std::size_t length : {std::size_t{1}, std::size_t{5}, std::size_t{511}}) {
    const Bytes pattern(length, 0x5A);
    EXPECT_EQ(format(format_unit(true, kBlockFormat, kFov | kIp | kDcrt,
                                 joined({block_descriptor(3), block_descriptor(0x104)}),
                                 repeat_pattern(pattern))),
              "GOOD");
    EXPECT_EQ(grown_list(), homes({3, 0x104}));
    expect_all(Bytes(kBlockBytes, 0x5A));
  }
}

struct ListCase {
  const char* what;
  std::optional<bool> complete;  // CMPLST; nothing: FMTDATA 0
  std::vector<std::uint32_t> listed;
  std::vector<std::uint32_t> grown;  // afterwards
};

// Table 112 and its notes: FMTDATA 0 keeps the list, CMPLST 0 adds to it, CMPLST 1 begins a new
// one.
TEST_F(FormatLists, GrownList_FollowsTheBits) {
  const ListCase cases[] = {
      {"FMTDATA 0", std::nullopt, {}, {5, 105}},
      {"CMPLST 0, no list", false, {}, {5, 105}},
      {"CMPLST 0, a list", false, {20, 200}, {5, 20, 105, 200}},
      {"CMPLST 1, a list", true, {20, 201}, {20, 201}},
      {"CMPLST 1, no list", true, {}, {}},
  };
  for (const ListCase& c : cases) {
    ASSERT_EQ(format(format_unit(true, kBlockFormat, 0)), "GOOD");
    grow();
    std::vector<Bytes> descriptors;
    for (const std::uint32_t lba : c.listed) descriptors.push_back(block_descriptor(lba));
    const Bytes list = joined(descriptors);
    EXPECT_EQ(format(c.complete ? format_unit(*c.complete, kBlockFormat, 0, list) : format_unit()),
              "GOOD");
    EXPECT_EQ(grown_list(), homes(c.grown)) << c.what;
    expect_all(zeros());
  }
}

// A discarded defect's sector is used again.
TEST_F(FormatLists, DiscardedList_ReleasesTheSectors) {
  grow();
  EXPECT_EQ(format(format_unit(true, kBlockFormat, 0)), "GOOD");
  const Bytes data = blocks().write(105, 1);
  EXPECT_EQ(run(write_10(105, data)), "GOOD");
  EXPECT_EQ(on_sector(home(105)), data);
}

// 9.2.1.1: the same defects by place; blocks after them do not move.
TEST_F(FormatLists, PhysicalSectors_AreAvoided) {
  const Bytes list =
      joined({place_descriptor(0, 0, 3), place_descriptor(2, 1, 19), place_descriptor(7, 0, 0)});
  EXPECT_EQ(format(format_unit(true, kPhysicalSector, kFov | kDcrt, list)), "GOOD");
  const std::vector<Place> want = {{0, 0, 3}, {2, 1, 19}, {7, 0, 0}};
  EXPECT_EQ(grown_list(), want);
  expect_all(zeros());
  EXPECT_EQ(used_spares().size(), 3U);
}

// A defect may be named by any byte of its sector. The list returns the sector's first byte.
TEST_F(FormatLists, BytesFromIndex_NameTheSectorThatTheyAreIn) {
  const auto place = [&](std::uint32_t lba) { return platform().geometry().locate(lba); };
  const std::uint32_t raw = platform().surface().layout().raw_bytes;
  const auto first = place(30);  // a skewed track: its first sector is not at the index
  const auto second = place(200);
  const Bytes list =
      joined({place_descriptor(first.cylinder, first.head, first.mark * raw + raw - 1),
              place_descriptor(second.cylinder, second.head, second.mark * raw + 1)});
  EXPECT_EQ(format(format_unit(true, kBytesFromIndex, kFov | kDcrt, list)), "GOOD");
  EXPECT_EQ(grown_list(), homes({30, 200}));
}

// FFFFFFFFh: the whole track (9.2.1.1). This drive has 7 spares, and a track 16 sectors.
TEST_F(FormatLists, WholeTrack_NeedsASpareForEachOfItsBlocks) {
  const Completion done = await(
      submit(format_unit(true, kPhysicalSector, kFov | kDcrt, place_descriptor(5, 1, 0xFFFF'FFFF))),
      kLong);
  EXPECT_EQ(outcome(done), "4/32/00");
  const auto track = platform().geometry().content({5, 1, 0}).lba;
  EXPECT_EQ(information(done.sense), track + 7);
  EXPECT_EQ(grown_list().size(), 7U);
}

// A list from READ DEFECT DATA can be sent back.
TEST_F(FormatLists, ListReadBack_MakesTheSameFormat) {
  grow();
  for (const std::uint8_t list_format : {kBlockFormat, kBytesFromIndex, kPhysicalSector}) {
    const Completion list = execute(read_defect_data_10(false, true, list_format));
    ASSERT_EQ(outcome(list), "GOOD");
    const auto before = grown_list();
    const Bytes descriptors(list.data.begin() + 4, list.data.end());
    EXPECT_EQ(format(format_unit(true, list_format, kFov | kDcrt, descriptors)), "GOOD");
    EXPECT_EQ(grown_list(), before);
  }
}

// Defects that the maker knew, defects of spares, and defects named twice.
TEST_F(FormatLists, KnownDefects_AreNotCountedAgain) {
  const Place spare = place_of(spares()[1]);
  const Bytes list =
      joined({place_descriptor(0, 1, 5),  // slipped
              place_descriptor(1, 0, 0),  // remapped by the maker
              place_descriptor(std::get<0>(spare), std::get<1>(spare), std::get<2>(spare)),
              place_descriptor(0, 0, 3), place_descriptor(0, 0, 3)});
  EXPECT_EQ(format(format_unit(true, kPhysicalSector, kFov | kDcrt, list)), "GOOD");
  const std::vector<Place> want = {{0, 0, 3}, spare};
  EXPECT_EQ(grown_list(), want);
  EXPECT_EQ(used_spares(), std::set<media::SectorIndex>{spares()[0]});
}

// More descriptors than come in one piece (256 bytes).
TEST_F(FormatLists, LongList_IsTakenWhole) {
  std::vector<Bytes> descriptors;
  for (std::uint32_t i = 0; i < 150; ++i) descriptors.push_back(place_descriptor(0, 0, i % 5));
  EXPECT_EQ(format(format_unit(true, kPhysicalSector, kFov | kDcrt, joined(descriptors))), "GOOD");
  EXPECT_EQ(grown_list().size(), 5U);
}

// ----------------------------------------------------------------------------------- refused
// formats

struct Refused {
  const char* what;
  std::uint8_t cdb_1;
  Bytes list;
  const char* sense;
  const char* pointer;  // SPC-2 7.20.3: SKSV, C/D, BPV and bit; byte
};

// Tables 112 to 115: the medium stays unchanged.
TEST_F(Format, BadFields_ArePointedAt_AndNothingIsFormatted) {
  const Bytes before = prepare(0, capacity());
  const Refused cases[] = {
      {"CMPLST without a list", 0x08, {}, "5/24/00", "C0 00 01"},
      {"a format without a list", 0x05, {}, "5/24/00", "C0 00 01"},
      {"reserved format 1", 0x11, {}, "5/24/00", "C0 00 01"},
      {"vendor's format 6", 0x16, {}, "5/24/00", "C0 00 01"},
      {"reserved byte of the header", 0x10, {1, 0, 0, 0}, "5/26/00", "80 00 00"},
      {"DPRY", 0x10, {0, kFov | kDpry, 0, 0}, "5/26/00", "8E 00 01"},
      {"DPRY without FOV", 0x10, {0, kDpry, 0, 0}, "5/26/00", "8E 00 01"},
      {"DCRT without FOV", 0x10, {0, kDcrt, 0, 0}, "5/26/00", "8D 00 01"},
      {"STPF without FOV", 0x10, {0, kStpf, 0, 0}, "5/26/00", "8C 00 01"},
      {"IP without FOV", 0x10, {0, kIp, 0, 0}, "5/26/00", "8B 00 01"},
      {"DSP without FOV", 0x10, {0, kDsp, 0, 0}, "5/26/00", "8A 00 01"},
      {"two of them: the higher", 0x10, {0, kStpf | kDsp, 0, 0}, "5/26/00", "8C 00 01"},
      {"vendor's bit", 0x10, {0, kFov | 0x01, 0, 0}, "5/26/00", "88 00 01"},
      {"no whole block", 0x10, {0, 0, 0, 3}, "5/26/00", "80 00 02"},
      {"no whole place", 0x15, {0, 0, 0, 4}, "5/26/00", "80 00 02"},
      {"more than 1,024 places", 0x15, {0, 0, 0x20, 8}, "5/26/00", "80 00 02"},
      {"block past the end", 0x10, {0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 9, 9}, "5/26/00", "80 00 08"},
      {"cylinder past the end", 0x15, {0, 0, 0, 8, 0, 0, 8, 0, 0, 0, 0, 0}, "5/26/00", "80 00 04"},
      {"head past the end", 0x15, {0, 0, 0, 8, 0, 0, 7, 2, 0, 0, 0, 0}, "5/26/00", "80 00 07"},
      {"sector past the end", 0x15, {0, 0, 0, 8, 0, 0, 7, 1, 0, 0, 0, 16}, "5/26/00", "80 00 08"},
      {"byte past the end", 0x14, {0, 0, 0, 8, 0, 0, 7, 1, 0, 1, 0, 0}, "5/26/00", "80 00 08"},
      {"IP modifier", 0x10, {0, kFov | kIp, 0, 0, 0x40, 1, 0, 1}, "5/26/00", "80 00 04"},
      {"pattern type", 0x10, {0, kFov | kIp, 0, 0, 0, 2, 0, 1}, "5/26/00", "80 00 05"},
      {"pattern of 0 bytes", 0x10, {0, kFov | kIp, 0, 0, 0, 1, 0, 0}, "5/26/00", "80 00 06"},
      {"pattern of 513", 0x10, {0, kFov | kIp, 0, 0, 0, 1, 2, 1}, "5/26/00", "80 00 06"},
      {"default pattern of 1", 0x10, {0, kFov | kIp, 0, 0, 0, 0, 0, 1}, "5/26/00", "80 00 06"},
  };
  for (const Refused& c : cases) {
    const Bytes cdb = {0x04, c.cdb_1, 0, 0, 0, 0};
    const Completion done = execute(c.list.empty() ? plain(cdb) : writes(cdb, c.list));
    EXPECT_EQ(outcome(done), c.sense) << c.what;
    EXPECT_EQ(specific(done.sense), c.pointer) << c.what;
  }
  const Completion interleaved = execute(plain({0x04, 0, 0, 0, 2, 0}));
  EXPECT_EQ(outcome(interleaved), "5/24/00");
  EXPECT_EQ(specific(interleaved.sense), "C0 00 03");
  EXPECT_EQ(peek(0, capacity()), before);
  EXPECT_TRUE(grown_list().empty());
}

// Options that are allowed, and without effect here: STPF, as the lists are always available;
// interleave 1.
TEST_F(Format, HarmlessOptions_AreAllowed) {
  EXPECT_EQ(format(format_unit(false, kBlockFormat, kFov | kStpf | kDcrt)), "GOOD");
  EXPECT_EQ(format(plain({0x04, 0, 0, 0, 1, 0})), "GOOD");
}

// DSP 0 saves the mode parameters, DSP 1 does not (9.2.1).
TEST_F(FormatOfAStoredDrive, DisableSavingParameters_KeepsSavedPages) {
  const auto saved_retries = [&] { return execute(mode_sense_6(0x01, Values::kSaved)).data[7]; };
  set_recovery(0, 3);
  EXPECT_EQ(format(format_unit(false, kBlockFormat, kFov | kDcrt | kDsp)), "GOOD");
  EXPECT_EQ(saved_retries(), 8);
  EXPECT_EQ(format(format_unit(false, kBlockFormat, kFov | kDcrt)), "GOOD");
  EXPECT_EQ(saved_retries(), 3);
}

// Without a store there are no saved parameters (SCSI-2 9.2.1): a reset brings the default ones.
TEST_F(Format, WithoutAStore_SavesNothing) {
  set_recovery(0, 3);
  EXPECT_EQ(format(format_unit(false, kBlockFormat, kFov | kDcrt)), "GOOD");
  EXPECT_EQ(execute(mode_sense_6(0x01)).data[7], 3);
  await(manage(ManagementKind::kBusDeviceReset));
  EXPECT_EQ(run(test_unit_ready()), "6/29/03");
  EXPECT_EQ(execute(mode_sense_6(0x01)).data[7], 8);
}

// -------------------------------------------------------------------------------- during a format

// 9.2.1: INQUIRY and REQUEST SENSE are answered. Everything else is NOT READY, format in progress,
// with the progress; the same for all initiators.
TEST_F(Format, OtherCommands_ReportFormatInProgress) {
  const Ticket ticket = submit(format_unit());
  run_for(8 * kRevolution);
  EXPECT_EQ(other(inquiry()), "GOOD");
  EXPECT_EQ(other(report_luns()), "GOOD");
  const Completion sense = execute(request_sense(), 1);
  EXPECT_EQ(outcome(sense), "GOOD");
  EXPECT_EQ(sense_text(sense.data), "2/04/04");
  for (const Command& command :
       {test_unit_ready(), read_10(0, 1), write_10(0, zeros()), mode_sense_6(0x3F),
        read_capacity_10(), start_stop(false), format_unit(), reassign_blocks({1}),
        send_diagnostic(true), log_sense(3), read_defect_data_10(true, true, kPhysicalSector)}) {
    EXPECT_EQ(other(command), "2/04/04") << int{command.cdb[0]};
  }
  EXPECT_FALSE(is_done(ticket));
  EXPECT_EQ(outcome(await(ticket, kLong)), "GOOD");
  EXPECT_EQ(other(test_unit_ready()), "6/28/00") << "the medium may have changed";
  EXPECT_EQ(other(test_unit_ready()), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "GOOD") << "whoever formatted knows";
}

// SCSI-2 8.2.14.2: a failure after the status is a deferred error (71h) of a later command.
TEST_F(Format, Immediate_ThatFails_IsADeferredError) {
  for (std::uint32_t i = 0; i < 9; ++i) flaw_block(10 * i, FlawKind::kUnreadable);
  EXPECT_EQ(run(format_unit(false, kBlockFormat, kImmed)), "GOOD");
  std::optional<Completion> told;
  run_until(
      [&] {
        const Completion done = execute(test_unit_ready());
        if (outcome(done) == "2/04/04") return false;
        told = done;
        return true;
      },
      kLong, 10 * kMillisecond);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(outcome(*told), "4/32/00");
  EXPECT_EQ(told->sense[0] & 0x7F, 0x71);
  EXPECT_EQ(information(told->sense), 70U) << "seven spares took blocks 0 to 60";
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

// IMMED: the status comes when the list is there, and the host that sent it gets the progress.
TEST_F(Format, Immediate_StatusComesAtOnce_ProgressRises) {
  const Completion done = execute(format_unit(false, kBlockFormat, kImmed));
  EXPECT_EQ(outcome(done), "GOOD");
  EXPECT_LT(done.times.status - done.times.command_sent, 5 * kMillisecond);
  EXPECT_EQ(run(test_unit_ready()), "2/04/04");
  std::uint32_t last = 0;
  for (int i = 0; i < 5; ++i) {
    run_for(5 * kRevolution);  // A track is written and read back, a latency before each.
    const Completion sense = execute(request_sense());
    EXPECT_EQ(sense_text(sense.data), "2/04/04");
    ASSERT_EQ(sense.data[15], 0x80) << "SKSV";
    const std::uint32_t progress = big_endian(sense.data, 16, 2);
    EXPECT_GT(progress, last);
    last = progress;
  }
  run_until([&] { return run(test_unit_ready()) == "GOOD"; }, kLong, 10 * kMillisecond);
  expect_all(zeros());
}

// A format is a barrier: earlier commands end first, with their data in place.
TEST_F(Format, WaitsForEarlierCommands) {
  prepare(0, 64);
  const Ticket read = submit(tagged(read_10(0, 64), 1));
  const Ticket write = submit(tagged(write_10(100, blocks().write(100, 8)), 2));
  const Ticket ticket = submit(tagged(format_unit(), 3));
  EXPECT_EQ(outcome(await(ticket, kLong)), "GOOD");
  EXPECT_LT(place(read), place(ticket));
  EXPECT_LT(place(write), place(ticket));
  EXPECT_EQ(outcome(result(write)), "GOOD");
  expect_data(result(read), 0, 64);
  expect_all(zeros());
}

// ----------------------------------------------------------------------------------------- cut
// short

enum class Cut { kAbort, kBusDeviceReset, kBusReset };

struct CutCase {
  const char* what;
  Cut cut;
  bool immediate;
};

class FormatCut : public Format, public testing::WithParamInterface<CutCase> {
 protected:
  void cut() {
    switch (GetParam().cut) {
      case Cut::kAbort: manage(ManagementKind::kAbort); break;
      case Cut::kBusDeviceReset: manage(ManagementKind::kBusDeviceReset); break;
      case Cut::kBusReset: host().reset_bus(); break;
    }
    run_for(100 * kMillisecond);
  }
  /// The outcome of a command after unit attentions of a reset.
  std::string after(const Command& command) {
    const std::string first = run(command);
    return first.substr(0, 2) == "6/" ? run(command) : first;
  }
};

// Until it is formatted, no block can be read: 3/31/00, medium format corrupted, for every
// initiator, wherever it was cut. Seeded: twelve points of the 330 ms that it takes.
TEST_P(FormatCut, Anywhere_MediaAccessIsRefused_UntilFormatted) {
  constexpr std::uint32_t kSeed = 2024;
  std::uint32_t random = kSeed;
  for (int i = 0; i < 12; ++i) {
    random = random * 1664525U + 1013904223U;
    const Picoseconds when = (1 + random % 320) * kMillisecond + random % 1000 * kMicrosecond;
    const std::uint8_t options = GetParam().immediate ? kImmed : 0;
    submit(format_unit(false, kBlockFormat, options));
    run_for(when);
    cut();
    await_all();
    ASSERT_EQ(after(test_unit_ready()), "3/31/00") << "seed " << kSeed << ", cut at " << when;
    EXPECT_EQ(run(read_10(0, 1)), "3/31/00");
    EXPECT_EQ(run(write_10(0, zeros())), "3/31/00");
    EXPECT_EQ(run(reassign_blocks({1})), "3/31/00");
    EXPECT_EQ(run(inquiry()), "GOOD");
    EXPECT_EQ(run(mode_sense_6(0x3F)), "GOOD");
  }
  EXPECT_EQ(format(format_unit(true, kBlockFormat, kFov | kDcrt)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_all(zeros());
}

INSTANTIATE_TEST_SUITE_P(Scenario, FormatCut,
                         testing::Values(CutCase{"ByAbort", Cut::kAbort, false},
                                         CutCase{"ByBusDeviceReset", Cut::kBusDeviceReset, false},
                                         CutCase{"ByBusReset", Cut::kBusReset, false},
                                         CutCase{"Immediate_ByBusDeviceReset", Cut::kBusDeviceReset,
                                                 true},
                                         CutCase{"Immediate_ByBusReset", Cut::kBusReset, true}),
                         [](const auto& test) { return std::string(test.param.what); });

// A format that is aborted before it begins, behind a task that it waits for, has no effect.
TEST_F(Format, AbortedWhileItWaits_LeavesEverythingAsItWas) {
  const Bytes before = prepare(0, capacity());
  const Ticket read = submit(tagged(read_10(0, capacity()), 1));
  run_for(kMillisecond);
  const Ticket ticket = submit(tagged(format_unit(), 2));
  run_for(2 * kMillisecond);
  ASSERT_FALSE(is_done(read));
  manage(ManagementKind::kAbortTag, 2);
  await_all();
  EXPECT_NE(outcome(result(ticket)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  EXPECT_EQ(peek(0, capacity()), before);
}

// An initiator's ABORT does not touch a format whose status it has.
TEST_F(Format, Immediate_IsNotAborted) {
  EXPECT_EQ(run(format_unit(false, kBlockFormat, kImmed | kFov | kDcrt)), "GOOD");
  run_for(5 * kRevolution);
  manage(ManagementKind::kAbort);
  run_until([&] { return run(test_unit_ready()) == "GOOD"; }, kLong, 10 * kMillisecond);
  expect_all(zeros());
}

// A format of a stopped spindle is refused as NOT READY.
TEST_F(Format, StoppedSpindle_IsNotReady) {
  ASSERT_EQ(run(start_stop(false)), "GOOD");
  EXPECT_EQ(run(format_unit()), "2/04/02");
  EXPECT_EQ(run(send_diagnostic(true)), "2/04/02");
  ASSERT_EQ(run(start_stop(true)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  EXPECT_EQ(format(format_unit(false, kBlockFormat, kFov | kDcrt)), "GOOD");
}

// A format queued behind a STOP that is under way ends with that, and the medium stays unchanged.
TEST_F(Format, AfterAStop_DoesNotBegin) {
  const Bytes before = prepare(0, capacity());
  const Ticket stop = submit(tagged(start_stop(false), 1));
  const Ticket ticket = submit(tagged(format_unit(), 2));
  await_all();
  EXPECT_EQ(outcome(result(stop)), "GOOD");
  EXPECT_EQ(outcome(result(ticket)), "2/04/02");
  ASSERT_EQ(run(start_stop(true)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  EXPECT_EQ(peek(0, capacity()), before);
}

// An initiator that does not let it disconnect does not hold the bus for so long. The format goes
// on and the status says so. After BUSY a host could rely on its blocks (SCSI-2 7.3: BUSY means
// that the command was not accepted).
TEST_F(Format, WithoutDisconnection_ReportsFormatInProgress) {
  Command command = format_unit(false, kBlockFormat, kFov | kDcrt);
  command.may_disconnect = false;
  EXPECT_EQ(run(command), "2/04/04");
  EXPECT_EQ(run(test_unit_ready()), "2/04/04");
  run_until([&] { return run(test_unit_ready()) == "GOOD"; }, kLong, 10 * kMillisecond);
  expect_all(zeros());
}

// A reassignment is short and must not be repeated, so it keeps the bus.
TEST_F(Format, ReassignmentWithoutDisconnection_KeepsTheBus) {
  prepare(100, 10);
  Command command = reassign_blocks({105});
  command.may_disconnect = false;
  EXPECT_EQ(run(command), "GOOD");
  expect_reads_back(100, 10);
  EXPECT_EQ(grown_list().size(), 1U);
  Command diagnostic = send_diagnostic(true);
  diagnostic.may_disconnect = false;
  EXPECT_EQ(run(diagnostic), "GOOD");
}

}  // namespace
}  // namespace headstack::scenario
