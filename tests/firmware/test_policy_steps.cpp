// SPDX-License-Identifier: Apache-2.0
// The steps of a policy that works at arrivals (queue/policy.h: step): `gscan`. A search made in
// steps equals the one made at once. Events between two steps lose no candidate, and leave sound
// schedules. A counter counts choices that cannot wait for the steps. Also a policy whose choice
// waits for its steps (POLICY_WAITS): `msedf`.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "firmware/queue/gscan.h"
#include "firmware/queue/least_order.h"
#include "firmware/queue/policy_table.h"
#include "tests/effort.hpp"
#include "tests/firmware/policy_bench.hpp"

namespace headstack::test {
namespace {

constexpr std::uint32_t kSeed = 2012;

const ::gscan_store& store_of(PolicyBench& bench) {
  return *reinterpret_cast<const ::gscan_store*>(bench.scheduler().store->bytes);
}

std::uint64_t order_of(const ::candidate& one) { return PolicyBench::request_of(one).order; }

using Members = std::set<std::uint64_t>;  // numbers of arrival

std::map<std::uint32_t, Members> units_of(PolicyBench& bench) {
  std::map<std::uint32_t, Members> units;
  for (const ::candidate* item = bench.waiting()->first; item != nullptr; item = item->next) {
    if (item->announced != 0 && item->mark != 0) units[item->mark].insert(order_of(*item));
  }
  return units;
}

/// The schedules as lists of units, and those as sets of members, without empty units.
std::multiset<std::vector<Members>> schedules_of(PolicyBench& bench) {
  const std::map<std::uint32_t, Members> units = units_of(bench);
  const ::gscan_list& list = *gscan_current(&store_of(bench).schedules);
  std::multiset<std::vector<Members>> all;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    std::vector<Members> schedule;
    for (std::uint32_t k = 0; k < list.length; ++k) {
      const auto unit = units.find(list.sequence[i].unit[k]);
      if (unit != units.end()) schedule.push_back(unit->second);
    }
    all.insert(schedule);
  }
  return all;
}

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

 private:
  std::mt19937 random_;
};

/// An arrival in `bench`, by the numbers of `drawn`.
struct Arrival {
  std::uint32_t cylinder;
  std::int64_t due_ms;  // 0: best effort

  static Arrival draw(Dice& dice, std::uint32_t spread) {
    const std::uint32_t cylinder = dice.below(spread);
    return {cylinder, dice.below(3) == 0 ? 1 + dice.below(200) : 0};
  }
  ::candidate& add_to(PolicyBench& bench) const {
    ::candidate& one = bench.add(cylinder);
    if (due_ms != 0) bench.make_due(one, due_ms * kMs);
    return one;
  }
};

/// A bench that makes steps, as a drive does.
struct Stepping {
  explicit Stepping(std::uint32_t margin_tick = 0) : bench(hundred_cylinders(), margin_tick) {}

  void select(const std::string& policy) {
    bench.reset();
    scheduler_lend_work(&bench.scheduler(), &work);
    bench.select(policy);
  }
  /// @return the number of steps made.
  std::uint32_t make_steps(std::uint32_t most) {
    ::scheduler& scheduler = bench.scheduler();
    if (!scheduler_prepares(&scheduler)) scheduler_prepare(&scheduler, &bench.heads());
    std::uint32_t count = 0;
    for (; count < most && scheduler_prepares(&scheduler); ++count) {
      scheduler_prepare_step(&scheduler);
    }
    return count;
  }
  ::candidate* choose() {
    scheduler_plan(&bench.scheduler(), &bench.heads(), bench.heads().at_tick);
    return scheduler_planned(&bench.scheduler());
  }

  PolicyBench bench;
  ::policy_work work{};
};

constexpr std::uint32_t kAll = UINT32_MAX;

