// SPDX-License-Identifier: Apache-2.0
// Tests of `gscan`: its definition, and its rows of the tables. The theorems of the paper:
// gscan_theorems.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "firmware/queue/gscan.h"
#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// gscan: Kim, Bahn and Won, section 3, as firmware/queue/policy_gscan.c reads it. Settled here:
//  - times are ticks; each seek, half turn and transfer is rounded down. After an access the arm
//    is on its cylinder. What is past of a deadline is the same for all schedules: left out;
//  - of two ends that are as near, a group is entered at the older one;
//  - of schedules that are equal, the first has the older unit where they differ first;
//  - more than kmax units: tau doubles, from max(tau, 1). If that is not enough, three classes
//    follow each other. Real time that an access from here would meet, by deadline. Real time that
//    is late. Groups of best effort, by their oldest. A request in no unit waits until an arrival,
//    or until a unit has ended. Those that come in then come by deadline, and best effort by age;
//  - only an arrival groups anew; schedules that do not begin with what is served are dropped where
//    any begins with it.
class Gscan : public Policy {
 public:
  explicit Gscan(const Drive& drive, std::uint32_t tau = 100, std::size_t u = 64, std::size_t l = 8,
                 std::size_t kmax = 8)
      : tau_(tau), u_(u), l_(std::min(l, u)), kmax_(kmax), turn_ticks64_(drive.turn_ticks * 64) {
    fixed_ = drive.margin_ticks + turn_ticks64_ / 128;
    seek_.resize(drive.cylinders);
    for (std::uint32_t d = 0; d < drive.cylinders; ++d) {
      seek_[d] = static_cast<std::uint64_t>(drive.seek_ticks(d));
    }
  }

