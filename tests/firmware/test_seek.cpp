// SPDX-License-Identifier: Apache-2.0
// The arm and the spindle (firmware/motion/seek.h), on the servo's registers: the times of
// commands, and the meaning of events. The registers are those of hdl/regs/servo.rdl.
#include <gtest/gtest.h>

#include "firmware/events.h"
#include "firmware/hal/servo_hal.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/motion/seek.h"
#include "tests/firmware/service_world.hpp"
#include "tests/firmware/support.hpp"

namespace headstack {
namespace {

using test::FakeSoc;

class Seek : public testing::Test {
 protected:
  Seek() : soc_(test::design_by_hand()) { seek_init(&seek_, table_.get()); }

  /// Passes events on until one has a result. @return the result; 0: nothing is under way any more.
  std::uint32_t next() {
    while (true) {
      const std::uint32_t results = seek_on_events(&seek_, servo_hal_take_events());
      if (results != 0 || !soc_.advance()) return results;
    }
  }
  /// Runs until nothing is under way any more; results of one moment are separate.
  std::vector<std::uint32_t> rest() {
    std::vector<std::uint32_t> results;
    for (std::uint32_t result = next(); result != 0; result = next()) results.push_back(result);
    return results;
  }
  void come_to_speed() {
    seek_spin_up(&seek_);
    ASSERT_EQ(next(), SEEK_RESULT_AT_SPEED);
  }
  void arrive_at(std::uint32_t cylinder, std::uint32_t head, bool for_write = false) {
    ASSERT_EQ(seek_start(&seek_, cylinder, head, for_write, false), STATUS_BUSY);
    ASSERT_EQ(next(), SEEK_RESULT_ARRIVED);
  }
  /// The reported states of the spindle.
  std::vector<std::uint32_t> spindle_states() const {
    std::vector<std::uint32_t> states;
    for (const FakeSoc::Trace& event : soc_.trace()) {
      if (event.number == TRACE_SPINDLE) states.push_back(event.argument);
    }
    return states;
  }

