// SPDX-License-Identifier: Apache-2.0
// A drive whose heads move a little between reading and writing one track (design.write_offset_ms),
// as a host times it.
//
// small_drive() turns in 10 ms, 20 sectors a track, 0.5 ms each. From the end of an access to the
// next one's start on the media, host, bus and firmware take some 0.4 ms. The offset of 1.9 ms is
// on top of that. With it a sector 1.5 ms later is missed, and one 3 ms later is caught.
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

constexpr Picoseconds kTurn = 10 * kMillisecond;
constexpr Picoseconds kSector = kMillisecond / 2;
constexpr std::uint32_t kFirst = 200;  // block 0 of a track

class WriteOffset : public DriveBench {
 protected:
  void power_on_with(double offset_ms) {
    Setup setup = fast_setup();
    setup.description.design.write_offset_ms = offset_ms;
    power_on_ready(setup);
    prepare(kFirst, 20);
  }
  Picoseconds access(std::uint32_t lba, bool is_write) {
    const Completion done =
        is_write ? execute(write_10(lba, blocks().write(lba, 1))) : execute(read_10(lba, 1));
    EXPECT_EQ(outcome(done), "GOOD");
    if (!is_write) expect_data(done, lba, 1);
    return done.times.status - done.times.command_sent;
  }
  /// The time of an access to the block `apart` blocks after that of another access.
  Picoseconds behind(bool was_write, std::uint32_t apart, bool is_write) {
    (void)access(kFirst, was_write);
    return access(kFirst + apart, is_write);
  }
};

/// The latest end if the other block is caught: from the first one's end to its own, and its
/// status.
constexpr Picoseconds at_most(std::uint32_t apart) { return apart * kSector + kSector / 4; }

TEST_F(WriteOffset, None_TheOtherKindIsCaught) {
  power_on_with(0);
  for (const bool is_write : {false, true}) {
    EXPECT_LE(behind(!is_write, 4, is_write), at_most(4));
  }
}

TEST_F(WriteOffset, OtherKindIsCaught_WhereTheHeadsHaveTime) {
  power_on_with(1.9);
  for (const bool is_write : {false, true}) {
    const Picoseconds near = behind(!is_write, 4, is_write);
    EXPECT_GT(near, kTurn) << "missed";
    EXPECT_LE(near, kTurn + at_most(4));
    EXPECT_LE(behind(!is_write, 7, is_write), at_most(7));
    EXPECT_LE(behind(is_write, 4, is_write), at_most(4)) << "the same kind needs no movement";
  }
  EXPECT_EQ(peek(kFirst, 20), blocks().expected(kFirst, 20));
}

// A seek of 2.1 ms takes the heads to the other position, too. 40 blocks on is the next cylinder,
// whose skew is 5 sectors after two tracks.
TEST_F(WriteOffset, SeekIncludesIt) {
  Picoseconds times[2];
  const double offsets_ms[2] = {0, 1.9};
  power_on_with(offsets_ms[1]);
  (void)access(kFirst, true);
  times[0] = access(kFirst + 40, false);
  (void)access(kFirst, false);
  times[1] = access(kFirst + 40, false);
  // A write ends later for the host than a read, by less than a sector.
  EXPECT_NEAR(static_cast<double>(times[0]), static_cast<double>(times[1]),
              static_cast<double>(kSector));
}

}  // namespace
}  // namespace headstack::scenario
