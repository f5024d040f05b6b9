// SPDX-License-Identifier: Apache-2.0
// Mistakes of hosts, one row each: the sense data, and no other effect.
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

using testing::Message;

struct BadCommand {
  const char* what;
  Command command;
  const char* sense;
  std::optional<std::uint32_t> block = std::nullopt;  // INFORMATION
  std::optional<std::uint32_t> field = std::nullopt;  // field pointer
};

/// Field pointer of ILLEGAL REQUEST (SPC-2 7.20.3), if SKSV is set.
std::optional<std::uint32_t> field_pointer(const Bytes& sense) {
  if (sense.size() < 18 || (sense[15] & 0x80U) == 0) return std::nullopt;
  return big_endian(sense, 16, 2);
}

Command on_lun(Command command, std::uint8_t lun) {
  command.lun = lun;
  return command;
}

Command no_data(Command command) {
  command.direction = initiator::Direction::kNone;
  command.length = 0;
  return command;
}

class BadCommands : public DriveBench {
 protected:
  void expect_rows(const std::vector<BadCommand>& rows) {
    for (const BadCommand& row : rows) {
      SCOPED_TRACE(row.what);
      const Completion done = execute(row.command);
      EXPECT_EQ(outcome(done), row.sense);
      EXPECT_EQ(information(done.sense), row.block);
      if (row.field) {
        EXPECT_EQ(field_pointer(done.sense), row.field);
      }
      EXPECT_EQ(run(test_unit_ready()), "GOOD") << "it is over with that";
    }
  }
};

