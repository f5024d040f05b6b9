// SPDX-License-Identifier: Apache-2.0
// Reported writes in sequence that go to the media as one request (page 21h,
// MODE_CONTROLLER_JOINS).
//
// design_by_hand(): a track has 10 sectors of 40,000 ticks, and the buffer 128. The core takes no
// time in this world, so a run that begins where the one before has ended loses no revolution. The
// joining shows in the requests of the media. tests/scenario/test_cache.cpp has its gain.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "firmware/events.h"
#include "tests/firmware/service_world.hpp"

namespace headstack {
namespace {

using test::design_by_hand;
using test::FakeSoc;
using test::ServiceWorld;
constexpr std::uint32_t kSectorTicks = 40'000;

class JoinedWrites : public testing::Test {
 protected:
  void power_on(bool joins = true) {
    options_.controller.joins = joins;
    world_ = std::make_unique<ServiceWorld>(design_by_hand(), options_);
    world_->spin_up();
    // The media work elsewhere while the writes come.
    world_->submit(TASK_VERIFY, 600, 100);
  }
  ServiceWorld& world() { return *world_; }

  ::task* write(std::uint32_t lba, std::uint32_t blocks,
                enum task_attribute attribute = TASK_SIMPLE) {
    ::task* task = world_->submit(TASK_WRITE, lba, blocks, attribute);
    while (task->host_blocks_left > 0) world_->step();
    return task;
  }
  /// Reports a write as firmware/target does when all its data are in the buffer.
  ::task* report(::task* task) {
    task_set_report(&world_->core().tasks, task);
    return task;
  }
  void write_in_sequence(std::uint32_t count, std::uint32_t blocks = 3, std::uint32_t lba = 20) {
    for (std::uint32_t i = 0; i < count; ++i) report(write(lba + i * blocks, blocks));
  }
  /// The number of requests of the media after the verification's, at the end.
  std::size_t requests() {
    world_->run();
    for (const auto& ended : world_->ended()) EXPECT_EQ(ended.status, STATUS_OK) << ended.lba;
    EXPECT_TRUE(world_->buffer_is_free());
    EXPECT_EQ(world_->core().service.joined_count, 0U);
    EXPECT_EQ(world_->core().service.joined_blocks, 0U);
    return world_->traced(TRACE_MEDIA_DONE).size() - 1;
  }