// Two drives get the same commands. One handles them at once, the other in steps, of which it makes
// none, some or all before a choice. Both make the same choices and have the same schedules. (The
// first is compared with the definition in tests/firmware/policies/gscan.cpp.)
TEST(PolicySteps, MadeInAnyPieces_GiveTheSameSchedules) {
  Dice dice(kSeed);
  std::uint32_t longest = 0;
  for (int queue = 0; queue < test::rounds(2000); ++queue) {
    SCOPED_TRACE(testing::Message() << "queue " << queue << " of seed " << kSeed);
    const char* selections[] = {"gscan", "gscan:tau=3", "gscan:tau=0,u=16,l=2,kmax=5",
                                "gscan:tau=0,u=64,kmax=64"};
    const char* selection = selections[dice.below(std::size(selections))];
    static PolicyBench at_once(hundred_cylinders());
    static Stepping stepping;
    at_once.reset();
    at_once.select(selection);
    stepping.select(selection);
    std::uint32_t to_come = 1 + dice.below(16);
    while (to_come > 0 || at_once.waiting_count() > 0) {
      for (std::uint32_t now = std::min(to_come, 1 + dice.below(8)); now > 0; --now, --to_come) {
        const Arrival arrival = Arrival::draw(dice, 100);
        arrival.add_to(at_once);
        arrival.add_to(stepping.bench);
      }
      const std::uint32_t most[] = {0, dice.below(6), dice.below(30), kAll};
      longest = std::max(longest, stepping.make_steps(most[dice.below(4)]));
      ::candidate* wanted = at_once.choose();
      ::candidate* chosen = stepping.choose();
      ASSERT_EQ(order_of(*chosen), order_of(*wanted)) << selection;
      ASSERT_EQ(schedules_of(stepping.bench), schedules_of(at_once)) << selection;
      at_once.serve(*wanted);
      stepping.bench.serve(*chosen);
      // The service does its outstanding steps before requests arrive or leave.
      (void)stepping.make_steps(kAll);
    }
    EXPECT_EQ(stepping.bench.waiting_count(), 0U);
    EXPECT_EQ(store_of(stepping.bench).counters->unfinished, 0U);
  }
  EXPECT_GT(longest, 30U) << "nothing was long enough to be made in pieces";
}

// A step evaluates no more than GSCAN_STEP_EVALUATIONS, and the schedule in which it reaches that:
// after its units, eight children of at most eight.
TEST(PolicySteps, AreShort) {
  Dice dice(kSeed + 1);
  Stepping stepping;
  std::uint32_t most = 0;
  for (int queue = 0; queue < 300; ++queue) {
    stepping.select("gscan:tau=0");
    const ::gscan_counters& counters = *store_of(stepping.bench).counters;
    for (int i = 0; i < 8; ++i) {
      (void)Arrival::draw(dice, 100).add_to(stepping.bench);
      std::uint32_t before = counters.arrival.evaluations + counters.decision.evaluations;
      while (stepping.make_steps(1) != 0) {
        const std::uint32_t now = counters.arrival.evaluations + counters.decision.evaluations;
        most = std::max(most, now - before);
        before = now;
        if (!scheduler_prepares(&stepping.bench.scheduler())) break;
      }
    }
  }
  EXPECT_LE(most, GSCAN_STEP_EVALUATIONS + 8 + 8 * 8);
  EXPECT_GE(most, GSCAN_STEP_EVALUATIONS) << "no search was long";
}

// The children of a newcomer between any two units can fill a whole step from 16 units on. The next
// step must not begin with it anew, or the search never ends.
TEST(PolicySteps, EndHoweverManyUnitsAreInASchedule) {
  constexpr std::uint32_t kMost = 20'000;  // 64 schedules of 64 units are 4,096 evaluations.
  for (const char* selection :
       {"gscan:u=64,kmax=64,tau=0", "gscan:u=64,kmax=64", "gscan:u=64,l=1,kmax=1"}) {
    Dice dice(kSeed + 2);
    Stepping stepping;
    stepping.select(selection);
    for (int i = 0; i < 80; ++i) {
      (void)Arrival::draw(dice, 100).add_to(stepping.bench);
      ASSERT_LT(stepping.make_steps(kMost), kMost) << selection << ", arrival " << i;
    }
  }
}

