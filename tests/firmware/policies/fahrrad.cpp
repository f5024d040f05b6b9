// Tests of `fahrrad`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// fahrrad: with W the worst case of an access, real time by deadline while k W fit before the
// earliest deadline (the first always); then the oldest best effort while another W fits into the
// horizon, into d_k - now - k W of every real-time request, and into what the real time of the set
// leaves before the earliest deadline. SCAN over the set. Settled here: without real time, and with
// a horizon below W, the oldest alone.
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

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Fahrrad", "fahrrad", as<reference::Fahrrad>()},
    {"Fahrrad_W6_Horizon60", "fahrrad:w=6,horizon=60", as<reference::Fahrrad>(6.0, 60.0)},
    {"Fahrrad_Horizon0_1", "fahrrad:horizon=0.1", as<reference::Fahrrad>(14.0, 0.1)},
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

// Three deadlines at 55 or 57 ms: behind 42 ms of real time another 14 fit, or do not.
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

}  // namespace
}  // namespace headstack::test
