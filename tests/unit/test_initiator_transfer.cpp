// SPDX-License-Identifier: Apache-2.0
// Negotiation and data phases: asynchronous and synchronous, narrow and wide (SCSI-2 6.1.5, 6.6.21,
// 6.6.23), under seeded stalls.
#include <algorithm>

#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::Phase;
using initiator::Agreement;
using initiator::Config;
using initiator::kAsynchronous;
using initiator::kFast10Narrow;
using initiator::kFast10Wide;

Config with(const Agreement& agreement) {
  Config config;
  config.agreement = agreement;
  return config;
}

/// Answers WDTR, then SDTR, with the same values. Returns all that the initiator asked for.
std::vector<Bytes> negotiate(TestTarget& t) {
  std::vector<Bytes> asked;
  Bytes messages = t.messages_out();
  while (messages.size() > 3) {
    const auto start = std::find(messages.begin(), messages.end(), 0x01);
    asked.emplace_back(start, messages.end());
    const Bytes ask = asked.back();
    t.message_in(ask);  // the same values: agreed
    if (ask[2] == 0x03) {
      t.mode.wide = ask[3] == 1;
      t.mode.offset = 0;
    } else {
      t.mode.period = ask[3] * 4'000;
      t.mode.offset = ask[4];
    }
    messages = t.attention() ? t.messages_out() : Bytes{};
    if (!messages.empty()) messages.insert(messages.begin(), 0xC0);  // IDENTIFY, as at first
  }
  return asked;
}

struct AgreementCase {
  const char* name;
  Agreement wanted;
  std::vector<Bytes> asked;
};

const std::vector<AgreementCase>& agreement_cases() {
  static const std::vector<AgreementCase> kCases = {
      {"asynchronous", kAsynchronous, {}},
      {"Fast-10 narrow", kFast10Narrow, {{1, 3, 1, 25, 15}}},
      {"Fast-10 wide", kFast10Wide, {{1, 2, 3, 1}, {1, 3, 1, 25, 15}}},
      {"wide asynchronous", Agreement{true, 0, 0}, {{1, 2, 3, 1}}},
      {"5 MT/s, offset 1", Agreement{false, 50, 1}, {{1, 3, 1, 50, 1}}},
  };
  return kCases;
}

class InitiatorTransfer : public testing::TestWithParam<std::size_t> {};

TEST_P(InitiatorTransfer, FirstContactNegotiates_AndDataArriveWhole) {
  const AgreementCase& c = agreement_cases()[GetParam()];
  SCOPED_TRACE(c.name);
  Config config = with(c.wanted);
  config.times.synchronous_req_to_ack_ps = 3'000'000;  // slow enough to fill any offset
  Bench bench(config);
  const std::size_t length = 513;  // odd: wide transfers end in half a word
  const Bytes written = pattern(length, 2);
  const Bytes read = pattern(length, 3);
  std::vector<std::vector<Bytes>> asked;
  Bytes got;
  TestTarget target("target", bench.bus, 2, [&](TestTarget& t) {
    t.max_stall = 80'000;
    for (int i = 0; i < 4; ++i) {
      t.await_selection();
      asked.push_back(negotiate(t));
      const Bytes cdb = t.get(Phase::kCommand, 10);
      if (cdb[0] == 0x2A) {
        got = t.get(Phase::kDataOut, length);
      } else {
        t.put(Phase::kDataIn, read);
        if (t.mode.wide) t.message_in({0x23, 0x01});  // IGNORE WIDE RESIDUE
      }
      t.finish(0);
    }
    EXPECT_EQ(t.parity_errors, 0U);
    EXPECT_LE(t.most_ahead, std::max(1U, unsigned{c.wanted.offset}));
    if (c.wanted.offset != 0) {
      EXPECT_EQ(t.most_ahead, c.wanted.offset) << "offset is used";
    }
  });
  for (int i = 0; i < 2; ++i) {
    initiator::Command write = write_bytes(written);
    initiator::Command reading = read_bytes(length);
    write.target = reading.target = 2;
    bench.submit(write);
    bench.submit(reading);
  }
  bench.run();
  ASSERT_EQ(bench.completions.size(), 4U);
  EXPECT_EQ(asked[0], c.asked) << "WDTR first, then SDTR";
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(asked[i].empty()) << "first contact only";
  EXPECT_EQ(got, written);
  for (const initiator::Completion& done : bench.completions) {
    EXPECT_EQ(done.bytes_moved, length);
    EXPECT_EQ(done.bytes_beyond, 0U);
    EXPECT_EQ(done.parity_errors, 0U);
  }
  EXPECT_EQ(bench.completions[1].data, read);
  EXPECT_EQ(bench.completions[3].data, read);
  EXPECT_EQ(bench.initiator.agreement(2), c.wanted);
  bench.expect_no_violations();
}

