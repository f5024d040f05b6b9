// SPDX-License-Identifier: Apache-2.0
// Tests of `stfd`: its definition, and its rows of the tables. What it is worth:
// tests/fidelity/test_deadline_policies.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// stfd: the steps at the head of firmware/queue/policy_stfd.c, without pruning and without a limit
// of prices.
// Settled here:
//  - a candidate that is neither live nor expired is one of X, however far away its deadline is;
//  - a wait of 0 is 500 times a mean seek and half a turn; ages count in 64 ticks;
//  - throughput goes first (step 6) between 3/4 of the tags and the tags less a 64th, at least 1;
//  - equal keys and ends: the oldest; equal paths: the one whose accesses are earlier in V.
class Stfd : public Policy {
 public:
  explicit Stfd(const Drive& drive, std::uint64_t wait_ms = 0, std::uint64_t tags = 256)
      : turn_(1 << 24), tags_(tags) {
    const auto access = static_cast<std::uint64_t>(drive.mean_access_ticks / 64);
    wait_ = wait_ms == 0 ? 500 * access : wait_ms * 625;
  }

  Request choose(const Queue& waiting, const Moment& moment) const override {
    if (waiting.size() == 1) return waiting[0];
    if (const auto owed = promised(waiting, moment)) return *owed;
    const Queue live = find_live(waiting, moment);
    const std::vector<Other> others = find_others(waiting, moment);
    const std::vector<Request> plan = make_plan(live, moment);
    if (plan.empty()) return others.at(0).request;
    for (const Other& other : others) {
      if (is_free(other.request, plan, moment)) return other.request;
    }
    const std::size_t count =
        those(waiting, [&](const Request& r) { return is_other(r, moment); }).size();
    const std::uint64_t low = tags_ * 3 / 4;
    const std::uint64_t high = tags_ - std::max<std::uint64_t>(1, tags_ / 64);
    if (count > low && !others.empty()) {
      const std::uint64_t lead = 3 * turn_ / (high - low) * (high > count ? high - count : 0);
      const std::uint64_t price = others[0].key / (2 * oldest_age(waiting, moment));
      if (moment.access(plan[0]) > price + lead) return others[0].request;
    }
    return plan[0];
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    Queue all = others;
    all.push_back(request);
    const auto owed = promised(all, moment);
    since_ = owed && owed->order == request.order ? 0 : since_ + 1;
  }

 private:
  struct Other {
    Request request;
    std::uint64_t key = 0;
  };

  static bool is_expired(const Request& r, const Moment& moment) {
    return r.due_tick && moment.due(r) < moment.margin + r.transfer;
  }
  static bool is_other(const Request& r, const Moment& moment) {
    return !r.due_tick || is_expired(r, moment);
  }
  static bool is_live(const Request& r, const Moment& moment) {
    return !is_other(r, moment) && moment.access(r) <= moment.due(r);
  }
  static std::uint64_t age(const Request& r, const Moment& moment) {
    const std::uint64_t now = moment.now_tick / 64, then = r.arrival_tick / 64;
    return now > then ? now - then : 0;
  }

  // Step 1: the oldest best effort, then the oldest expired.
  std::optional<Request> promised(const Queue& waiting, const Moment& moment) const {
    if (since_ + 1 < 16) return {};
    const auto by_order = [](const Request& r) { return static_cast<Measure>(r.order); };
    const Queue best_effort = those(waiting, [](const Request& r) { return !r.due_tick; });
    const Queue expired = those(waiting, [&](const Request& r) { return is_expired(r, moment); });
    if (!best_effort.empty()) {
      const Request oldest = least(best_effort, by_order);
      if (age(oldest, moment) > wait_) return oldest;
    }
    if (!expired.empty()) {
      const Request oldest = least(expired, by_order);
      if (age(oldest, moment) > 4 * wait_) return oldest;
    }
    return {};
  }

  std::uint64_t oldest_age(const Queue& waiting, const Moment& moment) const {
    std::uint64_t oldest = wait_;
    for (const Request& r : waiting) {
      if (is_other(r, moment)) oldest = std::max(oldest, age(r, moment));
    }
    return oldest;
  }

