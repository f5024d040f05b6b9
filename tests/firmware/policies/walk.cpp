// SPDX-License-Identifier: Apache-2.0
// Tests of `walk`: its definition, and its rows of the tables. What it is worth:
// tests/fidelity/test_deadline_policies.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// walk: the least access that keeps met what a walk over the m earliest live deadlines meets.
// Settled here: a deadline is live if it can be met from here; the walk leaves out deadlines that
// it reaches too late.
class Walk : public Policy {
 public:
  explicit Walk(std::size_t m = 4) : m_(m) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Queue met = find_met(waiting, moment);
    return cheapest(those(waiting, [&](const Request& r) { return is_safe(r, met, moment); }),
                    moment);
  }

 private:
  Queue find_met(const Queue& waiting, const Moment& moment) const {
    Queue live = those(
        waiting, [&](const Request& r) { return r.due_tick && moment.access(r) <= moment.due(r); });
    std::stable_sort(live.begin(), live.end(),
                     [](const Request& a, const Request& b) { return *a.due_tick < *b.due_tick; });
    live.resize(std::min(m_, live.size()));
    Queue met;
    for (const Request& r : live) {
      met.push_back(r);
      if (moment.access_path(met) > moment.due(r)) met.pop_back();
    }
    return met;
  }

  static bool is_safe(const Request& first, const Queue& met, const Moment& moment) {
    Queue path = {first};
    for (const Request& r : met) {
      if (r.order == first.order) {
        if (moment.access(r) > moment.due(r)) return false;
        continue;
      }
      path.push_back(r);
      if (moment.access_path(path) > moment.due(r)) return false;
    }
    return true;
  }

  std::size_t m_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Walk", "walk", as<reference::Walk>()},
    {"Walk_1", "walk:m=1", as<reference::Walk>(std::size_t{1})},
};

const Rows<TextCase> kTexts{
    {"Walk", "walk", 16, 0, 0, 0, "walk:m=4"},
    {"Walk8", "walk:m=8", 16, 0, 8, 0, "walk:m=8"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"Walk0", "walk:m=0", "is not possible"},
    {"Walk17", "walk:m=17", "is not possible"},
};

// Waits are half a turn: 5 ms on the own cylinder, 7 ms and 0.1 ms a cylinder elsewhere. 90 takes
// 11 ms; after 50 it ends at 16 ms.
TEST(Walk, NearOneGoesFirst_AsLongAsItIsSafe) {
  for (const int due_ms : {17, 15}) {
    PolicyBench bench(without_angles());
    bench.select("walk");
    bench.place_heads(50);
    bench.add(50);
    bench.make_due(bench.add(90), due_ms * kMs);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 17 ? 50U : 90U);
  }
}

// m=1 keeps the earliest deadline, 60 (8 ms), which leaves time for 50. 10 (11 ms; 12.1 ms from 60:
// 25 ms after both) would be too late then.
TEST(Walk, OnlyTheEarliestCount) {
  for (const bool one : {true, false}) {
    PolicyBench bench(without_angles());
    bench.select(one ? "walk:m=1" : "walk");
    bench.place_heads(50);
    bench.add(50);
    bench.make_due(bench.add(60), 14 * kMs);
    bench.make_due(bench.add(10), 22 * kMs);
    EXPECT_EQ(bench.choose()->cylinder, one ? 50U : 60U);
  }
}

}  // namespace
}  // namespace headstack::test
