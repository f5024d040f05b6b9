// SPDX-License-Identifier: Apache-2.0
// The head-disk assembly in closed form: which sector passes at an angle, and what mean latency
// makes of the angles (sim/tlm/disk/disk.hpp). The contract tests compare a real drive's bytes with
// those on `rtl`.
#include <gtest/gtest.h>

#include "sim/tlm/disk/disk.hpp"
#include "tests/support.hpp"

namespace headstack::tlm {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

/// A drive whose turn takes 10 ms.
drive::DriveDescription abstract_drive() { return test::shipped("abstract_1000_track"); }

/// The strobe of a sector's last check byte, in its first pass from a given time on.
Picoseconds end_of(const Disk& disk, const Disk::Track& track, std::uint32_t sector,
                   Picoseconds from) {
  const Disk::Pass pass = disk.next_pass(track, sector, disk.angle_from(from));
  return disk.when(from, disk.byte_angle(pass, disk.layout().gap_start - 1));
}

TEST(TlmDisk, PassAtAnAngle_IsTheOneThatReachesOverIt) {
  for (const char* name : {"abstract_1000_track", "zoned_179mb", "cheetah_9lp"}) {
    Disk disk(test::shipped(name));
    disk.seek(from_ms(1), 7, 0);
    for (const Picoseconds from : {from_ms(40), from_ms(43.21), from_ms(49.9)}) {
      const Disk::Track track = disk.track_for(from, 3, false);
      for (std::uint32_t sector = 0; sector < track.sectors(); ++sector) {
        const Disk::Pass pass = disk.next_pass(track, sector, disk.angle_from(from));
        for (const std::uint64_t angle : {pass.angle, pass.angle + pass.sweep - 1}) {
          const Disk::Pass found = disk.pass_at(track, angle);
          EXPECT_EQ(found.angle, pass.angle) << name << ", sector " << sector;
          EXPECT_EQ(found.at.sector, sector) << name;
        }
        const Disk::Pass next = disk.pass_at(track, pass.angle + pass.sweep);
        EXPECT_EQ(next.at.sector, (sector + 1) % track.sectors()) << name;
      }
    }
  }
}

TEST(TlmDisk, AngularLatency_LeavesTheTrackWhereTheGeometryHasIt) {
  Disk disk(test::shipped("cheetah_9lp"));
  disk.seek(from_ms(1), 700, 2);
  for (const std::uint32_t sector : {0U, 11U}) {
    const Disk::Track track = disk.track_for(from_ms(40), sector, false);
    EXPECT_EQ(track.shift, 0U);
    EXPECT_EQ(static_cast<Turn32>(disk.next_pass(track, sector, kTurn).angle),
              disk.geometry().sector_angle({700, 2, sector}));
  }
}

// The wait is half a turn and the sector's eighth of a turn: 5 + 1.25 ms, at any angle.
TEST(TlmDisk, MeanLatency_CountsFromTheOperation) {
  Disk disk(abstract_drive());
  for (const double at_ms : {20.0, 23.3, 31.07, 39.999}) {
    const Picoseconds from = from_ms(at_ms);
    const std::uint32_t sector = static_cast<std::uint32_t>(at_ms) % 8;
    const Disk::Track track = disk.track_for(from, sector, false);
    EXPECT_NEAR(to_ms(end_of(disk, track, sector, from) - from), 6.25, 1e-8);
  }
}

// The heads arrive at 10.6 ms, and the sector comes half a turn later. An operation that begins
// before that uses this pass. A later one, and a second one, wait anew.
TEST(TlmDisk, MeanLatency_CountsFromTheArrivalOnce) {
  const Picoseconds arrival = from_ms(10.6);
  for (const double late_ms : {0.0, 0.1, 4.99, 5.01, 70.0}) {
    Disk disk(abstract_drive());
    disk.seek(from_ms(10), 1, 0);
    const Picoseconds from = arrival + from_ms(late_ms);
    const Disk::Track first = disk.track_for(from, 4, false);
    const Picoseconds waits_from = late_ms < 5 ? arrival : from;
    EXPECT_NEAR(to_ms(end_of(disk, first, 4, from) - waits_from), 6.25, 1e-8) << late_ms;
    const Disk::Track second = disk.track_for(from, 4, false);
    EXPECT_NEAR(to_ms(end_of(disk, second, 4, from) - from), 6.25, 1e-8) << late_ms;
  }
}

// A write's heads are ready after their settling, 2 ms later than a read's.
TEST(TlmDisk, MeanLatency_OfAWrite_CountsFromItsSettling) {
  for (const bool is_write : {true, false}) {
    drive::DriveDescription description = abstract_drive();
    description.design.write_settle_ms = 2;
    Disk disk(description);
    disk.seek(from_ms(10), 1, 0);
    const Picoseconds from = from_ms(10.7);
    const Disk::Track track = disk.track_for(from, 0, is_write);
    const Picoseconds ready = from_ms(is_write ? 12.6 : 10.6);
    EXPECT_NEAR(to_ms(end_of(disk, track, 0, from) - ready), 6.25, 1e-8) << is_write;
  }
}

}  // namespace
}  // namespace headstack::tlm
