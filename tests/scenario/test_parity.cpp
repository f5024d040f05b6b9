// SPDX-License-Identifier: Apache-2.0
// A byte with wrong parity in each phase: who detects it, the reaction, and that no data are
// damaged (SCSI-2 6.1.9.2, 6.6.10, 6.6.13, 6.6.19).
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

using bus::Phase;
using initiator::ParityFault;

class Parity : public DriveBench, public testing::WithParamInterface<const char*> {
 protected:
  static Command with_faults(Command command, std::vector<ParityFault> faults) {
    command.parity_faults = std::move(faults);
    return command;
  }
  void power_on_with(const std::string& agreement) {
    Setup setup = plain_setup();
    if (agreement == "Narrow") setup.hosts = {host_config(initiator::kFast10Narrow)};
    if (agreement == "Wide") setup.hosts = {host_config(initiator::kFast10Wide)};
    power_on_ready(setup);
  }
};

// SCSI-2 6.6.19: after RESTORE POINTERS the command is sent again.
TEST_P(Parity, CommandByte_IsSentAgain) {
  power_on_with(GetParam());
  prepare(300, 4);
  const Completion done = execute(with_faults(tagged(read_10(300, 4), 9), {{Phase::kCommand, 4}}));
  expect_data(done, 300, 4);
  EXPECT_EQ(done.parity_errors, 0U) << "the drive saw it, not the host";
}

// SPC-2 annex C: a persistent error ends in CHECK CONDITION, B/47/00 SCSI parity error.
TEST_P(Parity, CommandByte_AgainAndAgain_IsAborted) {
  power_on_with(GetParam());
  const ParityFault fault = {Phase::kCommand, 0};
  EXPECT_EQ(run(with_faults(test_unit_ready(), {fault, fault, fault, fault})), "B/47/00");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

// SCSI-2 6.1.9.2: in MESSAGE OUT all of the phase's messages are sent again.
TEST_P(Parity, MessageOutByte_IsSentAgain) {
  power_on_with(GetParam());
  prepare(300, 2);
  for (const std::uint32_t byte : {0U, 1U, 2U}) {  // IDENTIFY, tag code, tag
    expect_data(execute(with_faults(tagged(read_10(300, 2), 5), {{Phase::kMessageOut, byte}})), 300,
                2);
  }
}

// SPC-2 annex C: B/47/00. The bad block must not reach the media.
TEST_P(Parity, DataOutByte_AbortsTheWrite_AndItsBlockStaysOld) {
  power_on_with(GetParam());
  const Bytes before = prepare(400, 8);
  const Bytes after = blocks().write(400, 8);
  const std::uint32_t bad = 5 * kBlockBytes + 100;
  EXPECT_EQ(run(with_faults(write_10(400, after), {{Phase::kDataOut, bad}})), "B/47/00");
  expect_old_or_new(400, before, after);
  EXPECT_EQ(peek(405, 3), Bytes(before.begin() + 5 * kBlockBytes, before.end()))
      << "the block with the bad byte, and those after it";
  EXPECT_EQ(run(write_10(400, after)), "GOOD");
  expect_reads_back(400, 8);
}

// The first and the last byte of the data are checked like the others.
TEST_P(Parity, DataOutByte_AtTheEdges_AbortsTheWrite) {
  power_on_with(GetParam());
  const Bytes before = prepare(400, 2);
  const Bytes after = blocks().write(400, 2);
  for (const std::uint32_t byte : {0U, 1U, 2 * kBlockBytes - 1}) {
    SCOPED_TRACE(byte);
    EXPECT_EQ(run(with_faults(write_10(400, after), {{Phase::kDataOut, byte}})), "B/47/00");
    expect_old_or_new(400, before, after);
  }
  EXPECT_EQ(run(write_10(400, after)), "GOOD");
  expect_reads_back(400, 2);
}

// A parameter list with a bad byte changes no parameter.
TEST_P(Parity, ParameterListByte_AbortsModeSelect) {
  power_on_with(GetParam());
  const Bytes before = execute(mode_sense_6(0x01)).data;
  const Command select = mode_select_6({0x01, 0x0A, 0, 3, 0, 0, 0, 0, 8, 0, 0, 0});
  EXPECT_EQ(run(with_faults(select, {{Phase::kDataOut, 7}})), "B/47/00");
  EXPECT_EQ(execute(mode_sense_6(0x01)).data, before);
}

// SCSI-2 6.6.10: after INITIATOR DETECTED ERROR the drive ends the command: B/48/00.
TEST_P(Parity, DataInByte_SeenByTheHost_EndsTheCommand_AndAgainIsGood) {
  power_on_with(GetParam());
  prepare(500, 6);
  const Completion done =
      execute(with_faults(read_10(500, 6), {{Phase::kDataIn, 3 * kBlockBytes}}));
  EXPECT_EQ(outcome(done), "B/48/00");
  EXPECT_EQ(done.parity_errors, 1U);
  expect_reads_back(500, 6);
}

TEST_P(Parity, DataInByteOfInquiry_SeenByTheHost_EndsTheCommand) {
  power_on_with(GetParam());
  EXPECT_EQ(run(with_faults(inquiry(), {{Phase::kDataIn, 20}})), "B/48/00");
  EXPECT_EQ(run(inquiry()), "GOOD");
}

// SCSI-2 6.6.10: a status with bad parity is ignored. The next one has the reason.
TEST_P(Parity, StatusByte_DetectedByTheHost_CausesInitiatorDetectedError) {
  power_on_with(GetParam());
  EXPECT_EQ(run(with_faults(test_unit_ready(), {{Phase::kStatus, 0}})), "B/48/00");
  prepare(500, 1);
  EXPECT_EQ(run(with_faults(read_10(500, 1), {{Phase::kStatus, 0}})), "B/48/00");
  expect_reads_back(500, 1);
}

// SCSI-2 6.6.13: after MESSAGE PARITY ERROR the drive repeats the message.
TEST_P(Parity, MessageInByte_SeenByTheHost_IsRepeated) {
  power_on_with(GetParam());
  prepare(2000, 4);
  // The first byte of a MESSAGE IN phase: here DISCONNECT, or COMMAND COMPLETE.
  const Completion done =
      execute(with_faults(tagged(read_10(2000, 4), 3), {{Phase::kMessageIn, 0}}));
  expect_data(done, 2000, 4);
  EXPECT_EQ(done.parity_errors, 1U);
  EXPECT_EQ(run(with_faults(test_unit_ready(), {{Phase::kMessageIn, 0}})), "GOOD");
}

INSTANTIATE_TEST_SUITE_P(Scenario, Parity, testing::Values("Async", "Narrow", "Wide"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace headstack::scenario
