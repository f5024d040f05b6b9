// SPDX-License-Identifier: Apache-2.0
// Tests of `fahrrad`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// fahrrad: W is the worst case of an access. The set has real time by deadline while k W fit before
// the earliest deadline (the first always). Then it has the oldest best effort while another W fits
// into three times. They are the horizon, d_k - now - k W of every real-time request, and what the
// set's real time leaves before the earliest deadline. SCAN over the set. Settled here: without
// real time, and with a horizon below W, the oldest alone.
class Fahrrad : public Directed {
 public:
  explicit Fahrrad(double worst_ms = 14, double horizon_ms = 250)
      : worst_(static_cast<Measure>(worst_ms * 40'000)),
        horizon_(static_cast<Measure>(horizon_ms * 40'000)) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Measure now = static_cast<Measure>(moment.now_tick);
    Queue set;
    Measure room = horizon_, k = 0, first = 0;
    for (const Request& r :
         by_deadline(those(waiting, [](const Request& q) { return q.due_tick.has_value(); }))) {
      const Measure due = static_cast<Measure>(*r.due_tick) - now;
      if (k++ == 0) first = due;
      room = std::min(room, due - k * worst_);
      if (k > 1 && k * worst_ > first) continue;
      set.push_back(r);
      room = std::min(room, first - k * worst_);
    }
    Queue best_effort = those(waiting, [](const Request& q) { return !q.due_tick; });
    while (!best_effort.empty() && (room >= worst_ || set.empty())) {
      const Request oldest = least(best_effort, [](const Request&) { return 0; });
      set.push_back(oldest);
      room -= worst_;
      best_effort = those(best_effort, [&](const Request& q) { return q.order != oldest.order; });
    }
    return scan(set, moment.cylinder);
  }

 private:
  Measure worst_;
  Measure horizon_;
};

// The same with reservations: a budget u p of a stream, refilled at every multiple of p, less what
// was overdrawn. The oldest of a stream are real time, too, while its budget is more than W for
// each of them before. They are due when they say, else at the period's end. All others of the
// stream are best effort. If a request of the stream waits, the rest of the budget counts as real
// time without requests. It is W each, after all that is due as early. The earliest deadline is at
// most the next end of a period. An access is charged what it takes by the drive's predictor, when
// it begins, if any of the budget is left.
class FahrradReserved : public Directed {
 public:
  struct Reserved {
    std::uint32_t stream;
    std::uint64_t period;  // ticks
    Measure full;          // ticks
  };

  explicit FahrradReserved(std::vector<Reserved> reserved, double worst_ms = 14)
      : reserved_(std::move(reserved)), worst_(static_cast<Measure>(worst_ms * 40'000)) {
    for (const Reserved& one : reserved_) budgets_[one.stream] = {0, one.full};
  }

  Request choose(const Queue& waiting, const Moment& moment) const override {
    Queue best_effort;
    std::vector<Claim> claims = claims_of(waiting, moment.now_tick, &best_effort);
    const Measure now = static_cast<Measure>(moment.now_tick);
    Queue set;
    Measure room = 250 * 40'000, k = 0, first = 0;
    for (const Claim& claim : claims) {
      const Measure due = claim.due - now;
      if (k++ == 0) first = std::min(due, next_refill(moment.now_tick) - now);
      room = std::min(room, due - k * worst_);
      const bool fits = k * worst_ <= first;
      if (!fits && (!claim.request || !set.empty())) continue;
      if (claim.request) set.push_back(*claim.request);
      room = std::min(room, first - k * worst_);
    }
    for (const Request& r : best_effort) {
      if (room < worst_ && !set.empty()) break;
      set.push_back(r);
      room -= worst_;
    }
    return scan(set, moment.cylinder);
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    Directed::served(request, others, moment);
    for (const Reserved& one : reserved_) {
      if (one.stream != request.stream) continue;
      const Measure left = left_of(one, moment.now_tick);
      if (left <= 0) continue;
      budgets_[one.stream] = {
          moment.now_tick / one.period,
          left - static_cast<Measure>(moment.end_tick(request) - moment.now_tick)};
    }
  }

 private:
  struct Claim {
    Measure due;
    std::optional<Request> request;
  };
  struct Budget {
    std::uint64_t period = 0;  // number of the one that it was left in
    Measure left = 0;
  };

  Measure left_of(const Reserved& one, std::uint64_t now) const {
    const Budget& budget = budgets_.at(one.stream);
    Measure left = budget.left;
    for (std::uint64_t period = budget.period; period < now / one.period && left < one.full;
         ++period) {
      left += one.full;
    }
    return std::min(left, one.full);
  }

  Measure end_of_period(const Reserved& one, std::uint64_t now) const {
    return static_cast<Measure>((now / one.period + 1) * one.period);
  }

  Measure next_refill(std::uint64_t now) const {
    Measure next = INT64_MAX;
    for (const Reserved& one : reserved_) next = std::min(next, end_of_period(one, now));
    return next;
  }

  std::vector<Claim> claims_of(const Queue& waiting, std::uint64_t now, Queue* best_effort) const {
    std::vector<Claim> claims;
    std::map<std::uint32_t, Measure> asked;
    Queue by_age = waiting;
    std::sort(by_age.begin(), by_age.end(),
              [](const Request& a, const Request& b) { return a.order < b.order; });
    for (const Request& r : by_age) {
      bool is_due = r.due_tick.has_value();
      Measure due = is_due ? static_cast<Measure>(*r.due_tick) : 0;
      for (const Reserved& one : reserved_) {
        if (one.stream != r.stream) continue;
        is_due = asked[r.stream] * worst_ < left_of(one, now);
        if (is_due) ++asked[r.stream];
        if (!r.due_tick) due = end_of_period(one, now);
      }
      if (is_due) {
        claims.push_back({due, r});
      } else {
        best_effort->push_back(r);
      }
    }
    for (const Reserved& one : reserved_) {
      if (asked.count(one.stream) == 0 || asked[one.stream] == 0) continue;
      for (Measure k = asked[one.stream]; k * worst_ < left_of(one, now); ++k) {
        claims.push_back({end_of_period(one, now), std::nullopt});
      }
    }
    std::stable_sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
      if (a.due != b.due) return a.due < b.due;
      return a.request.has_value() && !b.request.has_value();
    });
    return claims;
  }

  std::vector<Reserved> reserved_;
  Measure worst_;
  std::map<std::uint32_t, Budget> budgets_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Fahrrad", "fahrrad", as<reference::Fahrrad>()},
    {"Fahrrad_W6_Horizon60", "fahrrad:w=6,horizon=60", as<reference::Fahrrad>(6.0, 60.0)},
    {"Fahrrad_Horizon0_1", "fahrrad:horizon=0.1", as<reference::Fahrrad>(14.0, 0.1)},
    // u p: 150 of 500 ms and 10 of 40. The others are 60 of 100, 1 of 1,000 and 10 of 30 with a W
    // of 6 ms.
    {"Fahrrad_Reserved",
     "fahrrad",
     as<reference::FahrradReserved>(std::vector<reference::FahrradReserved::Reserved>{
         {1, 500 * kMs, 150 * kMs}, {7, 40 * kMs, 10 * kMs}}),
     SIZE_MAX,
     10'000,
     {"1:u=0.3,p=500ms", "7:u=0.25,p=40ms"}},
    {"Fahrrad_ReservedThree",
     "fahrrad:w=6",
     as<reference::FahrradReserved>(
         std::vector<reference::FahrradReserved::Reserved>{
             {0, 100 * kMs, 60 * kMs}, {1, 1000 * kMs, 1 * kMs}, {7, 30 * kMs, 9 * kMs}},
         6.0),
     SIZE_MAX,
     10'000,
     {"0:u=0.6,p=100ms", "1:u=0.001,p=1000ms", "7:u=0.3,p=30ms"}},
};

const Rows<TextCase> kTexts{
    {"Fahrrad", "fahrrad", 27, 0, 0, 0, "fahrrad:w=14,horizon=250"},
    {"FahrradBoth", "fahrrad:w=6.5,horizon=60", 27, 0, 65, 600, "fahrrad:w=6.5,horizon=60"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"FahrradW", "fahrrad:w=1000.1", "is not possible"},
    {"FahrradHorizon", "fahrrad:horizon=10000.1", "is not possible"},
};

// Two worst cases of 14 ms fit before 28 ms, not before 27.
TEST(Fahrrad, RealTimeThatFitsBeforeTheEarliestDeadline_IsReordered) {
  for (const int due_ms : {27, 29}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fahrrad");
    bench.place_heads(50);
    bench.make_due(bench.add(80), due_ms * kMs);
    bench.make_due(bench.add(60), 100 * kMs);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 27 ? 80U : 60U);
  }
}

// The same of a best effort.
TEST(Fahrrad, BestEffortThatFits_IsReordered) {
  for (const int due_ms : {27, 29}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fahrrad");
    bench.place_heads(50);
    bench.make_due(bench.add(80), due_ms * kMs);
    bench.add(60);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 27 ? 80U : 60U);
  }
}

