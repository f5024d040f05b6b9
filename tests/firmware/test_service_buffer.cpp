// SPDX-License-Identifier: Apache-2.0
// The sector buffer: which tasks get room in it and when, and the effect on the media.
//
// design_by_hand(): a track has 10 sectors of 40,000 ticks. The buffer holds 128 sectors, the
// largest segment 16. The last 16 sectors are the media's, the 16 before them the plan's.
#include <gtest/gtest.h>

#include <bitset>
#include <random>

#include "firmware/events.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/host_side.h"
#include "firmware/transfer/service_tasks.h"
#include "tests/firmware/service_world.hpp"

namespace headstack {
namespace {

using test::design_by_hand;
using test::FakeSoc;
using test::ServiceWorld;
constexpr std::uint32_t kSeed = 99;
constexpr std::uint32_t kSectorTicks = 40'000;
constexpr std::uint32_t kRevolutionTicks = 10 * kSectorTicks;
constexpr std::uint32_t kSstf = 1;
constexpr std::uint32_t kStf = 2;

std::uint32_t granted_blocks(const ServiceWorld& world) {
  std::uint32_t blocks = 0;
  for (const auto& grant : world.traced(TRACE_HOST_GRANT)) blocks += grant.argument >> 16;
  return blocks;
}

/// Adds a task at the media that leaves the host alone for long: it seeks and verifies.
void occupy_media(ServiceWorld& world) { world.submit(TASK_VERIFY, 600, 100); }

TEST(ServiceBuffer, WritesThatWait_LeaveTheReserveFree) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  occupy_media(world);
  for (std::uint32_t i = 0; i < 7; ++i) world.submit(TASK_WRITE, 20 * i, 16);
  // 128 - 2 * 16 sectors hold six of them.
  EXPECT_EQ(granted_blocks(world), 6 * 16U);
  EXPECT_EQ(world.core().segments.free_count, 2 * 16U);
  world.run();
  EXPECT_EQ(world.ended().size(), 8U);
  EXPECT_TRUE(world.buffer_is_free());
}

// Each takes the room it needs: 96 sectors are 96 writes of a block, and a ring is needed only
// while data moves.
TEST(ServiceBuffer, SmallWrites_WaitInTheBuffer_ManyMoreThanThereAreRings) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  occupy_media(world);
  for (std::uint32_t i = 0; i < 97; ++i) world.submit(TASK_WRITE, i, 1);
  EXPECT_EQ(granted_blocks(world), 96U);
  while (world.host_blocks() < 96) world.step();
  EXPECT_EQ(world.core().segments.rings_free, 0x7FU) << "all are parked";
  EXPECT_EQ(world.traced(TRACE_TASK_CHOSEN).size(), 1U) << "before any of them is served";
  world.run();
  EXPECT_EQ(world.ended().size(), 98U);
}

// Writes are fetched in the order of arrival. Only the planned task passes others on the way to the
// bus.
TEST(ServiceBuffer, WritesThatWait_AreFetchedInTheOrderOfArrival) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  occupy_media(world);
  std::vector<std::uint32_t> arrived;
  for (const std::uint32_t lba : {500U, 20U, 300U, 40U}) {
    const ::task* task = world.submit(TASK_WRITE, lba, 8);
    arrived.push_back(task_set_index(&world.core().tasks, task));
  }
  while (world.host_blocks() < 32) world.step();
  std::vector<std::uint32_t> fetched;
  for (const auto& event : world.traced(TRACE_DATA_PHASE_BEGIN)) fetched.push_back(event.argument);
  EXPECT_EQ(fetched, arrived);
  world.run();
}

