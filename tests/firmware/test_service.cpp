// SPDX-License-Identifier: Apache-2.0
// The firmware's core as a whole: tasks in, seeks and formatter runs out, retries, plans, ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "firmware/events.h"
#include "firmware/hal/formatter_hal.h"
#include "firmware/queue/policy_table.h"
#include "firmware/transfer/format.h"
#include "firmware/transfer/service_tasks.h"
#include "tests/firmware/service_world.hpp"

namespace headstack {
namespace {

using test::design_by_hand;
using test::ServiceWorld;
constexpr std::uint32_t kSeed = 99;
constexpr Picoseconds kTick = 25'000;

std::vector<std::uint32_t> lbas(const std::vector<ServiceWorld::Ended>& ended) {
  std::vector<std::uint32_t> order;
  for (const auto& end : ended) order.push_back(end.lba);
  return order;
}

TEST(Service, PowerOn_SpinsUpAndBecomesReady) {
  ServiceWorld world(design_by_hand());
  EXPECT_EQ(world.core().target.device.unit.not_ready, SENSE_BECOMING_READY);
  world.spin_up();
  EXPECT_EQ(world.core().target.device.unit.not_ready, SENSE_NONE);
  world.run_until(world.soc().now() + 10'000'000);
  EXPECT_FALSE(world.soc().index_captured()) << "an idle drive sleeps through its turns";
}

// motion/rotation.h: the measured speed predicts the angle for a limited time.
TEST(Service, Angle_IsMeasuredAgain_WhenItIsOld_AndNotBefore) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.submit(TASK_READ, 0, 1);
  world.run();
  EXPECT_FALSE(world.soc().index_captured());
  world.run_until(world.soc().now() + ROTATION_INDEX_TICKS);
  const time_tick old = world.core().rotation.anchor_tick;
  world.submit(TASK_READ, 0, 1);
  world.run();
  world.run_until(world.soc().now() + world.core().rotation.period_tick64 / 64);
  EXPECT_GT(world.core().rotation.anchor_tick, old);
  EXPECT_FALSE(world.soc().index_captured());
}

TEST(Service, MediaTaskBeforeReady_EndsNotReady) {
  ServiceWorld world(design_by_hand());
  world.submit(TASK_READ, 0, 1);
  ASSERT_EQ(world.ended().size(), 1U);
  EXPECT_EQ(world.ended()[0].status, STATUS_NOT_READY);
  EXPECT_TRUE(world.buffer_is_free());
}

// An isolated read takes the time of the mechanics, seen at clock edges. It is later by at most one
// tick for the arm, one for each sector pulse and one for the last byte, and never earlier.
TEST(Service, IsolatedReads_TakeTheMechanicsOwnTime) {
  for (const char* name : {"eagle", "cheetah_9lp", "hp_c2247a", "atlas_10k"}) {
    const drive::Design design = test::shipped(name).design;
    const mechanics::AccessModel truth(design);
    ServiceWorld world(design);
    world.spin_up();
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 200; ++i) {
      const auto lba = static_cast<std::uint32_t>(random() % (truth.geometry().capacity() - 1));
      const auto at = truth.geometry().locate(lba);
      const auto blocks = static_cast<std::uint32_t>(1 + random() % std::min(at.contiguous, 8U));
      world.run_until(world.soc().now() + random() % 500'000);
      const Picoseconds now = static_cast<Picoseconds>(world.soc().now()) * kTick;
      const mechanics::AccessStart start{now, world.core().seek.cylinder, world.core().seek.head};
      const Picoseconds want = now + truth.access_time(start, lba, blocks, false);
      world.submit(TASK_READ, lba, blocks);
      world.run();
      ASSERT_EQ(world.ended().back().status, STATUS_OK) << name << " lba " << lba;
      const double late = static_cast<double>(world.ended().back().tick) -
                          static_cast<double>(want) / static_cast<double>(kTick);
      // The first access after power-on seeks from where the heads park, as the truth does.
      ASSERT_GE(late, -0.001) << name << " lba " << lba << " seed " << kSeed;
      ASSERT_LE(late, 2) << name << " lba " << lba << " seed " << kSeed;
    }
    EXPECT_TRUE(world.traced(TRACE_MISSED_REVOLUTION).empty()) << name;
  }
}

// Block 8 to 12: sectors 8, 9 of head 0, then 0, 1, 2 of head 1, which start one mark later. The
// formatter goes on by itself.
TEST(Service, ReadOverATracksEnd_IsTwoRuns_OfOneOperation) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.submit(TASK_READ, 8, 5);
  world.run();
  const auto first = world.traced(TRACE_RUN_START);
  const auto next = world.traced(TRACE_RUN_NEXT);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(first[0].argument, 8U << 16 | 2);
  EXPECT_EQ(next[0].argument, 0U << 16 | 3);
  // The second run ends skew (1 sector) and three sectors after the first: no revolution is lost.
  const auto done = world.traced(TRACE_RUN_DONE);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].argument, 3U);
  EXPECT_NEAR(static_cast<double>(done[0].tick - next[0].tick), 4 * 40'000, 2);
  EXPECT_EQ(world.traced(TRACE_SEEK_START).size(), 1U) << "the one to the first track";
  EXPECT_EQ(world.core().seek.head, 1U);
  EXPECT_EQ(world.host_blocks(), 5U);
}

