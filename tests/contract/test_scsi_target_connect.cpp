// SPDX-License-Identifier: Apache-2.0
// scsi_target, connections: selection, reselection, arbitration, reset; see test_scsi_target.cpp.
#include "tests/contract/scsi_target_script.hpp"

namespace headstack::contract {
namespace {

initiator::Config host(std::uint8_t id) {
  initiator::Config config;
  config.id = id;
  config.times.selection_time_out_ps = 50 * kPicosecondsPerMicrosecond;
  config.times.reset_to_arbitration_ps = 5 * kPicosecondsPerMicrosecond;
  return config;
}
Command test_unit_ready() {
  Command command;
  command.cdb = {0, 0, 0, 0, 0, 0};
  return command;
}
Command tagged(std::uint16_t tag) {
  Command command = test_unit_ready();
  command.tag_type = initiator::TagType::kSimple;
  command.tag = tag;
  return command;
}

TEST(ScsiTargetConnect, NotEnabled_IsNotSelected) {
  expect_alike(
      [](Script& s) {
        s.enable(false);
        s.submit(test_unit_ready());
        EXPECT_EQ(s.await(12'000), 0U);
        s.bench().step(200);
        ASSERT_TRUE(s.completion(0));
        EXPECT_EQ(s.completion(0)->outcome, initiator::Outcome::kSelectionTimeOut);
      },
      {host(7)});
}

TEST(ScsiTargetConnect, EnabledDuringTheSelection_Answers) {
  expect_alike(
      [](Script& s) {
        s.enable(false);
        s.submit(test_unit_ready());
        s.bench().step(600);
        s.enable();
        EXPECT_EQ(s.await(), IntrState::kSelectedMask);
        s.messages();
        s.get(Phase::kCommand, 6);
        s.complete();
      },
      {host(7)});
}

// SCSI-2 6.1.2: ids 7 .. 0; the target has 2. A reselection coincides with a selection.
class ScsiTargetDuel : public testing::TestWithParam<std::tuple<unsigned, unsigned>> {};

TEST_P(ScsiTargetDuel, ReselectionAgainstSelection) {
  const auto [id, wait] = GetParam();
  expect_alike(
      [id = id, wait = wait](Script& s) {
        s.submit(tagged(1));
        s.take_command(6);
        s.disconnect();
        s.bench().step(300);
        s.submit(tagged(2));
        s.bench().step(wait);
        std::uint32_t events = s.reselect(id);
        if ((events & IntrState::kArbitrationLostMask) != 0) {
          if ((events & IntrState::kSelectedMask) == 0) s.await();
          s.messages();
          s.get(Phase::kCommand, 6);
          s.disconnect();
          s.reselect(id);
        }
        s.put(Phase::kMessageIn, {0x80});
        s.put(Phase::kMessageIn, {0x20, 1});
        s.complete();
        s.await(2'000);
        s.bench().step(200);
      },
      {host(static_cast<std::uint8_t>(id))});
}
INSTANTIATE_TEST_SUITE_P(Moments, ScsiTargetDuel,
                         testing::Combine(testing::Values(7U, 1U),
                                          testing::Values(0U, 1U, 5U, 60U, 110U, 150U, 170U,
                                                          200U)));

TEST(ScsiTargetConnect, BothWaitForTheBus) {
  expect_alike(
      [](Script& s) {
        s.submit(tagged(1));
        s.submit(tagged(2), 1);
        s.take_command(6);
        s.put(Phase::kMessageIn, {0x04});
        s.release();  // the other host is on its way; the reselection has to wait or fight
        s.reselect(7);
        s.await(2'000);
        s.messages();
        s.get(Phase::kCommand, 6);
        s.disconnect();
        if (s.reselect(7) == IntrState::kReselectedMask) {
          s.put(Phase::kMessageIn, {0x80});
          s.put(Phase::kMessageIn, {0x20, 1});
          s.complete();
        }
      },
      {host(7), host(1)});
}

TEST(ScsiTargetConnect, NobodyToReselect_AbortGivesUp) {
  expect_alike(
      [](Script& s) {
        for (const unsigned wait : {0U, 20U, 60U, 170U, 1000U}) {
          s.command(Op::kReselect, 5);
          s.bench().step(wait);
          s.command(Op::kAbort);
          s.await();
          s.bench().step(100);
        }
      },
      {host(7)});
}

TEST(ScsiTargetConnect, OperationsOutOfPlace) {
  expect_alike(
      [](Script& s) {
        s.command(Op::kRelease);
        EXPECT_EQ(s.await(), IntrState::kDisconnectedMask);
        s.start(Phase::kStatus, 3);
        EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
        EXPECT_EQ(s.bench().read(regs::Residue::kOffset), 3U);
        s.command(Op::kAbort);
        s.submit(test_unit_ready());
        s.take_command(6);
        EXPECT_EQ(s.reselect(), IntrState::kArbitrationLostMask);
        s.complete();
      },
      {host(7)});
}

TEST(ScsiTargetConnect, ParityErrorInTheCommand_StopsBehindIt) {
  expect_alike(
      [](Script& s) {
        Command command = test_unit_ready();
        command.cdb = {0, 1, 2, 3, 4, 5};
        command.parity_faults = {{Phase::kCommand, 3}};
        s.submit(command);
        s.await();
        s.messages();
        EXPECT_EQ(s.get(Phase::kCommand, 6).size(), 4U);
        s.complete(2);
      },
      {host(7)});
}

TEST(ScsiTargetConnect, ParityErrorInAMessage_RaisesAttention) {
  expect_alike(
      [](Script& s) {
        Command command = test_unit_ready();
        command.parity_faults = {{Phase::kMessageOut, 0}, {Phase::kMessageIn, 0}};
        s.submit(command);
        s.await();
        s.messages();
        s.put(Phase::kMessageIn, {0x04});
        s.messages();
        s.release();
      },
      {host(7)});
}

class ScsiTargetMessages : public testing::TestWithParam<std::uint32_t> {};

/// ATN is false with the ACK of the last byte (SCSI-2 6.2.1): one more REQ would ask for all of the
/// messages again (6.1.9.2).
TEST_P(ScsiTargetMessages, EndWithAttention_WhateverTheCount) {
  expect_alike(
      [](Script& s) {
        const std::uint32_t count = GetParam();
        Command command = test_unit_ready();
        command.messages = {{0x01, 0x15, 0xE9}};
        s.submit(command);
        s.await();
        const Bytes taken = s.get(Phase::kMessageOut, count);
        const Bytes said = {0xC0, 0x01, 0x15, 0xE9};
        EXPECT_EQ(taken, Bytes(said.begin(), said.begin() + std::min(count, 4U)));
        EXPECT_EQ(s.bench().read(regs::Residue::kOffset), count - std::min(count, 4U));
        s.messages();
        s.release();
      },
      {host(7)});
}

INSTANTIATE_TEST_SUITE_P(Count, ScsiTargetMessages, testing::Values(1U, 2U, 3U, 4U, 5U, 16U));

TEST(ScsiTargetConnect, FifoFilledAndEmptiedOnTheWay) {
  expect_alike(
      [](Script& s) {
        Command command = test_unit_ready();
        command.cdb.assign(24, 0x5A);
        s.submit(command);
        s.await();
        s.messages();
        s.start(Phase::kCommand, 24);
        s.bench().step(400);
        for (int i = 0; i < 10; ++i) {
          s.bench().note(fmt::format("{:x}", s.bench().read(regs::Fifo::kOffset)));
          s.bench().step(13);
        }
        s.await();
        while (s.bench().read(regs::Status::kOffset) >> 16 != 0) {
          s.bench().note(fmt::format("{:x}", s.bench().read(regs::Fifo::kOffset)));
        }
        s.start(Phase::kMessageIn, 3);
        for (int i = 0; i < 3; ++i) {
          s.bench().step(50);
          s.bench().write(regs::Fifo::kOffset, 0x08);
        }
        s.await();
        s.complete();
      },
      {host(7)});
}

// 6.1.5: after a reserved phase the host adapter can only assert RST.
TEST(ScsiTargetConnect, ReservedPhase_IsAnsweredWithAReset) {
  expect_alike(
      [](Script& s) {
        s.submit(test_unit_ready());
        s.take_command(6);
        s.start(Phase::kReserved4, 4);
        EXPECT_EQ(s.await(), IntrState::kBusResetMask);
      },
      {host(7)});
}

TEST(ScsiTargetConnect, ResetAtEveryStep) {
  expect_alike(
      [](Script& s) {
        for (unsigned wait = 0; wait < 400; wait += 23) {
          s.submit(test_unit_ready());
          s.bench().step(wait);
          s.bench().reset_bus();
          s.await();
          s.bench().step(1'000);
          s.await(2'000);
          if (s.completion(0)) s.bench().note("done");
        }
      },
      {host(7)});
}

TEST(ScsiTargetConnect, BusDeviceResetAndAbort_AsMessages) {
  expect_alike(
      [](Script& s) {
        s.submit(tagged(1));
        s.take_command(6);
        s.disconnect();
        s.manage(initiator::ManagementKind::kBusDeviceReset);
        s.await();
        EXPECT_EQ(s.messages(), (Bytes{0x80, 0x0C}));
        s.release();
      },
      {host(7)});
}

}  // namespace
}  // namespace headstack::contract
