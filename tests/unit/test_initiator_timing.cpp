// SPDX-License-Identifier: Apache-2.0
// Edges of the initiator, from recorded pins. With its default reaction times each comes at the
// first legal moment of SCSI-2 (clauses 5.7, 6.1), and one picosecond earlier breaks the rule.
#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::Phase;
using bus::Rule;
using initiator::ReactionTimes;
namespace line = bus::line;

/// Serves everything there is: two commands, one of them with a reselection, synchronous data out.
void serve(TestTarget& t) {
  t.await_selection();
  t.messages_out();
  t.message_in({1, 3, 1, 25, 15});
  t.get(Phase::kCommand, 10);
  t.disconnect(true);
  while (!t.reselect(7)) {
  }
  t.message_in({0x80});
  t.mode.offset = 15;
  t.get(Phase::kDataOut, 8);
  t.finish(0);
  t.await_selection();
  t.messages_out();
  t.get(Phase::kCommand, 6);
  t.finish(0);
}

/// All that happens: `serve`, then a selection without answer, then a reset.
void run_everything(const initiator::Config& config, std::vector<Rule>* broken) {
  Bench bench(config);
  TestTarget target("target", bench.bus, 0, serve);
  bench.submit(write_bytes(pattern(8)));
  bench.submit(test_unit_ready());
  initiator::Command nobody = test_unit_ready();
  nobody.target = 6;
  bench.submit(nobody);
  bench.run();
  ASSERT_EQ(bench.completions.size(), 3U);
  bench.initiator.reset_bus();
  bench.run();
  for (const bus::Violation& violation : bench.bus.violations()) broken->push_back(violation.rule);
}

struct EdgeCase {
  const char* name;
  Picoseconds ReactionTimes::*field;
  Picoseconds minimum;  // SCSI-2 5.7
  Rule rule;
};

class InitiatorEdge : public testing::TestWithParam<EdgeCase> {
 protected:
  std::vector<Rule> run(Picoseconds time) {
    initiator::Config config;
    config.agreement = initiator::kFast10Narrow;
    config.times.selection_time_out_ps = 1'000'000;
    config.times.*GetParam().field = time;
    std::vector<Rule> broken;
    run_everything(config, &broken);
    return broken;
  }
};

TEST_P(InitiatorEdge, DefaultIsTheMinimum_AndLegal) {
  EXPECT_EQ(ReactionTimes{}.*GetParam().field, GetParam().minimum);
  EXPECT_TRUE(run(GetParam().minimum).empty());
}

