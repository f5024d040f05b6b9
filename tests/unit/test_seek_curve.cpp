// SPDX-License-Identifier: Apache-2.0
// Seek curves: tables, pieces, and motions that take exactly the published time.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/mechanics/profile_fit.hpp"
#include "sim/mechanics/seek_curve.hpp"
#include "tests/support.hpp"

namespace headstack::mechanics {
namespace {

TEST(SeekTime, Table_IsLinearBetweenRowsAndBeyondTheLast) {
  drive::Seek seek;
  seek.table = {{2, 4.0}, {6, 8.0}, {10, 9.0}};
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 0), 0.0);
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 1), 2.0);  // line from (0, 0) to the first row
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 2), 4.0);
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 3), 5.0);
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 10), 9.0);
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 14), 10.0);  // the slope of 0.25 ms a cylinder continues
}

TEST(SeekTime, SingleRow_IsALineFromZero) {
  drive::Seek seek;
  seek.table = {{4, 8.0}};
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 2), 4.0);
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 6), 12.0);
}

TEST(SeekTime, PiecesHoldBeyondTheTable_UpToTheirBounds) {
  drive::Seek seek;
  seek.table = {{1, 1.0}};
  seek.pieces = {{4, 2.0, 1.0, 0, 0}, {9, 10.0, 0, 0.5, 4}};
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 1), 1.0);
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 4), 4.0);   // 2 + sqrt 4
  EXPECT_DOUBLE_EQ(seek_time_ms(seek, 5), 10.5);  // 10 + 0.5 (5 - 4)
}

// A call for all distances gives what a call for each gives: in the table, between its rows and
// beyond.
TEST(SeekTime, AllAtOnce_AreEachByItself) {
  drive::Seek table;
  table.table = {{2, 4.0}, {6, 8.0}, {10, 9.0}};
  drive::Seek both = table;
  both.pieces = {{12, 2.0, 1.0, 0, 0}, {20, 10.0, 0, 0.5, 4}};
  for (const drive::Seek& seek : {table, both}) {
    const std::vector<double> times = seek_times_ms(seek, 25);
    ASSERT_EQ(times.size(), 25U);
    for (std::uint32_t x = 0; x < 25; ++x) EXPECT_DOUBLE_EQ(times[x], seek_time_ms(seek, x)) << x;
  }
}

TEST(BangBang, MeetsItsTwoBranches) {
  // a = 4, v = 10. The branches meet at v^2 / a = 25, at settle + 2 v / a = 1 + 5.
  const BangBangCoast ideal{1, 4, 10};
  EXPECT_DOUBLE_EQ(ideal.time_ms(0), 0);
  EXPECT_DOUBLE_EQ(ideal.time_ms(25), 6);
  EXPECT_NEAR(ideal.time_ms(25.000001), 6, 1e-6);
  EXPECT_DOUBLE_EQ(ideal.time_ms(35), 7);
}

TEST(Profile, Triangle_IsTheTextbookParabola) {
  // 4 cylinders in 2 ms: acceleration 4 d / T^2 = 4 cyl/ms^2, peak 2 d / T = 4 cyl/ms.
  const SeekProfile profile(4, from_ms(2), 100);
  EXPECT_DOUBLE_EQ(profile.position_cylinders(from_ms(0.5)), 0.5);  // a t^2 / 2
  EXPECT_DOUBLE_EQ(profile.velocity_cylinders_per_ms(from_ms(0.5)), 2.0);
  EXPECT_DOUBLE_EQ(profile.position_cylinders(from_ms(1)), 2.0);
  EXPECT_DOUBLE_EQ(profile.velocity_cylinders_per_ms(from_ms(1)), 4.0);
  EXPECT_DOUBLE_EQ(profile.position_cylinders(from_ms(1.5)), 3.5);
}

TEST(Profile, Trapezoid_CoastsAtTopSpeed) {
  // 10 cylinders in 6 ms at v = 2: ramps of 6 - 10 / 2 = 1 ms.
  const SeekProfile profile(10, from_ms(6), 2);
  EXPECT_EQ(profile.ramp_time(), from_ms(1));
  EXPECT_DOUBLE_EQ(profile.position_cylinders(from_ms(1)), 1.0);
  EXPECT_DOUBLE_EQ(profile.velocity_cylinders_per_ms(from_ms(3)), 2.0);
  EXPECT_DOUBLE_EQ(profile.position_cylinders(from_ms(3)), 5.0);
  EXPECT_DOUBLE_EQ(profile.position_cylinders(from_ms(5)), 9.0);
}

