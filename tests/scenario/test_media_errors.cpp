// SPDX-License-Identifier: Apache-2.0
// Flaws of the specimen, and slipped and remapped sectors, from a host's side (SPC-2 7.20, SBC-2
// 6.3.4).
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

using media::FlawKind;

constexpr Picoseconds kRevolution = 10 * kMillisecond;  // 6000 rpm

class MediaErrors : public DriveBench {
 protected:
  void power_on_with_flaw(FlawKind kind, std::uint32_t lba, std::uint32_t retries) {
    Setup setup = fast_setup();
    setup.description.specimen.flaws = {{kind, lba, retries}};
    power_on_ready(setup);
    prepare(lba - 10, 20);
  }
  void set_read_retries(std::uint8_t count) {
    ASSERT_EQ(run(mode_select_6({0x01, 0x0A, 0, count, 0, 0, 0, 0, 8, 0, 0, 0})), "GOOD");
  }
  static Picoseconds service_time(const Completion& done) {
    return done.times.status - done.times.command_sent;
  }
};

// SPC-2 annex C: 3/11/00 unrecovered read error; INFORMATION names the block.
TEST_F(MediaErrors, UnreadableBlock_IsAMediumErrorThatNamesIt) {
  power_on_with_flaw(FlawKind::kUnreadable, 1005, 0);
  const Completion done = execute(read_10(1005, 1));
  EXPECT_EQ(outcome(done), "3/11/00");
  EXPECT_EQ(information(done.sense), 1005U);
  EXPECT_GE(service_time(done), 8 * kRevolution) << "page 01h: 8 retries, a revolution each";
  expect_reads_back(1004, 1);
  expect_reads_back(1006, 9);
}

TEST_F(MediaErrors, UnreadableBlock_InsideALongRead_IsNamed_AndEarlierDataAreRight) {
  power_on_with_flaw(FlawKind::kUnreadable, 1005, 0);
  const Completion done = execute(read_10(1000, 10));
  EXPECT_EQ(outcome(done), "3/11/00");
  EXPECT_EQ(information(done.sense), 1005U);
  EXPECT_LE(done.data.size(), 5 * kBlockBytes);
  const Bytes good = blocks().expected(1000, 5);
  EXPECT_EQ(done.data,
            Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(done.data.size())));
}

TEST_F(MediaErrors, UnreadableBlock_FailsVerify) {
  power_on_with_flaw(FlawKind::kUnreadable, 1005, 0);
  const Completion done = execute(verify_10(1000, 10));
  EXPECT_EQ(outcome(done), "3/11/00");
  EXPECT_EQ(information(done.sense), 1005U);
  EXPECT_EQ(run(verify_10(1006, 10)), "GOOD");
}

// SBC-2 6.3.4: the host sets the read retry count.
TEST_F(MediaErrors, RetryCountZero_FailsAtOnce) {
  power_on_with_flaw(FlawKind::kUnreadable, 1005, 0);
  set_read_retries(0);
  const Completion done = execute(read_10(1005, 1));
  EXPECT_EQ(outcome(done), "3/11/00");
  // Longest seek 7.9 ms, a revolution, a sector, and little else.
  EXPECT_LT(service_time(done), 2 * kRevolution);
}

TEST_F(MediaErrors, MarginalBlock_IsReadWithinItsRetries) {
  power_on_with_flaw(FlawKind::kCorrectable, 1005, 3);
  const Completion done = execute(read_10(1000, 10));
  expect_data(done, 1000, 10);
  EXPECT_GE(service_time(done), 3 * kRevolution) << "three attempts in vain";
}

// Both sides of the limit: three attempts fail, the fourth succeeds.
TEST_F(MediaErrors, MarginalBlock_FailsWithOneRetryTooFew) {
  power_on_with_flaw(FlawKind::kCorrectable, 1005, 3);
  set_read_retries(2);
  const Completion done = execute(read_10(1005, 1));
  EXPECT_EQ(outcome(done), "3/11/00");
  EXPECT_EQ(information(done.sense), 1005U);
  // The specimen counts attempts on: the next is the fourth.
  expect_reads_back(1005, 1);
  set_read_retries(3);
  expect_reads_back(1005, 1);
}

// A failed command does not stop the others, once its sense is fetched.
TEST_F(MediaErrors, UnreadableBlock_AmongQueuedCommands_FailsOnlyItsOwn) {
  power_on_with_flaw(FlawKind::kUnreadable, 1005, 0);
  prepare(100, 12);
  std::vector<Ticket> good;
  good.push_back(submit(tagged(read_10(100, 4), 1)));
  const Ticket bad = submit(tagged(read_10(1003, 4), 2));
  good.push_back(submit(tagged(read_10(104, 4), 3)));
  good.push_back(submit(tagged(read_10(108, 4), 4)));
  EXPECT_EQ(outcome(await(bad)), "3/11/00");
  EXPECT_EQ(information(result(bad).sense), 1005U);
  for (std::uint32_t i = 0; i < 3; ++i) expect_data(await(good[i]), 100 + 4 * i, 4);
}

struct Layout {
  const char* what;
  drive::SpareLocation location;
};

const Layout kLayouts[] = {
    {"ZoneEnd", drive::SpareLocation::kZoneEnd},
    {"CylinderEnd", drive::SpareLocation::kCylinderEnd},
    {"TrackEnd", drive::SpareLocation::kTrackEnd},
};

class Sparing : public DriveBench, public testing::WithParamInterface<Layout> {};

// Position 25 of the first zone is slipped, 30 is remapped to the last position of its unit. A
// zone's first positions are its sector indices (sim/geometry/extents.hpp).
TEST_P(Sparing, SlippedAndRemappedSectors_AreInvisibleToTheHost) {
  Setup setup = fast_setup();
  drive::Design& design = setup.description.design;
  design.sparing.location = GetParam().location;
  constexpr std::uint32_t kSlipped = 25;
  constexpr std::uint32_t kDefect = 30;
  constexpr std::uint32_t kReplacement = 1199;
  design.zones[0].spares = 3;
  design.zones[0].slips = {kSlipped};
  design.zones[0].remaps = {{kDefect, kReplacement}};
  power_on_ready(setup);
  const Bytes capacity_data = execute(read_capacity_10()).data;
  EXPECT_EQ(big_endian(capacity_data, 0, 4) + 1, capacity());
  EXPECT_EQ(run(write_10(10, blocks().write(10, 60))), "GOOD");
  EXPECT_EQ(blocks().first_difference(peek(10, 60), blocks().expected(10, 60), 10), std::nullopt);
  expect_reads_back(5, 70);
  media::MediaStore& media = platform().surface().media();
  EXPECT_FALSE(media.is_written(kSlipped));
  EXPECT_FALSE(media.is_written(kDefect));
  EXPECT_TRUE(media.is_written(kReplacement));
  EXPECT_TRUE(media.is_written(kDefect + 1));
  // The blocks around the zone's end, where spares lie.
  EXPECT_EQ(run(write_10(1100, blocks().write(1100, 100))), "GOOD");
  expect_reads_back(1100, 100);
}

INSTANTIATE_TEST_SUITE_P(Scenario, Sparing, testing::ValuesIn(kLayouts),
                         [](const auto& test) { return std::string(test.param.what); });

}  // namespace
}  // namespace headstack::scenario
