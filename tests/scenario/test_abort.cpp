// SPDX-License-Identifier: Apache-2.0
// ABORT, ABORT TAG and CLEAR QUEUE: tasks that end, tasks that continue, and the content of the
// media (SCSI-2 6.6.1, 6.6.2, 6.6.4). None of them leaves a unit attention for the host that sent
// it.
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

using bus::Phase;
using initiator::ManagementKind;

class Abort : public DriveBench {
 protected:
  void SetUp() override { power_on_fast(); }

  /// Reads of 8 blocks from 0, 300, 600, ... with tags 0, 1, 2, ..., all in the drive.
  std::vector<Ticket> reads_in_flight(std::uint16_t count) {
    std::vector<Ticket> out;
    for (std::uint16_t tag = 0; tag < count; ++tag) {
      prepare(300U * tag, 8);
      out.push_back(submit(tagged(read_10(300U * tag, 8), tag)));
    }
    run_until([&] { return host().waiting_count() == 0; }, kPatience, kMicrosecond);
    return out;
  }
};

TEST_F(Abort, EndsAllCommandsOfTheHost_WithoutUnitAttention) {
  const std::vector<Ticket> out = reads_in_flight(6);
  EXPECT_EQ(outcome(await(manage(ManagementKind::kAbort))), "GOOD");
  EXPECT_EQ(host().in_flight_count(), 0U);
  EXPECT_EQ(outcome(result(out[5])), "aborted");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_reads_back(0, 8);
}

/// Ways to end a host's tasks, some of which leave a unit attention.
enum class Ender { kAbort, kDeviceReset, kBusReset };

class AbortOfAMixture : public Abort, public testing::WithParamInterface<Ender> {
 protected:
  void end_all() {
    switch (GetParam()) {
      case Ender::kAbort: await(manage(ManagementKind::kAbort)); return;
      case Ender::kDeviceReset: await(manage(ManagementKind::kBusDeviceReset)); return;
      case Ender::kBusReset: host().reset_bus(); return;
    }
  }
  void make_ready() {
    const auto is_ready = [&] { return run(test_unit_ready()) == "GOOD"; };
    while (!is_ready()) (void)run(start_stop(true));
  }
};

// The end of one task enables others, some of which end at once. These are STOP UNIT after a READ,
// and SYNCHRONIZE CACHE, which has its status already, after that.
TEST_P(AbortOfAMixture, OfReadStopSynchronizeAndWrite_LeavesADriveThatWorks) {
  Command synchronize = synchronize_cache();
  synchronize.cdb[1] |= 0x02;  // IMMED
  for (int round = 0; round < 25; ++round) {
    prepare(300, 8);
    submit(tagged(read_10(300, 8), 1));
    submit(tagged(start_stop(false), 2));
    submit(tagged(synchronize, 3));
    submit(tagged(write_10(600, Bytes(8 * kBlockBytes)), 4));
    submit(tagged(synchronize, 5, TagType::kHeadOfQueue));
    run_for(round * kMillisecond / 2);
    end_all();
    await_all();
    make_ready();
    expect_reads_back(300, 8);
  }
}

