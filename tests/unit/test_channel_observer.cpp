// SPDX-License-Identifier: Apache-2.0
// What an observer of the head-disk assembly hears: the same picoseconds as the electronics, and
// nothing that costs the kernel an event. Also: a sector is readable exactly when it arrives.
//
// Times are the definitions in sim/channel/byte_grid.hpp and sim/mechanics/head_stack.hpp; places
// in a sector are the format table of hdl/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <systemc>

#include "tests/unit/test_channel_bench.hpp"

namespace headstack::channel {
namespace {

using test::Bench;
using test::Bytes;
using test::Chs;
using test::now_ps;
using test::run_until;
using test::small_drive;

struct Passed {
  Picoseconds at;
  Chs sector;

  friend bool operator==(const Passed& a, const Passed& b) {
    return a.at == b.at && a.sector == b.sector;
  }
};

struct Struck {
  Picoseconds at;
  std::string what;
  std::uint64_t where;

  friend bool operator==(const Struck& a, const Struck& b) {
    return a.at == b.at && a.what == b.what && a.where == b.where;
  }
};

class Notes : public HdaObserver {
 public:
  void seek_began(Picoseconds at, const Chs& track, const mechanics::Positioning& p) override {
    movements.push_back({at, track});
    parts = p;
  }
  void levels_changed(Picoseconds at, const HdaLevels& levels) override {
    level_changes.push_back({at, levels});
  }
  void fault_struck(Picoseconds at, std::string_view what, std::uint64_t where) override {
    faults.push_back({at, std::string(what), where});
  }
  void sector_began(Picoseconds at, const Chs& sector) override { began.push_back({at, sector}); }
  void sector_ended(Picoseconds at, const Chs& sector) override { ended.push_back({at, sector}); }