// A command that may not disconnect was refused because of a write that it overlaps, and is sent
// again. That write goes first, however far away it is.
TEST(ServiceBuffer, TaskThatBlocksARefusedCommand_IsServedNext) {
  ServiceWorld::Options options;
  options.policy = kSstf;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  occupy_media(world);
  world.submit(TASK_WRITE, 0, 8);
  for (const std::uint32_t lba : {620U, 640U, 660U}) world.submit(TASK_READ, lba, 1);
  ::task* held = world.submit(TASK_READ, 4, 1);
  EXPECT_EQ(service_tasks_hold_bus(&world.core().service, held), BUS_HOLD_TURNED_AWAY);
  world.abort(held);
  world.run();
  ASSERT_EQ(world.ended().size(), 5U);
  std::vector<std::uint32_t> order;
  for (const auto& ended : world.ended()) {
    if (ended.lba != 600) order.push_back(ended.lba);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 620, 640, 660}));
}

// Page 21h: a refused command takes no time of the controller. Its host repeats it twice as fast as
// the controller's time, and the command in its way is still served.
TEST(ServiceBuffer, RefusedCommand_TakesNoControllerTime) {
  constexpr std::uint32_t kTicks = 100'000;
  ServiceWorld::Options options;
  options.controller.takes_time = true;
  for (const bool is_write : {false, true}) {
    for (const bool after_write : {false, true}) {
      options.controller.ticks[controller_row(is_write, after_write, false)] = kTicks;
    }
  }
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  const FakeSoc::Tick begin = world.soc().now();
  world.submit(TASK_WRITE, 0, 8);
  for (int i = 1; i <= 20 && world.traced(TRACE_TASK_CHOSEN).empty(); ++i) {
    world.run_until(begin + static_cast<FakeSoc::Tick>(i) * kTicks / 2 - 1);
    ::task* held = world.submit(TASK_READ, 4, 1);
    EXPECT_EQ(service_tasks_hold_bus(&world.core().service, held), BUS_HOLD_TURNED_AWAY);
    world.abort(held);
  }
  ASSERT_EQ(world.traced(TRACE_TASK_CHOSEN).size(), 1U);
  EXPECT_LE(world.traced(TRACE_TASK_CHOSEN)[0].tick, begin + kTicks + 2);
  world.run();
}

// The room kept for a refused command is released when that does not come again. Nothing else would
// wake the write that waits for it. There are 48 sectors, of which the cache has 32.
TEST(ServiceBuffer, RoomKeptForACommandThatNeverArrives_IsReleased) {
  drive::Design design = design_by_hand();
  design.buffer_bytes = 48 * 512;
  ServiceWorld::Options options;
  options.caching.reads = true;
  options.caching.segments = 2;
  options.caching.segment_blocks = 16;
  ServiceWorld world(design, options);
  world.spin_up();
  ::task* first = world.submit(TASK_WRITE, 0, 16);
  while (first->state < TASK_ACTIVE) world.step();
  ::task* held = world.submit(TASK_WRITE, 300, 16);
  EXPECT_EQ(service_tasks_hold_bus(&world.core().service, held), BUS_HOLD_TURNED_AWAY);
  world.abort(held);
  const FakeSoc::Tick turned_away = world.soc().now();
  world.submit(TASK_WRITE, 20, 8);
  world.run();
  ASSERT_EQ(world.ended().size(), 2U);
  EXPECT_EQ(world.ended()[1].lba, 20U);
  EXPECT_GE(world.ended()[1].tick, turned_away + BUS_HOLDER_PATIENCE_TICKS);
  EXPECT_LE(world.ended()[1].tick, turned_away + BUS_HOLDER_PATIENCE_TICKS + 4 * kRevolutionTicks);
}