/// A copy of all that a search depends on.
class Saved {
 public:
  explicit Saved(PolicyBench& bench)
      : bench_(bench), store_(*bench.scheduler().store), scheduler_(bench.scheduler()) {
    for (::candidate* item = bench.waiting()->first; item != nullptr; item = item->next) {
      candidates_.emplace_back(item, *item);
    }
  }
  void restore() {
    *bench_.scheduler().store = store_;
    bench_.scheduler() = scheduler_;
    for (const auto& [item, saved] : candidates_) *item = saved;
  }

 private:
  PolicyBench& bench_;
  ::policy_store store_;
  ::scheduler scheduler_;
  std::vector<std::pair<::candidate*, ::candidate>> candidates_;
};

// A candidate is served, or leaves, during a search. The search continues like one that begins
// after that, with the units and schedules as they then are.
TEST(PolicySteps, DisturbedSearch_StartsAgain) {
  Dice dice(kSeed + 2);
  static Stepping stepping;
  PolicyBench& bench = stepping.bench;
  int disturbed = 0;
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(testing::Message() << "queue " << i);
    stepping.select(dice.below(2) == 0 ? "gscan:tau=4" : "gscan:tau=4,u=12,l=3");
    for (std::uint32_t k = 0; k < 12; ++k) {
      ::candidate& one = bench.add(dice.below(100));
      if (k % 2 == 0) bench.make_due(one, (20 + dice.below(300)) * kMs);
    }
    (void)stepping.make_steps(kAll);
    bench.make_due(bench.add(dice.below(100)), (20 + dice.below(300)) * kMs);
    scheduler_prepare(&bench.scheduler(), &bench.heads());
    (void)stepping.make_steps(2 + dice.below(3));
    if (store_of(bench).schedules.search.phase == GSCAN_IDLE) continue;
    ++disturbed;
    const auto choose_now = [&] {
      ::policy_view view = {
          bench.waiting(), bench.scheduler().predictor, &bench.heads(), 0, nullptr, false};
      return policy_gscan.which_next(bench.scheduler().state.bytes, &view);
    };
    if (dice.below(2) == 0) {
      bench.serve(*choose_now());
    } else {
      ::candidate* leaving = bench.waiting()->first;
      for (std::uint32_t k = dice.below(8); k > 0; --k) leaving = leaving->next;
      candidate_set_remove(bench.waiting(), leaving);
    }
    Saved saved(bench);
    (void)stepping.make_steps(kAll);
    const auto got = schedules_of(bench);
    saved.restore();
    (void)choose_now();  // detects departures
    gscan_give_up(&reinterpret_cast<::gscan_store*>(bench.scheduler().store->bytes)->schedules);
    (void)stepping.make_steps(kAll);
    ASSERT_EQ(got, schedules_of(bench));
  }
  EXPECT_GT(disturbed, 100);
}

/// Moves chosen at random, between any two steps. The model is a map of the waiting candidates.
class Adversary {
 public:
  explicit Adversary(std::uint32_t seed)
      : dice_(seed), stepping_(seed % 4 == 0 ? 0 : 1600), bench_(stepping_.bench) {
    stepping_.select(policy_);
  }

  void act() {
    switch (dice_.below(16)) {
      case 0: switch_policy(); break;
      case 1:
      case 2: withdraw(); break;
      case 3: bench_.wait(dice_.below(40) * kMs); break;
      case 4:
      case 5:
      case 6: serve(); break;
      case 7:
      case 8: plan(); break;
      case 9:
      case 10:
      case 11: (void)stepping_.make_steps(1 + dice_.below(3)); break;
      case 12: (void)stepping_.make_steps(kAll); break;
      default: arrive(); break;
    }
    check();
  }

  void drain() {
    for (std::uint32_t i = 0; !waiting_.empty() && !testing::Test::HasFatalFailure(); ++i) {
      (void)stepping_.make_steps(dice_.below(2) == 0 ? 0 : dice_.below(30));
      serve();
      check();
    }
    EXPECT_EQ(ended_, bench_.arrivals());
    EXPECT_EQ(bench_.waiting_count(), 0U);
  }

  std::uint32_t unfinished = 0;  // choices that could not wait for all steps
  std::uint32_t waits = 0;       // times that a choice waited

 private:
  bool is_gscan() { return bench_.scheduler().policy->number == POLICY_NUMBER_gscan; }

