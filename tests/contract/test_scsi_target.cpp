// SPDX-License-Identifier: Apache-2.0
// scsi_target, the block on pins and the model in transactions. With one script both give the same
// events in the same cycles, the same registers and bytes, and the same times at the host adapter.
//
// The logs are asserted to be equal. The promises of hdl/regs/scsi_target.rdl are asserted for both
// on the way.
#include "tests/contract/scsi_target_script.hpp"
#include "tests/support.hpp"

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

// ------------------------------------------------------------------------------------ data phases

/// A direction of data: its commands, its phase, and the credits that the host port gives.
struct Way {
  bool out;

  Command command(std::uint32_t length) const {
    Command command;
    command.cdb = {static_cast<std::uint8_t>(out ? 0x2A : 0x28), 0, 0, 0, 0, 0, 0, 0, 1, 0};
    command.direction = out ? Direction::kOut : Direction::kIn;
    if (!out) command.length = length;
    for (std::uint32_t i = 0; out && i < length; ++i) command.data.push_back(pattern(i + 3));
    return command;
  }
  Phase phase() const { return out ? Phase::kDataOut : Phase::kDataIn; }
  /// Grants credits: data are in the buffer, or there is room for them.
  void grant(Script& s, std::uint32_t bytes) const {
    out ? s.bench().make_room(bytes) : s.bench().give(bytes);
  }
};
constexpr Way kIn{false}, kOut{true};

