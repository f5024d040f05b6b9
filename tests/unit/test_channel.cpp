// SPDX-License-Identifier: Apache-2.0
// The head-disk assembly in the SystemC world: every pulse and byte at its picosecond.
//
// Bytes are expected from the format table of hdl/README.md. Times are from the definition in
// sim/channel/byte_grid.hpp ("the first picosecond at which the spindle reaches the angle") and
// from mechanics::AccessModel. SystemC elaborates once per process: CTest runs each test in its
// own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <systemc>

#include "sim/channel/head_disk_assembly.hpp"
#include "sim/description/fault.hpp"
#include "sim/mechanics/access.hpp"
#include "tests/unit/test_channel_bench.hpp"

namespace headstack::channel {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

using test::Bench;
using test::Bytes;
using test::Chs;
using test::now_ps;
using test::run_until;
using test::small_drive;

class WholeTracks : public testing::TestWithParam<const char*> {};

TEST_P(WholeTracks, EveryByte_IsTheFormats_AtItsPicosecond) {
  Bench bench(test::shipped(GetParam()));
  const geometry::Geometry& geometry = bench.hda.geometry();
  run_until(from_ms(1));  // away from the angle 0 of time 0
  const std::uint32_t last = geometry.cylinder_count() - 1;
  const std::uint32_t heads = geometry.head_count();
  for (const Chs track :
       {Chs{0, 0, 0}, Chs{0, heads - 1, 0}, Chs{last / 2 + 1, 1, 0}, Chs{last, heads - 1, 0}}) {
    const std::uint32_t sectors = bench.sectors(track);
    std::vector<std::pair<std::uint64_t, std::uint8_t>> expected;  // angle in the turn, byte
    for (std::uint32_t s = 0; s < sectors; ++s) {
      const Chs at{track.cylinder, track.head, s};
      const Bytes data = test::random_bytes(s + 1, 512);
      bench.hda.surface().media().write_formatted(geometry.sector_index(at), data.data());
      const Bytes raw = bench.expected(at, data);
      const std::uint64_t mark = bench.byte_angle(at, 0);
      const std::uint64_t next = bench.byte_angle(at, bench.layout.raw_bytes);
      for (std::uint64_t k = 0; k < raw.size(); ++k) {
        expected.push_back({mark + k * (next - mark) / raw.size(), raw[k]});
      }
    }
    std::sort(expected.begin(), expected.end());
    bench.seek(track);
    // The bytes from just before the index, for one turn and a little.
    run_until(now_ps() + bench.rotation.time_to_angle(now_ps(), 0) - 1);
    const std::uint64_t turn = bench.rotation.unwrapped(now_ps() + 1) / kTurn * kTurn;
    bench.sink.forget();
    bench.hda.gates(true, false);
    run_until(now_ps() + bench.rotation.time_to_turn(now_ps(), kTurn) + from_ms(0.01));
    bench.hda.gates(false, false);
    ASSERT_GT(bench.sink.bytes.size(), expected.size()) << "the turn closes";
    for (std::size_t i = 0; i < bench.sink.bytes.size(); ++i) {
      const auto& [in_turn, byte] = expected[i % expected.size()];
      const std::uint64_t angle = turn + i / expected.size() * kTurn + in_turn;
      const Picoseconds time = bench.sink.byte_times[i];
      ASSERT_EQ(bench.sink.bytes[i], byte) << "byte " << i;
      ASSERT_GE(bench.rotation.unwrapped(time), angle) << "byte " << i << " came early";
      ASSERT_LT(bench.rotation.unwrapped(time - 1), angle) << "byte " << i << " came late";
      if (i > 0) {
        ASSERT_GE(time - bench.sink.byte_times[i - 1], bench.hda.shortest_byte_time());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Drives, WholeTracks, testing::Values("hp_c3323a", "cheetah_9lp", "eagle"),
                         headstack::test::case_name<const char*>);

class Arrivals : public testing::TestWithParam<const char*> {};

TEST_P(Arrivals, SectorBegins_WhenTheAccessModelSaysRotationEnds) {
  Bench bench(test::shipped(GetParam()));
  const mechanics::AccessModel model(bench.description.design, bench.description.specimen);
  const std::uint32_t seed = 20'260;
  std::mt19937 random(seed);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", access " << i);
    run_until(now_ps() + random() % from_ms(3));
    const mechanics::HeadStack& stack = bench.hda.heads().stack();
    const mechanics::AccessStart start{now_ps(), stack.cylinder(), stack.head()};
    const geometry::Lba lba = random() % model.geometry().capacity();
    const mechanics::Stretch answer = model.access(start, lba, 1, false).stretches[0];
    const Picoseconds ready = start.time + answer.positioning.total();
    const Picoseconds arrival = ready + answer.rotation;
    bench.sink.forget();
    bench.hda.listen(false, true);
    bench.hda.seek(answer.at.cylinder, answer.at.head);
    ASSERT_EQ(bench.hda.levels().read_ready, ready == start.time);
    run_until(arrival - 1);
    bench.hda.gates(true, false);
    run_until(bench.byte_time(answer.at.chs(), bench.layout.data_start) - 1);
    bench.hda.gates(false, false);
    bench.hda.listen(false, false);
    ASSERT_EQ(bench.sink.sector_times.back(), arrival);
    ASSERT_GE(bench.sink.sector_times.front(), ready) << "no track under the head before";
    ASSERT_EQ(bench.sink.byte_times.size(), bench.layout.data_start);
    ASSERT_EQ(bench.sink.byte_times[0], arrival);
    ASSERT_EQ(decode_header(&bench.sink.bytes[bench.layout.header_start]), answer.at.chs());
    if (ready != start.time) {
      ASSERT_EQ(bench.sink.level_changes[0].time, start.time);
      ASSERT_FALSE(bench.sink.level_changes[0].levels.read_ready);
      const auto up = std::find_if(bench.sink.level_changes.begin(), bench.sink.level_changes.end(),
                                   [](const auto& c) { return c.levels.read_ready; });
      ASSERT_EQ(up->time, ready);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Drives, Arrivals, testing::Values("hp_c3323a", "cheetah_9lp", "eagle"),
                         headstack::test::case_name<const char*>);

TEST(HeadDiskAssembly, MovementUnderAnOpenReadGate_StopsBytes_UntilTheNewTrackIsReady) {
  Bench bench(small_drive());
  bench.hda.gates(true, false);
  run_until(from_ms(1));
  bench.hda.seek(2, 1);
  const std::size_t before = bench.sink.bytes.size();
  const Picoseconds ready = bench.hda.heads().stack().read_ready_at();
  run_until(ready - 1);
  EXPECT_EQ(bench.sink.bytes.size(), before);
  run_until(ready + from_ms(10));
  ASSERT_GT(bench.sink.bytes.size(), before);
  const Picoseconds byte_time = from_ms(10) / (10 * 560);
  EXPECT_GE(bench.sink.byte_times[before], ready);
  EXPECT_LE(bench.sink.byte_times[before], ready + byte_time + 1);
}

TEST(HeadDiskAssembly, NothingWanted_TheKernelHasNothingToDo) {
  Bench bench(small_drive());
  run_until(from_ms(1.25));  // in the middle of a sector: no mark right now
  EXPECT_FALSE(sc_core::sc_pending_activity());
  bench.hda.gates(true, false);
  EXPECT_TRUE(sc_core::sc_pending_activity());
  bench.hda.gates(false, false);
  EXPECT_FALSE(sc_core::sc_pending_activity_at_future_time());
  for (const bool index : {true, false}) {
    bench.hda.listen(index, !index);
    EXPECT_TRUE(sc_core::sc_pending_activity_at_future_time());
    bench.hda.listen(false, false);
    EXPECT_FALSE(sc_core::sc_pending_activity_at_future_time());
  }
  bench.seek({3, 1, 0});
  EXPECT_FALSE(sc_core::sc_pending_activity());
  bench.sink.forget();
  run_until(now_ps() + from_ms(100));
  EXPECT_TRUE(bench.sink.order.empty());
}

TEST(HeadDiskAssembly, AReadSector_CostsOneEventAByte) {
  Bench bench(small_drive());
  bench.read({0, 0, 5});  // settled and aligned
  run_until(bench.byte_time({0, 0, 6}, 0) - 1);
  bench.hda.gates(true, false);
  for (int i = 0; i < 560; ++i) {
    const Picoseconds next =
        now_ps() + static_cast<Picoseconds>(sc_core::sc_time_to_pending_activity().value());
    bench.sink.forget();
    run_until(next + 1);
    ASSERT_EQ(bench.sink.order, "b");
    ASSERT_EQ(bench.sink.byte_times[0], next);
  }
}

TEST(HeadDiskAssembly, AtOnePicosecond_IndexThenSectorThenByte) {
  Bench bench(small_drive());
  bench.hda.listen(true, true);
  bench.hda.gates(true, false);
  run_until(1);  // angle 0 at time 0: index, mark 0 and its byte 0
  EXPECT_EQ(bench.sink.order, "isb");
  run_until(from_ms(9.9999));
  bench.sink.forget();
  run_until(from_ms(10) + 100'000);
  EXPECT_EQ(bench.sink.order, "isb");
  EXPECT_EQ(bench.sink.index_times, bench.sink.sector_times);
  EXPECT_EQ(bench.sink.index_times, bench.sink.byte_times);
}

// sim/channel/hda_sink.hpp: a pulse is "called only while the electronics listen to it".
TEST(HeadDiskAssembly, EachPulse_ComesToItsListenersAlone) {
  Bench bench(small_drive());
  const struct {
    bool index, sector;
    const char* order;  // where the index, mark 0 and its byte 0 pass at once
  } kCases[] = {{false, false, "b"}, {true, false, "ib"}, {false, true, "sb"}};
  bench.hda.gates(true, false);
  for (const auto& c : kCases) {
    run_until(now_ps() + from_ms(1));
    bench.hda.listen(c.index, c.sector);
    const Picoseconds index = bench.byte_time({0, 0, 0}, 0);
    run_until(index - 1);
    bench.sink.forget();
    run_until(index + 1);
    EXPECT_EQ(bench.sink.order, c.order);
  }
}

// An angle that the spindle still shows counts as reached now: the index, whose byte has passed.
TEST(HeadDiskAssembly, IndexListenedToBehindItsByte_ComesAlone) {
  Bench bench(small_drive());
  run_until(from_ms(5));
  const Picoseconds index = bench.byte_time({0, 0, 0}, 0);
  const Picoseconds next = bench.byte_time({0, 0, 0}, 1);
  run_until(index - 1);
  bench.hda.gates(true, false);
  run_until(index);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ASSERT_EQ(bench.sink.order, "b");
  bench.hda.listen(true, false);
  run_until(next + 1);
  EXPECT_EQ(bench.sink.order, "bib");
  EXPECT_EQ(bench.sink.index_times, std::vector<Picoseconds>{index});
  EXPECT_EQ(bench.sink.byte_times, (std::vector<Picoseconds>{index, next}));
}

TEST(HeadDiskAssembly, GateReopenedWithinAByte_NeitherRepeatsNorSkips) {
  Bench bench(small_drive());
  const Chs at{0, 0, 1};
  run_until(bench.byte_time(at, 0));
  bench.hda.gates(true, false);  // at the very picosecond
  run_until(now_ps() + 1);
  EXPECT_EQ(bench.sink.bytes.size(), 1U);
  for (std::uint32_t k = 1; k < 560; ++k) {
    bench.hda.gates(false, false);
    bench.hda.gates(true, false);
    run_until(bench.byte_time(at, k));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench.hda.gates(false, false);
    bench.hda.gates(true, false);
    run_until(now_ps() + 1);
  }
  EXPECT_EQ(bench.sink.bytes, bench.expected(at, Bytes(512, 0)));
}

TEST(HeadDiskAssembly, SpinUp_LevelsAndIndexInTheRamp_BytesOnlyAtSpeed) {
  Bench bench(small_drive(), HeadDiskAssembly::Start::kAtRest);
  EXPECT_TRUE(bench.hda.levels().at_rest);
  EXPECT_FALSE(bench.hda.levels().read_ready);
  bench.hda.listen(true, true);
  bench.hda.gates(true, false);
  run_until(from_ms(5));
  EXPECT_FALSE(sc_core::sc_pending_activity());
  EXPECT_EQ(bench.sink.order, "") << "only a moving platter passes an angle";
  bench.hda.seek(1, 0);
  EXPECT_EQ(bench.hda.counters().ignored_seeks, 1U);
  bench.hda.spin_up();
  EXPECT_FALSE(bench.hda.levels().at_rest);
  run_until(from_ms(205) - 1);
  EXPECT_TRUE(bench.sink.bytes.empty());
  EXPECT_TRUE(bench.sink.sector_times.empty());
  // Constant torque: 200 ms to 100 Hz are 10 turns, index i after 200 ms * sqrt(i / 10).
  ASSERT_GE(bench.sink.index_times.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) {
    const double ms = 5 + 200 * std::sqrt(static_cast<double>(i) / 10);
    EXPECT_NEAR(to_ms(bench.sink.index_times[i]), ms, 1e-3);
  }
  run_until(from_ms(206));
  EXPECT_GT(bench.sink.bytes.size(), 0U);
  const auto& changes = bench.sink.level_changes;
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].time, from_ms(5));
  EXPECT_EQ(changes[1].time, from_ms(205));
  EXPECT_EQ(changes[1].levels, (HdaLevels{true, true, true, false}));
  bench.hda.spin_down();
  run_until(from_ms(306) + 1);
  EXPECT_EQ(bench.sink.level_changes.back().time, from_ms(306));
  EXPECT_EQ(bench.sink.level_changes.back().levels, (HdaLevels{false, false, false, true}));
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST(HeadDiskAssembly, SeekDuringASeek_IsIgnored_SeekToTheSameTrackMovesNothing) {
  Bench bench(small_drive());
  bench.hda.seek(1, 0);
  bench.hda.seek(3, 0);
  EXPECT_EQ(bench.hda.counters().ignored_seeks, 1U);
  run_until(from_ms(5));
  EXPECT_EQ(bench.hda.heads().stack().cylinder(), 1U);
  bench.sink.forget();
  bench.hda.seek(1, 0);
  run_until(from_ms(10));
  EXPECT_TRUE(bench.sink.level_changes.empty());
  EXPECT_TRUE(bench.hda.levels().read_ready);
}

// Read ready at start + max(seek(cylinders - 1), head_switch) (sim/mechanics/head_stack.hpp): 2 ms.
TEST(HeadDiskAssembly, Recalibration_DuringASeek_EndsOnCylinder0Head0_AfterAFullStroke) {
  Bench bench(small_drive());
  bench.hda.seek(3, 1);
  run_until(from_ms(1));
  bench.sink.forget();
  bench.hda.recalibrate();
  run_until(from_ms(3) - 1);
  EXPECT_FALSE(bench.hda.levels().read_ready);
  run_until(from_ms(3) + 1);
  ASSERT_EQ(bench.sink.level_changes.size(), 1U);
  EXPECT_EQ(bench.sink.level_changes[0].time, from_ms(3));
  EXPECT_TRUE(bench.sink.level_changes[0].levels.read_ready);
  EXPECT_EQ(bench.hda.counters().ignored_seeks, 0U);
  EXPECT_EQ(bench.hda.heads().stack().cylinder(), 0U);
  EXPECT_EQ(bench.hda.heads().stack().head(), 0U);
}

TEST(HeadDiskAssembly, RecalibrationWithoutSpeed_IsIgnored) {
  Bench bench(small_drive(), HeadDiskAssembly::Start::kAtRest);
  bench.hda.recalibrate();
  EXPECT_EQ(bench.hda.counters().ignored_seeks, 1U);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST(HeadDiskAssembly, TracksWithoutSectors_AreSilent) {
  drive::DriveDescription description = small_drive();
  description.design.cylinders = 6;
  description.design.seek.pieces[0].up_to_cylinders = 5;
  description.design.reserved_cylinders = {{4, 5}};
  Bench bench(description);
  const Chs kSilent[] = {{4, 0, 0}, {5, 1, 0}, {1'000'000, 0, 0}, {0, 2, 0}};
  for (const Chs& track : kSilent) {
    bench.seek(track);
    EXPECT_TRUE(bench.hda.levels().read_ready);
    bench.sink.forget();
    bench.hda.listen(true, true);
    bench.hda.gates(true, false);
    run_until(now_ps() + from_ms(10));
    EXPECT_EQ(bench.sink.order, "i") << track.cylinder << "/" << track.head;
    bench.hda.gates(false, false);
    bench.hda.listen(false, false);
  }
  EXPECT_EQ(bench.decode({3, 1, 9}).place, (Chs{3, 1, 9}));
}

TEST(HeadDiskAssembly, SpeedErrorOfTheSpecimen_MovesEveryByte) {
  drive::DriveDescription description = small_drive();
  description.specimen.speed_error_ppm = 1000;
  Bench bench(description);
  bench.hda.listen(true, false);
  run_until(from_ms(10));
  EXPECT_EQ(bench.sink.index_times.size(), 2U);
  EXPECT_NEAR(to_ms(bench.sink.index_times.back()), 10 / 1.001, 1e-6);
}

TEST(HeadDiskAssembly, MeanLatency_IsRefusedByKey) {
  try {
    const HeadDiskAssembly hda("hda", test::shipped("abstract_1000_track"));
    FAIL() << "taken";
  } catch (const drive::Fault& fault) {
    EXPECT_EQ(fault.key, "design.rotational_latency");
    EXPECT_NE(fault.remedy.find("--platform native"), std::string::npos) << fault.remedy;
  }
}

}  // namespace
}  // namespace headstack::channel

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
