// SPDX-License-Identifier: Apache-2.0
// Many commands at once: disconnection, reselection, tags, management messages, reset
// (SCSI-2 6.1.4, 6.4, 6.6, 7.8).
#include <algorithm>
#include <map>

#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::Phase;
using initiator::ManagementKind;
using initiator::Outcome;
using initiator::TagType;

unsigned tag_in(const Bytes& messages) {
  if (messages.at(1) == 0x01) return messages.at(5) * 256U + messages.at(6);
  return messages.at(2);
}

Bytes reselect_messages(unsigned tag) {
  const auto low = static_cast<std::uint8_t>(tag);
  if (tag < 256) return {0x80, 0x20, low};
  return {0x80, 0x01, 4, 0x80, 0x20, static_cast<std::uint8_t>(tag >> 8U), low};
}

/// Takes `count` tagged reads or writes of `length` bytes, and disconnects from each. Then serves
/// them in a seeded order, each in two connections with half of the data.
void serve_scrambled(TestTarget& t, unsigned count, std::size_t length,
                     std::map<unsigned, Bytes>* got) {
  struct Pending {
    unsigned tag;
    bool write;
    bool half_done;
  };
  std::vector<Pending> pending;
  for (unsigned i = 0; i < count; ++i) {
    t.await_selection();
    const unsigned tag = tag_in(t.messages_out());
    const bool write = t.get(Phase::kCommand, 10)[0] == 0x2A;
    pending.push_back({tag, write, false});
    t.message_in({0x04});
    t.release();
  }
  while (!pending.empty()) {
    const std::size_t i = t.random() % pending.size();
    Pending& p = pending[i];
    while (!t.reselect(7)) {
    }
    t.message_in(reselect_messages(p.tag));
    const Bytes all = pattern(length, p.tag);
    const auto half = static_cast<std::ptrdiff_t>(length / 2);
    if (p.write) {
      const Bytes part = t.get(Phase::kDataOut, length / 2);
      Bytes& whole = (*got)[p.tag];
      whole.insert(whole.end(), part.begin(), part.end());
    } else if (p.half_done) {
      t.put(Phase::kDataIn, Bytes(all.begin() + half, all.end()));
    } else {
      t.put(Phase::kDataIn, Bytes(all.begin(), all.begin() + half));
    }
    if (p.half_done) {
      t.finish(0);
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      p.half_done = true;
      t.disconnect(true);
    }
  }
}

class InitiatorQueue : public testing::TestWithParam<std::pair<unsigned, unsigned>> {};

TEST_P(InitiatorQueue, ScrambledReselections_EveryCommandGetsItsOwnData) {
  const auto [count, first_tag] = GetParam();
  constexpr std::size_t kLength = 64;
  Bench bench;
  bench.recorder.keep_changes = false;
  std::map<unsigned, Bytes> got;
  TestTarget target("target", bench.bus, 4, [&](TestTarget& t) {
    t.random.seed(count);
    serve_scrambled(t, count, kLength, &got);
  });
  std::map<initiator::CommandId, unsigned> tags;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned tag = first_tag + i;
    initiator::Command command =
        i % 3 == 0 ? write_bytes(pattern(kLength, tag)) : read_bytes(kLength);
    command.target = 4;
    tags[bench.submit(tagged(command, static_cast<std::uint16_t>(tag)))] = tag;
  }
  bench.run();
  ASSERT_EQ(bench.completions.size(), count);
  for (const initiator::Completion& done : bench.completions) {
    const unsigned tag = tags.at(done.id);
    EXPECT_EQ(done.outcome, Outcome::kComplete);
    EXPECT_EQ(done.bytes_moved, kLength);
    if (done.data.empty()) {
      EXPECT_EQ(got.at(tag), pattern(kLength, tag));
    } else {
      EXPECT_EQ(done.data, pattern(kLength, tag));
    }
    ASSERT_EQ(done.times.disconnected.size(), 2U);
    ASSERT_EQ(done.times.reselected.size(), 2U);
    EXPECT_LT(done.times.command_sent, done.times.disconnected[0]);
    EXPECT_LT(done.times.disconnected[0], done.times.reselected[0]);
    EXPECT_LT(done.times.disconnected[1], done.times.reselected[1]);
    EXPECT_LT(done.times.reselected[1], done.times.status);
  }
  EXPECT_TRUE(bench.initiator.idle());
  bench.expect_no_violations();
}

// {commands, first tag}: the second number crosses from the standard's to the extended message.
INSTANTIATE_TEST_SUITE_P(Depths, InitiatorQueue,
                         testing::Values(std::pair{2U, 0U}, std::pair{64U, 0U},
                                         std::pair{64U, 224U}, std::pair{64U, 65472U}));