  FakeSoc soc_;
  std::unique_ptr<::drive_design> table_ = test::firmware_design(test::design_by_hand());
  ::seek seek_{};
};

using States = std::vector<std::uint32_t>;

// ---- the formatter's movements: the heads are sent somewhere without the firmware

class SeekBehindTheFormatter : public Seek {
 protected:
  /// The formatter has sent the heads to a track, and its operation is over or aborted.
  void formatter_goes_on(std::uint32_t cylinder, std::uint32_t head) {
    servo_hal_seek(cylinder, head, false);
    seek_follow(&seek_, cylinder, head);
  }
};

TEST_F(SeekBehindTheFormatter, ToTheSameTrack_TheArrivalIsAwaited) {
  come_to_speed();
  arrive_at(1, 0);
  formatter_goes_on(2, 1);
  EXPECT_EQ(seek_start(&seek_, 2, 1, true, false), STATUS_BUSY);
  EXPECT_EQ(next(), SEEK_RESULT_ARRIVED);
  EXPECT_EQ(soc_.seeks(), 2) << "no other seek";
  formatter_goes_on(3, 0);
  (void)rest();
  EXPECT_EQ(seek_start(&seek_, 3, 0, false, false), STATUS_OK) << "they have arrived";
}

// The servo refuses a seek during another one.
TEST_F(SeekBehindTheFormatter, ToAnotherTrack_TheHeadsDepartWhenTheyHaveArrived) {
  come_to_speed();
  arrive_at(1, 0);
  formatter_goes_on(2, 1);
  EXPECT_EQ(seek_start(&seek_, 5, 0, false, false), STATUS_BUSY);
  EXPECT_EQ(soc_.seeks(), 2);
  EXPECT_EQ(rest(), std::vector<std::uint32_t>{SEEK_RESULT_ARRIVED});
  EXPECT_EQ(soc_.seeks(), 3);
  EXPECT_EQ(soc_.trace().back().number, std::uint32_t{TRACE_ON_TRACK});
  EXPECT_EQ(soc_.trace().back().argument, 5U << 8);
}

TEST_F(SeekBehindTheFormatter, ThatNeverArrives_IsRecalibrated) {
  come_to_speed();
  soc_.strand_movements(1);
  formatter_goes_on(2, 1);
  EXPECT_EQ(seek_start(&seek_, 5, 0, false, false), STATUS_BUSY);
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(seek_on_timeout(&seek_), SEEK_RESULT_FAILED);
  EXPECT_EQ(seek_start(&seek_, 5, 0, false, true), STATUS_BUSY);
  EXPECT_EQ(rest(), std::vector<std::uint32_t>{SEEK_RESULT_ARRIVED});
  EXPECT_EQ(soc_.recalibrations(), 1);
}

// ---- spindle

TEST_F(Seek, AtRest_NothingMoves) {
  EXPECT_EQ(seek_.spindle, SPINDLE_AT_REST);
  EXPECT_EQ(seek_start(&seek_, 0, 0, false, false), STATUS_NOT_READY);
  EXPECT_EQ(soc_.seeks(), 0);
}

TEST_F(Seek, SpinUp_IsRequestedOnce_DuringItAndAfter) {
  seek_spin_up(&seek_);
  EXPECT_EQ(seek_start(&seek_, 0, 0, false, false), STATUS_NOT_READY) << "on its way";
  seek_spin_up(&seek_);
  EXPECT_EQ(next(), SEEK_RESULT_AT_SPEED);
  EXPECT_EQ(next(), 0U) << "one command, one end";
  seek_spin_up(&seek_);
  EXPECT_EQ(next(), 0U) << "it is there";
  EXPECT_EQ(spindle_states(), (States{SPINDLE_SPINNING_UP, SPINDLE_AT_SPEED}));
}

TEST_F(Seek, SpinDown_IsRequestedOnce_DuringItAndAfter) {
  seek_spin_down(&seek_);
  EXPECT_EQ(next(), 0U) << "it is at rest";
  come_to_speed();
  seek_spin_down(&seek_);
  EXPECT_EQ(seek_start(&seek_, 0, 0, false, false), STATUS_NOT_READY) << "on its way";
  seek_spin_down(&seek_);
  EXPECT_EQ(next(), SEEK_RESULT_AT_REST);
  EXPECT_EQ(next(), 0U) << "one command, one end";
  EXPECT_EQ(spindle_states(), (States{SPINDLE_SPINNING_UP, SPINDLE_AT_SPEED, SPINDLE_SPINNING_DOWN,
                                      SPINDLE_AT_REST}));
}

// The servo reports each level whenever it is reached. Only the requested one is a result.
TEST_F(Seek, UnrequestedSpindleEvents_HaveNoEffect) {
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_AT_SPEED | SERVO_EVENT_AT_REST), 0U);
  EXPECT_EQ(seek_.spindle, SPINDLE_AT_REST);
  seek_spin_up(&seek_);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_AT_REST), 0U) << "it has not left its rest yet";
  EXPECT_EQ(seek_.spindle, SPINDLE_SPINNING_UP);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_INDEX), 0U);
  EXPECT_EQ(next(), SEEK_RESULT_AT_SPEED);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_AT_REST), 0U);
  EXPECT_EQ(seek_.spindle, SPINDLE_AT_SPEED);
  seek_spin_down(&seek_);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_AT_SPEED), 0U) << "an event from before";
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_INDEX), 0U);
  EXPECT_EQ(seek_.spindle, SPINDLE_SPINNING_DOWN);
}

TEST_F(Seek, SpinUp_TurnsASpindleThatIsOnItsWayDown) {
  come_to_speed();
  seek_spin_down(&seek_);
  seek_spin_up(&seek_);
  EXPECT_EQ(seek_.spindle, SPINDLE_SPINNING_UP);
}

// ---- movements

TEST_F(Seek, Movement_EndsOnItsTrack_AndAnotherToItIsNone) {
  come_to_speed();
  EXPECT_EQ(seek_start(&seek_, 5, 1, false, false), STATUS_BUSY);
  EXPECT_EQ(rest(), States{SEEK_RESULT_ARRIVED}) << "once; write_ready is no result of a read";
  EXPECT_EQ(seek_start(&seek_, 5, 1, false, false), STATUS_OK);
  EXPECT_EQ(seek_start(&seek_, 5, 1, true, false), STATUS_OK) << "settled for writing, too";
  EXPECT_EQ(soc_.seeks(), 1);
}

TEST_F(Seek, AnotherHead_OrAnotherCylinder_IsAnotherTrack) {
  come_to_speed();
  arrive_at(5, 1);
  arrive_at(5, 0);
  arrive_at(6, 0);
  EXPECT_EQ(soc_.seeks(), 3);
}

