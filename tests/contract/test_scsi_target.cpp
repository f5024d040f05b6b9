// SPDX-License-Identifier: Apache-2.0
// scsi_target, the block on pins and the model in transactions. By one script both give the same
// events in the same cycles, the same registers and bytes, and the same times at the host adapter.
//
// What the log holds is asserted to be alike; what hdl/regs/scsi_target.rdl promises is asserted of
// both on the way.
#include "tests/contract/scsi_target_script.hpp"

namespace headstack::contract {
namespace {

initiator::Config negotiating(initiator::Agreement agreement, std::uint8_t id = kInitiatorId) {
  initiator::Config config;
  config.id = id;
  config.agreement = agreement;
  return config;
}

Command test_unit_ready() {
  Command command;
  command.cdb = {0, 0, 0, 0, 0, 0};
  return command;
}
Command read_bytes(std::uint32_t length) {
  Command command;
  command.cdb = {0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0};
  command.direction = Direction::kIn;
  command.length = length;
  return command;
}
Command write_bytes(std::uint32_t length) {
  Command command;
  command.cdb = {0x2A, 0, 0, 0, 0, 0, 0, 0, 1, 0};
  command.direction = Direction::kOut;
  for (std::uint32_t i = 0; i < length; ++i) command.data.push_back(pattern(i + 3));
  return command;
}

TEST(ScsiTargetContract, CommandWithoutData) {
  expect_alike([](Script& s) {
    s.submit(test_unit_ready());
    EXPECT_EQ(s.take_command(6), Bytes(6, 0));
    s.complete();
    s.bench().step(10);
    ASSERT_TRUE(s.completion(0));
    EXPECT_EQ(s.completion(0)->outcome, initiator::Outcome::kComplete);
  });
}

TEST(ScsiTargetContract, TaggedCommand_DisconnectAndReselect) {
  expect_alike([](Script& s) {
    for (std::uint16_t tag : {std::uint16_t{5}, std::uint16_t{0x1234}}) {
      Command command = test_unit_ready();
      command.tag_type = initiator::TagType::kSimple;
      command.tag = tag;
      s.submit(command);
      s.take_command(6);
      s.disconnect();
      s.bench().step(37);
      EXPECT_EQ(s.reselect(), IntrState::kReselectedMask);
      Bytes tag_message = {0x20, static_cast<std::uint8_t>(tag)};
      if (tag > 0xFF) tag_message = {1, 4, 0x80, 0x20, 0x12, 0x34};
      s.put(Phase::kMessageIn, {0x80});
      s.put(Phase::kMessageIn, tag_message);
      s.complete();
    }
  });
}

/// Firmware gives a transfer up while it moves; the command comes to its end all the same.
void abort_transfer(Script& s) {
  s.bench().note(fmt::format("residue {}", s.bench().read(regs::Residue::kOffset)));
  s.command(Op::kAbort);
  EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
  s.complete();
}

struct Mode {
  initiator::Agreement agreement;
  const char* name;
};
class ScsiTargetData : public testing::TestWithParam<Mode> {
 protected:
  std::vector<initiator::Config> hosts() { return {negotiating(GetParam().agreement)}; }
  /// Selection to CDB, with the negotiation that the host adapter asks for.
  void take(Script& s) {
    const initiator::Agreement& wanted = GetParam().agreement;
    s.await();
    s.messages();
    if (wanted.wide) {
      s.put(Phase::kMessageIn, {1, 2, 3, 1});
      s.messages();
    }
    if (wanted.synchronous()) {
      s.put(Phase::kMessageIn, {1, 3, 1, wanted.period_factor, wanted.offset});
    }
    s.get(Phase::kCommand, 10);
    // A period in clocks, rounded up: never faster than agreed.
    const auto period = static_cast<unsigned>((wanted.period_factor * 4 + 24) / 25);
    s.agree(period, wanted.offset, wanted.wide);
  }
};

TEST_P(ScsiTargetData, In_AllThere) {
  expect_alike(
      [&](Script& s) {
        s.submit(read_bytes(4096));
        take(s);
        s.bench().give(4096);
        EXPECT_EQ(s.transfer(Phase::kDataIn, 4096), IntrState::kTransferDoneMask);
        s.complete();
        ASSERT_TRUE(s.completion(0));
        for (std::size_t i = 0; i < 4096; ++i) ASSERT_EQ(s.completion(0)->data[i], pattern(i));
      },
      hosts());
}

TEST_P(ScsiTargetData, Out_AllRoom) {
  expect_alike(
      [&](Script& s) {
        s.submit(write_bytes(4096));
        take(s);
        s.bench().make_room(4096);
        EXPECT_EQ(s.transfer(Phase::kDataOut, 4096), IntrState::kTransferDoneMask);
        s.complete();
        EXPECT_EQ(s.bench().sink().size(), 4096U);
      },
      hosts());
}

// Credits come late, early, at once, in twos: the data stream through.
TEST_P(ScsiTargetData, In_ByCredits) {
  expect_alike(
      [&](Script& s) {
        s.submit(read_bytes(4096));
        take(s);
        s.start(Phase::kDataIn, 4096, true);
        for (const unsigned wait : {5U, 700U, 2500U, 4000U, 10U, 3000U}) {
          s.bench().step(wait);
          s.bench().give(512);
        }
        s.bench().step(5000);
        s.bench().give(1024);
        EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
        s.complete();
      },
      hosts());
}

TEST_P(ScsiTargetData, Out_ByCredits) {
  expect_alike(
      [&](Script& s) {
        s.submit(write_bytes(4096));
        take(s);
        s.start(Phase::kDataOut, 4096, true);
        for (const unsigned wait : {5U, 700U, 2500U, 4000U, 10U, 3000U}) {
          s.bench().step(wait);
          s.bench().make_room(512);
        }
        s.bench().step(5000);
        s.bench().make_room(1024);
        EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
        s.complete();
      },
      hosts());
}

TEST_P(ScsiTargetData, TwoTransfersInOnePhase_AndOddOnes) {
  expect_alike(
      [&](Script& s) {
        s.submit(read_bytes(600));
        take(s);
        s.bench().give(600);
        s.transfer(Phase::kDataIn, 400);
        s.transfer(Phase::kDataIn, 100);
        s.transfer(Phase::kDataIn, 1);
        s.transfer(Phase::kDataIn, 99);
        s.complete();
        s.submit(write_bytes(600));
        s.await();
        s.messages();
        s.get(Phase::kCommand, 10);
        s.bench().make_room(600);
        s.transfer(Phase::kDataOut, 400);
        s.transfer(Phase::kDataOut, 100);
        s.transfer(Phase::kDataOut, 99);
        s.transfer(Phase::kDataOut, 1);
        s.complete();
      },
      hosts());
}

TEST_P(ScsiTargetData, ByHand) {
  expect_alike(
      [&](Script& s) {
        s.submit(read_bytes(40));
        take(s);
        s.put(Phase::kDataIn, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
        s.put(Phase::kDataIn, {7, 7, 7});
        s.complete();
        s.submit(write_bytes(40));
        s.await();
        s.messages();
        s.get(Phase::kCommand, 10);
        EXPECT_EQ(s.get(Phase::kDataOut, 16).size(), 16U);
        EXPECT_EQ(s.get(Phase::kDataOut, 2).size(), 2U);
        EXPECT_EQ(s.get(Phase::kDataOut, 5).size(), 5U);
        s.complete();
      },
      hosts());
}

// More, and less, than the host adapter has room for.
TEST_P(ScsiTargetData, PastTheEnd) {
  expect_alike(
      [&](Script& s) {
        s.submit(read_bytes(100));
        take(s);
        s.bench().give(140);
        s.transfer(Phase::kDataIn, 140);
        s.complete();
        s.submit(write_bytes(100));
        s.await();
        s.messages();
        s.get(Phase::kCommand, 10);
        s.bench().make_room(140);
        s.transfer(Phase::kDataOut, 140);
        s.complete();
      },
      hosts());
}

// RESIDUE shows what crossed the bus; the connection is sound afterwards.
TEST_P(ScsiTargetData, AbortAtAnyMoment) {
  expect_alike(
      [&](Script& s) {
        bool first = true;
        for (const unsigned wait : {0U, 1U, 30U, 33U, 35U, 37U, 60U, 101U, 900U, 2049U}) {
          for (const bool in : {true, false}) {
            s.submit(in ? read_bytes(2048) : write_bytes(2048));
            if (first) {
              take(s);
            } else {
              s.await();
              s.messages();
              s.get(Phase::kCommand, 10);
            }
            first = false;
            s.start(in ? Phase::kDataIn : Phase::kDataOut, 2048, true);
            s.bench().step(wait);
            abort_transfer(s);
          }
        }
      },
      hosts());
}

TEST_P(ScsiTargetData, AbortWhileItMoves) {
  expect_alike(
      [&](Script& s) {
        s.submit(read_bytes(2048));
        take(s);
        s.bench().give(2048);
        s.start(Phase::kDataIn, 2048, true);
        s.bench().step(1000);
        abort_transfer(s);
      },
      hosts());
}

TEST_P(ScsiTargetData, AbortWhileItMovesOut) {
  expect_alike(
      [&](Script& s) {
        s.submit(write_bytes(2048));
        take(s);
        s.bench().make_room(2048);
        s.start(Phase::kDataOut, 2048, true);
        s.bench().step(1003);
        abort_transfer(s);
      },
      hosts());
}

TEST_P(ScsiTargetData, ParityErrorOut) {
  expect_alike(
      [&](Script& s) {
        Command command = write_bytes(2048);
        command.parity_faults = {{Phase::kDataOut, 700}};
        s.submit(command);
        take(s);
        s.bench().make_room(2048);
        EXPECT_EQ(s.transfer(Phase::kDataOut, 2048), IntrState::kParityErrorMask);
        s.complete(2);
      },
      hosts());
}

TEST_P(ScsiTargetData, ParityErrorIn_RaisesAttention) {
  expect_alike(
      [&](Script& s) {
        Command command = read_bytes(2048);
        command.parity_faults = {{Phase::kDataIn, 700}};
        s.submit(command);
        take(s);
        s.bench().give(2048);
        EXPECT_EQ(s.transfer(Phase::kDataIn, 2048), IntrState::kAttentionMask);
        EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
        EXPECT_EQ(s.messages(), Bytes{0x05});
        s.complete(2);
      },
      hosts());
}

TEST_P(ScsiTargetData, AbortMessageInTheMiddle) {
  expect_alike(
      [&](Script& s) {
        s.submit(read_bytes(2048));
        take(s);
        s.bench().give(2048);
        s.start(Phase::kDataIn, 2048, true);
        s.bench().step(502);  // no ACK is up, which ATN would hold there a while
        s.manage(initiator::ManagementKind::kAbort);
        EXPECT_EQ(s.await(), IntrState::kAttentionMask);
        s.command(Op::kAbort);
        s.await();
        EXPECT_EQ(s.messages(), Bytes{0x06});
        s.release();
      },
      hosts());
}

// ATN between the bytes holds no ACK back (6.2.1): the phase ends when it would have ended, and the
// message follows. If the data were over, it comes on a connection of its own.
TEST_P(ScsiTargetData, HostAbortsAtAnyMoment) {
  expect_alike(
      [&](Script& s) {
        for (unsigned wait = 0; wait < 150; ++wait) {
          s.submit(read_bytes(12));
          if (wait == 0) {
            take(s);
          } else {
            s.await();
            s.messages();
            s.get(Phase::kCommand, 10);
          }
          s.bench().give(12);
          s.start(Phase::kDataIn, 12, true);
          s.bench().step(wait);
          s.manage(initiator::ManagementKind::kAbort);
          std::uint32_t events = 0;
          for (int i = 0; i < 3 && (events & IntrState::kTransferDoneMask) == 0; ++i) {
            events |= s.await();
          }
          EXPECT_TRUE(events & IntrState::kTransferDoneMask);
          if (!s.attention()) {
            s.complete();
            s.await();
          }
          EXPECT_EQ(s.messages().back(), 0x06);
          s.release();
        }
      },
      hosts());
}

/// ATN at any clock of the bytes under way, which go on for a while: it holds back none of them.
struct Attention {
  initiator::Agreement agreement;
  bool out;
  unsigned wait;
};
class ScsiTargetAttention : public testing::TestWithParam<Attention> {};

TEST_P(ScsiTargetAttention, WhileBytesMove) {
  const Attention& at = GetParam();
  expect_alike(
      [&](Script& s) {
        s.submit(at.out ? write_bytes(2048) : read_bytes(2048));
        s.await();
        s.messages();
        if (at.agreement.wide) {
          s.put(Phase::kMessageIn, {1, 2, 3, 1});
          s.messages();
        }
        s.get(Phase::kCommand, 10);
        s.agree(4, 0, at.agreement.wide);
        at.out ? s.bench().make_room(2048) : s.bench().give(2048);
        s.start(at.out ? Phase::kDataOut : Phase::kDataIn, 2048, true);
        s.bench().step(at.wait);
        s.manage(initiator::ManagementKind::kAbort);
        EXPECT_EQ(s.await(), IntrState::kAttentionMask);
        s.bench().step(700);
        s.command(Op::kAbort);
        s.await();
        EXPECT_EQ(s.messages(), Bytes{0x06});
        s.release();
      },
      {negotiating(at.agreement)});
}

std::vector<Attention> attentions() {
  std::vector<Attention> all;
  for (const bool wide : {false, true}) {
    for (const bool out : {false, true}) {
      for (unsigned wait = 500; wait < 526; ++wait) {
        all.push_back({initiator::Agreement{wide, 0, 0}, out, wait});
      }
      // Of the last bytes of one sector, as those of the next are on their way.
      const unsigned sector = wide ? 3300 : 6600;
      for (unsigned wait = sector; wait < sector + 200; wait += 9) {
        all.push_back({initiator::Agreement{wide, 0, 0}, out, wait});
      }
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Clocks, ScsiTargetAttention, testing::ValuesIn(attentions()),
                         [](const testing::TestParamInfo<Attention>& at) {
                           return fmt::format("{}{}{}", at.param.agreement.wide ? "Wide" : "Narrow",
                                              at.param.out ? "Out" : "In", at.param.wait);
                         });

TEST_P(ScsiTargetData, ResetInTheMiddle) {
  std::vector<initiator::Config> config = hosts();
  config[0].times.reset_to_arbitration_ps = 5 * kPicosecondsPerMicrosecond;
  expect_alike(
      [&](Script& s) {
        s.submit(read_bytes(2048));
        s.submit(test_unit_ready());
        take(s);
        s.bench().give(2048);
        s.start(Phase::kDataIn, 2048, true);
        s.bench().step(500);
        s.bench().reset_bus();
        EXPECT_EQ(s.await(), IntrState::kBusResetMask);
        s.await();
        s.messages();
      },
      config);
}

TEST_P(ScsiTargetData, ResetInTheMiddleOfDataOut) {
  std::vector<initiator::Config> config = hosts();
  config[0].times.reset_to_arbitration_ps = 5 * kPicosecondsPerMicrosecond;
  expect_alike(
      [&](Script& s) {
        s.whole_sectors = true;  // the FIFO's content at the reset is lost in the block
        s.submit(write_bytes(2048));
        take(s);
        s.bench().make_room(512);
        s.start(Phase::kDataOut, 2048, true);
        s.bench().step(4000);
        s.bench().make_room(512);
        s.bench().step(333);
        s.bench().reset_bus();
        EXPECT_EQ(s.await(), IntrState::kBusResetMask);
      },
      config);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, ScsiTargetData,
    testing::Values(Mode{initiator::kAsynchronous, "Async"},
                    Mode{initiator::Agreement{true, 0, 0}, "AsyncWide"},
                    Mode{initiator::kFast10Narrow, "Fast10"},
                    Mode{initiator::kFast10Wide, "Fast10Wide"},
                    Mode{initiator::Agreement{false, 50, 7}, "Sync200"},
                    Mode{initiator::Agreement{true, 62, 3}, "SyncWide248"},
                    Mode{initiator::Agreement{false, 31, 1}, "Sync124Offset1"},
                    // Longer than the bus settle delay: REQ of the phase before counts.
                    Mode{initiator::Agreement{true, 118, 2}, "SyncWide472"}),
    [](const testing::TestParamInfo<Mode>& mode) { return std::string(mode.param.name); });

}  // namespace
}  // namespace headstack::contract
