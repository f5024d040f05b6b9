// SPDX-License-Identifier: Apache-2.0
// One access: its parts by hand on a small drive, exact sums, contiguous blocks without a lost
// turn.
#include <gtest/gtest.h>

#include <random>

#include "sim/mechanics/access.hpp"
#include "tests/support.hpp"

namespace headstack::mechanics {
namespace {

// 6000 rpm, 10 sectors: a sector takes 1 ms, a revolution 10 ms; every seek 2 ms.
TEST(Access, AnatomyByHand) {
  drive::Design design = test::small_design();
  design.head_switch_ms = 0.5;
  design.write_settle_ms = 0.3;
  const AccessModel model(design);
  // Block 25 is cylinder 1, head 0, sector 5, at 5 ms of the turn. Ready at 2 ms: waits 3 ms.
  const Anatomy read = model.access({0, 0, 0}, 25, 2, false);
  ASSERT_EQ(read.stretches.size(), 1U);
  EXPECT_EQ(read.stretches[0].positioning.total(), from_ms(2));
  EXPECT_NEAR(to_ms(read.stretches[0].rotation), 3.0, 1e-8);
  EXPECT_NEAR(to_ms(read.stretches[0].transfer), 2.0, 1e-8);
  // A write settles 0.3 ms longer and waits that much less.
  const Anatomy write = model.access({0, 0, 0}, 25, 2, true);
  EXPECT_EQ(write.stretches[0].positioning.write_settle, from_ms(0.3));
  EXPECT_NEAR(to_ms(write.stretches[0].rotation), 2.7, 1e-8);
  EXPECT_EQ(write.total(), read.total());
}

TEST(Access, OverATracksEnd_SwitchesHeadAndWaits) {
  drive::Design design = test::small_design();
  design.head_switch_ms = 0.5;
  design.zones[0].track_skew = 1;
  const AccessModel model(design);
  const Anatomy access = model.access({0, 0, 0}, 8, 4, false);
  ASSERT_EQ(access.stretches.size(), 2U);
  EXPECT_EQ(access.stretches[1].at.head, 1U);
  EXPECT_EQ(access.stretches[1].positioning.head_switch, from_ms(0.5));
  EXPECT_NEAR(to_ms(access.stretches[1].rotation), 0.5, 1e-8);  // skew 1 ms, switch 0.5 ms
}

TEST(Access, SkewTooSmallForTheSwitch_LosesARevolution) {
  drive::Design design = test::small_design();
  design.head_switch_ms = 1.5;
  design.zones[0].track_skew = 1;
  const Anatomy access = AccessModel(design).access({0, 0, 0}, 8, 4, false);
  EXPECT_NEAR(to_ms(access.stretches[1].rotation), 9.5, 1e-8);
}

TEST(Access, SlippedSector_IsPassedOver) {
  drive::Design design = test::small_design();
  design.sparing.location = drive::SpareLocation::kZoneEnd;
  design.zones[0].spares = 1;
  design.zones[0].slips = {3};
  const Anatomy access = AccessModel(design).access({0, 0, 0}, 0, 6, false);
  ASSERT_EQ(access.stretches.size(), 2U);
  EXPECT_NEAR(to_ms(access.stretches[1].rotation), 1.0, 1e-8);  // the slipped sector's time
  EXPECT_NEAR(to_ms(access.total()), 7.0, 1e-8);
}

TEST(Access, MeanLatency_IsAlwaysHalfATurn) {
  drive::Design design = test::small_design();
  design.rotational_latency = drive::RotationalLatency::kMean;
  const AccessModel model(design);
  for (const Picoseconds start : {Picoseconds{0}, from_ms(1.234), from_ms(9.999)}) {
    const Anatomy access = model.access({start, 0, 0}, 3, 1, false);
    EXPECT_NEAR(to_ms(access.stretches[0].rotation), 5.0, 1e-8);
  }
  // Five of ten sectors take exactly as long as the mean wait: both are half a turn from angle 0.
  const Stretch half = model.access({0, 0, 0}, 0, 5, false).stretches[0];
  EXPECT_EQ(half.transfer, half.rotation);
}

TEST(Access, StartOutsideTheDrive_IsABug) {
  const AccessModel model(test::small_design());
  EXPECT_DEATH(static_cast<void>(model.access({0, 4, 0}, 0, 1, false)), "heads start");
  EXPECT_DEATH(static_cast<void>(model.access_time({0, 0, 2}, 0, 1, false)), "heads start");
  EXPECT_DEATH(static_cast<void>(model.access({0, 0, 0}, 79, 2, false)), "blocks exist");
}

class EveryDrive : public testing::TestWithParam<const char*> {};

// Reading on from where the last access ended costs no rotation, on any track of any drive.
TEST_P(EveryDrive, ContiguousBlocksOnATrack_HaveExactlyZeroDistance) {
  const drive::Design design = test::shipped(GetParam()).design;
  if (design.rotational_latency == drive::RotationalLatency::kMean) {
    GTEST_SKIP() << "latency does not follow the angle on this drive, by its description";
  }
  const AccessModel model(design);
  constexpr std::uint32_t kSeed = 11;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const geometry::Lba lba = random() % model.geometry().capacity();
    const geometry::Placement at = model.geometry().locate(lba);
    if (at.contiguous < 2) continue;
    const auto first = static_cast<std::uint32_t>(1 + random() % (at.contiguous - 1));
    const auto when = static_cast<Picoseconds>(random() % kPicosecondsPerSecond);
    const Anatomy one = model.access({when, 0, 0}, lba, first, false);
    const Anatomy two =
        model.access({one.end(), at.cylinder, at.head}, lba + first, at.contiguous - first, false);
    ASSERT_EQ(two.stretches[0].rotation, 0) << "lba " << lba << " seed " << kSeed;
    const Anatomy whole = model.access({when, 0, 0}, lba, at.contiguous, false);
    ASSERT_EQ(two.end(), whole.end()) << "lba " << lba << " seed " << kSeed;
  }
}

TEST_P(EveryDrive, PartsSumToTheAccessTime) {
  const AccessModel model(test::shipped(GetParam()).design);
  constexpr std::uint32_t kSeed = 12;
  std::mt19937_64 random(kSeed);
  const std::uint64_t capacity = model.geometry().capacity();
  for (int i = 0; i < 2000; ++i) {
    const auto blocks = static_cast<std::uint32_t>(1 + random() % 700);
    const geometry::Lba lba = random() % (capacity - blocks);
    const AccessStart start{
        static_cast<Picoseconds>(random() % kPicosecondsPerSecond),
        static_cast<std::uint32_t>(random() % model.geometry().cylinder_count()),
        static_cast<std::uint32_t>(random() % model.geometry().head_count())};
    const bool write = (random() & 1) != 0;
    const Anatomy anatomy = model.access(start, lba, blocks, write);
    ASSERT_EQ(anatomy.total(), model.access_time(start, lba, blocks, write))
        << "lba " << lba << " blocks " << blocks << " seed " << kSeed;
    std::uint32_t sum = 0;
    for (const Stretch& stretch : anatomy.stretches) {
      sum += stretch.blocks;
      ASSERT_GE(stretch.rotation, 0);
      ASSERT_LE(to_ms(stretch.rotation), model.rotation().period_ms());
    }
    ASSERT_EQ(sum, blocks);
  }
}

INSTANTIATE_TEST_SUITE_P(Access, EveryDrive, testing::ValuesIn(test::kShippedDrives),
                         test::case_name<const char*>);

// The same on a spindle whose angle moves by more than one turn32 per picosecond.
TEST(Access, FastSpindle_KeepsContiguousBlocksContiguous) {
  drive::Design design = test::small_design();
  design.rpm = 15'000;
  design.zones[0].sectors_per_track = 667;
  const AccessModel model(design);
  AccessStart at{0, 0, 0};
  const Anatomy first = model.access(at, 0, 1, false);
  at.time = first.end();
  for (std::uint32_t block = 1; block < 667; ++block) {
    const Anatomy next = model.access(at, block, 1, false);
    ASSERT_LE(next.stretches[0].rotation, 1) << block;  // at most the picosecond's own rounding
    at.time = next.end();
  }
  // 667 single reads take what one long read takes: lateness within a picosecond does not add up.
  EXPECT_NEAR(static_cast<double>(at.time),
              static_cast<double>(model.access({0, 0, 0}, 0, 667, false).end()), 2.0);
}

}  // namespace
}  // namespace headstack::mechanics