TEST(ServiceBuffer, WriteWithoutRoomAtArrival_IsFetchedWhenPlanned) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  occupy_media(world);
  for (std::uint32_t i = 0; i < 6; ++i) world.submit(TASK_WRITE, 20 * i, 16);
  ::task* late = world.submit(TASK_WRITE, 300, 4, TASK_SIMPLE);
  EXPECT_EQ(late->host_blocks_granted, 0U);
  for (std::uint32_t i = 0; i < 6; ++i) {
    while (world.ended().size() < i + 1) world.step();
  }
  // The last of the six is at the media, in its second run of two: the seventh is planned.
  while (world.traced(TRACE_PLAN_END).size() < 7) world.step();
  EXPECT_EQ(late->host_blocks_granted, 4U);
  EXPECT_EQ(late->state, TASK_ENABLED);
  world.run();
  EXPECT_TRUE(world.traced(TRACE_MISSED_REVOLUTION).empty());
}

// The planned write has its data and is replaced by better arrivals, again and again. Its room
// never keeps the media from going on.
TEST(ServiceBuffer, PlannedWriteThatIsReplaced_DelaysNoTask) {
  drive::Design design = design_by_hand();
  design.buffer_bytes = 48 * 512;  // 16 each for arrivals, plan and media
  ServiceWorld::Options options;
  options.policy = kStf;
  ServiceWorld world(design, options);
  world.spin_up();
  world.submit(TASK_READ, 0, 1);
  for (std::uint32_t i = 0; i < 4; ++i) world.submit(TASK_WRITE, 760 - 20 * i, 16);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::size_t plans = world.traced(TRACE_PLAN_END).size();
    while (world.traced(TRACE_PLAN_END).size() == plans) world.step();
    world.submit(i % 2 == 0 ? TASK_READ : TASK_WRITE, i % 20, 1 + i % 16);
  }
  world.run();
  EXPECT_EQ(world.ended().size(), 205U);
  EXPECT_TRUE(world.buffer_is_free());
}

// Writes have their data in the buffer when MODE SELECT gives three quarters of it to the cache.
// Their segments are all that tasks have left, so one of them goes first.
TEST(ServiceBuffer, HeadOfQueueWithoutRoom_OldestWriteWithItsDataGoesFirst) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  occupy_media(world);
  for (const std::uint32_t lba : {0U, 20U}) world.submit(TASK_WRITE, lba, 16);
  ServiceWorld::Options changed;
  changed.caching.reads = true;
  changed.caching.segments = 6;
  changed.caching.segment_blocks = 16;
  world.change_modes(changed);
  world.submit(TASK_WRITE, 300, 16, TASK_HEAD_OF_QUEUE);
  world.run();
  std::vector<std::uint32_t> order;
  for (const auto& ended : world.ended()) order.push_back(ended.lba);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{600, 0, 300, 20}));
  EXPECT_TRUE(world.buffer_is_free());
}

// The same test with an owner that waits for HEAD OF QUEUE tasks because it was withdrawn after it
// had its room. Its initiator got a failure (SCSI-2 7.6), and has requested the sense meanwhile.
void expect_withdrawn_owner_goes(enum task_attribute attribute, bool resumed_last) {
  drive::Design design = design_by_hand();
  design.buffer_bytes = 64 * 512;  // 16 sectors for tasks beside a cache of 48
  ServiceWorld world(design);
  world.spin_up();
  constexpr std::uint8_t kOwner = 3;
  task_set* const tasks = &world.core().tasks;
  // The arm is on its way, and no task is left.
  world.abort(world.submit(TASK_VERIFY, 600, 1));
  ::task* const owner = world.submit(TASK_WRITE, 20, 1, attribute, 0, kOwner);
  EXPECT_NE(owner->segment, SEGMENT_NONE);
  task_set_suspend(tasks, kOwner);
  EXPECT_EQ(owner->state, TASK_DORMANT);
  ServiceWorld::Options changed;
  changed.caching.reads = true;
  changed.caching.segments = 6;
  changed.caching.segment_blocks = 8;
  world.change_modes(changed);
  world.submit(TASK_WRITE, 300, 16, TASK_HEAD_OF_QUEUE);
  if (resumed_last) world.run_until(world.soc().now() + 4 * kRevolutionTicks);
  task_set_resume(tasks, kOwner);
  service_tasks_resumed(&world.core().service);
  world.run();
  std::vector<std::uint32_t> order;
  for (const auto& ended : world.ended()) order.push_back(ended.lba);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{20, 300}));
  EXPECT_TRUE(world.buffer_is_free());
}