  std::vector<Passed> movements;
  mechanics::Positioning parts;
  std::vector<test::Recorder::LevelChange> level_changes;
  std::vector<Struck> faults;
  std::vector<Passed> began;
  std::vector<Passed> ended;
};

struct Movement {
  const char* what;
  Chs track;
  double write_settle_ms;
};

class ObservedMovement : public testing::TestWithParam<Movement> {};

TEST_P(ObservedMovement, PartsSumToTheLevels) {
  drive::DriveDescription description = small_drive();
  description.design.write_settle_ms = GetParam().write_settle_ms;
  Bench bench(description);
  Notes notes;
  bench.hda.observe(notes);
  run_until(from_ms(1.5));
  bench.seek(GetParam().track);
  const std::vector<Passed> expected = {{from_ms(1.5), GetParam().track}};
  EXPECT_EQ(notes.movements, expected);
  // Electronics and observer get the same levels.
  ASSERT_EQ(notes.level_changes.size(), bench.sink.level_changes.size());
  for (std::size_t i = 0; i < notes.level_changes.size(); ++i) {
    EXPECT_EQ(notes.level_changes[i].time, bench.sink.level_changes[i].time);
    EXPECT_EQ(notes.level_changes[i].levels, bench.sink.level_changes[i].levels);
  }
  const auto rise = [&](bool HdaLevels::*level) {
    const auto up = std::find_if(notes.level_changes.begin(), notes.level_changes.end(),
                                 [level](const auto& change) { return change.levels.*level; });
    return up->time - from_ms(1.5);
  };
  const mechanics::Positioning& parts = notes.parts;
  EXPECT_EQ(parts.seek + parts.settle + parts.head_switch, rise(&HdaLevels::read_ready));
  EXPECT_EQ(parts.total(), rise(&HdaLevels::write_ready));
}

INSTANTIATE_TEST_SUITE_P(Movements, ObservedMovement,
                         testing::Values(Movement{"Seek", {2, 0, 0}, 0.3},
                                         Movement{"SeekAndSwitch", {3, 1, 0}, 0.3},
                                         Movement{"HeadSwitch", {0, 1, 0}, 0.3},
                                         Movement{"NoWriteSettle", {1, 0, 0}, 0},
                                         Movement{"NegativeWriteSettle", {1, 0, 0}, -0.6}),
                         headstack::test::case_name<Movement>);

TEST(HdaObserver, MovementsThatAreIgnoredOrLeadNowhere_AreNotTold) {
  Bench bench(small_drive());
  Notes notes;
  bench.hda.observe(notes);
  bench.hda.seek(0, 0);
  EXPECT_TRUE(notes.movements.empty());
  bench.hda.seek(1, 0);
  bench.hda.seek(2, 0);
  EXPECT_EQ(notes.movements.size(), 1U);
}

TEST(HdaObserver, FaultOfAMovement_IsToldAsItBegins_AndNoneOfAGoodOne) {
  drive::DriveDescription description = small_drive();
  drive::ArmFault late{drive::ArmFaultKind::kSettle};
  late.first_seek = 2;
  late.for_ms = 1;
  description.specimen.arm_faults = {late};
  Bench bench(description);
  Notes notes;
  bench.hda.observe(notes);
  bench.seek({1, 0, 0});
  EXPECT_TRUE(notes.faults.empty());
  run_until(from_ms(5));
  bench.hda.seek(3, 0);
  EXPECT_EQ(notes.faults, (std::vector<Struck>{{from_ms(5), "settle", 3}}));
}

// The spindle slows down as after stop() (sim/mechanics/spindle.hpp), to a standstill in 100 ms.
// The 10 ms without power are 1 - 10 / (2 * 100) turns: from 2.5 to 3.45.
TEST(HdaObserver, Dropout_IsTold_AndItsEnd_WithTheTurn) {
  drive::DriveDescription description = small_drive();
  drive::SpindleFault dropout{drive::SpindleFaultKind::kDropout};
  dropout.at_ms = 25;
  dropout.for_ms = 10;
  description.specimen.spindle_faults = {dropout};
  Bench bench(description);
  Notes notes;
  bench.hda.observe(notes);
  run_until(from_ms(50));
  EXPECT_EQ(notes.faults,
            (std::vector<Struck>{{from_ms(25), "dropout", 2}, {from_ms(35), "power_back", 3}}));
}

TEST(HdaObserver, WriteFault_IsToldOnce_WithTheCylinder) {
  drive::DriveDescription description = small_drive();
  description.specimen.flaws = {{media::FlawKind::kWriteFault, 67}};  // cylinder 3, head 0
  Bench bench(description);
  Notes notes;
  bench.hda.observe(notes);
  const Chs at = bench.hda.geometry().locate(67).chs();
  bench.seek(at);
  const Picoseconds first = bench.byte_time(at, bench.layout.data_start);
  bench.write_field(at, Bytes(560, 1));
  EXPECT_EQ(notes.faults, (std::vector<Struck>{{first, "write_fault", 3}}));
}

TEST(HdaObserver, APassReadWhole_BeginsWithByte0_AndEndsWithTheLastCheckByte) {
  Bench bench(small_drive());
  Notes notes;
  bench.hda.observe(notes);
  run_until(bench.byte_time({0, 0, 3}, 0) - 1);
  bench.hda.gates(true, false);
  const Passed begins{bench.byte_time({0, 0, 3}, 0), {0, 0, 3}};
  const Passed ends{bench.byte_time({0, 0, 3}, bench.layout.gap_start - 1), {0, 0, 3}};
  run_until(ends.at - 1);
  EXPECT_EQ(notes.began, std::vector<Passed>{begins});
  EXPECT_TRUE(notes.ended.empty());
  run_until(ends.at + 1);
  EXPECT_EQ(notes.ended, std::vector<Passed>{ends});
  // Handed over with that byte's strobe.
  EXPECT_EQ(bench.sink.byte_times.back(), ends.at);
  EXPECT_EQ(bench.sink.bytes.size(), bench.layout.gap_start);
}

TEST(HdaObserver, APassOnlyListenedTo_BeginsAndDoesNotEnd) {
  Bench bench(small_drive());
  Notes notes;
  bench.hda.observe(notes);
  bench.hda.listen(false, true);
  run_until(from_ms(10) - 1);  // one turn of ten sectors
  EXPECT_EQ(notes.began.size(), 10U);
  EXPECT_TRUE(notes.ended.empty());
  for (std::size_t i = 0; i < notes.began.size(); ++i) {
    EXPECT_EQ(notes.began[i].at, bench.sink.sector_times[i]);
  }
}

TEST(HdaObserver, AWrite_EndsWithItsLastCheckByte_ACutOneDoesNot) {
  Bench bench(small_drive());
  Notes notes;
  bench.hda.observe(notes);
  const Chs at{0, 0, 5};
  const Bytes raw = bench.expected(at, Bytes(512, 1));
  bench.write(at, bench.layout.data_start, bench.layout.gap_start - 1, raw);
  EXPECT_TRUE(notes.ended.empty());
  bench.write_field(at, raw);
  ASSERT_EQ(notes.ended.size(), 1U);
  EXPECT_EQ(notes.ended[0].sector, at);
}

TEST(HdaObserver, TheElectronicsHearTheSame_WithOneAndWithout) {
  Bench observed(small_drive());
  Bench alone(small_drive());
  Notes notes;
  observed.hda.observe(notes);
  const auto on_both = [&](auto act) {
    act(observed.hda);
    act(alone.hda);
    run_until(now_ps() + from_ms(3.3));
  };
  on_both([](HeadDiskAssembly& hda) { hda.listen(true, true); });
  on_both([](HeadDiskAssembly& hda) { hda.gates(true, false); });
  on_both([](HeadDiskAssembly& hda) { hda.seek(3, 1); });
  on_both([](HeadDiskAssembly& hda) { hda.gates(false, true); });
  on_both([](HeadDiskAssembly& hda) { hda.seek(0, 1); });
  on_both([](HeadDiskAssembly& hda) { hda.gates(true, false); });
  EXPECT_FALSE(notes.ended.empty());
  EXPECT_EQ(observed.sink.order, alone.sink.order);
  EXPECT_EQ(observed.sink.byte_times, alone.sink.byte_times);
  EXPECT_EQ(observed.sink.bytes, alone.sink.bytes);
  EXPECT_EQ(observed.sink.sector_times, alone.sink.sector_times);
  EXPECT_EQ(observed.sink.level_changes.size(), alone.sink.level_changes.size());
}

TEST(HdaObserver, CostsTheKernelNothing) {
  Bench bench(small_drive());
  Notes notes;
  bench.hda.observe(notes);
  bench.seek({2, 1, 0});
  run_until(now_ps() + from_ms(1.25));
  EXPECT_FALSE(sc_core::sc_pending_activity());
  bench.hda.gates(true, false);
  for (int i = 0; i < 2 * 560; ++i) {  // two sectors, an event a byte
    const Picoseconds next =
        now_ps() + static_cast<Picoseconds>(sc_core::sc_time_to_pending_activity().value());
    bench.sink.forget();
    run_until(next + 1);
    ASSERT_EQ(bench.sink.order, "b");
  }
}

// ----------------------------------------------------------------------- in time at t, too late at
// t + 1 ps

// An angle that the spindle still shows counts as reached now (sim/channel/head_disk_assembly.hpp).
// So the last moment for a byte or a mark is the picosecond before the angle grows on.
Picoseconds last_moment(const Bench& bench, Picoseconds reached) {
  return reached + bench.rotation.time_to_turn(reached, 1) - 1;
}

// The reader needs the sync mark, A1 FE after the preamble. A gate that opens in the last moment
// at which A1 begins to pass gets it. 1 ps later the mark is gone, and the whole turn with it.
TEST(SectorArrival, GateOpenAtTheSyncMark_ReadsThisPass_1psLater_WaitsARevolution) {
  Bench bench(small_drive());
  const Chs at{0, 0, 4};
  const Bytes mark(kSyncMark.begin(), kSyncMark.end());
  for (const Picoseconds late : {0, 1}) {
    SCOPED_TRACE(late);
    const Picoseconds sync = bench.byte_time(at, bench.layout.sync_start);
    run_until(last_moment(bench, sync) + late);
    bench.sink.forget();
    bench.hda.gates(true, false);
    run_until(sync + from_ms(11));
    bench.hda.gates(false, false);
    const Bytes& bytes = bench.sink.bytes;
    EXPECT_EQ(bytes[0], kSyncMark[late]);
    // The first mark that this sector's header follows.
    auto found = bytes.begin();
    do {
      found = std::search(found + (found != bytes.begin()), bytes.end(), mark.begin(), mark.end());
    } while (bytes.end() - found > 10 && decode_header(&*found + 2) != at);
    ASSERT_GT(bytes.end() - found, 10);
    const Picoseconds turn = bench.rotation.time_to_turn(sync, std::uint64_t{1} << 32);
    const Picoseconds expected = late == 0 ? last_moment(bench, sync) : sync + turn;
    EXPECT_EQ(bench.sink.byte_times[found - bytes.begin()], expected);
  }
}

// A formatter waits for the sector pulse. One that listens in the mark's last moment gets it. 1 ps
// later the next pulse is the next sector's.
TEST(SectorArrival, ListenerAtTheMark_GetsItsPulse_1psLater_TheNextSectors) {
  Bench bench(small_drive());
  Notes notes;
  bench.hda.observe(notes);
  for (const Picoseconds late : {0, 1}) {
    SCOPED_TRACE(late);
    const Chs first{0, 0, late != 0 ? 5U : 4U};
    const Picoseconds mark = bench.byte_time({0, 0, 4}, 0);
    const Picoseconds pulse = late == 0 ? last_moment(bench, mark) : bench.byte_time(first, 0);
    run_until(last_moment(bench, mark) + late);
    notes.began.clear();
    bench.sink.forget();
    bench.hda.listen(false, true);
    run_until(mark + from_ms(1.5));
    bench.hda.listen(false, false);
    ASSERT_FALSE(notes.began.empty());
    EXPECT_EQ(notes.began[0], (Passed{pulse, first}));
    EXPECT_EQ(bench.sink.sector_times[0], pulse);
  }
}

}  // namespace
}  // namespace headstack::channel
