// SPDX-License-Identifier: Apache-2.0
// The firmware's reaction to three faults: an arm that does not arrive, a spindle without its
// speed, and a search that no index ends. Retries are three, and as many as page 01h says.
#include <gtest/gtest.h>

#include "firmware/events.h"
#include "tests/firmware/service_world.hpp"

namespace headstack::test {
namespace {

constexpr FakeSoc::Tick kMillisecond = 40'000;
constexpr FakeSoc::Tick kRevolution = 10 * kMillisecond;
/// "Twice the longest movement, or the longest run": eight revolutions of 10 ms; given up after as
/// much again at the latest.
constexpr FakeSoc::Tick kLimit = 8 * kRevolution;

/// The statuses of the tasks that have ended.
std::vector<enum status> statuses(const ServiceWorld& world) {
  std::vector<enum status> list;
  for (const ServiceWorld::Ended& ended : world.ended()) list.push_back(ended.status);
  return list;
}

ServiceWorld::Options with_retries(std::uint32_t retries) {
  ServiceWorld::Options options;
  options.retries = retries;
  return options;
}

TEST(ServiceFaults, ArmThatNeverArrives_IsRecalibrated_AndTheSeekRepeated) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.soc().strand_movements(1);
  const FakeSoc::Tick begin = world.soc().now();
  world.submit(TASK_READ, 400, 1);
  world.run();
  EXPECT_EQ(statuses(world), std::vector<enum status>{STATUS_OK});
  EXPECT_EQ(world.soc().recalibrations(), 1);
  EXPECT_EQ(world.soc().seeks(), 2);
  EXPECT_GE(world.ended()[0].tick, begin + kLimit);
  // The wait, a recalibration and a seek of 2 ms each, and a read.
  EXPECT_LE(world.ended()[0].tick, begin + 2 * kLimit + 4 * kMillisecond + 2 * kRevolution);
  EXPECT_TRUE(world.buffer_is_free());
}

// Both edges of the limit. A stranded seek costs a retry, and one recalibration goes before each.
TEST(ServiceFaults, ArmThatNeverArrives_FailsOneRetryBeyondTheLimit) {
  for (const int stranded : {1, 2}) {
    ServiceWorld world(design_by_hand(), with_retries(1));
    world.spin_up();
    world.soc().strand_movements(stranded);
    world.submit(TASK_READ, 400, 1);
    world.run();
    // The second movement is the recalibration.
    EXPECT_EQ(statuses(world),
              std::vector<enum status>{stranded == 1 ? STATUS_OK : STATUS_NO_REFERENCE});
    world.submit(TASK_READ, 20, 1);
    world.run();
    EXPECT_EQ(world.ended()[1].status, STATUS_OK) << "the drive goes on";
    EXPECT_EQ(world.soc().recalibrations(), stranded) << "after a failure, too";
  }
}

TEST(ServiceFaults, WithoutRetries_NoSeekCompleteIsReported) {
  ServiceWorld world(design_by_hand(), with_retries(0));
  world.spin_up();
  world.soc().strand_movements(1);
  world.submit(TASK_WRITE, 400, 1);
  world.run();
  EXPECT_EQ(statuses(world), std::vector<enum status>{STATUS_NO_SEEK_COMPLETE});
  EXPECT_EQ(world.ended()[0].failed_lba, 400U);
}

TEST(ServiceFaults, OthersWait_AndAreServedAfterIt) {
  ServiceWorld world(design_by_hand(), with_retries(0));
  world.spin_up();
  world.soc().strand_movements(1);
  world.submit(TASK_READ, 400, 1);
  world.submit(TASK_READ, 20, 1);
  world.submit(TASK_WRITE, 40, 1);
  world.run();
  EXPECT_EQ(statuses(world),
            (std::vector<enum status>{STATUS_NO_SEEK_COMPLETE, STATUS_OK, STATUS_OK}));
}

TEST(ServiceFaults, AbortWhileTheArmIsLost_DoesNotBlockOthersForEver) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.soc().strand_movements(1);
  ::task* lost = world.submit(TASK_READ, 400, 1);
  world.run_until(world.soc().now() + kMillisecond);
  world.abort(lost);
  world.submit(TASK_READ, 20, 1);
  world.run();
  EXPECT_EQ(statuses(world), std::vector<enum status>{STATUS_OK});
}