  // Arrivals are handled here, by age, before the choice.
  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Place from = {moment.cylinder, moment.now_tick};
    forget(waiting);
    for (const Request& request : waiting) {
      if (told_.insert({request.order, request}).second) arrive(from);
    }
    if (units_.empty()) return earliest_due(waiting);
    const Schedule best = *std::min_element(
        schedules_.begin(), schedules_.end(),
        [&](const Schedule& a, const Schedule& b) { return goes_first(a, b, from); });
    return travel(units_[best[0]], from.cylinder)[0];
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    const auto is_first = [&](const Schedule& s) { return has(units_[s[0]].upward, request); };
    if (std::any_of(schedules_.begin(), schedules_.end(), is_first)) {
      std::vector<Schedule> kept;
      std::copy_if(schedules_.begin(), schedules_.end(), std::back_inserter(kept), is_first);
      schedules_ = kept;
    }
    forget(others);
    std::size_t members = 0;
    for (const Unit& unit : units_) members += unit.upward.size();
    if (members == told_.size() || units_.size() >= kmax_) return;
    const std::uint64_t takes = seek(moment.cylinder, request.cylinder) + length(request);
    arrive({request.cylinder, moment.now_tick + takes});
  }

 private:
  // A unit with its members from both ends.
  struct Unit {
    explicit Unit(const Queue& members)
        : upward(by_cylinder(members)),
          downward(by_cylinder_downward(members)),
          oldest(by_age(members)[0].order) {}
    Queue upward, downward;
    std::uint64_t oldest;
  };
  using Schedule =
      std::basic_string<std::uint8_t>;  // places in units_; a short string is not on the heap
  struct Place {
    std::uint32_t cylinder;
    std::uint64_t tick;
  };
  struct Value {
    bool misses;
    std::uint64_t cost;
  };

  std::uint64_t seek(std::uint32_t from, std::uint32_t to) const {
    return seek_[std::max(from, to) - std::min(from, to)];
  }
  // The time of an access without its seek.
  std::uint64_t length(const Request& r) const {
    return fixed_ + (r.transfer * turn_ticks64_ >> 30);
  }
  static std::uint64_t due(const Request& r, const Place& from) {
    if (!r.due_tick) return UINT64_MAX;
    return std::max(*r.due_tick, from.tick) - from.tick;
  }
  static bool has(const Queue& unit, const Request& request) {
    return std::any_of(unit.begin(), unit.end(),
                       [&](const Request& r) { return r.order == request.order; });
  }
  static Queue by_age(Queue queue) {
    std::sort(queue.begin(), queue.end(),
              [](const Request& a, const Request& b) { return a.order < b.order; });
    return queue;
  }
  static Queue by_cylinder(const Queue& queue) {
    Queue sorted = by_age(queue);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Request& a, const Request& b) { return a.cylinder < b.cylinder; });
    return sorted;
  }
  static Queue by_cylinder_downward(const Queue& queue) {
    Queue sorted = by_age(queue);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Request& a, const Request& b) { return a.cylinder > b.cylinder; });
    return sorted;
  }
  // The members in the order in which an arm that comes from `from` serves them.
  static const Queue& travel(const Unit& unit, std::uint32_t from) {
    const Request &lowest = unit.upward[0], &highest = unit.downward[0];
    const Measure to_lowest = distance(lowest.cylinder, from);
    const Measure to_highest = distance(highest.cylinder, from);
    if (to_lowest != to_highest) return to_lowest < to_highest ? unit.upward : unit.downward;
    return lowest.order <= highest.order ? unit.upward : unit.downward;
  }

  Value evaluate(const Schedule& schedule, const Place& from) const {
    std::uint32_t at = from.cylinder;
    std::uint64_t now = 0, cost = 0, late = 0;
    for (const std::uint8_t unit : schedule) {
      for (const Request& r : travel(units_[unit], at)) {
        const std::uint64_t seek_ticks = seek(at, r.cylinder);
        cost += seek_ticks;
        now += seek_ticks + length(r);
        at = r.cylinder;
        if (r.due_tick && from.tick + now > *r.due_tick) late += now - due(r, from);
      }
    }
    return {late > 0, std::min<std::uint64_t>(cost + late, INT32_MAX)};
  }

  bool is_older_schedule(const Schedule& a, const Schedule& b) const {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) return units_[a[i]].oldest < units_[b[i]].oldest;
    }
    return false;
  }
  bool goes_first(const Schedule& a, const Schedule& b, const Place& from) const {
    return goes_first(a, evaluate(a, from), b, evaluate(b, from));
  }
  bool goes_first(const Schedule& a, const Value& of_a, const Schedule& b,
                  const Value& of_b) const {
    if (of_a.misses != of_b.misses) return of_b.misses;
    if (of_a.cost != of_b.cost) return of_a.cost < of_b.cost;
    return is_older_schedule(a, b);
  }

  // Removes requests that no longer wait from units, and units without members from schedules.
  void forget(const Queue& waiting) const {
    const auto waits = [&](const auto& told) { return has(waiting, told.second); };
    if (std::all_of(told_.begin(), told_.end(), waits)) return;
    for (auto it = told_.begin(); it != told_.end();) {
      it = has(waiting, it->second) ? std::next(it) : told_.erase(it);
    }
    std::vector<Queue> left;
    for (const Unit& unit : units_) {
      const Queue members = those(unit.upward, [&](const Request& r) { return has(waiting, r); });
      if (!members.empty()) left.push_back(members);
    }
    (void)carry(left, {0, 0});
  }

  // ------------------------------------------------------------------------------------- arrival

  void arrive(const Place& from) const {
    std::vector<Queue> newcomers = carry(group(from), from);
    std::stable_sort(newcomers.begin(), newcomers.end(), [](const Queue& a, const Queue& b) {
      const Request first = by_age(a)[0], second = by_age(b)[0];
      const std::uint64_t due_a = first.due_tick.value_or(UINT64_MAX);
      const std::uint64_t due_b = second.due_tick.value_or(UINT64_MAX);
      return due_a != due_b ? due_a < due_b : first.order < second.order;
    });
    if (newcomers.empty()) prune(from);
    for (const Queue& unit : newcomers) {
      units_.emplace_back(unit);
      std::vector<Schedule> longer;
      for (const Schedule& schedule : schedules_) {
        for (std::size_t place = 0; place <= schedule.size(); ++place) {
          Schedule with = schedule;
          with.insert(place, 1, static_cast<std::uint8_t>(units_.size() - 1));
          longer.push_back(std::move(with));
        }
      }
      schedules_ = longer;
      prune(from);
    }
  }

  static bool joins(const Request& below, const Request& above, std::uint32_t tau) {
    return !below.due_tick && !above.due_tick && above.cylinder - below.cylinder < tau;
  }
  static std::vector<Queue> groups(const Queue& sorted, std::uint32_t tau) {
    std::vector<Queue> all;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || !joins(sorted[i - 1], sorted[i], tau)) all.emplace_back();
      all.back().push_back(sorted[i]);
    }
    return all;
  }

  std::vector<Queue> group(const Place& from) const {
    Queue all;
    for (const auto& [order, request] : told_) all.push_back(request);
    all = by_cylinder(all);
    std::vector<Queue> found = groups(all, tau_);
    for (std::uint32_t tau = std::max(tau_, 1U); found.size() > kmax_ && tau < 200'000; tau *= 2) {
      found = groups(all, tau);
    }
    if (found.size() <= kmax_) return found;
    std::stable_sort(found.begin(), found.end(), [&](const Queue& a, const Queue& b) {
      const auto rank = [&](const Queue& unit) {
        const Request& r = unit[0];
        if (!r.due_tick) return 2;
        return seek(from.cylinder, r.cylinder) + length(r) <= due(r, from) ? 0 : 1;
      };
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      const Request first = by_age(a)[0], second = by_age(b)[0];
      if (first.due_tick != second.due_tick) return *first.due_tick < *second.due_tick;
      return first.order < second.order;
    });
    found.resize(kmax_);
    return found;
  }

  // Gives the schedules the new units. Units without former members are returned.
  std::vector<Queue> carry(const std::vector<Queue>& units, const Place& from) const {
    const std::vector<Unit> former = units_;
    units_.clear();
    std::vector<Queue> newcomers;
    for (const Queue& unit : units) {
      const bool was = std::any_of(former.begin(), former.end(), [&](const Unit& old) {
        return std::any_of(unit.begin(), unit.end(),
                           [&](const Request& r) { return has(old.upward, r); });
      });
      if (was) {
        units_.emplace_back(unit);
      } else {
        newcomers.push_back(unit);
      }
    }
    std::vector<Schedule> became;  // for each former unit, the units with its members
    for (const Unit& old : former) {
      became.emplace_back();
      for (std::size_t i = 0; i < units_.size(); ++i) {
        const Queue& unit = units_[i].upward;
        if (std::any_of(unit.begin(), unit.end(),
                        [&](const Request& r) { return has(old.upward, r); })) {
          became.back().push_back(static_cast<std::uint8_t>(i));
        }
      }
    }
    std::vector<Schedule> carried;
    for (const Schedule& schedule : schedules_) {
      Schedule now;
      std::uint32_t at = from.cylinder;
      for (const std::uint8_t old : schedule) {
        for (const std::uint8_t part : parts(became[old], now, at)) {
          now.push_back(part);
          at = travel(units_[part], at).back().cylinder;
        }
      }
      if (std::find(carried.begin(), carried.end(), now) == carried.end()) carried.push_back(now);
    }
    schedules_ = carried;
    return newcomers;
  }

  // Of the units that a former unit became, those that are not placed yet, in the order of travel.
  Schedule parts(const Schedule& became, const Schedule& placed, std::uint32_t at) const {
    Schedule found;
    for (const std::uint8_t unit : became) {
      if (placed.find(unit) == Schedule::npos) found.push_back(unit);
    }
    if (found.size() < 2) return found;
    Queue members;
    for (const std::uint8_t unit : found) {
      const Queue& more = units_[unit].upward;
      members.insert(members.end(), more.begin(), more.end());
    }
    const Unit all(members);
    const bool upward = &travel(all, at) == &all.upward;
    std::sort(found.begin(), found.end(), [&](std::uint8_t a, std::uint8_t b) {
      const Request &first = units_[a].upward[0], &second = units_[b].upward[0];
      const bool below = first.cylinder != second.cylinder ? first.cylinder < second.cylinder
                                                           : first.order < second.order;
      return below == upward;
    });
    return found;
  }

  void prune(const Place& from) const {
    std::vector<std::pair<Value, Schedule>> all;
    for (const Schedule& s : schedules_) all.push_back({evaluate(s, from), s});
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return goes_first(a.second, a.first, b.second, b.first);
    });
    schedules_.clear();
    std::size_t count = 0;
    for (const auto& [value, schedule] : all) {
      const bool is_far = value.cost > all[0].first.cost + seek_.back();  // theorem 2
      if (value.misses ? count >= l_ : is_far) continue;
      if (++count > u_) break;
      schedules_.push_back(schedule);
    }
  }

  std::uint32_t tau_;
  std::size_t u_, l_, kmax_;
  std::uint64_t turn_ticks64_;
  std::uint64_t fixed_ = 0;
  std::vector<std::uint64_t> seek_;
  mutable std::map<std::uint64_t, Request> told_;  // arrivals that were announced and still wait
  mutable std::vector<Unit> units_;
  mutable std::vector<Schedule> schedules_ = {{}};
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

