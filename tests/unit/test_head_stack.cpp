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
    {"SameHead_SwitchesNothing", 3.0, 0.3, 2, 0, 2.0, 2.3},
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
  fresh.move(now - from_ms(10), 3, 1);  // to the last place of the busy one
  busy.move(now, 0, 0);
  fresh.move(now, 0, 0);
  for (const double ms : {0.1, 0.75, 1.6, 2.0}) {
    const HeadStackState a = busy.state(now + from_ms(ms));
    const HeadStackState b = fresh.state(now + from_ms(ms));
    EXPECT_EQ(a.position_cylinders, b.position_cylinders);
    EXPECT_EQ(a.arm, b.arm);
  }
}

// ---- two elements: an offset of 0.4 ms between read and write, seeks of 2 ms, write settle 0.3 ms

struct ElementCase {
  const char* what;
  double head_switch_ms;
  bool from_write;
  std::uint32_t cylinder, head;  // from cylinder 1, head 0
  bool for_write;
  double read_ms, write_ms;  // a negative write_ms: never
};

// The offset alone on the same track; max(seek, head switch, offset) [+ write settle] elsewhere.
const ElementCase kElementCases[] = {
    {"ReadBehindARead", 1.0, false, 1, 0, false, 0.0, -1},
    {"ReadBehindAWrite", 1.0, true, 1, 0, false, 0.4, -1},
    {"WriteBehindARead", 1.0, false, 1, 0, true, 0.4, 0.4},
    {"WriteBehindAWrite", 1.0, true, 1, 0, true, 0.0, 0.0},
    {"ASeekIncludesIt", 1.0, true, 2, 0, false, 2.0, -1},
    {"AHeadSwitchIncludesIt", 1.0, false, 1, 1, true, 1.0, 1.3},
    {"AShorterHeadSwitchDoesNot", 0.1, false, 1, 1, true, 0.4, 0.7},
    {"AShorterHeadSwitchToTheSameElement", 0.1, true, 1, 1, true, 0.1, 0.4},
};

class Elements : public testing::TestWithParam<ElementCase> {};

TEST_P(Elements, FollowTheDefinition) {
  const ElementCase& c = GetParam();
  drive::Design both = design(c.head_switch_ms, 0.3);
  both.write_offset_ms = 0.4;
  const PositioningModel model(both);
  HeadStack stack(model);
  stack.move(0, 1, 0, c.from_write);
  const Picoseconds now = from_ms(100);
  const Positioning parts = stack.move(now, c.cylinder, c.head, c.for_write);
  EXPECT_EQ(stack.read_ready_at(), now + from_ms(c.read_ms));
  EXPECT_EQ(stack.write_ready_at(), c.write_ms < 0 ? kNever : now + from_ms(c.write_ms));
  EXPECT_EQ(parts.total() - parts.write_settle, from_ms(c.read_ms));
  EXPECT_EQ(stack.write_ready(now + from_ms(10)), c.for_write);
  EXPECT_TRUE(stack.read_ready(now + from_ms(10))) << "headers are read in both positions";
  EXPECT_TRUE(stack.is_at(c.cylinder, c.head, c.for_write));
  EXPECT_FALSE(stack.is_at(c.cylinder, c.head, !c.for_write));
}

INSTANTIATE_TEST_SUITE_P(HeadStack, Elements, testing::ValuesIn(kElementCases),
                         test::case_name<ElementCase>);

// A read brings the heads, 2 ms; its settling for writing ends at 2.3 ms, or at 3.0.
TEST(HeadStack, SettlingGoesOnWhileTheElementChanges) {
  for (const double write_settle_ms : {0.3, 1.0}) {
    drive::Design both = design(1.0, write_settle_ms);
    both.write_offset_ms = 0.4;
    const PositioningModel model(both);
    HeadStack stack(model);
    stack.move(0, 2, 0, false);
    EXPECT_EQ(stack.write_ready_at(), kNever);
    stack.move(from_ms(2), 2, 0, true);
    EXPECT_EQ(stack.read_ready_at(), from_ms(2.4));
    EXPECT_EQ(stack.write_ready_at(), from_ms(write_settle_ms == 0.3 ? 2.4 : 3.0));
  }
}

// A recalibration ends with the reading element over cylinder 0.
TEST(HeadStack, ARecalibrationEndsAtTheReadingElement) {
  drive::Design both = design(1.0, 0.3);
  both.write_offset_ms = 0.4;
  const PositioningModel model(both);
  HeadStack stack(model);
  stack.move(0, 2, 0, true);
  stack.recalibrate(from_ms(10));
  EXPECT_TRUE(stack.is_at(0, 0, false));
  EXPECT_EQ(stack.write_ready_at(), kNever);
}

// Heads with one position know no elements: `for_write` changes nothing.
TEST(HeadStack, WithoutAnOffset_OnePositionServesBoth) {
  const PositioningModel model(design(1.0, 0.3));
  HeadStack stack(model);
  stack.move(0, 2, 0, true);
  EXPECT_TRUE(stack.is_at(2, 0, false));
  stack.move(from_ms(10), 2, 0, false);
  EXPECT_EQ(stack.read_ready_at(), from_ms(10));
  EXPECT_EQ(stack.write_ready_at(), from_ms(10));
}

TEST(HeadStack, StatesHaveNames) {
  EXPECT_STREQ(to_string(ArmState::kOnTrack), "on track");
  EXPECT_STREQ(to_string(ArmState::kSeeking), "seeking");
  EXPECT_STREQ(to_string(ArmState::kSettling), "settling");
  EXPECT_STREQ(to_string(ArmState::kSwitchingHead), "switching head");
}

TEST(HeadStack, MovingBeforeTheLastMovementEnded_IsABug) {
  const PositioningModel model(design(1.0, 0.3));
  HeadStack stack(model);
  stack.move(0, 2, 0);
  EXPECT_DEATH(stack.move(from_ms(2) - 1, 3, 0), "one movement");
}

}  // namespace
}  // namespace headstack::mechanics
