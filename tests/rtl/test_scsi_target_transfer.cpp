// SPDX-License-Identifier: Apache-2.0
// Information transfer of the target: phases, asynchronous and synchronous REQ/ACK, parity, abort
// (SCSI-2 6.1.5, 6.1.10). The bench's checker watches every edge beside what each test claims.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/rtl/scsi_bench.hpp"

namespace headstack::scsi {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes counting(std::size_t count, unsigned first = 1) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(first + 7 * i);
  return bytes;
}
void feed(Bench* bench, const Bytes& bytes) {
  bench->host_source.assign(bytes.begin(), bytes.end());
}
constexpr auto kDone = static_cast<std::uint32_t>(kTransferDone);

// --- Phases by hand
// --------------------------------------------------------------------------------

TEST(PhaseTest, EveryPhaseOutward_DeliversToTheFifo) {
  for (const unsigned phase : {kCommand, kMessageOut, kDataOut}) {
    Bench bench;
    bench.connect(true);
    bench.initiator.out[phase] = counting(6);
    bench.start_transfer(phase, 6);
    ASSERT_EQ(bench.await(kTransferDone), kDone) << phase;
    EXPECT_EQ(bench.read(kRegStatus) >> 8 & 7U, phase);
    EXPECT_EQ(bench.read(kRegStatus) >> 16, 6U);
    for (const std::uint8_t byte : counting(6)) EXPECT_EQ(bench.read(kRegFifo), byte);
    EXPECT_EQ(bench.read(kRegResidue), 0U);
    EXPECT_EQ(bench.initiator.req_count, 6U);
  }
}

TEST(PhaseTest, EveryPhaseInward_SendsWhatIsInTheFifo) {
  for (const unsigned phase : {kStatus, kMessageIn, kDataIn}) {
    Bench bench;
    bench.connect();
    for (const std::uint8_t byte : counting(5)) bench.write(kRegFifo, byte);
    bench.start_transfer(phase, 5);
    ASSERT_EQ(bench.await(kTransferDone), kDone) << phase;
    EXPECT_EQ(bench.initiator.in[phase], counting(5));
    EXPECT_EQ(bench.read(kRegStatus) >> 16, 0U);
  }
}

TEST(PhaseTest, MoreThanTheFifoHolds_WaitsForFirmware) {
  Bench bench;
  bench.connect(true);
  bench.initiator.out[kMessageOut] = counting(40);
  bench.start_transfer(kMessageOut, 40);
  bench.run(1000);
  EXPECT_EQ(bench.initiator.req_count, 16U) << "one REQ per byte of room";
  Bytes received;
  for (int i = 0; i < 1000 && received.size() < 40; ++i) {
    if (bench.read(kRegStatus) >> 16 == 0) continue;
    received.push_back(static_cast<std::uint8_t>(bench.read(kRegFifo)));
  }
  EXPECT_EQ(received, counting(40));
  EXPECT_EQ(bench.await(kTransferDone), kDone);
}

TEST(PhaseTest, WholeCommand_KeepsEveryDelayBetweenPhases) {
  Bench bench;
  bench.connect(true);
  bench.initiator.out[kMessageOut] = {0xC0, 0x20, 0x05};
  bench.initiator.out[kCommand] = counting(10);
  bench.initiator.out[kDataOut] = counting(100);
  bench.start_transfer(kMessageOut, 3);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  bench.initiator.with_attention = false;
  bench.command(kOpAbort);  // empties the FIFO
  bench.start_transfer(kCommand, 10);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  bench.start_transfer(kDataOut, 100, true);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  feed(&bench, counting(33));
  bench.start_transfer(kDataIn, 33, true);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  bench.write(kRegFifo, 0x00);
  bench.start_transfer(kStatus, 1);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  bench.start_transfer(kDataOut, 0);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  bench.write(kRegFifo, 0x00);
  bench.start_transfer(kMessageIn, 1);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  bench.command(kOpRelease);
  ASSERT_EQ(bench.await(kDisconnected), static_cast<std::uint32_t>(kDisconnected));
  EXPECT_EQ(bench.host_sink, counting(100));
  EXPECT_EQ(bench.initiator.in[kDataIn], counting(33));
}

