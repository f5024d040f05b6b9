// SPDX-License-Identifier: Apache-2.0
// Faults of a transfer: bad parity, attention, abort, a silent initiator; and mistakes of firmware
// that must have no effect.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/rtl/scsi_bench.hpp"

namespace headstack::scsi {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr auto kDone = static_cast<std::uint32_t>(kTransferDone);

Bytes counting(std::size_t count) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(1));
  return bytes;
}
Bytes first(const Bytes& bytes, std::size_t count) {
  return {bytes.begin(), bytes.begin() + count};
}

// --- Parity
// ----------------------------------------------------------------------------------------

TEST(ParityTest, AsyncNarrow_StopsRightBehindTheBadByte) {
  for (const int bad : {0, 1, 5, 9}) {
    Bench bench;
    bench.connect();
    bench.initiator.out[kCommand] = counting(10);
    bench.initiator.bad_parity_at = bad;
    bench.start_transfer(kCommand, 10);
    EXPECT_EQ(bench.await(kParityError | kTransferDone), static_cast<unsigned>(kParityError))
        << bad;
    EXPECT_EQ(bench.initiator.req_count, static_cast<unsigned>(bad) + 1);
    EXPECT_EQ(bench.read(kRegResidue), 9U - static_cast<unsigned>(bad));
    EXPECT_EQ(bench.read(kRegStatus) >> 16, static_cast<unsigned>(bad) + 1);
  }
}

TEST(ParityTest, EitherByteOfAWideUnit_IsChecked) {
  for (const int bad : {4, 5}) {
    Bench bench;
    bench.connect();
    bench.agree({4, 0, true});
    bench.initiator.out[kDataOut] = counting(20);
    bench.initiator.bad_parity_at = bad;
    bench.start_transfer(kDataOut, 20, true);
    EXPECT_EQ(bench.await(kParityError | kTransferDone), static_cast<unsigned>(kParityError))
        << bad;
    EXPECT_EQ(bench.read(kRegResidue), 14U);
    EXPECT_EQ(bench.host_sink, first(counting(20), 6)) << "passed on, the bad one too";
  }
}

// IGNORE WIDE RESIDUE: even an invalid byte has valid parity.
TEST(ParityTest, PadByteOfAnOddTransfer_IsCheckedToo) {
  Bench bench;
  bench.connect();
  bench.agree({4, 0, true});
  bench.initiator.out[kDataOut] = counting(3);
  bench.initiator.bad_parity_at = 3;
  bench.start_transfer(kDataOut, 3, true);
  EXPECT_EQ(bench.await(kParityError | kTransferDone), static_cast<unsigned>(kParityError));
  EXPECT_EQ(bench.read(kRegResidue), 0U);
}

TEST(ParityTest, UpperByteDoesNotMatterInANarrowTransfer) {
  Bench bench;
  bench.connect();
  bench.others = 0xAAU << (kDbShift + 8);  // even parity there
  bench.initiator.out[kDataOut] = counting(4);
  bench.start_transfer(kDataOut, 4, true);
  EXPECT_EQ(bench.await(kParityError | kTransferDone), kDone);
  EXPECT_EQ(bench.host_sink, counting(4));
}

TEST(ParityTest, Synchronous_BytesAlreadyAskedForStillArrive) {
  Bench bench;
  bench.connect();
  bench.agree({4, 8, false});
  bench.initiator.out[kDataOut] = counting(100);
  bench.initiator.bad_parity_at = 30;
  bench.start_transfer(kDataOut, 100, true);
  EXPECT_EQ(bench.await(kParityError | kTransferDone), static_cast<unsigned>(kParityError));
  const unsigned moved = 100 - bench.read(kRegResidue);
  EXPECT_GT(moved, 30U);
  EXPECT_LE(moved, 31U + 8U);
  EXPECT_EQ(bench.initiator.req_count, moved);
  EXPECT_EQ(bench.initiator.ack_count, moved) << "balanced";
  EXPECT_EQ(bench.host_sink, first(counting(100), moved));
}

TEST(ParityTest, NotChecked_GoesThrough) {
  Bench bench;
  bench.write(kRegCtrl, 1U | Bench::kOwnId << 4);
  bench.connect();
  bench.initiator.out[kCommand] = counting(6);
  bench.initiator.bad_parity_at = 2;
  bench.start_transfer(kCommand, 6);
  EXPECT_EQ(bench.await(kParityError | kTransferDone), kDone);
}