  void switch_policy() {
    const char* policies[] = {"gscan",        "gscan:tau=0", "gscan:tau=0,kmax=3,u=5,l=2",
                              "gscan:kmax=2", "scanrt",      "stfd",
                              "msedf",        "msedf"};
    count_unfinished();
    policy_ = policies[dice_.below(8)];
    bench_.select(policy_);
  }

  void count_unfinished() {
    if (is_gscan()) unfinished += store_of(bench_).counters->unfinished;
  }

  void arrive() {
    if (waiting_.size() >= 30) return;
    ::candidate& one = Arrival::draw(dice_, dice_.below(2) == 0 ? 100 : 8).add_to(bench_);
    waiting_[order_of(one)] = &one;
    scheduler_task_arrived(&bench_.scheduler(), &one, bench_.heads().data_tick);
  }

  /// Withdraws a candidate with or without an announcement; that of a buffered write is not
  /// announced.
  void withdraw() {
    if (waiting_.empty()) return;
    auto one = waiting_.begin();
    std::advance(one, dice_.below(static_cast<std::uint32_t>(waiting_.size())));
    ::candidate& leaving = *one->second;
    waiting_.erase(one);
    ++ended_;
    if (is_gscan() && dice_.below(2) == 0 && scheduler_planned(&bench_.scheduler()) != &leaving) {
      candidate_set_remove(bench_.waiting(), &leaving);
    } else {
      bench_.withdraw(leaving);
    }
  }

  void plan() {
    const ::candidate* planned = stepping_.choose();
    ASSERT_EQ(planned == nullptr, waiting_.empty());
    if (planned == nullptr) return;
    ASSERT_EQ(waiting_.count(order_of(*planned)), 1U) << policy_;
  }

  void serve() {
    ::head_state head = bench_.heads();
    ::candidate* chosen = scheduler_take_planned(&bench_.scheduler(), &head);
    if (chosen == nullptr) {
      // Sometimes another candidate is served first: HEAD OF QUEUE.
      if (!waiting_.empty() && scheduler_must_wait(&bench_.scheduler(), &head)) {
        ++waits;
        for (std::uint32_t i = dice_.below(40); i > 0; --i) {
          scheduler_prepare_step(&bench_.scheduler());
        }
        if (dice_.below(40) != 0) return;
        chosen = waiting_.begin()->second;
      } else {
        chosen = scheduler_take_best(&bench_.scheduler(), &head);
      }
    }
    ASSERT_EQ(chosen == nullptr, waiting_.empty()) << policy_;
    if (chosen == nullptr) return;
    ASSERT_EQ(waiting_.erase(order_of(*chosen)), 1U) << policy_ << " serves one that is gone";
    ++ended_;
    bench_.serve(*chosen);
  }

  /// Checks schedules. None has a unit twice; all have the same units; no two are equal. When no
  /// work is left, and no candidate has left since, each unit with members is in them.
  void check() {
    if (!is_gscan() || testing::Test::HasFatalFailure()) return;
    const ::gscan_list& list = *gscan_current(&store_of(bench_).schedules);
    ASSERT_GE(list.count, 1U);
    std::set<std::uint8_t> units;
    std::set<std::vector<std::uint8_t>> different;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const std::uint8_t* unit = list.sequence[i].unit;
      const std::set<std::uint8_t> these(unit, unit + list.length);
      ASSERT_EQ(these.size(), list.length) << "a unit twice";
      if (i == 0) units = these;
      ASSERT_EQ(these, units);
      different.insert({unit, unit + list.length});
    }
    ASSERT_EQ(different.size(), list.count) << "two are equal";
    if (bench_.scheduler().is_behind || store_of(bench_).rest.is_expanding) return;
    for (const auto& [number, members] : units_of(bench_)) {
      ASSERT_EQ(units.count(static_cast<std::uint8_t>(number)), 1U) << "no schedule has it";
    }
  }

  Dice dice_;
  Stepping stepping_;
  PolicyBench& bench_;
  std::string policy_ = "gscan";
  std::map<std::uint64_t, ::candidate*> waiting_;  // by arrival
  std::uint64_t ended_ = 0;
};