  // Step 2: V.
  static Queue find_live(const Queue& waiting, const Moment& moment) {
    Queue live = those(waiting, [&](const Request& r) { return is_live(r, moment); });
    std::stable_sort(live.begin(), live.end(), [&](const Request& a, const Request& b) {
      return moment.access(a) < moment.access(b);
    });
    Queue nearest(live.begin(),
                  live.begin() + static_cast<long>(std::min<std::size_t>(5, live.size())));
    Queue urgent = those(waiting, [&](const Request& r) {
      const bool is_near = std::any_of(nearest.begin(), nearest.end(),
                                       [&](const Request& near) { return near.order == r.order; });
      return !is_other(r, moment) && !is_near;
    });
    std::stable_sort(urgent.begin(), urgent.end(),
                     [](const Request& a, const Request& b) { return *a.due_tick < *b.due_tick; });
    std::size_t added = 0;
    for (std::size_t i = 0; i < urgent.size() && i < 5 && added < 3; ++i) {
      if (!is_live(urgent[i], moment)) continue;
      nearest.push_back(urgent[i]);
      ++added;
    }
    return nearest;
  }

  // Step 2: X.
  std::vector<Other> find_others(const Queue& waiting, const Moment& moment) const {
    const std::uint64_t oldest = oldest_age(waiting, moment);
    std::vector<Other> others;
    for (const Request& r : waiting) {
      if (is_live(r, moment)) continue;
      others.push_back({r, moment.access(r) * (2 * oldest - std::min(oldest, age(r, moment)))});
    }
    std::stable_sort(others.begin(), others.end(),
                     [](const Other& a, const Other& b) { return a.key < b.key; });
    others.resize(std::min<std::size_t>(4, others.size()));
    return others;
  }

  // Step 3: the plan.
  static std::vector<Request> make_plan(const Queue& live, const Moment& moment) {
    std::vector<Queue> paths = {{}};
    std::vector<Request> plan;
    for (int length = 1; length <= 3; ++length) {
      std::vector<Queue> longer;
      for (const Queue& path : paths) {
        for (const Request& r : live) {
          const bool is_on = std::any_of(path.begin(), path.end(),
                                         [&](const Request& on) { return on.order == r.order; });
          Queue extended = path;
          extended.push_back(r);
          if (!is_on && moment.access_path(extended) <= moment.due(r)) longer.push_back(extended);
        }
      }
      if (longer.empty()) break;
      std::stable_sort(longer.begin(), longer.end(), [&](const Queue& a, const Queue& b) {
        return moment.access_path(a) < moment.access_path(b);
      });
      longer.resize(std::min<std::size_t>(4, longer.size()));
      paths = longer;
      plan = paths[0];
    }
    return plan;
  }

  // Step 5: whether the other request costs nothing, except for the rounding of a wait.
  static bool is_free(const Request& other, const Queue& plan, const Moment& moment) {
    Queue path, with = {other};
    for (const Request& r : plan) {
      path.push_back(r);
      with.push_back(r);
      if (moment.access_path(with) > moment.due(r)) return false;
      if (moment.access_path(with) <= moment.access_path(path) + 64) return true;
    }
    return false;
  }

  std::uint64_t turn_;
  std::uint64_t tags_;
  std::uint64_t wait_ = 0;  // 64 ticks
  std::uint64_t since_ = 0;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

// STFD_PRICES_MAX of stfd_lists.h: if there are more, only near candidates are priced.
constexpr std::size_t kPriced = 96;

const Rows<RandomCase> kRandom{
    {"Stfd", "stfd", as<reference::Stfd>(), kPriced},
    {"Stfd_Wait", "stfd:wait=50", as<reference::Stfd>(50ULL), kPriced},
    // Neither room for real time nor the arm's resting place changes a choice.
    {"Stfd_Tags", "stfd:tags=16,reserve=4,park", as<reference::Stfd>(0ULL, 16ULL), kPriced},
};

const Rows<TextCase> kTexts{
    {"Stfd", "stfd", 15, 0, 0, 0, "stfd:wait=0,tags=256,reserve=0"},
    {"StfdWait", "stfd:wait=50", 15, 0, 50, 0, "stfd:wait=50,tags=256,reserve=0"},
    {"StfdReserve", "stfd:reserve=64", 15, 0, 0, 0, "stfd:wait=0,tags=256,reserve=64", 64},
    {"StfdPark", "stfd:park", 15, 1, 0, 0, "stfd:wait=0,tags=256,reserve=0,park"},
    {"StfdTags", "stfd:tags=16", 15, 0, 0, 16, "stfd:wait=0,tags=16,reserve=0"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"StfdWait", "stfd:wait=600001", "is not possible"},
    {"StfdTags", "stfd:tags=3", "is not possible"},
    {"StfdReserve", "stfd:reserve=65536", "is not possible"},
};

// Waits are half a turn here, and a transfer is nearly nothing. An access takes 7 ms and 0.1 ms a
// cylinder, on the own cylinder 5 ms. Both can be met, the nearer one only if it goes first.
TEST(Stfd, PlanMeetsBoth) {
  PolicyBench bench(without_angles());
  bench.select("stfd");
  bench.place_heads(50);
  bench.make_due(bench.add(51), 30 * kMs);
  bench.make_due(bench.add(70), 10 * kMs);  // 9 ms from here; 51 first would make it 16
  EXPECT_EQ(bench.choose()->cylinder, 70U);
}

// Without a deadline that could profit, the policy chooses as stf does.
TEST(Stfd, NothingIsLive_ShortestAccess) {
  PolicyBench bench(without_angles());
  bench.select("stfd");
  bench.place_heads(50);
  bench.add(60);
  bench.add(45);
  bench.make_due(bench.add(52), -1 * kMs);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(52, 45, 60));
}

