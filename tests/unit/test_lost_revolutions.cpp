// SPDX-License-Identifier: Apache-2.0
// What a request loses between its sectors, by the equation at the head of lost_revolutions.hpp.
// A revolution takes 1,000 us, a sector 10 of them, 8 up to its last check byte.
#include <gtest/gtest.h>

#include "firmware/events.h"
#include "host/observe/lost_revolutions.hpp"

namespace headstack::observe {
namespace {

Picoseconds us(int time) { return time * kPicosecondsPerMicrosecond; }

class LostRevolutionsTest : public testing::Test {
 protected:
  void chosen(int time) {
    lost_.firmware_event(static_cast<std::uint64_t>(us(time) / soc::kClockPeriodPs),
                         TRACE_TASK_CHOSEN, 0);
  }
  void sector(int time) {
    lost_.sector_began(us(time), {0, 0, 0});
    lost_.sector_ended(us(time + 8), {0, 0, 0});
  }
  /// 30 us of seek, 10 of settling, 5 of head switch; writing needs 20 more.
  void seek(int time) { lost_.seek_began(us(time), {1, 1, 0}, {us(30), us(10), us(5), us(20)}); }

  LostRevolutions lost_{us(1000)};
};

TEST_F(LostRevolutionsTest, AdjacentSectors_LoseNone) {
  chosen(1);
  for (const int time : {100, 110, 120}) sector(time);
  EXPECT_EQ(lost_.count(), 0U);
}

TEST_F(LostRevolutionsTest, WaitForTheFirstSector_IsNone) {
  chosen(1);
  sector(990);
  EXPECT_EQ(lost_.count(), 0U);
}

// Half of one counts; a picosecond less does not. The movement is no wait.
TEST_F(LostRevolutionsTest, HalfARevolutionCounts_ButForTheMovement) {
  for (const bool counts : {true, false}) {
    LostRevolutions lost(us(1000));
    lost.sector_ended(us(8), {0, 0, 0});
    lost.seek_began(us(9), {1, 1, 0}, {us(30), us(10), us(5), us(20)});
    lost.sector_began(us(8 + 45 + 500) - (counts ? 0 : 1), {1, 1, 0});
    lost.sector_ended(us(700), {1, 1, 0});
    EXPECT_EQ(lost.count(), counts ? 1U : 0U);
  }
}

// access(n) of an abstract drive: half a revolution is the wait, and one and a half lose one.
TEST_F(LostRevolutionsTest, MeanLatency_IsNoneLost) {
  for (const int wait : {500, 999, 1000, 1500}) {
    LostRevolutions lost(us(1000), us(500));
    lost.sector_ended(us(8), {0, 0, 0});
    lost.sector_began(us(8 + wait), {1, 1, 0});
    lost.sector_ended(us(8 + wait + 8), {1, 1, 0});
    EXPECT_EQ(lost.count(), wait < 1000 ? 0U : 1U) << wait;
  }
}

TEST_F(LostRevolutionsTest, EachRevolutionCounts) {
  chosen(1);
  sector(100);
  sector(3100);  // the same one, at the fourth attempt
  EXPECT_EQ(lost_.count(), 3U);
  sector(3110);
  seek(3119);
  sector(4120);
  EXPECT_EQ(lost_.count(), 4U);
}

// Sectors that pass by while the one that is wanted is awaited do not end.
TEST_F(LostRevolutionsTest, SectorsPassedBy_ShortenNoWait) {
  chosen(1);
  sector(100);
  for (int time = 110; time < 1100; time += 10) lost_.sector_began(us(time), {0, 0, 5});
  sector(1100);
  EXPECT_EQ(lost_.count(), 1U);
}

TEST_F(LostRevolutionsTest, BetweenTwoRequests_NoneIsLost) {
  chosen(1);
  sector(100);
  chosen(109);
  sector(1100);
  EXPECT_EQ(lost_.count(), 0U);
}

}  // namespace
}  // namespace headstack::observe