// 6.1.5, 6.1.10: exact edges of the first REQ.
TEST(PhaseTest, FirstReq_ComesAfterTheSettleDelaysAndNotMuchLater) {
  struct Case {
    unsigned phase;
    unsigned wait_ns;
  };
  using namespace timing_ns;  // NOLINT(google-build-using-namespace)
  for (const Case& c :
       {Case{kCommand, kBusSettleDelay},
        Case{kStatus, kDataReleaseDelay + kBusSettleDelay + kDeskewDelay + kCableSkewDelay}}) {
    Bench bench;
    bench.connect();
    bench.write(kRegFifo, 1);
    bench.start_transfer(c.phase, 1);
    bench.run_until([&] { return phase_of(bench.target()) == c.phase; });
    const std::uint64_t phase_set = bench.now();
    bench.run_until_target(kReq);
    EXPECT_GE((bench.now() - phase_set) * kClockNs, c.wait_ns);
    EXPECT_LE(bench.now() - phase_set, clocks(c.wait_ns) + 3);
  }
}

TEST(PhaseTest, SamePhaseAgain_NeedsNoSettleDelay) {
  Bench bench;
  bench.connect();
  for (const std::uint8_t byte : counting(4)) bench.write(kRegFifo, byte);
  bench.start_transfer(kMessageIn, 2);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  bench.start_transfer(kMessageIn, 2);
  EXPECT_LE(bench.run_until_target(kReq, 20), 6U);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  EXPECT_EQ(bench.initiator.in[kMessageIn], counting(4));
}

TEST(PhaseTest, NotConnected_EndsAtOnceWithAllOfItAsResidue) {
  Bench bench;
  bench.start_transfer(kDataIn, 77, true);
  EXPECT_EQ(bench.await(kTransferDone, 5), kDone);
  EXPECT_EQ(bench.read(kRegResidue), 77U);
  EXPECT_EQ(bench.target(), 0U);
}

TEST(PhaseTest, WaitingForAck_CostsNoClock) {
  Bench bench;
  bench.connect();
  bench.initiator.answering = false;
  bench.start_transfer(kCommand, 6);
  bench.run_until_target(kReq);
  bench.run(20);
  const std::uint64_t edges = bench.edges();
  bench.run(5000);
  EXPECT_EQ(bench.edges(), edges);
  EXPECT_NE(bench.target() & kReq, 0U);
}

// --- Synchronous
// -----------------------------------------------------------------------------------

/// Edges of REQ, in clocks: period, time true, time false.
struct ReqTiming {
  std::uint64_t period, asserted, negated;
};
ReqTiming measure_req(Bench* bench) {
  bench->run_until_target(kReq);
  const std::uint64_t rise = bench->now();
  bench->run_while_target(kReq);
  const std::uint64_t fall = bench->now();
  bench->run_until_target(kReq);
  return {bench->now() - rise, fall - rise, bench->now() - fall};
}

class SyncPeriod : public testing::TestWithParam<unsigned> {};

// The REQ period is the agreed one, to the clock, and its halves are long enough.
TEST_P(SyncPeriod, ReqKeepsTheAgreedPeriodExactly) {
  const unsigned period = GetParam();
  for (const unsigned phase : {kDataIn, kDataOut}) {
    Bench bench;
    bench.connect();
    bench.agree({period, 15, false});
    bench.initiator.out[kDataOut] = counting(64);
    feed(&bench, counting(64));
    bench.start_transfer(phase, 64, true);
    bench.run_until_target(kReq);
    bench.run(2 * period);
    const ReqTiming t = measure_req(&bench);
    const bool fast = period * kClockNs < timing_ns::kFastBelow;
    EXPECT_EQ(t.period, period);
    EXPECT_GE(t.asserted * kClockNs,
              fast ? timing_ns::kFastAssertionPeriod : timing_ns::kAssertionPeriod);
    EXPECT_GE(t.negated * kClockNs,
              fast ? timing_ns::kFastNegationPeriod : timing_ns::kNegationPeriod);
    ASSERT_EQ(bench.await(kTransferDone), kDone);
  }
}
INSTANTIATE_TEST_SUITE_P(FastAndSlow, SyncPeriod, testing::Values(4U, 5U, 7U, 8U, 9U, 10U, 63U));

TEST(SyncTest, PeriodBelowTheFastest_CountsAsFour) {
  Bench bench;
  bench.connect();
  bench.agree({4, 15, false});
  bench.write(kRegAgreement, 1U | 15U << 8);
  feed(&bench, counting(64));
  bench.start_transfer(kDataIn, 64, true);
  bench.run_until_target(kReq);
  EXPECT_EQ(measure_req(&bench).period, 4U);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
}

