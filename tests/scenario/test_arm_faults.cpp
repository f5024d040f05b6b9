// SPDX-License-Identifier: Apache-2.0
// An arm that settles late, never, elsewhere, sticks, or leaves its track. The drive tries
// recovery, then reports the sense of SCSI-2 table 71 with the block, and everything else
// continues.
#include "tests/scenario/fault_bench.hpp"

namespace headstack::scenario {
namespace {

using drive::ArmFault;
using drive::ArmFaultKind;

constexpr std::uint32_t kCylinder = 20;

/// A fault of movements to cylinder 20. Recalibrations, to cylinder 0, are spared.
ArmFault fault(ArmFaultKind kind, std::uint32_t seeks) {
  ArmFault fault;
  fault.kind = kind;
  fault.first_cylinder = kCylinder;
  fault.last_cylinder = kCylinder;
  fault.seeks = seeks;
  return fault;
}

class ArmFaults : public FaultBench {
 protected:
  void power_on_with_fault(const ArmFault& fault) {
    drive::Specimen specimen;
    specimen.arm_faults = {fault};
    power_on_with(specimen);
    prepare(kLba, 10);
    prepare(0, 10);
  }
  /// Expects that other commands are served normally.
  void expect_alive() {
    EXPECT_EQ(run(test_unit_ready()), "GOOD");
    expect_reads_back(0, 10);
  }
  static constexpr std::uint32_t kLba = block_of(kCylinder);
};

TEST_F(ArmFaults, LateSettling_IsWaitedFor) {
  ArmFault late = fault(ArmFaultKind::kSettle, 1);
  late.for_ms = 40;
  power_on_with_fault(late);
  const Completion done = execute(read_10(kLba, 10));
  expect_data(done, kLba, 10);
  EXPECT_GE(service_time(done), 40 * kMillisecond);
  // Seek 4 ms, a revolution, ten sectors.
  EXPECT_LE(service_time(done), (40 + 4 + 10 + 6) * kMillisecond);
}

TEST_F(ArmFaults, NoSettling_IsRecalibrated_AndReadAllTheSame) {
  power_on_with_fault(fault(ArmFaultKind::kSettle, 1));
  const Completion done = execute(read_10(kLba, 10));
  expect_data(done, kLba, 10);
  EXPECT_GE(service_time(done), kStepLimit);
  EXPECT_LE(service_time(done), 2 * kStepLimit + 5 * kRevolution);
}

struct SenseCase {
  const char* what;
  ArmFaultKind kind;
  std::int32_t by_cylinders;
  const char* sense;
};
const SenseCase kSenses[] = {
    // 02h/00h no seek complete; 15h/02h positioning error detected by read of medium.
    {"NoSettling", ArmFaultKind::kSettle, 0, "4/02/00"},
    {"Stuck", ArmFaultKind::kStuck, 0, "4/02/00"},
    {"OneShort", ArmFaultKind::kWrongCylinder, -1, "4/15/02"},
    {"Far", ArmFaultKind::kWrongCylinder, 7, "4/15/02"},
};
class ArmSenses : public ArmFaults, public testing::WithParamInterface<SenseCase> {
 protected:
  ArmFault case_fault(std::uint32_t seeks) {
    ArmFault of_case = fault(GetParam().kind, seeks);
    of_case.by_cylinders = GetParam().by_cylinders;
    return of_case;
  }
};

// Page 01h allows two retries: the third movement is the last.
TEST_P(ArmSenses, OnTheLastRetry_AReadSucceeds) {
  power_on_with_fault(case_fault(2));
  set_retries(2, 8);
  expect_reads_back(kLba, 10);
  expect_alive();
}

TEST_P(ArmSenses, OneBeyondTheLastRetry_AReadFails_WithItsBlock) {
  power_on_with_fault(case_fault(3));
  set_retries(2, 8);
  const Completion done = execute(read_10(kLba + 3, 4));
  EXPECT_EQ(outcome(done), GetParam().sense);
  EXPECT_EQ(information(done.sense), kLba + 3);
  expect_alive();
  expect_reads_back(kLba, 10);
}

TEST_P(ArmSenses, OneBeyondTheLastRetry_AWriteFails_AndNoOtherBlockIsWritten) {
  power_on_with_fault(case_fault(2));
  set_retries(8, 1);
  const Bytes around = prepare(block_of(kCylinder - 1), 120);
  const Bytes data = blocks().version(kLba, 4, 99);
  const Completion done = execute(write_10(kLba, data));
  EXPECT_EQ(outcome(done), GetParam().sense);
  EXPECT_EQ(information(done.sense), kLba);
  EXPECT_EQ(peek(block_of(kCylinder - 1), 120), around);
  expect_alive();
}

TEST_P(ArmSenses, ThatNeverEnds_FailsItsOwnCommandsOnly) {
  power_on_with_fault(case_fault(0));
  set_retries(1, 1);
  std::vector<Ticket> good;
  std::vector<Ticket> bad;
  for (std::uint16_t i = 0; i < 4; ++i) {
    good.push_back(submit(tagged(read_10(2 * i, 2), static_cast<std::uint16_t>(2 * i + 1))));
    bad.push_back(submit(tagged(verify_10(kLba, 1), static_cast<std::uint16_t>(2 * i + 2))));
  }
  await_all(60 * kPicosecondsPerSecond);
  for (std::size_t i = 0; i < 4; ++i) {
    expect_data(result(good[i]), static_cast<std::uint32_t>(2 * i), 2);
    EXPECT_EQ(outcome(result(bad[i])), GetParam().sense);
  }
  expect_alive();
}
INSTANTIATE_TEST_SUITE_P(Faults, ArmSenses, testing::ValuesIn(kSenses),
                         [](const auto& test) { return std::string(test.param.what); });

// 09h/00h track following error.
TEST_F(ArmFaults, TrackLost_IsATrackFollowingError_WithoutRetries) {
  ArmFault away = fault(ArmFaultKind::kOffTrack, 1);
  away.after_ms = 0.05;
  away.for_ms = 15;
  power_on_with_fault(away);
  set_retries(0, 0);
  const Completion done = execute(read_10(kLba, 10));
  EXPECT_EQ(outcome(done), "4/09/00");
  expect_alive();
}

TEST_F(ArmFaults, TrackLost_IsFoundAgain_WithOneRetry) {
  ArmFault away = fault(ArmFaultKind::kOffTrack, 1);
  away.after_ms = 0.05;
  away.for_ms = 15;
  power_on_with_fault(away);
  set_retries(1, 1);
  const Completion done = execute(read_10(kLba, 10));
  expect_data(done, kLba, 10);
  EXPECT_GE(service_time(done), 15 * kMillisecond);
}

// The track is lost in the middle of a write: the sector under the head is torn, and written again
// completely.
TEST_F(ArmFaults, TrackLostInAWrite_LeavesNoTornSector) {
  ArmFault away = fault(ArmFaultKind::kOffTrack, 1);
  away.after_ms = 11;  // a revolution and a bit: during the transfer
  away.for_ms = 3;
  power_on_with_fault(away);
  EXPECT_EQ(run(write_10(kLba, blocks().write(kLba, 20))), "GOOD");
  expect_reads_back(kLba, 20);
  EXPECT_EQ(blocks().first_difference(peek(kLba, 20), blocks().expected(kLba, 20), kLba),
            std::nullopt);
}

// Even the stop at cylinder 0 is not found: 06h/00h no reference position.
TEST_F(ArmFaults, NoReference_FailsEveryMovement_AndTheDriveStillResponds) {
  drive::Specimen specimen;
  ArmFault stuck;
  stuck.kind = ArmFaultKind::kStuck;
  stuck.first_seek = 2;
  specimen.arm_faults = {stuck};
  power_on_with(specimen);
  set_retries(1, 1);
  prepare(block_of(5), 2);
  expect_reads_back(block_of(5), 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(read_10(block_of(10), 1)), "4/06/00");
    EXPECT_EQ(run(test_unit_ready()), "GOOD");
  }
}

}  // namespace
}  // namespace headstack::scenario