TEST(Profile, BeforeAndAfter_StandsStill) {
  const SeekProfile profile(4, from_ms(2), 100);
  EXPECT_EQ(profile.position_cylinders(-1), 0);
  EXPECT_EQ(profile.position_cylinders(from_ms(2)), 4);
  EXPECT_EQ(profile.position_cylinders(from_ms(99)), 4);
  EXPECT_EQ(profile.velocity_cylinders_per_ms(from_ms(2)), 0);
}

class Profiles : public testing::TestWithParam<const char*> {};

// Velocity is the derivative of position, and the motion of each curve ends exactly on the track.
TEST_P(Profiles, AreConsistentMotions) {
  const SeekCurve curve(test::shipped(GetParam()).design);
  for (std::uint32_t d = 1; d < curve.cylinder_count(); d += 1 + d / 7) {
    const SeekProfile profile = curve.profile(d);
    ASSERT_EQ(profile.motion_time() + curve.settle(d), curve.time(d));
    ASSERT_DOUBLE_EQ(profile.position_cylinders(profile.motion_time()), d);
    double last = 0;
    const Picoseconds step = profile.motion_time() / 40;
    for (int i = 1; i < 40; ++i) {
      const Picoseconds t = i * step;
      const Picoseconds h = step / 1000;
      const double slope =
          (profile.position_cylinders(t + h) - profile.position_cylinders(t - h)) / to_ms(2 * h);
      const double velocity = profile.velocity_cylinders_per_ms(t);
      ASSERT_NEAR(slope, velocity, 1e-3 * (1 + velocity)) << d << " at " << i;
      ASSERT_GE(profile.position_cylinders(t), last);
      last = profile.position_cylinders(t);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SeekCurve, Profiles, testing::ValuesIn(test::kShippedDrives),
                         test::case_name<const char*>);

TEST(SeekCurve, MeanOverAllPairs_OfALinearCurve) {
  // A seek over x takes x ms. The mean distance over ordered pairs of different cylinders is (C +
  // 1) / 3.
  drive::Design design = test::small_design();
  design.cylinders = 50;
  design.seek.pieces = {{49, 0, 0, 1.0, 0}};
  EXPECT_NEAR(SeekCurve(design).mean_ms(), 17.0, 1e-9);
}

TEST(ProfileFit, RecoversAnIdealArm) {
  drive::Design design = test::small_design();
  design.cylinders = 2000;
  const BangBangCoast ideal{1.5, 8, 80};  // coasts beyond 800 cylinders
  design.seek.pieces.clear();
  for (std::uint32_t x = 1; x < 2000; ++x) design.seek.table.emplace_back(x, ideal.time_ms(x));
  const ProfileFit fit = fit_profile(design);
  EXPECT_NEAR(fit.settle_ms, 1.5, 0.002);
  EXPECT_NEAR(fit.coast_cylinders_per_ms, 80, 0.01);
}

// A flat curve: 0.8 of the 10 ms are settling, so that the arm moves for 2 ms. The top speed is
// twice the mean speed of the full stroke, 2 * 1999 / 2.
TEST(ProfileFit, OfAFlatCurve_TakesATriangle) {
  drive::Design design = test::small_design();
  design.cylinders = 2000;
  design.seek.pieces = {{1999, 10, 0, 0, 0}};
  const ProfileFit fit = fit_profile(design);
  EXPECT_DOUBLE_EQ(fit.settle_ms, 8);
  EXPECT_DOUBLE_EQ(fit.coast_cylinders_per_ms, 1999);
}

// A drive of two cylinders has a single seek, which counts.
TEST(ProfileFit, OfOneSeek) {
  drive::Design design = test::small_design();
  design.cylinders = 2;
  design.seek.pieces = {{1, 10, 0, 0, 0}};
  const ProfileFit fit = fit_profile(design);
  EXPECT_DOUBLE_EQ(fit.settle_ms, 8);
  EXPECT_DOUBLE_EQ(fit.coast_cylinders_per_ms, 1);
}

}  // namespace
}  // namespace headstack::mechanics
