// SPDX-License-Identifier: Apache-2.0
// The drives of the papers have the papers' numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/mechanics/access.hpp"
#include "tests/support.hpp"

namespace headstack::mechanics {
namespace {

/// Seltzer, Chen, Ousterhout 1990, figure 1.
double eagle_formula_ms(int x) {
  if (x == 0) return 0;
  return x <= 239 ? 4.6 + 0.87 * std::sqrt(x) : 18 + 0.028 * (x - 239);
}

TEST(Eagle, SeekTime_EqualsThePapersFormulaAtAll840Distances) {
  const SeekCurve curve(test::shipped("eagle").design);
  ASSERT_EQ(curve.cylinder_count(), 840U);
  for (int x = 0; x < 840; ++x) {
    // The conversion may cost half a picosecond.
    EXPECT_NEAR(to_ms(curve.time(static_cast<std::uint32_t>(x))), eagle_formula_ms(x), 0.51e-9);
  }
}

// DESIGN's reading of the formula: settle 4.6 ms, a = 4 / 0.87^2 cyl/ms^2, v = 1 / 0.028 cyl/ms.
TEST(Eagle, BangBangCoast_ReproducesTheFormulaWithin0_0501Ms) {
  const BangBangCoast ideal{4.6, 4 / (0.87 * 0.87), 1 / 0.028};
  double worst = 0;
  for (int x = 0; x < 840; ++x) {
    const double apart = std::abs(ideal.time_ms(x) - eagle_formula_ms(x));
    worst = std::max(worst, apart);
    EXPECT_LE(apart, 0.0501) << x;
    if (x <= 239) {
      EXPECT_NEAR(ideal.time_ms(x), eagle_formula_ms(x), 1e-12) << "the short branch is exact";
    }
  }
  EXPECT_GT(worst, 0.049) << "the bound is tight beyond 239 cylinders";
}

// The profile that the simulator moves along has the ideal's acceleration within 1 %.
TEST(Eagle, ProfileIsTheIdealMotionScaled) {
  const SeekCurve curve(test::shipped("eagle").design);
  const double acceleration = 4 / (0.87 * 0.87);
  for (std::uint32_t x = 1; x < 840; ++x) {
    const SeekProfile profile = curve.profile(x);
    const double ramp_ms = to_ms(profile.ramp_time());
    const double peak = profile.velocity_cylinders_per_ms(profile.motion_time() / 2);
    EXPECT_NEAR(peak / ramp_ms, acceleration, 0.01 * acceleration) << x;
    EXPECT_LE(peak, 1.001 / 0.028) << x;
  }
}

TEST(Eagle, Table1) {
  const drive::DriveDescription eagle = test::shipped("eagle");
  const AccessModel model(eagle.design);
  EXPECT_EQ(eagle.design.cylinders, 840U);
  EXPECT_EQ(eagle.design.heads, 20U);
  EXPECT_EQ(eagle.design.zones[0].sectors_per_track, 67U);
  EXPECT_EQ(model.geometry().capacity(), 840U * 20 * 67);
  EXPECT_NEAR(model.rotation().period_ms() / 2, 8.3, 0.05);  // average rotational latency
  const Anatomy read = model.access({0, 0, 0}, 0, 8, false);
  EXPECT_NEAR(to_ms(read.stretches[0].transfer), 2.0, 0.05);  // 4 KB
  // Average seek: 18 ms in the table. The formula's mean over all pairs of different cylinders,
  // summed here on its own, is 18.58: what the table gives is rounded or the maker's.
  double sum = 0;
  for (int x = 1; x < 840; ++x) sum += eagle_formula_ms(x) * 2 * (840 - x);
  const double mean = sum / (840.0 * 839.0);
  EXPECT_NEAR(model.positioning().curve().mean_ms(), mean, 1e-6);
  EXPECT_NEAR(mean, 18.0, 0.6);
}

// Without skew and head-switch time, blocks continue over a track's end without a pause.
TEST(Eagle, BlockAcrossATrackEnd_TransfersWithoutAPause) {
  const AccessModel model(test::shipped("eagle").design);
  const Anatomy access = model.access({0, 0, 0}, 64, 8, false);  // 3 sectors and 5 of the next
  ASSERT_EQ(access.stretches.size(), 2U);
  EXPECT_EQ(access.stretches[1].total(), access.stretches[1].transfer);
}

// Abbott, Garcia-Molina 1990, section 5: access(n) = 0.6 sqrt(n) + 15 ms; 26 ms at n = 333.
TEST(Abstract1000Track, AccessTime_IsThePapersAtEveryDistance) {
  const AccessModel model(test::shipped("abstract_1000_track").design);
  for (std::uint32_t n = 0; n < 1000; ++n) {
    const Picoseconds time = model.access_time({from_ms(0.37 * n), 0, 0}, 8 * n, 8, false);
    ASSERT_NEAR(to_ms(time), 0.6 * std::sqrt(n) + 15, 1e-8) << n;
  }
  EXPECT_NEAR(to_ms(model.access_time({0, 0, 0}, 8 * 333, 8, false)), 26, 0.1);
}

// Salem, section 3: average seek 30 ms, latency 8.33 ms, 71 MB; formula (4) gives the same mean.
TEST(Mvax71Mb, PublishedFigures) {
  const AccessModel model(test::shipped("mvax_71mb").design);
  const SeekCurve& curve = model.positioning().curve();
  const double c = 1024;
  const double s_min = to_ms(curve.time(1));
  const double s_max = to_ms(curve.time(1023));
  const double d = (s_max - s_min) * (c - 1);
  EXPECT_NEAR(s_min + d * (c + 1) / (3 * c * c), 30.0, 1e-6);
  EXPECT_NEAR(curve.mean_ms(), 30.0, 0.05);
  EXPECT_NEAR(model.rotation().period_ms() / 2, 8.33, 0.005);
  EXPECT_NEAR(static_cast<double>(model.geometry().capacity()) * 512 / 1e6, 71, 0.5);
}

// Geist et al., section 2: 179 MB, 5 surfaces, 31 to 53 sectors; 2,181 virtual cylinders of 160.
TEST(Zoned179Mb, PublishedFigures) {
  const drive::Design design = test::shipped("zoned_179mb").design;
  const geometry::Geometry geometry(design);
  EXPECT_EQ(geometry.capacity(), 2181U * 160);
  EXPECT_EQ(design.heads, 5U);
  EXPECT_EQ(geometry.zones().front().sectors_per_track, 53U);
  EXPECT_EQ(geometry.zones().back().sectors_per_track, 31U);
}

// The same disk with the seek curve that maps of cylinders are compared on. To 556 cylinders it is
// 1.9 + 0.598 sqrt(d) ms, then a straight line to 29 ms over all 1,668 that have blocks.
TEST(Paper179Mb, FiguresOfTheComparison) {
  const AccessModel model(test::shipped("paper_179mb").design);
  const SeekCurve& curve = model.positioning().curve();
  EXPECT_NEAR(to_ms(curve.time(1)), 1.9 + 0.598, 1e-6);
  EXPECT_NEAR(to_ms(curve.time(556)), 1.9 + 0.598 * std::sqrt(556.0), 1e-6);
  EXPECT_NEAR(to_ms(curve.time(1667)), 29, 1e-6);
  const double slope = to_ms(curve.time(557)) - to_ms(curve.time(556));
  for (std::uint32_t d = 557; d < 1667; ++d) {
    ASSERT_NEAR(to_ms(curve.time(d + 1)) - to_ms(curve.time(d)), slope, 1e-6) << d;
  }
  EXPECT_NEAR(model.rotation().period_ms(), 1000.0 / 60, 1e-6);
}

// Twelve zones of 139 cylinders with blocks, 53 sectors a track down to 31, and the store before
// them.
TEST(Paper179Mb, HasThePapersBlocksBehindItsStore) {
  const drive::Design design = test::shipped("paper_179mb").design;
  const geometry::Geometry geometry(design);
  EXPECT_EQ(geometry.capacity(), 2181U * 160);
  ASSERT_EQ(design.zones.size(), 12U);
  const std::uint32_t first = geometry.locate(0).cylinder;
  EXPECT_EQ(first, design.cylinders - 1668);
  EXPECT_EQ(geometry.locate(geometry.capacity() - 1).cylinder, design.cylinders - 1);
  std::uint32_t next = first;
  std::uint32_t sectors = 53;
  for (const drive::Zone& zone : design.zones) {
    EXPECT_EQ(zone.sectors_per_track, sectors);
    EXPECT_EQ(zone.last_cylinder + 1 - next, 139U);
    next = zone.last_cylinder + 1;
    sectors -= 2;
  }
  const geometry::Layout layout = geometry::build_layout(design);
  ASSERT_TRUE(layout.store);
  EXPECT_EQ(layout.store->zone, 0U);
  EXPECT_EQ(layout.store->position, 0U);
  EXPECT_EQ(layout.store->length, first * design.heads * 53);
  EXPECT_GE(layout.store->length, 4096U);
}

// A head switch or a seek to the next cylinder, and the write settle, cost no revolution.
TEST(Paper179Mb, SkewsCoverWhatTheyAreFor) {
  const drive::Design design = test::shipped("paper_179mb").design;
  for (const drive::Zone& zone : design.zones) {
    const double sector_ms = 60'000 / design.rpm / zone.sectors_per_track;
    EXPECT_GE(zone.track_skew * sector_ms, design.head_switch_ms + design.write_settle_ms);
    EXPECT_LT((zone.track_skew - 2) * sector_ms, design.head_switch_ms + design.write_settle_ms);
    EXPECT_GE(zone.cylinder_skew * sector_ms, 1.9 + 0.598 + design.write_settle_ms);
    EXPECT_LT((zone.cylinder_skew - 2) * sector_ms, 1.9 + 0.598 + design.write_settle_ms);
  }
}

}  // namespace
}  // namespace headstack::mechanics
