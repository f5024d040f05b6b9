// SPDX-License-Identifier: Apache-2.0
// The head stack: when a track is ready, and where the arm is on the way.
#include <gtest/gtest.h>

#include "sim/mechanics/head_stack.hpp"
#include "tests/support.hpp"

namespace headstack::mechanics {
namespace {

drive::Design design(double head_switch_ms, double write_settle_ms) {
  drive::Design d = test::small_design();  // every seek takes 2 ms
  d.seek.settle_ms = 0.5;
  d.head_switch_ms = head_switch_ms;
  d.write_settle_ms = write_settle_ms;
  return d;
}

struct ReadyCase {
  const char* what;
  double head_switch_ms, write_settle_ms;
  std::uint32_t cylinder, head;
  double read_ms, write_ms;
};

// max(seek, head switch) [+ write settle], from cylinder 0, head 0.
const ReadyCase kReadyCases[] = {
    {"NoMovement", 1.0, 0.3, 0, 0, 0.0, 0.0},
    {"SeekAlone", 1.0, 0.3, 2, 0, 2.0, 2.3},
    {"HeadAlone", 1.0, 0.3, 0, 1, 1.0, 1.3},
    {"SeekHidesHeadSwitch", 1.0, 0.3, 2, 1, 2.0, 2.3},
    {"HeadSwitchHidesSeek", 3.0, 0.3, 2, 1, 3.0, 3.3},
    {"NegativeWriteSettle_CountsAsNone", 1.0, -0.4, 0, 1, 1.0, 1.0},
};

class Ready : public testing::TestWithParam<ReadyCase> {};

TEST_P(Ready, FollowsTheDefinition) {
  const ReadyCase& c = GetParam();
  const PositioningModel model(design(c.head_switch_ms, c.write_settle_ms));
  HeadStack stack(model);
  stack.move(1000, c.cylinder, c.head);
  EXPECT_EQ(stack.read_ready_at(), 1000 + from_ms(c.read_ms));
  EXPECT_EQ(stack.write_ready_at(), 1000 + from_ms(c.write_ms));
  // The parts of the anatomy sum to the same.
  EXPECT_EQ(model.parts(c.cylinder, c.head != 0, false).total(), from_ms(c.read_ms));
  EXPECT_EQ(model.parts(c.cylinder, c.head != 0, true).total(), from_ms(c.write_ms));
  EXPECT_EQ(model.total(c.cylinder, c.head != 0, true), from_ms(c.write_ms));
}

INSTANTIATE_TEST_SUITE_P(HeadStack, Ready, testing::ValuesIn(kReadyCases),
                         test::case_name<ReadyCase>);

TEST(HeadStack, State_PassesThroughItsPhasesAtTheirEdges) {
  const PositioningModel model(design(3.0, 0.3));
  HeadStack stack(model);
  stack.move(0, 2, 1);  // motion 1.5 ms, settle 0.5 ms, head switch until 3 ms, writes at 3.3 ms
  EXPECT_EQ(stack.state(from_ms(1.5) - 1).arm, ArmState::kSeeking);
  EXPECT_EQ(stack.state(from_ms(1.5)).arm, ArmState::kSettling);
  EXPECT_EQ(stack.state(from_ms(2.0) - 1).arm, ArmState::kSettling);
  EXPECT_EQ(stack.state(from_ms(2.0)).arm, ArmState::kSwitchingHead);
  EXPECT_EQ(stack.state(from_ms(3.0) - 1).arm, ArmState::kSwitchingHead);
  EXPECT_EQ(stack.state(from_ms(3.0)).arm, ArmState::kOnTrack);
  EXPECT_FALSE(stack.state(from_ms(3.3) - 1).write_ready);
  EXPECT_TRUE(stack.state(from_ms(3.3)).write_ready);
}

TEST(HeadStack, MovingTowardsCylinderZero_HasNegativeVelocity) {
  const PositioningModel model(design(0, 0));
  HeadStack stack(model);
  stack.move(0, 3, 0);
  stack.move(from_ms(2), 1, 0);
  const HeadStackState half = stack.state(from_ms(2) + from_ms(0.75));
  EXPECT_LT(half.velocity_cylinders_per_ms, 0);
  EXPECT_DOUBLE_EQ(half.position_cylinders, 2.0);  // half of the motion from 3 to 1
  EXPECT_DOUBLE_EQ(stack.state(from_ms(4)).position_cylinders, 1.0);
}

// O(1) whatever happened before: a thousand movements leave the same state as the last alone.
TEST(HeadStack, StateDependsOnTheLastMovementOnly) {
  const PositioningModel model(design(1.0, 0.3));
  HeadStack busy(model);
  Picoseconds now = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    busy.move(now, i % 4, i % 2);
    now = busy.read_ready_at();
  }
  HeadStack fresh(model);
  fresh.move(now - from_ms(10), 3, 1);  // to where the busy one ended
  busy.move(now, 0, 0);
  fresh.move(now, 0, 0);
  for (const double ms : {0.1, 0.75, 1.6, 2.0}) {
    const HeadStackState a = busy.state(now + from_ms(ms));
    const HeadStackState b = fresh.state(now + from_ms(ms));
    EXPECT_EQ(a.position_cylinders, b.position_cylinders);
    EXPECT_EQ(a.arm, b.arm);
  }
}

TEST(HeadStack, MovingBeforeTheLastMovementEnded_IsABug) {
  const PositioningModel model(design(1.0, 0.3));
  HeadStack stack(model);
  stack.move(0, 2, 0);
  EXPECT_DEATH(stack.move(from_ms(2) - 1, 3, 0), "one movement");
}

}  // namespace
}  // namespace headstack::mechanics
