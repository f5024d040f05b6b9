// SPDX-License-Identifier: Apache-2.0
// Every command once. Its data are checked against the clause and the drive's description.
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

class Commands : public DriveBench {};

std::string text(const Bytes& bytes, std::size_t at, std::size_t count) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(at),
          bytes.begin() + static_cast<std::ptrdiff_t>(at + count)};
}

TEST_F(Commands, RequestSense_WithNothingToReport_IsNoSense) {
  power_on_ready();
  const Completion done = execute(request_sense(252));
  EXPECT_EQ(outcome(done), "GOOD");
  ASSERT_EQ(done.data.size(), 18U);
  EXPECT_EQ(done.data[0], 0x70) << "current, fixed format, INFORMATION not valid: SPC-2 7.20.2";
  EXPECT_EQ(done.data[7], 10) << "bytes after this one";
  EXPECT_EQ(sense_text(done.data), "0/00/00");
}

// SPC-2 7.3.2, table 46.
TEST_F(Commands, Inquiry_DescribesTheDrive) {
  power_on_ready();
  const Completion done = execute(inquiry());
  EXPECT_EQ(outcome(done), "GOOD");
  ASSERT_GE(done.data.size(), 36U);
  EXPECT_EQ(done.data[0], 0x00) << "direct access, connected";
  EXPECT_EQ(done.data[1] & 0x80, 0) << "not removable";
  EXPECT_EQ(done.data[2], 0x07) << "SPC-5: hosts ask for duration limits";
  EXPECT_EQ(done.data[3] & 0x0F, 2) << "response data format";
  EXPECT_EQ(done.data[4], done.data.size() - 5) << "additional length";
  EXPECT_EQ(done.data[7], 0x32) << "WBUS16, SYNC, CMDQUE";
  EXPECT_EQ(text(done.data, 8, 8), "HEADSTK ");
  EXPECT_EQ(text(done.data, 16, 16), "Scenario Drive  ") << "the description's name";
}

// SPC-2 4.2.5: the allocation length limits the data, and is no error.
TEST_F(Commands, Inquiry_ReturnsNoMoreThanAllocated) {
  power_on_ready();
  for (const unsigned allocation : {0U, 1U, 5U, 36U}) {
    const Completion done = execute(inquiry(static_cast<std::uint8_t>(allocation)));
    EXPECT_EQ(outcome(done), "GOOD");
    EXPECT_EQ(done.data.size(), allocation);
    EXPECT_EQ(done.bytes_beyond, 0U);
  }
}

// SPC-2 8.4: pages 00h, 80h, 83h.
TEST_F(Commands, VitalProductData_IdentifiesTheDriveTheSameInAllPages) {
  power_on_ready();
  EXPECT_EQ(execute(inquiry_page(0x00)).data, (Bytes{0, 0x00, 0, 4, 0x00, 0x80, 0x83, 0x87}));
  const Bytes serial = execute(inquiry_page(0x80)).data;
  ASSERT_GT(serial.size(), 4U);
  EXPECT_EQ(serial[1], 0x80);
  EXPECT_EQ(serial[3], serial.size() - 4);
  const Bytes identification = execute(inquiry_page(0x83)).data;
  ASSERT_GT(identification.size(), 16U);
  EXPECT_EQ(identification[1], 0x83);
  EXPECT_EQ(identification[3], identification.size() - 4);
  EXPECT_EQ(identification[4] & 0x0F, 2) << "ASCII";
  EXPECT_EQ(identification[5], 0x01) << "T10 vendor identification, of the logical unit";
  EXPECT_EQ(identification[7], identification.size() - 8);
  EXPECT_EQ(text(identification, 8, 8), "HEADSTK ");
  EXPECT_EQ(text(identification, 16, identification.size() - 16),
            text(serial, 4, serial.size() - 4));
}

