// SPDX-License-Identifier: Apache-2.0
// The recurrence of a data phase. Units that are skipped, or known already, come out as if computed
// one by one. Units keep the distances of SCSI-2 6.1.5.
#include <gtest/gtest.h>

#include <random>

#include "sim/tlm/bus/transaction_stream.hpp"

namespace headstack::tlm {
namespace {

/// Fast-10 wide with offset 15: a unit takes 4 clocks, as in hdl/scsi_target with a host adapter of
/// the least reaction times.
StreamSetup fast_wide(bool in) {
  StreamSetup setup;
  setup.in = in;
  setup.synchronous = true;
  setup.width = 2;
  setup.offset = 15;
  setup.period = clocks(4);
  setup.req_width = clocks(target_clocks::kFastReq);
  setup.setup = clocks(target_clocks::kFastSetup);
  setup.ack_period = bus::timing::kFast10Period;
  setup.ack_width = setup.ack_period / 2;
  setup.ack_setup = bus::timing::kFastDataSetup;
  return setup;
}

TransactionStream::Start at_once() {
  TransactionStream::Start start;
  start.operation = clocks(100);
  start.move = clocks(132);
  return start;
}

StreamSetup random_setup(std::mt19937_64& random) {
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  StreamSetup setup = fast_wide(below(2) != 0);
  setup.synchronous = below(4) != 0;
  setup.width = 1 + static_cast<std::uint32_t>(below(2));
  setup.offset = 1 + static_cast<std::uint32_t>(below(31));
  const auto period = static_cast<std::int64_t>(4 + below(12));
  const bool fast = setup.synchronous && period < target_clocks::kFastPeriod;
  setup.period = clocks(period);
  setup.req_width = clocks(fast ? target_clocks::kFastReq : target_clocks::kReq);
  setup.setup = clocks(fast ? target_clocks::kFastSetup : target_clocks::kSetup);
  setup.ack_period = setup.period - static_cast<Picoseconds>(below(4)) * 4'000;
  setup.ack_width = setup.ack_period / 2;
  setup.req_to_ack = below(3) == 0 ? static_cast<Picoseconds>(below(500'000)) : 0;
  setup.req_release_to_ack_release = below(3) == 0 ? static_cast<Picoseconds>(below(90'000)) : 0;
  return setup;
}

void expect_same(const TransactionStream& a, const TransactionStream& b, std::uint64_t seed) {
  ASSERT_EQ(a.computed(), b.computed()) << "seed " << seed;
  ASSERT_EQ(a.last().req, b.last().req) << "seed " << seed;
  ASSERT_EQ(a.last().ack, b.last().ack) << "seed " << seed;
  ASSERT_EQ(a.last().moved, b.last().moved) << "seed " << seed;
  ASSERT_EQ(a.last().release, b.last().release) << "seed " << seed;
  ASSERT_EQ(a.last_passed(), b.last_passed()) << "seed " << seed;
  ASSERT_EQ(a.balanced(), b.balanced()) << "seed " << seed;
}

// Supplies of all sizes: early, late and far behind, in 400 agreements.
TEST(TransactionStream, WhatIsSkipped_ComesOutAsIfComputed) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    std::mt19937_64 random(seed);
    const StreamSetup setup = random_setup(random);
    const std::uint32_t bytes = 2 * (500 + static_cast<std::uint32_t>(random() % 4'000));
    TransactionStream skipping;
    TransactionStream stepping;
    TransactionStream known;
    skipping.begin(setup, bytes, at_once());
    stepping.begin(setup, bytes, at_once());
    Picoseconds from = clocks(101);
    while (!stepping.complete()) {
      const std::uint32_t most = random() % 4 == 0 ? 40 : 512;
      const std::uint32_t supply = std::min(bytes - stepping.supplied(),
                                            2 * (1 + static_cast<std::uint32_t>(random() % most)));
      skipping.supply(supply, from);
      stepping.supply(supply, from);
      skipping.run(&known);
      while (stepping.ready()) stepping.step();
      expect_same(skipping, stepping, seed);
      const std::int64_t gap[] = {4, 6, 20, 30, 200, 5'000};
      from = stepping.last_passed() + clocks(gap[random() % 6]);
    }
  }
}

// 6.1.5.2: 4 clocks of 25 ns are the agreed 100 ns, which is the shortest period.
TEST(TransactionStream, FullSpeed_IsThePeriod) {
  for (const bool in : {true, false}) {
    TransactionStream stream;
    stream.begin(fast_wide(in), 4'096, at_once());
    stream.supply(4'096, clocks(101));
    stream.run();
    EXPECT_TRUE(stream.complete());
    EXPECT_EQ(stream.last().req - stream.first().req, 2'047 * bus::timing::kFast10Period);
  }
}

// 6.1.5.2: REQ is ahead of ACK by at most the offset. At an offset of one, each REQ waits for the
// last ACK: three clocks to the target's state machine, one to the next REQ.
TEST(TransactionStream, OffsetOne_WaitsForEachAck) {
  StreamSetup setup = fast_wide(true);
  setup.offset = 1;
  TransactionStream stream;
  stream.begin(setup, 200, at_once());
  stream.supply(200, clocks(101));
  Picoseconds moved = 0;
  int words = 0;
  for (; stream.ready(); ++words) {
    stream.step();
    if (moved != 0) {
      EXPECT_EQ(stream.last().req, moved + clocks(1));
    }
    moved = stream.last().moved;
  }
  EXPECT_EQ(words, 100) << "200 bytes, two at a time";
}

// The FIFO has 16 bytes. Without room at the host port, no further REQ is sent.
TEST(TransactionStream, Out_IsReadyOnlyForWhatIsSupplied) {
  TransactionStream stream;
  stream.begin(fast_wide(false), 512, at_once());
  EXPECT_FALSE(stream.ready());
  stream.supply(2, clocks(101));
  EXPECT_TRUE(stream.ready());
  stream.step();
  EXPECT_FALSE(stream.ready());
  EXPECT_EQ(stream.last().req, clocks(133)) << "the clock after the phase's settling";
  EXPECT_EQ(stream.last().ack - stream.last().req, bus::timing::kFastDataSetup);
}

}  // namespace
}  // namespace headstack::tlm