// Where the firmware is too late to name the next run, it begins it after the first one's end. The
// same blocks then come from the same places.
TEST(Service, NextRunThatIsNamedTooLate_IsBegunByTheFirmware) {
  for (const auto operation : {TASK_READ, TASK_WRITE}) {
    ServiceWorld world(design_by_hand());
    world.spin_up();
    world.soc().miss_chains(1);
    world.submit(operation, 8, 25);
    world.run();
    EXPECT_EQ(world.ended().back().status, STATUS_OK);
    EXPECT_EQ(world.soc().runs(), 2);
    EXPECT_EQ(world.soc().chained_runs(), 2) << "of three track ends";
    EXPECT_EQ(world.host_blocks(), 25U);
    EXPECT_TRUE(world.buffer_is_free());
  }
}

// A long request crosses every track's end. A fault after one of them belongs to that run.
TEST(Service, ErrorInARunThatTheFormatterWentOnTo_IsTriedAgainThere) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  // Sectors 8, 9, then 0 and 1 of the next track are well, 2 is not.
  world.soc().fail_sectors({0, 0, 0, 0, FORMATTER_ERROR_CHECK});
  world.submit(TASK_READ, 8, 30);
  world.run();
  ASSERT_EQ(world.ended().back().status, STATUS_OK);
  const auto starts = world.traced(TRACE_RUN_START);
  ASSERT_GE(starts.size(), 2U);
  EXPECT_EQ(starts[1].argument >> 16, 2U);
  EXPECT_EQ(world.traced(TRACE_MEDIA_RETRY).size(), 1U);
  EXPECT_EQ(world.host_blocks(), 30U);
}

TEST(Service, SlippedSector_IsJumpedOverWithoutAnotherSeek) {
  drive::Design design = design_by_hand();
  design.sparing.location = drive::SpareLocation::kZoneEnd;
  design.zones[0].spares = 1;
  design.zones[0].slips = {3};
  ServiceWorld world(design);
  world.spin_up();
  world.submit(TASK_READ, 0, 6);
  world.run();
  const auto next = world.traced(TRACE_RUN_NEXT);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].argument, 4U << 16 | 3);
  EXPECT_EQ(world.traced(TRACE_SEEK_START).size(), 1U);
}

TEST(Service, WriteThenRead_MoveEveryBlockOnce) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.submit(TASK_WRITE, 100, 30);
  world.submit(TASK_READ, 200, 30);
  world.submit(TASK_VERIFY, 300, 7);
  world.run();
  EXPECT_EQ(world.ended().size(), 3U);
  for (const auto& end : world.ended()) EXPECT_EQ(end.status, STATUS_OK);
  EXPECT_EQ(world.host_blocks(), 60U);
  EXPECT_TRUE(world.buffer_is_free());
}

// A segment holds 16 sectors here; larger requests stream through it, with a slow bus too.
TEST(Service, RequestLargerThanItsSegment_StreamsThrough) {
  for (const std::uint32_t host_block_ticks : {500U, 20'000U, 90'000U}) {
    for (const enum task_operation operation : {TASK_READ, TASK_WRITE}) {
      ServiceWorld::Options options;
      options.host_block_ticks = host_block_ticks;
      ServiceWorld world(design_by_hand(), options);
      world.spin_up();
      world.submit(operation, 5, 200);
      world.run();
      ASSERT_EQ(world.ended().size(), 1U);
      EXPECT_EQ(world.ended()[0].status, STATUS_OK) << host_block_ticks;
      EXPECT_EQ(world.host_blocks(), 200U) << host_block_ticks;
    }
  }
}

TEST(Service, HostMayMoveReadData_BeforeTheTrackIsDone) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.submit(TASK_READ, 0, 10);
  world.run();
  const auto grants = world.traced(TRACE_HOST_GRANT);
  const auto done = world.traced(TRACE_RUN_DONE);
  ASSERT_EQ(grants.size(), 1U);
  EXPECT_EQ(grants[0].argument >> 16, 10U);
  // Half of the run: five of ten sectors are still to come.
  EXPECT_NEAR(static_cast<double>(done[0].tick - grants[0].tick), 5 * 40'000, 2);
}

// ---------------------------------------------------------------------------------------- errors

struct FaultCase {
  const char* what;
  std::uint32_t error;
  enum status status;
  bool seeks_again;
};

class EveryFault : public testing::TestWithParam<FaultCase> {};

