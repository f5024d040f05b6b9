// SPDX-License-Identifier: Apache-2.0
// Arbitration (SCSI-2 6.1.2): the highest id always wins, and no device is lost.
#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::Phase;

initiator::Config with_id(std::uint8_t id) {
  initiator::Config config;
  config.id = id;
  return config;
}

void serve_reads(TestTarget& t, int count) {
  for (int i = 0; i < count; ++i) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, pattern(16, t.initiator));
    t.finish(0);
  }
}

TEST(Arbitration, TwoInitiatorsAtOnce_TheHigherIdWins_TheOtherFollows) {
  bus::ScsiBus cable("cable");
  Recorder recorder(cable);
  initiator::Initiator low("low", cable, with_id(5));
  initiator::Initiator high("high", cable, with_id(6));
  TestTarget target("target", cable, 0, [](TestTarget& t) { serve_reads(t, 8); });
  std::vector<std::pair<unsigned, Bytes>> done;
  const auto submit = [&](initiator::Initiator& from, unsigned id) {
    initiator::Command command = read_bytes(16);
    command.done = [&done, id](initiator::Completion c) { done.emplace_back(id, c.data); };
    from.submit(command);
  };
  for (int i = 0; i < 4; ++i) {
    submit(low, 5);
    submit(high, 6);
  }
  sc_core::sc_start(bus::to_sc_time(kPicosecondsPerSecond));
  ASSERT_EQ(done.size(), 8U);
  // 6 always has the next command ready, so 5 gets nothing until 6 is through: 6.1.2 knows no
  // turns.
  for (std::size_t i = 0; i < 8; ++i) {
    const unsigned id = i < 4 ? 6 : 5;
    EXPECT_EQ(done[i].first, id);
    EXPECT_EQ(done[i].second, pattern(16, id));
    EXPECT_EQ(recorder.selections[i].by, id);
  }
  EXPECT_EQ(cable.violation_count(), 0U);
}

TEST(Arbitration, Ids8To15_ComeBehind0To7) {
  bus::ScsiBus cable("cable");
  initiator::Initiator wide("wide", cable, with_id(15));
  initiator::Initiator narrow("narrow", cable, with_id(1));
  TestTarget target("target", cable, 0, [](TestTarget& t) { serve_reads(t, 2); });
  std::vector<unsigned> order;
  for (auto* from : {&wide, &narrow}) {
    initiator::Command command = read_bytes(16);
    command.done = [&order, from, &wide](initiator::Completion) {
      order.push_back(from == &wide ? 15 : 1);
    };
    from->submit(command);
  }
  sc_core::sc_start(bus::to_sc_time(kPicosecondsPerSecond));
  EXPECT_EQ(order, (std::vector<unsigned>{1, 15}));
  EXPECT_EQ(cable.violation_count(), 0U);
}

struct Duel {
  std::uint8_t initiator_id;
  std::vector<bool> reselections;  // the order in which (re)selections came: true is a reselection
};

class ArbitrationDuel : public testing::TestWithParam<Duel> {};

// A target (id 3) with a disconnected command reselects as soon as the bus is free, and the
// initiator has a second command. Both arbitrate in the same moment.
TEST_P(ArbitrationDuel, InitiatorAgainstReselectingTarget_HigherIdFirst_BothServed) {
  bus::ScsiBus cable("cable");
  Recorder recorder(cable);
  initiator::Initiator host("host", cable, with_id(GetParam().initiator_id));
  const unsigned id = GetParam().initiator_id;
  int lost = 0;
  int served = 0;
  TestTarget other("other", cable, 1, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.finish(0);
    ++served;
  });
  TestTarget target("target", cable, 3, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.message_in({0x04});
    t.release();
    while (!t.reselect(id)) ++lost;
    t.message_in({0x80});
    t.finish(0);
    ++served;
  });
  initiator::Command first = test_unit_ready();
  first.target = 3;
  host.submit(first);
  initiator::Command second = test_unit_ready();
  second.target = 1;
  host.submit(second);
  sc_core::sc_start(bus::to_sc_time(kPicosecondsPerSecond));
  EXPECT_EQ(served, 2);
  EXPECT_TRUE(host.idle());
  std::vector<bool> order;
  for (const auto& selection : recorder.selections) order.push_back(selection.reselection);
  EXPECT_EQ(order, GetParam().reselections);
  EXPECT_EQ(lost, id == 7 ? 1 : 0);
  EXPECT_EQ(cable.violation_count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Ids, ArbitrationDuel,
                         testing::Values(Duel{7, {false, false, true}},
                                         Duel{2, {false, true, false}}));

struct LateCase {
  Picoseconds late_ps;  // time after the fast device's BSY
  unsigned second;      // id that gets the bus then
};

class ArbitrationLate : public testing::TestWithParam<LateCase> {};

// 6.1.2 c: a device may still join within a bus set delay (1.8 us) after bus free was last
// observed.
TEST_P(ArbitrationLate, SlowHighIdJoinsWithinABusSetDelay_AndNotLater) {
  bus::ScsiBus cable("cable");
  Recorder recorder(cable);
  initiator::Config slow = with_id(7);
  slow.times.bus_free_to_busy_ps = bus::timing::kFreeToArbitration + GetParam().late_ps;
  initiator::Initiator high("high", cable, slow);
  initiator::Initiator low("low", cable, with_id(6));
  TestTarget target("target", cable, 0, [&](TestTarget& t) {
    t.await_selection();  // both queue while the bus is busy
    high.submit(read_bytes(16));
    low.submit(read_bytes(16));
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, pattern(16));
    t.finish(0);
    serve_reads(t, 2);
  });
  low.submit(read_bytes(16));
  sc_core::sc_start(bus::to_sc_time(kPicosecondsPerMillisecond));
  ASSERT_EQ(recorder.selections.size(), 3U);
  EXPECT_EQ(recorder.selections[1].by, GetParam().second);
  EXPECT_EQ(cable.violation_count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Edge, ArbitrationLate,
                         testing::Values(LateCase{1'800'000, 7}, LateCase{1'800'001, 6}));

}  // namespace
}  // namespace headstack::test