// The formatter has sent it on its way: the run between is given up, then the movement, which the
// servo still makes. Without retries the command fails, and the next one is served all the same.
TEST(ServiceFaults, ArmThatSticksBetweenTwoRuns_IsRecalibrated) {
  for (const bool retries : {true, false}) {
    ServiceWorld world(design_by_hand(), with_retries(retries ? 3 : 0));
    world.spin_up();
    world.submit(TASK_READ, 8, 5);
    while (world.traced(TRACE_RUN_START).empty()) ASSERT_TRUE(world.step());
    world.soc().strand_movements(1);
    world.run();
    EXPECT_EQ(statuses(world), std::vector<enum status>{retries ? STATUS_OK : STATUS_NO_INDEX});
    world.submit(TASK_READ, 400, 1);
    world.run();
    EXPECT_EQ(world.ended()[1].status, retries ? STATUS_OK : STATUS_NO_SEEK_COMPLETE);
    world.submit(TASK_READ, 400, 1);
    world.run();
    EXPECT_EQ(world.ended()[2].status, STATUS_OK);
    EXPECT_EQ(world.soc().recalibrations(), 1);
    EXPECT_TRUE(world.buffer_is_free());
  }
}

// An abort while the heads are on their way between two runs: the next task's movement waits for
// their arrival, and is no failure.
TEST(ServiceFaults, AbortWhileTheFormatterMovesTheArm_UsesNoRetryOfTheNextTask) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  ::task* aborted = world.submit(TASK_READ, 8, 5);
  while (world.traced(TRACE_RUN_NEXT).empty()) ASSERT_TRUE(world.step());
  world.abort(aborted);
  world.submit(TASK_READ, 400, 1);
  world.run();
  EXPECT_EQ(world.ended().back().status, STATUS_OK);
  EXPECT_TRUE(world.traced(TRACE_MEDIA_RETRY).empty());
}

// A spindle that loses its speed in that movement is waited for, as in any movement, without a
// retry.
TEST(ServiceFaults, SpeedLostBetweenTwoRuns_UsesNoRetry) {
  ServiceWorld world(design_by_hand(), with_retries(0));
  world.spin_up();
  world.submit(TASK_READ, 8, 5);
  while (world.traced(TRACE_RUN_NEXT).empty()) ASSERT_TRUE(world.step());
  world.soc().lose_speed();
  world.run();
  EXPECT_EQ(statuses(world), std::vector<enum status>{STATUS_OK});
  EXPECT_EQ(world.host_blocks(), 5U);
}

// ---------------------------------------------------------------------------------------- no index

TEST(ServiceFaults, EndlessSearch_IsAborted_AndRepeated) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.soc().hang_runs(2);
  world.submit(TASK_READ, 400, 3);
  world.run();
  EXPECT_EQ(statuses(world), std::vector<enum status>{STATUS_OK});
  EXPECT_EQ(world.traced(TRACE_MEDIA_RETRY).size(), 2U);
}

TEST(ServiceFaults, EndlessSearch_FailsOneRetryBeyondTheLimit) {
  for (const int hung : {2, 3}) {
    ServiceWorld world(design_by_hand(), with_retries(2));
    world.spin_up();
    world.soc().hang_runs(hung);
    world.submit(TASK_READ, 400, 3);
    world.run();
    EXPECT_EQ(statuses(world), std::vector<enum status>{hung == 2 ? STATUS_OK : STATUS_NO_INDEX});
    world.submit(TASK_READ, 300, 3);
    world.run();
    EXPECT_EQ(world.ended()[1].status, STATUS_OK);
    EXPECT_TRUE(world.buffer_is_free());
  }
}

// A task is identified by more than its number: many short ones in a row are never taken for one
// long one.
TEST(ServiceFaults, ManyStepsInARow_AreNoneThatTakesTooLong) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  for (std::uint32_t i = 0; i < 75; ++i) world.submit(TASK_READ, 400 - 5 * i, 1);
  const FakeSoc::Tick begin = world.soc().now();
  world.run();
  EXPECT_GT(world.soc().now(), begin + 3 * kLimit);
  EXPECT_EQ(world.traced(TRACE_MEDIA_RETRY).size(), 0U);
}

// ---------------------------------------------------------------------------------------- spindle

/// A start may take 2 spin_up_ms + 100 ms.
FakeSoc::Tick start_limit(const drive::Design& design) {
  return static_cast<FakeSoc::Tick>(2 * design.spin_up_ms + SEEK_SPIN_UP_SLACK_MS) * kMillisecond;
}

drive::Design quick_to_speed() {
  drive::Design design = design_by_hand();
  design.spin_up_ms = 200;
  return design;
}

TEST(SpindleFaults, SpeedLostDuringARead_IsWaitedFor_AndUsesNoRetry) {
  ServiceWorld world(design_by_hand(), with_retries(0));
  world.spin_up();
  world.submit(TASK_READ, 20, 8);
  world.run_until(world.soc().now() + 8 * kMillisecond);
  world.soc().lose_speed();
  world.run();
  EXPECT_EQ(statuses(world), std::vector<enum status>{STATUS_OK});
  EXPECT_EQ(world.host_blocks(), 8U);
  EXPECT_EQ(world.core().target.device.unit.not_ready, SENSE_NONE);
}

