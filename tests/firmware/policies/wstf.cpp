// SPDX-License-Identifier: Apache-2.0
// Tests of `wstf`, and its rows of the tables.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

const Rows<EqualPriceCase> kEqualPrices{{"Wstf", "wstf"}};

const Rows<TextCase> kTexts{
    {"Initial", "wstf", 10, 0, 0, 0, "wstf:m=30,floor=0.01"},
    {"FlagWithEquals", "wstf:floor=none", 10, 1, 0, 0, "wstf:m=30,floor=none"},
    {"Both", "wstf:m=1.5,floor=0.2", 10, 0, 1500, 200, "wstf:m=1.5,floor=0.2"},
    {"MPerRequest", "wstf:m_per_request", 10, 2, 0, 0, "wstf:floor=0.01,m_per_request"},
    {"AgeFromChoice", "wstf:age=choice", 10, 4, 0, 0, "wstf:m=30,floor=0.01,age=choice"},
    {"Wstf_LeastM", "wstf:m=0.001", 10, 0, 1, 0, "wstf:m=0.001,floor=0.01"},
    {"Wstf_MostM", "wstf:m=3000", 10, 0, 3'000'000, 0, "wstf:m=3000,floor=0.01"},
    {"Wstf_Floor1", "wstf:floor=1", 10, 0, 0, 1000, "wstf:m=30,floor=1"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"Excluded", "wstf:m=3,m_per_request",
     "policy 'wstf': 'm' has no meaning with 'm_per_request'"},
    {"FloorTwice", "wstf:floor=0.1,floor=none", "'floor' has no meaning with 'floor=none'"},
    {"Wstf_MBelowTheRange", "wstf:m=0", "policy 'wstf': 'm=0' is not possible: 0.001 to 3000 s"},
    {"Wstf_MAboveTheRange", "wstf:m=3000.001", "'m=3000.001' is not possible"},
    {"Wstf_FloorAboveTheRange", "wstf:floor=1.001", "'floor=1.001' is not possible: 0 to 1"},
};