TEST(ParityTest, NextTransferAfterAnError_IsClean) {
  Bench bench;
  bench.connect();
  bench.initiator.out[kCommand] = counting(20);
  bench.initiator.bad_parity_at = 2;
  bench.start_transfer(kCommand, 10);
  ASSERT_EQ(bench.await(kParityError | kTransferDone), static_cast<unsigned>(kParityError));
  bench.command(kOpAbort);
  bench.start_transfer(kCommand, 6);
  EXPECT_EQ(bench.await(kParityError | kTransferDone), kDone);
  EXPECT_EQ(bench.read(kRegFifo), 4U);
}

// --- Attention
// -------------------------------------------------------------------------------------

TEST(AttentionTest, DuringData_IsToldAndTheTransferGoesOn) {
  Bench bench;
  bench.connect();
  bench.agree({4, 8, false});
  bench.initiator.out[kDataOut] = counting(200);
  bench.start_transfer(kDataOut, 200, true);
  bench.run_until([&] { return bench.initiator.ack_count == 50; });
  bench.initiator.with_attention = true;
  EXPECT_EQ(bench.await(kAttention), static_cast<unsigned>(kAttention));
  EXPECT_LT(bench.initiator.ack_count, 100U) << "told while the data still moves";
  EXPECT_EQ(bench.await(kTransferDone), kDone);
  EXPECT_EQ(bench.host_sink, counting(200));
}

// SCSI-2 6.2.1: ATN is false when the last byte's ACK comes. 6.1.9.2: a REQ after it would ask for
// all of the messages again.
TEST(AttentionTest, MessageOut_EndsBehindTheByteThatComesWithoutIt) {
  for (const unsigned with_attention : {0U, 1U, 3U, 7U}) {
    Bench bench;
    bench.connect(with_attention != 0);
    bench.initiator.out[kMessageOut] = counting(8);
    bench.start_transfer(kMessageOut, 8);
    bench.run_until([&] {
      return bench.initiator.ack_count == with_attention && (bench.initiator.pins() & kAck) == 0;
    });
    bench.initiator.with_attention = false;
    EXPECT_EQ(bench.await(kParityError | kTransferDone), kDone);
    EXPECT_EQ(bench.initiator.req_count, with_attention + 1);
    EXPECT_EQ(bench.read(kRegResidue), 7U - with_attention);
    EXPECT_EQ(bench.read(kRegStatus) >> 16, with_attention + 1);
  }
}

TEST(AttentionTest, OnlyMessagesEndWithIt) {
  Bench bench;
  bench.connect();
  bench.initiator.out[kCommand] = counting(6);
  bench.start_transfer(kCommand, 6);
  EXPECT_EQ(bench.await(kTransferDone), kDone);
  EXPECT_EQ(bench.read(kRegResidue), 0U);
  // The end of the earlier messages does not end these.
  for (int i = 0; i < 2; ++i) {
    bench.command(kOpAbort);
    bench.initiator.with_attention = i == 1;
    bench.initiator.out[kMessageOut] = counting(8);
    bench.start_transfer(kMessageOut, 4);
    EXPECT_EQ(bench.await(kTransferDone) & kDone, kDone);
    EXPECT_EQ(bench.read(kRegResidue), i == 0 ? 3U : 0U);
  }
}

// --- Abort
// -----------------------------------------------------------------------------------------

class Abort : public testing::TestWithParam<std::tuple<unsigned, unsigned, unsigned>> {};

// REQ and ACK balance at any moment. RESIDUE is the number of bytes on the bus, and the host port's
// bytes are the first of them.
TEST_P(Abort, AtAnyMoment_LeavesTheBusInOrder) {
  const auto [phase, offset, delay] = GetParam();
  Bench bench;
  bench.connect();
  bench.agree({5, offset, false});
  bench.initiator.slowness_clocks = 6;
  bench.initiator.out[kDataOut] = counting(200);
  const Bytes source = counting(200);
  bench.host_source.assign(source.begin(), source.end());
  bench.host_ready_percent = 30;
  bench.host_valid_percent = 30;
  bench.start_transfer(phase, 200, true);
  bench.run(delay);
  bench.command(kOpAbort);
  ASSERT_EQ(bench.await(kTransferDone | kParityError), kDone);
  const unsigned moved = 200 - bench.read(kRegResidue);
  EXPECT_EQ(bench.initiator.req_count, moved);
  EXPECT_EQ(bench.initiator.ack_count, moved);
  EXPECT_EQ(bench.read(kRegStatus) & (kStatusBusy | 0x1F0000U), 0U);
  if (phase == kDataIn) {
    EXPECT_EQ(bench.initiator.in[kDataIn], first(counting(200), moved));
  } else {
    ASSERT_LE(bench.host_sink.size(), moved);
    EXPECT_LE(moved - bench.host_sink.size(), 16U) << "more lost than the FIFO holds";
    EXPECT_EQ(bench.host_sink, first(counting(200), bench.host_sink.size()));
  }
  // The connection is sound: a message goes through.
  bench.write(kRegFifo, 0x04);
  bench.start_transfer(kMessageIn, 1);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  EXPECT_EQ(bench.initiator.in[kMessageIn], Bytes{0x04});
}
INSTANTIATE_TEST_SUITE_P(
    Moments, Abort,
    testing::Combine(testing::Values(kDataOut, kDataIn), testing::Values(0U, 1U, 7U),
                     testing::Values(0U, 1U, 10U, 33U, 34U, 35U, 36U, 60U, 101U, 202U)));

