// SPDX-License-Identifier: Apache-2.0
// Tests of `dmscan`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// dmscan: real time by deadline, then best effort in SCAN order. The first is served if it cannot
// meet its deadline. Else the group grows, one by one, as long as the better of both sweeps over it
// ends by the first deadline. The first of that sweep is served. Settled here: of equal sweeps the
// one in the arm's direction, and at most 32 in a group.
class Dmscan : public Directed {
 public:
  explicit Dmscan(bool exact = false) : exact_(exact) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const std::uint32_t from = moment.cylinder;
    Queue line =
        by_deadline(those(waiting, [](const Request& r) { return r.due_tick.has_value(); }));
    const Queue best_effort =
        scan_order(those(waiting, [](const Request& r) { return !r.due_tick; }), from);
    if (line.empty()) return best_effort.front();
    line.insert(line.end(), best_effort.begin(), best_effort.end());
    if (line.size() > 32) line.resize(32);
    Dmscan turned = *this;
    turned.up_ = !up_;
    const std::uint64_t due = moment.due(line.front());
    Request first = line.front();
    Queue group;
    for (const Request& r : line) {
      group.push_back(r);
      const Queue onward = scan_order(group, from), back = turned.scan_order(group, from);
      const std::uint64_t onward_end = ends(onward, moment).back();
      const std::uint64_t back_end = ends(back, moment).back();
      if (std::min(onward_end, back_end) > due) break;
      first = onward_end <= back_end ? onward.front() : back.front();
    }
    return first;
  }

 private:
  std::vector<std::uint64_t> ends(const Queue& path, const Moment& moment) const {
    return exact_ ? moment.access_ends(path) : moment.mean_ends(path);
  }

  bool exact_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Dmscan", "dmscan", as<reference::Dmscan>()},
    {"Dmscan_Exact", "dmscan:price=exact", as<reference::Dmscan>(true)},
};

const Rows<TextCase> kTexts{
    {"Dmscan", "dmscan", 21, 0, 0, 0, "dmscan"},
    {"DmscanExact", "dmscan:price=exact", 21, 1, 0, 0, "dmscan:price=exact"},
};

const Rows<OrderCase> kOrders{
    {"Dmscan_WithoutDeadlines_IsScan", "dmscan", 50, {40, 60, 10, 70}, {60, 70, 40, 10}},
};

// Heads at 50. 70 alone ends at 9 ms, after 60 at 16 ms (hundred_cylinders).
TEST(Dmscan, GroupGrowsWhileTheFirstDeadlineIsMet) {
  for (const int due_ms : {15, 17}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("dmscan");
    bench.place_heads(50);
    bench.make_due(bench.add(70), due_ms * kMs);
    bench.make_due(bench.add(60), 100 * kMs);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 15 ? 70U : 60U);
  }
}

// 40 and 90, upward first: 9 + 5 = 11 ms and then 50 cylinders back, 12 ms. Downward first: 3 + 5
// and 7 + 5, 20 ms in all instead of 23.
TEST(Dmscan, BetterOfBothSweeps) {
  PolicyBench bench(hundred_cylinders());
  bench.select("dmscan");
  bench.place_heads(50);
  bench.make_due(bench.add(90), 30 * kMs);
  bench.make_due(bench.add(40), 31 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 40U);
}

// The first deadline cannot be met: it is served at once all the same.
TEST(Dmscan, HopelessFirst_IsServed) {
  PolicyBench bench(hundred_cylinders());
  bench.select("dmscan");
  bench.place_heads(50);
  bench.make_due(bench.add(90), -5 * kMs);
  bench.make_due(bench.add(51), 20 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 90U);
}

}  // namespace
}  // namespace headstack::test