TEST(SpindleFaults, SpeedLostDuringASeek_RestartsTheSeek) {
  ServiceWorld world(design_by_hand(), with_retries(0));
  world.spin_up();
  world.submit(TASK_READ, 400, 1);
  world.run_until(world.soc().now() + kMillisecond);
  ASSERT_EQ(world.soc().seeks(), 1);
  world.soc().lose_speed();
  world.run();
  EXPECT_EQ(statuses(world), std::vector<enum status>{STATUS_OK});
  EXPECT_EQ(world.soc().seeks(), 2);
}

TEST(SpindleFaults, SpeedLostWhileIdle_IsRegained_AndTheUnitIsNotReadyMeanwhile) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.soc().lose_speed();
  world.run_until(world.soc().now() + 1);
  EXPECT_EQ(world.core().target.device.unit.not_ready, SENSE_BECOMING_READY);
  world.run_until(world.soc().now() + 2000);
  EXPECT_EQ(world.core().target.device.unit.not_ready, SENSE_NONE);
  EXPECT_EQ(world.core().seek.spindle, SPINDLE_AT_SPEED);
  EXPECT_FALSE(rotation_is_measured(&world.core().rotation)) << "it may turn otherwise now";
  world.submit(TASK_READ, 20, 1);
  world.run();
  EXPECT_EQ(statuses(world), std::vector<enum status>{STATUS_OK});
}

// SEEK_SPIN_UPS starts are tried: the last one succeeds, or none does.
TEST(SpindleFaults, StartsThatFail_AreRepeated_AsOftenAsAllowed) {
  for (const int failing : {2, 3}) {
    ServiceWorld world(quick_to_speed());
    world.spin_up();
    const FakeSoc::Tick begin = world.soc().now();
    world.soc().lose_speed(failing);
    world.submit(TASK_READ, 20, 1);
    world.submit(TASK_WRITE, 40, 1);
    world.run();
    const bool is_back = failing == 2;
    EXPECT_EQ(statuses(world),
              is_back ? (std::vector<enum status>{STATUS_OK, STATUS_OK})
                      : (std::vector<enum status>{STATUS_SPINDLE_FAILED, STATUS_NOT_READY}));
    EXPECT_GE(world.soc().now(),
              begin + static_cast<FakeSoc::Tick>(failing) * start_limit(quick_to_speed()));
    world.run_until(world.soc().now() + 2000);
    EXPECT_EQ(world.core().target.device.unit.not_ready,
              is_back ? SENSE_NONE : SENSE_START_REQUIRED);
    EXPECT_EQ(world.soc().starts(), 1 + 3) << "power-on, and three";
  }
}

TEST(SpindleFaults, AfterTheLastTry_StartUnitStartsTheSpindle_OrFailsWithItsSense) {
  ServiceWorld world(quick_to_speed());
  world.spin_up();
  world.soc().lose_speed(3);
  world.submit(TASK_READ, 20, 1);
  world.run();
  world.soc().fail_starts(3);
  world.submit(TASK_START, 0, 0, TASK_ORDERED);
  world.run();
  EXPECT_EQ(world.ended().back().status, STATUS_SPINDLE_FAILED);
  world.submit(TASK_START, 0, 0, TASK_ORDERED);
  world.run();
  EXPECT_EQ(world.ended().back().status, STATUS_OK);
  world.submit(TASK_READ, 40, 1);
  world.run();
  EXPECT_EQ(world.ended().back().status, STATUS_OK);
  EXPECT_TRUE(world.buffer_is_free());
}

TEST(SpindleFaults, PowerOnWithoutSpeed_EndsInStartRequired) {
  ServiceWorld world(quick_to_speed());
  world.soc().fail_starts(3);  // before the first action: the first start is under way already
  world.soc().lose_speed(3);
  world.run_until(world.soc().now() + 5 * start_limit(quick_to_speed()));
  EXPECT_EQ(world.core().target.device.unit.not_ready, SENSE_START_REQUIRED);
  EXPECT_EQ(world.core().seek.spindle, SPINDLE_AT_REST);
  world.submit(TASK_START, 0, 0, TASK_ORDERED);
  world.run();
  EXPECT_EQ(world.ended().back().status, STATUS_OK);
}

TEST(SpindleFaults, StopUnit_LosesItsSpeedOnPurpose) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  const int starts = world.soc().starts();
  world.submit(TASK_STOP, 0, 0, TASK_ORDERED);
  world.run();
  world.run_until(world.soc().now() + kLimit);
  EXPECT_EQ(world.core().seek.spindle, SPINDLE_AT_REST);
  EXPECT_EQ(world.soc().starts(), starts);
  world.submit(TASK_STOP, 0, 0, TASK_ORDERED);
  world.run();
  EXPECT_EQ(statuses(world), (std::vector<enum status>{STATUS_OK, STATUS_OK})) << "at rest already";
}

}  // namespace
}  // namespace headstack::test
