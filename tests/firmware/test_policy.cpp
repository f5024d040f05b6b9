// SPDX-License-Identifier: Apache-2.0
// Policies against straightforward copies of their definitions; the scheduler's plans against
// choices made afresh.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "firmware/queue/policy_table.h"
#include "firmware/queue/scheduler.h"
#include "sim/mechanics/access.hpp"
#include "tests/firmware/support.hpp"

namespace headstack {
namespace {

constexpr std::uint32_t kSeed = 31337;
constexpr Picoseconds kTick = 25'000;
constexpr time_tick kLongBefore = 0;  // a search begun then is over when the heads are free

/// One waiting request, for the simulator's price and for the firmware.
struct Waiting {
  std::uint32_t lba = 0;
  std::uint32_t blocks = 1;
  bool is_write = false;
  ::candidate candidate{};
};

/// Takes the next candidate, as service.c does when the heads are free.
::candidate* take(::scheduler& scheduler, ::head_state* head) {
  ::candidate* planned = scheduler_take_planned(&scheduler, head);
  return planned != nullptr ? planned : scheduler_take_best(&scheduler, head);
}

class Queue {
 public:
  explicit Queue(const drive::Design& design)
      : truth(design), table(test::firmware_design(design)) {
    rotation_init(&rotation, table.get());
    predictor_init(&predictor, table.get(), &rotation, 0);
    scheduler_init(&scheduler, &list, &predictor, store.get());
    candidate_set_init(&list, table->band_shift);
  }

  /// Appends the youngest request.
  void append(Waiting& item) {
    item.candidate.sequence = next_sequence++;
    candidate_set_append(&list, &item.candidate);
  }

  void fill(std::mt19937& random, std::size_t count) {
    candidate_set_init(&list, table->band_shift);
    waiting.assign(count, {});
    for (Waiting& item : waiting) {
      item.blocks = static_cast<std::uint32_t>(1 + random() % 16);
      item.lba = static_cast<std::uint32_t>(random() % (table->capacity_blocks - item.blocks));
      item.is_write = random() % 2 != 0;
      const enum status status =
          predictor_place(&predictor, item.lba, item.blocks, item.is_write, &item.candidate);
      ASSERT_EQ(status, STATUS_OK);
      append(item);
    }
    start.time = static_cast<Picoseconds>(random()) * kTick;
    start.cylinder = static_cast<std::uint32_t>(random() % table->cylinders);
    start.head = static_cast<std::uint32_t>(random() % table->heads);
  }

  ::head_state head() const {
    const auto tick = static_cast<time_tick>(start.time / kTick);
    return {tick, start.cylinder, start.head, rotation_angle_turn32(&rotation, tick),
            0,    start.at_writer};
  }

  std::size_t choose(std::uint32_t policy) {
    EXPECT_EQ(test::select(scheduler, policy), STATUS_OK);
    const ::head_state at = head();
    scheduler_plan(&scheduler, &at, kLongBefore);
    const ::candidate* chosen = scheduler_planned(&scheduler);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (&waiting[i].candidate == chosen) return i;
    }
    ADD_FAILURE() << "chose nobody";
    return 0;
  }

  Picoseconds access_time(const Waiting& item) const {
    return truth.access_time(start, item.lba, item.blocks, item.is_write);
  }

  std::uint32_t next_sequence = UINT32_MAX - 5;  // wraps on the way
  mechanics::AccessModel truth;
  std::unique_ptr<::drive_design> table;
  ::rotation rotation{};
  ::predictor predictor{};
  ::scheduler scheduler{};
  std::unique_ptr<::policy_store> store = std::make_unique<::policy_store>();
  ::candidate_set list{};
  std::vector<Waiting> waiting;
  mechanics::AccessStart start;
};

TEST(PolicyTable, NumbersAndNames_AreUnique) {
  std::set<std::string> names;
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy* policy = policy_row(row);
    EXPECT_EQ(policy_by_number(policy->number), policy);
    EXPECT_TRUE(names.insert(policy->name).second) << policy->name;
    EXPECT_LE(policy->state_bytes, POLICY_STATE_BYTES_MAX);
  }
  EXPECT_EQ(policy_row(policy_count()), nullptr);
  EXPECT_EQ(policy_by_number(255), nullptr);
}