TEST(ServiceBuffer, HeadOfQueueWithoutRoom_WithdrawnOwnerIsEvicted) {
  expect_withdrawn_owner_goes(TASK_SIMPLE, false);
}
TEST(ServiceBuffer, HeadOfQueueWithoutRoom_OrderedOwnerIsEvicted) {
  expect_withdrawn_owner_goes(TASK_ORDERED, false);
}
TEST(ServiceBuffer, HeadOfQueueWithoutRoom_OwnerIsEvictedAsSoonAsAllowed) {
  expect_withdrawn_owner_goes(TASK_SIMPLE, true);
}
TEST(ServiceBuffer, HeadOfQueueWithoutRoom_OrderedOwnerIsEvictedAsSoonAsAllowed) {
  expect_withdrawn_owner_goes(TASK_ORDERED, true);
}

// Page 01h, TB: the block that is not recovered is also transferred, and none after it. So the host
// gets no block before it has been read.
TEST(ServiceBuffer, TransferBlock_GrantsTheHostNothingAfterTheBadBlock) {
  ServiceWorld::Options options;
  options.retries = 0;
  options.recovery = MODE_RECOVERY_TB;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.soc().fail_sectors({0, 0, 0, 0, 0, 0, FORMATTER_ERROR_CHECK});
  world.submit(TASK_READ, 20, 8);
  world.run();
  EXPECT_EQ(world.ended()[0].status, STATUS_DATA_DAMAGED);
  EXPECT_EQ(world.ended()[0].failed_lba, 26U);
  EXPECT_EQ(granted_blocks(world), 7U);
}

// Six reads wait for the host, which is busy with a write's data. Their rings are kept, and the
// seventh is the write's. Then the media come to that write. It waits until a ring is left, because
// the next write's data go before those of the reads.
TEST(ServiceBuffer, WriteWhoseDataAreOnTheBus_LeavesARingForTheNext) {
  ServiceWorld::Options options;
  options.policy = kSstf;
  options.host_block_ticks = 2 * kSectorTicks;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_VERIFY, 20, 1);
  ::task* write = world.submit(TASK_WRITE, 600, 16);
  while (write->host_blocks_left == 16 && world.host_blocks() == 0) world.step();
  for (std::uint32_t i = 0; i < 6; ++i) world.submit(TASK_READ, 22 + i, 1);
  world.submit(TASK_WRITE, 700, 8);
  while (world.live() > 0 && world.step()) {
    const std::uint32_t kept = world.core().segments.rings_kept;
    ASSERT_NE(kept, (1U << SEGMENTS_RINGS) - 1) << "one is left for data phases";
  }
  EXPECT_EQ(world.ended().size(), 9U);
  EXPECT_TRUE(world.buffer_is_free());
}

// segments.h: six rings may be kept, the seventh is the host's, and the eighth is the media's own.
// The media take the ring of a read that they have finished.
TEST(ServiceBuffer, ReadsThatTheHostDoesNotFetch_KeepNoRingFromTheMedia) {
  ServiceWorld::Options options;
  options.host_block_ticks = 20 * kRevolutionTicks;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  for (std::uint32_t i = 0; i < 10; ++i) world.submit(TASK_READ, 20 * i, 1);
  world.run_until(world.soc().now() + 18 * kRevolutionTicks);
  EXPECT_EQ(world.traced(TRACE_MEDIA_DONE).size(), 10U);
  EXPECT_EQ(world.traced(TRACE_DATA_PHASE_END).size(), 0U);
  EXPECT_EQ(std::bitset<32>(world.core().segments.rings_kept).count(), 6U);
  EXPECT_EQ(std::bitset<32>(world.core().segments.rings_free).count(), 1U);
  ::task* write = world.submit(TASK_WRITE, 500, 2);
  world.run();
  EXPECT_EQ(world.ended().size(), 11U);
  EXPECT_EQ(write->state, TASK_FREE);
}