// GSCAN_SEEN_MAX: if more wait, the oldest are examined.
constexpr std::size_t kSeen = 256;

constexpr int kOfAnOption = 1500;  // queues; rows without options take all

const Rows<RandomCase> kRandom{
    {"Gscan", "gscan", as<reference::Gscan>(), kSeen},
    {"Gscan_Tau", "gscan:tau=3,u=3", as<reference::Gscan>(3U, 3UL), kSeen, kOfAnOption},
    {"Gscan_L", "gscan:tau=20,u=16,l=1", as<reference::Gscan>(20U, 16UL, 1UL), kSeen, kOfAnOption},
    {"Gscan_Kmax", "gscan:tau=0,u=12,l=12,kmax=3", as<reference::Gscan>(0U, 12UL, 12UL, 3UL), kSeen,
     kOfAnOption},
};

const Rows<TextCase> kTexts{
    {"Gscan", "gscan", 28, 0, 0, 0, "gscan:tau=100,u=64,l=8,kmax=8"},
    {"GscanTau", "gscan:tau=0", 28, 0, POLICY_PARAMETER_ZERO, 0, "gscan:tau=0,u=64,l=8,kmax=8"},
    {"GscanU", "gscan:u=20", 28, 0, 0, 20, "gscan:tau=100,u=20,l=8,kmax=8"},
    {"GscanL", "gscan:l=1", 28, 0, 0, 0, "gscan:tau=100,u=64,l=1,kmax=8", 1},
    {"GscanKmax", "gscan:kmax=6", 28, 0, 0, 0, "gscan:tau=100,u=64,l=8,kmax=6", 0, 6},
};

