// SPDX-License-Identifier: Apache-2.0
// Tests of `kamel`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// kamel: who arrives joins the main list. The sweep over it may miss a deadline v that could be
// met. As long as it does, the last best effort before v goes to the next round. With host
// priorities, it is the last of the lowest that is lower than v. Nobody is: a real-time arrival
// goes to the next round itself, and the loop ends. SCAN over the main list; when it is empty, the
// next round.
class Kamel : public Directed {
 public:
  explicit Kamel(bool exact = false) : exact_(exact) {}

  void arrived(const Request& request, const Queue& others, const Moment& moment) override {
    main_.insert(request.order);
    Queue waiting = others;
    waiting.push_back(request);
    for (;;) {
      const Queue order =
          scan_order(those(waiting, [&](const Request& r) { return main_.count(r.order) != 0; }),
                     moment.cylinder);
      const std::size_t missed = first_missed(order, moment);
      if (missed == order.size()) return;
      const Request* victim = nullptr;
      for (std::size_t i = 0; i < missed; ++i) {
        const bool lower = rank(order[i]) > rank(order[missed]);
        if (lower && (victim == nullptr || rank(order[i]) >= rank(*victim))) victim = &order[i];
      }
      if (victim == nullptr) {
        if (request.due_tick) main_.erase(request.order);
        return;
      }
      main_.erase(victim->order);
    }
  }

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Queue main = those(waiting, [&](const Request& r) { return main_.count(r.order) != 0; });
    return scan(main.empty() ? waiting : main, moment.cylinder);
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    Directed::served(request, others, moment);
    if (main_.count(request.order) != 0) return;
    for (const Request& r : others) main_.insert(r.order);
  }

 private:
  // The higher, the less important: best effort, then the host's priority, none given last.
  static std::uint32_t rank(const Request& r) {
    return (r.due_tick ? 0 : 100) + (r.priority == 0 ? 16 : r.priority);
  }

  std::vector<std::uint64_t> ends(const Queue& path, const Moment& moment) const {
    return exact_ ? moment.access_ends(path) : moment.mean_ends(path);
  }

  std::size_t first_missed(const Queue& order, const Moment& moment) const {
    const std::vector<std::uint64_t> end = ends(order, moment);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!order[i].due_tick || end[i] <= moment.due(order[i])) continue;
      if (ends({order[i]}, moment).front() <= moment.due(order[i])) return i;
    }
    return order.size();
  }

  bool exact_;
  std::set<std::uint64_t> main_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Kamel", "kamel", as<reference::Kamel>()},
    {"Kamel_Exact", "kamel:price=exact", as<reference::Kamel>(true)},
};

const Rows<TextCase> kTexts{
    {"Kamel", "kamel", 20, 0, 0, 0, "kamel"},
    {"KamelExact", "kamel:price=exact", 20, 1, 0, 0, "kamel:price=exact"},
};

const Rows<OrderCase> kOrders{
    {"Kamel_WithoutDeadlines_IsScan", "kamel", 50, {40, 60, 10, 70}, {60, 70, 40, 10}},
};

// Heads at 50; each access up to 80 takes some 8 ms (hundred_cylinders). 80 is due after two of
// them, so one of 55, 60 and 65 has to wait. It is the last of the order, though it came first.
TEST(Kamel, LastBestEffortBeforeTheMissedDeadline_IsPutOff) {
  PolicyBench bench(hundred_cylinders());
  bench.select("kamel");
  bench.place_heads(50);
  bench.add(65);
  bench.add(55);
  bench.add(60);
  bench.make_due(bench.add(80), 25 * kMs);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(55, 60, 80, 65));
}

// The same, where the host gave priorities: the lowest, 15, is put off; one without is lower still.
TEST(Kamel, LowestPriority_IsPutOff) {
  for (const bool without : {false, true}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("kamel");
    bench.place_heads(50);
    bench.add(65).priority = 1;
    bench.add(55).priority = 15;
    bench.add(60).priority = without ? 0 : 2;
    bench.make_due(bench.add(80), 25 * kMs);
    if (without) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(55, 65, 80, 60));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 65, 80, 55));
    }
  }
}

// Nobody before it is less important: the real-time arrival that makes a deadline missed waits.
TEST(Kamel, RealTimeArrival_IsPutOffItself) {
  PolicyBench bench(hundred_cylinders());
  bench.select("kamel");
  bench.place_heads(50);
  bench.make_due(bench.add(80), 12 * kMs);
  bench.make_due(bench.add(60), 100 * kMs);
  bench.add(90);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(80, 90, 60));
}

}  // namespace
}  // namespace headstack::test