// The initiator's own pulses, measured at the pins: no ACK follows another sooner than agreed.
// Setup, hold, assertion and negation are as in SCSI-2 5.7 and 5.8.
TEST_P(InitiatorTransfer, AckPulses_KeepThePeriodAndItsParts) {
  const AgreementCase& c = agreement_cases()[GetParam()];
  if (c.wanted.offset == 0) GTEST_SKIP() << "asynchronous has no period";
  const bool fast = c.wanted.period_ps() < 200'000;
  const Picoseconds assertion = fast ? 30'000 : 90'000;
  const Picoseconds setup = fast ? 25'000 : 55'000;
  const Picoseconds hold = fast ? 35'000 : 100'000;
  Bench bench(with(c.wanted));
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.max_stall = 30'000;
    t.await_selection();
    negotiate(t);
    t.get(Phase::kCommand, 10);
    EXPECT_EQ(t.get(Phase::kDataOut, 256), pattern(256));
    t.finish(0);
  });
  bench.submit(write_bytes(pattern(256)));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  const Picoseconds first = bench.completions[0].times.data_first;
  const Picoseconds last = bench.completions[0].times.data_last;
  Picoseconds ack_rose = bus::kNever;
  Picoseconds ack_fell = bus::kNever;
  Picoseconds data_changed = bus::kNever;
  Picoseconds shortest = kPicosecondsPerSecond;
  for (const auto& change : bench.recorder.changes) {
    if (change.at < first || change.at > last) {
      if (change.at < first && ((change.before ^ change.now) & bus::line::kData))
        data_changed = change.at;
      continue;
    }
    const bus::LineSet rose = change.now & ~change.before;
    const bus::LineSet fell = change.before & ~change.now;
    if ((rose | fell) & bus::line::kData) {
      ASSERT_GE(change.at - ack_rose, hold);
      data_changed = change.at;
    }
    if (rose & bus::line::kAck) {
      if (ack_rose != bus::kNever) shortest = std::min(shortest, change.at - ack_rose);
      ASSERT_GE(change.at - ack_rose, c.wanted.period_ps());
      ASSERT_GE(change.at - ack_fell, assertion) << "negation period";
      ASSERT_GE(change.at - data_changed, setup);
      ack_rose = change.at;
    }
    if (fell & bus::line::kAck) {
      ASSERT_GE(change.at - ack_rose, assertion);
      ack_fell = change.at;
    }
  }
  if (c.wanted.offset > 1) {
    EXPECT_EQ(shortest, c.wanted.period_ps()) << "as fast as agreed";
  }
  bench.expect_no_violations();
}

// An adapter slower than the agreement: data move at its pace, counted from its ACKs, even if the
// target could go faster.
TEST(InitiatorPace, DataMoveAtTheAdaptersPace_EachWayAtItsOwn) {
  constexpr Picoseconds kIn = 332'227, kOut = 364'961;
  initiator::Config config = with(kFast10Narrow);
  config.times.data_in_ack_period_ps = kIn;
  config.times.data_out_ack_period_ps = kOut;
  Bench bench(config);
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    negotiate(t);
    t.get(Phase::kCommand, 10);
    EXPECT_EQ(t.get(Phase::kDataOut, 256), pattern(256));
    t.finish(0);
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, pattern(256));
    t.finish(0);
  });
  bench.submit(write_bytes(pattern(256)));
  bench.submit(read_bytes(256));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 2U);
  const auto span = [&](std::size_t i) {
    return bench.completions[i].times.data_last - bench.completions[i].times.data_first;
  };
  EXPECT_EQ(span(0), 255 * kOut);
  // DATA IN is timed by REQ. The target sends 15 REQs ahead, and then waits for the ACKs.
  EXPECT_NEAR(static_cast<double>(span(1)), 240.0 * kIn, 2.0 * kIn);
  EXPECT_EQ(bench.completions[1].data, pattern(256));
  bench.expect_no_violations();
}

INSTANTIATE_TEST_SUITE_P(Agreements, InitiatorTransfer, testing::Range<std::size_t>(0, 5));

TEST(InitiatorNegotiation, TargetOffersLess_TheLessHolds) {
  Bench bench(with(kFast10Wide));
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.message_in({1, 2, 3, 0});  // 8 bits
    t.messages_out();
    t.message_in({1, 3, 1, 50, 7});  // 200 ns, offset 7
    EXPECT_FALSE(t.attention());
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  bench.submit(test_unit_ready());
  bench.run();
  EXPECT_EQ(bench.initiator.agreement(0), (Agreement{false, 50, 7}));
}