// ------------------------------------------------------------------------------ when a run starts

// Interrupts come for the first sector and the end; for a read, also when half of it is there, and
// the host may have all.
TEST(ServiceBuffer, SectorInterrupts_ComeOnlyWhereNeeded) {
  for (const auto& [operation, notices] : {std::pair{TASK_READ, 1}, {TASK_WRITE, 0}}) {
    ServiceWorld world(design_by_hand());
    world.spin_up();
    for (int i = 0; i < 3; ++i) {
      const int before = world.soc().formatter_interrupts();
      const int notices_before = world.soc().disk_notices();
      world.submit(operation, 20, 10);
      world.run();
      EXPECT_EQ(world.soc().formatter_interrupts() - before, 2) << i;
      EXPECT_EQ(world.soc().disk_notices() - notices_before, notices) << i;
    }
  }
}

// media.h: events of single sectors are off until the run ends. The second run of a read reports
// its sectors until half of them are there, and the host may have all.
TEST(ServiceBuffer, SectorInterruptsOfALaterRun_EndWithTheShare) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.submit(TASK_READ, 20, 20);
  while (granted_blocks(world) < 20) ASSERT_TRUE(world.step());
  EXPECT_EQ(world.soc().chained_runs(), 1);
  const int before = world.soc().formatter_interrupts();
  world.run();
  EXPECT_EQ(world.soc().formatter_interrupts() - before, 1) << "the end";
}

// host_side_ready(): the blocks that can be moved now without waiting for the media. For a read
// into the cache it is no more: the host may have the whole run when half of it is there. Without
// any block the task may not come back, whatever page 02h says.
TEST(ServiceBuffer, OfAReadUnderWay_AsMuchIsReadyAsHasCome) {
  for (const bool cached : {false, true}) {
    for (const std::uint8_t full_ratio : {std::uint8_t{0}, std::uint8_t{MODE_RATIO_HALF_RUN}}) {
      SCOPED_TRACE(testing::Message() << cached << ' ' << int{full_ratio});
      ServiceWorld::Options options;
      options.host_block_ticks = 100 * kSectorTicks;
      options.disconnect.full_ratio = full_ratio;
      options.caching.reads = cached;
      options.caching.segments = 3;
      options.caching.segment_blocks = 16;
      ServiceWorld world(design_by_hand(), options);
      world.spin_up();
      ::task* task = world.submit(TASK_READ, 20, 10);
      EXPECT_EQ(host_side_ready(&world.core().host_side, task), 0U);
      EXPECT_FALSE(
          host_side_may_return(&world.core().host_side, task, &world.core().service.disconnect));
      while (granted_blocks(world) < 10) {
        EXPECT_FALSE(
            host_side_may_return(&world.core().host_side, task, &world.core().service.disconnect));
        ASSERT_TRUE(world.step());
      }
      const std::uint32_t share = full_ratio == 0 ? 1 : 5;
      EXPECT_EQ(host_side_ready(&world.core().host_side, task), share);
      EXPECT_TRUE(
          host_side_may_return(&world.core().host_side, task, &world.core().service.disconnect));
      world.run_until(world.soc().now() + kSectorTicks + 1);
      EXPECT_EQ(host_side_ready(&world.core().host_side, task), share + 1);
      world.run();
    }
  }
}

struct SetupCase {
  const char* what;
  void (*change)(ServiceWorld::Options& options);
  ::write_buffer_setup setup;
};

class WriteSetup : public testing::TestWithParam<SetupCase> {};