TEST(PolicySteps, AnyEventsBetweenSteps_LoseNoRequest_AndSchedulesAreSound) {
  std::uint32_t unfinished = 0, waits = 0;
  for (std::uint32_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Adversary adversary(seed);
    for (int i = 0; i < 300 && !HasFatalFailure(); ++i) adversary.act();
    adversary.drain();
    ASSERT_FALSE(HasFatalFailure());
    unfinished += adversary.unfinished;
    waits += adversary.waits;
  }
  EXPECT_GT(waits, 1000U) << "no choice waited";
  EXPECT_GT(unfinished, 100U) << "choices hardly ever fell due before the steps were made";
}

// Ten candidates arrive at a drive that must choose at once: `late_steps` of the steps are made
// before the choice, and the rest after it. If all steps are in time the counter stays.
TEST(PolicySteps, ChoiceThatCannotWait_IsCounted) {
  for (const bool in_time : {true, false}) {
    Stepping stepping(1600);
    stepping.select("gscan:tau=0");
    PolicyBench& bench = stepping.bench;
    for (std::uint32_t i = 0; i < 10; ++i) bench.make_due(bench.add(9 * i), 1000 * kMs);
    const std::uint32_t needed = 2 * 8;  // eight become units, and each is at least two steps
    if (in_time) {
      EXPECT_GE(stepping.make_steps(kAll), needed);
    }
    ::head_state head = bench.heads();
    ::candidate* chosen = scheduler_take_best(&bench.scheduler(), &head);
    ASSERT_NE(chosen, nullptr);
    bench.serve(*chosen);
    const ::gscan_counters& counters = *store_of(bench).counters;
    EXPECT_EQ(counters.unfinished, in_time ? 0U : 1U);
    if (!in_time) {
      EXPECT_LE(counters.steps, policy_gscan.late_steps);
    }
    (void)stepping.make_steps(kAll);
    EXPECT_EQ(gscan_current(&store_of(bench).schedules)->length, 8U);
  }
}

// No schedule has a candidate yet: the sweep serves them, upward from the heads and then back.
TEST(PolicySteps, NoRequestInASchedule_IsServedAsASweep) {
  Stepping stepping;
  stepping.select("gscan");
  PolicyBench& bench = stepping.bench;
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {40U, 80U, 60U}) bench.add(cylinder);
  std::vector<std::uint32_t> served;
  while (bench.waiting_count() > 0) {
    ::policy_view view = {
        bench.waiting(), bench.scheduler().predictor, &bench.heads(), 0, nullptr, false};
    ::candidate* chosen = policy_gscan.which_next(bench.scheduler().state.bytes, &view);
    ASSERT_NE(chosen, nullptr);
    served.push_back(chosen->cylinder);
    bench.serve(*chosen);
  }
  EXPECT_EQ(served, (std::vector<std::uint32_t>{60, 80, 40}));
}

// An arrival voids a plan, and does no work by itself. After the steps there is a plan that
// includes it.
TEST(PolicySteps, ArrivalAfterThePlan_IsLeftToSteps) {
  Stepping stepping;
  stepping.select("gscan:tau=0");
  PolicyBench& bench = stepping.bench;
  bench.add(80);
  (void)stepping.make_steps(kAll);
  scheduler_expect(&bench.scheduler(), &bench.heads());
  EXPECT_FALSE(scheduler_prepares(&bench.scheduler())) << "it is the moment that was prepared for";
  scheduler_plan_prepared(&bench.scheduler());
  EXPECT_EQ(scheduler_planned(&bench.scheduler())->cylinder, 80);
  const std::uint32_t steps = store_of(bench).counters->steps;
  ::candidate& near = bench.add(10);
  scheduler_task_arrived(&bench.scheduler(), &near, bench.heads().data_tick);
  EXPECT_EQ(store_of(bench).counters->steps, steps);
  EXPECT_EQ(scheduler_planned(&bench.scheduler()), nullptr);
  EXPECT_TRUE(scheduler_plans_again(&bench.scheduler()));
  (void)stepping.make_steps(kAll);
  scheduler_plan_prepared(&bench.scheduler());
  EXPECT_EQ(scheduler_planned(&bench.scheduler()), &near);
  // The heads are free elsewhere than expected: another choice is evaluated, in steps.
  bench.place_heads(90);
  scheduler_expect(&bench.scheduler(), &bench.heads());
  EXPECT_TRUE(scheduler_prepares(&bench.scheduler()));
}