const Rows<WrongTextCase> kWrongTexts{
    {"GscanTau", "gscan:tau=65536", "is not possible"},
    {"GscanU", "gscan:u=5001", "is not possible"},
    {"GscanL", "gscan:l=5001", "is not possible"},
    {"GscanKmax", "gscan:kmax=65", "is not possible"},
};

// A seek takes 2 ms and 0.1 ms a cylinder, half a turn 5 ms. 49 and 48 first take 4.2 ms of seeks.
// Then 90 after them ends at 25.4 ms. 90 first takes 6 ms, and those after it 8.2.
TEST(Gscan, BestEffortGoesFirst_WhereTheDeadlineAllows) {
  for (const bool allows : {true, false}) {
    PolicyBench bench(without_angles());
    bench.select("gscan:tau=5");
    bench.place_heads(50);
    bench.add(49);
    bench.add(48);
    bench.make_due(bench.add(90), allows ? 26 * kMs : 25 * kMs);
    EXPECT_THAT(bench.cylinders_served(),
                allows ? ElementsAre(49, 48, 90) : ElementsAre(90, 49, 48));
  }
}

// As units of their own 40, 46 and 90 take 2.4 + 2.6 + 6.4 = 11.4 ms of seeks. A group is entered
// at the end that is nearer. 46 and 40 are one if tau is 7: 2.2 + 2.6 + 7 = 11.8 ms.
TEST(Gscan, Group_IsEnteredAtTheNearerEnd) {
  for (const bool grouped : {true, false}) {
    PolicyBench bench(without_angles());
    bench.select(grouped ? "gscan:tau=7" : "gscan:tau=6");
    bench.place_heads(44);
    for (const std::uint32_t cylinder : {40U, 46U, 90U}) bench.add(cylinder);
    EXPECT_THAT(bench.cylinders_served(),
                grouped ? ElementsAre(46, 40, 90) : ElementsAre(40, 46, 90));
  }
}

