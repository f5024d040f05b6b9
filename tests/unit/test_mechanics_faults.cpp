// SPDX-License-Identifier: Apache-2.0
// Faults of arm, motor and index, at the edges of the equations at the head of arm_faults.hpp,
// spindle.hpp and index_faults.hpp.
#include <gtest/gtest.h>

#include <map>

#include "sim/mechanics/head_stack.hpp"
#include "sim/mechanics/index_faults.hpp"
#include "sim/mechanics/spindle.hpp"
#include "tests/support.hpp"

namespace headstack::mechanics {
namespace {

using drive::ArmFault;
using drive::ArmFaultKind;

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

/// 40 cylinders. A seek over x cylinders takes 2 + 0.1 x ms, of which 0.5 ms are settling. A head
/// switch takes 1 ms. Writing may begin 0.3 ms later than reading.
drive::Design arm_design() {
  drive::Design design = test::small_design();
  design.cylinders = 40;
  design.seek.pieces = {{39, 2.0, 0, 0.1, 0}};
  design.seek.settle_ms = 0.5;
  design.head_switch_ms = 1.0;
  design.write_settle_ms = 0.3;
  design.zones[0].last_cylinder = 39;
  return design;
}

ArmFault fault(ArmFaultKind kind) {
  ArmFault fault;
  fault.kind = kind;
  return fault;
}

class Arm {
 public:
  explicit Arm(const std::vector<ArmFault>& faults, const drive::RandomFaults& random = {},
               std::uint64_t seed = 0)
      : model_(arm_design()), stack_(model_, ArmFaults(specimen(faults, random, seed))) {}

  HeadStack* operator->() { return &stack_; }

