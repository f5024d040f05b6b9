// SPDX-License-Identifier: Apache-2.0
// Tests of `scanrt`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// scanrt: an arrival joins the main list or the tail. It goes to the tail if the sweep over the
// main list would then miss another's deadline that it met without the arrival. A deadline that no
// access could meet does not count. SCAN over the main list; when it is empty, the tail becomes the
// main list.
class Scanrt : public Directed {
 public:
  explicit Scanrt(bool exact = false) : exact_(exact) {}

  void arrived(const Request& request, const Queue& others, const Moment& moment) override {
    const Queue main = those(others, [&](const Request& r) { return main_.count(r.order) != 0; });
    Queue both = main;
    both.push_back(request);
    const std::set<std::uint64_t> before = missed(main, moment), now = missed(both, moment);
    for (const Request& r : main) {
      const bool hopeless = r.due_tick && ends({r}, moment).front() > moment.due(r);
      if (hopeless || now.count(r.order) == 0 || before.count(r.order) != 0) continue;
      return;  // to the tail
    }
    main_.insert(request.order);
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
  std::vector<std::uint64_t> ends(const Queue& path, const Moment& moment) const {
    return exact_ ? moment.access_ends(path) : moment.mean_ends(path);
  }

  std::set<std::uint64_t> missed(const Queue& queue, const Moment& moment) const {
    const Queue order = scan_order(queue, moment.cylinder);
    const std::vector<std::uint64_t> end = ends(order, moment);
    std::set<std::uint64_t> late;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i].due_tick && end[i] > moment.due(order[i])) late.insert(order[i].order);
    }
    return late;
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
    {"Scanrt", "scanrt", as<reference::Scanrt>()},
    {"Scanrt_Exact", "scanrt:price=exact", as<reference::Scanrt>(true)},
};

const Rows<TextCase> kTexts{
    {"Scanrt", "scanrt", 19, 0, 0, 0, "scanrt"},
    {"ScanrtExact", "scanrt:price=exact", 19, 1, 0, 0, "scanrt:price=exact"},
};

const Rows<OrderCase> kOrders{
    {"Scanrt_WithoutDeadlines_IsScan", "scanrt", 50, {40, 60, 10, 70}, {60, 70, 40, 10}},
};

// Heads at 50. An access to 70 takes 4 ms, half a turn of 5 ms and the transfer
// (hundred_cylinders): 9 ms. After one to 60 (3 + 5 ms) the next takes 3 + 5 ms, 16 ms in all.
TEST(Scanrt, WhoMakesADeadlineMissed_GoesToTheTail) {
  for (const int due_ms : {15, 17}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("scanrt");
    bench.place_heads(50);
    bench.make_due(bench.add(70), due_ms * kMs);
    bench.add(60);
    if (due_ms == 15) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 60));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 70));
    }
  }
}

// A deadline that an access at once would miss keeps nobody out.
TEST(Scanrt, HopelessDeadlines_KeepNobodyOut) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scanrt");
  bench.place_heads(50);
  bench.make_due(bench.add(70), 8 * kMs);
  bench.add(60);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 70));
}

// The tail waits for the whole main list, also for those of it that came later.
TEST(Scanrt, TailIsServedBehindTheMainList) {
  PolicyBench bench(hundred_cylinders());
  bench.select("scanrt");
  bench.place_heads(50);
  bench.make_due(bench.add(70), 15 * kMs);
  bench.add(60);
  bench.add(90);
  bench.serve(*bench.choose());
  bench.add(72);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(72, 90, 60));
}

// A selection while some wait tells of them, the oldest first, as if they had come then.
TEST(Scanrt, SelectedWhileSomeWait_HearsOfThem) {
  PolicyBench bench(hundred_cylinders());
  bench.place_heads(50);
  bench.make_due(bench.add(70), 15 * kMs);
  bench.add(60);
  bench.select("scanrt");
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 60));
}

}  // namespace
}  // namespace headstack::test