/// Handles selection to CDB, with the negotiation that the host adapter requests.
void take_negotiating(Script& s, const initiator::Agreement& wanted) {
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

/// A script of commands with data. The first one negotiates.
class DataScript {
 public:
  DataScript(Script& script, const initiator::Agreement& agreement)
      : s(script), agreement_(agreement) {}

  /// The host adapter sends a command, and the target takes it.
  void begin(const Command& command) {
    s.submit(command);
    take();
  }
  void take() {
    if (has_negotiated_) {
      s.take_command(10);
    } else {
      take_negotiating(s, agreement_);
    }
    has_negotiated_ = true;
  }
  /// The firmware aborts a transfer; the command still comes to its end.
  void abort_transfer() {
    s.bench().note(fmt::format("residue {}", s.bench().read(regs::Residue::kOffset)));
    s.command(Op::kAbort);
    EXPECT_EQ(s.await(), IntrState::kTransferDoneMask);
    s.complete();
  }

  Script& s;

 private:
  const initiator::Agreement& agreement_;
  bool has_negotiated_ = false;
};

void whole(DataScript& d, Way way) {
  d.begin(way.command(4096));
  way.grant(d.s, 4096);
  EXPECT_EQ(d.s.transfer(way.phase(), 4096), IntrState::kTransferDoneMask);
  d.s.complete();
  ASSERT_TRUE(d.s.completion(0));
  EXPECT_EQ(d.s.bench().sink().size(), way.out ? 4096U : 0U);
  const Bytes& data = d.s.completion(0)->data;
  for (std::size_t i = 0; !way.out && i < 4096; ++i) ASSERT_EQ(data[i], pattern(i));
}

// Credits come late, early, at once, and in twos, and the data stream through.
void by_credits(DataScript& d, Way way) {
  d.begin(way.command(4096));
  d.s.start(way.phase(), 4096, true);
  for (const unsigned wait : {5U, 700U, 2500U, 4000U, 10U, 3000U}) {
    d.s.bench().step(wait);
    way.grant(d.s, 512);
  }
  d.s.bench().step(5000);
  way.grant(d.s, 1024);
  EXPECT_EQ(d.s.await(), IntrState::kTransferDoneMask);
  d.s.complete();
}

void in_parts(DataScript& d) {
  for (const Way way : {kIn, kOut}) {
    d.begin(way.command(600));
    way.grant(d.s, 600);
    d.s.transfer(way.phase(), 400);
    d.s.transfer(way.phase(), 100);
    d.s.transfer(way.phase(), way.out ? 99 : 1);
    d.s.transfer(way.phase(), way.out ? 1 : 99);
    d.s.complete();
  }
}

void through_the_fifo(DataScript& d) {
  d.begin(kIn.command(40));
  d.s.put(Phase::kDataIn, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  d.s.put(Phase::kDataIn, {7, 7, 7});
  d.s.complete();
  d.begin(kOut.command(40));
  for (const std::uint32_t count : {16U, 2U, 5U}) {
    EXPECT_EQ(d.s.get(Phase::kDataOut, count).size(), count);
  }
  d.s.complete();
}

// Credits exceed the host adapter's room, and its data.
void past_the_end(DataScript& d) {
  for (const Way way : {kIn, kOut}) {
    d.begin(way.command(100));
    way.grant(d.s, 140);
    d.s.transfer(way.phase(), 140);
    d.s.complete();
  }
}

// RESIDUE is the number of bytes that crossed the bus; the connection is sound afterwards.
void abort_without_credits(DataScript& d) {
  for (const unsigned wait : {0U, 1U, 30U, 33U, 35U, 37U, 60U, 101U, 900U, 2049U}) {
    for (const Way way : {kIn, kOut}) {
      d.begin(way.command(2048));
      d.s.start(way.phase(), 2048, true);
      d.s.bench().step(wait);
      d.abort_transfer();
    }
  }
}

void abort_while_bytes_move(DataScript& d, Way way, unsigned wait) {
  d.begin(way.command(2048));
  way.grant(d.s, 2048);
  d.s.start(way.phase(), 2048, true);
  d.s.bench().step(wait);
  d.abort_transfer();
}

// The target sees a parity error of the initiator itself. For the target's own data the initiator
// reports one by ATN and the message INITIATOR DETECTED ERROR.
void parity_error(DataScript& d, Way way) {
  Command command = way.command(2048);
  command.parity_faults = {{way.phase(), 700}};
  d.begin(command);
  way.grant(d.s, 2048);
  const std::uint32_t events = d.s.transfer(way.phase(), 2048);
  EXPECT_EQ(events, way.out ? IntrState::kParityErrorMask : IntrState::kAttentionMask);
  if (!way.out) {
    EXPECT_EQ(d.s.await(), IntrState::kTransferDoneMask);
    EXPECT_EQ(d.s.messages(), Bytes{0x05});
  }
  d.s.complete(2);
}

/// The message ABORT arrives at the firmware, which frees the bus.
void take_abort_message(Script& s) {
  s.command(Op::kAbort);
  s.await();
  EXPECT_EQ(s.messages(), Bytes{0x06});
  s.release();
}

void abort_message(DataScript& d) {
  d.begin(kIn.command(2048));
  d.s.bench().give(2048);
  d.s.start(Phase::kDataIn, 2048, true);
  d.s.bench().step(502);  // no ACK is asserted, which ATN would hold for a while
  d.s.manage(initiator::ManagementKind::kAbort);
  EXPECT_EQ(d.s.await(), IntrState::kAttentionMask);
  take_abort_message(d.s);
}

// ATN between the bytes holds no ACK back (6.2.1): the phase ends when it would have ended, and the
// message follows. If the data were over, it comes on a connection of its own.
void abort_message_at_any_clock(DataScript& d) {
  for (unsigned wait = 0; wait < 150; ++wait) {
    d.begin(kIn.command(12));
    d.s.bench().give(12);
    d.s.start(Phase::kDataIn, 12, true);
    d.s.bench().step(wait);
    d.s.manage(initiator::ManagementKind::kAbort);
    std::uint32_t events = 0;
    for (int i = 0; i < 3 && (events & IntrState::kTransferDoneMask) == 0; ++i) {
      events |= d.s.await();
    }
    EXPECT_TRUE(events & IntrState::kTransferDoneMask);
    if (!d.s.attention()) {
      d.s.complete();
      d.s.await();
    }
    EXPECT_EQ(d.s.messages().back(), 0x06);
    d.s.release();
  }
}

void reset_in(DataScript& d) {
  d.s.submit(kIn.command(2048));
  d.s.submit(test_unit_ready());
  d.take();
  d.s.bench().give(2048);
  d.s.start(Phase::kDataIn, 2048, true);
  d.s.bench().step(500);
  d.s.bench().reset_bus();
  EXPECT_EQ(d.s.await(), IntrState::kBusResetMask);
  d.s.await();
  d.s.messages();
}

void reset_out(DataScript& d) {
  d.s.whole_sectors = true;  // the FIFO's content at the reset is lost in the block
  d.begin(kOut.command(2048));
  d.s.bench().make_room(512);
  d.s.start(Phase::kDataOut, 2048, true);
  d.s.bench().step(4000);
  d.s.bench().make_room(512);
  d.s.bench().step(333);
  d.s.bench().reset_bus();
  EXPECT_EQ(d.s.await(), IntrState::kBusResetMask);
}

struct Mode {
  const char* what;
  initiator::Agreement agreement;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.what; }
const Mode kModes[] = {
    {"Async", initiator::kAsynchronous},
    {"AsyncWide", {true, 0, 0}},
    {"Fast10", initiator::kFast10Narrow},
    {"Fast10Wide", initiator::kFast10Wide},
    {"Sync200", {false, 50, 7}},
    {"SyncWide248", {true, 62, 3}},
    {"Sync124Offset1", {false, 31, 1}},
    // It is longer than the bus settle delay: REQ of the phase before counts.
    {"SyncWide472", {true, 118, 2}},
};

struct DataCase {
  const char* what;
  std::function<void(DataScript&)> run;
};
void PrintTo(const DataCase& row, std::ostream* out) { *out << row.what; }
const DataCase kCases[] = {
    {"In_AllDataAtOnce", [](DataScript& d) { whole(d, kIn); }},
    {"Out_AllRoomAtOnce", [](DataScript& d) { whole(d, kOut); }},
    {"In_ByCredits", [](DataScript& d) { by_credits(d, kIn); }},
    {"Out_ByCredits", [](DataScript& d) { by_credits(d, kOut); }},
    {"SeveralTransfersInOnePhase_OfOddLengths", in_parts},
    {"ThroughTheFifo", through_the_fifo},
    {"PastTheEndOfTheData", past_the_end},
    {"Abort_WithoutCredits_AtAnyClock", abort_without_credits},
    {"Abort_WhileBytesMoveIn", [](DataScript& d) { abort_while_bytes_move(d, kIn, 1000); }},
    {"Abort_WhileBytesMoveOut", [](DataScript& d) { abort_while_bytes_move(d, kOut, 1003); }},
    {"ParityErrorIn_RaisesAttention", [](DataScript& d) { parity_error(d, kIn); }},
    {"ParityErrorOut_IsReported", [](DataScript& d) { parity_error(d, kOut); }},
    {"AbortMessage_WhileBytesMove", abort_message},
    {"AbortMessage_AtAnyClockOfAShortTransfer", abort_message_at_any_clock},
    {"BusReset_WhileBytesMoveIn", reset_in},
    {"BusReset_WhileBytesMoveOut", reset_out},
};

using ModeAndCase = std::tuple<Mode, DataCase>;
class ScsiTargetData : public testing::TestWithParam<ModeAndCase> {};

TEST_P(ScsiTargetData, BlockAndModelAgree) {
  const initiator::Agreement& agreement = std::get<Mode>(GetParam()).agreement;
  initiator::Config host = negotiating(agreement);
  host.times.reset_to_arbitration_ps = 5 * kPicosecondsPerMicrosecond;
  expect_alike(
      [&](Script& s) {
        DataScript data(s, agreement);
        std::get<DataCase>(GetParam()).run(data);
      },
      {host});
}

std::string name_of(const testing::TestParamInfo<ModeAndCase>& test) {
  return fmt::format("{}_{}", std::get<Mode>(test.param).what, std::get<DataCase>(test.param).what);
}
INSTANTIATE_TEST_SUITE_P(Modes, ScsiTargetData,
                         testing::Combine(testing::ValuesIn(kModes), testing::ValuesIn(kCases)),
                         name_of);

// -------------------------------------------------------------------------------------- attention

/// ATN at any clock of the current bytes, which continue for a while: it delays none of them.
struct Attention {
  initiator::Agreement agreement;
  Way way;
  unsigned wait;
};
class ScsiTargetAttention : public testing::TestWithParam<Attention> {};

TEST_P(ScsiTargetAttention, WhileBytesMove_HoldsBackNone) {
  const Attention& at = GetParam();
  expect_alike(
      [&](Script& s) {
        s.submit(at.way.command(2048));
        take_negotiating(s, at.agreement);
        s.agree(4, 0, at.agreement.wide);
        at.way.grant(s, 2048);
        s.start(at.way.phase(), 2048, true);
        s.bench().step(at.wait);
        s.manage(initiator::ManagementKind::kAbort);
        EXPECT_EQ(s.await(), IntrState::kAttentionMask);
        s.bench().step(700);
        take_abort_message(s);
      },
      {negotiating(at.agreement)});
}

std::vector<Attention> attentions() {
  std::vector<Attention> all;
  for (const bool wide : {false, true}) {
    for (const Way way : {kIn, kOut}) {
      for (unsigned wait = 500; wait < 526; ++wait) {
        all.push_back({initiator::Agreement{wide, 0, 0}, way, wait});
      }
      // Clocks at the last bytes of one sector, while those of the next are on their way.
      const unsigned sector = wide ? 3300 : 6600;
      for (unsigned wait = sector; wait < sector + 200; wait += 9) {
        all.push_back({initiator::Agreement{wide, 0, 0}, way, wait});
      }
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Clocks, ScsiTargetAttention, testing::ValuesIn(attentions()),
                         [](const testing::TestParamInfo<Attention>& at) {
                           return fmt::format("{}{}{}", at.param.agreement.wide ? "Wide" : "Narrow",
                                              at.param.way.out ? "Out" : "In", at.param.wait);
                         });

}  // namespace
}  // namespace headstack::contract