class PolicyOnEveryDrive : public testing::TestWithParam<const char*> {
 protected:
  Queue queue_{test::shipped(GetParam()).design};
};

// fcfs serves the oldest.
TEST_P(PolicyOnEveryDrive, Fcfs_IsTheOldest) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 1000; ++i) {
    queue_.fill(random, 1 + random() % 64);
    ASSERT_EQ(queue_.choose(0), 0U);
  }
}

// Least abs(cylinder - c); ties to the oldest.
TEST_P(PolicyOnEveryDrive, Sstf_IsTheNearestCylinder_OldestFirst) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    queue_.fill(random, 1 + random() % 64);
    std::size_t best = 0;
    std::int64_t least = INT64_MAX;
    for (std::size_t k = 0; k < queue_.waiting.size(); ++k) {
      const auto cylinder = queue_.truth.geometry().locate(queue_.waiting[k].lba).cylinder;
      const std::int64_t distance =
          std::abs(std::int64_t{cylinder} - std::int64_t{queue_.start.cylinder});
      if (distance < least) least = distance, best = k;
    }
    ASSERT_EQ(queue_.choose(1), best) << "queue " << i << " seed " << kSeed;
  }
}

// Least access(r), by the mechanics' own times. Two that are closer than the predictor's rounding
// may change places; each of the at most two stretches of 16 blocks rounds once.
TEST_P(PolicyOnEveryDrive, Stf_IsTheShortestAccess) {
  const double turn24_ps = queue_.truth.rotation().period_ms() * 1e9 / 16'777'216.0;
  const double bound_ps = 3 * PREDICTOR_EARLY_TURN24 * turn24_ps;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    queue_.fill(random, 1 + random() % 64);
    Picoseconds least = INT64_MAX;
    for (const Waiting& item : queue_.waiting) least = std::min(least, queue_.access_time(item));
    const Picoseconds chosen = queue_.access_time(queue_.waiting[queue_.choose(2)]);
    ASSERT_LE(static_cast<double>(chosen - least), bound_ps) << "queue " << i << " seed " << kSeed;
  }
}

// A search that stops early chooses as one that does not, with queues up to the drive's own limit.
TEST_P(PolicyOnEveryDrive, Stf_StopsEarly_AndChoosesAsIfItDidNot) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 200; ++i) {
    queue_.fill(random, i % 10 == 0 ? 5120 : 1 + random() % 1000);
    const std::uint32_t fetched = random() % 2;
    for (Waiting& item : queue_.waiting) {
      if (item.is_write && fetched != 0) item.candidate.kind = CANDIDATE_WRITE;
    }
    ::head_state head = queue_.head();
    head.data_tick = head.at_tick + random() % 400'000;
    ::pricing pricing{};
    predictor_begin(&queue_.predictor, &head, &pricing);
    const ::candidate* best = nullptr;
    for (const ::candidate* item = queue_.list.first; item != nullptr; item = item->next) {
      if (best == nullptr ||
          pricing_access_turn24(&pricing, item) < pricing_access_turn24(&pricing, best)) {
        best = item;
      }
    }
    ::policy_view view{&queue_.list, &queue_.predictor, &head, 0, nullptr, false};
    // The state is that of a selection without a flag.
    alignas(8) const std::uint8_t state[POLICY_STATE_BYTES_MAX]{};
    ASSERT_EQ(policy_stf.which_next(state, &view), best) << "queue " << i << " seed " << kSeed;
    ASSERT_LE(view.looked_at, queue_.list.count);
  }
}

INSTANTIATE_TEST_SUITE_P(Policy, PolicyOnEveryDrive,
                         testing::Values("eagle", "cheetah_9lp", "hp_c2247a", "abstract_1000_track",
                                         "zoned_179mb"),
                         test::case_name<const char*>);