// Three retries are allowed: the third may succeed, and a fourth failure ends the command.
TEST_P(EveryFault, IsRetried_AsOftenAsAllowed) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  const std::uint32_t e = GetParam().error;
  world.soc().fail_sectors({0, 0, e, e, e});
  world.submit(TASK_READ, 20, 5);
  world.run();
  EXPECT_EQ(world.ended()[0].status, STATUS_OK);
  EXPECT_EQ(world.host_blocks(), 5U);
  EXPECT_EQ(world.traced(TRACE_MEDIA_RETRY).size(), 3U);
  EXPECT_EQ(world.traced(TRACE_SEEK_START).size(), GetParam().seeks_again ? 4U : 1U);

  world.soc().fail_sectors({0, 0, e, e, e, e});
  world.submit(TASK_READ, 40, 5);
  world.run();
  EXPECT_EQ(world.ended()[1].status, GetParam().status);
  EXPECT_EQ(world.ended()[1].failed_lba, 42U);
  EXPECT_TRUE(world.buffer_is_free());
}

INSTANTIATE_TEST_SUITE_P(
    Service, EveryFault,
    testing::Values(
        FaultCase{"DataCheck", FORMATTER_ERROR_CHECK, STATUS_DATA_DAMAGED, false},
        FaultCase{"DataCheckAfterBadHeader", FORMATTER_ERROR_CHECK | FORMATTER_ERROR_HEADER,
                  STATUS_DATA_DAMAGED, false},
        FaultCase{"NotFound", FORMATTER_ERROR_NOT_FOUND, STATUS_SECTOR_NOT_FOUND, true},
        FaultCase{"HeaderUnreadable", FORMATTER_ERROR_NOT_FOUND | FORMATTER_ERROR_HEADER,
                  STATUS_HEADER_DAMAGED, true},
        FaultCase{"SyncMarkMissing",
                  FORMATTER_ERROR_NOT_FOUND | FORMATTER_ERROR_HEADER | FORMATTER_ERROR_NO_SYNC,
                  STATUS_NO_SYNC, true},
        FaultCase{"OtherTrack",
                  FORMATTER_ERROR_NOT_FOUND | FORMATTER_ERROR_OTHER_TRACK | FORMATTER_ERROR_HEADER,
                  STATUS_WRONG_TRACK, true},
        FaultCase{"WriteFault", FORMATTER_ERROR_WRITE_FAULT, STATUS_WRITE_FAULT, false},
        FaultCase{"OffTrack", FORMATTER_ERROR_OFF_TRACK, STATUS_OFF_TRACK, true}),
    test::case_name<FaultCase>);

TEST(Service, SectorsDoneWell_ClearTheCountOfRetries) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  constexpr std::uint32_t e = FORMATTER_ERROR_CHECK;
  world.soc().fail_sectors({e, e, e, 0, e, e, e, 0});
  world.submit(TASK_READ, 20, 2);
  world.run();
  EXPECT_EQ(world.ended()[0].status, STATUS_OK);
}

// Page 01h, ARRE: a block moves if its own header was damaged. A header read on another track is no
// reason.
TEST(Service, RecoveredBlock_MovesOnlyForItsOwnErrors) {
  constexpr std::uint32_t kUnreadable = FORMATTER_ERROR_NOT_FOUND | FORMATTER_ERROR_HEADER;
  constexpr std::uint32_t kElsewhere = kUnreadable | FORMATTER_ERROR_OTHER_TRACK;
  for (const bool elsewhere : {false, true}) {
    ServiceWorld::Options options;
    options.recovery = MODE_RECOVERY_ARRE | MODE_RECOVERY_PER;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    world.soc().fail_sectors({0, 0, elsewhere ? kElsewhere : kUnreadable});
    world.submit(TASK_READ, 20, 5);
    world.run();
    // The drive has no spares.
    EXPECT_EQ(world.ended()[0].status, elsewhere ? STATUS_READ_RECOVERED : STATUS_READ_STAYS);
    EXPECT_EQ(world.ended()[0].failed_lba, 22U);
  }
}

struct MoveCase {
  const char* what;
  std::uint32_t blocks;        // blocks of the read from block 20 on; 22 fails once
  std::uint8_t before, after;  // page 01h, byte 2
  enum status status;
};

class MovesMeanwhile : public testing::TestWithParam<MoveCase> {};

// MODE SELECT changes ARRE while a block is read again. A run that began without it goes on after
// the block, and the spare would get the last block that it brings. The drive has no spares: it
// reports a move that it tried.
TEST_P(MovesMeanwhile, BlockMoves_IfTheModesAllowedItWhenTheReadBegan) {
  const MoveCase& test = GetParam();
  ServiceWorld::Options options;
  options.recovery = test.before;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.soc().fail_sectors({0, 0, FORMATTER_ERROR_CHECK});
  world.submit(TASK_READ, 20, test.blocks);
  while (world.traced(TRACE_MEDIA_RETRY).empty()) world.step();
  options.recovery = test.after;
  world.change_modes(options);
  world.run();
  EXPECT_EQ(world.ended()[0].status, test.status);
  EXPECT_EQ(world.ended()[0].failed_lba, 22U);
}