// write_frames.h: page 22h's threshold. There are as many frames as the cache has segments, of the
// same size. Any one of these values may change alone.
TEST_P(WriteSetup, ChangeOfOneValue_IsInForce) {
  ServiceWorld::Options options;
  options.caching.reads = options.caching.writes = true;
  options.caching.segments = 3;
  options.caching.segment_blocks = 16;
  options.write_buffer.threshold = WRITE_THRESHOLD_TIME;
  options.write_buffer.below = 2;
  options.write_buffer.rate_milli = 5000;
  options.write_buffer.scale_milli = 1000;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  GetParam().change(options);
  world.change_modes(options);
  const ::write_buffer_setup& setup = world.core().tasks.writes.setup;
  const ::write_buffer_setup& wanted = GetParam().setup;
  EXPECT_EQ(setup.threshold, wanted.threshold);
  EXPECT_EQ(setup.below, wanted.below);
  EXPECT_EQ(setup.rate_milli, wanted.rate_milli);
  EXPECT_EQ(setup.scale_milli, wanted.scale_milli);
  EXPECT_EQ(setup.frames, wanted.frames);
  EXPECT_EQ(setup.frame_blocks, wanted.frame_blocks);
}

INSTANTIATE_TEST_SUITE_P(
    ServiceBuffer, WriteSetup,
    testing::Values(SetupCase{"Threshold",
                              [](ServiceWorld::Options& o) {
                                o.write_buffer.threshold = WRITE_THRESHOLD_FREE;
                              },
                              {WRITE_THRESHOLD_FREE, 2, 5000, 1000, 3, 16}},
                    SetupCase{"Below",
                              [](ServiceWorld::Options& o) { o.write_buffer.below = 1; },
                              {WRITE_THRESHOLD_TIME, 1, 5000, 1000, 3, 16}},
                    SetupCase{"Rate",
                              [](ServiceWorld::Options& o) { o.write_buffer.rate_milli = 6000; },
                              {WRITE_THRESHOLD_TIME, 2, 6000, 1000, 3, 16}},
                    SetupCase{"Scale",
                              [](ServiceWorld::Options& o) { o.write_buffer.scale_milli = 2000; },
                              {WRITE_THRESHOLD_TIME, 2, 5000, 2000, 3, 16}},
                    SetupCase{"Frames",
                              [](ServiceWorld::Options& o) { o.caching.segments = 4; },
                              {WRITE_THRESHOLD_TIME, 2, 5000, 1000, 4, 16}},
                    SetupCase{"BlocksOfAFrame",
                              [](ServiceWorld::Options& o) { o.caching.segment_blocks = 8; },
                              {WRITE_THRESHOLD_TIME, 2, 5000, 1000, 3, 8}}),
    test::case_name<SetupCase>);

// A bus just faster than the media: the run begins with its first sector in the buffer, and the
// rest comes in time.
TEST(ServiceBuffer, Write_BeginsWithItsFirstSector) {
  ServiceWorld::Options options;
  options.host_block_ticks = kSectorTicks - 1;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_WRITE, 20, 10);
  while (world.traced(TRACE_RUN_START).empty()) world.step();
  EXPECT_LE(world.host_blocks(), 2U) << "the seek takes two sector times";
  world.run();
  EXPECT_TRUE(world.traced(TRACE_MISSED_REVOLUTION).empty());
  EXPECT_TRUE(world.traced(TRACE_MEDIA_RETRY).empty());
}

// A bus of half the media's speed falls behind. Blocks that arrived in time are written, and the
// rest in the next revolution, as if the run had waited for its data. The heads begin with sector 4
// of a track when four sectors have passed since an index, or a little more.
TEST(ServiceBuffer, WriteThatOutrunsTheBus_LosesOneRevolution) {
  ServiceWorld::Options options;
  options.host_block_ticks = 2 * kSectorTicks;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_WRITE, 24, 6);
  world.run();
  EXPECT_EQ(world.ended()[0].status, STATUS_OK);
  ASSERT_EQ(world.traced(TRACE_RUN_DONE).size(), 2U);
  EXPECT_EQ(world.traced(TRACE_SEEK_START).size(), 1U);
  ASSERT_EQ(world.traced(TRACE_MISSED_REVOLUTION).size(), 1U);
  EXPECT_EQ(world.traced(TRACE_MISSED_REVOLUTION)[0].argument, 1U);
}