TEST(Policy, EqualAccesses_GoToTheOldest) {
  Queue queue(test::small_design());
  queue.waiting.resize(5);
  for (Waiting& item : queue.waiting) {
    item.candidate.cylinder = 2;
    item.candidate.head = 1;
    item.candidate.angle_turn32 = 77;
    item.candidate.span_turn24 = 5;
    item.candidate.kind = CANDIDATE_READ;
    queue.append(item);
  }
  for (const std::uint32_t policy : {0U, 1U, 2U}) EXPECT_EQ(queue.choose(policy), 0U);
}

// The Eagle's 240-cylinder seek is shorter than its 239-cylinder one: sstf goes by distance, and
// stf must not stop at the nearer cylinder.
TEST(Policy, NonMonotonicCurve_IsSearchedToItsEnd) {
  Queue queue(test::shipped("eagle").design);
  const std::uint32_t per_cylinder = 20 * 67;
  queue.waiting.assign(2, {});
  queue.waiting[0].lba = 239 * per_cylinder;
  queue.waiting[1].lba = 240 * per_cylinder;
  for (Waiting& item : queue.waiting) {
    ASSERT_EQ(predictor_place(&queue.predictor, item.lba, 1, false, &item.candidate), STATUS_OK);
    queue.append(item);
  }
  // 18.05 ms = 4.6 + 0.87 sqrt(239) against 18.028 = 18 + 0.028: sector 0 begins between the two.
  const double turn_ms = queue.truth.rotation().period_ms();
  queue.start = {};
  const double pass_ms = 18.039;
  queue.start.time = from_ms(2 * turn_ms - pass_ms) / kTick * kTick;
  EXPECT_EQ(queue.choose(1), 0U);
  EXPECT_EQ(queue.choose(2), 1U);
}

// ------------------------------------------------------------------------------------- scheduler

// A plan made early, then arrivals and departures: the same choice as a search when all is known.
TEST(Scheduler, PlanWithArrivals_IsTheChoiceOfAFreshSearch) {
  Queue queue(test::shipped("cheetah_9lp").design);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    queue.fill(random, 2 + random() % 40);
    const std::uint32_t policy = i % 3;
    const std::size_t early = 1 + random() % (queue.waiting.size() - 1);
    candidate_set_init(&queue.list, queue.table->band_shift);
    ASSERT_EQ(test::select(queue.scheduler, policy), STATUS_OK);
    ::head_state head = queue.head();
    for (std::size_t k = 0; k < queue.waiting.size(); ++k) {
      if (k == early) scheduler_plan(&queue.scheduler, &head, kLongBefore);
      queue.append(queue.waiting[k]);
      scheduler_task_arrived(&queue.scheduler, &queue.waiting[k].candidate, 0);
    }
    const ::candidate* chosen = take(queue.scheduler, &head);
    ASSERT_EQ(queue.list.count, queue.waiting.size());
    ASSERT_EQ(chosen, &queue.waiting[queue.choose(policy)].candidate) << i << " seed " << kSeed;
  }
}

