// SPDX-License-Identifier: Apache-2.0
// Tests of `wrrscan`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// wrrscan: a round takes the oldest of each stream, so many of each class as it has quota; who
// arrives waits for the next. With a length of a round, so many best effort more, the oldest first,
// as mean accesses fit after the round's. Served by SCAN, or by arrival. Some streams have a quota
// of their own, the same of either class.
class Wrrscan : public Directed {
 public:
  explicit Wrrscan(const Drive& drive, std::size_t real_time = 4, std::size_t best_effort = 2,
                   double round_ms = 0, bool by_arrival = false,
                   std::map<std::uint32_t, std::size_t> own_quota = {})
      : drive_(drive),
        quota_{best_effort, real_time},
        round_ticks_(round_ms * 40'000),
        by_arrival_(by_arrival),
        own_quota_(std::move(own_quota)) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    Queue round = those(waiting, [&](const Request& r) { return round_.count(r.order) != 0; });
    if (round.empty()) round = next_round(waiting);
    if (!by_arrival_) return scan(round, moment.cylinder);
    return least(round, [](const Request&) { return 0; });
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    if (!by_arrival_) Directed::served(request, others, moment);
    if (round_.count(request.order) != 0) return;
    Queue waiting = others;
    waiting.push_back(request);
    round_.clear();
    for (const Request& r : next_round(waiting)) round_.insert(r.order);
  }

 private:
  Queue next_round(Queue waiting) const {
    std::sort(waiting.begin(), waiting.end(),
              [](const Request& a, const Request& b) { return a.order < b.order; });
    std::map<std::uint32_t, std::size_t> taken[2];
    Queue round, rest;
    for (const Request& r : waiting) {
      const std::size_t service_class = r.due_tick ? 1 : 0;
      const auto own = own_quota_.find(r.stream);
      const std::size_t quota = own == own_quota_.end() ? quota_[service_class] : own->second;
      const bool fits = taken[service_class][r.stream] < quota;
      if (fits) ++taken[service_class][r.stream];
      (fits ? round : rest).push_back(r);
    }
    const double accesses = std::floor(round_ticks_ / std::floor(drive_.mean_access_ticks));
    double more = accesses - static_cast<double>(round.size());
    for (const Request& r : rest) {
      if (r.due_tick || more < 1) continue;
      more -= 1;
      round.push_back(r);
    }
    return round;
  }

  Drive drive_;
  std::size_t quota_[2];
  double round_ticks_;
  bool by_arrival_;
  std::map<std::uint32_t, std::size_t> own_quota_;
  std::set<std::uint64_t> round_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Wrrscan", "wrrscan", as<reference::Wrrscan>()},
    {"Wrrscan_Ones", "wrrscan:rt=1,be=1", as<reference::Wrrscan>(std::size_t{1}, std::size_t{1})},
    {"Wrrscan_Round", "wrrscan:round=60",
     as<reference::Wrrscan>(std::size_t{4}, std::size_t{2}, 60.0)},
    {"Wrrscan_Fcfs", "wrrscan:inner=fcfs",
     as<reference::Wrrscan>(std::size_t{4}, std::size_t{2}, 0.0, true)},
    // w goes for sweeps, k for rounds by arrival; 255 has no settings.
    {"Wrrscan_Weights",
     "wrrscan",
     as<reference::Wrrscan>(std::size_t{4}, std::size_t{2}, 0.0, false,
                            std::map<std::uint32_t, std::size_t>{{1, 1}, {7, 6}}),
     SIZE_MAX,
     10'000,
     {"1:w=1,k=9", "7:w=6"}},
    {"Wrrscan_Rangan",
     "wrrscan:inner=fcfs",
     as<reference::Wrrscan>(std::size_t{4}, std::size_t{2}, 0.0, true,
                            std::map<std::uint32_t, std::size_t>{{0, 1}, {1, 3}}),
     SIZE_MAX,
     10'000,
     {"0:k=1", "1:k=3,w=9", "7:w=6"}},
};

const Rows<WaitCase> kWaits{
    // A round has the two oldest of the stream: all that are older, and one that is younger and in
    // the same round.
    {"Wrrscan", "wrrscan", kQueueThatWaits},
    {"Wrrscan_Fcfs", "wrrscan:inner=fcfs", kQueueThatWaits - 1},
};

const Rows<TextCase> kTexts{
    {"Wrrscan", "wrrscan", 25, 0, 0, 0, "wrrscan:rt=4,be=2,round=0"},
    {"WrrscanQuotas", "wrrscan:rt=7,be=3", 25, 0, 7, 3, "wrrscan:rt=7,be=3,round=0"},
    {"WrrscanRound", "wrrscan:round=60", 25, 0, 0, 0, "wrrscan:rt=4,be=2,round=60", 600},
    {"WrrscanFcfs", "wrrscan:inner=fcfs", 25, 1, 0, 0, "wrrscan:rt=4,be=2,round=0,inner=fcfs"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"WrrscanRt0", "wrrscan:rt=0", "is not possible"},
    {"WrrscanBe256", "wrrscan:be=256", "is not possible"},
    {"WrrscanRound", "wrrscan:round=6000.1", "is not possible"},
};

void add(PolicyBench& bench, std::uint32_t cylinder, std::uint8_t stream) {
  bench.add(cylinder).stream = stream;
}

// The first round has two of stream 1, and the only one of stream 2.
TEST(Wrrscan, QuotaForEachStream) {
  PolicyBench bench(hundred_cylinders());
  bench.select("wrrscan");
  bench.place_heads(50);
  add(bench, 70, 1);
  add(bench, 60, 1);
  add(bench, 51, 1);
  add(bench, 65, 2);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 65, 70, 51));
}

TEST(Wrrscan, RoundByArrival) {
  PolicyBench bench(hundred_cylinders());
  bench.select("wrrscan:inner=fcfs");
  bench.place_heads(50);
  add(bench, 70, 1);
  add(bench, 60, 1);
  add(bench, 51, 1);
  add(bench, 65, 2);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 60, 65, 51));
}

// Stream 1 has one request a round by w, three by k; stream 2 two, as best effort has.
TEST(Wrrscan, QuotaOfItsOwn) {
  for (const bool by_arrival : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(by_arrival ? "wrrscan:inner=fcfs" : "wrrscan");
    bench.settle({"1:w=1,k=3"});
    bench.place_heads(50);
    for (const std::uint32_t cylinder : {70U, 60U, 51U}) add(bench, cylinder, 1);
    for (const std::uint32_t cylinder : {75U, 65U, 52U}) add(bench, cylinder, 2);
    if (by_arrival) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 60, 51, 75, 65, 52));
    } else {
      // 75 ends the first round's sweep; downward 60 and 52; upward from there 51's own is behind.
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(65, 70, 75, 60, 52, 51));
    }
  }
}

// A round of 40 ms holds three accesses of a mean length: two of the quota, and one more.
TEST(Wrrscan, LengthOfARound_GivesBestEffortMore) {
  for (const bool longer : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    const double mean_ms = bench.drive().mean_access_ticks / kMs;
    ASSERT_GT(mean_ms, 10.0);  // 2 ms, 5 ms, and a third of 100 cylinders' 10 ms
    ASSERT_LT(mean_ms, 10.6);
    bench.select(longer ? "wrrscan:round=32" : "wrrscan:round=30");
    bench.place_heads(50);
    add(bench, 70, 1);
    add(bench, 60, 1);
    add(bench, 51, 1);
    add(bench, 50, 1);
    EXPECT_EQ(bench.choose()->cylinder, longer ? 51U : 60U);
  }
}

}  // namespace
}  // namespace headstack::test