const Rows<FaultCase> kFaults{
    {"SecondParameter", POLICY_NUMBER_wstf, 0, {0, 1001}, POLICY_FAULT_PARAMETER + 1},
    {"ParameterWithAFlagThatExcludesIt", POLICY_NUMBER_wstf, 2, {30'000}, POLICY_FAULT_PARAMETER},
    {"TheSameWithoutIt", POLICY_NUMBER_wstf, 2, {0}, POLICY_FAULT_NONE},
};

/// Two requests on a drive without angles, so that what an access takes does not change.
class Wstf : public testing::Test {
 protected:
  std::uint64_t price(const ::candidate& candidate, std::int64_t left) {
    return bench_.access_turn24(candidate) * static_cast<std::uint64_t>(left);
  }

  PolicyBench bench_{without_angles(), 1600};
};

// M = 30 s is 18,750,000 units of 64 ticks. The old one, 10 cylinders away, against a new one on
// the next cylinder: the longest wait that is too short, and one unit more.
TEST_F(Wstf, OldRequestWins_AsSoonAsItsWeightMakesUpForTheSeek) {
  constexpr std::int64_t kM = 18'750'000;
  for (const std::int64_t more : {0, 1}) {
    bench_.reset();
    bench_.select("wstf");
    bench_.place_heads(50);
    ::candidate& old = bench_.add(60);
    ::candidate probe = old;
    probe.cylinder = 51;
    // access(old) * (M - E) <= access(new) * M: the old one wins the tie.
    const auto needed = static_cast<std::int64_t>(
        (price(old, kM) - price(probe, kM) + bench_.access_turn24(old) - 1) /
        bench_.access_turn24(old));
    bench_.wait(static_cast<std::uint64_t>(needed - 1 + more) * 64);
    ::candidate& fresh = bench_.add(51);
    EXPECT_EQ(bench_.choose(), more == 1 ? &old : &fresh);
  }
}

struct OverdueCase {
  const char* policy;
  const char* first;  // first of three requests that have waited far longer than M
};

// Past M the weight is negative, and the paper's rule prefers the costliest. A floor keeps it
// positive, so that the cheapest goes first. A floor of 0 makes all equal, so that the oldest goes
// first.
TEST_F(Wstf, Overdue_GoByTheFloor) {
  const OverdueCase cases[] = {{"wstf:floor=none", "costliest"},
                               {"wstf", "cheapest"},
                               {"wstf:floor=1", "cheapest"},
                               {"wstf:floor=0", "oldest"}};
  for (const OverdueCase& c : cases) {
    bench_.reset();
    bench_.select(c.policy);
    bench_.place_heads(50);
    const std::map<std::string, ::candidate*> waiting = {
        {"oldest", &bench_.add(60)}, {"costliest", &bench_.add(90)}, {"cheapest", &bench_.add(51)}};
    bench_.wait(40 * kTicksPerSecond);
    EXPECT_EQ(bench_.choose(), waiting.at(c.first)) << c.policy;
  }
}

// The older request is a unit older, and costs more than twice as much as the other. A unit before
// M their weights are 1 and 2; at M 0 and 1.
TEST_F(Wstf, ExactlyAtM_TheWeightIsNothing) {
  for (const bool reached : {false, true}) {
    bench_.reset();
    bench_.select("wstf:m=2,floor=0");
    bench_.place_heads(50);
    ::candidate& older = bench_.add(99);
    bench_.wait(64);
    ::candidate& younger = bench_.add(50);
    ASSERT_LT(2 * bench_.access_turn24(younger), bench_.access_turn24(older));
    bench_.wait(2 * kTicksPerSecond - 64 - (reached ? 0 : 64));
    EXPECT_EQ(bench_.choose(), reached ? &older : &younger);
  }
}

// An overdue request goes before one with time left, however cheap that is: 1 % of the longest
// access is below the shortest.
TEST_F(Wstf, Overdue_GoBeforeTheOthers) {
  bench_.select("wstf");
  bench_.place_heads(50);
  ::candidate& overdue = bench_.add(99);
  bench_.wait(30 * kTicksPerSecond);
  bench_.add(50);
  EXPECT_EQ(bench_.choose(), &overdue);
}

// After hours E stops at 57 minutes, and the order stays the same.
TEST_F(Wstf, HoursOfWaiting_DoNotOverflow) {
  for (const char* policy : {"wstf:floor=none", "wstf:m=3000,floor=none"}) {
    bench_.reset();
    bench_.select(policy);
    bench_.place_heads(50);
    ::candidate& nearer = bench_.add(51, 0, 0, 0x7FFFFFFF);
    bench_.wait(1000 * kTicksPerSecond);
    ::candidate& farther = bench_.add(99, 0, 0, 0x7FFFFFFF);
    bench_.wait(5800 * kTicksPerSecond);
    // Both have waited for more than 57 minutes: their weights are equal and negative, so the
    // costlier one goes first.
    EXPECT_EQ(bench_.choose(), &farther) << policy;
    bench_.withdraw(farther);
    ::candidate& fresh = bench_.add(50);
    EXPECT_EQ(bench_.choose(), &nearer) << policy;
    bench_.withdraw(nearer);
    EXPECT_EQ(bench_.choose(), &fresh);
  }
}

// A plan may be for a later moment than now, or for an earlier one. An arrival after that moment
// has an age of 0.
TEST_F(Wstf, ArrivalAfterThePlansMoment_HasWaitedForNothing) {
  bench_.select("wstf");
  bench_.place_heads(50);
  ::candidate& first = bench_.add(60);
  const ::head_state then = bench_.heads();
  bench_.wait(kTicksPerSecond);
  ::candidate& later = bench_.add(51);
  const ::scheduler& scheduler = bench_.scheduler();
  const ::policy_view view = {scheduler.waiting, scheduler.predictor, &then, 0, nullptr, false};
  const auto is_better = scheduler.policy->is_better;
  EXPECT_TRUE(is_better(scheduler.state.bytes, &view, &later, &first)) << "cheaper, and no younger";
}

// Requests that arrived since the last choice have no age at a choice, however long ago they
// arrived. From then on they age. Of two at the same distance the one with an age goes first;
// without ages, the older one.
TEST_F(Wstf, AgeFromChoice_BeginsWithTheFirstChoiceAfterTheArrival) {
  bench_.select("wstf:m=0.1,age=choice");
  bench_.place_heads(50);
  ::candidate& far = bench_.add(99);
  ::candidate& near = bench_.add(50);
  bench_.wait(kTicksPerSecond / 20);
  EXPECT_EQ(bench_.choose(), &near) << "both are new: half of M after the arrival";
  bench_.serve(near);
  ::candidate& fresh = bench_.add(50);
  EXPECT_EQ(bench_.choose(), &fresh) << "one access is not enough";
  bench_.wait(kTicksPerSecond / 10);
  EXPECT_EQ(bench_.choose(), &far) << "overdue, after the choice that found it";
}

// A request that was held back joins late, in its old place. It counts as no older than the oldest
// that waits.
TEST_F(Wstf, AgeFromChoice_NoneIsOlderThanTheOldest) {
  bench_.select("wstf:m=1,floor=none,age=choice");
  bench_.place_heads(50);
  ::candidate& oldest = bench_.add(60);
  ::candidate& held = bench_.add(61);
  bench_.withdraw(held);
  ::candidate& served = bench_.add(50);
  bench_.wait(kTicksPerSecond / 2);
  bench_.serve(served);
  ::candidate_set* waiting = bench_.waiting();
  candidate_set_insert(waiting, &oldest, &held);
  // By arrival, it has waited 0.5 s longer, and half of M would make up for a cylinder.
  EXPECT_EQ(bench_.choose(), &oldest);
  const ::policy_view view = {waiting, bench_.scheduler().predictor, &bench_.heads(), 0, nullptr,
                              false};
  EXPECT_FALSE(
      bench_.scheduler().policy->is_better(bench_.scheduler().state.bytes, &view, &held, &oldest));
}

/// M in seconds: how long the distant one of two has to wait until it goes before a new one nearby.
/// M follows from equal prices, a_far (M - E) = a_near M.
double measured_m_s(PolicyBench& bench) {
  const auto far_goes_first = [&](::candidate& far, std::uint64_t ticks) {
    bench.wait(ticks);
    ::candidate& near = bench.add(bench.heads().cylinder);
    const bool first = bench.choose() == &far;
    bench.withdraw(near);
    bench.wait(0 - ticks);
    return first;
  };
  ::candidate& far = bench.add(bench.heads().cylinder < 400 ? 800 : 0);
  ::candidate& near = bench.add(bench.heads().cylinder);
  const auto far_access = static_cast<double>(bench.access_turn24(far));
  const double share = 1 - static_cast<double>(bench.access_turn24(near)) / far_access;
  bench.withdraw(near);
  std::uint64_t low = 0, high = 100 * kTicksPerSecond;
  while (high - low > 64) {
    const std::uint64_t middle = (low + high) / 2;
    (far_goes_first(far, middle) ? high : low) = middle;
  }
  bench.withdraw(far);
  return static_cast<double>(high) / kTicksPerSecond / share;
}

// Seltzer, Chen, Ousterhout, footnote 4: M is "150% * average I/O time of FCFS * queue length".
// Section 4.1: that average is half a rotation, an average seek and the 2.0 ms of a 4 KB block. The
// seek's mean over all pairs of 840 cylinders, by the curve of figure 1.
TEST(WstfPerRequest, MIsThePapers) {
  double mean_ms = 500.0 / 60 + 8 * (1000.0 / 60) / 67;
  for (int distance = 1; distance < 840; ++distance) {
    const double seek_ms =
        distance <= 239 ? 4.6 + 0.87 * std::sqrt(distance) : 18 + 0.028 * (distance - 239);
    mean_ms += 2.0 * (840 - distance) / (840.0 * 840.0) * seek_ms;
  }
  drive::Design design = shipped("eagle").design;
  design.rotational_latency = drive::RotationalLatency::kMean;
  PolicyBench bench(design);
  for (const std::uint32_t queue : {1U, 2U, 10U, 100U}) {
    bench.reset();
    bench.select("wstf:m_per_request");
    for (std::uint32_t i = 0; i < queue; ++i) bench.add(i, 0, 0, (8 << 24) / 67);
    bench.serve(*bench.choose());
    while (bench.waiting_count() > 0) bench.withdraw(*bench.scheduler().waiting->last);
    EXPECT_NEAR(measured_m_s(bench), 1.5 * mean_ms / 1000 * queue, 2e-5 * queue) << queue;
  }
}

// Requests of different lengths: M follows their mean.
TEST(WstfPerRequest, MFollowsTheTransfersServed) {
  drive::Design design = shipped("eagle").design;
  design.rotational_latency = drive::RotationalLatency::kMean;
  PolicyBench bench(design);
  bench.select("wstf:m_per_request");
  double m_s[2] = {};
  for (double& m : m_s) {
    const std::uint32_t turns = &m == &m_s[0] ? 1 : 3;
    for (int i = 0; i < 2000; ++i) bench.serve(bench.add(0, 0, 0, turns << 24));
    m = measured_m_s(bench);
  }
  EXPECT_NEAR(m_s[1] - m_s[0], 1.5 * 2 / 60, 5e-5) << "two turns of 1/60 s";
}

// With floor=0 overdue requests are served by age, before all others: no request passes one that is
// overdue at a choice.
TEST(WaitingOfWstf, Floor0_NothingPassesTheOldestOverdue) {
  constexpr std::uint64_t kM = 400'000;  // 10 ms
  PolicyBench bench(hundred_cylinders());
  bench.select("wstf:m=0.01,floor=0");
  std::mt19937 random(7);
  int overdue_served = 0;
  for (int i = 0; i < 5000; ++i) {
    while (bench.waiting_count() < kQueueThatWaits) {
      bench.add(static_cast<std::uint32_t>(random() % 100), 0,
                static_cast<std::uint32_t>(random()));
    }
    const ::candidate* oldest = bench.scheduler().waiting->first;
    const std::uint64_t now = bench.heads().at_tick / 64;
    const bool overdue = now - oldest->arrived_64ticks >= kM / 64;
    ::candidate* chosen = bench.choose();
    if (overdue) {
      ++overdue_served;
      ASSERT_EQ(chosen, oldest);
    }
    bench.serve(*chosen);
  }
  EXPECT_GT(overdue_served, 1000);
}

}  // namespace
}  // namespace headstack::test