constexpr std::uint8_t kStay = MODE_RECOVERY_PER, kMove = MODE_RECOVERY_PER | MODE_RECOVERY_ARRE;
INSTANTIATE_TEST_SUITE_P(
    Service, MovesMeanwhile,
    testing::Values(MoveCase{"BeforeOthers", 5, kStay, kMove, STATUS_READ_RECOVERED},
                    MoveCase{"TheLast", 3, kStay, kMove, STATUS_READ_RECOVERED},
                    MoveCase{"AsBefore", 5, kMove, kMove, STATUS_READ_STAYS},
                    MoveCase{"NoMore", 5, kMove, kStay, STATUS_READ_STAYS}),
    test::case_name<MoveCase>);

// The host has been granted the blocks after this one: half of the run was there. If the read ended
// here, the host would wait on the bus for ever.
TEST(Service, DteOrTb_SetWhileABlockIsReadAgain_IsForLaterReads) {
  for (const unsigned bit : {MODE_RECOVERY_DTE, MODE_RECOVERY_TB}) {
    ServiceWorld::Options options;
    options.recovery = MODE_RECOVERY_PER;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    world.soc().fail_sectors({0, 0, 0, FORMATTER_ERROR_CHECK});
    world.submit(TASK_READ, 20, 5);
    while (world.traced(TRACE_MEDIA_RETRY).empty()) world.step();
    options.recovery = static_cast<std::uint8_t>(MODE_RECOVERY_PER | bit);
    world.change_modes(options);
    EXPECT_FALSE(media_may_stop_short(&world.core().media));
    world.run();
    EXPECT_EQ(world.ended()[0].status, STATUS_READ_RECOVERED);
    EXPECT_EQ(world.core().media.blocks_done, 5U);
    world.soc().fail_sectors({0, 0, 0, FORMATTER_ERROR_CHECK});
    world.submit(TASK_READ, 40, 5);
    while (!media_is_recovering(&world.core().media)) world.step();
    EXPECT_TRUE(media_may_stop_short(&world.core().media));
    world.run();
  }
}

// A read that waits for room in its ring lets another one go first, which may not leave the bus.
TEST(Service, SuspendedRead_ContinuesInTheModesOfItsBegin) {
  ServiceWorld::Options options;
  options.recovery = MODE_RECOVERY_PER;
  options.host_block_ticks = 200'000;  // five sectors
  options.host_phase_blocks = 1;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  const ::task* read = world.submit(TASK_READ, 0, 300);
  while (world.core().media.state != MEDIA_WAITING) ASSERT_TRUE(world.step());
  ::task* held = world.submit(TASK_READ, 700, 1);
  EXPECT_EQ(service_tasks_hold_bus(&world.core().service, held), BUS_HOLD_SERVED);
  ASSERT_TRUE(bus_holder_suspends(&world.core().bus_holder, read));
  options.recovery = MODE_RECOVERY_PER | MODE_RECOVERY_DTE;
  world.change_modes(options);
  while (world.ended().empty()) ASSERT_TRUE(world.step());
  service_tasks_release_bus(&world.core().service);
  while (world.core().service.current != read) ASSERT_TRUE(world.step());
  EXPECT_FALSE(media_may_stop_short(&world.core().media));
  world.run();
  EXPECT_EQ(world.ended().back().status, STATUS_OK);
}

// The first one that holds the bus disconnects after all (SCSI-2 6.6.7), so that a second one can
// go.
TEST(Service, TwoSuspendedReads_BothContinue) {
  ServiceWorld::Options options;
  options.host_block_ticks = 200'000;  // five sectors
  options.host_phase_blocks = 1;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  const bus_holder& bus = world.core().bus_holder;
  const auto wait_for_media = [&] {
    while (world.core().media.state != MEDIA_WAITING) ASSERT_TRUE(world.step());
  };
  const ::task* first = world.submit(TASK_READ, 0, 300);
  wait_for_media();
  ::task* held = world.submit(TASK_READ, 400, 200);
  EXPECT_EQ(service_tasks_hold_bus(&world.core().service, held), BUS_HOLD_SERVED);
  ASSERT_TRUE(bus_holder_suspends(&bus, first));
  while (world.core().service.current != held) ASSERT_TRUE(world.step());
  service_tasks_release_bus(&world.core().service);
  wait_for_media();
  ::task* second = world.submit(TASK_READ, 700, 1);
  EXPECT_EQ(service_tasks_hold_bus(&world.core().service, second), BUS_HOLD_SERVED);
  EXPECT_TRUE(bus_holder_suspends(&bus, first));
  EXPECT_TRUE(bus_holder_suspends(&bus, held));
  while (world.ended().empty()) ASSERT_TRUE(world.step());
  service_tasks_release_bus(&world.core().service);
  world.run();
  std::vector<std::uint32_t> order;
  for (const auto& ended : world.ended()) order.push_back(ended.lba);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{700, 0, 400}));
  EXPECT_TRUE(world.buffer_is_free());
}