// -------------------------------------------------------------------------- choices that wait

constexpr std::uint32_t kMarginTick = 1600;  // with 0 the firmware takes no time, and nothing waits

/// Two drives that get the same commands. One searches at once, the other in steps.
class TwoDrives {
 public:
  explicit TwoDrives(Dice& dice) : dice_(dice) {
    at_once_.reset();
    at_once_.select("msedf");
    stepping_.select("msedf");
  }

  PolicyBench& at_once() { return at_once_; }
  PolicyBench& stepping() { return stepping_.bench; }
  ::scheduler& scheduler() { return stepping_.bench.scheduler(); }

  void arrive(std::uint32_t count) {
    for (; count > 0; --count) {
      const Arrival arrival = Arrival::draw(dice_, 100);
      (void)arrival.add_to(at_once_);
      (void)arrival.add_to(stepping_.bench);
    }
  }

  /// The next choice of both, each in its own way. @param between  Called between two steps.
  template <typename Between>
  void choose(const Between& between) {
    ::head_state here = at_once_.heads();
    wanted = scheduler_take_best(&at_once_.scheduler(), &here);
    ::head_state head = stepping_.bench.heads();
    while (scheduler_must_wait(&scheduler(), &head)) {
      ++steps;
      scheduler_prepare_step(&scheduler());
      between();
    }
    ::head_state due = stepping_.bench.heads();
    chosen = scheduler_take_best(&scheduler(), &due);
  }
  void serve() {
    at_once_.serve(*wanted);
    stepping_.bench.serve(*chosen);
  }
  /// Makes as many steps as there is time for while the arm is busy.
  void prepare(std::uint32_t most) {
    scheduler_prepare(&scheduler(), &stepping_.bench.heads());
    for (; most > 0 && scheduler_prepares(&scheduler()); --most) {
      scheduler_prepare_step(&scheduler());
    }
  }
  ::candidate* find(PolicyBench& bench, std::uint64_t order) {
    ::candidate* item = bench.waiting()->first;
    while (item != nullptr && order_of(*item) != order) item = item->next;
    return item;
  }
  std::uint32_t searches_at_once() {
    std::uint32_t i = 0;
    while (std::string(policy_msedf.counters[i].name) != "at_once") ++i;
    return scheduler().counters[i];
  }

  ::candidate* wanted = nullptr;
  ::candidate* chosen = nullptr;
  std::uint32_t steps = 0;

 private:
  Dice& dice_;
  PolicyBench at_once_{hundred_cylinders(), kMarginTick};
  Stepping stepping_{kMarginTick};
};

// The heads wait until the order has been found. A task that arrives meanwhile is not in the batch,
// and is never lost. A search at once equals the definition (tests/firmware/policies/msedf.cpp).
TEST(PolicySteps, LateChoice_IsAmongThoseThatWaitedWhenItWasDue) {
  Dice dice(kSeed + 5);
  TwoDrives drives(dice);
  std::uint32_t longest = 0, late = 0;
  for (int queue = 0; queue < 300; ++queue) {
    SCOPED_TRACE(testing::Message() << "queue " << queue << " of seed " << kSeed + 5);
    std::uint32_t to_come = 1 + dice.below(30);
    while (to_come > 0 || drives.at_once().waiting_count() > 0) {
      for (std::uint32_t now = std::min(to_come, 1 + dice.below(20)); now > 0; --now, --to_come) {
        drives.arrive(1);
      }
      if (dice.below(2) == 0) drives.prepare(dice.below(60));
      std::vector<std::uint32_t> came;
      const std::uint32_t before = drives.steps;
      drives.choose([&] {
        if (to_come == 0 || dice.below(30) != 0) return;
        --to_come;
        came.push_back(dice.below(100));
        ::candidate& one = drives.stepping().add(came.back());
        scheduler_task_arrived(&drives.scheduler(), &one, drives.stepping().heads().data_tick);
      });
      longest = std::max(longest, drives.steps - before);
      late += static_cast<std::uint32_t>(came.size());
      ASSERT_EQ(order_of(*drives.chosen), order_of(*drives.wanted));
      for (const std::uint32_t cylinder : came) drives.at_once().add(cylinder);
      drives.at_once().serve(*drives.wanted);
      drives.stepping().serve(*drives.chosen);
    }
    ASSERT_EQ(drives.stepping().waiting_count(), 0U);
  }
  EXPECT_GT(longest, 100U) << "no search was long";
  EXPECT_GT(late, 100U) << "nobody came while the heads waited";
  EXPECT_EQ(drives.searches_at_once(), 0U);
}

