// SPDX-License-Identifier: Apache-2.0
// Reference schedulers (host/reference) against all orders of short queues, on a drive whose
// accesses take the expected time. That is a seek of 2 ms and 0.1 ms for each cylinder, half a turn
// of 10 ms, and the transfer. All are whole ticks, so nothing is rounded. Those of the static
// queues are in test_realtime_vectors.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "host/reference/reference_scheduler.hpp"
#include "host/reference/waiting.hpp"
#include "tests/firmware/policy_bench.hpp"

namespace headstack::test {
namespace {

namespace refs = headstack::reference_scheduler;

constexpr std::uint32_t kSeed = 2013;
constexpr std::int64_t kSeekTicks = 2 * kMs, kCylinderTicks = kMs / 10, kHalfTurnTicks = 5 * kMs;
constexpr std::int64_t kTransferTicks = 2;  // 100 / 2^24 of 400,000

struct Wanted {
  std::int64_t cylinder;
  std::int64_t due;  // ticks from now; INT64_MAX: best effort
};

struct Value {
  std::int64_t seeks = 0;
  std::int64_t met = 0;     // deadlines
  std::int64_t met_of = 0;  // deadlines that could be met
};

/// Makes a reference scheduler choose from a queue.
class Referee {
 public:
  std::size_t choose(const std::string& name, const std::vector<Wanted>& queue, std::uint32_t arm) {
    bench_.reset();
    bench_.scheduler().policy = refs::find(name);
    bench_.place_heads(arm);
    std::vector<::candidate*> candidates;
    for (const Wanted& wanted : queue) {
      candidates.push_back(&bench_.add(static_cast<std::uint32_t>(wanted.cylinder)));
      if (wanted.due != INT64_MAX) bench_.make_due(*candidates.back(), wanted.due);
    }
    const ::candidate* chosen = bench_.choose();
    return static_cast<std::size_t>(std::find(candidates.begin(), candidates.end(), chosen) -
                                    candidates.begin());
  }

  ::policy_view view() {
    return {bench_.waiting(), bench_.scheduler().predictor, &bench_.heads(), 0, nullptr, false};
  }

 private:
  PolicyBench bench_{without_angles()};
};

std::int64_t seek_ticks(std::int64_t from, std::int64_t to) {
  return from == to ? 0 : kSeekTicks + kCylinderTicks * std::abs(from - to);
}

bool is_hopeless(const Wanted& one, std::uint32_t arm) {
  return seek_ticks(arm, one.cylinder) + kHalfTurnTicks + kTransferTicks > one.due;
}

Value value(const std::vector<Wanted>& queue, const std::vector<std::size_t>& order,
            std::uint32_t arm) {
  Value value;
  std::int64_t now = 0, at = arm;
  for (const std::size_t i : order) {
    const std::int64_t seek = seek_ticks(at, queue[i].cylinder);
    at = queue[i].cylinder;
    value.seeks += seek;
    now += seek + kHalfTurnTicks + kTransferTicks;
    if (queue[i].due == INT64_MAX || is_hopeless(queue[i], arm)) continue;
    ++value.met_of;
    value.met += now <= queue[i].due ? 1 : 0;
  }
  return value;
}

void each_order(std::size_t count,
                const std::function<void(const std::vector<std::size_t>&)>& see) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  do see(order);
  while (std::next_permutation(order.begin(), order.end()));
}

/// Units of deadlines are 64 ticks: a due time that is a multiple is not rounded. The bench begins
/// at a multiple.
std::vector<Wanted> random_queue(std::mt19937& random, std::size_t count, int urgent) {
  std::vector<Wanted> queue;
  for (std::size_t i = 0; i < count; ++i) {
    const bool real_time = static_cast<int>(random() % 10) < urgent;
    const std::int64_t due = static_cast<std::int64_t>(5 + random() % 60) * kMs;
    queue.push_back({static_cast<std::int64_t>(random() % 100), real_time ? due : INT64_MAX});
  }
  return queue;
}

struct Case {
  const char* name;
  bool leaves_hopeless_out;
};
class OptG : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Kinds, OptG,
                         ::testing::Values(Case{"opt-g", true}, Case{"opt-g-literal", false}),
                         [](const auto& test_info) {
                           return test_info.param.leaves_hopeless_out ? "Live" : "Literal";
                         });

