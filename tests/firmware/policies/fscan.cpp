// SPDX-License-Identifier: Apache-2.0
// Tests of `fscan`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// fscan: SCAN over a frozen set. Settled here: the set has the requests that wait when its first is
// served. It is served to the last one, with a turn inside it where SCAN turns. Then the next set
// is taken. The direction carries over from set to set.
class Fscan : public Directed {
 public:
  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Queue frozen = those(waiting, [&](const Request& r) { return is_frozen(r); });
    return scan(frozen.empty() ? waiting : frozen, moment.cylinder);
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    Directed::served(request, others, moment);
    if (!is_frozen(request)) last_frozen_ = youngest(request, others);
  }

 private:
  bool is_frozen(const Request& r) const { return last_frozen_ && r.order <= *last_frozen_; }

  std::optional<std::uint64_t> last_frozen_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Fscan", "fscan", as<reference::Fscan>()},
};

const Rows<OrderCase> kOrders{
    {"Fscan_IsScan_WhileNobodyArrives", "fscan", 50, {10, 60, 40, 70}, {60, 70, 40, 10}},
};

const Rows<DetourCase> kDetours{
    {"OthersHaveNone", "fscan", false, 50, 49, POLICY_NO_DETOUR},
};

const Rows<WaitCase> kWaits{
    // The rest of a set, and a set of its own.
    {"Fscan", "fscan", 2 * kQueueThatWaits - 1},
};

const Rows<SweepCase> kSweeps{{"fscan", false}};

const Rows<TextCase> kTexts{
    {"Fscan", "fscan", 5, 0, 0, 0, "fscan"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"NoParameters", "fscan:edge",
     "policy 'fscan': 'edge' is unknown; this policy has no parameters"},
};

// Arrivals while the set is served wait for the next one, though they lie on the way.
TEST(Fscan, ArrivalsWaitForTheNextSet) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  bench.add(80);
  bench.add(40);
  EXPECT_EQ(bench.choose(), &first);
  bench.serve(first);
  bench.add(61);
  bench.add(60);
  // The set to its end, with its turn; then the next set, in the direction that is left.
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(80, 40, 60, 61));
}

// What arrives before the set's first request is served takes part.
TEST(Fscan, ArrivalsBeforeTheFirstIsServed_TakePart) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  bench.add(80);
  EXPECT_EQ(bench.choose(), &first);
  bench.add(55);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(55, 60, 80));
}

TEST(Fscan, SetWhoseRestIsHeldBack_IsOver) {
  PolicyBench bench(hundred_cylinders());
  bench.select("fscan");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  ::candidate& rest = bench.add(80);
  bench.serve(first);
  bench.add(70);
  bench.add(65);
  bench.withdraw(rest);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(65, 70));
}

}  // namespace
}  // namespace headstack::test