// REQUEST SENSE and every NOT READY report the progress as a number of 65,536 (SPC-2 7.20.3): 15
// bits of it are exact.
TEST(FormatProgress, IsTheShareOfTheBlocks) {
  for (const std::uint32_t capacity :
       {1'000U, 65'535U, 65'536U, 65'537U, 131'072U, 1'000'000U, 17'918'387U, UINT32_MAX}) {
    drive_design design = {};
    design.capacity_blocks = capacity;
    ::maintenance maintenance = {};
    maintenance.design = &design;
    maintenance.step = 3;  // after the begin, the filling of the buffer and the lists
    for (int part = 0; part <= 16; ++part) {
      const auto done = static_cast<std::uint32_t>(std::uint64_t{capacity} * part / 16);
      maintenance.track_lba = done;
      const std::uint32_t progress = format_progress(&maintenance);
      EXPECT_LT(progress, 65'536U) << capacity;
      const double share = static_cast<double>(done) / capacity;
      const double bound = 1.0 / std::min(capacity, 32'768U) + 1.0 / 65'536;
      EXPECT_NEAR(progress / 65'536.0, share, bound) << done << " of " << capacity;
    }
  }
}

TEST(Service, LateData_CostARevolution_NotARetry) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  constexpr std::uint32_t e = FORMATTER_ERROR_UNDERRUN;
  world.soc().fail_sectors({0, e, e, e, e, e, e});
  world.submit(TASK_WRITE, 20, 3);
  world.run();
  EXPECT_EQ(world.ended()[0].status, STATUS_OK);
  ASSERT_EQ(world.traced(TRACE_MISSED_REVOLUTION).size(), 1U);
  EXPECT_EQ(world.traced(TRACE_MISSED_REVOLUTION)[0].argument, 6U);
}

TEST(Service, RefusedSeek_IsTriedThreeTimesMore) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.soc().refuse_seeks(3);
  world.submit(TASK_READ, 400, 1);
  world.run();
  EXPECT_EQ(world.ended()[0].status, STATUS_OK);
  world.soc().refuse_seeks(4);
  world.submit(TASK_READ, 20, 1);
  world.run();
  EXPECT_EQ(world.ended()[1].status, STATUS_SEEK_ERROR);
  world.submit(TASK_READ, 20, 1);
  world.run();
  EXPECT_EQ(world.ended()[2].status, STATUS_OK) << "the drive goes on";
}

// ------------------------------------------------------------------------------------- the queue

TEST(Service, Fcfs_ServesInOrderOfArrival) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  const std::vector<std::uint32_t> order = {700, 20, 500, 40, 300};
  for (const std::uint32_t lba : order) world.submit(TASK_READ, lba, 1);
  world.run();
  EXPECT_EQ(lbas(world.ended()), order);
}

// The first is served at once; from cylinder 35 the others are 1, 10, 25 and 34 cylinders away.
TEST(Service, Sstf_ServesTheNearestCylinder) {
  ServiceWorld::Options options;
  options.policy = 1;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  for (const std::uint32_t lba : {700U, 20U, 500U, 680U, 200U}) world.submit(TASK_READ, lba, 1);
  world.run();
  EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{700, 680, 500, 200, 20}));
}

// From cylinder 20 the arm goes up, to 25, 30 and 39, then down to 10. Arrivals behind the arm
// while 25 is served wait for the way back.
TEST(Service, Scan_KeepsItsDirection) {
  ServiceWorld::Options options;
  options.policy = 3;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  for (const std::uint32_t lba : {400U, 200U, 780U, 500U, 600U}) world.submit(TASK_READ, lba, 1);
  while (world.ended().size() < 2) world.step();
  world.submit(TASK_READ, 460, 1);
  world.run();
  EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{400, 500, 600, 780, 460, 200}));
}

/// Cylinders to which the arm was sent.
std::vector<std::uint32_t> seeks(const ServiceWorld& world) {
  std::vector<std::uint32_t> cylinders;
  for (const auto& trace : world.traced(TRACE_SEEK_START)) cylinders.push_back(trace.argument >> 8);
  return cylinders;
}

// Cylinders 20, 10 and 30: the arm goes to 39 before it turns, and to 0 before it comes back. That
// time is no missed revolution.
TEST(Service, ScanToTheEdge_GoesThereFirst) {
  ServiceWorld::Options options;
  options.policy = 3;
  options.policy_flags = 1;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  for (const std::uint32_t lba : {400U, 200U}) world.submit(TASK_READ, lba, 1);
  world.run();
  EXPECT_EQ(seeks(world), (std::vector<std::uint32_t>{20, 39, 10}));
  world.submit(TASK_WRITE, 600, 1);
  world.run();
  EXPECT_EQ(seeks(world), (std::vector<std::uint32_t>{20, 39, 10, 0, 30}));
  EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{400, 200, 600}));
  EXPECT_EQ(world.traced(TRACE_MISSED_REVOLUTION).size(), 0U);
}

