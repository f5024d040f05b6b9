// SPDX-License-Identifier: Apache-2.0
// READ DEFECT DATA (SCSI-2 9.2.8; the 12-byte form SBC-2 5.13): lists that are longer than the
// drive's room for data, which comes in pieces.
#include <algorithm>

#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

constexpr uint32_t kDescriptorBytes = 8;
constexpr uint8_t kPrimary = 0x10, kGrown = 0x08, kPhysicalSector = 5;

class ScsiDefectDataTest : public ScsiBusFixture {
 protected:
  /// All data of a command.
  Bytes data_of(const Bytes& cdb) {
    Bytes all;
    for (const std::string& line : connect({0xC0}, cdb)) {
      if (line.rfind("DI ", 0) != 0) continue;
      const Bytes piece = parse_hex(line.substr(3));
      all.insert(all.end(), piece.begin(), piece.end());
    }
    return all;
  }
  /// Table 110: cylinder, head, sector.
  static void append(Bytes& data, const defect_place& at) {
    for (const unsigned shift : {16, 8, 0}) {
      data.push_back(static_cast<uint8_t>(at.cylinder >> shift));
    }
    data.push_back(static_cast<uint8_t>(at.head));
    for (const unsigned shift : {24, 16, 8, 0}) {
      data.push_back(static_cast<uint8_t>(at.sector >> shift));
    }
  }
};

// Lengths on both sides of the limit: 1,024 bytes with the header, and pieces after them.
TEST_F(ScsiDefectDataTest, ListOfAnyLength_IsWhole) {
  for (const std::size_t header : {4U, 8U}) {
    for (const uint32_t count : {0U, 126U, 127U, 128U, 129U, 255U, 256U, 400U}) {
      SCOPED_TRACE(testing::Message() << header << ' ' << count);
      core_.primary.clear();
      core_.grown.clear();
      const uint32_t bytes = count * kDescriptorBytes;
      Bytes expected(header);
      expected[1] = kPrimary | kGrown | kPhysicalSector;
      expected[header - 2] = static_cast<uint8_t>(bytes >> 8);
      expected[header - 1] = static_cast<uint8_t>(bytes);
      for (uint32_t i = 0; i < count; ++i) {
        const defect_place at = {DEFECT_TRACK, 70'000 + i, i % 4, 1'000 + 3 * i, 0};
        (i < count / 2 ? core_.primary : core_.grown).push_back(at);
        append(expected, at);
      }
      core_.count_defects();
      const uint8_t lists = kPrimary | kGrown | kPhysicalSector;
      const Bytes ten = {0x37, 0, lists, 0, 0, 0, 0, 0xFF, 0xFF, 0};
      const Bytes twelve = {0xB7, lists, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0};
      EXPECT_TRUE(data_of(header == 4 ? ten : twelve) == expected);
    }
  }
}

// ---- the bus between pieces

/// 400 entries: 3,204 bytes, in three pieces of 1,024 and one of 132.
class ScsiDefectPieces : public ScsiDefectDataTest {
 protected:
  static constexpr uint8_t kLists = kPrimary | kPhysicalSector;
  const Bytes kCdb = {0x37, 0, kLists, 0, 0, 0, 0, 0xFF, 0xFF, 0};

  void SetUp() override {
    ScsiDefectDataTest::SetUp();
    expected_ = {0, kLists, 0x0C, 0x80};
    for (uint32_t i = 0; i < 400; ++i) {
      core_.primary.push_back({DEFECT_TRACK, i, i % 4, 7 * i, 0});
      append(expected_, core_.primary.back());
    }
    core_.count_defects();
  }
  /// Runs as far as the first bus free. Then another device wins the arbitration.
  Lines first_piece() {
    bus_.answer_reselect = false;
    Lines log = connect({0xC0, 0x20, 9}, kCdb);
    bus_.abandon_reselection();
    return log;
  }
  Lines go_on() {
    bus_.answer_reselect = true;
    bus_.run();
    return bus_.take_log();
  }
  static Bytes data_in(const Lines& log) {
    Bytes all;
    for (const std::string& line : log) {
      if (line.rfind("DI ", 0) != 0) continue;
      const Bytes piece = parse_hex(line.substr(3));
      all.insert(all.end(), piece.begin(), piece.end());
    }
    return all;
  }
  static int64_t count(const Lines& log, const std::string& line) {
    return std::count(log.begin(), log.end(), line);
  }

  Bytes expected_;
};

// SCSI-2 6.6.20, 6.6.4: the pointers are saved before DISCONNECT, because data are still to come.
TEST_F(ScsiDefectPieces, DriveLeavesTheBusBetweenThem) {
  const Lines log = connect({0xC0, 0x20, 9}, kCdb);
  EXPECT_EQ(data_in(log), expected_);
  EXPECT_EQ(count(log, "MI 02 04"), 3);
  EXPECT_EQ(count(log, "RESEL 7"), 3);
  EXPECT_EQ(count(log, "MI 80 20 09"), 3);
  EXPECT_EQ(count(log, "ST 00"), 1);
  EXPECT_EQ(tasks_.count, 0);
}

TEST_F(ScsiDefectPieces, EachEntryIsMadeOnce_AndOneAcrossTwoPiecesTwice) {
  connect({0xC0}, kCdb);
  EXPECT_EQ(core_.primary_asked, 400U + 3U);
  core_.primary_asked = 0;
  connect({0xC0}, {0x37, 0, kLists, 0, 0, 0, 0, 0, 4, 0});
  EXPECT_EQ(core_.primary_asked, 0U) << "the header has no entry";
  connect({0xC0}, {0x37, 0, kLists, 0, 0, 0, 0, 0, 20, 0});
  EXPECT_EQ(core_.primary_asked, 2U);
}

