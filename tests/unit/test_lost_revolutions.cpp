// SPDX-License-Identifier: Apache-2.0
// The revolutions that a request loses between its sectors, by the equation at the head of
// lost_revolutions.hpp. A revolution takes 1,000 us. A sector takes 10 us, and its last check byte
// ends after 8 us. Sector 0 of head 0 is at angle 0; sector 0 of head 1 is `skew` sectors later.
#include <gtest/gtest.h>

#include "firmware/events.h"
#include "host/observe/lost_revolutions.hpp"

namespace headstack::observe {
namespace {

Picoseconds us(int time) { return time * kPicosecondsPerMicrosecond; }

constexpr int kSectors = 100;

LostRevolutions::AngleOf angles(std::uint32_t skew) {
  return [skew](const geometry::Chs& sector) {
    const std::uint64_t place = sector.sector + skew * sector.head;
    return static_cast<std::uint32_t>((place << 32) / kSectors);
  };
}

class LostRevolutionsTest : public testing::Test {
 protected:
  static constexpr std::uint32_t kTask = 3;

  void chosen(int time) { lost_.firmware_event(edge_of(time), TRACE_TASK_CHOSEN, kTask); }
  /// The media report a task's end: the status of the work, and the task's number.
  void done(int time, std::uint32_t task = kTask) {
    lost_.firmware_event(edge_of(time), TRACE_MEDIA_DONE, 1U << 16 | task);
  }
  static std::uint64_t edge_of(int time) {
    return static_cast<std::uint64_t>(us(time) / soc::kClockPeriodPs);
  }
  /// A sector of head 0; the time says which.
  void sector(int time) { sector(time, {0, 0, static_cast<std::uint32_t>(time / 10 % kSectors)}); }
  void sector(int time, const geometry::Chs& place) {
    lost_.sector_began(us(time), place);
    lost_.sector_ended(us(time + 8), place);
  }
  /// A movement of 30 us seek, 10 us settling and 5 us head switch; writing needs 20 us more.
  void seek(int time) { lost_.seek_began(us(time), {1, 1, 0}, {us(30), us(10), us(5), us(20)}); }

  LostRevolutions lost_{us(1000), angles(60)};
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

// The layout intends this wait: 600 us, more than half a revolution.
TEST_F(LostRevolutionsTest, SkewLosesNone_HoweverLong) {
  chosen(1);
  sector(100, {0, 0, 10});
  seek(109);
  sector(710, {0, 1, 11});
  EXPECT_EQ(lost_.count(), 0U);
}

TEST_F(LostRevolutionsTest, MovementLongerThanTheSkew_LosesOne) {
  LostRevolutions lost(us(1000), angles(4));
  lost.firmware_event(0, TRACE_TASK_CHOSEN, kTask);
  lost.sector_began(us(0), {0, 0, 0});
  lost.sector_ended(us(8), {0, 0, 0});
  lost.seek_began(us(9), {0, 1, 0}, {us(30), us(10), us(5), us(20)});
  lost.sector_began(us(1050), {0, 1, 1});
  lost.sector_ended(us(1058), {0, 1, 1});
  EXPECT_EQ(lost.count(), 1U);
}

// The platter turns while the arm moves, and the request waits for no sector then. The movement
// takes 2.3 revolutions, and the sector passes 0.2 into the fourth.
TEST_F(LostRevolutionsTest, WholeRevolutionsOfMovement_AreNotLost) {
  LostRevolutions lost(us(1000), angles(0));
  lost.firmware_event(0, TRACE_TASK_CHOSEN, kTask);
  lost.sector_began(us(0), {0, 0, 0});
  lost.sector_ended(us(8), {0, 0, 0});
  lost.seek_began(us(9), {900, 0, 0}, {us(2000), us(300), us(0), us(0)});
  lost.sector_began(us(3200), {900, 0, 20});
  lost.sector_ended(us(3208), {900, 0, 20});
  EXPECT_EQ(lost.count(), 1U);
}

// An abstract drive's access(n): half a revolution is the usual wait, and one and a half lose one.
TEST_F(LostRevolutionsTest, MeanLatency_IsNoneLost) {
  for (const int wait : {500, 999, 1000, 1500}) {
    LostRevolutions lost(us(1000), {});
    lost.firmware_event(0, TRACE_TASK_CHOSEN, kTask);
    lost.sector_ended(us(8), {0, 0, 0});
    lost.sector_began(us(8 + wait), {1, 1, 0});
    lost.sector_ended(us(8 + wait + 8), {1, 1, 0});
    EXPECT_EQ(lost.count(), wait < 1000 ? 0U : 1U) << wait;
  }
}

TEST_F(LostRevolutionsTest, EachRevolutionCounts) {
  chosen(1);
  sector(100);
  sector(3100);  // the same sector, at the fourth attempt
  EXPECT_EQ(lost_.count(), 3U);
  sector(3110);
  seek(3119);
  sector(4120);  // the next sector, a revolution late
  EXPECT_EQ(lost_.count(), 4U);
}

// Sectors that pass while another one is awaited begin, but do not end.
TEST_F(LostRevolutionsTest, SectorsPassedBy_ShortenNoWait) {
  chosen(1);
  sector(100);
  for (int time = 110; time < 1100; time += 10)
    lost_.sector_began(us(time), {0, 0, static_cast<std::uint32_t>(time / 10 % kSectors)});
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

// Sectors before the first task, or after the media's work for a task, serve no request. They are
// moved blocks, read-ahead or saved pages.
TEST_F(LostRevolutionsTest, OutsideOfARequest_IsCountedApart) {
  sector(100);
  sector(3100);
  EXPECT_EQ(lost_.count(), 0U);
  EXPECT_EQ(lost_.others(), 3U);
  chosen(3109);
  sector(3200);
  sector(4200);
  EXPECT_EQ(lost_.count(), 1U);
  done(4209);
  sector(6200);
  EXPECT_EQ(lost_.count(), 1U);
  EXPECT_EQ(lost_.others(), 5U);
}

// The next task may be chosen before the media report the previous one's end.
TEST_F(LostRevolutionsTest, TheEndOfAnotherTask_EndsNoRequest) {
  chosen(1);
  done(2, kTask + 1);
  sector(100);
  sector(1100);
  EXPECT_EQ(lost_.count(), 1U);
  EXPECT_EQ(lost_.others(), 0U);
}

}  // namespace
}  // namespace headstack::observe
