// SPDX-License-Identifier: Apache-2.0
// The initiator's message flows against a scripted target (SCSI-2 6.1, 6.6).
//
// SystemC elaborates once per process: CTest runs every test of this file in its own.
#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::Phase;
using initiator::Outcome;
using initiator::TagType;

TEST(InitiatorFlow, UntaggedReadInOneConnection_GoesThroughAllPhasesInOrder) {
  Bench bench;
  const Bytes data = pattern(512);
  Bytes messages;
  Bytes cdb;
  TestTarget target("target", bench.bus, 3, [&](TestTarget& t) {
    EXPECT_TRUE(t.await_selection());
    messages = t.messages_out();
    cdb = t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, data);
    t.finish(0x00);
  });
  initiator::Command command = read_bytes(512);
  command.target = 3;
  bench.submit(command);
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  const initiator::Completion& done = bench.completions[0];
  EXPECT_EQ(messages, (Bytes{0xC0})) << "IDENTIFY with disconnect privilege, LUN 0 (6.6.7)";
  EXPECT_EQ(cdb, command.cdb);
  EXPECT_EQ(done.outcome, Outcome::kComplete);
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.data, data);
  EXPECT_EQ(done.bytes_moved, 512U);
  EXPECT_EQ(bench.recorder.phases,
            (std::vector<Phase>{Phase::kArbitration, Phase::kSelection, Phase::kMessageOut,
                                Phase::kCommand, Phase::kDataIn, Phase::kStatus, Phase::kMessageIn,
                                Phase::kBusFree}));
  bench.expect_no_violations();
  // The road has an order.
  const initiator::Times& t = done.times;
  const std::vector<Picoseconds> road = {t.submitted,    t.arbitration_won, t.selected,
                                         t.command_sent, t.data_first,      t.data_last,
                                         t.status,       t.complete,        t.finished};
  EXPECT_TRUE(std::is_sorted(road.begin(), road.end()));
  // From pins: DB(7-0) had its 512th byte at the last REQ of DATA IN.
  EXPECT_EQ(t.arbitration_won, bench.recorder.rise(bus::line::kSel));
  EXPECT_EQ(t.finished, bench.recorder.fall(bus::line::kBsy, 1)) << "BSY fell for selection before";
}

TEST(InitiatorFlow, WriteSendsEveryByteOnce) {
  Bench bench;
  const Bytes data = pattern(1000);
  Bytes got;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    got = t.get(Phase::kDataOut, 1000);
    t.finish(0x00);
    EXPECT_EQ(t.parity_errors, 0U);
  });
  bench.submit(write_bytes(data));
  bench.run();
  EXPECT_EQ(got, data);
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].bytes_moved, 1000U);
  bench.expect_no_violations();
}

struct TagCase {
  TagType type;
  std::uint16_t tag;
  bool extended;
  Bytes messages;
};

TEST(InitiatorFlow, TagMessages_TwoBytesUpTo255_ExtendedAbove) {
  const std::vector<TagCase> cases = {
      {TagType::kSimple, 5, false, {0xC0, 0x20, 5}},
      {TagType::kHeadOfQueue, 6, false, {0xC0, 0x21, 6}},
      {TagType::kOrdered, 255, false, {0xC0, 0x22, 255}},
      {TagType::kSimple, 256, false, {0xC0, 0x01, 4, 0x80, 0x20, 1, 0}},
      {TagType::kOrdered, 0xFEDC, false, {0xC0, 0x01, 4, 0x80, 0x22, 0xFE, 0xDC}},
      {TagType::kHeadOfQueue, 7, true, {0xC0, 0x01, 4, 0x80, 0x21, 0, 7}},
  };
  Bench bench;
  std::vector<Bytes> got;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (;;) {
      t.await_selection();
      got.push_back(t.messages_out());
      t.get(Phase::kCommand, 6);
      t.finish(0);
    }
  });
  for (const TagCase& c : cases) {
    initiator::Command command = tagged(test_unit_ready(), c.tag, c.type);
    command.extended_tag = c.extended;
    bench.submit(command);
  }
  bench.run();
  ASSERT_EQ(got.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(got[i], cases[i].messages) << i;
  bench.expect_no_violations();
}

TEST(InitiatorFlow, WithoutDisconnectPrivilege_IdentifySaysSo_AndDisconnectIsRejected) {
  Bench bench;
  Bytes first;
  Bytes answer;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    first = t.messages_out();
    t.get(Phase::kCommand, 6);
    t.message_in({0x04});
    answer = t.messages_out();
    t.finish(0);
  });
  initiator::Command command = test_unit_ready();
  command.may_disconnect = false;
  command.lun = 5;
  bench.submit(command);
  bench.run();
  EXPECT_EQ(first, (Bytes{0x85}));
  EXPECT_EQ(answer, (Bytes{0x07}));
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kComplete);
}