TEST(InitiatorPointers, DisconnectWithoutSave_GoesBackToTheSavedPointer) {
  Bench bench;
  const Bytes data = pattern(32);
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, Bytes(data.begin(), data.begin() + 8));
    t.message_in({0x02});
    t.put(Phase::kDataIn, Bytes(8, 0xEE));  // forgotten again
    t.disconnect(false);
    while (!t.reselect(7)) {
    }
    t.message_in({0x80});
    t.put(Phase::kDataIn, Bytes(data.begin() + 8, data.begin() + 16));
    t.message_in({0x02});
    t.put(Phase::kDataIn, Bytes(4, 0xDD));
    t.message_in({0x03});  // RESTORE POINTERS
    t.put(Phase::kDataIn, Bytes(data.begin() + 16, data.end()));
    t.finish(0);
  });
  bench.submit(read_bytes(32));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].data, data);
  EXPECT_EQ(bench.completions[0].bytes_moved, 32U);
  bench.expect_no_violations();
}

TEST(InitiatorQueueOrder, NexusInUse_WaitsForItsTurn) {
  Bench bench;
  int at_once = 0;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (int i = 0; i < 2; ++i) {
      t.await_selection();
      t.messages_out();
      t.get(Phase::kCommand, 6);
      t.disconnect(true);
      at_once = std::max(at_once, static_cast<int>(bench.initiator.in_flight_count()));
      while (!t.reselect(7)) {
      }
      t.message_in({0x80, 0x20, 5});
      t.finish(0);
    }
  });
  bench.submit(tagged(test_unit_ready(), 5));
  bench.submit(tagged(test_unit_ready(), 5));
  bench.run();
  EXPECT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(at_once, 1);
}

TEST(InitiatorQueueOrder, UnknownTagReselects_GetsAbortTag_UnknownLun_Abort) {
  Bench bench;
  std::vector<Bytes> answers;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    while (!t.reselect(7)) {
    }
    t.message_in({0x80, 0x20, 77});
    answers.push_back(t.messages_out());
    t.release();
    while (!t.reselect(7)) {
    }
    t.message_in({0x83});
    t.enter(Phase::kDataIn);
    t.put(Phase::kDataIn, {0});
    answers.push_back(t.messages_out());
    t.release();
  });
  bench.run();
  EXPECT_EQ(answers, (std::vector<Bytes>{{0x0D}, {0x06}}));
  bench.expect_no_violations();
}

// SCSI-2 7.6: another command to the logical unit would take the sense data away. Those for others
// go on.
TEST(InitiatorQueueOrder, WhileRequestSenseIsDue_ItsLunWaits_AndNoOther) {
  Bench bench;
  std::vector<Bytes> met;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    const auto take = [&] {
      t.await_selection();
      met.push_back(t.messages_out());
      t.get(Phase::kCommand, 6);
    };
    take();
    t.finish(2);
    take();
    t.disconnect(true);
    take();
    t.finish(0);
    t.wait_ps(kPicosecondsPerMillisecond);
    EXPECT_FALSE(t.has(bus::line::kSel)) << "nobody is selected meanwhile";
    while (!t.reselect(7)) {
    }
    t.message_in({0x80});
    t.put(Phase::kDataIn, {0x70, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0x24});
    t.finish(0);
    take();
    t.finish(0);
  });
  bench.submit(tagged(test_unit_ready(), 1));
  bench.submit(tagged(test_unit_ready(), 2));
  initiator::Command elsewhere = tagged(test_unit_ready(), 5);
  elsewhere.lun = 1;
  bench.submit(elsewhere);
  bench.run();
  EXPECT_EQ(met, (std::vector<Bytes>{{0xC0, 0x20, 1}, {0xC0}, {0xC1, 0x20, 5}, {0xC0, 0x20, 2}}));
  EXPECT_EQ(bench.completions.size(), 3U);
  bench.expect_no_violations();
}

// SCSI-2 6.6.2: ABORT TAG ends the present I/O process, which is that of the unknown tag.
TEST(InitiatorQueueOrder, UnknownTagReselects_OtherTagsGoOn) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.disconnect(true);
    while (!t.reselect(7)) {
    }
    t.message_in({0x80, 0x20, 77});
    EXPECT_EQ(t.messages_out(), (Bytes{0x0D}));
    t.release();
    while (!t.reselect(7)) {
    }
    t.message_in({0x80, 0x20, 1});
    t.finish(0);
  });
  bench.submit(tagged(test_unit_ready(), 1));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kComplete);
  EXPECT_EQ(bench.initiator.unknown_nexus_count(), 1U);
  bench.expect_no_violations();
}

/// Takes `count` commands and disconnects; then takes one connection with a management message.
Bytes hold_then_take_message(TestTarget& t, int count) {
  for (int i = 0; i < count; ++i) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.message_in({0x04});
    t.release();
  }
  t.await_selection();
  const Bytes messages = t.messages_out();
  t.release();
  return messages;
}

struct ManagementCase {
  ManagementKind kind;
  Bytes messages;
  std::vector<unsigned> ended;  // of LUN 0 tags 1, 2 and LUN 1 tag 3
};