// Distances just below tau, and equal to it.
TEST(Gscan, Tau_IsTheDistanceThatIsTooFar) {
  for (const std::uint32_t tau : {5U, 6U}) {
    PolicyBench bench(without_angles());
    bench.select("gscan:tau=" + std::to_string(tau));
    const ::candidate& one = bench.add(40);
    const ::candidate& other = bench.add(45);
    (void)bench.choose();
    EXPECT_EQ(one.mark == other.mark, tau == 6);
  }
}

// Real time splits the group that it lies in, and is never in one.
TEST(Gscan, RealTimeSplitsAGroup) {
  PolicyBench bench(without_angles());
  bench.select("gscan");
  const ::candidate& below = bench.add(40);
  const ::candidate& above = bench.add(44);
  (void)bench.choose();
  EXPECT_EQ(below.mark, above.mark);
  ::candidate& between = bench.add(42);
  bench.make_due(between, 500 * kMs);
  (void)bench.choose();
  EXPECT_NE(below.mark, above.mark);
  EXPECT_NE(below.mark, between.mark);
  EXPECT_NE(above.mark, between.mark);
}

// Up to kmax real-time requests are units: those with the earliest deadlines that can be met. 20 is
// due first and hopeless. It waits with the best effort until there is room.
TEST(Gscan, Kmax_EarliestFeasibleAreUnits) {
  PolicyBench bench(without_angles());
  bench.select("gscan:kmax=2");
  bench.place_heads(50);
  ::candidate& hopeless = bench.add(20);
  bench.make_due(hopeless, 1 * kMs);
  const ::candidate& best_effort = bench.add(50);
  ::candidate& later = bench.add(60);
  bench.make_due(later, 100 * kMs);
  ::candidate& latest = bench.add(70);
  bench.make_due(latest, 200 * kMs);
  ::candidate& early = bench.add(80);
  bench.make_due(early, 50 * kMs);
  (void)bench.choose();
  EXPECT_EQ(hopeless.mark, 0);
  EXPECT_EQ(best_effort.mark, 0);
  EXPECT_EQ(latest.mark, 0);
  EXPECT_NE(later.mark, 0);
  EXPECT_NE(early.mark, 0);
  bench.serve(early);
  EXPECT_NE(latest.mark, 0);
  EXPECT_EQ(bench.cylinders_served().size(), 4U);
}

// At any time the policy may be selected: waiting requests are announced to it, and all are served.
TEST(Gscan, SwitchedToAndFrom_LosesNothing) {
  std::mt19937 random(28);
  PolicyBench bench(hundred_cylinders());
  for (const char* policy : {"gscan", "scanrt", "gscan:tau=0,kmax=3", "fcfs", "gscan:u=2"}) {
    bench.select(policy);
    for (int i = 0; i < 30; ++i) {
      ::candidate& candidate = bench.add(static_cast<std::uint32_t>(random() % 100));
      if (random() % 2 == 0) bench.make_due(candidate, static_cast<int>(random() % 200) * kMs);
    }
    const std::size_t waiting = bench.waiting_count();
    for (std::size_t served = 1; served <= 10; ++served) {
      bench.serve(*bench.choose());
      ASSERT_EQ(bench.waiting_count(), waiting - served) << policy;
    }
  }
  EXPECT_EQ(bench.cylinders_served().size(), 100U);
}

// Requests leave without an announcement, as buffered writes do. They are all members of the best
// schedule's first unit, one of a group, or all requests in units.
TEST(Gscan, DepartureBeforeItsAnnouncement_LosesNoRequest) {
  for (const bool told : {true, false}) {
    PolicyBench bench(without_angles());
    bench.select("gscan:kmax=2");
    bench.place_heads(50);
    std::vector<::candidate*> all;
    for (const std::uint32_t cylinder : {52U, 54U, 95U, 20U, 21U})
      all.push_back(&bench.add(cylinder));
    for (const std::uint32_t cylinder : {30U, 40U}) {
      all.push_back(&bench.add(cylinder));
      bench.make_due(*all.back(), 500 * kMs);
    }
    while (!all.empty()) {
      ::candidate* chosen = bench.choose();
      ASSERT_EQ(std::count(all.begin(), all.end(), chosen), 1);
      EXPECT_EQ(bench.choose(), chosen);  // to find out has changed nothing
      if (told) {
        bench.withdraw(*chosen);
      } else {
        candidate_set_remove(bench.waiting(), chosen);
      }
      all.erase(std::find(all.begin(), all.end(), chosen));
    }
    EXPECT_EQ(bench.choose(), nullptr);
  }
}

