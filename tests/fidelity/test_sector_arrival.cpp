// SPDX-License-Identifier: Apache-2.0
// A sector can be read exactly when it arrives, on the whole drive. A formatter that listens at the
// last clock edge at or before the sector's mark reads it in this pass. One that listens a clock
// later reads it a revolution after that.
//
// The mark is mechanics::Rotation's first picosecond at the sector's angle. The mark decides, and
// not the sync mark after it. The pulse that comes with it opens the read gate (hdl/README.md,
// "Ports to the world"). The gate is open three clocks later: one for the input register, one for
// the sequencer, one until the byte counts. That is long before the preamble is over.
#include <gtest/gtest.h>

#include "sim/channel/sector_codec.hpp"
#include "sim/mechanics/access.hpp"
#include "tests/fidelity/drive_bench.hpp"

namespace headstack::fidelity {
namespace {

constexpr Picoseconds kClock = soc::kClockPeriodPs;

class SectorArrival : public testing::TestWithParam<const char*> {};

TEST_P(SectorArrival, FormatterAtTheLastEdgeBefore_ReadsIt_OneClockLater_ARevolutionMore) {
  const drive::DriveDescription description = test::shipped(GetParam());
  const mechanics::AccessModel model(description.design, description.specimen);
  const mechanics::Rotation& rotation = model.rotation();
  DriveBench bench("bench", description);
  ASSERT_NO_FATAL_FAILURE(bench.make_ready());
  bench.serve(0, 1, false);
  const geometry::Placement at = model.geometry().locate(7);
  ASSERT_EQ(at.contiguous + 7, model.geometry().locate(0).contiguous) << "the same track";
  const channel::SectorLayout layout = channel::layout_of(description.design);
  const std::uint64_t sector = model.geometry().zones()[at.zone].swept(at.mark, 1);
  EXPECT_GT(rotation.time_to_turn(0, sector * layout.sync_start / layout.raw_bytes), 2 * kClock);
  const Picoseconds turn = rotation.time_to_turn(0, std::uint64_t{1} << 32);
  Picoseconds armed_after = 0;  // time from submission, in the last access
  int just_before = 0;
  int just_after = 0;
  for (int i = 0; i < 40 && (just_before < 2 || just_after < 2); ++i) {
    SCOPED_TRACE(testing::Message() << "try " << i);
    // Submitted on the clock's grid, so that all edges up to the formatter's fall alike.
    const Picoseconds soon = now_ps() + from_ms(1);
    const Picoseconds mark = soon + rotation.time_to_angle(soon, at.angle);
    const Picoseconds last_edge = mark / kClock * kClock;
    const Picoseconds aim = last_edge + (just_before > just_after ? kClock : 0);
    bench.run_until(aim - armed_after);
    const Picoseconds submitted = now_ps();
    const RunFacts run = bench.serve(7, 1, false).runs.front();
    armed_after = run.armed - submitted;
    ASSERT_FALSE(run.moved);
    ASSERT_EQ(run.armed % kClock, 0);
    if (run.armed == last_edge) {
      ASSERT_EQ(run.began, mark);
      ++just_before;
    } else if (run.armed == last_edge + kClock) {
      ASSERT_LE(std::abs(run.began - (mark + turn)), 1);  // a turn is no whole picosecond
      ++just_after;
    }
  }
  EXPECT_GE(just_before, 2);
  EXPECT_GE(just_after, 2);
}

INSTANTIATE_TEST_SUITE_P(Drives, SectorArrival, testing::Values("cheetah_9lp", "hp_c3323a"),
                         test::case_name<const char*>);

}  // namespace
}  // namespace headstack::fidelity
