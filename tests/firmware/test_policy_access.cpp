// Policies that price accesses, at the edges of their definitions. A drive of 100 cylinders whose
// turn takes 10 ms; a seek takes 2 ms and 0.1 ms for each cylinder. It begins half a turn after the
// index.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/firmware/policy_bench.hpp"

namespace headstack {
namespace {

using test::PolicyBench;
using testing::ElementsAre;
using Cylinders = std::vector<std::uint32_t>;

constexpr std::uint32_t turn32(double turns) {
  return static_cast<std::uint32_t>(turns * 4294967296.0);
}
constexpr std::uint32_t turn24(double turns) {
  return static_cast<std::uint32_t>(turns * 16777216.0);
}

constexpr std::uint64_t kTicksPerSecond = 40'000'000;

/// One whose waits are half a turn, wherever the heads are: an access takes the same at all times.
drive::Design without_angles() {
  drive::Design design = test::hundred_cylinders();
  design.rotational_latency = drive::RotationalLatency::kMean;
  return design;
}

TEST(Stf, FartherCylinderWins_WhenItsSectorComesSooner) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select("stf");
  bench.place_heads(50);
  bench.add(50, 0, turn32(0.4));                          // 9 ms
  ::candidate& farther = bench.add(51, 0, turn32(0.75));  // 2.1 ms to 0.71, then 0.4 ms
  EXPECT_EQ(bench.choose(), &farther);
}

// The 2.1 ms seek ends at 0.71 of a turn: a sector that begins there is caught, one that began just
// before has gone by.
TEST(Stf, SectorJustCaught_AndJustMissed) {
  for (const bool caught : {true, false}) {
    PolicyBench bench(test::hundred_cylinders());
    bench.select("stf");
    bench.place_heads(50);
    ::candidate& own = bench.add(50, 0, turn32(0.9));
    ::candidate& edge = bench.add(51, 0, turn32(0.71) + (caught ? 256 : -1024));
    EXPECT_EQ(bench.choose(), caught ? &edge : &own);
  }
}

// The search goes from near to far, and stops where the seek alone takes longer than the best so
// far, not where it takes as long: there an older one may lie.
class EqualPrice : public testing::TestWithParam<const char*> {};

TEST_P(EqualPrice, OlderOne_IsFoundAtTheVeryEndOfTheSearch) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select(GetParam());
  bench.place_heads(50);
  ::candidate far;  // to be caught as soon as the seek is over, and of no length
  far.cylinder = 60;
  far.head = 0;
  far.kind = CANDIDATE_READ;
  far.span_turn24 = 0;
  std::uint64_t least = UINT64_MAX;
  std::uint32_t best_angle = 0;
  for (std::uint32_t step = 0; step < 2048; ++step) {
    far.angle_turn32 = turn32(0.8) - 0x40000 + 256 * step;
    if (bench.access_turn24(far) >= least) continue;
    least = bench.access_turn24(far);
    best_angle = far.angle_turn32;
  }
  ::candidate& oldest = bench.add(60, 0, best_angle, 0);
  const auto wait_turn32 = static_cast<std::uint32_t>(least << 8);
  ::candidate& near = bench.add(50, 0, bench.heads().angle_turn32 + wait_turn32, 0);
  for (int i = 0; i < 40; ++i) bench.add(50, 0, bench.heads().angle_turn32 - 256);
  ASSERT_EQ(bench.access_turn24(oldest), bench.access_turn24(near));
  EXPECT_EQ(bench.choose(), &oldest);
}

INSTANTIATE_TEST_SUITE_P(Policy, EqualPrice,
                         testing::Values("stf", "gstf:group=100", "eschenbach:order=100", "wstf"));

struct GroupCase {
  const char* what;
  const char* policy;
  Cylinders served;
};

// From 50, of groups of ten cylinders.
const GroupCase kGroupCases[] = {
    {"Cyclic", "gstf:group=10", {50, 59, 60, 95, 20, 49}},
    {"Bounce", "gstf:group=10,bounce", {50, 59, 60, 95, 49, 20}},
    {"Frozen", "gstf:group=10,frozen", {50, 59, 60, 95, 20, 49}},
    {"BounceFrozen", "gstf:group=10,bounce,frozen", {50, 59, 60, 95, 49, 20}},
    {"Eschenbach", "eschenbach:order=10", {50, 59, 60, 95, 20, 49}},
};

class Groups : public testing::TestWithParam<GroupCase> {};

// 59 is the group's last cylinder, 60 and 49 are its neighbours', and cheaper; 99 belongs to the
// last group. In a group the nearest: no wait depends on the angle here.
TEST_P(Groups, AreServedOneAfterTheOther) {
  PolicyBench bench(without_angles());
  bench.select(GetParam().policy);
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {49U, 60U, 20U, 95U, 59U, 50U}) bench.add(cylinder);
  EXPECT_EQ(bench.cylinders_served(), GetParam().served);
}