// A request that has left and returns counts as a new arrival.
TEST(Gscan, LeavesAndReturns_IsServedOnce) {
  PolicyBench bench(without_angles());
  bench.select("gscan:tau=0");
  ::candidate& first = bench.add(10);
  bench.add(20);
  (void)bench.choose();
  candidate_set_remove(bench.waiting(), &first);
  candidate_set_insert(bench.waiting(), nullptr, &first);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(10, 20));
}

// The drive serves another request than the policy would (HEAD OF QUEUE), even one of a group with
// which no schedule begins. The following choices are still the definition's.
TEST(Gscan, OtherRequestServedFirst_ContinuesAsItsDefinitionSays) {
  constexpr std::uint32_t kSeed = 2013;
  std::mt19937 random(kSeed);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  PolicyBench bench(hundred_cylinders());
  int otherwise = 0;
  for (int queue = 0; queue < 600; ++queue) {
    SCOPED_TRACE(testing::Message() << "queue " << queue << " of seed " << kSeed);
    bench.reset();
    bench.select("gscan:tau=6,u=24,l=4");
    reference::Gscan definition(bench.drive(), 6, 24, 4);
    std::uint32_t to_come = 4 + below(20);
    bench.place_heads(below(100));
    while (to_come > 0 || bench.waiting_count() > 0) {
      for (std::uint32_t now = std::min(to_come, 1 + below(8)); now > 0; --now, --to_come) {
        ::candidate& one = bench.add(below(100));
        if (below(4) == 0) bench.make_due(one, (5 + below(200)) * kMs);
      }
      const reference::Queue all = bench.queue();
      const reference::Moment moment = bench.moment();
      const reference::Request wanted = definition.choose(all, moment);
      ::candidate* chosen = bench.choose();
      ASSERT_EQ(PolicyBench::request_of(*chosen).order, wanted.order);
      if (below(3) == 0) {
        for (std::uint32_t i = below(static_cast<std::uint32_t>(all.size())); i > 0; --i) {
          chosen = chosen->next != nullptr ? chosen->next : bench.waiting()->first;
        }
        ++otherwise;
      }
      const reference::Request served = PolicyBench::request_of(*chosen);
      const auto others = [&](const reference::Request& r) { return r.order != served.order; };
      definition.served(served, reference::those(all, others), moment);
      bench.serve(*chosen);
    }
  }
  EXPECT_GT(otherwise, 1000);
}

// All orders of 10, 20 and 30 are within a sweep of the best. A choice at the place where the
// arrivals found the arm needs no new evaluation.
TEST(Gscan, Counters_CountTheWork) {
  PolicyBench bench(without_angles());
  bench.select("gscan:tau=0");
  for (const std::uint32_t cylinder : {10U, 20U, 30U}) bench.add(cylinder);
  (void)bench.choose();
  const ::gscan_counters& counters = *gscan_counters_of(bench.scheduler().state.bytes);
  EXPECT_EQ(counters.arrival.times, 3U);
  EXPECT_EQ(counters.arrival.units, 1U + 2U + 3U);
  EXPECT_EQ(counters.arrival.created, 1U + 2U + 6U);
  EXPECT_EQ(counters.arrival.kept, 1U + 2U + 6U);
  EXPECT_EQ(counters.decision.times, 1U);
  EXPECT_EQ(counters.decision.units, 3U);
  EXPECT_EQ(counters.decision.evaluations, 0U);
  bench.serve(*bench.choose());
  EXPECT_EQ(counters.decision.kept, 2U);  // two of six schedules began with the served one
  (void)bench.choose();
  EXPECT_GE(counters.decision.evaluations, 2U);
  EXPECT_LE(counters.decision.evaluations, 4U);  // two units in two schedules
}

}  // namespace
}  // namespace headstack::test