// SPC-2 7.19: the list has 8 bytes, and they are LUN 0.
TEST_F(Commands, ReportLuns_NamesLogicalUnitZeroOnly) {
  power_on_ready();
  EXPECT_EQ(execute(report_luns()).data, (Bytes{0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

// SBC-2 5.10, 5.11: the last block's address, not the count.
TEST_F(Commands, ReadCapacity_HasLastBlockAndBlockLength) {
  power_on_ready();
  const Bytes short_form = execute(read_capacity_10()).data;
  ASSERT_EQ(short_form.size(), 8U);
  EXPECT_EQ(big_endian(short_form, 0, 4), 2159U) << "30 x 2 x 20 + 30 x 2 x 16 blocks";
  EXPECT_EQ(big_endian(short_form, 4, 4), 512U);
  const Bytes long_form = execute(read_capacity_16()).data;
  ASSERT_EQ(long_form.size(), 12U);
  EXPECT_EQ(big_endian(long_form, 0, 4), 0U);
  EXPECT_EQ(big_endian(long_form, 4, 4), 2159U);
  EXPECT_EQ(big_endian(long_form, 8, 4), 512U);
}

TEST_F(Commands, ReadsOfAllLengths_ReturnTheMediasData) {
  power_on_fast();
  prepare(1190, 20);  // over the end of a track, a cylinder and a zone
  expect_data(execute(read_6(1190, 20)), 1190, 20);
  expect_data(execute(read_10(1191, 19)), 1191, 19);
  expect_data(execute(read_16(1199, 2)), 1199, 2);
  expect_reads_back(500, 3);  // never written: zeros, as formatted
}

TEST_F(Commands, WritesOfAllLengths_ReachTheMediaAndNothingElse) {
  power_on_fast();
  prepare(1180, 60);
  EXPECT_EQ(run(write_6(1190, blocks().write(1190, 20))), "GOOD");
  EXPECT_EQ(run(write_10(1215, blocks().write(1215, 1))), "GOOD");
  EXPECT_EQ(run(write_16(1220, blocks().write(1220, 18))), "GOOD");
  EXPECT_EQ(blocks().first_difference(peek(1180, 60), blocks().expected(1180, 60), 1180),
            std::nullopt)
      << "neighbours too";
  expect_reads_back(1180, 60);
}

TEST_F(Commands, FirstAndLastBlock_AreWrittenAndRead) {
  power_on_fast();
  for (const std::uint32_t lba : {std::uint32_t{0}, capacity() - 1}) {
    EXPECT_EQ(run(write_10(lba, blocks().write(lba, 1))), "GOOD");
    expect_reads_back(lba, 1);
  }
}

// SBC-2 5.5, 5.24: a length of 0 in the 6-byte commands is 256 blocks.
TEST_F(Commands, Read6AndWrite6_LengthZeroIs256Blocks) {
  power_on_fast();
  prepare(999, 258);
  EXPECT_EQ(run(write_6(1000, blocks().write(1000, 256))), "GOOD");
  EXPECT_EQ(blocks().first_difference(peek(999, 258), blocks().expected(999, 258), 999),
            std::nullopt);
  expect_data(execute(read_6(1000, 256)), 1000, 256);
}

// SBC-2 5.6, 5.25: a length of 0 in the others is no block, and no error.
TEST_F(Commands, LengthZeroOfTheOthers_MovesNothing) {
  power_on_ready();
  const Bytes before = prepare(10, 1);
  for (Command command : {read_10(10, 0), read_16(10, 0), write_10(10, {}), write_16(10, {})}) {
    if (command.direction == initiator::Direction::kIn) command.length = kBlockBytes;
    const Completion done = execute(command);
    EXPECT_EQ(outcome(done), "GOOD");
    EXPECT_EQ(done.bytes_moved, 0U);
  }
  EXPECT_EQ(run(verify_10(10, 0)), "GOOD");
  EXPECT_EQ(peek(10, 1), before);
}

// SBC-2 5.20, BYTCHK 0: the medium is read, no data moves.
TEST_F(Commands, Verify_ReadsTheBlocks) {
  power_on_ready();
  prepare(100, 20);
  const Completion done = execute(verify_10(100, 20));
  EXPECT_EQ(outcome(done), "GOOD");
  EXPECT_EQ(done.bytes_moved, 0U);
  // Twenty sectors of a track of twenty are a revolution: 10 ms at 6000 rpm.
  EXPECT_GE(done.times.status - done.times.command_sent, 10 * kMillisecond);
}

// SBC-2 5.18: when it ends, everything written before is on the medium.
TEST_F(Commands, SynchronizeCache_EndsWhenOlderWritesAreOnTheMedia) {
  power_on_fast();
  const Ticket first = submit(tagged(write_10(1500, blocks().write(1500, 16)), 1));
  const Ticket second = submit(tagged(write_10(40, blocks().write(40, 16)), 2));
  const Ticket flush = submit(tagged(synchronize_cache(), 3));
  EXPECT_EQ(outcome(await(flush)), "GOOD");
  for (const std::uint32_t lba : {1500U, 40U}) {
    EXPECT_EQ(blocks().first_difference(peek(lba, 16), blocks().expected(lba, 16), lba),
              std::nullopt);
  }
  EXPECT_EQ(outcome(await(first)), "GOOD");
  EXPECT_EQ(outcome(await(second)), "GOOD");
  EXPECT_EQ(run(synchronize_cache(100, 8)), "GOOD");
}

// SCSI-2 9.2.12, 9.2.11: whole unit. A second reservation by the holder changes nothing.
TEST_F(Commands, ReserveAndRelease_AreGoodForTheirHolder) {
  power_on_ready();
  EXPECT_EQ(run(plain({0x16, 0, 0, 0, 0, 0})), "GOOD");
  EXPECT_EQ(run(plain({0x16, 0, 0, 0, 0, 0})), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  EXPECT_EQ(run(plain({0x17, 0, 0, 0, 0, 0})), "GOOD");
}

// SPC-3 6.4.1: the allocation length of INQUIRY has 16 bits.
TEST_F(Commands, Inquiry_WithALongAllocation_ReturnsAllOfIt) {
  power_on_ready();
  const Completion done = execute(reads({0x12, 0, 0, 1, 0, 0}, 256));
  EXPECT_EQ(outcome(done), "GOOD");
  EXPECT_EQ(done.data.size(), 74U);
  EXPECT_EQ(execute(reads({0x12, 1, 0x83, 1, 0, 0}, 256)).data, execute(inquiry_page(0x83)).data);
}

}  // namespace
}  // namespace headstack::scenario