class InitiatorManagement : public testing::TestWithParam<ManagementCase> {};

TEST_P(InitiatorManagement, EndsTheCommandsItNames_AndNoOthers) {
  const ManagementCase& c = GetParam();
  Bench bench;
  Bytes got;
  TestTarget target("target", bench.bus, 0,
                    [&](TestTarget& t) { got = hold_then_take_message(t, 3); });
  for (std::uint16_t tag = 1; tag <= 3; ++tag) {
    initiator::Command command = tagged(test_unit_ready(), tag);
    command.lun = tag == 3 ? 1 : 0;
    bench.submit(command);
  }
  bench.run();
  ASSERT_EQ(bench.initiator.in_flight_count(), 3U);
  initiator::Management management;
  management.kind = c.kind;
  management.tag = 2;
  const auto id = bench.manage(management);
  bench.run();
  EXPECT_EQ(got, c.messages);
  std::vector<unsigned> ended;
  bool managed = false;
  for (const initiator::Completion& done : bench.completions) {
    if (done.id == id) {
      managed = true;
      EXPECT_EQ(done.outcome, Outcome::kComplete);
      continue;
    }
    ended.push_back(static_cast<unsigned>(done.id));
    EXPECT_EQ(done.outcome, Outcome::kAborted);
  }
  EXPECT_TRUE(managed);
  EXPECT_EQ(ended, c.ended);
  EXPECT_EQ(bench.initiator.in_flight_count(), 3U - c.ended.size());
  bench.expect_no_violations();
}

// SCSI-2 6.6.1 - 6.6.4: ABORT and CLEAR QUEUE name the logical unit, BUS DEVICE RESET the target.
INSTANTIATE_TEST_SUITE_P(
    Kinds, InitiatorManagement,
    testing::Values(ManagementCase{ManagementKind::kAbort, {0x80, 0x06}, {1, 2}},
                    ManagementCase{ManagementKind::kAbortTag, {0x80, 0x20, 2, 0x0D}, {2}},
                    ManagementCase{ManagementKind::kClearQueue, {0x80, 0x0E}, {1, 2}},
                    ManagementCase{ManagementKind::kBusDeviceReset, {0x80, 0x0C}, {1, 2, 3}}));

TEST(InitiatorManagementFlow, AbortTagOfAWaitingCommand_NeedsNoBus) {
  Bench bench;
  bench.submit(tagged(test_unit_ready(), 1));
  initiator::Management management;
  management.kind = ManagementKind::kAbortTag;
  management.tag = 1;
  bench.manage(management);
  ASSERT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kAborted);
  EXPECT_EQ(bench.completions[1].outcome, Outcome::kComplete);
  EXPECT_TRUE(bench.initiator.idle());
}

TEST(InitiatorManagementFlow, AbortOfTheConnectedCommand_RidesOnItsConnection) {
  Bench bench;
  Bytes answer;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, pattern(8));
    initiator::Management management;
    bench.manage(management);
    t.put(Phase::kDataIn, pattern(8));
    EXPECT_TRUE(t.attention());
    answer = t.messages_out();
    t.release();
  });
  bench.submit(read_bytes(64));
  bench.run();
  EXPECT_EQ(answer, (Bytes{0x06}));
  ASSERT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kAborted);
  EXPECT_EQ(bench.completions[0].bytes_moved, 16U);
  EXPECT_EQ(bench.completions[1].outcome, Outcome::kComplete);
  bench.expect_no_violations();
}

// Nothing is known of the drive's commands then: they stay.
TEST(InitiatorManagementFlow, BusFreeBeforeTheMessage_IsTold_AndEndsNoCommand) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.disconnect(true);
    t.await_selection();
    t.release();
  });
  bench.submit(tagged(test_unit_ready(), 1));
  bench.run();
  const auto id = bench.manage({});
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].id, id);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kUnexpectedBusFree);
  EXPECT_EQ(bench.initiator.in_flight_count(), 1U);
}

// SCSI-2 6.2.1: ATN that comes with the status may find the target on its way to bus free. The
// command is complete, and ABORT comes by itself for the rest of the logical unit.
TEST(InitiatorManagementFlow, AbortBehindTheStatus_GoesItsOwnWay) {
  Bench bench;
  Bytes abort;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.status(0);
    bench.manage({});
    t.message_in({0x00});
    t.release();
    t.await_selection();
    abort = t.messages_out();
    t.release();
  });
  const auto id = bench.submit(test_unit_ready());
  bench.run();
  EXPECT_EQ(abort, (Bytes{0x80, 0x06}));
  ASSERT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(bench.completions[0].id, id);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kComplete);
  EXPECT_EQ(bench.completions[1].outcome, Outcome::kComplete);
  EXPECT_TRUE(bench.initiator.idle());
}

}  // namespace
}  // namespace headstack::test
