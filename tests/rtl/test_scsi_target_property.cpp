// SPDX-License-Identifier: Apache-2.0
// Random transfers: no byte is lost, doubled or changed, whatever the agreement, the count and the
// rhythm of both sides. The clock gate changes nothing that is visible.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/rtl/scsi_bench.hpp"

namespace headstack::scsi {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr auto kDone = static_cast<std::uint32_t>(kTransferDone);

/// An FNV-1a hash of all that can be observed of the block, clock by clock.
class Digest {
 public:
  void add(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001B3ULL; }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

Bytes random_bytes(std::mt19937_64* random, std::size_t count) {
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>((*random)());
  return bytes;
}

/// One connection with a few transfers, all chosen by the seed. Returns the hash of what was
/// observed.
std::uint64_t random_connection(std::uint64_t seed, Bench::Clocking clocking) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto pick = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  Bench bench(clocking, seed);
  Digest digest;
  bench.on_clock = [&] {
    digest.add(bench.target());
    digest.add(bench.irq() ? 1 : 0);
    digest.add(bench.host_source.size() << 32 | bench.host_sink.size());
  };
  bench.connect(pick(0, 1) == 1);
  constexpr unsigned kPercents[] = {3, 20, 60, 100};
  for (unsigned transfer = 0; transfer < 4; ++transfer) {
    bench.agree({pick(4, 12), pick(0, 3) == 0 ? 0 : pick(1, 15), pick(0, 1) == 1});
    bench.initiator.slowness_clocks = pick(0, 3) * pick(0, 8);
    bench.host_valid_percent = kPercents[pick(0, 3)];
    bench.host_ready_percent = kPercents[pick(0, 3)];
    const bool wide = bench.initiator.agreement.wide;
    const unsigned count = pick(0, 5) == 0 ? pick(0, 3) : pick(1, 300);
    const unsigned unit_count = wide ? (count + 1) / 2 : count;
    const bool inward = pick(0, 1) == 1;
    const Bytes bytes = random_bytes(&random, count);
    const unsigned req_before = bench.initiator.req_count;
    bench.initiator.in.clear();
    bench.initiator.out.clear();
    bench.initiator.out_at.clear();
    bench.host_sink.clear();
    // The source has more bytes than requested, so that an extra byte would show.
    bench.host_source.assign(bytes.begin(), bytes.end());
    bench.host_source.push_back(0xA5);
    bench.initiator.out[kDataOut] = bytes;
    bench.start_transfer(inward ? kDataIn : kDataOut, count, true);
    EXPECT_EQ(bench.await(kTransferDone | kParityError, 200'000), kDone);
    EXPECT_EQ(bench.read(kRegResidue), 0U);
    EXPECT_EQ(bench.initiator.req_count - req_before, unit_count);
    EXPECT_EQ(bench.initiator.req_count, bench.initiator.ack_count);
    if (inward) {
      Bytes& received = bench.initiator.in[kDataIn];
      EXPECT_EQ(received.size(), wide ? 2 * unit_count : count);
      received.resize(count);
      EXPECT_EQ(received, bytes);
      EXPECT_EQ(bench.host_source.size(), 1U) << "took more than COUNT from the host port";
    } else {
      EXPECT_EQ(bench.host_sink, bytes);
      EXPECT_EQ(bench.host_source.size(), count + 1U) << "took from the host port while giving";
    }
    digest.add(bench.read(kRegStatus));
  }
  bench.command(kOpRelease);
  EXPECT_EQ(bench.await(kDisconnected), static_cast<std::uint32_t>(kDisconnected));
  bench.on_clock = nullptr;
  return digest.value();
}

class RandomConnections : public testing::TestWithParam<unsigned> {};

TEST_P(RandomConnections, EveryByteArrivesOnceAndInOrder) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    random_connection(GetParam() * 1000 + i, Bench::Clocking::kGated);
    if (HasFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomConnections, testing::Range(1U, 9U));

TEST(GatingTest, ClockOnRequestOrAlways_LooksTheSame) {
  for (std::uint64_t seed = 100'000; seed < 100'060; ++seed) {
    EXPECT_EQ(random_connection(seed, Bench::Clocking::kGated),
              random_connection(seed, Bench::Clocking::kAlways))
        << "seed " << seed;
  }
}

/// Selection, reselection, arbitration, reset and noise on the wires, without regard to the
/// protocol.
std::uint64_t random_noise(std::uint64_t seed, Bench::Clocking clocking) {
  std::mt19937_64 random(seed);
  Bench bench(clocking, seed);
  bench.checker.watch(false);  // the other side keeps no rule here
  bench.initiator.answering = false;
  Digest digest;
  bench.on_clock = [&] {
    digest.add(bench.target());
    digest.add(bench.irq() ? 1 : 0);
  };
  bench.write(kRegIntrEnable, 0x1FF);
  constexpr Pins kLikely[] = {0, 0, 0, kSel, kBsy, kBsy | kSel, kRst, kAck, kSel | kIo, kAtn};
  for (int step = 0; step < 150; ++step) {
    bench.others = kLikely[random() % std::size(kLikely)];
    if (random() % 2 == 0) {
      bench.others |=
          Bench::with_parity(id_bits({Bench::kOwnId, static_cast<unsigned>(random() % 16)}));
    }
    if (random() % 3 == 0) {
      bench.write(kRegTransfer, static_cast<std::uint32_t>(random() & 0x8700001FU));
      bench.write(kRegAgreement, static_cast<std::uint32_t>(random() & 0x11F0FU));
      bench.write(kRegCommand, static_cast<std::uint32_t>(random() % 5) |
                                   static_cast<std::uint32_t>(random() % 16) << 4);
    }
    if (random() % 8 == 0) bench.write(kRegIntrState, 0x1FF);
    if (random() % 8 == 0) bench.write(kRegFifo, 0x11);
    if (random() % 8 == 0) digest.add(bench.read(kRegFifo));
    digest.add(bench.read(kRegStatus));
    bench.run(static_cast<unsigned>(random() % 3 == 0 ? random() % 150 : random() % 20));
  }
  // After any sequence: a reset frees the bus, and the target can be selected and released again.
  bench.others = kRst;
  bench.run(100);
  EXPECT_EQ(bench.target(), 0U);
  bench.command(kOpAbort);  // a reselection may have been asked for during the reset
  bench.others = 0;
  bench.run(100);
  bench.write(kRegIntrState, 0x1FF);
  bench.connect();
  bench.command(kOpRelease);
  EXPECT_EQ(bench.await(kDisconnected), static_cast<std::uint32_t>(kDisconnected));
  bench.on_clock = nullptr;
  return digest.value();
}

TEST(GatingTest, NoiseOnTheBus_LooksTheSameAndNeverHangsTheBlock) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(random_noise(seed, Bench::Clocking::kGated),
              random_noise(seed, Bench::Clocking::kAlways));
    if (HasFailure()) return;
  }
}

TEST(GatingTest, IdleBlock_NeedsNoClock) {
  Bench bench;
  const std::uint64_t edges = bench.edges();
  bench.run(100'000);
  EXPECT_EQ(bench.edges(), edges);
  bench.connect();
  bench.run(1000);
  const std::uint64_t connected_edges = bench.edges();
  bench.run(100'000);
  EXPECT_EQ(bench.edges(), connected_edges);
}

}  // namespace
}  // namespace headstack::scsi