// A task of the batch leaves while the heads wait: the search begins anew, without it.
TEST(PolicySteps, RequestThatLeavesWhileTheHeadsWait_IsNotServed) {
  Dice dice(kSeed + 6);
  TwoDrives drives(dice);
  int left = 0;
  for (int queue = 0; queue < 200; ++queue) {
    SCOPED_TRACE(testing::Message() << "queue " << queue << " of seed " << kSeed + 6);
    drives.arrive(8 + dice.below(15));
    ::head_state head = drives.stepping().heads();
    std::uint32_t steps = dice.below(30);
    while (steps > 0 && scheduler_must_wait(&drives.scheduler(), &head)) {
      scheduler_prepare_step(&drives.scheduler());
      --steps;
    }
    for (std::uint32_t count = 1 + dice.below(3); count > 0; --count) {
      ::candidate* one = drives.stepping().waiting()->first;
      for (std::uint32_t k = dice.below(5); k > 0; --k) one = one->next;
      drives.at_once().withdraw(*drives.find(drives.at_once(), order_of(*one)));
      drives.stepping().withdraw(*one);
      ++left;
    }
    while (drives.at_once().waiting_count() > 0) {
      drives.choose([] {});
      ASSERT_EQ(order_of(*drives.chosen), order_of(*drives.wanted));
      drives.serve();
    }
    ASSERT_EQ(drives.stepping().waiting_count(), 0U);
  }
  EXPECT_GT(left, 200);
  EXPECT_EQ(drives.searches_at_once(), 0U);
}

// A HEAD OF QUEUE task is served first, with or without a search under way. The batch begins with
// it. The search for its order runs during that access, or while the heads wait after it. A task
// that leaves the batch meanwhile is passed over. A new task waits for the next batch.
TEST(PolicySteps, OtherRequestServedFirst_FixesTheBatch_WithoutASearchAtOnce) {
  Dice dice(kSeed + 7);
  TwoDrives drives(dice);
  for (int queue = 0; queue < 200; ++queue) {
    SCOPED_TRACE(testing::Message() << "queue " << queue << " of seed " << kSeed + 7);
    drives.arrive(4 + dice.below(19));
    ::head_state head = drives.stepping().heads();
    for (std::uint32_t steps = dice.below(30);
         steps > 0 && scheduler_must_wait(&drives.scheduler(), &head); --steps) {
      scheduler_prepare_step(&drives.scheduler());
    }
    ::candidate* forced = drives.stepping().waiting()->first;
    for (std::uint32_t k = dice.below(4); k > 0; --k) forced = forced->next;
    const std::uint64_t order = order_of(*forced);
    // The drive that searches at once only continues work of an earlier choice.
    drives.at_once().serve(*drives.find(drives.at_once(), order));
    drives.stepping().serve(*forced);
    (void)drives.at_once().choose();  // finds the order there
    drives.prepare(dice.below(30));
    if (dice.below(2) == 0) drives.arrive(1 + dice.below(3));
    // One more event during the search: a task of the batch, or a new one.
    if (dice.below(2) == 0) {
      ::candidate* next = dice.below(2) == 0 ? drives.stepping().waiting()->first
                                             : drives.stepping().waiting()->last;
      drives.at_once().serve(*drives.find(drives.at_once(), order_of(*next)));
      drives.stepping().serve(*next);
      drives.prepare(dice.below(30));
    }
    if (dice.below(2) == 0) {
      ::candidate* one = drives.stepping().waiting()->first;
      drives.at_once().withdraw(*drives.find(drives.at_once(), order_of(*one)));
      drives.stepping().withdraw(*one);
    }
    while (drives.at_once().waiting_count() > 0) {
      drives.choose([] {});
      ASSERT_EQ(order_of(*drives.chosen), order_of(*drives.wanted));
      drives.serve();
    }
    ASSERT_EQ(drives.stepping().waiting_count(), 0U);
  }
  EXPECT_EQ(drives.searches_at_once(), 0U);
}

