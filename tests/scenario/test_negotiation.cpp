// SPDX-License-Identifier: Apache-2.0
// Transfer agreements between host and drive (SCSI-2 6.6.21, 6.6.23), and data by each of them.
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

using initiator::Agreement;
using initiator::kAsynchronous;
using initiator::kFast10Narrow;
using initiator::kFast10Wide;

struct Wish {
  const char* what;
  Agreement wanted;
  Agreement answer;
};

// SDTR periods count 4 ns: 25 is Fast-10, 12 Fast-20, 50 5 MT/s. SCSI-2 6.6.21: the answer asks for
// no shorter a period and no larger an offset than was offered. Nor does it exceed what the
// answerer can do, here small_drive()'s 16 bits, 100 ns and offset 15.
const Wish kWishes[] = {
    {"Nothing", kAsynchronous, kAsynchronous},
    {"Fast10Narrow", kFast10Narrow, kFast10Narrow},
    {"Fast10Wide", kFast10Wide, kFast10Wide},
    {"WideAsynchronous", {true, 0, 0}, {true, 0, 0}},
    {"SlowNarrow", {false, 50, 8}, {false, 50, 8}},
    {"SlowestWide", {true, 255, 1}, {true, 255, 1}},
    {"OffsetOne", {false, 25, 1}, {false, 25, 1}},
    {"OddPeriod", {true, 31, 7}, {true, 31, 7}},
    {"TooFast", {false, 12, 15}, {false, 25, 15}},
    {"TooFarAhead", {true, 25, 64}, {true, 25, 15}},
    {"TooFastAndTooFarAhead", {true, 10, 255}, {true, 25, 15}},
};

class Negotiation : public DriveBench {
 protected:
  /// Expects reads, writes and odd lengths to work by the agreement in force.
  void expect_data_moves() {
    prepare(1195, 10);
    expect_reads_back(1195, 10);
    EXPECT_EQ(run(write_10(1190, blocks().write(1190, 9))), "GOOD");
    expect_reads_back(1190, 15);
    const Bytes whole = execute(inquiry()).data;
    // SCSI-2 6.6.8: the odd byte on a wide bus needs a word; IGNORE WIDE RESIDUE takes one back.
    const Completion odd = execute(inquiry(5));
    EXPECT_EQ(odd.data, Bytes(whole.begin(), whole.begin() + 5));
    EXPECT_EQ(odd.bytes_beyond, 0U);
    const Bytes list = {0x01, 0x0A, 0, 7, 0, 0, 0, 0, 8, 0, 0, 0};
    EXPECT_EQ(run(mode_select_6(list)), "GOOD");
    EXPECT_EQ(execute(mode_sense_6(0x01)).data.at(7), 7);
  }
};

class NegotiationOf : public Negotiation, public testing::WithParamInterface<Wish> {};

TEST_P(NegotiationOf, EndsInTheDrivesAnswer_AndDataMoveByIt) {
  Setup setup = plain_setup();
  setup.hosts = {host_config(GetParam().wanted)};
  power_on(setup);
  EXPECT_EQ(host().agreement(0), kAsynchronous) << "until something is negotiated";
  EXPECT_EQ(run(test_unit_ready()), "6/29/00");
  EXPECT_EQ(host().agreement(0), GetParam().answer);
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_data_moves();
  EXPECT_EQ(host().agreement(0), GetParam().answer);
}

INSTANTIATE_TEST_SUITE_P(Scenario, NegotiationOf, testing::ValuesIn(kWishes),
                         [](const auto& test) { return std::string(test.param.what); });

