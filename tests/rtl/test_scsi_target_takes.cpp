// SPDX-License-Identifier: Apache-2.0
// CTRL.take_command: the block takes the messages and the command of a selection by itself, and
// sends messages after a status (hdl/regs/scsi_target.rdl). Random initiators, with the clock
// gated and without. What an initiator of tests/contract cannot do is here, too: no ATN at all.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/rtl/scsi_bench.hpp"

namespace headstack::scsi {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr unsigned kTakeCommand = 1U << 2;
constexpr std::uint32_t kThenMessage = 1U << 29;
constexpr std::uint32_t kTaken = std::uint32_t{kSelected} | kTransferDone;

unsigned phase_of(std::uint32_t status) { return status >> 8 & 7U; }
unsigned level_of(std::uint32_t status) { return status >> 16 & 0x1FU; }
bool takes(std::uint32_t status) { return (status >> 24 & 1U) != 0; }
unsigned messages_of(std::uint32_t status) { return status >> 25 & 3U; }

/// An initiator's messages and command after its selection.
struct Talk {
  Bytes messages;  // empty: it selects without ATN
  Bytes cdb;
};

/// ATN is false before the ACK of the last message (SCSI-2 6.2.1). @return the events.
std::uint32_t select(Bench* bench, const Talk& talk, unsigned limit_clocks = 20000) {
  Initiator& initiator = bench->initiator;
  initiator.out[kMessageOut] = talk.messages;
  initiator.out[kCommand] = talk.cdb;
  initiator.out_at.clear();
  initiator.with_attention = !talk.messages.empty();
  bench->on_clock = [&initiator] {
    if (initiator.out_at[kMessageOut] >= initiator.out[kMessageOut].size()) {
      initiator.with_attention = false;
    }
  };
  bench->others = kSel | Bench::with_parity(id_bits({Bench::kOwnId, Bench::kInitiatorId}));
  EXPECT_LE(bench->run_until_target(kBsy, 100), 100U);
  bench->run(clocks(2 * timing_ns::kDeskewDelay));
  bench->others = 0;
  return bench->await(kSelected | kTransferDone | kParityError, limit_clocks);
}

Bytes fetch(Bench* bench) {
  Bytes bytes;
  while (level_of(bench->read(kRegStatus)) > 0) {
    bytes.push_back(static_cast<std::uint8_t>(bench->read(kRegFifo)));
  }
  return bytes;
}

void begin(Bench* bench) { bench->write(kRegCtrl, 3U | kTakeCommand | Bench::kOwnId << 4); }

/// Sends status, COMMAND COMPLETE and bus free.
void answer(Bench* bench) {
  bench->initiator.in.clear();
  bench->write(kRegFifo, 0x08);
  bench->write(kRegFifo, 0x00);
  bench->write(kRegTransfer, 1U | kStatus << 24 | kThenMessage);
  bench->command(kOpTransfer);
  EXPECT_EQ(bench->await(kDisconnected | kTransferDone), std::uint32_t{kDisconnected});
  EXPECT_EQ(bench->initiator.in[kStatus], Bytes{0x08});
  EXPECT_EQ(bench->initiator.in[kMessageIn], Bytes{0x00});
}

TEST(TakesTest, WithoutAtn_TheCommandComesAtOnce) {
  Bench bench;
  begin(&bench);
  const Bytes cdb = {0x08, 0, 0, 1, 1, 0};
  ASSERT_EQ(select(&bench, {{}, cdb}), kTaken);
  const std::uint32_t status = bench.read(kRegStatus);
  EXPECT_TRUE(takes(status));
  EXPECT_EQ(messages_of(status), 0U);
  EXPECT_EQ(phase_of(status), kCommand);
  EXPECT_EQ(fetch(&bench), cdb);
  answer(&bench);
  EXPECT_FALSE(takes(bench.read(kRegStatus)));
}

// A message that may need an answer; and ATN that falls within a message of two bytes, so that
// there is no tag.
TEST(TakesTest, OtherMessages_HaveNoCommandBehindThem) {
  for (const Bytes& messages : {Bytes{0xC0, 0x08}, Bytes{0x08}, Bytes{0xC0, 0x20}}) {
    Bench bench;
    begin(&bench);
    ASSERT_EQ(select(&bench, {messages, Bytes(6, 0)}), kTaken);
    EXPECT_EQ(phase_of(bench.read(kRegStatus)), kMessageOut);
    EXPECT_EQ(fetch(&bench), messages);
  }
}

/// The length of a CDB, by the group of the operation code (SPC-2 7.1).
std::size_t cdb_bytes(std::uint8_t opcode) {
  const std::size_t bytes[] = {6, 10, 10, 6, 16, 12, 6, 6};
  return bytes[opcode >> 5];
}

class Takes : public testing::TestWithParam<std::uint64_t> {};

// IDENTIFY with or without a tag: all of it comes, as far as the FIFO holds it, in its order.
TEST_P(Takes, RandomInitiators_AreTakenWhole) {
  std::mt19937_64 random(GetParam());
  const auto clocking = GetParam() % 2 == 0 ? Bench::Clocking::kGated : Bench::Clocking::kAlways;
  Bench bench(clocking, GetParam());
  begin(&bench);
  for (int i = 0; i < 60; ++i) {
    bench.initiator.slowness_clocks = static_cast<unsigned>(random() % 30);
    Talk talk;
    if (random() % 8 != 0)
      talk.messages = {static_cast<std::uint8_t>(0x80 | (random() % 8) | (random() % 2) << 6)};
    if (!talk.messages.empty() && random() % 2 == 0) {
      talk.messages.push_back(static_cast<std::uint8_t>(0x20 + random() % 3));
      talk.messages.push_back(static_cast<std::uint8_t>(random()));
    }
    talk.cdb = {static_cast<std::uint8_t>(random())};
    while (talk.cdb.size() < cdb_bytes(talk.cdb[0])) {
      talk.cdb.push_back(static_cast<std::uint8_t>(random()));
    }
    // Bytes that the firmware has not sent do not mix with the messages.
    for (std::uint64_t junk = random() % 4; junk > 0; --junk) bench.write(kRegFifo, 0xEE);
    ASSERT_EQ(select(&bench, talk), kTaken);
    const std::uint32_t status = bench.read(kRegStatus);
    EXPECT_EQ(messages_of(status), talk.messages.size());
    EXPECT_EQ(phase_of(status), kCommand);
    Bytes whole = talk.messages;
    whole.insert(whole.end(), talk.cdb.begin(), talk.cdb.end());
    const std::size_t here = std::min<std::size_t>(whole.size(), 16);
    EXPECT_EQ(fetch(&bench), Bytes(whole.begin(), whole.begin() + static_cast<long>(here)));
    if (here < whole.size()) {
      bench.start_transfer(kCommand, static_cast<std::uint32_t>(whole.size() - here));
      ASSERT_EQ(bench.await(kTransferDone), std::uint32_t{kTransferDone});
      EXPECT_EQ(fetch(&bench), Bytes(whole.begin() + static_cast<long>(here), whole.end()));
    }
    answer(&bench);
    ASSERT_FALSE(HasFailure()) << "selection " << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, Takes, testing::Range<std::uint64_t>(0, 8));

// The messages of a reselection, and its event with their end.
TEST(TakesTest, MessagesBehindAReselection_ComeBeforeTheEvent) {
  Bench bench;
  begin(&bench);
  for (const std::uint8_t byte : Bytes{0x80, 0x20, 9}) bench.write(kRegFifo, byte);
  bench.write(kRegTransfer, kThenMessage);
  bench.write(kRegIntrEnable, kReselected | kTransferDone);
  bench.command(kOpReselect, Bench::kInitiatorId);
  ASSERT_LE(bench.run_until_target(kSel | kIo), 20000U);
  bench.run_until([&] { return (bench.target() & kBsy) == 0; });
  bench.others = kBsy;
  bench.run_until([&] { return (bench.target() & kBsy) != 0; });
  bench.others = 0;
  const std::uint32_t both = std::uint32_t{kReselected} | kTransferDone;
  ASSERT_EQ(bench.await(both), both);
  EXPECT_EQ(bench.initiator.in[kMessageIn], (Bytes{0x80, 0x20, 9}));
  EXPECT_FALSE(takes(bench.read(kRegStatus)));
}

}  // namespace
}  // namespace headstack::scsi