// The policy changes while the heads wait: they stop waiting, and the new policy chooses.
TEST(PolicySteps, PolicyChangeWhileTheHeadsWait_DelaysNoChoice) {
  Dice dice(kSeed + 8);
  for (const char* other : {"fcfs", "gscan", "stfd", "msedf"}) {
    Stepping stepping(kMarginTick);
    stepping.select("msedf");
    for (int i = 0; i < 12; ++i) (void)Arrival::draw(dice, 100).add_to(stepping.bench);
    ::scheduler& scheduler = stepping.bench.scheduler();
    ::head_state head = stepping.bench.heads();
    ASSERT_TRUE(scheduler_must_wait(&scheduler, &head));
    stepping.bench.select(other);
    EXPECT_FALSE(scheduler_is_due(&scheduler));
    EXPECT_TRUE(scheduler_prepares(&scheduler)) << "the service is to look again after a step";
    scheduler_prepare_step(&scheduler);
    while (scheduler_must_wait(&scheduler, &head)) scheduler_prepare_step(&scheduler);
    EXPECT_NE(scheduler_take_best(&scheduler, &head), nullptr);
  }
}

// A search in parts, each of another effort, finds the order that a search at once finds. A part
// tries no more extensions than its effort and those of one subset. Of 11 stops these are at most
// 6 ends, each with 5 next stops.
TEST(PolicySteps, OrderSearchInParts_IsTheOneAtOnce_AndPartsAreShort) {
  Dice dice(kSeed + 9);
  static ::order_search at_once, in_parts;
  std::map<::order_result, int> results;
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(testing::Message() << "question " << i << " of seed " << kSeed + 9);
    ::order_question& question = at_once.question;
    question.count = 1 + dice.below(ORDER_STOPS_MAX);
    question.first = dice.below(2) == 0 ? ORDER_ANY : dice.below(question.count);
    const std::uint32_t moves = 1 + dice.below(50);  // few different: ties are frequent
    for (std::uint32_t to = 0; to < question.count; ++to) {
      question.fixed_turn24[to] = 50;
      const std::uint32_t due = 60 + dice.below(100 * question.count);
      question.due_turn24[to] = dice.below(3) == 0 ? due : ORDER_NEVER_TURN24;
      for (std::uint32_t from = 0; from <= ORDER_BEGIN; ++from) {
        question.move_turn24[to][from] = dice.below(moves);
      }
    }
    in_parts.question = question;
    order_begin(&at_once);
    EXPECT_FALSE(order_go_on(&at_once, UINT32_MAX));
    const std::uint32_t effort = 1 + dice.below(300);
    order_begin(&in_parts);
    std::uint32_t before = 0;
    while (order_go_on(&in_parts, effort)) {
      ASSERT_LE(in_parts.steps - before, effort + 6 * 5);
      before = in_parts.steps;
    }
    ASSERT_EQ(in_parts.result, at_once.result);
    ASSERT_EQ(in_parts.steps, at_once.steps);
    ++results[at_once.result];
    if (at_once.result == ORDER_NONE) continue;
    for (std::uint32_t k = 0; k < question.count; ++k) {
      ASSERT_EQ(in_parts.stops[k], at_once.stops[k]);
    }
  }
  EXPECT_GT(results[ORDER_NONE], 20);
  EXPECT_GT(results[ORDER_LEAST], 20);
  EXPECT_GT(results[ORDER_GOOD], 20);
}

}  // namespace
}  // namespace headstack::test