std::string name_of(const testing::TestParamInfo<Ender>& ender) {
  switch (ender.param) {
    case Ender::kAbort: return "Abort";
    case Ender::kDeviceReset: return "DeviceReset";
    case Ender::kBusReset: return "BusReset";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(By, AbortOfAMixture,
                         testing::Values(Ender::kAbort, Ender::kDeviceReset, Ender::kBusReset),
                         name_of);

TEST_F(Abort, ClearQueue_IsTheSameForTheOnlyHost) {
  const std::vector<Ticket> out = reads_in_flight(6);
  EXPECT_EQ(outcome(await(manage(ManagementKind::kClearQueue))), "GOOD");
  EXPECT_EQ(host().in_flight_count(), 0U);
  EXPECT_EQ(outcome(result(out[5])), "aborted");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_reads_back(0, 8);
}

TEST_F(Abort, AbortTag_EndsOneThatWaits_AndNoOther) {
  const std::vector<Ticket> out = reads_in_flight(6);
  EXPECT_EQ(outcome(await(manage(ManagementKind::kAbortTag, 5))), "GOOD");
  EXPECT_EQ(outcome(result(out[5])), "aborted");
  for (std::uint16_t tag = 0; tag < 5; ++tag) expect_data(await(out[tag]), 300U * tag, 8);
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_data(execute(tagged(read_10(1500, 8), 5)), 1500, 8);
}

TEST_F(Abort, AbortTag_EndsTheOneAtTheMedia_AndNoOther) {
  const std::vector<Ticket> out = reads_in_flight(6);
  ASSERT_FALSE(is_done(out[0]));
  EXPECT_EQ(outcome(await(manage(ManagementKind::kAbortTag, 0))), "GOOD");
  EXPECT_EQ(outcome(result(out[0])), "aborted");
  for (std::uint16_t tag = 1; tag < 6; ++tag) expect_data(await(out[tag]), 300U * tag, 8);
}

TEST_F(Abort, AbortTag_OfAnUnknownTag_ChangesNothing) {
  const std::vector<Ticket> out = reads_in_flight(3);
  EXPECT_EQ(outcome(await(manage(ManagementKind::kAbortTag, 77))), "GOOD");
  for (std::uint16_t tag = 0; tag < 3; ++tag) expect_data(await(out[tag]), 300U * tag, 8);
}

TEST_F(Abort, WithNothingToAbort_ChangesNothing) {
  for (const ManagementKind kind : {ManagementKind::kAbort, ManagementKind::kClearQueue}) {
    EXPECT_EQ(outcome(await(manage(kind))), "GOOD");
    EXPECT_EQ(run(test_unit_ready()), "GOOD");
  }
}

// The tag is free at once, though the media may still be busy with its last sector.
TEST_F(Abort, AbortedTag_CanBeUsedAgainAtOnce) {
  for (unsigned round = 0; round < 4; ++round) {
    prepare(1000, 40);
    const Ticket read = submit(tagged(read_10(1000, 40), 1));
    run_for((3 + 5 * round) * kMillisecond);
    ASSERT_FALSE(is_done(read));
    const Ticket abort = manage(ManagementKind::kAbortTag, 1);
    const Ticket again = submit(tagged(read_10(1004, 4), 1));
    EXPECT_EQ(outcome(await(abort)), "GOOD");
    EXPECT_EQ(outcome(result(read)), "aborted");
    expect_data(await(again), 1004, 4);
  }
}

class AbortWrite : public Abort, public testing::WithParamInterface<int> {};

// At moments from the first data to the last sector: the write ends early, its blocks are whole,
// and no other block changes.
TEST_P(AbortWrite, AtAnyTime_LeavesBlocksOldOrNew) {
  prepare(98, 2);
  prepare(132, 2);
  const Bytes before = prepare(100, 32);
  const Bytes after = blocks().write(100, 32);
  const Ticket write = submit(tagged(write_10(100, after), 1));
  run_until([&] { return host().waiting_count() == 0; }, kPatience, kMicrosecond);
  run_for(GetParam() * kMillisecond);
  const Ticket abort = manage(ManagementKind::kAbortTag, 1);
  EXPECT_EQ(outcome(await(abort)), "GOOD");
  ASSERT_TRUE(is_done(write));
  run_for(50 * kMillisecond);
  const std::size_t renewed = expect_old_or_new(100, before, after);
  // 32 sectors of 0.5 ms cannot be done sooner.
  if (GetParam() < 16) {
    EXPECT_EQ(outcome(result(write)), "aborted");
  }
  if (outcome(result(write)) == "GOOD") {
    EXPECT_EQ(renewed, 32U);
  }
  EXPECT_EQ(platform().surface().cut_write_count(), 0U);
  EXPECT_EQ(blocks().first_difference(peek(98, 2), blocks().expected(98, 2), 98), std::nullopt);
  EXPECT_EQ(blocks().first_difference(peek(132, 2), blocks().expected(132, 2), 132), std::nullopt);
  EXPECT_EQ(run(write_10(100, after)), "GOOD");
  expect_reads_back(98, 36);
}

INSTANTIATE_TEST_SUITE_P(Scenario, AbortWrite, testing::Values(0, 1, 3, 6, 10, 15, 20, 26, 40));

// In the middle of its data phase the host asks for the drive's attention.
TEST_F(Abort, InTheMiddleOfDataIn_EndsTheCommand) {
  prepare(600, 64);
  Command command = read_10(600, 64);
  command.may_disconnect = false;
  const Ticket read = submit(command);
  run_into(Phase::kDataIn, kMillisecond);
  ASSERT_EQ(platform().phase(), Phase::kDataIn);
  EXPECT_EQ(outcome(await(manage(ManagementKind::kAbort))), "GOOD");
  EXPECT_EQ(outcome(result(read)), "aborted");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_reads_back(600, 64);
}

}  // namespace
}  // namespace headstack::scenario
