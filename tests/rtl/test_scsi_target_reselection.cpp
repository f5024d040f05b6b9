// SPDX-License-Identifier: Apache-2.0
// The target's arbitration (SCSI-2 6.1.2) and reselection (6.1.4), observed at the pins.

#include <gtest/gtest.h>

#include "tests/rtl/scsi_bench.hpp"

namespace headstack::scsi {
namespace {

constexpr Pins kOwnIdBit = 1U << (Bench::kOwnId + kDbShift);

/// The edge after which the target first drove these pins, counted from now.
std::uint64_t edge_of(Bench* bench, Pins pins) {
  EXPECT_LE(bench->run_until_target(pins, 20000), 20000U) << "never driven";
  return bench->now();
}
std::uint64_t edge_without(Bench* bench, Pins pins) {
  EXPECT_LE(bench->run_while_target(pins, 20000), 20000U) << "never let go of";
  return bench->now();
}

/// Starts a reselection of the usual initiator and runs until the target waits for its answer.
void reselect_up_to_wait(Bench* bench) {
  bench->command(kOpReselect, Bench::kInitiatorId);
  edge_of(bench, kBsy | kSel | kIo);
  edge_without(bench, kBsy);
}

// --- Arbitration
// -----------------------------------------------------------------------------------

TEST(ArbitrationTest, FreeBus_IsTakenAtOnceWithBsyAndOwnIdAlone) {
  Bench bench;
  bench.command(kOpReselect, Bench::kInitiatorId);
  EXPECT_LE(bench.run_until_target(kBsy, 5), 5U);
  EXPECT_EQ(bench.target(), kBsy | kOwnIdBit) << "6.1.2: no parity in arbitration";
}

// 6.1.2 a, b: a bus settle delay makes the bus free, a bus free delay must follow. The first edge
// that samples BSY and SEL false is one clock after the test lets go of them.
TEST(ArbitrationTest, BusThatBecomesFree_IsTakenAfterBusSettleAndBusFreeDelay) {
  for (const Pins busy : {kBsy, kSel, kBsy | kSel}) {
    Bench bench;
    bench.others = busy;
    bench.run(10);
    bench.command(kOpReselect, Bench::kInitiatorId);
    bench.run(300);
    EXPECT_EQ(bench.target(), 0U);
    bench.others = 0;
    const std::uint64_t first_free_sample = bench.now() + 1;
    const std::uint64_t taken = edge_of(&bench, kBsy);
    constexpr unsigned kWait = clocks(timing_ns::kBusSettleDelay + timing_ns::kBusFreeDelay);
    EXPECT_GE(taken - first_free_sample, kWait);
    EXPECT_LE(taken - first_free_sample, kWait + kReactionClocks);
  }
}

TEST(ArbitrationTest, GapOfOneClockLessThanNeeded_IsNotTaken) {
  Bench bench;
  bench.others = kSel;
  bench.run(10);
  bench.command(kOpReselect, Bench::kInitiatorId);
  bench.run(50);
  bench.others = 0;
  bench.run(clocks(timing_ns::kBusSettleDelay + timing_ns::kBusFreeDelay));
  bench.others = kSel;
  EXPECT_GT(bench.run_until_target(kBsy, 300), 300U);
}

// 6.1.2 c: a device that saw the bus free may still join within a bus set delay.
TEST(ArbitrationTest, AnotherStartsInOurBusFreeDelay_WeJoinWithinBusSetDelay) {
  Bench bench;
  bench.others = kBsy;
  bench.run(10);
  bench.command(kOpReselect, Bench::kInitiatorId);
  bench.run(50);
  bench.others = 0;
  bench.run(clocks(timing_ns::kBusSettleDelay) + 5);
  bench.others = kBsy | id_bits({1});
  const std::uint64_t last_free = bench.now();
  const std::uint64_t taken = edge_of(&bench, kBsy);
  EXPECT_LE((taken - last_free) * kClockNs, timing_ns::kBusSetDelay);
}

TEST(ArbitrationTest, AnotherStartsBeforeTheBusWasFree_WeStayOut) {
  Bench bench;
  bench.others = kBsy;
  bench.run(10);
  bench.command(kOpReselect, Bench::kInitiatorId);
  bench.run(50);
  bench.others = 0;
  bench.run(clocks(timing_ns::kBusSettleDelay) - 2);
  bench.others = kBsy | id_bits({1});
  EXPECT_GT(bench.run_until_target(kBsy, 300), 300U);
}

struct ArbitrationCase {
  const char* what;
  unsigned own;
  unsigned other;
  bool won;
};
class Arbitration : public testing::TestWithParam<ArbitrationCase> {};

// Priority: 7 highest down to 0, then 15 down to 8.
TEST_P(Arbitration, HighestIdWins) {
  const ArbitrationCase& c = GetParam();
  Bench bench;
  bench.write(kRegCtrl, 3U | c.own << 4);
  bench.command(kOpReselect, c.own == 6 ? 5 : 6);
  edge_of(&bench, kBsy);
  bench.others = kBsy | id_bits({c.other});
  const std::uint64_t taken = bench.now();
  if (c.won) {
    const std::uint64_t won = edge_of(&bench, kSel);
    EXPECT_GE((won - taken) * kClockNs, timing_ns::kArbitrationDelay);
    EXPECT_LE(won - taken, clocks(timing_ns::kArbitrationDelay) + kReactionClocks);
    bench.others = 0;
    EXPECT_LE(bench.run_until_target(kIo, 200), 200U);
  } else {
    EXPECT_EQ(bench.await(kArbitrationLost, 400), static_cast<unsigned>(kArbitrationLost));
    EXPECT_EQ(bench.target(), 0U);
    EXPECT_EQ(bench.read(kRegStatus) & kStatusBusy, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Clause6_1_2, Arbitration,
                         testing::Values(ArbitrationCase{"TwoBeatsOne", 2, 1, true},
                                         ArbitrationCase{"TwoBeatsZero", 2, 0, true},
                                         ArbitrationCase{"TwoLosesToThree", 2, 3, false},
                                         ArbitrationCase{"TwoLosesToSeven", 2, 7, false},
                                         ArbitrationCase{"ZeroBeatsFifteen", 0, 15, true},
                                         ArbitrationCase{"FifteenLosesToZero", 15, 0, false},
                                         ArbitrationCase{"FifteenBeatsFourteen", 15, 14, true},
                                         ArbitrationCase{"EightLosesToNine", 8, 9, false}),
                         [](const auto& test) { return std::string(test.param.what); });

TEST(ArbitrationTest, SelectOfAWinner_MakesUsLetGoWithinBusClearDelay) {
  Bench bench;
  bench.command(kOpReselect, Bench::kInitiatorId);
  edge_of(&bench, kBsy);
  bench.run(40);
  bench.others = kBsy | kSel | id_bits({1});
  const unsigned clock_count = bench.run_until([&] { return bench.target() == 0; }, 100);
  EXPECT_LE(clock_count * kClockNs, timing_ns::kBusClearDelay);
  EXPECT_EQ(bench.await(kArbitrationLost), static_cast<unsigned>(kArbitrationLost));
}

TEST(ArbitrationTest, SelectedByTheWinner_IsAnswered) {
  Bench bench;
  bench.command(kOpReselect, Bench::kInitiatorId);
  edge_of(&bench, kBsy);
  bench.others = kBsy | id_bits({7});
  ASSERT_EQ(bench.await(kArbitrationLost, 400), static_cast<unsigned>(kArbitrationLost));
  bench.others = kBsy | kSel | id_bits({7});
  bench.run(48);
  bench.connect();
}

TEST(ArbitrationTest, SelectedWhileWaitingForTheBus_LosesAndAnswers) {
  Bench bench;
  bench.others = kSel;
  bench.run(10);
  bench.command(kOpReselect, 5);
  bench.run(10);
  bench.others = kSel | Bench::with_parity(id_bits({Bench::kOwnId, Bench::kInitiatorId}));
  EXPECT_LE(bench.run_until_target(kBsy, 100), 100U);
  bench.others = 0;
  EXPECT_EQ(bench.await(kSelected), static_cast<unsigned>(kSelected | kArbitrationLost));
  EXPECT_EQ(bench.read(kRegStatus) >> 4 & 0xFU, Bench::kInitiatorId);
}

TEST(ArbitrationTest, ReselectWhileConnected_IsLostAtOnce) {
  Bench bench;
  bench.connect();
  bench.command(kOpReselect, 5);
  EXPECT_EQ(bench.await(kArbitrationLost, 5), static_cast<unsigned>(kArbitrationLost));
  EXPECT_NE(bench.read(kRegStatus) & kStatusConnected, 0U) << "the connection stays";
  EXPECT_EQ(bench.read(kRegStatus) >> 4 & 0xFU, Bench::kInitiatorId);
}

TEST(ArbitrationTest, AbortWhileWaitingForTheBus_EndsIt) {
  Bench bench;
  bench.others = kBsy;
  bench.run(10);
  bench.command(kOpReselect, 5);
  bench.run(10);
  bench.command(kOpAbort);
  EXPECT_EQ(bench.await(kArbitrationLost, 5), static_cast<unsigned>(kArbitrationLost));
  bench.others = 0;
  EXPECT_GT(bench.run_until_target(kBsy, 300), 300U);
}

// --- Reselection
// -----------------------------------------------------------------------------------

TEST(ReselectionTest, EveryStepKeepsItsDelay) {
  using namespace timing_ns;  // NOLINT(google-build-using-namespace)
  Bench bench;
  bench.command(kOpReselect, Bench::kInitiatorId);
  const std::uint64_t bsy = edge_of(&bench, kBsy);
  const std::uint64_t sel = edge_of(&bench, kSel);
  EXPECT_EQ(bench.target(), kBsy | kSel | kOwnIdBit) << "nothing else changes yet";
  const std::uint64_t ids = edge_of(&bench, kIo);
  EXPECT_EQ(bench.target(),
            kBsy | kSel | kIo | Bench::with_parity(id_bits({Bench::kOwnId, Bench::kInitiatorId})));
  const std::uint64_t bsy_released = edge_without(&bench, kBsy);
  EXPECT_GE((sel - bsy) * kClockNs, kArbitrationDelay);
  EXPECT_GE((ids - sel) * kClockNs, kBusClearDelay + kBusSettleDelay);
  EXPECT_GE((bsy_released - ids) * kClockNs, 2 * kDeskewDelay);
  // No step takes longer than its delay and the reaction to the pins.
  EXPECT_LE(sel - bsy, clocks(kArbitrationDelay) + kReactionClocks);
  EXPECT_LE(ids - sel, clocks(kBusClearDelay + kBusSettleDelay) + 1);
  EXPECT_LE(bsy_released - ids, clocks(2 * kDeskewDelay) + 1);

  bench.run(clocks(kBusSettleDelay) + 20);
  bench.others = kBsy;
  const std::uint64_t bsy_again = edge_of(&bench, kBsy);
  EXPECT_EQ(bench.target() & kDataMask,
            Bench::with_parity(id_bits({Bench::kOwnId, Bench::kInitiatorId})));
  const std::uint64_t sel_released = edge_without(&bench, kSel);
  EXPECT_GE((sel_released - bsy_again) * kClockNs, 2 * kDeskewDelay);
  EXPECT_LE(sel_released - bsy_again, clocks(2 * kDeskewDelay) + 1);
  EXPECT_EQ(bench.target(), kBsy);
  bench.others = 0;
  EXPECT_EQ(bench.await(kReselected), static_cast<unsigned>(kReselected));
  EXPECT_EQ(bench.read(kRegStatus) & 0xFBU, kStatusConnected | Bench::kInitiatorId << 4);
}

// 6.1.4: the target looks for the answer a bus settle delay after it has released BSY. Earlier
// levels are the wires' ringing.
TEST(ReselectionTest, BsyBeforeTheBusSettled_IsNoAnswer) {
  Bench bench;
  reselect_up_to_wait(&bench);
  bench.others = kBsy;
  bench.run(clocks(timing_ns::kBusSettleDelay) - 1);
  bench.others = 0;
  EXPECT_GT(bench.run_until_target(kBsy, 200), 200U);
}

TEST(ReselectionTest, BsyWhenTheBusHasSettled_IsTheAnswer) {
  Bench bench;
  reselect_up_to_wait(&bench);
  bench.run(clocks(timing_ns::kBusSettleDelay));
  bench.others = kBsy;
  EXPECT_LE(bench.run_until_target(kBsy, 10), kReactionClocks + 1);
}

TEST(ReselectionTest, WaitingForTheAnswer_CostsNoClock) {
  Bench bench;
  reselect_up_to_wait(&bench);
  bench.run(100);
  const std::uint64_t edges = bench.edges();
  bench.run(10'000);
  EXPECT_EQ(bench.edges(), edges);
  EXPECT_EQ(bench.target() & (kSel | kIo | kBsy), kSel | kIo) << "until firmware gives up";
}

// 6.1.4.2 b: ids go first; a selection abort time and two deskew delays later SEL and I/O.
TEST(ReselectionTest, Abort_GivesTheInitiatorItsSelectionAbortTime) {
  Bench bench;
  reselect_up_to_wait(&bench);
  bench.run(1000);
  bench.command(kOpAbort);
  bench.run_while_target(kDataMask, 10);
  const std::uint64_t ids_released = bench.now();
  EXPECT_EQ(bench.target(), kSel | kIo);
  const std::uint64_t sel_released = edge_without(&bench, kSel);
  constexpr unsigned kWaitNs = timing_ns::kSelectionAbort + 2 * timing_ns::kDeskewDelay;
  EXPECT_GE((sel_released - ids_released) * kClockNs, kWaitNs);
  EXPECT_LE(sel_released - ids_released, clocks(kWaitNs) + kReactionClocks);
  EXPECT_EQ(bench.target(), 0U);
  EXPECT_EQ(bench.await(kReselectTimeout), static_cast<unsigned>(kReselectTimeout));
  EXPECT_GE((bench.now() - sel_released) * kClockNs, timing_ns::kBusSettleDelay);
  EXPECT_EQ(bench.read(kRegStatus) & kStatusBusy, 0U);
}

TEST(ReselectionTest, AnswerInTheLastMoment_StillConnects) {
  Bench bench;
  reselect_up_to_wait(&bench);
  bench.run(100);
  bench.command(kOpAbort);
  bench.run_while_target(kDataMask, 10);
  bench.run(clocks(timing_ns::kSelectionAbort));
  bench.others = kBsy;
  edge_without(&bench, kSel);
  EXPECT_EQ(bench.target(), kBsy);
  bench.others = 0;
  EXPECT_EQ(bench.await(kReselected), static_cast<unsigned>(kReselected));
}

TEST(ReselectionTest, AbortDuringArbitration_TakesEffectBehindIt) {
  Bench bench;
  bench.command(kOpReselect, Bench::kInitiatorId);
  edge_of(&bench, kBsy);
  bench.command(kOpAbort);
  // 6.1.2: a device that began to arbitrate continues to SEL, so that the bus does not hang.
  edge_of(&bench, kSel);
  EXPECT_EQ(bench.await(kReselectTimeout), static_cast<unsigned>(kReselectTimeout));
}

TEST(ReselectionTest, AbortBefore_DoesNotCountForTheNext) {
  Bench bench;
  bench.command(kOpAbort);
  reselect_up_to_wait(&bench);
  bench.run(1000);
  EXPECT_NE(bench.target() & kDataMask, 0U) << "still asks for its initiator";
}

TEST(ReselectionTest, OtherCommandsWhileBusy_AreIgnored) {
  Bench bench;
  reselect_up_to_wait(&bench);
  bench.command(kOpRelease);
  bench.command(kOpTransfer);
  bench.command(kOpReselect, 5);
  bench.run(200);
  EXPECT_EQ(bench.target() & (kSel | kIo), kSel | kIo);
  EXPECT_EQ(bench.read(kRegIntrState), 0U);
}

TEST(ReselectionTest, AttentionAtTheAnswer_IsAnEvent) {
  Bench bench;
  reselect_up_to_wait(&bench);
  bench.run(40);
  bench.others = kBsy;
  bench.initiator.with_attention = true;
  edge_without(&bench, kSel);
  bench.others = 0;
  bench.run(5);
  EXPECT_EQ(bench.await(kReselected), static_cast<unsigned>(kReselected | kAttention));
}

TEST(ReselectionTest, FirstPhaseInward_WaitsForTheDataBusToTurn) {
  Bench bench;
  reselect_up_to_wait(&bench);
  bench.run(40);
  bench.others = kBsy;
  edge_without(&bench, kSel);
  bench.others = 0;
  ASSERT_EQ(bench.await(kReselected), static_cast<unsigned>(kReselected));
  bench.write(kRegFifo, 0x80);
  bench.start_transfer(kMessageIn, 1);
  ASSERT_EQ(bench.await(kTransferDone), static_cast<unsigned>(kTransferDone));
  EXPECT_EQ(bench.initiator.in[kMessageIn], std::vector<std::uint8_t>{0x80});
}

TEST(ReselectionTest, ResetAtEveryStep_FreesTheBus) {
  for (unsigned delay = 0; delay < 200; delay += 3) {
    Bench bench;
    bench.command(kOpReselect, Bench::kInitiatorId);
    bench.run(delay);
    bench.others = kRst;
    const unsigned clock_count = bench.run_until([&] { return bench.target() == 0; }, 100);
    EXPECT_LE(clock_count * kClockNs, timing_ns::kBusClearDelay) << delay;
    EXPECT_EQ(bench.await(kBusReset), static_cast<unsigned>(kBusReset)) << delay;
    EXPECT_EQ(bench.read(kRegStatus) & kStatusBusy, 0U) << delay;
  }
}

}  // namespace
}  // namespace headstack::scsi