TEST(InitiatorNegotiation, TargetAsksForMoreThanOffered_IsRejected_AndAsynchronousHolds) {
  Bench bench(with(kFast10Narrow));
  Bytes answer;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.message_in({1, 3, 1, 25, 16});  // one more than 15
    answer = t.messages_out();
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  bench.submit(test_unit_ready());
  bench.run();
  EXPECT_EQ(answer, (Bytes{0x07}));
  EXPECT_EQ(bench.initiator.agreement(0), kAsynchronous);
}

TEST(InitiatorNegotiation, RejectedWdtr_SdtrFollows_RejectedSdtr_Asynchronous) {
  Bench bench(with(kFast10Wide));
  Bytes second;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    EXPECT_EQ(t.messages_out(), (Bytes{0xC0, 1, 2, 3, 1}));
    t.message_in({0x07});
    second = t.messages_out();
    t.message_in({0x07});
    EXPECT_FALSE(t.attention());
    t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, pattern(16));
    t.finish(0);
  });
  bench.submit(read_bytes(16));
  bench.run();
  EXPECT_EQ(second, (Bytes{1, 3, 1, 25, 15}));
  EXPECT_EQ(bench.initiator.agreement(0), kAsynchronous);
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].data, pattern(16));
}

TEST(InitiatorNegotiation, NoAnswer_MeansAsynchronous) {
  Bench bench(with(kFast10Narrow));
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (int i = 0; i < 2; ++i) {
      t.await_selection();
      EXPECT_EQ(t.messages_out().size(), i == 0 ? 6U : 1U) << "not asked again";
      t.get(Phase::kCommand, 10);
      t.put(Phase::kDataIn, pattern(16));
      t.finish(0);
    }
  });
  bench.submit(read_bytes(16));
  bench.submit(read_bytes(16));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(bench.completions[1].data, pattern(16));
}

// Case 9002-14972 of the adversary: a WDTR from the host's own messages is granted, then another
// host resets the drive. An initiator that wants 8 bits then asks for them (SCSI-2 6.6.23).
TEST(InitiatorNegotiation, WidthAgreedByHand_IsTakenBackWhenInDoubt) {
  initiator::Negotiator negotiator(initiator::kAsynchronous);
  negotiator.require();
  EXPECT_EQ(negotiator.open(), Bytes{}) << "nothing is agreed to";
  negotiator.adopt_width(1);
  EXPECT_EQ(negotiator.open(), Bytes{}) << "in force, and not in doubt";
  negotiator.require();
  EXPECT_EQ(negotiator.open(), (Bytes{0x01, 2, 3, 0}));
  bool rejected = false;
  EXPECT_EQ(negotiator.take_width(0, &rejected), Bytes{});
  EXPECT_FALSE(rejected);
  EXPECT_EQ(negotiator.agreement(), initiator::kAsynchronous);
  negotiator.adopt_synchronous(25, 8);
  negotiator.require();
  EXPECT_EQ(negotiator.open(), (Bytes{0x01, 3, 1, 25, 0})) << "offset 0: asynchronous";
}

/// Until a WDTR is answered, the agreement before it holds (SCSI-2 6.6.23). If the target
/// reconnects before that, data move by that agreement.
TEST(InitiatorNegotiation, CutOff_LeavesWhatWasAgreedTo_AndAsksAgain) {
  for (const initiator::Agreement& wanted : {initiator::kAsynchronous, initiator::kFast10Wide}) {
    initiator::Negotiator negotiator(wanted);
    negotiator.adopt_width(1);
    negotiator.require();
    const initiator::Message asked = negotiator.open();
    ASSERT_EQ(asked, initiator::width_message(wanted.wide ? 1 : 0));
    negotiator.cut_off();
    EXPECT_TRUE(negotiator.agreement().wide);
    EXPECT_FALSE(negotiator.under_way());
    EXPECT_TRUE(negotiator.needed());
    EXPECT_EQ(negotiator.open(), asked);
    negotiator.abandon();
    negotiator.cut_off();
    EXPECT_FALSE(negotiator.needed()) << "nothing was under way";
  }
}

TEST(InitiatorNegotiation, TargetMayOpen) {
  Bench bench(with(kFast10Narrow));
  Bytes answer;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.message_in({1, 3, 1, 25, 15});  // agreed
    t.get(Phase::kCommand, 6);
    t.message_in({1, 3, 1, 30, 31});  // a second SDTR, from the target
    answer = t.messages_out();
    t.finish(0);
  });
  bench.submit(test_unit_ready());
  bench.run();
  EXPECT_EQ(answer, (Bytes{1, 3, 1, 30, 15})) << "period not below, offset not above either's";
  EXPECT_EQ(bench.initiator.agreement(0), (Agreement{false, 30, 15}));
}

