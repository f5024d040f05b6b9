// SPDX-License-Identifier: Apache-2.0
// scsi_target, CTRL.take_command: a selection continues through MESSAGE OUT and COMMAND by itself,
// unless a message needs an answer; see test_scsi_target.cpp.

#include "tests/contract/scsi_target_script.hpp"

namespace headstack::contract {
namespace {

constexpr std::uint32_t kTaken = IntrState::kSelectedMask | IntrState::kTransferDoneMask;

Command command_of(const Bytes& cdb, bool tagged = false) {
  Command command;
  command.cdb = cdb;
  if (tagged) command.tag_type = initiator::TagType::kSimple;
  command.tag = tagged ? 5 : 0;
  return command;
}

Bytes cdb_of(std::uint8_t opcode, std::size_t bytes) {
  Bytes cdb(bytes, 0x5A);
  cdb[0] = opcode;
  return cdb;
}

regs::Status status(Script& s) { return regs::Status{s.bench().read(regs::Status::kOffset)}; }
Phase phase(Script& s) { return static_cast<Phase>(status(s).phase()); }

/// A host adapter that selects soon after a reset.
std::vector<initiator::Config> hasty() {
  initiator::Config config;
  config.times.reset_to_arbitration_ps = 20 * kPicosecondsPerMicrosecond;
  return {config};
}

void answer(Script& s) {
  EXPECT_EQ(s.put_status_and_messages(0, {0x00}), IntrState::kDisconnectedMask);
}

Bytes joined(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct Case {
  const char* what;
  std::uint8_t opcode;
  unsigned bytes;
  bool tagged;
};
class ScsiTargetTakes : public testing::TestWithParam<Case> {};

TEST_P(ScsiTargetTakes, MessagesAndCommand_InOneOperation) {
  expect_alike([](Script& s) {
    s.enable(true, true);
    const Bytes cdb = cdb_of(GetParam().opcode, GetParam().bytes);
    s.submit(command_of(cdb, GetParam().tagged));
    EXPECT_EQ(s.await(), kTaken);
    const Bytes messages = GetParam().tagged ? Bytes{kIdentify, 0x20, 5} : Bytes{kIdentify};
    EXPECT_TRUE(status(s).takes());
    EXPECT_EQ(status(s).taken_messages(), messages.size());
    EXPECT_EQ(phase(s), Phase::kCommand);
    Bytes all = s.fetch();
    if (all.size() == 16 && messages.size() + cdb.size() > 16) {
      const Bytes rest =
          s.get(Phase::kCommand, static_cast<std::uint32_t>(messages.size() + cdb.size()) - 16);
      all = joined(all, rest);
    }
    EXPECT_EQ(all, joined(messages, cdb));
    answer(s);
    s.bench().step(10);
    EXPECT_FALSE(status(s).takes());
    EXPECT_EQ(s.bench().violations(), 0U);
  });
}
INSTANTIATE_TEST_SUITE_P(Commands, ScsiTargetTakes,
                         testing::Values(Case{"6", 0x12, 6, false}, Case{"6_tagged", 0x12, 6, true},
                                         Case{"10", 0x28, 10, false},
                                         Case{"10_tagged", 0x28, 10, true},
                                         Case{"12_tagged", 0xA0, 12, true},
                                         Case{"16", 0x88, 16, false},
                                         Case{"16_tagged", 0x88, 16, true},
                                         // An operation code that looks like a tag.
                                         Case{"10_like_a_tag", 0x20, 10, false},
                                         Case{"10_like_a_tag_tagged", 0x22, 10, true}),
                         [](const auto& one) { return std::string("Cdb") + one.param.what; });

struct Messages {
  const char* what;
  std::vector<Bytes> messages;  // after IDENTIFY
  Bytes first;                  // bytes that come by themselves
};
class ScsiTargetTakesNot : public testing::TestWithParam<Messages> {};

// SCSI-2 6.6.14: the drive must be able to reject a message before anything else comes.
TEST_P(ScsiTargetTakesNot, ACommandBehindMessagesThatMayNeedAnAnswer) {
  expect_alike([](Script& s) {
    s.enable(true, true);
    Command command = command_of(Bytes(6, 0));
    command.messages = GetParam().messages;
    s.submit(command);
    EXPECT_EQ(s.await(), kTaken);
    EXPECT_EQ(phase(s), Phase::kMessageOut);
    EXPECT_EQ(s.fetch(), GetParam().first);
    while (s.attention()) s.get_whole(Phase::kMessageOut);
    EXPECT_EQ(s.get_whole(Phase::kCommand), Bytes(6, 0));
    answer(s);
  });
}
INSTANTIATE_TEST_SUITE_P(
    Messages, ScsiTargetTakesNot,
    testing::Values(
        Messages{"NoOperation", {{0x08}}, {kIdentify, 0x08}},
        Messages{"SecondIdentify", {{0xC1}}, {kIdentify, 0xC1}},
        Messages{"IdentifyWithReservedBits", {{0xB8}}, {kIdentify, 0xB8}},
        Messages{"IgnoreWideResidue", {{0x23, 1}}, {kIdentify, 0x23, 1}},
        Messages{"TwoTags", {{0x20, 1}, {0x20, 2}}, {kIdentify, 0x20, 1}},
        Messages{"IdentifyBehindATag", {{0x20, 1}, {0xC0}}, {kIdentify, 0x20, 1}},
        Messages{"LongTag", {{1, 4, 0x80, 0x20, 0, 1}}, {kIdentify, 1, 4, 0x80, 0x20, 0, 1}}),
    [](const auto& one) { return std::string(one.param.what); });

TEST(ScsiTargetTakes, ABadMessage_EndsIt) {
  expect_alike([](Script& s) {
    s.enable(true, true);
    Command command = command_of(Bytes(6, 0), true);
    command.parity_faults = {{Phase::kMessageOut, 1}};
    s.submit(command);
    const std::uint32_t bad = IntrState::kSelectedMask | IntrState::kParityErrorMask;
    EXPECT_EQ(s.await(), bad);
    EXPECT_EQ(phase(s), Phase::kMessageOut);
    s.fetch();
  });
}

TEST(ScsiTargetTakes, ABadByteOfTheCommand_EndsItBehindTheMessages) {
  expect_alike([](Script& s) {
    s.enable(true, true);
    Command command = command_of(Bytes(6, 0), true);
    command.parity_faults = {{Phase::kCommand, 2}};
    s.submit(command);
    const std::uint32_t bad = IntrState::kSelectedMask | IntrState::kParityErrorMask;
    EXPECT_EQ(s.await(), bad);
    EXPECT_EQ(phase(s), Phase::kCommand);
    EXPECT_EQ(status(s).taken_messages(), 3U);
    EXPECT_EQ(s.fetch(), (Bytes{kIdentify, 0x20, 5, 0, 0, 0}));
    s.put(Phase::kMessageIn, {0x03});
    EXPECT_EQ(s.get_whole(Phase::kCommand), Bytes(6, 0));
    answer(s);
  });
}

TEST(ScsiTargetTakes, WhatTheFifoHeldBefore_IsGone) {
  expect_alike([](Script& s) {
    s.enable(true, true);
    for (std::uint8_t byte = 0; byte < 9; ++byte) s.bench().write(regs::Fifo::kOffset, byte);
    s.submit(command_of(Bytes(6, 0)));
    EXPECT_EQ(s.await(), kTaken);
    EXPECT_EQ(s.fetch(), (Bytes{kIdentify, 0, 0, 0, 0, 0, 0}));
    answer(s);
  });
}

// The firmware prepares a reselection before it gets the event of the selection.
TEST(ScsiTargetTakes, WritesToTheFifo_AreDroppedUntilAllHasBeenRead) {
  expect_alike([](Script& s) {
    s.enable(true, true);
    s.submit(command_of(cdb_of(0x28, 10), true));
    for (unsigned i = 0; i < 300; ++i) {  // before, within and after what the block takes
      s.bench().write(regs::Fifo::kOffset, i % 256);
      s.bench().step(1);
    }
    EXPECT_EQ(s.await(), kTaken);
    s.command(Op::kReselect, kInitiatorId);
    EXPECT_EQ(s.await(), IntrState::kArbitrationLostMask);
    const Bytes all = joined({kIdentify, 0x20, 5}, cdb_of(0x28, 10));
    for (const std::uint8_t expected : all) {
      EXPECT_EQ(s.bench().read(regs::Fifo::kOffset), expected);
      if (status(s).fifo_level() > 0) s.bench().write(regs::Fifo::kOffset, 0xEE);
    }
    EXPECT_EQ(status(s).fifo_level(), 0U);
    answer(s);
  });
}

// The firmware does not have the reset's event yet. Its later reaction must not meet a command.
TEST(ScsiTargetTakes, NotWhileAResetIsPending) {
  expect_alike(
      [](Script& s) {
        s.enable(true, true);
        s.bench().reset_bus();
        s.bench().step(4000);
        s.submit(command_of(Bytes(6, 0)));
        s.bench().step(4000);
        EXPECT_FALSE(status(s).takes());
        EXPECT_EQ(status(s).fifo_level(), 0U);
        EXPECT_TRUE(status(s).connected());
        EXPECT_EQ(s.await(), IntrState::kBusResetMask | IntrState::kSelectedMask);
        EXPECT_EQ(s.get_whole(Phase::kMessageOut), Bytes{kIdentify});
        EXPECT_EQ(s.get_whole(Phase::kCommand), Bytes(6, 0));
        answer(s);
        s.bench().step(200);
        s.submit(command_of(Bytes(6, 0)));
        EXPECT_EQ(s.await(), kTaken);
        EXPECT_TRUE(status(s).takes());
        EXPECT_EQ(s.fetch(), (Bytes{kIdentify, 0, 0, 0, 0, 0, 0}));
        answer(s);
      },
      hasty());
}

/// The firmware begins a reselection a number of clocks after the submission.
class ScsiTargetTakesRace : public testing::TestWithParam<unsigned> {};

TEST_P(ScsiTargetTakesRace, MessagesOfAReselection_NeverMixWithTheInitiators) {
  expect_alike([](Script& s) {
    s.enable(true, true);
    s.submit(command_of(Bytes(6, 0), true));
    EXPECT_EQ(s.await(), kTaken);
    s.fetch();
    s.put_last({0x04});
    s.bench().step(100);
    // If both come at one clock, the model sets arbitration_lost later than the block.
    s.bench().look_away();
    Command other = command_of(Bytes(10, 0x28), true);
    other.tag = 6;
    s.submit(other);
    s.bench().step(GetParam());
    for (const std::uint8_t byte : Bytes{0x80, 0x20, 5}) {  // as slowly as firmware does
      s.bench().write(regs::Fifo::kOffset, byte);
      s.bench().step(11);
    }
    s.start_reselection({});
    std::uint32_t events = s.await_all(IntrState::kTransferDoneMask);
    if ((events & IntrState::kReselectedMask) != 0) {
      answer(s);
      events = s.await();
    }
    EXPECT_EQ(events & kTaken, kTaken);
    // A reselection that comes too late is lost, or ignored while the block is busy.
    s.bench().step(8);
    s.bench().write(regs::IntrState::kOffset, s.bench().read(regs::IntrState::kOffset));
    EXPECT_EQ(s.fetch(), joined({kIdentify, 0x20, 6}, Bytes(10, 0x28)));
    answer(s);
    EXPECT_EQ(s.bench().violations(), 0U);
  });
}
INSTANTIATE_TEST_SUITE_P(Clocks, ScsiTargetTakesRace, testing::Range(0U, 360U));

/// RST a number of clocks after the submission. A command that was not in the drive is sent again.
class ScsiTargetTakesReset : public testing::TestWithParam<unsigned> {};

TEST_P(ScsiTargetTakesReset, LeavesNothing) {
  expect_alike(
      [](Script& s) {
        s.enable(true, true);
        s.submit(command_of(cdb_of(0x28, 10), true));
        s.bench().step(GetParam());
        s.bench().reset_bus();
        s.bench().step(400);
        // The value is not noted: at the time of RST the model had moved a byte more (RESIDUE).
        s.bench().write(regs::IntrState::kOffset, s.bench().read(regs::IntrState::kOffset));
        EXPECT_FALSE(status(s).takes());
        EXPECT_EQ(status(s).fifo_level(), 0U);
        s.submit(command_of(Bytes(6, 0)));
        Bytes taken;
        for (int i = 0; i < 2 && taken.size() != 7; ++i) {
          EXPECT_EQ(s.await(), kTaken);
          taken = s.fetch();
          answer(s);
        }
        EXPECT_EQ(taken, (Bytes{kIdentify, 0, 0, 0, 0, 0, 0}));
      },
      hasty());
}
// Clocks up to the first bytes of the CDB, which the model computes ahead of their time.
INSTANTIATE_TEST_SUITE_P(Clocks, ScsiTargetTakesReset,
                         testing::Values(100U, 110U, 120U, 140U, 160U, 170U, 180U, 190U, 200U,
                                         205U));

}  // namespace
}  // namespace headstack::contract