// A run of ten sectors through a ring of eight. The host begins when four are there, so the ring
// never fills, and no revolution is lost.
TEST(ServiceBuffer, ReadOfARunLargerThanItsSegment_StreamsThroughWithoutAStop) {
  drive::Design design = design_by_hand();
  design.buffer_bytes = 8 * 512;
  ServiceWorld world(design);
  world.spin_up();
  world.submit(TASK_READ, 20, 10);
  world.run();
  EXPECT_EQ(world.traced(TRACE_RUN_START).size(), 1U);
  EXPECT_TRUE(world.traced(TRACE_MISSED_REVOLUTION).empty());
  EXPECT_EQ(world.host_blocks(), 10U);
}

// -------------------------------------------------------------------------------------- choices

// Two writes on the track under the heads. The nearer one comes a quarter of a sector before the
// heads are free, while the other is planned. A fetch is assumed to need half a sector, so it is no
// better. It is served first only if its data come in time after all.
TEST(ServiceBuffer, DataThatComes_MakesAnArrivalBetterThanThePlan) {
  static_assert(HOST_SIDE_FETCH_TICKS == kSectorTicks / 2);
  for (const bool in_time : {true, false}) {
    ServiceWorld::Options options;
    options.policy = kStf;
    options.host_block_ticks = in_time ? kSectorTicks / 8 : kSectorTicks / 2;
    ServiceWorld world(design_by_hand(), options);
    world.spin_up();
    world.submit(TASK_VERIFY, 20, 2);
    ::task* far = world.submit(TASK_WRITE, 29, 1);
    while (world.traced(TRACE_FIRST_SECTOR).empty()) world.step();
    ASSERT_EQ(far->host_blocks_left, 0U);
    world.run_until(world.soc().now() + 3 * kSectorTicks / 4);
    world.submit(TASK_WRITE, 22, 1);
    world.run();
    ASSERT_EQ(world.ended().size(), 3U);
    EXPECT_EQ(world.ended()[1].lba, in_time ? 22U : 29U) << in_time;
  }
}

// No task waited when the next one was to be planned, so the first that arrives is the plan.
TEST(ServiceBuffer, ArrivalAfterAnEmptyPlan_IsPlanned) {
  ServiceWorld world(design_by_hand());
  world.spin_up();
  world.submit(TASK_VERIFY, 20, 2);
  while (world.traced(TRACE_FIRST_SECTOR).empty()) world.step();
  ASSERT_EQ(world.traced(TRACE_PLAN_END).back().argument, TASK_NONE);
  const ::task* task = world.submit(TASK_READ, 29, 1);
  EXPECT_EQ(scheduler_planned(&world.core().scheduler), &task->candidate);
  world.run();
}

// Loads of writes on the whole drive: once their data are in the buffer, no revolution is lost.
TEST(ServiceBuffer, RandomWritesUnderStf_MissNoRevolution) {
  ServiceWorld::Options options;
  options.policy = kStf;
  options.margin_us = 20;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  std::mt19937 random(kSeed);
  for (int i = 0; i < 500; ++i) {
    world.submit(TASK_WRITE, static_cast<std::uint32_t>(random() % 790), 1 + random() % 8);
    while (world.live() >= 12) world.step();
  }
  world.run();
  EXPECT_TRUE(world.traced(TRACE_MISSED_REVOLUTION).empty()) << "seed " << kSeed;
}

}  // namespace
}  // namespace headstack