TEST(AbortTest, HostPortStandsStill_AbortStillEnds) {
  Bench bench;
  bench.connect();
  bench.initiator.out[kDataOut] = counting(200);
  bench.host_ready_percent = 0;
  bench.start_transfer(kDataOut, 200, true);
  bench.run(2000);
  EXPECT_EQ(bench.initiator.req_count, 16U) << "REQ stretches, the FIFO is full";
  bench.command(kOpAbort);
  EXPECT_EQ(bench.await(kTransferDone, 50), kDone);
}

TEST(AbortTest, SilentInitiator_SecondAbortEndsIt) {
  Bench bench;
  bench.connect();
  bench.initiator.answering = false;
  bench.start_transfer(kCommand, 6);
  bench.run_until_target(kReq);
  bench.command(kOpAbort);
  EXPECT_EQ(bench.await(kTransferDone, 1000), 0U) << "REQ may not be let go of before ACK";
  EXPECT_NE(bench.target() & kReq, 0U);
  bench.checker.expect_broken_handshake();
  bench.command(kOpAbort);
  EXPECT_EQ(bench.await(kTransferDone, 10), kDone);
  EXPECT_EQ(bench.target() & kReq, 0U);
  bench.command(kOpRelease);
  EXPECT_EQ(bench.await(kDisconnected), static_cast<unsigned>(kDisconnected));
}

TEST(AbortTest, AckThatNeverTurnsFalse_SecondAbortEndsIt) {
  Bench bench;
  bench.connect();
  bench.initiator.answering = false;
  bench.start_transfer(kCommand, 6);
  bench.run_until_target(kReq);
  bench.others = kAck | narrow_data(0);
  bench.run(100);
  EXPECT_EQ(bench.initiator.req_count, 1U);
  bench.command(kOpAbort);
  EXPECT_EQ(bench.await(kTransferDone, 1000), 0U);
  bench.command(kOpAbort);
  EXPECT_EQ(bench.await(kTransferDone, 10), kDone);
  bench.command(kOpRelease);
  EXPECT_EQ(bench.await(kDisconnected), static_cast<unsigned>(kDisconnected));
}

// --- Firmware out of turn
// --------------------------------------------------------------------------

TEST(FirmwareTest, FifoAccessDuringDma_MovesNothing) {
  for (const unsigned phase : {kDataOut, kDataIn}) {
    Bench bench;
    bench.connect();
    bench.initiator.out[kDataOut] = counting(100);
    const Bytes source = counting(100);
    bench.host_source.assign(source.begin(), source.end());
    bench.host_ready_percent = 20;
    bench.start_transfer(phase, 100, true);
    for (int i = 0; i < 50; ++i) {
      bench.read(kRegFifo);
      bench.write(kRegFifo, 0xFF);
      bench.run(7);
    }
    bench.await(kTransferDone);
    EXPECT_EQ(phase == kDataIn ? bench.initiator.in[kDataIn] : bench.host_sink, counting(100));
  }
}

TEST(FirmwareTest, CommandsDuringATransfer_AreIgnored) {
  Bench bench;
  bench.connect();
  bench.initiator.out[kDataOut] = counting(100);
  bench.start_transfer(kDataOut, 100, true);
  for (int i = 0; i < 20; ++i) {
    bench.command(i % 3 == 0 ? kOpRelease : i % 3 == 1 ? kOpTransfer : kOpReselect, 5);
    bench.run(13);
  }
  EXPECT_EQ(bench.await(kTransferDone), kDone);
  EXPECT_EQ(bench.host_sink, counting(100));
}

TEST(FirmwareTest, LeftOversInTheFifo_DoNotEnterADmaTransfer) {
  Bench bench;
  bench.connect();
  bench.write(kRegFifo, 0xFF);
  bench.host_source = {1, 2, 3};
  bench.start_transfer(kDataIn, 3, true);
  ASSERT_EQ(bench.await(kTransferDone), kDone);
  EXPECT_EQ(bench.initiator.in[kDataIn], counting(3));
}

}  // namespace
}  // namespace headstack::scsi