TEST(InitiatorFlow, CommandSpecificMessages_FollowTheTag) {
  Bench bench;
  Bytes got;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    got = t.messages_out();
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  initiator::Command command = tagged(test_unit_ready(), 1);
  command.messages = {{0x01, 0x05, 0x81, 0, 1, 0x12, 0x34}};
  bench.submit(command);
  bench.run();
  EXPECT_EQ(got, (Bytes{0xC0, 0x20, 1, 0x01, 0x05, 0x81, 0, 1, 0x12, 0x34}));
}

// It is made when its turn comes. It is the same when the target saw bad parity and asks for all of
// the phase again (6.1.9.2).
TEST(InitiatorFlow, ADatedMessage_IsMadeWhenItsFirstByteGoesOut_Once) {
  const Bytes sent = {0xC0, 0x20, 1, 0x01, 0x03, 0x55, 0, 1, 0x01, 0x02, 0x99, 0x77};
  constexpr std::size_t kDated = 8;  // its first byte
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    EXPECT_EQ(t.messages_out(), sent);
    Bytes again = t.get(Phase::kMessageOut, 1);
    const Bytes rest = t.messages_out();
    again.insert(again.end(), rest.begin(), rest.end());
    EXPECT_EQ(again, sent);
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  std::vector<Picoseconds> made;
  initiator::Command command = tagged(test_unit_ready(), 1);
  command.parity_faults = {initiator::ParityFault{Phase::kMessageOut, 1}};
  command.messages = {{0x01, 0x03, 0x55, 0, 1}};
  command.dated_message = [&made](Picoseconds now) {
    made.push_back(now);
    return Bytes{0x01, 0x02, 0x99, 0x77};
  };
  bench.submit(command);
  bench.run();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_GE(made[0], bench.recorder.bytes.at(kDated - 1).at);
  EXPECT_LE(made[0], bench.recorder.bytes.at(kDated).at);
}

TEST(InitiatorFlow, UnknownMessage_IsRejected_AndTheCommandGoesOn) {
  Bench bench;
  Bytes answer;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.message_in({0x01, 0x05, 0x00, 0, 0, 0, 1});  // MODIFY DATA POINTER
    EXPECT_TRUE(t.attention()) << "before ACK falls: 6.2.1";
    answer = t.messages_out();
    t.finish(0);
  });
  bench.submit(test_unit_ready());
  bench.run();
  EXPECT_EQ(answer, (Bytes{0x07}));
  ASSERT_EQ(bench.completions.size(), 1U);
  bench.expect_no_violations();
}

TEST(InitiatorFlow, TagRejected_CommandGoesOnUntagged) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    EXPECT_EQ(t.messages_out(), (Bytes{0xC0, 0x20, 9}));
    t.message_in({0x07});
    t.get(Phase::kCommand, 6);
    t.disconnect(true);
    while (!t.reselect(7)) {
    }
    t.message_in({0x80});  // no tag: the untagged nexus
    t.finish(0);
  });
  bench.submit(tagged(test_unit_ready(), 9));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kComplete);
  EXPECT_EQ(bench.completions[0].times.reselected.size(), 1U);
  bench.expect_no_violations();
}

TEST(InitiatorFlow, NoTarget_SelectionTimesOutAfter250ms_AndTheBusIsFree) {
  Bench bench;
  initiator::Command command = test_unit_ready();
  command.target = 5;
  bench.submit(command);
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kSelectionTimeOut);
  // 6.1.3.1 b: 250 ms after BSY was released the ids go, SEL and ATN follow after 200 us + 90 ns.
  const Picoseconds released = bench.recorder.fall(bus::line::kBsy);
  EXPECT_EQ(bench.recorder.fall(bus::line::kSel) - released,
            250'000'000'000 + 200'000'000 + 90'000);
  EXPECT_EQ(bench.bus.lines(), 0U);
  bench.expect_no_violations();
}

TEST(InitiatorFlow, AnswerInTheLastMomentOfTheAbort_IsAnAnswer) {
  initiator::Config config;
  config.times.selection_time_out_ps = 10'000'000;
  Bench bench(config);
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    while (!t.has(bus::line::kSel)) t.wait_ps(100'000);
    while (t.has(bus::line::kBsy)) t.wait_ps(100'000);
    t.wait_ps(10'100'000);  // the ids are gone
    EXPECT_EQ(bus::db_of(t.port().lines()), 0);
    t.port().drive(bus::line::kBsy);
    while (t.has(bus::line::kSel)) t.wait_ps(10'000);
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  bench.submit(test_unit_ready());
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kComplete);
}

TEST(InitiatorFlow, BusFreeWithoutMessage_IsUnexpected) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.status(0);
    t.release();  // no COMMAND COMPLETE
  });
  bench.submit(test_unit_ready());
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kUnexpectedBusFree);
}