TEST_F(ScsiDefectPieces, UntaggedList_ReconnectsByIdentifyAlone) {
  const Lines log = connect({0xC0}, kCdb);
  EXPECT_EQ(data_in(log), expected_);
  EXPECT_EQ(count(log, "MI 80"), 3);
}

TEST_F(ScsiDefectPieces, OthersAreServedBetweenThem) {
  const Lines first = first_piece();
  EXPECT_EQ(data_in(first).size(), 1024U);
  EXPECT_EQ(first.back(), "FREE");
  EXPECT_EQ(core_.replies.size(), 1U);
  const Lines other = connect({0xC0}, {0x12, 0, 0, 0, 36, 0}, kOther);
  EXPECT_EQ(count(other, "ST 00"), 1) << "INQUIRY overwrites the room for data";
  Bytes all = data_in(first);
  const Bytes rest = data_in(go_on());
  all.insert(all.end(), rest.begin(), rest.end());
  EXPECT_EQ(all, expected_);
}

// Two lists at a time: each has its own position.
TEST_F(ScsiDefectPieces, TwoListsOfTwoHosts_AreBothWhole) {
  core_.checks_order = false;
  const Lines first = first_piece();
  const Lines second = connect({0xC0, 0x20, 9}, kCdb, kOther);
  EXPECT_EQ(tasks_.count, 2);
  const Lines rest = go_on();
  EXPECT_EQ(data_in(first).size() + data_in(second).size() + data_in(rest).size(),
            2 * expected_.size());
  EXPECT_EQ(count(rest, "ST 00"), 2);
  EXPECT_EQ(tasks_.count, 0);
}

TEST_F(ScsiDefectPieces, WithoutThePrivilegeToLeave_AllComeAtOnce) {
  const Lines log = connect({0x80}, kCdb);
  EXPECT_EQ(data_in(log), expected_);
  EXPECT_EQ(count(log, "RESEL 7"), 0);
}

// SCSI-2 6.6.14: DISCONNECT is rejected. The drive stays, and does not ask again.
TEST_F(ScsiDefectPieces, RejectedDisconnect_KeepsTheBusToTheEnd) {
  answer_message(MESSAGE_SAVE_DATA_POINTER, {MESSAGE_REJECT});
  const Lines log = connect({0xC0, 0x20, 9}, kCdb);
  EXPECT_EQ(data_in(log), expected_);
  EXPECT_EQ(count(log, "MI 02 04"), 1);
  EXPECT_EQ(count(log, "RESEL 7"), 0);
  EXPECT_EQ(count(log, "ST 00"), 1);
  EXPECT_EQ(tasks_.count, 0);
}

// SCSI-2 8.3.3.2: DTDC forbids to disconnect within the data.
TEST_F(ScsiDefectPieces, WithDtdc_AllComeAtOnce) {
  for (const uint8_t dtdc : {1, 3}) {
    mode_select({0x02, 14, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, dtdc, 0, 0, 0});
    const Lines log = connect({0xC0, 0x20, 9}, kCdb);
    EXPECT_EQ(data_in(log), expected_);
    EXPECT_EQ(count(log, "RESEL 7"), 0);
  }
}

TEST_F(ScsiDefectPieces, WithoutRoomForATask_AllComeAtOnce) {
  tasks_.limit = 0;
  const Lines log = connect({0xC0, 0x20, 9}, kCdb);
  EXPECT_EQ(data_in(log), expected_);
  EXPECT_EQ(count(log, "RESEL 7"), 0);
}

// SCSI-2 6.6.1, 6.6.2: the nexus has ended, and no reselection follows.
TEST_F(ScsiDefectPieces, AbortBetweenThem_EndsTheList) {
  for (const Bytes& end : {Bytes{0xC0, 0x06}, Bytes{0xC0, 0x20, 9, 0x0D}, Bytes{0xC0, 0x0E}}) {
    first_piece();
    ASSERT_EQ(tasks_.count, 1);
    bus_.message_out.assign(end.begin(), end.end());
    bus_.select(kHost);
    bus_.run();
    bus_.take_log();
    EXPECT_EQ(tasks_.count, 0);
    EXPECT_TRUE(data_in(go_on()).empty());
  }
}

TEST_F(ScsiDefectPieces, ResetBetweenThem_EndsTheList) {
  first_piece();
  bus_.reset();
  bus_.run();
  EXPECT_EQ(tasks_.count, 0);
}

// SCSI-2 7.5.2: the nexus is in use until the status.
TEST_F(ScsiDefectPieces, SameTagBetweenThem_IsAnOverlappedCommand) {
  first_piece();
  const Lines log = connect({0xC0, 0x20, 9}, {0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0});
  EXPECT_EQ(count(log, "ST 02"), 1);
  EXPECT_EQ(tasks_.count, 0);
  EXPECT_EQ(request_sense(), "B/4E/00");
}

// SCSI-2 9.2.8: the drive does not support format 3. It sends its own format, and then reports that
// by sense data.
TEST_F(ScsiDefectPieces, ReplacedFormat_IsReportedAfterAllPieces) {
  const Lines log = connect({0xC0, 0x20, 9}, {0x37, 0, kPrimary | 3, 0, 0, 0, 0, 0xFF, 0xFF, 0});
  EXPECT_EQ(data_in(log), expected_);
  EXPECT_EQ(count(log, "RESEL 7"), 3);
  EXPECT_EQ(count(log, "ST 02"), 1);
  EXPECT_EQ(request_sense().substr(0, 4), "1/1C");
}

}  // namespace
}  // namespace headstack::firmware