// SCSI-2 6.1.5.2: no REQ comes sooner than a period after the one before. None needs to be later
// where the data are there, as those of one whole block are.
TEST_F(Negotiation, PeriodAndWidth_SetThePaceOfData) {
  Setup setup = plain_setup();
  setup.hosts = {host_config(kAsynchronous, 7), host_config(kFast10Narrow, 6),
                 host_config(kFast10Wide, 5)};
  power_on_ready(setup);
  prepare(5, 1);
  const auto data_time = [&](std::size_t index) {
    const Completion done = execute(read_10(5, 1), index);
    expect_data(done, 5, 1);
    return done.times.data_last - done.times.data_first;
  };
  const Picoseconds asynchronous = data_time(0);
  const Picoseconds narrow = data_time(1);
  const Picoseconds wide = data_time(2);
  EXPECT_GE(narrow, 511 * Picoseconds{100'000});
  EXPECT_LT(narrow, 512 * Picoseconds{100'000});
  EXPECT_GE(wide, 255 * Picoseconds{100'000});
  EXPECT_LT(wide, 256 * Picoseconds{100'000});
  EXPECT_GT(asynchronous, narrow);
}

// Messages that a host program sends by hand: one answer each, then the command goes on.
TEST_F(Negotiation, ByHand_HasOneAnswer) {
  power_on_ready();
  const std::vector<Bytes> by_hand = {{1, 3, 1, 25, 8}, {1, 2, 3, 1}, {1, 3, 1, 60, 0}};
  for (const Bytes& message : by_hand) {
    Command command = test_unit_ready();
    command.messages = {message};
    EXPECT_EQ(outcome(await(submit(command), 10 * kMillisecond)), "GOOD");
  }
  prepare(100, 8);
  expect_reads_back(100, 8);
}

// SCSI-2 6.6.14, 6.6.17: the second tag is rejected, and the command keeps the first.
TEST_F(Negotiation, SecondTagByHand_IsRejected) {
  power_on_ready();
  prepare(100, 8);
  Command command = tagged(read_10(100, 8), 5);
  command.messages = {{0x20, 6}};
  expect_data(await(submit(command), 100 * kMillisecond), 100, 8);
  expect_reads_back(100, 8);
}

// A message that ends before its length says: MESSAGE REJECT, and the command goes on. Tag 12 is
// 0Ch: taken for a message, it is BUS DEVICE RESET.
TEST_F(Negotiation, MessageCutShort_IsRejected) {
  power_on_ready();
  prepare(100, 8);
  const std::vector<Bytes> cut = {{1},       {1, 0x15},       {1, 0x15, 0xE9}, {1, 3, 1},
                                  {1, 2, 3}, {1, 4, 0x20, 0}, {0x20}};
  for (const Bytes& message : cut) {
    Command command = tagged(read_10(100, 8), 12);
    command.messages = {message};
    expect_data(await(submit(command), 100 * kMillisecond), 100, 8);
    EXPECT_EQ(run(test_unit_ready()), "GOOD") << "nobody has reset the drive";
  }
}

TEST_F(Negotiation, AfterAReset_IsRepeated) {
  power_on_fast();
  ASSERT_EQ(host().agreement(0), kFast10Wide);
  host().reset_bus();
  run_for(kMillisecond);
  EXPECT_EQ(host().agreement(0), kAsynchronous);
  // INQUIRY moves data before any unit attention is reported: by the new agreement, or by none.
  EXPECT_EQ(run(inquiry()), "GOOD");
  EXPECT_EQ(host().agreement(0), kFast10Wide);
  EXPECT_EQ(run(test_unit_ready()), "6/29/02");
  expect_data_moves();
}

// The drive answers with the limits of its description.
TEST_F(Negotiation, DescribedLimits_AreTheDrivesAnswer) {
  Setup setup = plain_setup();
  setup.description.design.bus = {8, 200, 7};
  setup.hosts = {host_config(kFast10Wide)};
  power_on(setup);
  EXPECT_EQ(run(test_unit_ready()), "6/29/00");
  EXPECT_EQ(host().agreement(0), (Agreement{false, 50, 7}));
}

}  // namespace
}  // namespace headstack::scenario