TEST(InitiatorFlow, CheckCondition_RequestSenseGoesFirst_AndComesWithTheCompletion) {
  Bench bench;
  const Bytes sense = {0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x24, 0, 0, 0, 0, 0};
  std::vector<Bytes> cdbs;
  std::vector<Bytes> messages;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (int i = 0; i < 3; ++i) {
      t.await_selection();
      messages.push_back(t.messages_out());
      cdbs.push_back(t.get(Phase::kCommand, 6));
      if (cdbs.back()[0] == 0x03) t.put(Phase::kDataIn, sense);
      t.finish(i == 0 ? 0x02 : 0x00);
    }
  });
  bench.submit(tagged(test_unit_ready(), 1));
  bench.submit(tagged(test_unit_ready(), 2));
  bench.run();
  ASSERT_EQ(cdbs.size(), 3U);
  EXPECT_EQ(cdbs[1], (Bytes{0x03, 0, 0, 0, 252, 0}));
  EXPECT_EQ(messages[1], (Bytes{0xC0})) << "untagged: 7.6 allows it during contingent allegiance";
  ASSERT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(bench.completions[0].status, 0x02);
  EXPECT_EQ(bench.completions[0].sense, sense);
  EXPECT_LT(bench.completions[0].times.complete, bench.completions[0].times.finished);
  EXPECT_EQ(bench.completions[1].status, 0x00);
  EXPECT_TRUE(bench.completions[1].sense.empty());
}

TEST(InitiatorFlow, WithoutAutoSense_CheckConditionIsTheCallers) {
  Bench bench;
  int commands = 0;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (;;) {
      t.await_selection();
      t.messages_out();
      t.get(Phase::kCommand, 6);
      ++commands;
      t.finish(0x02);
    }
  });
  initiator::Command command = test_unit_ready();
  command.auto_sense = false;
  const auto id = bench.initiator.submit(command);  // no callback: the completion waits
  bench.run();
  EXPECT_EQ(commands, 1);
  EXPECT_FALSE(bench.initiator.take(id + 1));
  const auto completion = bench.initiator.take(id);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->status, 0x02);
  EXPECT_FALSE(bench.initiator.take(id)) << "once";
}

TEST(InitiatorFlow, MoreDataThanBuffer_AreCountedNotStored) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (int i = 0; i < 2; ++i) {
      t.await_selection();
      t.messages_out();
      t.get(Phase::kCommand, 10);
      if (i == 0) t.put(Phase::kDataIn, pattern(20));
      if (i == 1) {
        EXPECT_EQ(t.get(Phase::kDataOut, 6), (Bytes{1, 2, 3, 4, 0, 0}));
      }
      t.finish(0);
    }
  });
  bench.submit(read_bytes(16));
  bench.submit(write_bytes({1, 2, 3, 4}));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 2U);
  Bytes expected = pattern(20);
  expected.resize(16);
  EXPECT_EQ(bench.completions[0].data, expected);
  EXPECT_EQ(bench.completions[0].bytes_beyond, 4U);
  EXPECT_EQ(bench.completions[1].bytes_moved, 4U);
  EXPECT_EQ(bench.completions[1].bytes_beyond, 2U);
}

TEST(InitiatorFlow, AttentionWithoutReason_GetsNoOperation) {
  Bench bench;
  Bytes got;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    got = t.get(Phase::kMessageOut, 1);  // without ATN
    t.finish(0);
  });
  bench.submit(test_unit_ready());
  bench.run();
  EXPECT_EQ(got, (Bytes{0x08}));
  ASSERT_EQ(bench.completions.size(), 1U);
}

TEST(InitiatorFlow, ReservedPhase_ResetsTheBus) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.enter(Phase::kReserved4);
    t.port().drive(t.port().driven() | bus::line::kReq);
    while (!t.reset_seen()) t.wait_ps(100'000);
    t.release();
  });
  bench.submit(test_unit_ready());
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kBusReset);
  ASSERT_FALSE(bench.bus.violations().empty());
  EXPECT_EQ(bench.bus.violations()[0].rule, bus::Rule::kReservedPhase);
}

}  // namespace
}  // namespace headstack::test