INSTANTIATE_TEST_SUITE_P(Policy, Groups, testing::ValuesIn(kGroupCases),
                         test::case_name<GroupCase>);

TEST(Gstf, GroupOfTheWholeDrive_IsStf) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=100");
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {20U, 52U, 49U}) bench.add(cylinder);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(49, 52, 20));
}

// A quarter of the cylinders: 25 to each group, so that 49 belongs to the second and 50 to the
// third.
TEST(Gstf, InitialGroup_IsAQuarter) {
  PolicyBench bench(without_angles());
  bench.select("gstf");
  bench.place_heads(49);
  for (const std::uint32_t cylinder : {50U, 25U, 24U}) bench.add(cylinder);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(25, 50, 24));
}

// Not that of the cylinder on which the heads came to rest.
TEST(Gstf, CurrentGroup_IsThatOfTheRequestServedLast) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=10");
  bench.place_heads(50);
  bench.serve(bench.add(59));
  bench.place_heads(60);  // a transfer across the border
  ::candidate& own = bench.add(50);
  bench.add(60);
  EXPECT_EQ(bench.choose(), &own);
}

class GstfArrivals : public testing::Test {
 protected:
  /// 55 is served, then 50 and 65 arrive, and 57 is still there.
  Cylinders served_by(const char* policy) {
    PolicyBench bench(without_angles());
    bench.select(policy);
    bench.place_heads(55);
    ::candidate& first = bench.add(55);
    bench.add(58);
    bench.serve(first);
    bench.add(56);
    bench.add(65);
    return bench.cylinders_served();
  }
};

TEST_F(GstfArrivals, TakePart) { EXPECT_THAT(served_by("gstf:group=10"), ElementsAre(56, 58, 65)); }

TEST_F(GstfArrivals, Frozen_WaitUntilEveryOtherGroupHasHadItsTurn) {
  EXPECT_THAT(served_by("gstf:group=10,frozen"), ElementsAre(58, 65, 56));
  EXPECT_THAT(served_by("gstf:group=10,frozen,bounce"), ElementsAre(58, 65, 56));
}

TEST_F(GstfArrivals, Frozen_OnlyThisGroupHasAny_IsEnteredAnew) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=10,frozen");
  bench.place_heads(55);
  bench.serve(bench.add(55));
  ::candidate& late = bench.add(52);
  bench.add(59);
  EXPECT_EQ(bench.choose(), &late);
  bench.serve(late);
  bench.add(53);  // after the group was entered anew
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(59, 53));
}

// They are there when the group's first request is served.
TEST_F(GstfArrivals, Frozen_BeforeTheGroupIsEntered_TakePart) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=10,frozen");
  bench.place_heads(55);
  ::candidate& last = bench.add(55);
  bench.add(68);
  bench.serve(last);
  bench.add(62);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(62, 68));
}

TEST(Gstf, Bounce_TurnsWhereNoGroupAheadHasARequest) {
  PolicyBench bench(without_angles());
  bench.select("gstf:group=10,bounce");
  bench.place_heads(50);
  bench.serve(bench.add(70));
  ::candidate& back = bench.add(45);  // turns
  bench.serve(back);
  ::candidate& below = bench.add(5);
  bench.add(55);  // nearer, but behind
  EXPECT_EQ(bench.choose(), &below);
}

// Half a turn after the index: the long one begins first, the short one ends first.
TEST(Eschenbach, GoesByWhereSectorsBegin_GstfByWhereTheyEnd) {
  for (const bool eschenbach : {true, false}) {
    PolicyBench bench(test::hundred_cylinders());
    bench.select(eschenbach ? "eschenbach" : "gstf:group=1");
    bench.place_heads(50);
    ::candidate& brief = bench.add(50, 0, turn32(0.65), turn24(0.05));
    ::candidate& lengthy = bench.add(50, 0, turn32(0.6), turn24(0.5));
    EXPECT_EQ(bench.choose(), eschenbach ? &lengthy : &brief);
  }
}

// The own cylinder to its end, though the sector on the next one comes sooner; then the next above,
// though the one below is nearer.
TEST(Eschenbach, GoesByCylinderFirst) {
  PolicyBench bench(test::hundred_cylinders());
  bench.select("eschenbach");
  bench.place_heads(50);
  bench.add(49, 0, turn32(0.8));
  bench.add(51, 0, turn32(0.75));
  bench.add(50, 0, turn32(0.4));
  bench.add(50, 0, turn32(0.7));
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(50, 50, 51, 49));
}