// Of two writes on the track under the heads, the nearer one lacks data, which would come too late.
// The farther one is planned, until the data have come.
TEST(Scheduler, DataThatArrive_AreComparedWithThePlan) {
  Queue queue(test::small_design());
  ASSERT_EQ(test::select(queue.scheduler, 2), STATUS_OK);
  queue.waiting.resize(2);
  ::candidate& far = queue.waiting[0].candidate;
  ::candidate& near = queue.waiting[1].candidate;
  ASSERT_EQ(predictor_place(&queue.predictor, 7, 1, true, &far), STATUS_OK);
  ASSERT_EQ(predictor_place(&queue.predictor, 3, 1, true, &near), STATUS_OK);
  far.kind = CANDIDATE_WRITE;
  queue.append(queue.waiting[0]);
  ::head_state head{0, 0, 0, 0, 200'000, false};  // sector 3 begins at 120,000, sector 7 at 280,000
  scheduler_plan(&queue.scheduler, &head, kLongBefore);
  queue.append(queue.waiting[1]);
  scheduler_task_arrived(&queue.scheduler, &near, 200'000);
  EXPECT_EQ(scheduler_planned(&queue.scheduler), &far);
  near.kind = CANDIDATE_WRITE;
  scheduler_data_arrived(&queue.scheduler, &near);
  EXPECT_EQ(scheduler_planned(&queue.scheduler), &near);
  scheduler_data_arrived(&queue.scheduler, &far);
  EXPECT_EQ(scheduler_planned(&queue.scheduler), &near) << "nothing better has come";
}

// The time of an arrival's data counts from the arrival.
TEST(Scheduler, ArrivalWhoseDataComeInTime_BeatsThePlan) {
  for (const time_tick data_tick : {119'990U, 120'010U}) {
    Queue queue(test::small_design());
    ASSERT_EQ(test::select(queue.scheduler, 2), STATUS_OK);
    queue.waiting.resize(2);
    ::candidate& far = queue.waiting[0].candidate;
    ::candidate& near = queue.waiting[1].candidate;
    ASSERT_EQ(predictor_place(&queue.predictor, 7, 1, false, &far), STATUS_OK);
    ASSERT_EQ(predictor_place(&queue.predictor, 3, 1, true, &near), STATUS_OK);
    queue.append(queue.waiting[0]);
    const ::head_state head{0, 0, 0, 0, 0, false};
    scheduler_plan(&queue.scheduler, &head, kLongBefore);
    queue.append(queue.waiting[1]);
    scheduler_task_arrived(&queue.scheduler, &near, data_tick);
    EXPECT_EQ(scheduler_planned(&queue.scheduler) == &near, data_tick < 120'000) << data_tick;
  }
}

// A choice from work prepared before an arrival, a departure or new data is that of a search.
TEST(Scheduler, PreparedChoice_EqualsThePlanOfASearch) {
  std::mt19937 random(kSeed);
  enum Change { kNone, kArrival, kLeaving, kData, kChanges };
  for (int i = 0; i < 400; ++i) {
    Queue queue(test::small_design());
    auto work = std::make_unique<::policy_work>();
    queue.fill(random, 3 + random() % 40);
    ASSERT_EQ(test::select(queue.scheduler, POLICY_NUMBER_stfd), STATUS_OK);
    ::candidate& last = queue.waiting.back().candidate;
    ::head_state head = queue.head();
    head.data_tick = head.at_tick + 300'000;
    const auto change = static_cast<Change>(i % kChanges);
    if (change == kArrival) candidate_set_remove(&queue.list, &last);
    bool data_came = false;
    EXPECT_FALSE(scheduler_can_prepare(&queue.scheduler)) << "no room";
    scheduler_lend_work(&queue.scheduler, work.get());
    ASSERT_TRUE(scheduler_can_prepare(&queue.scheduler));
    scheduler_prepare(&queue.scheduler, &head);
    while (scheduler_prepares(&queue.scheduler)) scheduler_prepare_step(&queue.scheduler);
    switch (change) {
      case kArrival: candidate_set_append(&queue.list, &last); break;
      case kLeaving: {
        ::candidate& chosen = queue.waiting[random() % 3].candidate;
        candidate_set_remove(&queue.list, &chosen);
        scheduler_task_left(&queue.scheduler, &chosen);
        break;
      }
      case kData:
        for (Waiting& item : queue.waiting) {
          if (!item.is_write || random() % 2 != 0) continue;
          item.candidate.kind = CANDIDATE_WRITE;
          data_came = true;
          scheduler_data_arrived(&queue.scheduler, &item.candidate);
        }
        break;
      default: break;
    }
    const bool is_prepared = scheduler_is_prepared(&queue.scheduler, &head, kLongBefore);
    EXPECT_EQ(is_prepared, !data_came) << "that begins anew";
    is_prepared ? scheduler_plan_prepared(&queue.scheduler)
                : scheduler_plan(&queue.scheduler, &head, kLongBefore);
    const ::candidate* planned = scheduler_planned(&queue.scheduler);
    ::policy_view view = {&queue.list, &queue.predictor, &head, 0, nullptr, false};
    EXPECT_EQ(planned, policy_stfd.which_next(queue.scheduler.state.bytes, &view)) << i;
  }
}

// small_design() turns in 10 ms: a turn later an access takes the same time. The plan stands if a
// search takes long; otherwise it is made again.
TEST(Scheduler, PlanForATurnLater_StandsWhereASearchIsPrepared) {
  for (const std::uint32_t policy : {POLICY_NUMBER_stfd, POLICY_NUMBER_stf}) {
    for (const std::uint32_t off : {0U, SCHEDULER_PLAN_TOLERANCE_TICKS + 1}) {
      Queue queue(test::small_design());
      auto work = std::make_unique<::policy_work>();
      std::mt19937 random(kSeed);
      queue.fill(random, 2);
      scheduler_lend_work(&queue.scheduler, work.get());
      ASSERT_EQ(test::select(queue.scheduler, policy), STATUS_OK);
      ::head_state head = queue.head();
      head.at_tick += 10'000'000;
      scheduler_plan(&queue.scheduler, &head, kLongBefore);
      head.at_tick -= 400'000 - off;
      const bool stands = scheduler_take_planned(&queue.scheduler, &head) != nullptr;
      EXPECT_EQ(stands, policy == POLICY_NUMBER_stfd && off == 0) << policy << ' ' << off;
    }
  }
}

TEST(Scheduler, PlannedTaskThatLeaves_IsReplaced) {
  Queue queue(test::small_design());
  std::mt19937 random(kSeed);
  queue.fill(random, 3);
  ::head_state head = queue.head();
  scheduler_plan(&queue.scheduler, &head, kLongBefore);
  ASSERT_EQ(scheduler_planned(&queue.scheduler), &queue.waiting[0].candidate);
  candidate_set_remove(&queue.list, &queue.waiting[0].candidate);
  scheduler_task_left(&queue.scheduler, &queue.waiting[0].candidate);
  EXPECT_EQ(scheduler_planned(&queue.scheduler), nullptr);
  EXPECT_EQ(take(queue.scheduler, &head), &queue.waiting[1].candidate);
}

// No other waiting candidate is known to be the best, so an arrival does not become the plan,
// however bad the others are.
TEST(Scheduler, ArrivalAfterAPlannedTaskThatLeft_IsNoPlan) {
  Queue queue(test::small_design());
  std::mt19937 random(kSeed);
  queue.fill(random, 3);
  ::candidate& late = queue.waiting[2].candidate;
  candidate_set_remove(&queue.list, &late);
  ::head_state head = queue.head();
  scheduler_plan(&queue.scheduler, &head, kLongBefore);
  candidate_set_remove(&queue.list, &queue.waiting[0].candidate);
  scheduler_task_left(&queue.scheduler, &queue.waiting[0].candidate);
  candidate_set_append(&queue.list, &late);
  scheduler_task_arrived(&queue.scheduler, &late, 0);
  EXPECT_EQ(scheduler_planned(&queue.scheduler), nullptr);
  EXPECT_EQ(take(queue.scheduler, &head), &queue.waiting[1].candidate) << "fcfs";
}

// The heads are free just inside and just outside the tolerance, earlier and later, and on another
// track.
TEST(Scheduler, PlanHolds_WhileTheHeadsAreFreeWhereAndWhenAssumed) {
  Queue queue(test::shipped("eagle").design);
  queue.predictor.margin_tick = 40;  // any that is not 0
  std::mt19937 random(kSeed);
  queue.fill(random, 20);
  ASSERT_EQ(test::select(queue.scheduler, 2), STATUS_OK);
  const ::head_state head{1'000'000, 400, 3, 0, 0, false};
  scheduler_plan(&queue.scheduler, &head, kLongBefore);
  ::candidate* best = scheduler_planned(&queue.scheduler);
  ::candidate* other = best == queue.list.first ? queue.list.last : queue.list.first;
  const auto taken = [&](std::int64_t later, std::uint32_t cylinder, std::uint32_t track_head) {
    queue.scheduler.planned = other;  // a plan that a search would not make
    queue.scheduler.looks_expected = 20;
    ::head_state now = head;
    now.at_tick += static_cast<time_tick>(later);
    now.cylinder = cylinder;
    now.head = track_head;
    return take(queue.scheduler, &now) == other;
  };
  EXPECT_TRUE(taken(0, 400, 3));
  EXPECT_TRUE(taken(SCHEDULER_PLAN_TOLERANCE_TICKS, 400, 3));
  EXPECT_FALSE(taken(SCHEDULER_PLAN_TOLERANCE_TICKS + 1, 400, 3));
  // The tolerance includes the time of a search of 20: a better plan would come no sooner.
  const std::int64_t early = SCHEDULER_PLAN_TOLERANCE_TICKS + 20 * policy_stf.candidate_ticks;
  EXPECT_TRUE(taken(-early, 400, 3));
  EXPECT_FALSE(taken(-early - 1, 400, 3));
  EXPECT_FALSE(taken(0, 401, 3));
  EXPECT_FALSE(taken(0, 400, 4));
}

// scheduler.c, comes_too_late(): from the choice on the arm needs half of the margin. A plan whose
// heads are free `late` ticks ago stands as long as its sector is not lost by that:
//
//     late + margin / 2 <= margin + wait
//
// where `wait` is what the plan expects between the arm's arrival and the sector.
TEST(Scheduler, LatePlan_StandsUnlessItsSectorIsLost) {
  Queue queue(test::shipped("cheetah_9lp").design);
  constexpr std::uint32_t kMarginTick = 2400;
  constexpr std::uint32_t kRoundingTicks = 8;  // of angles to 2^-24 turns, twice
  queue.predictor.margin_tick = kMarginTick;
  std::mt19937 random(kSeed);
  ASSERT_EQ(test::select(queue.scheduler, POLICY_NUMBER_stf), STATUS_OK);
  int lost = 0;
  int stood = 0;
  for (int i = 0; i < 3000; ++i) {
    queue.fill(random, 400);  // so many that the best one is often just caught
    const ::head_state head = queue.head();
    scheduler_plan(&queue.scheduler, &head, kLongBefore);
    const ::head_state from = queue.scheduler.planned_from;
    ::candidate* planned = scheduler_planned(&queue.scheduler);
    const std::uint32_t wait = static_cast<std::uint32_t>(
        predictor_access_end(&queue.predictor, &from, planned) - from.at_tick - kMarginTick -
        predictor_arrival_ticks(&queue.predictor, &from, planned) -
        rotation_ticks(&queue.rotation, planned->span_turn24));
    const auto late = static_cast<std::uint32_t>(random() % (SCHEDULER_PLAN_TOLERANCE_TICKS + 1));
    ::head_state now = from;
    now.at_tick += late;
    now.angle_turn32 += rotation_turn24(&queue.rotation, late) << 8;
    const std::uint32_t room = kMarginTick / 2 + wait;
    if (late + kRoundingTicks > room && late < room + kRoundingTicks) continue;
    const bool stands = scheduler_take_planned(&queue.scheduler, &now) == planned;
    EXPECT_EQ(stands, late <= room) << "late " << late << ", wait " << wait << ", round " << i;
    ++(stands ? stood : lost);
  }
  EXPECT_GT(lost, 50);
  EXPECT_GT(stood, 1000);
}

// predictor.h: a margin of 0 means that the firmware takes no time. It cannot be too late.
TEST(Scheduler, LatePlan_StandsWithoutAMargin) {
  Queue queue(test::shipped("cheetah_9lp").design);
  std::mt19937 random(kSeed);
  ASSERT_EQ(test::select(queue.scheduler, POLICY_NUMBER_stf), STATUS_OK);
  for (int i = 0; i < 300; ++i) {
    queue.fill(random, 400);
    const ::head_state head = queue.head();
    scheduler_plan(&queue.scheduler, &head, kLongBefore);
    ::head_state now = queue.scheduler.planned_from;
    now.at_tick += SCHEDULER_PLAN_TOLERANCE_TICKS;
    now.angle_turn32 += rotation_turn24(&queue.rotation, SCHEDULER_PLAN_TOLERANCE_TICKS) << 8;
    EXPECT_NE(scheduler_take_planned(&queue.scheduler, &now), nullptr) << i;
  }
}

// 100 candidates take 6,000 ticks. A plan begun 1,000 before the heads are free is for 5,000 after,
// and one made when they are free for 6,000 after.
TEST(Scheduler, Search_IsForTheMomentAtWhichItIsOver) {
  Queue queue(test::shipped("cheetah_9lp").design);
  queue.predictor.margin_tick = 40;  // any that is not 0
  std::mt19937 random(kSeed);
  ASSERT_EQ(policy_stf.candidate_ticks, 60U);
  for (int i = 0; i < 1000; ++i) {
    queue.fill(random, 100);
    const auto best_at = [&](std::uint32_t later) {
      ::head_state at = queue.head();
      at.at_tick += later;
      at.angle_turn32 += rotation_turn24(&queue.rotation, later) << 8;
      scheduler_plan(&queue.scheduler, &at, kLongBefore);
      return scheduler_planned(&queue.scheduler);
    };
    ASSERT_EQ(test::select(queue.scheduler, 2), STATUS_OK);
    const ::head_state free = queue.head();
    const ::candidate* late = best_at(5'000);
    const ::candidate* latest = best_at(6'000);
    queue.scheduler.looks_expected = 100;
    scheduler_plan(&queue.scheduler, &free, free.at_tick - 1'000);
    ASSERT_EQ(scheduler_planned(&queue.scheduler), late) << i << " seed " << kSeed;
    queue.scheduler.planned = nullptr;
    queue.scheduler.looks_expected = 100;
    ::head_state head = free;
    ASSERT_EQ(take(queue.scheduler, &head), latest) << i << " seed " << kSeed;
    ASSERT_EQ(head.at_tick, free.at_tick + 6'000);
  }
}

// One candidate is on the heads' cylinder and 99 elsewhere. sstf compares one, and the next search
// gets the time of 1 + 1 / 2 + 4, rounded down. The first search gets the time of all.
TEST(Scheduler, SearchTime_IsJudgedByTheSearchBefore) {
  Queue queue(test::shipped("cheetah_9lp").design);
  std::mt19937 random(kSeed);
  queue.fill(random, 100);
  queue.predictor.margin_tick = 40;  // any that is not 0
  ASSERT_EQ(test::select(queue.scheduler, 1), STATUS_OK);
  for (const std::uint32_t ticks : {100 * 40U, 5 * 40U}) {
    ::head_state head = queue.head();
    head.cylinder = queue.waiting[50].candidate.cylinder;
    const time_tick before = head.at_tick;
    ASSERT_EQ(take(queue.scheduler, &head), &queue.waiting[50].candidate);
    EXPECT_EQ(head.at_tick - before, ticks);
  }
}

// predictor.h: a margin of 0 means that the firmware takes no time, and neither do its searches.
TEST(Scheduler, SearchWithoutMargin_TakesNoTime) {
  Queue queue(test::shipped("cheetah_9lp").design);
  std::mt19937 random(kSeed);
  queue.fill(random, 100);
  ASSERT_EQ(test::select(queue.scheduler, 2), STATUS_OK);
  const ::head_state free = queue.head();
  scheduler_plan(&queue.scheduler, &free, free.at_tick);
  EXPECT_EQ(queue.scheduler.planned_from.at_tick, free.at_tick);
  const ::candidate* planned = scheduler_planned(&queue.scheduler);
  queue.scheduler.planned = nullptr;
  ::head_state head = free;
  EXPECT_EQ(take(queue.scheduler, &head), planned);
  EXPECT_EQ(head.at_tick, free.at_tick);
}

TEST(Scheduler, EmptyQueue_ChoosesNone) {
  Queue queue(test::small_design());
  ::head_state head{};
  for (const std::uint32_t policy : {0U, 1U, 2U}) {
    ASSERT_EQ(test::select(queue.scheduler, policy), STATUS_OK);
    scheduler_plan(&queue.scheduler, &head, kLongBefore);
    EXPECT_EQ(scheduler_planned(&queue.scheduler), nullptr);
    EXPECT_EQ(take(queue.scheduler, &head), nullptr);
  }
}

TEST(Scheduler, UnknownPolicy_ChangesNothing) {
  Queue queue(test::small_design());
  ASSERT_EQ(test::select(queue.scheduler, 2), STATUS_OK);
  EXPECT_EQ(test::select(queue.scheduler, 200), STATUS_BAD_VALUE);
  EXPECT_STREQ(queue.scheduler.policy->name, "stf");
}

}  // namespace
}  // namespace headstack