TEST(Service, CscanToTheEdge_GoesThereFirst) {
  ServiceWorld::Options options;
  options.policy = 4;
  options.policy_flags = 1;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  for (const std::uint32_t lba : {400U, 200U, 300U}) world.submit(TASK_READ, lba, 1);
  world.run();
  EXPECT_EQ(seeks(world), (std::vector<std::uint32_t>{20, 39, 10, 15}));
}

// Aborted on the detour, a task goes nowhere else; the next one does not wait for more than that.
// stfd:park (its flag is bit 0): 40 cylinders, so that the middle is 20. A task that arrives during
// that movement is served after it (80,000 ticks); without the flag the arm stays.
TEST(Service, IdleArm_ParksInTheMiddle_AndAnArrivalMeanwhileIsServed) {
  for (const bool parks : {false, true}) {
    ServiceWorld::Options options;
    options.policy = 15;
    options.policy_flags = parks ? 1 : 0;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    world.run_until(world.soc().now() + 200'000);
    world.submit(TASK_READ, 0, 1);
    world.run();
    world.run_until(world.soc().now() + 200'000);
    EXPECT_EQ(world.core().seek.cylinder, parks ? 20U : 0U);
    EXPECT_TRUE(media_is_idle(&world.core().media));

    world.submit(TASK_READ, 100, 1);
    world.run();  // the arm is on its way again
    world.submit(TASK_READ, 700, 1);
    world.run();
    EXPECT_EQ(world.ended().size(), 3U);
    for (const auto& ended : world.ended()) EXPECT_EQ(ended.status, STATUS_OK);
    const std::size_t seeks = world.traced(TRACE_SEEK_START).size();
    world.run_until(world.soc().now() + 4'000'000);
    EXPECT_LE(world.traced(TRACE_SEEK_START).size(), seeks + 1) << "it rests";
    EXPECT_EQ(world.core().seek.cylinder, parks ? 20U : 35U);
  }
}

TEST(Service, AbortOnTheWayToTheEdge_EndsTheTask) {
  ServiceWorld::Options options;
  options.policy = 3;
  options.policy_flags = 1;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_READ, 400, 1);
  ::task* turning = world.submit(TASK_READ, 200, 1);
  while (world.traced(TRACE_SEEK_START).size() < 2) world.step();
  world.abort(turning);
  world.submit(TASK_READ, 780, 1);
  world.run();
  EXPECT_EQ(seeks(world), (std::vector<std::uint32_t>{20, 39}));
  EXPECT_EQ(lbas(world.ended()).back(), 780U);
}

// Groups of five cylinders, frozen: cylinder 20 is served at once, alone of its group, and 24,
// which came later, after every other group.
TEST(Service, PolicysParameters_ComeFromTheModePage) {
  ServiceWorld::Options options;
  options.policy = 9;
  options.policy_flags = 2;
  options.policy_parameter = 5;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  for (const std::uint32_t lba : {400U, 490U, 500U, 380U}) world.submit(TASK_READ, lba, 1);
  world.run();
  EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{400, 500, 380, 490}));
}

// From 20 down to 10: a change of the margin leaves the direction. A change of the policy's
// parameters begins upward again.
TEST(Service, OnlyAnotherSelection_RestartsThePolicy) {
  for (const bool selects : {false, true}) {
    ServiceWorld::Options options;
    options.policy = 6;
    options.policy_parameter = 1000;  // vr:r=1, which is scan
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    for (const std::uint32_t lba : {400U, 200U}) world.submit(TASK_READ, lba, 1);
    while (world.traced(TRACE_TASK_CHOSEN).size() < 2) world.step();
    world.submit(TASK_READ, 100, 1);
    world.submit(TASK_READ, 300, 1);
    options.margin_us = 20;
    if (selects) options.policy_parameter = 999;
    world.change_modes(options);
    world.run();
    EXPECT_EQ(lbas(world.ended()), selects ? (std::vector<std::uint32_t>{400, 200, 300, 100})
                                           : (std::vector<std::uint32_t>{400, 200, 100, 300}));
  }
}

// The byte of page 20h for each fault.
TEST(Service, SchedulerPage_FaultHasItsByte) {
  ServiceWorld world(design_by_hand());
  const auto fault = [&](std::uint8_t policy, std::uint8_t flags, std::uint32_t index,
                         std::uint32_t value) {
    ::mode_scheduler wanted{};
    wanted.policy = policy;
    wanted.flags = flags;
    wanted.parameter[index] = value;
    return modes_scheduler_fault(&wanted);
  };
  EXPECT_EQ(fault(9, 3, 0, 210), 0U);
  EXPECT_EQ(fault(200, 0, 0, 0), 2U);
  EXPECT_EQ(fault(9, 4, 0, 0), 3U);
  EXPECT_EQ(fault(9, 0, 0, 65536), 8U);
  EXPECT_EQ(fault(9, 0, 1, 1), 12U);
  EXPECT_EQ(fault(9, 0, 3, 1), 20U);
}