// A live request goes before nearer best effort, since no turn absorbs anything here.
TEST(Stfd, BestEffortWaitsForTheLive) {
  PolicyBench bench(without_angles());
  bench.select("stfd");
  bench.place_heads(50);
  bench.add(50);
  bench.make_due(bench.add(90), 500 * kMs);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(90, 50));
}

// The live request's sector passes in 9 ms, that of the best effort on the way in 3: its service
// costs nothing. With its sector 1 ms before the live one's, there is no time for the seek.
TEST(Stfd, TurnAbsorbsBestEffort) {
  for (const bool absorbed : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("stfd");
    bench.place_heads(50);
    const std::uint32_t now_turn32 = bench.heads().angle_turn32;
    ::candidate& live = bench.add(60, 0, now_turn32 + turn32(0.9));
    bench.make_due(live, 20 * kMs);
    ::candidate& between = bench.add(55, 0, now_turn32 + turn32(absorbed ? 0.3 : 0.8));
    EXPECT_EQ(bench.choose(), absorbed ? &between : &live);
  }
}

// Best effort that has waited longer than `wait` goes first once in sixteen services.
TEST(Stfd, PromiseIsKept) {
  PolicyBench bench(without_angles());
  bench.select("stfd:wait=50");
  bench.place_heads(50);
  ::candidate& waits = bench.add(99);
  int services = 0;
  while (true) {
    bench.make_due(bench.add(50), 500 * kMs);
    bench.make_due(bench.add(51), 500 * kMs);
    ::candidate* chosen = bench.choose();
    if (chosen == &waits) break;
    bench.serve(*chosen);
    ASSERT_LT(++services, 100);
  }
  EXPECT_EQ(services, 15);  // 16 x 5 ms are more than 50 ms
}

// `reserve=R`: best effort finds the task set full when fewer than R slots are free; by default it
// does not.
TEST(Stfd, ReserveLimitsBestEffort) {
  const std::pair<const char*, std::uint32_t> rows[] = {
      {"stfd", UINT32_MAX},           {"stfd:reserve=64", 256 - 64},
      {"stfd:tags=16,reserve=1", 15}, {"stfd:tags=16,reserve=16", 0},
      {"stfd:tags=16,reserve=17", 0}, {"fdscan", UINT32_MAX}};
  PolicyBench bench(without_angles());
  for (const auto& [policy, most] : rows) {
    bench.select(policy);
    EXPECT_EQ(bench.scheduler().best_effort_most, most) << policy;
  }
}

// Step 6: with 16 tags and 16 others beside a distant live request there is no lead left.
TEST(Stfd, CrowdOfOthers_ThroughputGoesFirst) {
  for (const int others : {12, 16}) {
    PolicyBench bench(without_angles());
    bench.select("stfd:tags=16");
    bench.place_heads(50);
    for (int i = 0; i < others; ++i) bench.add(51);
    ::candidate& live = bench.add(90);
    bench.make_due(live, 500 * kMs);
    EXPECT_EQ(bench.choose() == &live, others == 12) << others;
  }
}

}  // namespace
}  // namespace headstack::test