  ServiceWorld::Options options_;
  std::unique_ptr<ServiceWorld> world_;
};

TEST_F(JoinedWrites, InSequence_AreOneRequest) {
  power_on();
  write_in_sequence(5);
  EXPECT_EQ(requests(), 1U);
  ASSERT_EQ(world().ended().size(), 6U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(world().ended()[1 + i].lba, 20 + 3 * i) << "each ends, the first one first";
  }
}

TEST_F(JoinedWrites, WithoutTheMode_EachIsOne) {
  power_on(false);
  write_in_sequence(5);
  EXPECT_EQ(requests(), 5U);
}

TEST_F(JoinedWrites, AsManyAsAllowed_AndTheRestAfterThem) {
  power_on();
  write_in_sequence(2 * SERVICE_JOINED_MAX, 1);
  // The first takes 31 others with it, the 33rd the other 29.
  EXPECT_EQ(requests(), 2U);
}

TEST_F(JoinedWrites, GapBetweenBlocks_Ends) {
  power_on();
  report(write(20, 3));
  report(write(24, 3));
  EXPECT_EQ(requests(), 2U);
}

TEST_F(JoinedWrites, WriteThatOwesItsStatus_IsByItself) {
  power_on();
  report(write(20, 3));
  write(23, 3);
  report(write(26, 3));
  EXPECT_EQ(requests(), 3U);
}

TEST_F(JoinedWrites, FirstOneThatOwesItsStatus_TakesNone) {
  power_on();
  write(20, 3);
  report(write(23, 3));
  EXPECT_EQ(requests(), 2U);
}

TEST_F(JoinedWrites, OfTheHeadOfTheQueue_IsByItself) {
  power_on();
  report(write(20, 3));
  report(write(23, 3, TASK_HEAD_OF_QUEUE));
  EXPECT_EQ(requests(), 2U);
}

TEST_F(JoinedWrites, DataThatLieApart_AreTwoRequests) {
  power_on();
  report(write(20, 3));
  write(300, 5);
  report(write(23, 3));
  // Writes are done in the order of arrival: the one in between is alone, and so are the others.
  EXPECT_EQ(requests(), 3U);
}

// The world compares what a read returns with what was written last.
TEST_F(JoinedWrites, CachedBlocksOfTheWrites_AreDropped) {
  options_.caching.reads = true;
  options_.caching.segments = 2;
  options_.caching.segment_blocks = 16;
  power_on();
  world().submit(TASK_READ, 25, 8);
  world().run();
  world().submit(TASK_VERIFY, 600, 100);
  write_in_sequence(5);
  const std::size_t before = world().traced(TRACE_MEDIA_DONE).size();
  world().run();
  EXPECT_EQ(world().traced(TRACE_MEDIA_DONE).size(), before + 2) << "the verification and they";
  world().submit(TASK_READ, 25, 8);
  world().run();
  EXPECT_EQ(world().ended().back().status, STATUS_OK);
  EXPECT_EQ(world().traced(TRACE_MEDIA_DONE).size(), before + 3) << "from the media";
}

TEST_F(JoinedWrites, ThresholdOfTheWriteBuffer_JoinsNone) {
  options_.caching.writes = true;
  options_.caching.segments = 3;
  options_.caching.segment_blocks = 16;
  options_.write_buffer.threshold = WRITE_THRESHOLD_FREE;
  options_.write_buffer.below = 1;
  power_on();
  write_in_sequence(3);
  EXPECT_EQ(requests(), 3U);
}

// Block 27 fails in all attempts. It belongs to the third of five writes of three blocks.
TEST_F(JoinedWrites, ErrorIsThatOfTheWriteThatHasTheBlock_AndTheOthersAreWritten) {
  options_.retries = 1;
  power_on();
  write_in_sequence(5);
  while (world().traced(TRACE_MEDIA_DONE).empty()) world().step();
  std::vector<std::uint32_t> errors(7, 0);
  errors.insert(errors.end(), 2, FORMATTER_ERROR_WRITE_FAULT);
  world().soc().fail_sectors(errors);
  world().run();
  ASSERT_EQ(world().ended().size(), 6U);
  for (const auto& ended : world().ended()) {
    EXPECT_EQ(ended.status == STATUS_OK, ended.lba != 26) << ended.lba;
    if (ended.lba == 26) {
      EXPECT_EQ(ended.failed_lba, 27U);
    }
  }
  EXPECT_TRUE(world().buffer_is_free());
  EXPECT_EQ(world().core().service.joined_count, 0U);
}

TEST_F(JoinedWrites, RecoveredErrorIsThatOfTheWriteThatHasTheBlock) {
  options_.retries = 2;
  options_.recovery = MODE_RECOVERY_PER;
  power_on();
  write_in_sequence(5);
  while (world().traced(TRACE_MEDIA_DONE).empty()) world().step();
  std::vector<std::uint32_t> errors(7, 0);
  errors.push_back(FORMATTER_ERROR_WRITE_FAULT);
  world().soc().fail_sectors(errors);
  world().run();
  ASSERT_EQ(world().ended().size(), 6U);
  for (const auto& ended : world().ended()) {
    EXPECT_EQ(ended.status, ended.lba == 26 ? STATUS_WRITE_RECOVERED : STATUS_OK) << ended.lba;
  }
}

/// Streams of writes beside random reads and writes. The world checks that media and reads have the
/// content that the order of arrival gives.
class JoinedWritesRandom : public testing::TestWithParam<std::uint32_t> {};

TEST_P(JoinedWritesRandom, EveryBlock_HasTheLastWrittenData) {
  std::mt19937 random(GetParam());
  const auto one_in = [&random](std::uint32_t n) { return random() % n == 0; };
  ServiceWorld::Options options;
  options.controller.joins = true;
  options.policy = random() % 3;
  options.host_block_ticks = one_in(2) ? 500 : 20'000;
  options.retries = random() % 3;
  options.caching.reads = one_in(2);
  options.caching.segments = 2;
  options.caching.segment_blocks = 16;
  options.caching.ahead_blocks = 10;
  options.caching.ahead_task_blocks = 0xFFFF;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  task_set_restrict(&world.core().tasks, true);
  const std::uint32_t depth = 2 + random() % 40;
  std::uint32_t stream = random() % 700;
  const auto report_some = [&] {
    // A task that is gone is not in the set any more.
    ::task_set* set = &world.core().tasks;
    for (::task* task = task_set_oldest(set); task != nullptr; task = task_set_younger(set, task)) {
      const bool may = task->operation == TASK_WRITE && task->host_blocks_left == 0 &&
                       task->state != TASK_DORMANT && task->state < TASK_TRANSFERRING &&
                       !task_is_reported(task);
      if (may && !one_in(5)) task_set_report(set, task);
    }
  };
  std::size_t joined = 0;
  for (int i = 0; i < 300; ++i) {
    if (one_in(25)) {
      stream = random() % 700;
      options.controller.joins = !one_in(4);
      world.change_modes(options);
    }
    if (one_in(30)) {
      std::vector<std::uint32_t> errors(random() % 20, 0);
      errors.insert(errors.end(), 1 + random() % 4, FORMATTER_ERROR_WRITE_FAULT);
      world.soc().fail_sectors(errors);
    }
    const std::uint32_t blocks = 1 + random() % (one_in(6) ? 30 : 6);
    if (!one_in(4) && stream + blocks < 800) {
      world.submit(TASK_WRITE, stream, blocks);
      stream += blocks;
    } else {
      const enum task_operation operation = one_in(2) ? TASK_READ : TASK_WRITE;
      world.submit(operation, random() % (800 - blocks), blocks);
    }
    for (std::uint32_t steps = random() % 20; steps > 0 && world.step(); --steps) {
      report_some();
      joined += world.core().service.joined_count;
    }
    while (world.live() >= depth && world.step()) report_some();
  }
  world.run();
  EXPECT_EQ(world.core().service.joined_count, 0U);
  EXPECT_EQ(world.core().service.joined_blocks, 0U);
  if (GetParam() == 1) {
    EXPECT_GT(joined, 0U) << "the load has what this is about";
  }
  world.run_until(world.soc().now() + 100 * kSectorTicks);
  options.caching = {};
  world.change_modes(options);
  EXPECT_TRUE(world.buffer_is_free());
}

INSTANTIATE_TEST_SUITE_P(Seeds, JoinedWritesRandom, testing::Range(1U, 121U));

}  // namespace
}  // namespace headstack
