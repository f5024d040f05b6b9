// SPDX-License-Identifier: Apache-2.0
// RST and BUS DEVICE RESET at any moment (SCSI-2 6.2.2, 6.6.3, 7.9). The drive comes back with the
// right unit attention, without agreements, and with whole blocks.
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

using bus::Phase;
using initiator::kAsynchronous;
using initiator::kFast10Wide;
using initiator::ManagementKind;

class Reset : public DriveBench, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Setup setup = plain_setup();
    if (std::string(GetParam()) == "Wide") setup.hosts = {host_config(kFast10Wide)};
    wanted_ = setup.hosts[0].agreement;
    power_on_ready(setup);
    ASSERT_EQ(host().agreement(0), wanted_);
  }

  void reset_bus() {
    host().reset_bus();
    run_for(100 * kMicrosecond);
    EXPECT_EQ(host().agreement(0), kAsynchronous) << "6.2.2: nothing is agreed to any more";
  }
  /// SCSI-2 7.9: the first command gets the unit attention, once; then all is as before.
  void expect_back(const char* attention) {
    EXPECT_EQ(run(test_unit_ready()), attention);
    EXPECT_EQ(run(test_unit_ready()), "GOOD");
    EXPECT_EQ(host().agreement(0), wanted_) << "negotiated anew";
  }

  initiator::Agreement wanted_;
};

TEST_P(Reset, InTheMiddleOfDataIn) {
  prepare(600, 64);
  const Ticket read = submit(read_10(600, 64));
  run_into(Phase::kDataIn, 100 * kMicrosecond);
  ASSERT_EQ(platform().phase(), Phase::kDataIn);
  reset_bus();
  const Completion& done = await(read);
  EXPECT_EQ(outcome(done), "bus reset");
  EXPECT_GT(done.bytes_moved, 0U);
  EXPECT_LT(done.bytes_moved, 64 * kBlockBytes);
  expect_back("6/29/02");
  expect_reads_back(600, 64);
}

TEST_P(Reset, InTheMiddleOfDataOut_BlocksAreOldOrNew) {
  const Bytes before = prepare(600, 64);
  const Bytes after = blocks().write(600, 64);
  Command write = write_10(600, after);
  write.may_disconnect = false;
  const Ticket ticket = submit(write);
  run_into(Phase::kDataOut, kMillisecond);
  ASSERT_EQ(platform().phase(), Phase::kDataOut);
  reset_bus();
  const Completion& done = await(ticket);
  EXPECT_EQ(outcome(done), "bus reset");
  const std::uint32_t sent = (done.bytes_moved + kBlockBytes - 1) / kBlockBytes;
  ASSERT_LT(sent, 64U);
  expect_back("6/29/02");
  run_for(100 * kMillisecond);
  expect_old_or_new(600, before, after);
  EXPECT_EQ(peek(600 + sent, 64 - sent), Bytes(before.begin() + sent * kBlockBytes, before.end()))
      << "what was not sent cannot be there";
  EXPECT_EQ(run(write_10(600, after)), "GOOD");
  expect_reads_back(600, 64);
}

// The heads write while the bus is free: the reset cuts the request, never a block.
TEST_P(Reset, InTheMiddleOfAWriteOnTheMedia_BlocksAreOldOrNew) {
  const Bytes before = prepare(100, 16);
  const Bytes after = blocks().write(100, 16);
  const Ticket write = submit(write_10(100, after));
  // Runs until the media have three of the blocks.
  run_until([&] { return peek(102, 1) == Bytes(after.begin() + 1024, after.begin() + 1536); },
            kMillisecond * 100, 10 * kMicrosecond);
  ASSERT_FALSE(is_done(write));
  reset_bus();
  EXPECT_EQ(outcome(await(write)), "bus reset");
  expect_back("6/29/02");
  const std::size_t renewed = expect_old_or_new(100, before, after);
  EXPECT_GE(renewed, 3U);
  EXPECT_LE(renewed, 16U);
  EXPECT_TRUE(platform().surface().destroyed_headers().empty());
  EXPECT_EQ(platform().surface().cut_write_count(), 0U);
  EXPECT_EQ(run(write_10(100, after)), "GOOD");
  expect_reads_back(100, 16);
}

TEST_P(Reset, InTheMiddleOfASeek) {
  ASSERT_EQ(run(read_10(0, 1)), "GOOD");
  prepare(2100, 4);
  const Ticket read = submit(read_10(2100, 4));
  const auto disconnected_and_moving = [&] {
    return platform().phase() == Phase::kBusFree && !platform().read_ready();
  };
  run_until(disconnected_and_moving, kPatience, 10 * kMicrosecond);
  ASSERT_EQ(host().in_flight_count(), 1U);
  reset_bus();
  EXPECT_EQ(outcome(await(read)), "bus reset");
  expect_back("6/29/02");
  expect_reads_back(2100, 4);
}

TEST_P(Reset, WithManyCommandsInTheDrive_AllAreForgotten) {
  prepare(0, 40);
  std::vector<Ticket> out;
  for (std::uint16_t tag = 0; tag < 10; ++tag) {
    out.push_back(submit(tagged(read_10(200U * tag, 4), tag)));
  }
  run_until([&] { return host().in_flight_count() >= 8; }, kPatience, kMicrosecond);
  reset_bus();
  await_all();
  std::size_t lost = 0;
  for (const Ticket ticket : out) {
    if (outcome(result(ticket)) == "bus reset") ++lost;
  }
  EXPECT_GE(lost, 7U);
  run(test_unit_ready());  // commands that still waited at the host have met the unit attention
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_reads_back(0, 40);
}

// SCSI-2 6.6.3: like RST, but by message, with 29/03 as its code.
TEST_P(Reset, BusDeviceReset_EndsEverything_WithAUnitAttention) {
  prepare(700, 20);
  std::vector<Ticket> out;
  for (std::uint16_t tag = 0; tag < 4; ++tag) {
    out.push_back(submit(tagged(read_10(500U * tag, 20), tag)));
  }
  run_until([&] { return host().waiting_count() == 0; });
  const Ticket reset = manage(ManagementKind::kBusDeviceReset);
  EXPECT_EQ(outcome(await(reset)), "GOOD");
  EXPECT_EQ(host().agreement(0), kAsynchronous);
  await_all();
  EXPECT_EQ(outcome(result(out[3])), "aborted");
  expect_back("6/29/03");
  expect_reads_back(700, 20);
}

TEST_P(Reset, TwoInARow_TheLaterOneIsReported) {
  host().reset_bus();
  run_for(kMillisecond);
  await(manage(ManagementKind::kBusDeviceReset));
  expect_back("6/29/03");
  await(manage(ManagementKind::kBusDeviceReset));
  reset_bus();
  expect_back("6/29/02");
}

INSTANTIATE_TEST_SUITE_P(Scenario, Reset, testing::Values("Async", "Wide"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace headstack::scenario