TEST_P(InitiatorEdge, OnePicosecondEarlier_BreaksTheRule) {
  const std::vector<Rule> broken = run(GetParam().minimum - 1);
  ASSERT_FALSE(broken.empty());
  for (const Rule rule : broken) EXPECT_EQ(rule, GetParam().rule) << bus::rule_text(rule);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, InitiatorEdge,
    testing::Values(
        EdgeCase{"bus settle + bus free", &ReactionTimes::bus_free_to_busy_ps, 1'200'000,
                 Rule::kBusFreeDelay},
        EdgeCase{"arbitration", &ReactionTimes::busy_to_judgement_ps, 2'400'000,
                 Rule::kArbitrationDelay},
        EdgeCase{"bus clear + settle", &ReactionTimes::won_to_ids_ps, 1'200'000,
                 Rule::kWonToChange},
        EdgeCase{"ids", &ReactionTimes::ids_to_busy_release_ps, 90'000, Rule::kSelectionDeskew},
        EdgeCase{"SEL", &ReactionTimes::answer_to_select_release_ps, 90'000,
                 Rule::kSelectionRelease},
        EdgeCase{"abort", &ReactionTimes::selection_abort_ps, 200'090'000, Rule::kSelectionAbort},
        EdgeCase{"reselection", &ReactionTimes::reselection_answer_ps, 400'000,
                 Rule::kSelectionResponse},
        EdgeCase{"setup", &ReactionTimes::data_to_ack_ps, 55'000, Rule::kAckSetup},
        EdgeCase{"fast setup", &ReactionTimes::fast_data_to_ack_ps, 25'000, Rule::kAckSetup},
        EdgeCase{"ATN", &ReactionTimes::attention_to_ack_ps, 90'000, Rule::kAttention},
        EdgeCase{"reset", &ReactionTimes::reset_hold_ps, 25'000'000, Rule::kResetHold}));

// The same edges read off the recording, without the checker's help: the initiator is device 0.
TEST(InitiatorEdges, OfOneSelection_AreWhereTheStandardPutsThem) {
  Bench bench;
  TestTarget target("target", bench.bus, 3, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  initiator::Command command = test_unit_ready();
  command.target = 3;
  bench.submit(command);
  bench.run();
  const auto own_edge = [&](bus::LineSet mask, bool rising, Picoseconds from) {
    bus::LineSet before = 0;
    for (const auto& change : bench.recorder.changes) {
      const bus::LineSet own = change.asserted[0];
      const bus::LineSet edges = (own ^ before) & (rising ? own : before);
      before = own;
      if (change.at >= from && (edges & mask)) return change.at;
    }
    return bus::kNever;
  };
  const Picoseconds bsy = own_edge(line::kBsy, true, 0);
  const Picoseconds sel = own_edge(line::kSel, true, 0);
  const Picoseconds atn = own_edge(line::kAtn, true, 0);
  const Picoseconds bsy_released = own_edge(line::kBsy, false, 0);
  const Picoseconds sel_released = own_edge(line::kSel, false, 0);
  const Picoseconds answered = bench.recorder.rise(line::kBsy, 1);
  EXPECT_EQ(sel - bsy, 2'400'000) << "arbitration delay";
  EXPECT_EQ(atn - sel, 1'200'000) << "bus clear delay + bus settle delay";
  EXPECT_EQ(bsy_released - atn, 90'000) << "two deskew delays";
  EXPECT_EQ(sel_released - answered, 90'000) << "two deskew delays";
  EXPECT_EQ(own_edge(line::kData, true, sel), atn) << "the target's id joins our own, no earlier";
  // IDENTIFY is the only and last message byte: ATN falls 90 ns before its ACK (6.2.1).
  EXPECT_EQ(own_edge(line::kAck, true, 0) - own_edge(line::kAtn, false, 0), 90'000);
  // First CDB byte: data 55 ns before ACK, released with ACK after REQ.
  const Picoseconds command_req = bench.recorder.rise(line::kReq, 1);
  EXPECT_EQ(own_edge(line::kAck, true, command_req) - command_req, 55'000);
  bench.expect_no_violations();
}

TEST(InitiatorEdges, SlowerReactions_AreLegalToo) {
  initiator::Config config;
  config.agreement = initiator::kFast10Narrow;
  ReactionTimes& t = config.times;
  for (const auto field :
       {&ReactionTimes::bus_free_to_busy_ps, &ReactionTimes::busy_to_judgement_ps,
        &ReactionTimes::won_to_ids_ps, &ReactionTimes::ids_to_busy_release_ps,
        &ReactionTimes::answer_to_select_release_ps, &ReactionTimes::reselection_answer_ps,
        &ReactionTimes::select_release_to_busy_release_ps, &ReactionTimes::data_to_ack_ps,
        &ReactionTimes::req_to_ack_ps, &ReactionTimes::req_release_to_ack_release_ps,
        &ReactionTimes::synchronous_req_to_ack_ps, &ReactionTimes::attention_to_ack_ps}) {
    t.*field += 123'457;
  }
  t.selection_time_out_ps = 1'000'000;
  std::vector<Rule> broken;
  run_everything(config, &broken);
  EXPECT_TRUE(broken.empty());
}

TEST(InitiatorEdges, OnASlowCable_TheRulesHoldAsWell) {
  bus::ScsiBus cable("cable", 5'000);  // about one metre
  initiator::Config config;
  initiator::Initiator host("host", cable, config);
  Bytes got;
  TestTarget target("target", cable, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    got = t.get(Phase::kDataOut, 64);
    t.finish(0);
  });
  const auto id = host.submit(write_bytes(pattern(64)));
  sc_core::sc_start(bus::to_sc_time(kPicosecondsPerMillisecond));
  EXPECT_EQ(got, pattern(64));
  ASSERT_TRUE(host.take(id));
}

}  // namespace
}  // namespace headstack::test
