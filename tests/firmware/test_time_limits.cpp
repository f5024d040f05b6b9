// SPDX-License-Identifier: Apache-2.0
// Limits of commands' durations (SPC-5; firmware/transfer/time_limits.h), to the tick: the drive's
// core below a command layer that only lets tasks end. Units are of one tick here, where it
// matters.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "firmware/events.h"
#include "firmware/hal/formatter_hal.h"
#include "tests/firmware/service_world.hpp"

namespace headstack::test {
namespace {

using Tick = FakeSoc::Tick;
constexpr Tick kMillisecond = 40'000;

duration_limits limit_of(enum duration which, Tick ticks, enum duration_policy policy) {
  duration_limits limits{};
  limits.unit_ticks = ticks > 0xFFFF ? 1000 : 1;
  limits.value[which] = static_cast<std::uint16_t>(ticks / limits.unit_ticks);
  limits.policy[which] = static_cast<std::uint8_t>(policy);
  limits.number = 1;
  return limits;
}

/// A limit of exactly this many ticks.
duration_limits exactly(enum duration which, Tick ticks, enum duration_policy policy) {
  duration_limits limits = limit_of(which, 0, policy);
  limits.unit_ticks = static_cast<std::uint32_t>(ticks);
  limits.value[which] = 1;
  return limits;
}

/// The second of two tasks: its arrival, begin and end without limits.
struct Life {
  Tick arrived = 0, begun = 0, ended = 0;
};

class Scene {
 public:
  explicit Scene(const ServiceWorld::Options& options = {}) : world(design_by_hand(), options) {
    world.spin_up();
  }
  ::task* submit_second(const duration_limits* limits) {
    world.submit(TASK_VERIFY, 600, 3);
    life.arrived = world.soc().now();
    return second = world.submit(TASK_VERIFY, 205, 9, TASK_SIMPLE, 0, 0, limits);
  }
  Life live() {
    world.run();
    const auto chosen = world.traced(TRACE_TASK_CHOSEN);
    life.begun = chosen.back().tick;
    life.ended = world.ended().back().tick;
    return life;
  }
  ServiceWorld world;
  ::task* second = nullptr;
  Life life;
};

Life life_without_limits() {
  Scene scene;
  scene.submit_second(nullptr);
  return scene.live();
}

struct Edge {
  enum duration which;
  Tick from, to;      // of the life without limits
  Tick last_harmful;  // ticks of a limit that still acts
  enum status why;
};

// A limit acts up to a number of ticks; with one tick more, the task is done. A begin or end at the
// very tick of a limit is too late.
TEST(TimeLimits, ActAtTheirTick_AndNotOneBefore) {
  const Life life = life_without_limits();
  const Edge edges[] = {
      {DURATION_INACTIVE, life.arrived, life.begun, life.begun - life.arrived,
       STATUS_TIMED_OUT_WAITING},
      {DURATION_ACTIVE, life.begun, life.ended, life.ended - life.begun, STATUS_TIMED_OUT},
      {DURATION_TOTAL, life.arrived, life.ended, life.ended - life.arrived, STATUS_TIMED_OUT},
  };
  for (const Edge& edge : edges) {
    for (const Tick more : {Tick{0}, Tick{1}}) {
      SCOPED_TRACE(testing::Message() << edge.which << " + " << more);
      const Tick ticks = edge.last_harmful + more;
      const duration_limits limits = exactly(edge.which, ticks, DURATION_ABORT);
      Scene scene;
      scene.submit_second(&limits);
      scene.live();
      EXPECT_EQ(scene.world.expired().size(), 1 - more);
      if (more != 0) continue;
      EXPECT_EQ(scene.world.expired()[0].status, edge.why);
      EXPECT_EQ(scene.world.expired()[0].tick, edge.from + ticks);
      EXPECT_TRUE(scene.world.buffer_is_free());
    }
  }
}

// Total time runs from the arrival, whether processing has begun or not.
TEST(TimeLimits, TotalTime_BeforeProcessing_HasAnotherReason) {
  const Life life = life_without_limits();
  for (const Tick more : {Tick{0}, Tick{1}}) {
    const Tick ticks = life.begun - life.arrived - 1 + 2 * more;
    const duration_limits limits = exactly(DURATION_TOTAL, ticks, DURATION_ABORT);
    Scene scene;
    scene.submit_second(&limits);
    scene.live();
    ASSERT_EQ(scene.world.expired().size(), 1U);
    EXPECT_EQ(scene.world.expired()[0].status,
              more == 0 ? STATUS_TIMED_OUT_WAITING : STATUS_TIMED_OUT);
    EXPECT_EQ(scene.world.expired()[0].tick, life.arrived + ticks);
  }
}

// "Complete earliest" acts on nothing; where a limit of another kind acts, it is that one.
TEST(TimeLimits, CompleteEarliest_IsNoLimit) {
  duration_limits limits = limit_of(DURATION_TOTAL, 60'000, DURATION_ABORT);
  limits.value[DURATION_INACTIVE] = 1;
  limits.value[DURATION_ACTIVE] = 1;
  Scene scene;
  scene.submit_second(&limits);
  scene.live();
  ASSERT_EQ(scene.world.expired().size(), 1U);
  EXPECT_EQ(scene.world.expired()[0].tick, scene.life.arrived + 60'000);
}

TEST(TimeLimits, Unavailable_HasAStatusOfItsOwn) {
  for (const enum duration which : {DURATION_INACTIVE, DURATION_ACTIVE, DURATION_TOTAL}) {
    const duration_limits limits = limit_of(which, 1000, DURATION_COMPLETE_UNAVAILABLE);
    Scene scene;
    scene.submit_second(&limits);
    scene.live();
    ASSERT_EQ(scene.world.expired().size(), 1U);
    EXPECT_EQ(scene.world.expired()[0].status, STATUS_UNAVAILABLE);
  }
}

// Two limits at one tick act in the order inactive, active, total.
TEST(TimeLimits, OfTwoAtOnce_TheInactiveOneActs) {
  duration_limits limits = limit_of(DURATION_INACTIVE, 1000, DURATION_COMPLETE_UNAVAILABLE);
  limits.value[DURATION_TOTAL] = 1000;
  limits.policy[DURATION_TOTAL] = DURATION_ABORT;
  Scene scene;
  scene.submit_second(&limits);
  scene.live();
  ASSERT_EQ(scene.world.expired().size(), 1U);
  EXPECT_EQ(scene.world.expired()[0].status, STATUS_UNAVAILABLE);
}

// ---- units

// The widest limit is 9 hours: 65,535 times 500 ms. 25 ns are a tick.
TEST(TimeLimits, AreExactUpToTheLastOne) {
  for (const std::uint32_t unit_ticks : {20U, 40U, 400'000U, 20'000'000U}) {
    Scene scene;
    duration_limits limits{};
    limits.unit_ticks = unit_ticks;
    limits.value[DURATION_TOTAL] = 0xFFFF;
    limits.policy[DURATION_TOTAL] = DURATION_ABORT;
    scene.world.submit(TASK_VERIFY, 600, 3);
    const Tick arrived = scene.world.soc().now();
    scene.world.submit(TASK_VERIFY, 205, 9, TASK_SIMPLE, 0, 0, &limits);
    EXPECT_EQ(scene.world.core().time_limits.alarm.due, arrived + Tick{unit_ticks} * 0xFFFF);
    scene.live();
  }
}

// ---- other policies

/// Page T2A of initiator 0: total times in microseconds, by descriptor, with their policies.
void set_page(ServiceWorld& world, std::uint32_t number, std::uint16_t total_us,
              std::uint8_t policy) {
  std::uint8_t page[232];
  duration_page_put_current(&world.core().target.device.unit.durations[0], duration_page_find(0x07),
                            page);
  std::uint8_t* bytes = page + 8 + 32 * (number - 1);
  bytes[0] = 0x8;
  bytes[10] = static_cast<std::uint8_t>(total_us >> 8);
  bytes[11] = static_cast<std::uint8_t>(total_us);
  bytes[14] = policy;
  duration_page_set(&world.core().target.device.unit.durations[0], duration_page_find(0x07), page);
}

// The limits of the next descriptor count from the arrival, too.
TEST(TimeLimits, NextLimit_GoesFromDescriptorToDescriptor) {
  Scene scene;
  set_page(scene.world, 2, 200, DURATION_NEXT_LIMIT);
  set_page(scene.world, 3, 150, DURATION_NEXT_LIMIT);  // it has passed already by then
  set_page(scene.world, 4, 300, DURATION_ABORT);
  const duration_limits limits = limit_of(DURATION_TOTAL, 100 * 40, DURATION_NEXT_LIMIT);
  scene.submit_second(&limits);
  scene.live();
  ASSERT_EQ(scene.world.expired().size(), 1U);
  EXPECT_EQ(scene.world.expired()[0].tick, scene.life.arrived + 300 * 40);
  const auto passed = scene.world.traced(TRACE_LIMIT_PASSED);
  ASSERT_EQ(passed.size(), 4U);
  EXPECT_EQ(passed[1].tick, scene.life.arrived + 200 * 40);
  EXPECT_EQ(passed[2].tick, passed[1].tick);
}

TEST(TimeLimits, NextLimit_WithoutLimits_TheTaskContinues) {
  Scene scene;
  duration_limits limits = limit_of(DURATION_TOTAL, 4000, DURATION_NEXT_LIMIT);
  limits.value[DURATION_ACTIVE] = 1;
  limits.policy[DURATION_ACTIVE] = DURATION_ABORT;
  scene.submit_second(&limits);
  scene.live();
  EXPECT_EQ(scene.world.expired().size(), 0U);
  EXPECT_EQ(scene.world.core().time_limits.count, 0U);
}

// None of the command's limits is left.
TEST(TimeLimits, NoLimit_EndsTheOthersToo) {
  duration_limits limits = limit_of(DURATION_TOTAL, 4000, DURATION_NO_LIMIT);
  for (const enum duration which : {DURATION_INACTIVE, DURATION_ACTIVE}) {
    limits.value[which] = 4001;
    limits.policy[which] = DURATION_ABORT;
  }
  Scene scene;
  scene.submit_second(&limits);
  EXPECT_EQ(scene.world.core().time_limits.count, 1U);
  scene.live();
  EXPECT_EQ(scene.world.expired().size(), 0U);
}

// ---- error recovery

struct Recovery {
  const char* name;
  enum duration_policy policy;
  Tick ticks;                         // of active time
  std::vector<std::uint32_t> errors;  // of the first attempts
  bool expires;
  enum status why;
};

// The first sector comes within a revolution of 10 ms; a retry takes another revolution.
TEST(TimeLimits, AndTheRecoveryOfErrors) {
  const Recovery cases[] = {
      {"RecoveryAllowed",
       DURATION_ABORT_RECOVERY,
       60 * kMillisecond,
       {FORMATTER_ERROR_CHECK},
       false,
       STATUS_OK},
      {"ForbiddenBeforeTheError",
       DURATION_ABORT_RECOVERY,
       1,
       {FORMATTER_ERROR_CHECK},
       true,
       STATUS_TIMED_OUT_RECOVERING},
      {"ForbiddenWithoutAnError", DURATION_ABORT_RECOVERY, 1, {}, false, STATUS_OK},
      {"InTheMidstOfIt",
       DURATION_ABORT_RECOVERY,
       20 * kMillisecond,
       {FORMATTER_ERROR_CHECK, FORMATTER_ERROR_CHECK},
       true,
       STATUS_TIMED_OUT_RECOVERING},
      {"AbortInTheMidstOfIt",
       DURATION_ABORT,
       20 * kMillisecond,
       {FORMATTER_ERROR_CHECK, FORMATTER_ERROR_CHECK},
       true,
       STATUS_TIMED_OUT_RECOVERING},
      {"AbortBeforeIt", DURATION_ABORT, 1, {FORMATTER_ERROR_CHECK}, true, STATUS_TIMED_OUT},
  };
  for (const Recovery& c : cases) {
    for (const enum task_operation operation : {TASK_READ, TASK_WRITE, TASK_VERIFY}) {
      SCOPED_TRACE(testing::Message() << c.name << " " << operation);
      ServiceWorld world(design_by_hand());
      world.spin_up();
      world.soc().fail_sectors(c.errors);
      const duration_limits limits = limit_of(DURATION_ACTIVE, c.ticks, c.policy);
      world.submit(operation, 205, 3, TASK_SIMPLE, 0, 0, &limits);
      world.run();
      ASSERT_EQ(world.expired().size(), c.expires ? 1U : 0U);
      if (c.expires) {
        EXPECT_EQ(world.expired()[0].status, c.why);
      }
      EXPECT_TRUE(world.buffer_is_free());
      EXPECT_EQ(world.core().time_limits.count, 0U);
    }
  }
}

// ---- at any time

/// Whether a sector has its old content after a write, or the content of this write.
bool is_old_or_new(FakeSoc::Content now, FakeSoc::Content old, std::uint32_t lba) {
  return now == old || (now >> 63 == 1 && (now & 0xFFFFFFFF) == lba);
}

// A task that ends at any moment of its life ends once, and leaves nothing: no segment, no record,
// no torn block. The next one is served.
TEST(TimeLimits, AtAnyTime_NothingIsLeft) {
  for (const enum task_operation operation : {TASK_READ, TASK_WRITE, TASK_VERIFY}) {
    std::size_t expired = 0;
    for (Tick ticks = 1; ticks < 80 * kMillisecond; ticks += 997 * 4) {
      SCOPED_TRACE(testing::Message() << operation << " " << ticks);
      ServiceWorld world(design_by_hand());
      world.spin_up();
      std::vector<FakeSoc::Content> old;
      for (std::uint32_t lba = 205; lba < 214; ++lba) old.push_back(world.soc().media(lba));
      world.submit(TASK_READ, 600, 3);
      const duration_limits limits = exactly(DURATION_TOTAL, ticks, DURATION_ABORT);
      world.submit(operation, 205, 9, TASK_SIMPLE, 0, 0, &limits);
      world.submit(TASK_WRITE, 300, 4);
      world.run();
      expired += world.expired().size();
      ASSERT_EQ(world.ended().back().status, STATUS_OK);
      ASSERT_TRUE(world.buffer_is_free());
      ASSERT_EQ(world.core().tasks.count, 0U);
      ASSERT_EQ(world.core().time_limits.count, 0U);
      for (std::uint32_t lba = 205; lba < 214; ++lba) {
        ASSERT_TRUE(is_old_or_new(world.soc().media(lba), old[lba - 205], lba));
      }
    }
    EXPECT_GT(expired, 50U);
  }
}

// Many limits at a time pass each at its own tick, in order, whatever ends meanwhile.
TEST(TimeLimits, OfManyTasks_PassInTheirOrder) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    ServiceWorld world(design_by_hand());
    world.spin_up();
    std::map<std::uint32_t, Tick> due;  // by the task's block
    for (std::uint32_t i = 0; i < 200; ++i) {
      const std::uint32_t lba = 3 * i;
      const Tick ticks = 1 + random() % (400 * kMillisecond);
      const duration_limits limits = exactly(DURATION_INACTIVE, ticks, DURATION_ABORT);
      due[lba] = world.soc().now() + ticks;
      world.submit(TASK_VERIFY, lba, 1, TASK_SIMPLE, 0, 0, &limits);
      if (i % 8 == 0) world.run_until(world.soc().now() + random() % kMillisecond);
    }
    world.run();
    EXPECT_GT(world.expired().size(), 50U);
    EXPECT_GT(world.ended().size(), 10U);
    EXPECT_EQ(world.expired().size() + world.ended().size(), 200U);
    Tick last = 0;
    for (const ServiceWorld::Ended& expired : world.expired()) {
      EXPECT_EQ(expired.tick, due[expired.lba]);
      EXPECT_GE(expired.tick, last);
      last = expired.tick;
    }
    EXPECT_EQ(world.core().time_limits.count, 0U);
  }
}

// There are as many limits as records; a released one serves the next.
TEST(TimeLimits, HaveRoomForSoMany) {
  ServiceWorld world(design_by_hand());
  struct time_limits& limits = world.core().time_limits;
  const duration_limits values = limit_of(DURATION_TOTAL, 1000, DURATION_ABORT);
  std::vector<::task*> tasks;
  for (std::uint32_t i = 0; i < TIME_LIMITS_CAPACITY; ++i) {
    tasks.push_back(task_set_allocate(&world.core().tasks));
    ASSERT_TRUE(time_limits_add(&limits, tasks.back(), &values, 5000 - i));
  }
  ::task* one_more = task_set_allocate(&world.core().tasks);
  EXPECT_FALSE(time_limits_add(&limits, one_more, &values, 1));
  EXPECT_EQ(one_more->time_limit, 0U);
  EXPECT_EQ(limits.alarm.due, 5000 - TIME_LIMITS_CAPACITY + 1 + 1000);
  time_limits_remove(&limits, tasks.back(), 0);
  EXPECT_EQ(limits.alarm.due, 5000 - TIME_LIMITS_CAPACITY + 2 + 1000);
  EXPECT_TRUE(time_limits_add(&limits, one_more, &values, 1));
  EXPECT_EQ(limits.alarm.due, 1001U);
}

// ---- counts (log pages 19h/21h and 30h)

std::vector<std::uint32_t> counts_of(ServiceWorld& world, bool writes, unsigned number) {
  std::vector<std::uint32_t> counts;
  for (unsigned tally = 0; tally < TALLY_COUNT; ++tally) {
    counts.push_back(duration_counts_get(&world.core().target.device.unit.duration_counts[0],
                                         writes, number, static_cast<duration_tally>(tally)));
  }
  return counts;
}

/// Tallies that are all 0, except these, which are 1.
std::vector<std::uint32_t> only(std::initializer_list<duration_tally> tallies) {
  std::vector<std::uint32_t> counts(TALLY_COUNT);
  for (const duration_tally tally : tallies) counts[tally] = 1;
  return counts;
}

// Each limit at the tick at which it expires, which counts, and a tick after the end of what it
// limits, which does not. With a policy that acts, its action counts, too.
TEST(TimeLimits, AreCounted_AtTheirTick) {
  const Life life = life_without_limits();
  struct Case {
    enum duration which;
    Tick ticks;
    duration_tally passed, aborted;
  };
  const Case cases[] = {
      {DURATION_INACTIVE, life.begun - life.arrived, TALLY_INACTIVE_PASSED, TALLY_ABORTED_WAITING},
      {DURATION_ACTIVE, life.ended - life.begun, TALLY_ACTIVE_PASSED, TALLY_ABORTED},
      {DURATION_TOTAL, life.ended - life.arrived, TALLY_TOTAL_PASSED, TALLY_ABORTED},
  };
  for (const Case& c : cases) {
    for (const enum duration_policy policy : {DURATION_COMPLETE_EARLIEST, DURATION_ABORT}) {
      for (const Tick more : {Tick{0}, Tick{1}}) {
        SCOPED_TRACE(testing::Message() << c.which << ", policy " << policy << " + " << more);
        const duration_limits limits = exactly(c.which, c.ticks + more, policy);
        Scene scene;
        scene.submit_second(&limits);
        const Life lived = scene.live();
        if (policy == DURATION_COMPLETE_EARLIEST) {
          EXPECT_EQ(lived.ended, life.ended) << "a limit that does nothing changes nothing";
        }
        const auto expected = more != 0                  ? only({})
                              : policy == DURATION_ABORT ? only({c.passed, c.aborted})
                                                         : only({c.passed});
        EXPECT_EQ(counts_of(scene.world, false, 1), expected);
        EXPECT_EQ(counts_of(scene.world, true, 1), only({}));
        EXPECT_EQ(counts_of(scene.world, false, 2), only({}));
      }
    }
  }
}

// All three limits of one descriptor pass, each once.
TEST(TimeLimits, EveryLimitThatPassesCountsOnce) {
  duration_limits limits{};
  limits.unit_ticks = limits.value[0] = limits.value[1] = limits.value[2] = 1;
  limits.number = 7;
  Scene scene;
  scene.submit_second(&limits);
  scene.live();
  EXPECT_EQ(counts_of(scene.world, false, 7),
            only({TALLY_INACTIVE_PASSED, TALLY_ACTIVE_PASSED, TALLY_TOTAL_PASSED}));
  EXPECT_EQ(scene.world.core().time_limits.count, 0U);
}

TEST(TimeLimits, ActionsOfLimits_AreCounted) {
  const std::pair<enum duration_policy, std::vector<std::uint32_t>> cases[] = {
      {DURATION_NO_LIMIT, only({TALLY_TOTAL_PASSED, TALLY_NO_LIMIT})},
      {DURATION_NEXT_LIMIT, only({TALLY_TOTAL_PASSED, TALLY_NEXT_LIMIT})},
      {DURATION_COMPLETE_UNAVAILABLE, only({TALLY_TOTAL_PASSED, TALLY_UNAVAILABLE})},
      {DURATION_ABORT, only({TALLY_TOTAL_PASSED, TALLY_ABORTED_WAITING})},
  };
  for (const auto& [policy, expected] : cases) {
    const duration_limits limits = exactly(DURATION_TOTAL, 10, policy);
    Scene scene;
    scene.submit_second(&limits);
    scene.live();
    EXPECT_EQ(counts_of(scene.world, false, 1), expected) << policy;
  }
}

// Limits that do nothing leave half of the records to those that act.
TEST(TimeLimits, LimitsThatDoNothing_LeaveRoomForOthers) {
  ServiceWorld world(design_by_hand());
  struct time_limits& limits = world.core().time_limits;
  const duration_limits idle = limit_of(DURATION_TOTAL, 1000, DURATION_COMPLETE_EARLIEST);
  const duration_limits acting = limit_of(DURATION_TOTAL, 1000, DURATION_ABORT);
  for (std::uint32_t i = 0; i < TIME_LIMITS_CAPACITY; ++i) {
    ::task* task = task_set_allocate(&world.core().tasks);
    ASSERT_TRUE(time_limits_add(&limits, task, &idle, i));
    EXPECT_EQ(task->time_limit != 0, i < TIME_LIMITS_CAPACITY / 2);
  }
  EXPECT_EQ(counts_of(world, false, 1)[TALLY_UNWATCHED],
            TIME_LIMITS_CAPACITY - TIME_LIMITS_CAPACITY / 2);
  EXPECT_EQ(limits.alarm.due, TIME_TICK_NEVER);
  for (std::uint32_t i = TIME_LIMITS_CAPACITY / 2; i < TIME_LIMITS_CAPACITY; ++i) {
    ASSERT_TRUE(time_limits_add(&limits, task_set_allocate(&world.core().tasks), &acting, i));
  }
  EXPECT_FALSE(time_limits_add(&limits, task_set_allocate(&world.core().tasks), &acting, 1));
}

// ---- service times (log page 32h)

// Half octaves of 102.4 us, by what the header says of the first bins and the last.
TEST(ServiceTimes, BinsAreHalfOctaves) {
  const std::uint32_t edges[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48};
  for (std::uint32_t bin = 1; bin < std::size(edges); ++bin) {
    EXPECT_EQ(service_times_bin(edges[bin] * 4096), bin);
    EXPECT_EQ(service_times_bin(edges[bin] * 4096 - 1), bin - 1);
  }
  EXPECT_EQ(service_times_bin(2048U * 4096), SERVICE_TIMES_BINS - 1) << "209.7 ms";
  EXPECT_EQ(service_times_bin(2048U * 4096 - 1), SERVICE_TIMES_BINS - 2);
  EXPECT_EQ(service_times_bin(UINT32_MAX), SERVICE_TIMES_BINS - 1);
  for (std::uint32_t bin = 0, units = 0; units < 1U << 20; ++units) {
    const std::uint32_t next = service_times_bin(units << 12);
    EXPECT_TRUE(next == bin || next == bin + 1) << units;
    bin = next;
  }
}

// Each command of the media counts in the row of its kind, in the bin of the time from its choice
// to its end.
TEST(ServiceTimes, AreThoseOfTheMedia) {
  Scene scene;
  scene.submit_second(nullptr);
  const Life life = scene.live();
  const service_times& times = scene.world.core().service_times;
  std::uint32_t count = 0;
  for (const auto& row : times.count) {
    for (const std::uint32_t bin : row) count += bin;
  }
  EXPECT_EQ(count, 2U);
  const auto ticks = static_cast<std::uint32_t>(life.ended - life.begun);
  EXPECT_GE(times.count[1][service_times_bin(ticks)], 1U) << "best effort";
}

// A cache serves a read at once: that is the beginning of its processing.
TEST(TimeLimits, Hit_CountsAsBegun) {
  ServiceWorld::Options options;
  options.caching = {true, false, 2, 32, 16, 0xFFFF, 0, false};
  options.host_block_ticks = 20'000;
  ServiceWorld world(design_by_hand(), options);
  world.spin_up();
  world.submit(TASK_READ, 100, 8);
  world.run();
  const duration_limits waiting = exactly(DURATION_INACTIVE, 1, DURATION_ABORT);
  world.submit(TASK_READ, 100, 8, TASK_SIMPLE, 0, 0, &waiting);
  world.run();
  EXPECT_EQ(world.expired().size(), 0U);
  const duration_limits working = exactly(DURATION_ACTIVE, 30'000, DURATION_ABORT);
  const Tick arrived = world.soc().now();
  world.submit(TASK_READ, 100, 8, TASK_SIMPLE, 0, 0, &working);
  world.run();
  ASSERT_EQ(world.expired().size(), 1U);
  EXPECT_EQ(world.expired()[0].status, STATUS_TIMED_OUT);
  EXPECT_EQ(world.expired()[0].tick, arrived + 30'000);
}

}  // namespace
}  // namespace headstack::test