// The heads are parked on cylinder 0, head 0, which is not confirmed.
TEST_F(Seek, FirstMovement_GoesOutEvenToWhereTheHeadsPark) {
  come_to_speed();
  arrive_at(0, 0);
  EXPECT_EQ(soc_.seeks(), 1);
}

TEST_F(Seek, Again_MovesEvenIfTheHeadsAreThere) {
  come_to_speed();
  arrive_at(5, 1);
  EXPECT_EQ(seek_start(&seek_, 5, 1, false, true), STATUS_BUSY);
  EXPECT_EQ(soc_.seeks(), 2);
  EXPECT_EQ(next(), SEEK_RESULT_ARRIVED);
}

// Writing needs more settling (design_by_hand: see small_design()), for which the heads wait in
// place.
TEST_F(Seek, ForWriting_TheLongerSettlingIsWaitedFor_WithoutAnotherMovement) {
  drive::Design design = test::design_by_hand();
  design.write_settle_ms = 1;
  FakeSoc soc(design);
  seek_init(&seek_, table_.get());
  const auto event = [&soc](std::uint32_t wanted) {
    while ((servo_hal_take_events() & wanted) == 0) ASSERT_TRUE(soc.advance());
  };
  seek_spin_up(&seek_);
  event(SERVO_EVENT_AT_SPEED);
  ASSERT_EQ(seek_on_events(&seek_, SERVO_EVENT_AT_SPEED), SEEK_RESULT_AT_SPEED);
  ASSERT_EQ(seek_start(&seek_, 5, 1, true, false), STATUS_BUSY);
  event(SERVO_EVENT_ON_TRACK);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_ON_TRACK), 0U) << "not as it was asked for";
  event(SERVO_EVENT_WRITE_READY);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_WRITE_READY), SEEK_RESULT_ARRIVED);

  ASSERT_EQ(seek_start(&seek_, 9, 1, false, false), STATUS_BUSY);
  event(SERVO_EVENT_ON_TRACK);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_ON_TRACK), SEEK_RESULT_ARRIVED);
  EXPECT_EQ(seek_start(&seek_, 9, 1, false, false), STATUS_OK);
  EXPECT_EQ(seek_start(&seek_, 9, 1, true, false), STATUS_BUSY) << "the settling is still to come";
  EXPECT_EQ(soc.seeks(), 2);
  event(SERVO_EVENT_WRITE_READY);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_WRITE_READY), SEEK_RESULT_ARRIVED);
  EXPECT_EQ(seek_start(&seek_, 9, 1, true, false), STATUS_OK);
  EXPECT_EQ(soc.seeks(), 2);
}

// The level decides: an event that was pending when the movement began is not its end.
TEST_F(Seek, EventOfTheMovementBefore_IsNoArrival) {
  come_to_speed();
  arrive_at(5, 1);
  ASSERT_EQ(seek_start(&seek_, 30, 0, false, false), STATUS_BUSY);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_ON_TRACK | SERVO_EVENT_WRITE_READY), 0U);
  EXPECT_TRUE(seek_.moving);
  EXPECT_EQ(rest(), States{SEEK_RESULT_ARRIVED});
}

// The caller decides about another attempt: see test_service_faults.cpp.
TEST_F(Seek, Refusal_IsAFailure_AndThePositionIsVoid) {
  come_to_speed();
  arrive_at(5, 1);
  soc_.refuse_seeks(1);
  ASSERT_EQ(seek_start(&seek_, 9, 0, false, false), STATUS_BUSY);
  EXPECT_EQ(rest(), States{SEEK_RESULT_FAILED});
  EXPECT_EQ(seek_.status, STATUS_SEEK_ERROR);
  EXPECT_FALSE(seek_.moving);
  EXPECT_EQ(soc_.seeks(), 2);
  // The target of the movement is not the present position.
  ASSERT_EQ(seek_start(&seek_, 9, 0, false, false), STATUS_BUSY);
  EXPECT_EQ(rest(), States{SEEK_RESULT_ARRIVED});
  EXPECT_EQ(soc_.recalibrations(), 0) << "the servo takes seeks as before";
}

