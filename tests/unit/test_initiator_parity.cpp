// SPDX-License-Identifier: Apache-2.0
// Bad parity, seen by the initiator and by the target
// (SCSI-2 5.6, 6.1.9.2, 6.2.1, 6.6.10, 6.6.13).
#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::Phase;
using initiator::Outcome;
using initiator::ParityFault;
namespace line = bus::line;

/// Every ATN raised while ACK is asserted stands two deskew delays before that ACK falls (6.2.1).
void expect_attention_in_time(const Recorder& recorder) {
  Picoseconds raised = bus::kNever;
  for (const auto& change : recorder.changes) {
    const bus::LineSet rose = change.now & ~change.before;
    const bus::LineSet fell = change.before & ~change.now;
    if (rose & line::kAtn) raised = change.at;
    if ((fell & line::kAck) && (change.now & line::kAtn)) {
      EXPECT_GE(change.at - raised, 90'000);
    }
  }
}

void expect_good(const Bench& bench, const Bytes& data, unsigned parity_errors) {
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kComplete);
  EXPECT_EQ(bench.completions[0].status, 0);
  EXPECT_EQ(bench.completions[0].data, data);
  EXPECT_EQ(bench.completions[0].parity_errors, parity_errors);
  expect_attention_in_time(bench.recorder);
  bench.expect_no_violations();
}

TEST(InitiatorParity, BadDataIn_InitiatorDetectedError_TargetRepeats) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.bad_parity_at = 5;
    t.put(Phase::kDataIn, pattern(32));
    EXPECT_TRUE(t.attention());
    EXPECT_EQ(t.messages_out(), (Bytes{0x05}));
    t.message_in({0x03});
    t.put(Phase::kDataIn, pattern(32));
    t.finish(0);
  });
  bench.submit(read_bytes(32));
  bench.run();
  expect_good(bench, pattern(32), 1);
}

TEST(InitiatorParity, BadStatus_IsNotBelieved) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.bad_parity_at = 0;
    t.status(0x02);
    EXPECT_TRUE(t.attention()) << "before the phase ends: 6.2.1";
    EXPECT_EQ(t.messages_out(), (Bytes{0x05}));
    t.message_in({0x03});
    t.finish(0);
  });
  bench.submit(test_unit_ready());
  bench.run();
  expect_good(bench, {}, 1);
}

// Nor is a COMMAND COMPLETE after it believed: the command has no status.
TEST(InitiatorParity, BadStatus_ThatIsNotSentAgain_CompletesNothing) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.bad_parity_at = 0;
    t.status(0x00);
    EXPECT_EQ(t.messages_out(), (Bytes{0x05}));
    t.message_in({0x00});
    t.release();
  });
  bench.submit(test_unit_ready());
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kUnexpectedBusFree);
  EXPECT_EQ(bench.completions[0].times.status, bus::kNever);
}

TEST(InitiatorParity, BadMessageIn_MessageParityError_WholeMessageAgain) {
  initiator::Config config;
  config.agreement = initiator::kFast10Narrow;
  Bench bench(config);
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.bad_parity_at = 2;
    t.message_in({1, 3, 1, 25, 9});
    EXPECT_EQ(t.messages_out(), (Bytes{0x09}));
    t.message_in({1, 3, 1, 25, 9});
    t.get(Phase::kCommand, 6);
    t.status(0);
    t.bad_parity_at = 0;
    t.message_in({0x00});
    EXPECT_EQ(t.messages_out(), (Bytes{0x09}));
    t.message_in({0x00});
    t.release();
  });
  bench.submit(test_unit_ready());
  bench.run();
  expect_good(bench, {}, 2);
  EXPECT_EQ(bench.initiator.agreement(0).offset, 9);
}

TEST(InitiatorParity, InitiatorMayTakeGoodBytesForBad) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, pattern(16));
    EXPECT_EQ(t.messages_out(), (Bytes{0x05}));
    t.message_in({0x03});
    t.put(Phase::kDataIn, pattern(16));
    t.finish(0);
  });
  initiator::Command command = read_bytes(16);
  command.parity_faults = {ParityFault{Phase::kDataIn, 3}, ParityFault{Phase::kDataIn, 4}};
  bench.submit(command);
  bench.run();
  expect_good(bench, pattern(16), 2);
}

TEST(InitiatorParity, BadMessageOut_TargetAsksAgain_AllOfThePhaseIsSentAgain) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    EXPECT_EQ(t.messages_out(), (Bytes{0xC0, 0x20, 4}));
    EXPECT_EQ(t.parity_errors, 1U);
    // 6.1.9.2: REQ again in the same phase, with ATN negated.
    Bytes again = t.get(Phase::kMessageOut, 1);
    EXPECT_TRUE(t.attention()) << "more than one byte";
    const Bytes rest = t.messages_out();
    again.insert(again.end(), rest.begin(), rest.end());
    EXPECT_EQ(again, (Bytes{0xC0, 0x20, 4}));
    EXPECT_EQ(t.parity_errors, 1U);
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  initiator::Command command = tagged(test_unit_ready(), 4);
  command.parity_faults = {ParityFault{Phase::kMessageOut, 1}};
  bench.submit(command);
  bench.run();
  expect_good(bench, {}, 0);
}