 private:
  static drive::Specimen specimen(const std::vector<ArmFault>& faults,
                                  const drive::RandomFaults& random, std::uint64_t seed) {
    drive::Specimen specimen;
    specimen.arm_faults = faults;
    specimen.random = random;
    specimen.flaw_seed = seed;
    return specimen;
  }
  PositioningModel model_;
  HeadStack stack_;
};

TEST(ArmSettle, LateBySoMuch_ForReadingAndForWriting) {
  ArmFault late = fault(ArmFaultKind::kSettle);
  late.for_ms = 7.5;
  Arm arm({late});
  const Positioning parts = arm->move(1000, 10, 0);
  EXPECT_EQ(arm->read_ready_at(), 1000 + from_ms(3.0 + 7.5));
  EXPECT_EQ(arm->write_ready_at(), 1000 + from_ms(3.0 + 7.5 + 0.3));
  EXPECT_EQ(parts.total(), from_ms(10.8)) << "what is told sums to what it takes";
  EXPECT_EQ(arm->state(1000 + from_ms(10.5) - 1).arm, ArmState::kSettling);
  EXPECT_FALSE(arm->read_ready(1000 + from_ms(10.5) - 1));
  EXPECT_TRUE(arm->read_ready(1000 + from_ms(10.5)));
  EXPECT_EQ(arm->state(1000 + from_ms(10.5)).arm, ArmState::kOnTrack);
}

TEST(ArmSettle, WithoutAnEnd_IsNeverReady_UntilItIsRecalibrated) {
  ArmFault never = fault(ArmFaultKind::kSettle);
  never.first_cylinder = 5;
  Arm arm({never});
  arm->move(0, 10, 1);
  EXPECT_EQ(arm->read_ready_at(), kNever);
  EXPECT_EQ(arm->write_ready_at(), kNever);
  EXPECT_EQ(arm->state(from_ms(1e6)).arm, ArmState::kSettling);
  EXPECT_DOUBLE_EQ(arm->state(from_ms(1e6)).position_cylinders, 10.0) << "it stands there";
  // A recalibration takes as long as a full stroke over 39 cylinders, 5.9 ms, from any place.
  arm->recalibrate(from_ms(50));
  EXPECT_EQ(arm->cylinder(), 0U);
  EXPECT_EQ(arm->head(), 0U);
  EXPECT_EQ(arm->read_ready_at(), from_ms(50 + 5.9));
  EXPECT_EQ(arm->write_ready_at(), from_ms(50 + 5.9 + 0.3));
}

TEST(ArmOffTrack, LeavesAndComesBack_AtTheEdges) {
  ArmFault away = fault(ArmFaultKind::kOffTrack);
  away.after_ms = 0.2;
  away.for_ms = 4;
  Arm arm({away});
  arm->move(0, 10, 0);  // read ready at 3 ms; write ready would be at 3.3 ms, after it leaves
  const Picoseconds leaves = from_ms(3.2);
  const Picoseconds returns = from_ms(7.2);
  EXPECT_EQ(arm->leaves_at(), leaves);
  EXPECT_EQ(arm->returns_at(), returns);
  EXPECT_FALSE(arm->read_ready(from_ms(3) - 1));
  EXPECT_TRUE(arm->read_ready(from_ms(3)));
  EXPECT_TRUE(arm->read_ready(leaves - 1));
  EXPECT_FALSE(arm->read_ready(leaves));
  EXPECT_FALSE(arm->write_ready(from_ms(3.3)));
  EXPECT_FALSE(arm->read_ready(returns - 1));
  EXPECT_TRUE(arm->read_ready(returns));
  EXPECT_TRUE(arm->write_ready(returns));
  EXPECT_EQ(arm->read_ready_from(from_ms(5)), returns);
  EXPECT_EQ(arm->write_ready_from(0), returns) << "the first time that it is high";
  EXPECT_EQ(arm->read_ready_from(0), from_ms(3));
}

TEST(ArmOffTrack, WithoutAnEnd_StaysAwayUntilItMoves) {
  ArmFault away = fault(ArmFaultKind::kOffTrack);
  away.after_ms = 1;
  away.seeks = 1;
  Arm arm({away});
  arm->move(0, 10, 0);
  EXPECT_FALSE(arm->read_ready(from_ms(1e6)));
  EXPECT_EQ(arm->read_ready_from(from_ms(10)), kNever);
  arm->move(from_ms(20), 11, 0);
  EXPECT_TRUE(arm->read_ready(from_ms(22.1)));
}

struct MissCase {
  const char* what;
  std::uint32_t from, target;
  std::int32_t by;
  std::uint32_t lands;
  double ms;  // 2 + 0.1 |lands - from|
};
const MissCase kMisses[] = {
    {"Short", 0, 10, -2, 8, 2.8},        {"Far", 0, 10, 3, 13, 3.3},
    {"PastTheStop", 20, 38, 5, 39, 3.9}, {"PastTheOuterStop", 20, 1, -4, 0, 4.0},
    {"NotAtAll", 12, 10, 2, 12, 0.0},
};
class ArmMiss : public testing::TestWithParam<MissCase> {};
TEST_P(ArmMiss, LandsBesideItsTarget_AndIsReadyThere) {
  const MissCase& c = GetParam();
  ArmFault miss = fault(ArmFaultKind::kWrongCylinder);
  miss.by_cylinders = c.by;
  miss.first_seek = c.from == 0 ? 1 : 2;
  Arm arm({miss});
  if (c.from != 0) arm->move(0, c.from, 0);
  const Picoseconds now = from_ms(100);
  arm->move(now, c.target, 0);
  EXPECT_EQ(arm->cylinder(), c.lands);
  EXPECT_EQ(arm->read_ready_at(), now + from_ms(c.ms));
}
INSTANTIATE_TEST_SUITE_P(ArmFaults, ArmMiss, testing::ValuesIn(kMisses), test::case_name<MissCase>);

TEST(ArmStuck, StopsHalfWay_NeverReady) {
  Arm arm({fault(ArmFaultKind::kStuck)});
  arm->move(0, 21, 0);
  EXPECT_EQ(arm->read_ready_at(), kNever);
  EXPECT_DOUBLE_EQ(arm->state(from_ms(100)).position_cylinders, 10.0) << "21 / 2, rounded back";
}

// A fault strikes only movements to its cylinders. It begins with the given movement, and strikes
// the given number of them.
TEST(ArmFaultsOf, StrikeTheMovementsThatTheySay) {
  ArmFault late = fault(ArmFaultKind::kSettle);
  late.for_ms = 1;
  late.first_cylinder = 10;
  late.last_cylinder = 20;
  late.first_seek = 3;
  late.seeks = 2;
  drive::Specimen specimen;
  specimen.arm_faults = {late};
  ArmFaults faults(specimen);
  const struct {
    std::uint32_t target;
    bool struck;
  } movements[] = {{10, false}, {20, false}, {9, false}, {21, false},
                   {10, true},  {30, false}, {20, true}, {10, false}};
  for (const auto& movement : movements) {
    EXPECT_EQ(faults.strike(movement.target).has_value(), movement.struck) << movement.target;
  }
}

TEST(ArmFaultsOf, OfTwoThatWouldStrike_TheFirstDoes_AndCounts) {
  ArmFault first = fault(ArmFaultKind::kStuck);
  first.seeks = 1;
  ArmFault second = fault(ArmFaultKind::kSettle);
  second.for_ms = 1;
  second.seeks = 1;
  drive::Specimen specimen;
  specimen.arm_faults = {first, second};
  ArmFaults faults(specimen);
  EXPECT_EQ(faults.strike(1)->kind, ArmFaultKind::kStuck);
  EXPECT_EQ(faults.strike(1)->kind, ArmFaultKind::kSettle);
  EXPECT_FALSE(faults.strike(1));
}

// The share of all movements is as given, and the four kinds are equally frequent: n p / 4 within 5
// standard deviations.
TEST(ArmFaultsOf, DrawnOnes_ComeAsOftenAsTheShareSays_AndTheSameAgain) {
  drive::Specimen specimen;
  specimen.flaw_seed = 8;
  specimen.random.arm_share = 0.2;
  specimen.random.arm_ms = 5;
  specimen.random.arm_cylinders = 2;
  ArmFaults faults(specimen);
  ArmFaults again(specimen);
  constexpr int kMovements = 40'000;
  std::map<ArmFaultKind, int> count;
  int for_ever = 0;
  int inward = 0;
  double lasted_ms = 0;
  double left_after_ms = 0;
  for (int i = 0; i < kMovements; ++i) {
    const auto mishap = faults.strike(1);
    const auto same = again.strike(1);
    ASSERT_EQ(mishap.has_value(), same.has_value());
    if (!mishap) continue;
    EXPECT_EQ(mishap->kind, same->kind);
    ++count[mishap->kind];
    EXPECT_TRUE(mishap->lasts == kNever || mishap->lasts <= from_ms(5));
    for_ever += mishap->lasts == kNever ? 1 : 0;
    inward += mishap->by_cylinders > 0 ? 1 : 0;
    if (mishap->lasts != kNever) lasted_ms += to_ms(mishap->lasts);
    left_after_ms += to_ms(mishap->leaves_after);
    EXPECT_GE(mishap->leaves_after, 10 * kPicosecondsPerMicrosecond);
    EXPECT_LE(mishap->leaves_after, from_ms(5));
    EXPECT_LE(std::abs(mishap->by_cylinders), 2);
    EXPECT_NE(mishap->by_cylinders, 0);
  }
  const double expected = kMovements * 0.2 / 4;
  for (const auto& [kind, number] : count) {
    EXPECT_NEAR(number, expected, 5 * std::sqrt(expected)) << static_cast<int>(kind);
  }
  EXPECT_EQ(count.size(), 4U);
  // Half of the mishaps last for ever, and half miss inward: n / 2 within 5 standard deviations.
  const double all = count[ArmFaultKind::kSettle] + count[ArmFaultKind::kOffTrack] +
                     count[ArmFaultKind::kStuck] + count[ArmFaultKind::kWrongCylinder];
  EXPECT_NEAR(for_ever, all / 2, 5 * std::sqrt(all) / 2);
  EXPECT_NEAR(inward, all / 2, 5 * std::sqrt(all) / 2);
  // Times up to 5 ms are equally likely. Their mean is 2.5 ms, and their standard deviation is 5 /
  // sqrt 12.
  EXPECT_NEAR(lasted_ms / (all - for_ever), 2.5, 5 * 5 / std::sqrt(12 * (all - for_ever)));
  EXPECT_NEAR(left_after_ms / all, 2.5, 5 * 5 / std::sqrt(12 * all));
}

// A mishap's start and duration are drawn independently.
TEST(ArmFaultsOf, DrawnTimes_AreIndependent) {
  drive::Specimen specimen;
  specimen.flaw_seed = 3;
  specimen.random.arm_share = 1;
  ArmFaults faults(specimen);
  int same = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto mishap = faults.strike(1);
    same += mishap->lasts == mishap->leaves_after ? 1 : 0;
  }
  EXPECT_EQ(same, 0);
}

// ---------------------------------------------------------------------------------------- spindle

/// A spindle of 6000 rpm: 100 ms to full speed, 40 ms to rest.
Spindle spindle_with(const std::vector<drive::SpindleFault>& faults, bool at_speed = true,
                     const drive::RandomFaults& random = {}) {
  drive::Design design = test::small_design();
  design.spin_up_ms = 100;
  design.spin_down_ms = 40;
  drive::Specimen specimen;
  specimen.spindle_faults = faults;
  specimen.random = random;
  return at_speed ? Spindle::at_speed(design, specimen) : Spindle(design, specimen);
}

drive::SpindleFault dropout(double at_ms, std::optional<double> for_ms) {
  drive::SpindleFault fault;
  fault.at_ms = at_ms;
  fault.for_ms = for_ms;
  return fault;
}

drive::SpindleFault no_start(std::uint32_t first, std::uint32_t count, double share) {
  drive::SpindleFault fault;
  fault.kind = drive::SpindleFaultKind::kNoStart;
  fault.first_start = first;
  fault.starts = count;
  fault.speed_share = share;
  return fault;
}

// The power is off for 10 of the 40 ms to rest. 3/4 of the speed is left, and full speed is back
// after 1/4 of the 100 ms.
TEST(SpindleDropout, SlowsDown_AndComesBackByItself) {
  Spindle spindle = spindle_with({dropout(50, 10)});
  ASSERT_EQ(spindle.next_change(), from_ms(50));
  EXPECT_EQ(spindle.state(from_ms(50) - 1), Spindle::State::kAtSpeed);
  spindle.change(from_ms(50));
  EXPECT_EQ(spindle.state(from_ms(50)), Spindle::State::kSpinningDown);
  EXPECT_NEAR(spindle.rpm(from_ms(60)), 4500, 0.001);
  ASSERT_EQ(spindle.next_change(), from_ms(60));
  spindle.change(from_ms(60));
  EXPECT_EQ(spindle.state(from_ms(60)), Spindle::State::kSpinningUp);
  EXPECT_EQ(spindle.ramp_end(from_ms(60)), from_ms(85));
  EXPECT_EQ(spindle.state(from_ms(85)), Spindle::State::kAtSpeed);
  EXPECT_EQ(spindle.next_change(), std::nullopt);
  // The angle follows from the mean speeds: 5 turns, then 10 ms and 25 ms at 7/8 of 100 Hz.
  const double turns = static_cast<double>(spindle.unwrapped(from_ms(85))) / kTurn;
  EXPECT_NEAR(turns, 5 + 0.875 + 2.1875, 1e-6);
}

TEST(SpindleDropout, ThatLasts_EndsAtRest_AndBegunAgainWhenPowerIsBack) {
  Spindle spindle = spindle_with({dropout(50, 200)});
  spindle.change(from_ms(50));
  EXPECT_EQ(spindle.state(from_ms(90)), Spindle::State::kStopped);
  EXPECT_FALSE(spindle.start(from_ms(100))) << "it is to turn already";
  EXPECT_EQ(spindle.state(from_ms(150)), Spindle::State::kStopped) << "without power";
  spindle.change(from_ms(250));
  EXPECT_EQ(spindle.state(from_ms(350)), Spindle::State::kAtSpeed);
}

TEST(SpindleDropout, WithoutAnEnd_WaitsForAStart) {
  Spindle spindle = spindle_with({dropout(50, std::nullopt)});
  spindle.change(from_ms(50));
  EXPECT_FALSE(spindle.is_powered());
  EXPECT_EQ(spindle.next_change(), std::nullopt);
  EXPECT_EQ(spindle.state(from_ms(1000)), Spindle::State::kStopped);
  EXPECT_FALSE(spindle.start(from_ms(1000)));
  EXPECT_TRUE(spindle.is_powered());
  EXPECT_EQ(spindle.state(from_ms(1100)), Spindle::State::kAtSpeed);
}

TEST(SpindleDropout, OfAStoppedSpindle_ChangesNothing_AndPowerStartsNothing) {
  Spindle spindle = spindle_with({dropout(50, 10)}, false);
  spindle.change(from_ms(50));
  spindle.change(from_ms(60));
  EXPECT_EQ(spindle.state(from_ms(1000)), Spindle::State::kStopped);
  EXPECT_EQ(spindle.unwrapped(from_ms(1000)), 0U);
}

TEST(SpindleNoStart, DoesNotTurn_TwiceIfAskedTwice) {
  Spindle spindle = spindle_with({no_start(1, 2, 0)}, false);
  for (const double at : {0.0, 500.0}) {
    EXPECT_TRUE(spindle.start(from_ms(at)));
    EXPECT_EQ(spindle.state(from_ms(at + 400)), Spindle::State::kStopped);
    spindle.stop(from_ms(at + 450));
  }
  EXPECT_EQ(spindle.unwrapped(from_ms(950)), 0U);
  EXPECT_FALSE(spindle.start(from_ms(1000)));
  EXPECT_EQ(spindle.state(from_ms(1100)), Spindle::State::kAtSpeed);
}

// The spindle reaches 3/4 of its speed in 3/4 of the time, and stays there. Marks pass at that
// speed.
TEST(SpindleNoStart, StaysAtAShareOfTheSpeed) {
  Spindle spindle = spindle_with({no_start(1, 1, 0.75)}, false);
  EXPECT_TRUE(spindle.start(0));
  EXPECT_EQ(spindle.ramp_end(0), from_ms(75));
  for (const double ms : {75.0, 1000.0, 100'000.0}) {
    EXPECT_EQ(spindle.state(from_ms(ms)), Spindle::State::kSpinningUp) << ms;
    EXPECT_NEAR(spindle.rpm(from_ms(ms)), 4500, 0.001);
  }
  const Picoseconds now = from_ms(500);
  const std::uint64_t goal = spindle.unwrapped(now) + 3 * kTurn;
  const auto at = spindle.when(now, goal);
  ASSERT_TRUE(at);
  EXPECT_NEAR(to_ms(*at - now), 3 * 60'000.0 / 4500, 1e-6);
  EXPECT_GE(spindle.unwrapped(*at), goal);
  EXPECT_LT(spindle.unwrapped(*at - 1), goal);
  // It stops from 3/4 of its speed in 3/4 of the time.
  spindle.stop(now);
  EXPECT_EQ(spindle.ramp_end(now), now + from_ms(30));
}

TEST(SpindleDropout, DrawnOnes_ComeWithinTheirSpan_Apart_AndTheSameAgain) {
  drive::Specimen specimen;
  specimen.flaw_seed = 3;
  specimen.random.dropouts = 50;
  specimen.random.dropout_span_ms = 10'000;
  specimen.random.dropout_ms = 20;
  const std::vector<MotorFaults::Change> changes = MotorFaults(specimen).changes();
  EXPECT_GT(changes.size(), 80U) << "few touch another: 50 of 10 ms in 10 s";
  Picoseconds last = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(changes[i].powered, i % 2 == 1);
    EXPECT_GT(changes[i].at, last);
    if (changes[i].powered) {
      EXPECT_LE(changes[i].at - last, from_ms(20));
    }
    last = changes[i].at;
  }
  EXPECT_LE(last, from_ms(10'020));
  const std::vector<MotorFaults::Change> again = MotorFaults(specimen).changes();
  ASSERT_EQ(again.size(), changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) EXPECT_EQ(again[i].at, changes[i].at);
}

// ------------------------------------------------------------------------------------------ index

IndexFaults index_faults(const std::vector<drive::IndexFault>& faults, double share = 0) {
  drive::Specimen specimen;
  specimen.index_faults = faults;
  specimen.random.missing_index_share = share;
  return IndexFaults(specimen);
}

TEST(IndexFaults, TakeTheTurnsThatTheySay) {
  const IndexFaults none;
  EXPECT_EQ(none.nth(7, 3), 9U);
  EXPECT_EQ(none.count(3, 9), 6U);
  const IndexFaults once = index_faults({{5, 1, 1}});
  EXPECT_FALSE(once.is_missing(4));
  EXPECT_TRUE(once.is_missing(5));
  EXPECT_FALSE(once.is_missing(6));
  EXPECT_EQ(once.next(5), 6U);
  EXPECT_EQ(once.nth(4, 2), 6U);
  EXPECT_EQ(once.count(4, 7), 2U);
  const IndexFaults third = index_faults({{10, 7, 3}});  // missing pulses: 10, 13, 16
  EXPECT_EQ(third.count(9, 18), 9U - 3U);
  EXPECT_FALSE(third.is_missing(19));
}

TEST(IndexFaults, WithoutAnEnd_LeaveNone) {
  const IndexFaults gone = index_faults({{100, 0, 1}});
  EXPECT_EQ(gone.next(99), 99U);
  EXPECT_EQ(gone.next(100), std::nullopt);
  EXPECT_EQ(gone.nth(98, 2), 99U);
  EXPECT_EQ(gone.nth(98, 3), std::nullopt);
  EXPECT_EQ(gone.count(98, 1'000'000'000), 2U);
  EXPECT_EQ(index_faults({}, 1).next(0), std::nullopt);
  // Two faults that share all turns between them.
  EXPECT_EQ(index_faults({{0, 0, 2}, {1, 0, 2}}).next(0), std::nullopt);
  // A long fault is one step.
  EXPECT_EQ(index_faults({{0, 4'000'000'000, 1}}).next(0), 4'000'000'000U);
}

TEST(IndexFaults, DrawnOnes_AreAShareOfAll) {
  const IndexFaults drawn = index_faults({}, 0.1);
  const double n = 100'000;
  EXPECT_NEAR(static_cast<double>(drawn.count(0, 100'000)), n * 0.9, 5 * std::sqrt(n * 0.09));
}

}  // namespace
}  // namespace headstack::mechanics