// ------------------------------------------------------------------------------------------- wstf

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
  const char* first;  // of three that have waited far longer than M
};

// Past M the weight is negative: the paper's rule prefers the costliest. A floor keeps it positive:
// the cheapest. A floor of 0 makes them all equal: the oldest.
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

// The older one is dear, the other one, a unit younger, costs less than half as much. A unit before
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

// Hours: E stops at 57 minutes, and the order stays what it was.
TEST_F(Wstf, HoursOfWaiting_DoNotOverflow) {
  for (const char* policy : {"wstf:floor=none", "wstf:m=3000,floor=none"}) {
    bench_.reset();
    bench_.select(policy);
    bench_.place_heads(50);
    ::candidate& nearer = bench_.add(51, 0, 0, 0x7FFFFFFF);
    bench_.wait(1000 * kTicksPerSecond);
    ::candidate& farther = bench_.add(99, 0, 0, 0x7FFFFFFF);
    bench_.wait(5800 * kTicksPerSecond);
    // Both are past 57 minutes: the same weight, negative, and the costlier one first.
    EXPECT_EQ(bench_.choose(), &farther) << policy;
    bench_.withdraw(farther);
    ::candidate& fresh = bench_.add(50);
    EXPECT_EQ(bench_.choose(), &nearer) << policy;
    bench_.withdraw(nearer);
    EXPECT_EQ(bench_.choose(), &fresh);
  }
}

// A plan is for a later moment than now, or for an earlier one: an arrival that seems to come from
// the future has waited for nothing.
TEST_F(Wstf, ArrivalAfterThePlansMoment_HasWaitedForNothing) {
  bench_.select("wstf");
  bench_.place_heads(50);
  ::candidate& first = bench_.add(60);
  const ::head_state then = bench_.heads();
  bench_.wait(kTicksPerSecond);
  ::candidate& later = bench_.add(51);
  const ::scheduler& scheduler = bench_.scheduler();
  const ::policy_view view = {scheduler.waiting, scheduler.predictor, &then, 0};
  const auto is_better = scheduler.policy->is_better;
  EXPECT_TRUE(is_better(scheduler.state.bytes, &view, &later, &first)) << "cheaper, and no younger";
}

// A choice finds what has arrived since the last one with no age, however long ago that was; from
// then on it ages. Of two as far away the one with an age goes first, of none the older one.
TEST_F(Wstf, AgeFromChoice_BeginsWithTheFirstChoiceBehindTheArrival) {
  bench_.select("wstf:m=0.1,age=choice");
  bench_.place_heads(50);
  ::candidate& far = bench_.add(99);
  ::candidate& near = bench_.add(50);
  bench_.wait(kTicksPerSecond / 20);
  EXPECT_EQ(bench_.choose(), &near) << "both are new: half of M behind the arrival";
  bench_.serve(near);
  ::candidate& fresh = bench_.add(50);
  EXPECT_EQ(bench_.choose(), &fresh) << "one access is not enough";
  bench_.wait(kTicksPerSecond / 10);
  EXPECT_EQ(bench_.choose(), &far) << "overdue, behind the choice that found it";
}

// One that was held back joins late, in its old place: it is no older than the oldest that waits.
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
  // By its arrival it has waited for 0.5 s more, and half of M would make up for a cylinder.
  EXPECT_EQ(bench_.choose(), &oldest);
  const ::policy_view view = {waiting, bench_.scheduler().predictor, &bench_.heads(), 0};
  EXPECT_FALSE(
      bench_.scheduler().policy->is_better(bench_.scheduler().state.bytes, &view, &held, &oldest));
}

/// M in seconds: how long the far one of two has to wait until it goes before a new one nearby.
/// Equal prices, a_far (M - E) = a_near M, tell M.
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

// Seltzer, Chen, Ousterhout, footnote 4: M is "150% * average I/O time of FCFS * queue length"; and
// section 4.1: that average is half a rotation, an average seek and the 2.0 ms of a 4 KB block.
// The seek's mean over all pairs of 840 cylinders, by the curve of figure 1.
TEST(WstfPerRequest, MIsThePapers) {
  double mean_ms = 500.0 / 60 + 8 * (1000.0 / 60) / 67;
  for (int distance = 1; distance < 840; ++distance) {
    const double seek_ms =
        distance <= 239 ? 4.6 + 0.87 * std::sqrt(distance) : 18 + 0.028 * (distance - 239);
    mean_ms += 2.0 * (840 - distance) / (840.0 * 840.0) * seek_ms;
  }
  drive::Design design = test::shipped("eagle").design;
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

// Requests of different lengths: their mean.
TEST(WstfPerRequest, MFollowsTheTransfersServed) {
  drive::Design design = test::shipped("eagle").design;
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

}  // namespace
}  // namespace headstack