// 6.1.9.2 wants ATN with the first byte again only for more than one message byte.
TEST(InitiatorParity, BadMessageOutOfOneByte_IsSentAgain_WithoutAttention) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    EXPECT_EQ(t.messages_out(), (Bytes{0xC0}));
    EXPECT_EQ(t.parity_errors, 1U);
    EXPECT_EQ(t.get(Phase::kMessageOut, 1), (Bytes{0xC0}));
    EXPECT_EQ(t.parity_errors, 1U);
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  initiator::Command command = test_unit_ready();
  command.parity_faults = {ParityFault{Phase::kMessageOut, 0}};
  bench.submit(command);
  bench.run();
  expect_good(bench, {}, 0);
  EXPECT_NE(bench.recorder.rise(line::kAtn), bus::kNever);
  EXPECT_EQ(bench.recorder.rise(line::kAtn, 1), bus::kNever);
}

// A tag that went out twice because of that is still one, and MESSAGE REJECT takes it away
// (6.6.17).
TEST(InitiatorParity, TagIsSentAgainAndRejected_CommandGoesOnUntagged) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kMessageOut, 1);
    t.messages_out();
    t.message_in({0x07});
    t.get(Phase::kCommand, 6);
    t.disconnect(true);
    while (!t.reselect(7)) {
    }
    t.message_in({0x80});
    t.finish(0);
  });
  initiator::Command command = tagged(test_unit_ready(), 9);
  command.parity_faults = {ParityFault{Phase::kMessageOut, 1}};
  bench.submit(command);
  bench.run();
  expect_good(bench, {}, 0);
}

// Each byte of a word has a parity line of its own: odd bytes go over the upper one (SCSI-2 5.6).
// Byte 17 is past the end. What fills up the last word has valid parity (6.6.8).
TEST(InitiatorParity, BadDataOutOfTwoBytesAtOnce_EachByteByItself_Once) {
  initiator::Config config;
  config.agreement = initiator::Agreement{true, 0, 0};
  Bench bench(config);
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    const auto expect = [&t](std::uint64_t all, std::uint64_t upper) {
      EXPECT_EQ(t.parity_errors, all);
      EXPECT_EQ(t.upper_parity_errors, upper);
    };
    t.await_selection();
    t.messages_out();
    t.message_in({1, 2, 3, 1});
    t.mode.wide = true;
    t.get(Phase::kCommand, 10);
    t.get(Phase::kDataOut, 6);
    expect(0, 0);
    t.get(Phase::kDataOut, 2);
    expect(1, 1);
    t.get(Phase::kDataOut, 6);
    expect(2, 1);
    t.get(Phase::kDataOut, 2);
    expect(4, 2);
    t.get(Phase::kDataOut, 1);
    expect(4, 2);
    t.message_in({0x03});
    EXPECT_EQ(t.get(Phase::kDataOut, 17), pattern(17));
    expect(4, 2);
    t.finish(0);
  });
  initiator::Command command = write_bytes(pattern(17));
  for (const std::uint32_t byte : {7U, 12U, 14U, 15U, 17U}) {
    command.parity_faults.push_back(ParityFault{Phase::kDataOut, byte});
  }
  bench.submit(command);
  bench.run();
  expect_good(bench, {}, 0);
}

TEST(InitiatorParity, BadCommandAndDataOut_AfterRestorePointersBothAreSentAgain) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    const Bytes bad = t.get(Phase::kCommand, 10);
    EXPECT_EQ(t.parity_errors, 1U);
    t.message_in({0x03});
    EXPECT_EQ(t.get(Phase::kCommand, 10), bad) << "same bytes, good parity now";
    EXPECT_EQ(t.parity_errors, 1U);
    t.get(Phase::kDataOut, 16);
    EXPECT_EQ(t.parity_errors, 2U);
    t.message_in({0x03});
    EXPECT_EQ(t.get(Phase::kDataOut, 16), pattern(16));
    EXPECT_EQ(t.parity_errors, 2U);
    t.finish(0);
  });
  initiator::Command command = write_bytes(pattern(16));
  command.parity_faults = {ParityFault{Phase::kCommand, 9}, ParityFault{Phase::kDataOut, 7}};
  bench.submit(command);
  bench.run();
  expect_good(bench, {}, 0);
}

TEST(InitiatorParity, SynchronousDataInWithBadParity_ErrorIsSentAfterThePhase) {
  initiator::Config config;
  config.agreement = initiator::kFast10Narrow;
  Bench bench(config);
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.message_in({1, 3, 1, 25, 15});
    t.mode.offset = 15;
    t.get(Phase::kCommand, 10);
    t.bad_parity_at = 20;
    t.put(Phase::kDataIn, pattern(64));
    EXPECT_EQ(t.messages_out(), (Bytes{0x05}));
    t.finish(0x02);
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.finish(0x08);  // BUSY: no sense data to be had
  });
  bench.submit(read_bytes(64));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].status, 2);
  EXPECT_EQ(bench.completions[0].parity_errors, 1U);
  EXPECT_TRUE(bench.completions[0].sense.empty());
  EXPECT_TRUE(bench.initiator.idle());
  bench.expect_no_violations();
}

}  // namespace
}  // namespace headstack::test