// The chosen request begins an order with the least seeks among those that meet all deadlines that
// count. If there is none, it begins one with the least seeks.
TEST_P(OptG, BeginsALeastOrderOfAll) {
  std::mt19937 random(kSeed);
  Referee referee;
  int feasible = 0, infeasible = 0;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", queue " << round);
    const std::size_t count = 1 + random() % 6;
    const std::vector<Wanted> queue = random_queue(random, count, 5);
    const std::uint32_t arm = random() % 100;
    std::vector<std::int64_t> kept(count, INT64_MAX), any(count, INT64_MAX);
    each_order(count, [&](const std::vector<std::size_t>& order) {
      const Value of = value(queue, order, arm);
      any[order[0]] = std::min(any[order[0]], of.seeks);
      bool all = of.met == of.met_of;
      if (!GetParam().leaves_hopeless_out) {
        all = all && std::none_of(queue.begin(), queue.end(),
                                  [&](const Wanted& one) { return is_hopeless(one, arm); });
      }
      if (all) kept[order[0]] = std::min(kept[order[0]], of.seeks);
    });
    const std::int64_t least = *std::min_element(kept.begin(), kept.end());
    const std::size_t chosen = referee.choose(GetParam().name, queue, arm);
    ASSERT_LT(chosen, count);
    if (least != INT64_MAX) {
      EXPECT_EQ(kept[chosen], least);
      ++feasible;
    } else {
      EXPECT_EQ(any[chosen], *std::min_element(any.begin(), any.end()));
      ++infeasible;
    }
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(infeasible, 10);
}

// The chosen request begins an order that meets as many deadlines as any.
TEST(OptD, BeginsAnOrderThatMeetsMost) {
  std::mt19937 random(kSeed);
  Referee referee;
  int hard = 0;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", queue " << round);
    const std::size_t count = 1 + random() % 6;
    const std::vector<Wanted> queue = random_queue(random, count, 8);
    const std::uint32_t arm = random() % 100;
    std::vector<std::int64_t> met(count, 0);
    std::int64_t could_be = 0;
    each_order(count, [&](const std::vector<std::size_t>& order) {
      const Value of = value(queue, order, arm);
      met[order[0]] = std::max(met[order[0]], of.met);
      could_be = of.met_of;
    });
    const std::int64_t most = *std::max_element(met.begin(), met.end());
    const std::size_t chosen = referee.choose("opt-d", queue, arm);
    ASSERT_LT(chosen, count);
    EXPECT_EQ(met[chosen], most);
    hard += most < could_be ? 1 : 0;
  }
  EXPECT_GT(hard, 50);
}

// Earliest deadline first meets all deadlines here. So would the nearest, but the reference takes
// edf.
TEST(OptD, EqualsEdf_IfEdfMeetsAll) {
  Referee referee;
  EXPECT_EQ(referee.choose("opt-d", {{50, 90 * kMs}, {90, 60 * kMs}, {51, INT64_MAX}}, 50), 1U);
}

// Of more than eleven live requests the earliest is served, though it alone is far away and all
// others could be met without it. Of eleven it is given up.
TEST(OptD, OfMoreThanElevenTakesTheEarliest) {
  const auto queue_of = [](std::int64_t near) {
    std::vector<Wanted> queue = {{99, 17 * kMs}};
    for (std::int64_t i = 0; i < near; ++i) queue.push_back({0, (18 + 6 * i) * kMs - 6 * kMs});
    return queue;
  };
  Referee referee;
  EXPECT_NE(referee.choose("opt-d", queue_of(10), 0), 0U);
  EXPECT_EQ(referee.choose("opt-d", queue_of(0), 0), 0U);
  std::vector<Wanted> twelve = queue_of(10);
  twelve.insert(twelve.begin() + 1, Wanted{98, 16 * kMs + 960 * 40});
  ASSERT_EQ(twelve.size(), 12U);
  const std::size_t chosen = referee.choose("opt-d", twelve, 0);
  std::size_t earliest = 0;
  for (std::size_t i = 1; i < twelve.size(); ++i) {
    if (twelve[i].due < twelve[earliest].due) earliest = i;
  }
  EXPECT_EQ(chosen, earliest);
}

