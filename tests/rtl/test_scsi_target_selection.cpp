// SPDX-License-Identifier: Apache-2.0
// The target answers selection by SCSI-2 6.1.3, releases the bus, and obeys RST (6.2.2).

#include <gtest/gtest.h>

#include "tests/rtl/scsi_bench.hpp"

namespace headstack::scsi {
namespace {

constexpr unsigned kSettleClocks = clocks(timing_ns::kBusSettleDelay);
const Pins kGoodIds = Bench::with_parity(id_bits({Bench::kOwnId, Bench::kInitiatorId}));

/// Holds these pins for long. @return whether the target answered with BSY.
bool answers(Bench* bench, Pins pins, unsigned clock_count = 400) {
  bench->others = pins;
  return bench->run_until_target(kBsy, clock_count) <= clock_count;
}

struct SelectionCase {
  const char* what;
  Pins pins;
  bool answered;
};

class Selection : public testing::TestWithParam<SelectionCase> {};

TEST_P(Selection, IsAnsweredOnlyIfTheClauseSaysSo) {
  Bench bench;
  EXPECT_EQ(answers(&bench, GetParam().pins), GetParam().answered);
}

INSTANTIATE_TEST_SUITE_P(
    Clause6_1_3, Selection,
    testing::Values(
        SelectionCase{"TwoIds", kSel | kGoodIds, true},
        SelectionCase{"OwnIdAlone", kSel | Bench::with_parity(id_bits({2})), true},
        SelectionCase{"WideInitiator", kSel | Bench::with_parity(id_bits({2, 15})), true},
        SelectionCase{"NarrowInitiatorLeavesUpperByteAtRest", kSel | narrow_data(0x84), true},
        SelectionCase{"ThreeIds", kSel | Bench::with_parity(id_bits({2, 5, 7})), false},
        SelectionCase{"OtherTarget", kSel | Bench::with_parity(id_bits({3, 7})), false},
        SelectionCase{"NeighbouringId", kSel | Bench::with_parity(id_bits({1, 7})), false},
        SelectionCase{"EvenParityLow", kSel | (kGoodIds ^ 1U << kDpShift), false},
        SelectionCase{"EvenParityHigh",
                      kSel | (Bench::with_parity(id_bits({2, 15})) ^ 2U << kDpShift), false},
        SelectionCase{"ReselectionHasInputOutput", kSel | kIo | kGoodIds, false},
        SelectionCase{"BusyStillTrue", kSel | kBsy | kGoodIds, false},
        SelectionCase{"NoSelect", kGoodIds, false},
        SelectionCase{"DuringReset", kSel | kRst | kGoodIds, false}),
    [](const auto& test) { return std::string(test.param.what); });

TEST(SelectionTest, DisabledTarget_DoesNotAnswer) {
  Bench bench;
  bench.write(kRegCtrl, 2U | Bench::kOwnId << 4);
  EXPECT_FALSE(answers(&bench, kSel | kGoodIds));
}

TEST(SelectionTest, EvenParityWithoutParityCheck_IsAnswered) {
  Bench bench;
  bench.write(kRegCtrl, 1U | Bench::kOwnId << 4);
  EXPECT_TRUE(answers(&bench, kSel | (kGoodIds ^ 1U << kDpShift)));
}

// Seen at the first and at the last of 17 edges, the condition lasted 16 clocks: 400 ns. Seen at 16
// edges it may have lasted less.
TEST(SelectionTest, HeldForABusSettleDelay_IsAnswered) {
  Bench bench;
  bench.others = kSel | kGoodIds;
  bench.run(kSettleClocks + 1);
  bench.others = 0;
  EXPECT_LE(bench.run_until_target(kBsy, 100), 100U);
}

TEST(SelectionTest, HeldOneClockShorter_IsNotAnswered) {
  Bench bench;
  bench.others = kSel | kGoodIds;
  bench.run(kSettleClocks);
  bench.others = 0;
  EXPECT_GT(bench.run_until_target(kBsy, 100), 100U);
}

TEST(SelectionTest, InterruptedForOneClock_StartsAgain) {
  Bench bench;
  bench.others = kSel | kGoodIds;
  bench.run(kSettleClocks);
  bench.others = kSel | kBsy | kGoodIds;
  bench.run(1);
  bench.others = kSel | kGoodIds;
  bench.run(kSettleClocks);
  bench.others = 0;
  EXPECT_GT(bench.run_until_target(kBsy, 100), 100U);
}

TEST(SelectionTest, AnswerComesAfterBusSettleAndBeforeSelectionAbortTime) {
  Bench bench;
  bench.others = kSel | kGoodIds;
  const unsigned clock_count = bench.run_until_target(kBsy, 10000);
  // The first edge that samples the selection is one clock after the test drives it.
  EXPECT_GE(clock_count - 1, kSettleClocks);
  EXPECT_LE(clock_count * kClockNs, timing_ns::kSelectionAbort);
  EXPECT_LE(clock_count - 1, kSettleClocks + kReactionClocks) << "slower than it need be";
}

TEST(SelectionTest, ConnectionStandsWhenSelectTurnsFalse) {
  Bench bench;
  bench.write(kRegIntrEnable, 0x1FF);
  ASSERT_TRUE(answers(&bench, kSel | kGoodIds));
  bench.run(200);
  EXPECT_FALSE(bench.irq()) << "SEL is still true";
  EXPECT_EQ(bench.read(kRegStatus) & kStatusConnected, 0U);
  bench.others = 0;
  bench.run(kReactionClocks + 1);
  EXPECT_TRUE(bench.irq());
  EXPECT_EQ(bench.read(kRegIntrState), static_cast<unsigned>(kSelected));
  const std::uint32_t status = bench.read(kRegStatus);
  EXPECT_NE(status & kStatusConnected, 0U);
  EXPECT_EQ(status & kStatusSelectedWithAtn, 0U);
  EXPECT_EQ(status >> 4 & 0xFU, Bench::kInitiatorId);
}

TEST(SelectionTest, InitiatorThatDoesNotTellItsId_ReadsAsOwnId) {
  Bench bench;
  ASSERT_TRUE(answers(&bench, kSel | Bench::with_parity(id_bits({Bench::kOwnId}))));
  bench.others = 0;
  ASSERT_EQ(bench.await(kSelected), static_cast<unsigned>(kSelected));
  EXPECT_EQ(bench.read(kRegStatus) >> 4 & 0xFU, Bench::kOwnId);
}

TEST(SelectionTest, AttentionDuringSelection_IsToldOnce) {
  Bench bench;
  bench.connect(true);
  EXPECT_NE(bench.read(kRegStatus) & kStatusSelectedWithAtn, 0U);
  EXPECT_EQ(bench.read(kRegIntrState), 0U) << "no attention event on top";
}

TEST(SelectionTest, AttentionWhileConnected_IsAnEventPerRise) {
  Bench bench;
  bench.connect();
  bench.initiator.with_attention = true;
  EXPECT_EQ(bench.await(kAttention, 10), static_cast<unsigned>(kAttention));
  EXPECT_NE(bench.read(kRegStatus) & kStatusAtn, 0U);
  EXPECT_EQ(bench.await(kAttention, 100), 0U);
  bench.initiator.with_attention = false;
  bench.run(10);
  EXPECT_EQ(bench.read(kRegStatus) & kStatusAtn, 0U);
  bench.initiator.with_attention = true;
  EXPECT_EQ(bench.await(kAttention, 10), static_cast<unsigned>(kAttention));
}

// --- Release
// ---------------------------------------------------------------------------------------

TEST(ReleaseTest, AllIsLetGoOfAndToldWhenTheBusIsFree) {
  Bench bench;
  bench.connect();
  bench.start_transfer(kMessageIn, 1);
  bench.write(kRegFifo, 0x04);
  ASSERT_EQ(bench.await(kTransferDone), static_cast<unsigned>(kTransferDone));
  bench.write(kRegIntrEnable, kDisconnected);
  bench.command(kOpRelease);
  bench.run_while_target(kBsy);
  const std::uint64_t let_go = bench.now();
  bench.run_until([&] { return bench.irq(); });
  // 6.1.1: free when BSY and SEL have been false for a bus settle delay.
  EXPECT_GE(bench.now() - let_go, kSettleClocks);
  EXPECT_LE(bench.now() - let_go, kSettleClocks + 1);
  EXPECT_EQ(bench.target(), 0U);
  EXPECT_EQ(bench.read(kRegStatus) & (kStatusConnected | kStatusBusy), 0U);
}

TEST(ReleaseTest, NotConnected_EndsAtOnce) {
  Bench bench;
  bench.command(kOpRelease);
  EXPECT_EQ(bench.await(kDisconnected, 5), static_cast<unsigned>(kDisconnected));
}

TEST(ReleaseTest, SelectionAfterwards_IsAnsweredAgain) {
  Bench bench;
  for (int i = 0; i < 3; ++i) {
    bench.connect();
    bench.command(kOpRelease);
    ASSERT_EQ(bench.await(kDisconnected), static_cast<unsigned>(kDisconnected));
  }
}

// --- Reset
// -----------------------------------------------------------------------------------------

TEST(ResetTest, InTheMiddleOfData_EverythingIsLetGoOfWithinBusClearDelay) {
  for (const unsigned phase : {kDataIn, kDataOut}) {
    Bench bench;
    bench.connect();
    bench.agree({4, 8, true});
    for (int i = 0; i < 600; ++i) bench.host_source.push_back(static_cast<std::uint8_t>(i));
    bench.initiator.out[kDataOut].assign(600, 0x5A);
    bench.start_transfer(phase, 512, true);
    bench.run_until([&] { return bench.initiator.ack_count >= 20; });
    bench.others = kRst;
    const unsigned clock_count = bench.run_until([&] { return bench.target() == 0; }, 1000);
    EXPECT_LE(clock_count * kClockNs, timing_ns::kBusClearDelay);
    bench.run(10);
    EXPECT_EQ(bench.await(kBusReset), static_cast<unsigned>(kBusReset)) << "and nothing else";
    EXPECT_EQ(bench.read(kRegStatus) & ~kStatusAtn & ~0xF8U, 0U) << "idle, FIFO empty";
    bench.others = 0;
    bench.run(100);
    EXPECT_EQ(bench.read(kRegIntrState), 0U) << "told once";
    bench.host_source.clear();
    bench.connect();
  }
}

TEST(ResetTest, WhileAnsweringSelection_LetsGoOfBsy) {
  Bench bench;
  ASSERT_TRUE(answers(&bench, kSel | kGoodIds));
  bench.others = kRst;
  EXPECT_LE(bench.run_while_target(kBsy, 100) * kClockNs, timing_ns::kBusClearDelay);
  EXPECT_EQ(bench.await(kSelected | kBusReset), static_cast<unsigned>(kBusReset));
}

// --- Registers
// -------------------------------------------------------------------------------------

TEST(RegisterTest, OffsetWithoutRegister_IsAnError) {
  Bench bench;
  for (const unsigned offset : {0x1CU, 0x28U, 0x3CU, 0x40U, 0xFFCU}) {
    bench.read(offset);
    EXPECT_TRUE(bench.access_failed()) << std::hex << offset;
  }
  bench.read(kRegIntrEnable);
  EXPECT_FALSE(bench.access_failed());
}

TEST(RegisterTest, FifoKeepsOrder_DropsTheSeventeenth_ReadsZeroWhenEmpty) {
  Bench bench;
  for (unsigned i = 1; i <= 17; ++i) bench.write(kRegFifo, i);
  EXPECT_EQ(bench.read(kRegStatus) >> 16, 16U);
  for (unsigned i = 1; i <= 16; ++i) EXPECT_EQ(bench.read(kRegFifo), i);
  EXPECT_EQ(bench.read(kRegFifo), 0U);
  bench.write(kRegFifo, 0x55);
  bench.command(kOpAbort);
  bench.run(2);
  EXPECT_EQ(bench.read(kRegStatus) >> 16, 0U) << "abort empties it";
  EXPECT_EQ(bench.read(kRegIntrState), 0U);
}

TEST(RegisterTest, EventInTheCycleOfAClearingWrite_IsNotLost) {
  Bench bench;
  bench.connect();
  // ATN reaches INTR_STATE in one of these cycles; each run clears it in another one.
  for (unsigned delay = 0; delay < 8; ++delay) {
    bench.initiator.with_attention = false;
    bench.run(10);
    bench.write(kRegIntrState, 0x1FF);
    bench.initiator.with_attention = true;
    bench.run(delay);
    bench.write(kRegIntrState, 0x1FF & ~kAttention);
    bench.run(10);
    EXPECT_EQ(bench.read(kRegIntrState), static_cast<unsigned>(kAttention)) << delay;
  }
}

}  // namespace
}  // namespace headstack::scsi