TEST(Service, HeadOfQueueTask_GoesBeforeAllOthers) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  for (const std::uint32_t lba : {700U, 20U, 500U}) world.submit(TASK_READ, lba, 1);
  world.submit(TASK_READ, 300, 1, TASK_HEAD_OF_QUEUE);
  world.run();
  EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{700, 300, 20, 500}));
}

// Page 21h: no command begins before the controller has dealt with it. The controller takes one
// after the other, each for the time of its kind.
TEST(Service, ControllerTime_PrecedesEachCommand) {
  constexpr std::uint32_t kReadTicks = 100'000;
  constexpr std::uint32_t kReadBehindWriteTicks = 300'000;
  constexpr std::uint32_t kWriteTicks = 200'000;
  ServiceWorld::Options options;
  options.controller.takes_time = true;
  options.controller.ticks[controller_row(false, false, false)] = kReadTicks;
  options.controller.ticks[controller_row(true, false, false)] = kWriteTicks;
  options.controller.ticks[controller_row(false, true, false)] = kReadBehindWriteTicks;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  std::uint32_t lba = 0;
  const auto thought_for = [&](enum task_operation operation) {
    const auto now = world.soc().now();
    world.submit(operation, lba += 20, 1);
    world.run();
    return world.traced(TRACE_TASK_CHOSEN).back().tick - now;
  };
  // An alarm may be late by a tick. The firmware's reaction takes no time here.
  EXPECT_NEAR(static_cast<double>(thought_for(TASK_READ)), kReadTicks, 2);
  EXPECT_NEAR(static_cast<double>(thought_for(TASK_READ)), kReadTicks, 2);
  EXPECT_NEAR(static_cast<double>(thought_for(TASK_WRITE)), kWriteTicks, 2);
  EXPECT_NEAR(static_cast<double>(thought_for(TASK_READ)), kReadBehindWriteTicks, 2);
  const auto now = world.soc().now();
  for (int i = 0; i < 3; ++i) world.submit(TASK_READ, lba += 20, 1);
  while (world.traced(TRACE_TASK_CHOSEN).size() < 5) ASSERT_TRUE(world.step());
  EXPECT_NEAR(static_cast<double>(world.soc().now() - now), 3 * kReadTicks, 2)
      << "of all that have come";
  world.run();
  EXPECT_EQ(world.ended().size(), 7U);
}

// Page 21h counts from the receipt. The firmware's work since then is part of the time; if it took
// longer, the command begins at once. After another command the time counts from that one's end.
TEST(Service, ControllerTime_CountsFromTheReceipt) {
  constexpr std::uint32_t kTicks = 100'000;
  for (const std::uint32_t ago : {0U, 30'000U, 99'998U, 100'000U, 250'000U}) {
    SCOPED_TRACE(ago);
    ServiceWorld::Options options;
    options.received_ticks = ago;
    options.controller.takes_time = true;
    options.controller.ticks[controller_row(false, false, false)] = kTicks;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    const auto now = world.soc().now();
    for (const std::uint32_t lba : {20U, 300U}) world.submit(TASK_READ, lba, 1);
    const std::uint32_t left = ago < kTicks ? kTicks - ago : 0;
    const std::uint32_t both = left > 0 ? left + kTicks : 0;
    // The controller takes all commands that have come, one after the other; then the first one
    // begins.
    while (world.traced(TRACE_TASK_CHOSEN).empty()) ASSERT_TRUE(world.step());
    EXPECT_NEAR(static_cast<double>(world.traced(TRACE_TASK_CHOSEN)[0].tick - now), both, 2);
    world.run();
    EXPECT_EQ(world.ended().size(), 2U);
  }
}

// SCSI-2 7.6: under contingent allegiance the initiator's tasks are suspended; those of others go
// on.
TEST(Service, SuspendedTask_IsNotServed_HoweverNear) {
  for (const std::uint32_t policy : {0U, 1U, 3U}) {
    ServiceWorld::Options options;
    options.policy = policy;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    world.submit(TASK_READ, 700, 1);
    world.submit(TASK_READ, 680, 1, TASK_SIMPLE, 0, 1);
    world.submit(TASK_READ, 20, 1);
    // By then the task is planned to be next.
    while (world.traced(TRACE_PLAN_END).empty()) ASSERT_TRUE(world.step());
    EXPECT_EQ(world.traced(TRACE_PLAN_END)[0].argument, 1U) << policy;
    task_set_suspend(&world.core().tasks, 1);
    while (world.ended().size() < 2) ASSERT_TRUE(world.step());
    EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{700, 20})) << policy;
    task_set_resume(&world.core().tasks, 1);
    world.run();
    EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{700, 20, 680})) << policy;
  }
}

// All are on one cylinder: while sector 0 is read, sector 5 is planned; sector 2 arrives and comes
// first.
TEST(Service, Stf_ComparesArrivalsWithThePlan) {
  ServiceWorld::Options options;
  options.policy = 2;
  options.host_block_ticks = 100;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_READ, 20, 1);
  world.submit(TASK_READ, 25, 1);
  while (world.traced(TRACE_PLAN_END).empty()) world.step();
  world.submit(TASK_READ, 22, 1);
  world.run();
  EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{20, 22, 25}));
}

