// SPDX-License-Identifier: Apache-2.0
// Alarms on the one timer, as firmware/kernel/alarm.h promises. The timer is a note of its setting.
#include <gtest/gtest.h>

#include <optional>

extern "C" {
#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/alarm.h"
}

namespace {

struct Timer {
  std::optional<time_tick> due;
  int calls = 0;
};

Timer& timer() {
  static Timer only;
  return only;
}

}  // namespace

extern "C" {
void timer_hal_start(time_tick due) {
  timer().due = due;
  ++timer().calls;
}
void timer_hal_stop(void) {
  timer().due.reset();
  ++timer().calls;
}
}

namespace headstack {
namespace {

// A time past 32 bits with a smaller low word: times are compared whole.
constexpr time_tick kEarly = 0x0'FFFF'FFF0;
constexpr time_tick kMiddle = 0x1'0000'0010;
constexpr time_tick kLate = 0x2'0000'0000;

class AlarmTest : public ::testing::Test {
 protected:
  void SetUp() override {
    timer() = {};
    alarms_init(&alarms_);
    for (struct alarm* each : {&first_, &second_, &third_}) {
      each->due = 0;  // the former content of the memory is not taken for a time
      alarm_add(&alarms_, each);
    }
  }

  struct alarms alarms_ = {};
  struct alarm first_ = {};
  struct alarm second_ = {};
  struct alarm third_ = {};
};

TEST_F(AlarmTest, Begin_LeavesTheTimer_AndNoAlarmIsSet) {
  EXPECT_EQ(timer().calls, 0);
  EXPECT_EQ(first_.due, TIME_TICK_NEVER);
  EXPECT_FALSE(alarm_take(&first_, TIME_TICK_NEVER - 1));
}

TEST_F(AlarmTest, Timer_IsSetForTheEarliest_WhicheverWasAddedFirst) {
  for (struct alarm* earliest : {&first_, &second_, &third_}) {
    for (struct alarm* each : {&first_, &second_, &third_}) alarm_set(each, kLate);
    alarm_set(earliest, kMiddle);
    alarms_set_timer(&alarms_);
    EXPECT_EQ(timer().due, kMiddle);
    EXPECT_EQ(alarms_.timer_due, kMiddle);
  }
}

TEST_F(AlarmTest, EarlierAlarm_SetsTheTimer_AtOnce) {
  alarm_set(&second_, kMiddle);
  EXPECT_EQ(timer().due, kMiddle);
  alarm_set(&first_, kEarly);
  EXPECT_EQ(timer().due, kEarly);
  EXPECT_EQ(second_.due, kMiddle);
}

// alarm.h: a cancelled or postponed alarm leaves the timer unchanged. So does one that is not
// earlier.
TEST_F(AlarmTest, CancelledPostponedOrLater_LeavesTheTimer) {
  alarm_set(&first_, kMiddle);
  ASSERT_EQ(timer().calls, 1);
  alarm_set(&second_, kLate);
  alarm_set(&third_, kMiddle);
  alarm_set(&first_, kLate);
  alarm_set(&third_, TIME_TICK_NEVER);
  EXPECT_EQ(timer().calls, 1);
  EXPECT_EQ(timer().due, kMiddle);
  EXPECT_EQ(third_.due, TIME_TICK_NEVER);
  alarms_set_timer(&alarms_);
  EXPECT_EQ(timer().due, kLate);
}

TEST_F(AlarmTest, WithoutAnAlarm_TheTimerStops) {
  alarm_set(&first_, kEarly);
  alarm_set(&first_, TIME_TICK_NEVER);
  alarms_set_timer(&alarms_);
  EXPECT_EQ(timer().due, std::nullopt);
  alarm_set(&second_, kLate);
  EXPECT_EQ(timer().due, kLate) << "a stopped timer is set by any alarm";
}

TEST_F(AlarmTest, Alarm_IsTakenOnce_FromItsTickOn) {
  alarm_set(&first_, kMiddle);
  alarm_set(&second_, kMiddle);
  EXPECT_FALSE(alarm_take(&first_, kMiddle - 1));
  EXPECT_EQ(first_.due, kMiddle);
  EXPECT_TRUE(alarm_take(&first_, kMiddle));
  EXPECT_EQ(first_.due, TIME_TICK_NEVER);
  EXPECT_FALSE(alarm_take(&first_, kMiddle));
  EXPECT_EQ(second_.due, kMiddle) << "each is taken by itself";
  EXPECT_TRUE(alarm_take(&second_, kMiddle + 1));
}

}  // namespace
}  // namespace headstack
