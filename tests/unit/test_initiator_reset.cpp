// SPDX-License-Identifier: Apache-2.0
// RST in the middle of things, and commands that a drive forgot in a reset (SCSI-2 6.2.2, 7.9).
#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::Phase;
using initiator::Outcome;

TEST(InitiatorReset, InTheMiddleOfData_EverythingEnds_AndTheBusIsClear) {
  Bench bench;
  Picoseconds released = 0;
  int commands_after = 0;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.message_in({0x04});
    t.release();
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.put(Phase::kDataIn, pattern(100));
    bench.initiator.reset_bus();
    while (!t.reset_seen()) t.wait_ps(10'000);
    t.release();
    released = bus::now_ps();
    t.await_selection();
    ++commands_after;
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  bench.submit(tagged(test_unit_ready(), 1));
  bench.submit(tagged(read_bytes(512), 2));
  bench.submit(tagged(test_unit_ready(), 2));  // waits for its nexus: goes out after the reset
  bench.run();
  ASSERT_EQ(bench.completions.size(), 3U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kBusReset);
  EXPECT_EQ(bench.completions[1].outcome, Outcome::kBusReset);
  EXPECT_EQ(bench.completions[1].bytes_moved, 100U);
  EXPECT_EQ(bench.completions[2].outcome, Outcome::kComplete);
  EXPECT_EQ(commands_after, 1);
  const Picoseconds rose = bench.recorder.rise(bus::line::kRst);
  const Picoseconds fell = bench.recorder.fall(bus::line::kRst);
  EXPECT_EQ(fell - rose, 25'000'000) << "reset hold time, 5.7";
  EXPECT_GE(bench.completions[2].times.arbitration_won - fell, 250'000'000'000)
      << "reset to selection time, 5.7";
  bench.expect_no_violations();
}

// The failed command had its status before the reset; only its sense data are lost. Waiting
// commands of its logical unit go out after the reset, as host_adapter.hpp says.
TEST(InitiatorReset, WhileRequestSenseIsDue_ItsLunGoesOnWithoutTheSenseData) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.finish(2);
    t.await_selection();
    t.messages_out();
    EXPECT_EQ(t.get(Phase::kCommand, 6)[0], 0x03);
    bench.initiator.reset_bus();
    while (!t.reset_seen()) t.wait_ps(10'000);
    t.release();
    t.await_selection();
    EXPECT_EQ(t.messages_out(), (Bytes{0xC0, 0x20, 2}));
    t.get(Phase::kCommand, 6);
    t.finish(0);
  });
  bench.submit(tagged(test_unit_ready(), 1));
  bench.submit(tagged(test_unit_ready(), 2));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kComplete);
  EXPECT_EQ(bench.completions[0].status, 2);
  EXPECT_TRUE(bench.completions[0].sense.empty());
  EXPECT_TRUE(bench.completions[1].is_good());
  EXPECT_TRUE(bench.initiator.idle());
  bench.expect_no_violations();
}

TEST(InitiatorReset, ByAnotherDevice_LetsGoWithinABusClearDelay) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 10);
    t.enter(Phase::kDataOut);
    t.get(Phase::kDataOut, 10);
    t.port().drive(bus::line::kRst);
    t.wait_ps(800'000);
    EXPECT_EQ(t.port().lines(), bus::line::kRst);
    t.wait_ps(25'000'000);
    t.release();
  });
  bench.submit(write_bytes(pattern(64)));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.completions[0].outcome, Outcome::kBusReset);
  bench.expect_no_violations();
}

// SCSI-2 7.9: the first command after the reset meets the unit attention. So the drive has
// forgotten what came before that command, and only that.
TEST(InitiatorSense, UnitAttentionOfAReset_EndsEarlierCommands_NotLaterOnes) {
  Bench bench;
  TestTarget target("target", bench.bus, 0, [&](TestTarget& t) {
    for (int i = 0; i < 3; ++i) {
      t.await_selection();
      t.messages_out();
      t.get(Phase::kCommand, 6);
      t.message_in({0x04});
      t.release();
    }
    while (!t.reselect(7)) {
    }
    t.message_in({0x80, 0x20, 2});
    t.finish(2);  // the second one reports
    t.await_selection();
    t.messages_out();
    EXPECT_EQ(t.get(Phase::kCommand, 6)[0], 0x03);
    t.put(Phase::kDataIn, {0x70, 0, 6, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0x29});
    t.finish(0);
    while (!t.reselect(7)) {
    }
    t.message_in({0x80, 0x20, 3});
    t.finish(0);
  });
  for (std::uint16_t tag = 1; tag <= 3; ++tag) bench.submit(tagged(test_unit_ready(), tag));
  bench.run();
  ASSERT_EQ(bench.completions.size(), 3U);
  EXPECT_EQ(bench.completions[0].id, 2U);
  EXPECT_EQ(bench.completions[0].status, 2);
  EXPECT_EQ(bench.completions[1].id, 1U);
  EXPECT_EQ(bench.completions[1].outcome, Outcome::kClearedByUnitAttention);
  EXPECT_EQ(bench.completions[2].id, 3U);
  EXPECT_EQ(bench.completions[2].outcome, Outcome::kComplete);
  bench.expect_no_violations();
}

}  // namespace
}  // namespace headstack::test