// Three deadlines at 55 or 57 ms: after 42 ms of real time another 14 fit, or do not.
TEST(Fahrrad, AllRealTimeCounts) {
  for (const int due_ms : {55, 57}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fahrrad");
    bench.place_heads(50);
    for (const std::uint32_t cylinder : {80U, 90U, 95U}) {
      bench.make_due(bench.add(cylinder), due_ms * kMs);
    }
    bench.add(60);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 55 ? 80U : 60U);
  }
}

// The horizon of 30 ms has room for two: the oldest, though others are nearer.
TEST(Fahrrad, Horizon_TakesTheOldest) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fahrrad:horizon=30");
  bench.place_heads(50);
  bench.add(70);
  bench.add(60);
  bench.add(50);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 70, 50));
}

// The promise of the policy's head. There are two reserved streams, one request of each always
// waiting, among best effort and a stream without a reservation that never end. The drive's
// accesses take no more than W = 23 ms: 11.9 of seek, a turn, and the transfer. The sum of u + W /
// p is 0.85, and W / (the shortest p) 0.077.
TEST(Fahrrad, ReservedStream_GetsItsPartOfEveryPeriod) {
  struct Stream {
    std::uint8_t number;
    std::uint64_t period, full;
  };
  const Stream streams[] = {{2, 1000 * kMs, 450 * kMs}, {5, 300 * kMs, 90 * kMs}};
  for (const std::uint32_t depth : {1U, 2U, 8U}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("fahrrad:w=23");
    bench.settle({"2:u=0.45,p=1000ms", "5:u=0.3,p=300ms"});
    std::mt19937 random(depth);
    const auto arrive = [&](std::uint8_t stream) {
      bench.add(static_cast<std::uint32_t>(random() % 100), 0, static_cast<std::uint32_t>(random()))
          .stream = stream;
    };
    for (const Stream& stream : streams) {
      for (std::uint32_t i = 0; i < depth; ++i) arrive(stream.number);
    }
    for (int i = 0; i < 30; ++i) arrive(i % 2 == 0 ? 0 : 9);
    std::map<std::uint8_t, std::map<std::uint64_t, std::int64_t>> given;
    std::uint64_t now = 0;
    for (int i = 0; i < 4000; ++i) {
      ::candidate* chosen = bench.choose();
      const std::uint8_t stream = chosen->stream;
      const std::uint64_t from = bench.heads().at_tick;
      bench.serve(*chosen);
      now = bench.heads().at_tick;
      ASSERT_LE(now - from, 23U * kMs);
      for (const Stream& one : streams) {
        if (one.number == stream) {
          given[stream][from / one.period] += static_cast<std::int64_t>(now - from);
        }
      }
      arrive(stream);
    }
    for (const Stream& one : streams) {
      // The bench's clock begins 25 ms into the first period; the last is not over.
      std::int64_t all = 0, due = 0;
      for (std::uint64_t period = 0; period < now / one.period; ++period) {
        const std::int64_t part = given[one.number][period];
        const std::int64_t full = static_cast<std::int64_t>(one.full);
        all += part;
        due += full;
        ASSERT_GE(part, full - 23 * kMs) << int{one.number} << " in " << period;
        ASSERT_GE(all, due) << "stream " << int{one.number} << " up to period " << period
                            << ", depth " << depth;
      }
    }
  }
}

// Stream 3 has 30 of 1,000 ms. With W = 14 ms three of its four are real time, due at the end of
// the period. The fourth does not fit: it is best effort, though it has a deadline. It is the
// youngest.
TEST(Fahrrad, BeyondItsBudget_IsBestEffort) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fahrrad:horizon=0.1");
  bench.settle({"3:u=0.03,p=1000ms"});
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {90U, 80U, 70U, 60U}) bench.add(cylinder).stream = 3;
  bench.make_due(*bench.waiting()->last, 20 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 70U);
}

}  // namespace
}  // namespace headstack::test