class SyncOffset : public testing::TestWithParam<unsigned> {};

// An initiator that holds back its ACK gets exactly `offset` REQ; each ACK gets one more.
TEST_P(SyncOffset, ReqRunsAheadByTheOffsetAndNoFurther) {
  const unsigned offset = GetParam();
  for (const unsigned phase : {kDataIn, kDataOut}) {
    Bench bench;
    bench.connect();
    bench.agree({4, offset, false});
    bench.initiator.out[kDataOut] = counting(64);
    bench.initiator.answering = false;
    feed(&bench, counting(64));
    bench.start_transfer(phase, 64, true);
    bench.run(1000);
    EXPECT_EQ(bench.initiator.req_count, offset);
    EXPECT_TRUE(bench.asleep());
    bench.initiator.answering = true;
    bench.run_until([&] { return bench.initiator.ack_count == 1; });
    bench.initiator.answering = false;
    bench.run(1000);
    EXPECT_LE(bench.initiator.req_count, offset + 1);
    bench.initiator.answering = true;
    ASSERT_EQ(bench.await(kTransferDone), kDone);
    EXPECT_EQ(bench.initiator.req_count, 64U);
    EXPECT_EQ(bench.initiator.ack_count, 64U) << "balanced at the end";
    EXPECT_EQ(phase == kDataIn ? bench.initiator.in[kDataIn] : bench.host_sink, counting(64));
  }
}
INSTANTIATE_TEST_SUITE_P(Offsets, SyncOffset, testing::Values(1U, 2U, 8U, 14U, 15U));

// 10 MT/s: 512 bytes take 512 periods of 4 clocks, or half of it in pairs.
TEST(SyncTest, Fast10_RunsAtFullRate) {
  for (const bool wide : {false, true}) {
    for (const unsigned phase : {kDataIn, kDataOut}) {
      Bench bench;
      bench.connect();
      bench.agree({4, 15, wide});
      bench.initiator.out[kDataOut] = counting(512);
      feed(&bench, counting(512));
      bench.start_transfer(phase, 512, true);
      bench.run_until_target(kReq);
      const std::uint64_t start = bench.now();
      ASSERT_EQ(bench.await(kTransferDone), kDone);
      EXPECT_LE(bench.now() - start, (wide ? 1024U : 2048U) + 60U) << phase;
    }
  }
}

TEST(SyncTest, AgreementDoesNotTouchOtherPhases) {
  Bench bench;
  bench.connect();
  bench.agree({4, 15, true});
  for (const std::uint8_t byte : counting(4)) bench.write(kRegFifo, byte);
  bench.initiator.slowness_clocks = 5;
  bench.start_transfer(kMessageIn, 4);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  EXPECT_EQ(bench.initiator.in[kMessageIn], counting(4));
  EXPECT_EQ(bench.initiator.req_count, 4U);
}

TEST(SyncTest, AckTooMany_IsIgnored) {
  Bench bench;
  bench.connect();
  bench.agree({4, 4, false});
  for (int i = 0; i < 3; ++i) {
    bench.others = kAck;
    bench.run(3);
    bench.others = 0;
    bench.run(3);
  }
  bench.initiator.out[kDataOut] = counting(20);
  bench.start_transfer(kDataOut, 20, true);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  EXPECT_EQ(bench.host_sink, counting(20));
}

// --- Wide
// ------------------------------------------------------------------------------------------

TEST(WideTest, OddCount_LastUnitCarriesOneByteAndValidParity) {
  for (const unsigned offset : {0U, 8U}) {
    Bench bench;
    bench.connect();
    bench.agree({4, offset, true});
    feed(&bench, counting(7));
    bench.start_transfer(kDataIn, 7, true);
    ASSERT_EQ(bench.await(kTransferDone), kDone);
    EXPECT_EQ(bench.initiator.req_count, 4U);
    Bytes expected = counting(7);
    expected.push_back(0);  // the byte to ignore
    EXPECT_EQ(bench.initiator.in[kDataIn], expected);

    bench.initiator.out[kDataOut] = counting(7, 99);
    bench.start_transfer(kDataOut, 7, true);
    ASSERT_EQ(bench.await(kTransferDone), kDone);
    EXPECT_EQ(bench.initiator.ack_count, 8U);
    EXPECT_EQ(bench.host_sink, counting(7, 99));
  }
}

}  // namespace
}  // namespace headstack::scsi
