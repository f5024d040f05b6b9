// SPDX-License-Identifier: Apache-2.0
#include "host/debug/stop_points.hpp"

#include <gtest/gtest.h>

namespace headstack::debug {
namespace {

TEST(StopPoints, Breakpoint_IsAtItsAddressOnly) {
  StopPoints points;
  points.add({PointKind::kSoftwareBreak, 0x42D0, 2});
  EXPECT_STREQ(points.break_at(0x42D0), "swbreak");
  EXPECT_EQ(points.break_at(0x42CE), nullptr);
  EXPECT_EQ(points.break_at(0x42D2), nullptr);
  points.add({PointKind::kHardwareBreak, 0x42D2, 2});
  EXPECT_STREQ(points.break_at(0x42D2), "hwbreak");
  points.clear();
  EXPECT_EQ(points.break_at(0x42D0), nullptr);
}

// A watchpoint on four bytes from 100h on: an access that ends before them, or begins after them,
// does not touch them.
TEST(StopPoints, Watchpoint_SeesWhatTouchesIt) {
  StopPoints points;
  points.add({PointKind::kWrite, 0x100, 4});
  EXPECT_FALSE(points.watched(true, 0xFC, 4));
  EXPECT_FALSE(points.watched(true, 0x104, 4));
  EXPECT_EQ(points.watched(true, 0x103, 1)->address, 0x103U);
  EXPECT_EQ(points.watched(true, 0xFE, 4)->address, 0x100U) << "the first byte that is watched";
  EXPECT_FALSE(points.watched(false, 0x100, 4)) << "a read";
}

TEST(StopPoints, Kinds_SeeTheirAccesses) {
  const std::pair<PointKind, std::pair<bool, bool>> kCases[] = {{PointKind::kWrite, {true, false}},
                                                                {PointKind::kRead, {false, true}},
                                                                {PointKind::kAccess, {true, true}}};
  for (const auto& [kind, sees] : kCases) {
    StopPoints points;
    points.add({kind, 0x100, 4});
    EXPECT_EQ(points.watched(true, 0x100, 1).has_value(), sees.first) << watch_name(kind);
    EXPECT_EQ(points.watched(false, 0x100, 1).has_value(), sees.second) << watch_name(kind);
  }
}

TEST(StopPoints, WatchpointOfTheLastBytes_DoesNotWrap) {
  StopPoints points;
  points.add({PointKind::kWrite, 0xFFFF'FFFC, 4});
  EXPECT_TRUE(points.watched(true, 0xFFFF'FFFF, 1));
  EXPECT_FALSE(points.watched(true, 0, 4));
}

}  // namespace
}  // namespace headstack::debug