TEST_F(Seek, MovementThatTakesTooLong_IsAFailure_AndTheNextBeginsWithARecalibration) {
  come_to_speed();
  soc_.strand_movements(1);
  ASSERT_EQ(seek_start(&seek_, 9, 0, false, false), STATUS_BUSY);
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(seek_on_timeout(&seek_), SEEK_RESULT_FAILED);
  EXPECT_EQ(seek_.status, STATUS_NO_SEEK_COMPLETE);
  EXPECT_EQ(seek_on_timeout(&seek_), 0U) << "once";
  ASSERT_EQ(seek_start(&seek_, 9, 0, false, false), STATUS_BUSY);
  EXPECT_EQ(soc_.recalibrations(), 1);
  EXPECT_EQ(rest(), States{SEEK_RESULT_ARRIVED});
  arrive_at(5, 1);
  EXPECT_EQ(soc_.recalibrations(), 1);
  EXPECT_EQ(soc_.seeks(), 3) << "the seek follows the recalibration";
}

TEST_F(Seek, RecalibrationThatTakesTooLong_FindsNoReference) {
  come_to_speed();
  soc_.strand_movements(2);
  ASSERT_EQ(seek_start(&seek_, 9, 0, false, false), STATUS_BUSY);
  ASSERT_EQ(seek_on_timeout(&seek_), SEEK_RESULT_FAILED);
  ASSERT_EQ(seek_start(&seek_, 9, 0, false, false), STATUS_BUSY);
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(seek_on_timeout(&seek_), SEEK_RESULT_FAILED);
  EXPECT_EQ(seek_.status, STATUS_NO_REFERENCE);
}

TEST_F(Seek, RefusalThatNoTaskWaitsFor_MovesNothing) {
  come_to_speed();
  arrive_at(5, 1);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_SEEK_ERROR), 0U);
  EXPECT_EQ(seek_on_events(&seek_, SERVO_EVENT_ON_TRACK), 0U);
  EXPECT_EQ(soc_.seeks(), 1);
}

TEST_F(Seek, AfterAStop_ThePositionIsVoid) {
  come_to_speed();
  arrive_at(5, 1);
  seek_spin_down(&seek_);
  ASSERT_EQ(next(), SEEK_RESULT_AT_REST);
  come_to_speed();
  ASSERT_EQ(seek_start(&seek_, 5, 1, false, false), STATUS_BUSY);
  EXPECT_EQ(soc_.seeks(), 2);
}

// ---- heads with two elements (head_stack.hpp): a movement of 0.5 ms between read and write

class SeekWithAnOffset : public testing::Test {
 protected:
  static drive::Design design() {
    drive::Design design = test::design_by_hand();
    design.write_offset_ms = 0.5;
    return design;
  }
  SeekWithAnOffset() : soc_(design()) {
    seek_init(&seek_, table_.get());
    seek_spin_up(&seek_);
    EXPECT_EQ(next(), SEEK_RESULT_AT_SPEED);
  }
  std::uint32_t next() {
    while (true) {
      const std::uint32_t results = seek_on_events(&seek_, servo_hal_take_events());
      if (results != 0 || !soc_.advance()) return results;
    }
  }
  /// How long a movement takes, in ticks; 0: none is needed.
  std::uint64_t takes(std::uint32_t cylinder, std::uint32_t head, bool for_write) {
    const std::uint64_t from = timer_hal_now();
    const enum status status = seek_start(&seek_, cylinder, head, for_write, false);
    if (status == STATUS_OK) return 0;
    EXPECT_EQ(status, STATUS_BUSY);
    EXPECT_EQ(next(), SEEK_RESULT_ARRIVED);
    return timer_hal_now() - from;
  }

  FakeSoc soc_;
  std::unique_ptr<::drive_design> table_ = test::firmware_design(design());
  ::seek seek_{};
};

// 20,000 ticks are 0.5 ms.
TEST_F(SeekWithAnOffset, BetweenReadAndWriteOnOneTrack_TheArmMovesALittle) {
  (void)takes(5, 1, false);
  EXPECT_EQ(takes(5, 1, false), 0U);
  EXPECT_NEAR(static_cast<double>(takes(5, 1, true)), 20'000, 2);
  EXPECT_EQ(takes(5, 1, true), 0U);
  EXPECT_NEAR(static_cast<double>(takes(5, 1, false)), 20'000, 2);
  EXPECT_TRUE(seek_.has_offset && !seek_.at_writer);
}

}  // namespace
}  // namespace headstack
