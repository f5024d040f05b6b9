// SPDX-License-Identifier: Apache-2.0
// Aborted tasks and random loads: whatever happens, no segment or ring stays in use.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "firmware/queue/policy_table.h"
#include "tests/firmware/service_world.hpp"

namespace headstack {
namespace {

using test::design_by_hand;
using test::ServiceWorld;
constexpr std::uint32_t kSeed = 99;

// A task aborted at any point of its life leaves nothing behind, and the next one is served.
TEST(Service, AbortAtEveryStep_LeavesNothingBehind) {
  for (const enum task_operation operation : {TASK_READ, TASK_WRITE, TASK_VERIFY}) {
    bool outlived = false;
    for (int steps = 0; !outlived; ++steps) {
      ASSERT_LT(steps, 5000);
      ServiceWorld world(design_by_hand());
      world.spin_up();
      world.submit(TASK_READ, 600, 3);
      ::task* victim = world.submit(operation, 205, 9);
      for (int i = 0; i < steps && victim->state != TASK_FREE; ++i) world.step();
      outlived = victim->state == TASK_FREE;
      if (!outlived) world.abort(victim);
      world.submit(TASK_WRITE, 300, 4);
      world.run();
      ASSERT_EQ(world.ended().back().status, STATUS_OK) << "step " << steps;
      ASSERT_EQ(world.ended().back().lba, 300U) << "step " << steps;
      ASSERT_TRUE(world.buffer_is_free()) << steps;
      ASSERT_EQ(world.core().tasks.count, 0U);
    }
  }
}

// Random loads of all kinds, on buffers with every number of segments: every task ends once.
TEST(Service, RandomLoad_EndsEveryTaskOnce) {
  for (std::uint32_t policy = 0; policy_by_number(policy) != nullptr; ++policy) {
    for (const std::uint32_t buffer_sectors : {1U, 17U, 33U, 64U, 128U}) {
      drive::Design design = design_by_hand();
      design.buffer_bytes = buffer_sectors * 512;
      ServiceWorld::Options options;
      options.policy = policy;
      options.policy_flags = policy_flag_count(policy_by_number(policy)) > 0 ? 1 : 0;
      options.margin_us = 20;
      ServiceWorld world(design, options);
      world.spin_up();
      std::mt19937 random(kSeed + policy + buffer_sectors);
      std::uint64_t blocks_moved = 0;
      for (int i = 0; i < 300; ++i) {
        const auto blocks = static_cast<std::uint32_t>(1 + random() % 40);
        const auto lba = static_cast<std::uint32_t>(random() % (800 - blocks));
        const enum task_operation operation =
            std::array{TASK_READ, TASK_WRITE, TASK_VERIFY}[random() % 3];
        world.submit(operation, lba, blocks);
        if (operation != TASK_VERIFY) blocks_moved += blocks;
        while (world.live() > 30) world.step();
      }
      world.run();
      EXPECT_EQ(world.ended().size(), 300U);
      for (const auto& end : world.ended()) EXPECT_EQ(end.status, STATUS_OK);
      EXPECT_EQ(world.host_blocks(), blocks_moved);
      EXPECT_TRUE(world.buffer_is_free());
    }
  }
}

}  // namespace
}  // namespace headstack