TEST_F(BadCommands, EachKindOfBadCdb_HasItsSense) {
  power_on_ready();
  expect_rows({
      // SPC-2 annex C: 20/00 invalid command operation code, whatever length its group has.
      {"unknown opcode, 6 bytes", plain({0x02, 0, 0, 0, 0, 0}), "5/20/00"},
      {"unknown opcode, 10 bytes", plain({0x3E, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "5/20/00"},
      {"unknown opcode, 12 bytes", plain({0xAF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "5/20/00"},
      {"vendor opcode", plain({0xC0, 0, 0, 0, 0, 0}), "5/20/00"},
      // 24/00 invalid field in CDB; the field pointer names the byte.
      {"reserved bit", plain({0x00, 0x01, 0, 0, 0, 0}), "5/24/00", {}, 1},
      {"reserved byte", plain({0x00, 0, 0, 0, 1, 0}), "5/24/00", {}, 4},
      {"LINK", plain({0x00, 0, 0, 0, 0, 0x01}), "5/24/00", {}, 5},
      {"NACA", plain({0x00, 0, 0, 0, 0, 0x04}), "5/24/00", {}, 5},
      {"RELADR", no_data(reads({0x28, 0x01, 0, 0, 0, 0, 0, 0, 1, 0}, 0)), "5/24/00", {}, 1},
      {"BYTCHK", plain({0x2F, 0x02, 0, 0, 0, 0, 0, 0, 1, 0}), "5/24/00", {}, 1},
      {"LOEJ", plain({0x1B, 0, 0, 0, 0x03, 0}), "5/24/00", {}, 4},
      {"LBA without PMI", reads({0x25, 0, 0, 0, 0, 1, 0, 0, 0, 0}, 8), "5/24/00", {}, 5},
      {"BYTCHK of a write", write_and_verify(0, {}, true), "5/24/00", {}, 1},
      {"EBP", plain({0xAA, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "5/24/00", {}, 1},
      {"third party", plain({0x56, 0x10, 0, 0, 0, 0, 0, 0, 0, 0}), "5/24/00", {}, 1},
      {"PREVENT of a changer", plain({0x1E, 0, 0, 0, 2, 0}), "5/24/00", {}, 4},
      // SCSI-2 8.2.8, 8.2.10: nothing can be saved on a drive without a store.
      {"SP", mode_select_6({}, true), "5/24/00", {}, 1},
      {"SP, 10 bytes", mode_select_10({}, true), "5/24/00", {}, 1},
      {"PC 3", mode_sense_6(0x01, Values::kSaved), "5/39/00"},
      {"PC 3, all pages, 10 bytes", mode_sense_10(0x3F, Values::kSaved), "5/39/00"},
      {"page without EVPD", reads({0x12, 0, 0x80, 0, 255, 0}, 255), "5/24/00", {}, 2},
      {"VPD page that is not there", inquiry_page(0x81), "5/24/00", {}, 2},
      {"mode page that is not there", mode_sense_6(0x05), "5/24/00", {}, 2},
      {"REPORT LUNS with no room", report_luns(15), "5/24/00", {}, 6},
      {"service action",
       reads({0x9E, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0}, 12),
       "5/24/00",
       {},
       1},
      // 25/00 logical unit not supported (SPC-2 7.3.2: INQUIRY is the exception).
      {"bad LUN", on_lun(test_unit_ready(), 1), "5/25/00"},
      {"bad LUN, media", on_lun(read_10(0, 1), 7), "5/25/00"},
  });
  EXPECT_EQ(execute(on_lun(inquiry(), 1)).data.at(0), 0x7F) << "nothing there: SPC-2 table 47";
}

TEST_F(BadCommands, EachKindOfBadParameterList_HasItsSense) {
  power_on_ready();
  // IC, with which an initiator takes over the cache's control, is not supported.
  const Bytes caching_by_the_initiator = {0x08, 0x12, 0x81, 0, 0, 0, 0, 0, 0, 0,
                                          0,    0,    0,    0, 0, 0, 0, 0, 0, 0};
  expect_rows({
      // SPC-2 annex C: 1A/00 parameter list length error.
      {"ends inside the header", writes({0x15, 0x10, 0, 0, 3, 0}, Bytes(3)), "5/1A/00"},
      {"ends inside a page's header", mode_select_6({0x01}), "5/1A/00"},
      {"ends inside a page", mode_select_6({0x01, 0x0A, 0, 8}), "5/1A/00"},
      {"longer than any list", writes({0x55, 0x10, 0, 0, 0, 0, 0, 8, 0, 0}, Bytes(2048)),
       "5/1A/00"},
      // 26/00 invalid field in parameter list; the field pointer names the byte of the list.
      {"page that is not there", mode_select_6({0x05, 0x02, 0, 0}), "5/26/00", {}, 4},
      {"page of another length", mode_select_6({0x01, 0x06, 0, 8, 0, 0, 0, 0}), "5/26/00", {}, 5},
      {"bit that cannot change", mode_select_6(caching_by_the_initiator), "5/26/00", {}, 6},
      {"medium type", writes({0x15, 0x10, 0, 0, 4, 0}, {0, 1, 0, 0}), "5/26/00", {}, 1},
      {"another block length",
       writes({0x15, 0x10, 0, 0, 12, 0}, {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 4, 0}),
       "5/26/00",
       {},
       9},
      // PF 0 (SCSI-2 8.2.8): pages are checked in the same way.
      {"page that is not there, PF 0",
       writes({0x15, 0, 0, 0, 6, 0}, {0, 0, 0, 0, 5, 0}),
       "5/26/00",
       {},
       4},
  });
}

// SBC-2 4.1: 21/00 from the first block that does not exist on; the last existing one is accepted.
TEST_F(BadCommands, EachKindOfBadBlockAddress_HasItsSense) {
  power_on_fast();
  const std::uint32_t end = capacity();
  const Bytes last = prepare(end - 1, 1);
  const Bytes two_blocks(2 * kBlockBytes);
  expect_rows({
      {"READ(6) past the end", read_6(end, 1), "5/21/00", end},
      {"READ(6), highest address", read_6(0x1FFFFF, 1), "5/21/00", 0x1FFFFF},
      {"READ(6) one block too far", read_6(end - 1, 2), "5/21/00", end},
      {"READ(6), 256 by length 0, one too far", read_6(end - 255, 256), "5/21/00", end},
      {"READ(10) past the end", read_10(end, 1), "5/21/00", end},
      {"READ(10), highest address", read_10(0xFFFFFFFF, 1), "5/21/00", 0xFFFFFFFF},
      {"READ(10) one block too far", read_10(end - 1, 2), "5/21/00", end},
      {"READ(16) past the end", read_16(end, 1), "5/21/00", end},
      {"READ(16) one block too far", read_16(end - 1, 2), "5/21/00", end},
      {"READ(16), more than 32 bits", no_data(read_16(std::uint64_t{1} << 32, 1)), "5/21/00"},
      {"WRITE(6) one block too far", write_6(end - 1, two_blocks), "5/21/00", end},
      {"WRITE(10) one block too far", write_10(end - 1, two_blocks), "5/21/00", end},
      {"WRITE(16) past the end", write_16(end, two_blocks), "5/21/00", end},
      {"VERIFY(10) one block too far", verify_10(end - 1, 2), "5/21/00", end},
      {"SYNCHRONIZE CACHE past the end", synchronize_cache(end, 1), "5/21/00", end},
  });
  EXPECT_EQ(peek(end - 1, 1), last) << "a write that does not fit writes nothing";
  expect_reads_back(end - 1, 1);
  EXPECT_EQ(run(verify_10(end - 1, 1)), "GOOD");
  EXPECT_EQ(run(write_6(end - 1, blocks().write(end - 1, 1))), "GOOD");
  expect_reads_back(end - 1, 1);
  expect_data(execute(read_6(end - 256, 256)), end - 256, 256);
}

}  // namespace
}  // namespace headstack::scenario
