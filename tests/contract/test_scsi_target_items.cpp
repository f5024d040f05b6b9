// SPDX-License-Identifier: Apache-2.0
// scsi_target, transfers that end with their content: with a whole message or command, and bus free
// after the last messages; see test_scsi_target.cpp. Lengths of messages: SCSI-2 table 10 and 6.6;
// of commands: SPC-2 7.1.
#include "tests/contract/scsi_target_script.hpp"

namespace headstack::contract {
namespace {

Command with_cdb(const Bytes& cdb) {
  Command command;
  command.cdb = cdb;
  return command;
}
Command tagged(std::uint16_t tag) {
  Command command = with_cdb({0, 0, 0, 0, 0, 0});
  command.tag_type = initiator::TagType::kSimple;
  command.tag = tag;
  return command;
}

Bytes whole_messages(Script& s) { return s.get_whole(Phase::kMessageOut); }
Bytes whole_command(Script& s) { return s.get_whole(Phase::kCommand); }
/// Handles selection and messages, up to COMMAND.
void greet(Script& s, const Command& command) {
  s.submit(command);
  s.await();
  whole_messages(s);
}
/// Handles a connection up to the end of COMMAND.
void take(Script& s, const Command& command) {
  greet(s, command);
  whole_command(s);
}

TEST(ScsiTargetItems, IdentifyAndTagComeInOneTransfer) {
  expect_alike([](Script& s) {
    s.submit(tagged(5));
    EXPECT_EQ(s.await(), IntrState::kSelectedMask);
    EXPECT_EQ(whole_messages(s), (Bytes{kIdentify, 0x20, 5}));
    EXPECT_FALSE(s.attention());
    EXPECT_EQ(whole_command(s), Bytes(6, 0));
    s.complete();
  });
}

TEST(ScsiTargetItems, ExtendedMessageIsAsLongAsItSays) {
  expect_alike([](Script& s) {
    s.submit(tagged(0x1234));
    s.await();
    EXPECT_EQ(whole_messages(s), (Bytes{kIdentify, 1, 4, 0x80, 0x20, 0x12, 0x34}));
    EXPECT_EQ(whole_command(s), Bytes(6, 0));
    s.complete();
  });
}

// SCSI-2 6.6.14: a rejection is sent before the next byte is requested.
TEST(ScsiTargetItems, NothingIsAskedForBehindAMessageThatMayBeRejected) {
  expect_alike([](Script& s) {
    Command command = with_cdb(Bytes(6, 0));
    command.messages = {{0x08}, {0x23, 1}, {0x1F}, {0x30}, {1, 1, 0x55}, {0xB8}, {0x08}};
    s.submit(command);
    s.await();
    EXPECT_EQ(whole_messages(s), (Bytes{kIdentify, 0x08}));
    EXPECT_EQ(whole_messages(s), (Bytes{0x23, 1}));
    EXPECT_EQ(whole_messages(s), Bytes{0x1F});
    EXPECT_EQ(whole_messages(s), Bytes{0x30});
    EXPECT_EQ(whole_messages(s), (Bytes{1, 1, 0x55}));
    EXPECT_EQ(whole_messages(s), Bytes{0xB8});  // IDENTIFY with reserved bits
    EXPECT_TRUE(s.attention());
    EXPECT_EQ(whole_messages(s), Bytes{0x08});
    EXPECT_FALSE(s.attention());
    EXPECT_EQ(whole_command(s), Bytes(6, 0));
    s.complete();
  });
}

// The length byte is the number of bytes after it; 0 stands for 256 (SCSI-2 table 11).
class ScsiTargetLong : public testing::TestWithParam<unsigned> {};

TEST_P(ScsiTargetLong, MessagePassesThroughTheFifo) {
  expect_alike([](Script& s) {
    Bytes message = {1, static_cast<std::uint8_t>(GetParam())};
    message.resize(2 + GetParam(), 0x33);
    Command command = with_cdb(Bytes(6, 0));
    command.messages = {message, {0x08}};
    s.submit(command);
    s.await();
    s.start_as(Phase::kMessageOut, 400, regs::Transfer::kWholeMask);
    Bytes bytes;
    while (!s.bench().irq() && bytes.size() < 400) {
      s.bench().step(400);  // the FIFO is full, or all bytes have arrived
      const Bytes more = s.fetch();
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
    EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
    message.insert(message.begin(), kIdentify);
    EXPECT_EQ(bytes, message);
    EXPECT_EQ(whole_messages(s), Bytes{0x08});
    EXPECT_EQ(whole_command(s), Bytes(6, 0));
    s.complete();
  });
}
INSTANTIATE_TEST_SUITE_P(Bytes, ScsiTargetLong, testing::Values(40U, 255U, 256U));

TEST(ScsiTargetItems, CountEndsItSooner) {
  expect_alike([](Script& s) {
    s.submit(tagged(0x1234));
    s.await();
    EXPECT_EQ(s.get_whole(Phase::kMessageOut, 1), Bytes{kIdentify});
    EXPECT_EQ(s.get_whole(Phase::kMessageOut, 2), (Bytes{1, 4}));
    EXPECT_EQ(s.get(Phase::kMessageOut, 4), (Bytes{0x80, 0x20, 0x12, 0x34}));
    EXPECT_EQ(s.get_whole(Phase::kCommand, 4), Bytes(4, 0));
    EXPECT_EQ(s.get(Phase::kCommand, 2), Bytes(2, 0));
    s.complete();
  });
}

struct Group {
  std::uint8_t opcode;
  unsigned bytes;
};
class ScsiTargetCdb : public testing::TestWithParam<Group> {};

TEST_P(ScsiTargetCdb, IsAsLongAsItsGroupSays) {
  expect_alike([](Script& s) {
    Bytes cdb(GetParam().bytes, 0xA5);
    cdb[0] = GetParam().opcode;
    greet(s, with_cdb(cdb));
    EXPECT_EQ(whole_command(s), cdb);
    EXPECT_EQ(s.bench().read(regs::Residue::kOffset), 16U - GetParam().bytes);
    s.complete();
  });
}
INSTANTIATE_TEST_SUITE_P(Groups, ScsiTargetCdb,
                         testing::Values(Group{0x1F, 6}, Group{0x3F, 10}, Group{0x5F, 10},
                                         Group{0x7F, 6}, Group{0x9F, 16}, Group{0xBF, 12},
                                         Group{0xC0, 6}, Group{0xFF, 6}),
                         [](const auto& group) {
                           return fmt::format("{:02x}", group.param.opcode);
                         });

TEST(ScsiTargetItems, ParityErrorEndsACommandSooner) {
  expect_alike([](Script& s) {
    Command command = with_cdb(Bytes(6, 0));
    command.parity_faults = {{Phase::kCommand, 2}};
    greet(s, command);
    EXPECT_EQ(whole_command(s), Bytes(3, 0));
    s.put(Phase::kMessageIn, {0x03});
    EXPECT_EQ(whole_command(s), Bytes(6, 0));
    s.complete();
  });
}

TEST(ScsiTargetItems, DataKnowNoItems) {
  expect_alike([](Script& s) {
    Command command = with_cdb({0x15, 0x10, 0, 0, 12, 0});
    command.direction = Direction::kOut;
    command.data = Bytes(12, 7);
    take(s, command);
    EXPECT_EQ(s.get_whole(Phase::kDataOut, 12), Bytes(12, 7));
    s.complete();
  });
}

TEST(ScsiTargetLast, BusFreeBehindTheLastMessages) {
  expect_alike([](Script& s) {
    take(s, tagged(5));
    EXPECT_EQ(s.put_last({0x02, 0x04}), IntrState::kDisconnectedMask);
    EXPECT_EQ(s.bench().read(regs::Status::kOffset) & regs::Status::kConnectedMask, 0U);
    s.bench().step(37);
    EXPECT_EQ(s.reselect(), IntrState::kReselectedMask);
    s.put(Phase::kMessageIn, {0x80, 0x20, 5});
    s.put(Phase::kStatus, {0});
    EXPECT_EQ(s.put_last({0x00}), IntrState::kDisconnectedMask);
    s.bench().step(10);
    ASSERT_TRUE(s.completion(0));
    EXPECT_EQ(s.completion(0)->outcome, initiator::Outcome::kComplete);
  });
}

// SCSI-2 6.6.13: MESSAGE PARITY ERROR comes with ATN before the last ACK goes.
TEST(ScsiTargetLast, WithAttentionTheConnectionStays) {
  expect_alike([](Script& s) {
    Command command = with_cdb(Bytes(6, 0));
    command.parity_faults = {{Phase::kMessageIn, 0}};
    take(s, command);
    s.put(Phase::kStatus, {0});
    std::uint32_t events = s.put_last({0x00});
    if ((events & IntrState::kTransferDoneMask) == 0) events |= s.await();
    EXPECT_EQ(events, IntrState::kAttentionMask | IntrState::kTransferDoneMask);
    EXPECT_EQ(whole_messages(s), Bytes{0x09});
    EXPECT_EQ(s.put_last({0x00}), IntrState::kDisconnectedMask);
  });
}

TEST(ScsiTargetLast, AnAbortedOneDoesNotLetGo) {
  expect_alike([](Script& s) {
    take(s, with_cdb(Bytes(6, 0)));
    s.put(Phase::kStatus, {0});
    // No byte is available: the transfer waits.
    s.start_as(Phase::kMessageIn, 1, regs::Transfer::kThenReleaseMask);
    s.bench().step(60);
    s.command(Op::kAbort);
    EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
    EXPECT_EQ(s.put_last({0x00}), IntrState::kDisconnectedMask);
  });
}

class ScsiTargetLastReset : public testing::TestWithParam<unsigned> {};

TEST_P(ScsiTargetLastReset, WhileItLetsGo) {
  expect_alike([](Script& s) {
    take(s, with_cdb(Bytes(6, 0)));
    s.put(Phase::kStatus, {0});
    s.bench().write(regs::Fifo::kOffset, 0);
    s.start_as(Phase::kMessageIn, 1, regs::Transfer::kThenReleaseMask);
    s.bench().step(GetParam());
    s.bench().reset_bus();
    std::uint32_t events = 0;
    while ((events & IntrState::kBusResetMask) == 0) events = s.await();
  });
}
// Clocks from the message's ACK on: before it, the model has already moved the byte (RESIDUE).
INSTANTIATE_TEST_SUITE_P(Clocks, ScsiTargetLastReset,
                         testing::Values(24U, 26U, 28U, 32U, 36U, 40U, 44U, 48U, 60U));

// The last operation decides, not an earlier value of TRANSFER.
TEST(ScsiTargetLast, TheNextTransferEndsAsEver) {
  expect_alike([](Script& s) {
    take(s, tagged(5));
    s.put_last({0x04});
    s.bench().step(37);
    s.reselect();
    EXPECT_EQ(s.put(Phase::kMessageIn, {0x80, 0x20, 5}), IntrState::kTransferDoneMask);
    s.complete();
  });
}

// -------------------------------------------------------------------- messages after an operation

constexpr std::uint32_t kReselectedAndSent =
    IntrState::kReselectedMask | IntrState::kTransferDoneMask;

TEST(ScsiTargetChain, StatusAndCommandComplete_AreOneOperation) {
  expect_alike([](Script& s) {
    take(s, tagged(5));
    EXPECT_EQ(s.put_status_and_messages(0x08, {0x00}), IntrState::kDisconnectedMask);
    EXPECT_EQ(s.bench().read(regs::Status::kOffset) & regs::Status::kFifoLevelMask, 0U);
    s.bench().step(40);
    ASSERT_TRUE(s.completion(0));
    EXPECT_EQ(s.completion(0)->outcome, initiator::Outcome::kComplete);
    EXPECT_EQ(s.completion(0)->status, 0x08);
    EXPECT_EQ(s.bench().violations(), 0U);
  });
}

// SCSI-2 6.6.13: the initiator asserts ATN after the faulty byte, before the messages.
TEST(ScsiTargetChain, AttentionBehindTheStatus_HoldsTheMessagesBack) {
  expect_alike([](Script& s) {
    Command command = with_cdb(Bytes(6, 0));
    command.parity_faults = {{Phase::kStatus, 0}};
    take(s, command);
    std::uint32_t events = s.put_status_and_messages(0, {0x00});
    if ((events & IntrState::kTransferDoneMask) == 0) events |= s.await();
    EXPECT_EQ(events, IntrState::kAttentionMask | IntrState::kTransferDoneMask);
    const regs::Status status{s.bench().read(regs::Status::kOffset)};
    EXPECT_EQ(static_cast<Phase>(status.phase()), Phase::kStatus);
    EXPECT_EQ(status.fifo_level(), 1U) << "the message has stayed";
    s.command(Op::kAbort);
    s.bench().step(4);
    EXPECT_EQ(s.bench().read(regs::Status::kOffset) & regs::Status::kFifoLevelMask, 0U);
    EXPECT_EQ(whole_messages(s), Bytes{0x05});  // INITIATOR DETECTED ERROR
    EXPECT_EQ(s.put_status_and_messages(0, {0x00}), IntrState::kDisconnectedMask);
  });
}

TEST(ScsiTargetChain, AttentionBehindTheMessages_KeepsTheConnection) {
  expect_alike([](Script& s) {
    Command command = with_cdb(Bytes(6, 0));
    command.parity_faults = {{Phase::kMessageIn, 0}};
    take(s, command);
    const std::uint32_t events = s.put_status_and_messages(0, {0x00}) | 0U;
    const std::uint32_t all =
        (events & IntrState::kTransferDoneMask) != 0 ? events : events | s.await();
    EXPECT_EQ(all, IntrState::kAttentionMask | IntrState::kTransferDoneMask);
    const regs::Status status{s.bench().read(regs::Status::kOffset)};
    EXPECT_EQ(static_cast<Phase>(status.phase()), Phase::kMessageIn);
    EXPECT_EQ(whole_messages(s), Bytes{0x09});
    EXPECT_EQ(s.put_last({0x00}), IntrState::kDisconnectedMask);
  });
}

TEST(ScsiTargetChain, AnAbortedStatus_HasNoMessageBehindIt) {
  expect_alike([](Script& s) {
    take(s, with_cdb(Bytes(6, 0)));
    s.start_as(Phase::kStatus, 1, regs::Transfer::kThenMessageMask);
    s.bench().step(60);  // no byte is available, so it waits
    s.command(Op::kAbort);
    EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
    s.complete();
  });
}

TEST(ScsiTargetChain, NoByteForAMessage_EndsInBusFreeAtOnce) {
  expect_alike([](Script& s) {
    take(s, with_cdb(Bytes(6, 0)));
    EXPECT_EQ(s.put_status_and_messages(0, {}), IntrState::kDisconnectedMask);
  });
}

TEST(ScsiTargetChain, ReselectionSendsItsMessages) {
  expect_alike([](Script& s) {
    take(s, tagged(5));
    s.put_last({0x04});
    for (const unsigned pause : {0U, 1U, 37U, 500U}) {
      s.bench().step(pause);
      s.start_reselection({0x80, 0x20, 5});
      EXPECT_EQ(s.await(), kReselectedAndSent);
      if (pause < 500) s.put_last({0x04});
    }
    EXPECT_EQ(s.put_status_and_messages(0, {0x00}), IntrState::kDisconnectedMask);
    s.bench().step(40);
    ASSERT_TRUE(s.completion(0));
    EXPECT_EQ(s.completion(0)->outcome, initiator::Outcome::kComplete);
    EXPECT_EQ(s.bench().violations(), 0U);
  });
}

// The fault is in SAVE DATA POINTER: from the tag on the initiator knows the command.
TEST(ScsiTargetChain, AttentionInTheMessagesOfAReselection_KeepsTheConnection) {
  expect_alike([](Script& s) {
    Command command = tagged(5);
    command.parity_faults = {{Phase::kMessageIn, 3}};
    take(s, command);
    s.put_last({0x04});
    s.bench().step(37);
    s.start_reselection({0x80, 0x20, 5, 0x02});
    const std::uint32_t wanted = kReselectedAndSent | IntrState::kAttentionMask;
    EXPECT_EQ(s.await_all(wanted), wanted);
    EXPECT_EQ(whole_messages(s), Bytes{0x09});
    EXPECT_EQ(s.put_status_and_messages(0, {0x00}), IntrState::kDisconnectedMask);
  });
}

TEST(ScsiTargetChain, NobodyAnswers_AndTheMessagesAreGone) {
  expect_alike([](Script& s) {
    s.start_reselection({0x80, 0x20, 5}, 5);
    s.bench().step(4000);
    s.command(Op::kAbort);
    EXPECT_EQ(s.await(), IntrState::kReselectTimeoutMask);
    EXPECT_EQ(s.bench().read(regs::Status::kOffset) & regs::Status::kFifoLevelMask, 0U);
    s.submit(tagged(6));
    EXPECT_EQ(s.await(), IntrState::kSelectedMask);
    EXPECT_EQ(whole_messages(s), (Bytes{kIdentify, 0x20, 6}));
    EXPECT_EQ(whole_command(s), Bytes(6, 0));
    EXPECT_EQ(s.put_status_and_messages(0, {0x00}), IntrState::kDisconnectedMask);
  });
}

/// The initiator selects at the same time as the drive wants to reselect it; `GetParam()` clocks
/// lie between.
class ScsiTargetChainRace : public testing::TestWithParam<unsigned> {};

TEST_P(ScsiTargetChainRace, SelectionOrReselection_OneOfTheTwoComes) {
  expect_alike([](Script& s) {
    take(s, tagged(5));
    s.put_last({0x04});
    s.bench().step(100);
    s.submit(tagged(6));
    s.bench().step(GetParam());
    s.start_reselection({0x80, 0x20, 5});
    const std::uint32_t first = s.await();
    if ((first & IntrState::kReselectedMask) != 0) {
      if ((first & IntrState::kTransferDoneMask) == 0) s.await();
      s.put_status_and_messages(0, {0x00});
      s.await();
    } else {
      if ((first & IntrState::kSelectedMask) == 0) s.await();
      if ((first & IntrState::kArbitrationLostMask) == 0) s.await();
    }
    s.command(Op::kAbort);  // the messages were not sent
    s.bench().step(4);
    EXPECT_EQ(whole_messages(s), (Bytes{kIdentify, 0x20, 6}));
    EXPECT_EQ(whole_command(s), Bytes(6, 0));
    EXPECT_EQ(s.put_status_and_messages(0, {0x00}), IntrState::kDisconnectedMask);
  });
}
INSTANTIATE_TEST_SUITE_P(Clocks, ScsiTargetChainRace,
                         testing::Values(0U, 20U, 40U, 60U, 80U, 90U, 100U, 110U, 120U, 130U, 140U,
                                         160U, 200U));

/// RST a number of clocks after the start, until the bus is free again.
class ScsiTargetChainReset : public testing::TestWithParam<unsigned> {};

TEST_P(ScsiTargetChainReset, BehindTheStatus) {
  expect_alike([](Script& s) {
    take(s, with_cdb(Bytes(6, 0)));
    s.bench().write(regs::Fifo::kOffset, 0);
    s.bench().write(regs::Fifo::kOffset, 0);
    s.start_as(Phase::kStatus, 1, regs::Transfer::kThenMessageMask);
    s.bench().step(GetParam());
    s.bench().reset_bus();
    std::uint32_t events = 0;
    while ((events & IntrState::kBusResetMask) == 0) events = s.await();
    EXPECT_EQ(s.bench().read(regs::Status::kOffset) & regs::Status::kConnectedMask, 0U);
  });
}
// Clocks from the message's ACK on: before it, the model has already moved the byte (RESIDUE).
INSTANTIATE_TEST_SUITE_P(Clocks, ScsiTargetChainReset,
                         testing::Values(66U, 67U, 68U, 70U, 72U, 76U, 80U, 84U, 90U));

}  // namespace
}  // namespace headstack::contract