// SCSI-2 6.6.23: the answer has the smaller of the two widths.
TEST(InitiatorNegotiation, TargetMayOpenWithAWidth) {
  Bench bench(with(kAsynchronous));
  Bytes answer;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.message_in({1, 2, 3, 1});
    answer = t.messages_out();
    t.finish(0);
  });
  bench.submit(test_unit_ready());
  bench.run();
  EXPECT_EQ(answer, (Bytes{1, 2, 3, 0}));
  EXPECT_EQ(bench.initiator.agreement(0), kAsynchronous);
}

// agreement.hpp: the answer to a host's own message takes effect unchanged, and is not answered.
TEST(InitiatorNegotiation, AnswerToTheHostsOwnMessage_HoldsAndIsNotAnswered) {
  Bench bench(with(kAsynchronous));
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (const Bytes& answer : {Bytes{1, 2, 3, 1}, Bytes{1, 3, 1, 50, 8}}) {
      t.await_selection();
      t.messages_out();
      t.message_in(answer);
      EXPECT_FALSE(t.attention());
      t.get(Phase::kCommand, 6);
      t.finish(0);
    }
  });
  for (const Bytes& message : {Bytes{1, 2, 3, 1}, Bytes{1, 3, 1, 25, 15}}) {
    initiator::Command command = test_unit_ready();
    command.messages = {message};
    bench.submit(command);
  }
  bench.run();
  EXPECT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(bench.initiator.agreement(0), (Agreement{true, 50, 8}));
}

TEST(InitiatorNegotiation, AfterCheckConditionAndAfterReset_AnewAndOnlyThen) {
  Bench bench(with(kFast10Narrow));
  std::vector<std::size_t> asked;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (int i = 0; i < 5; ++i) {
      t.await_selection();
      asked.push_back(negotiate(t).size());
      const Bytes cdb = t.get(Phase::kCommand, 6);
      if (cdb[0] == 0x03) t.put(Phase::kDataIn, {0x70, 0, 6, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0x29});
      t.finish(i == 1 ? 0x02 : 0x00);
    }
  });
  bench.submit(test_unit_ready());
  bench.submit(test_unit_ready());  // unit attention: REQUEST SENSE negotiates
  bench.submit(test_unit_ready());
  bench.run();
  bench.initiator.reset_bus();
  EXPECT_EQ(bench.initiator.agreement(0).offset, 15);
  bench.run();
  EXPECT_EQ(bench.initiator.agreement(0), kAsynchronous);
  bench.submit(test_unit_ready());
  bench.run();
  EXPECT_EQ(asked, (std::vector<std::size_t>{1, 0, 1, 0, 1}));
  EXPECT_EQ(bench.completions.size(), 4U);
}

TEST(InitiatorSynchronous, OneReqAheadOfTheOffset_IsAViolation) {
  Bench bench(with(Agreement{false, 25, 2}));
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    negotiate(t);
    t.get(Phase::kCommand, 10);
    t.mode.offset = 3;  // not what was agreed
    t.mode.period = 80'000;
    t.put(Phase::kDataIn, pattern(64));
    t.finish(0);
  });
  bench.submit(read_bytes(64));
  bench.run(kPicosecondsPerMillisecond);
  ASSERT_FALSE(bench.bus.violations().empty());
  for (const auto& violation : bench.bus.violations()) {
    EXPECT_EQ(violation.rule, bus::Rule::kAgreement) << bus::to_string(violation);
  }
}

TEST(InitiatorCost, FastInitiator_NeedsTwoWakeUpsForAnAsynchronousByte) {
  Bench bench;
  bench.recorder.keep_changes = false;
  std::uint64_t deltas = 0;
  constexpr std::size_t kLength = 4096;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.enter(Phase::kDataIn);
    const std::uint64_t before = sc_core::sc_delta_count();
    t.put(Phase::kDataIn, pattern(kLength));
    deltas = sc_core::sc_delta_count() - before;
    t.finish(0);
  });
  bench.submit(read_bytes(kLength));
  bench.run();
  // The target wakes for its setup delay and both ACK edges, the initiator for both REQ edges. One
  // more delta per byte is for data driven before the setup delay.
  EXPECT_LE(deltas, 6 * kLength + 10);
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].bytes_moved, kLength);
}

}  // namespace
}  // namespace headstack::test