// A run of nine of ten sectors starts anywhere in the turn. Waiting for it and the run itself take
// up to 1.9 revolutions, and the plan is for the end of that.
TEST(Service, PlanIsForTheEndOfTheRun_ALongWaitIncluded) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  for (std::uint64_t delay = 1'000; delay < 400'000; delay += 40'000) {
    world.run_until(world.soc().now() + delay);
    const std::size_t plans = world.traced(TRACE_PLAN_END).size();
    world.submit(TASK_VERIFY, 40, 9);
    while (world.traced(TRACE_PLAN_END).size() == plans) world.step();
    const std::uint64_t planned_tick = world.core().scheduler.planned_from.at_tick;
    world.run();
    EXPECT_NEAR(static_cast<double>(world.ended().back().tick), static_cast<double>(planned_tick),
                2)
        << delay;
  }
}

// A policy that makes steps at arrivals: 28 is gscan, of which tau = 0 groups nobody. All seeks
// take the same time, so that an arrival on the heads' own cylinder goes before the planned task.
// The plan is made anew while the sector passes, and the choice waits for no step.
TEST(Service, Gscan_ArrivalAfterThePlan_IsPlannedInSteps) {
  ServiceWorld::Options options;
  options.policy = 28;
  options.policy_parameter = POLICY_PARAMETER_ZERO;
  options.margin_us = 40;
  options.host_block_ticks = 100;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_READ, 20, 1);
  world.submit(TASK_READ, 700, 1);
  while (world.traced(TRACE_PLAN_END).empty()) world.step();
  const ::scheduler& scheduler = world.core().scheduler;
  ASSERT_NE(scheduler_planned(&scheduler), nullptr);
  world.submit(TASK_READ, 25, 1);
  EXPECT_EQ(scheduler_planned(&scheduler), nullptr);
  world.run();
  EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{20, 25, 700}));
  const auto chosen = world.traced(TRACE_TASK_CHOSEN);
  const auto plans = world.traced(TRACE_PLAN_END);
  EXPECT_EQ(std::count_if(plans.begin(), plans.end(),
                          [&](const auto& plan) { return plan.tick < chosen[1].tick; }),
            2);
  const std::uint32_t unfinished = policy_counter_count(&policy_gscan) - 1;
  ASSERT_STREQ(policy_gscan.counters[unfinished].name, "unfinished");
  EXPECT_EQ(scheduler.counters[unfinished], 0U);
}

// 2 is stf; 15 is stfd, which prepares the plan.
TEST(Service, PlannedTask_IsTheOneThatIsServed) {
  for (const std::uint32_t policy : {2U, 15U}) {
    ServiceWorld::Options options;
    options.policy = policy;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    std::mt19937 random(kSeed);
    for (int i = 0; i < 50; ++i)
      world.submit(TASK_READ, static_cast<std::uint32_t>(random() % 790), 2);
    world.run();
    const auto plans = world.traced(TRACE_PLAN_END);
    const auto chosen = world.traced(TRACE_TASK_CHOSEN);
    ASSERT_EQ(chosen.size(), 50U);
    // Without arrivals and faults, each last plan before a choice is that choice.
    for (std::size_t i = 1; i < chosen.size(); ++i) {
      const auto plan = std::find_if(plans.rbegin(), plans.rend(),
                                     [&](const auto& p) { return p.tick < chosen[i].tick; });
      ASSERT_NE(plan, plans.rend());
      EXPECT_EQ(plan->argument, chosen[i].argument) << i;
    }
  }
}

TEST(Service, Synchronize_WaitsForOlderWrites) {
  ServiceWorld::Options options;
  options.policy = 1;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_READ, 0, 1);
  world.submit(TASK_WRITE, 700, 1);
  world.submit(TASK_WRITE, 500, 1);
  world.submit(TASK_SYNCHRONIZE, 0, 800);
  world.run();
  EXPECT_EQ(lbas(world.ended()), (std::vector<std::uint32_t>{0, 500, 700, 0}))
      << "the nearest cylinder first, and all before the end of SYNCHRONIZE";
}

TEST(Service, StopAndStart_TurnTheSpindle) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.submit(TASK_STOP, 0, 0);
  world.run();
  EXPECT_EQ(world.core().target.device.unit.not_ready, SENSE_START_REQUIRED);
  world.submit(TASK_STOP, 0, 0);  // the spindle is at rest already
  world.run();
  world.submit(TASK_START, 0, 0);
  EXPECT_EQ(world.live(), 1U) << "it takes the spindle its time";
  world.run();
  EXPECT_EQ(world.core().target.device.unit.not_ready, SENSE_NONE);
  world.submit(TASK_READ, 20, 1);
  world.run();
  EXPECT_EQ(world.ended().back().status, STATUS_OK);
}

}  // namespace
}  // namespace headstack