// The sweep with fewer seeks in all goes first, though the nearest lies on the other side. Of equal
// sweeps the upward one goes first.
TEST(OptT, TakesTheCheaperSweep) {
  Referee referee;
  // Up first: 2 + 1, then 2 + 4: 30 to 40 to 0 has 2.0 + 1.0 + 2.0 + 4.0. Down first: 3.0 + 2 + 4.0
  // + 2.
  EXPECT_EQ(referee.choose("opt-t", {{0, INT64_MAX}, {40, INT64_MAX}}, 30), 1U);
  EXPECT_EQ(referee.choose("opt-t", {{0, INT64_MAX}, {80, INT64_MAX}}, 30), 0U);
  EXPECT_EQ(referee.choose("opt-t", {{10, INT64_MAX}, {50, INT64_MAX}}, 30), 1U);
  // The nearest is above, at 35; the far end, too: down first is cheaper.
  EXPECT_EQ(referee.choose("opt-t", {{35, INT64_MAX}, {90, INT64_MAX}, {20, INT64_MAX}}, 30), 2U);
}

// No order that goes one way and then the other has fewer seeks than the chosen sweep.
TEST(OptT, NoSweepSeeksLess) {
  std::mt19937 random(kSeed);
  Referee referee;
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 6;
    const std::vector<Wanted> queue = random_queue(random, count, 0);
    const std::uint32_t arm = random() % 100;
    const auto sweep = [&](bool upward) {
      std::vector<std::size_t> ahead, behind;
      for (std::size_t i = 0; i < count; ++i) {
        const bool is_ahead = upward ? queue[i].cylinder >= arm : queue[i].cylinder <= arm;
        (is_ahead ? ahead : behind).push_back(i);
      }
      const auto by_distance = [&](std::size_t one, std::size_t other) {
        return std::abs(queue[one].cylinder - arm) < std::abs(queue[other].cylinder - arm);
      };
      std::stable_sort(ahead.begin(), ahead.end(), by_distance);
      std::stable_sort(behind.begin(), behind.end(), by_distance);
      ahead.insert(ahead.end(), behind.begin(), behind.end());
      return ahead;
    };
    const auto up = sweep(true), down = sweep(false);
    const bool upward = value(queue, up, arm).seeks <= value(queue, down, arm).seeks;
    EXPECT_EQ(referee.choose("opt-t", queue, arm), (upward ? up : down)[0])
        << "seed " << kSeed << ", queue " << round;
  }
}

// Of more than eight, a beam searches. It has each request once, keeps deadlines, and has no fewer
// seeks than the exact search finds; mostly as few.
TEST(LeastSeeks, OfABeamKeepDeadlinesAndAreNearTheLeast) {
  std::mt19937 random(kSeed);
  Referee referee;
  int found = 0, least = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", queue " << round);
    std::vector<Wanted> queue = random_queue(random, 10, 3);
    for (Wanted& one : queue) one.due = one.due == INT64_MAX ? one.due : 2 * one.due;
    const std::uint32_t arm = random() % 100;
    static_cast<void>(referee.choose("opt-t", queue, arm));
    const ::policy_view view = referee.view();
    const refs::Waiting waiting(view);
    const refs::Order exact = refs::least_seeks(waiting, waiting.requests(), true, 10);
    const refs::Order beam = refs::least_seeks(waiting, waiting.requests(), true, 8);
    if (exact.places.empty()) {
      EXPECT_TRUE(beam.places.empty());
      continue;
    }
    if (beam.places.empty()) continue;
    ++found;
    std::vector<std::size_t> sorted = beam.places;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
    std::int64_t now = 0, at = arm;
    for (const std::size_t i : beam.places) {
      now += seek_ticks(at, queue[i].cylinder) + kHalfTurnTicks + kTransferTicks;
      at = queue[i].cylinder;
      EXPECT_LE(now, queue[i].due);
    }
    EXPECT_GE(beam.seeks, exact.seeks);
    least += beam.seeks == exact.seeks ? 1 : 0;
  }
  EXPECT_GT(found, 20);
  EXPECT_GT(least * 2, found);
}

// Twenty requests are examined, those with deadlines before all others. The youngest of thirty has
// to be served at once, or it is late.
TEST(OptG, IncludesTheYoungestDeadlineOfMany) {
  std::vector<Wanted> queue(29, Wanted{10, INT64_MAX});
  queue.push_back({60, 16 * kMs});
  Referee referee;
  EXPECT_EQ(referee.choose("opt-g", queue, 10), 29U);
}

TEST(ReferenceSchedulers, AreFoundByName) {
  for (const std::string& name : refs::names()) EXPECT_EQ(refs::find(name)->name, name);
  EXPECT_EQ(refs::find("opt"), nullptr);
  EXPECT_EQ(refs::names().size(), 4U);
}

}  // namespace
}  // namespace headstack::test
