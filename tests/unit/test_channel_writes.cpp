// SPDX-License-Identifier: Apache-2.0
// Writing through the head-disk assembly, writes that go wrong, and flaws of the media, seen as
// bytes.
//
// What becomes of a cut write is defined in sim/channel/surface.hpp, flaws in
// sim/media/flaw_spec.hpp, when a write is unsafe in sim/channel/head_disk_assembly.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <systemc>

#include "sim/channel/head_disk_assembly.hpp"
#include "tests/unit/test_channel_bench.hpp"

namespace headstack::channel {
namespace {

using test::Bench;
using test::Bytes;
using test::Chs;
using test::now_ps;
using test::run_until;
using test::small_drive;

TEST(HeadDiskAssembly, WhatIsWritten_IsReadBack_AndTheNeighboursStay) {
  Bench bench(test::shipped("cheetah_9lp"));
  const Chs at{3000, 5, 17};
  const Bytes before = bench.read({3000, 5, 16});
  const Bytes after = bench.read({3000, 5, 18});
  const Bytes data = test::random_bytes(1, 512);
  const Bytes raw = bench.expected(at, data);
  bench.write_field(at, raw);
  EXPECT_EQ(bench.sink.written, 516U);
  EXPECT_TRUE(bench.hda.surface().media().is_written(bench.hda.geometry().sector_index(at)));
  EXPECT_EQ(bench.read(at), raw);
  EXPECT_EQ(bench.read({3000, 5, 16}), before);
  EXPECT_EQ(bench.read({3000, 5, 18}), after);
  EXPECT_EQ(bench.hda.surface().media().written_count(), 1U);
}

TEST(HeadDiskAssembly, WriteOfAPass_AsksForTheByteBeforeItsStrobe) {
  Bench bench(small_drive());
  bench.write_field({0, 0, 3}, bench.expected({0, 0, 3}, Bytes(512, 7)));
  ASSERT_EQ(bench.sink.order.size(), 2U * 516U);
  for (std::size_t i = 0; i < bench.sink.order.size(); i += 2) {
    ASSERT_EQ(bench.sink.order.substr(i, 2), "wb");
  }
  EXPECT_EQ(bench.sink.bytes, Bytes(516, 0)) << "nothing is read while writing";
}

TEST(HeadDiskAssembly, WriteCutByItsGate_ReadsAsBad_OnlyThatSector) {
  Bench bench(small_drive());
  const Chs at{1, 1, 4};
  const Bytes raw = bench.expected(at, test::random_bytes(2, 512));
  bench.write(at, bench.layout.data_start, bench.layout.gap_start - 1, raw);
  const DecodedSector sector = bench.decode(at);
  EXPECT_EQ(sector.place, at);
  EXPECT_FALSE(sector.check_ok);
  EXPECT_EQ(bench.hda.surface().cut_write_count(), 1U);
  EXPECT_TRUE(bench.decode({1, 1, 3}).check_ok);
  EXPECT_TRUE(bench.decode({1, 1, 5}).check_ok);
  bench.write_field(at, raw);
  EXPECT_TRUE(bench.decode(at).check_ok) << "written whole it is well again";
}

/// What cuts a write in the middle of sector 0/0/3.
struct Cut {
  const char* what;
  void (*act)(HeadDiskAssembly&);
};

class CutWrites : public testing::TestWithParam<Cut> {};

TEST_P(CutWrites, BytesStop_TheSectorIsBad_AndTheGateMustOpenAnew) {
  Bench bench(small_drive());
  const Chs at{0, 0, 3};
  const Bytes raw = bench.expected(at, test::random_bytes(2, 512));
  bench.sink.to_write.assign(raw.begin() + bench.layout.data_start, raw.end());
  run_until(bench.byte_time(at, bench.layout.data_start) - 1);
  bench.hda.gates(false, true);
  run_until(bench.byte_time(at, bench.layout.data_start + 99) + 1);
  ASSERT_EQ(bench.sink.bytes.size(), 100U);
  GetParam().act(bench.hda);
  run_until(now_ps() + from_ms(25));  // two and a half turns, and every movement is over
  EXPECT_EQ(bench.sink.bytes.size(), 100U);
  EXPECT_EQ(bench.hda.counters().unsafe_writes, 1U);
  bench.hda.gates(false, false);
  bench.hda.spin_up();
  run_until(now_ps() + from_ms(250));
  EXPECT_FALSE(bench.decode(at).check_ok);
  EXPECT_TRUE(bench.decode({0, 0, 2}).check_ok);
  EXPECT_TRUE(bench.decode({0, 0, 4}).check_ok);
  EXPECT_EQ(bench.hda.surface().media().written_count(), 1U);
  bench.write_field(at, raw);
  EXPECT_EQ(bench.read(at), raw);
}

INSTANTIATE_TEST_SUITE_P(
    Causes, CutWrites,
    testing::Values(Cut{"Seek", [](HeadDiskAssembly& hda) { hda.seek(2, 0); }},
                    Cut{"HeadSwitch", [](HeadDiskAssembly& hda) { hda.seek(0, 1); }},
                    Cut{"SpinDown", [](HeadDiskAssembly& hda) { hda.spin_down(); }}),
    headstack::test::case_name<Cut>);

TEST(HeadDiskAssembly, HeadSwitchThatTakesNoTime_StillCutsAWrite) {
  drive::DriveDescription description = small_drive();
  description.design.head_switch_ms = 0;
  description.design.write_settle_ms = 0;
  Bench bench(description);
  run_until(bench.byte_time({0, 0, 3}, 100) - 1);
  bench.hda.gates(false, true);
  run_until(bench.byte_time({0, 0, 3}, 200) + 1);
  const std::size_t before = bench.sink.bytes.size();
  bench.hda.seek(0, 1);
  run_until(now_ps() + from_ms(20));
  EXPECT_EQ(bench.sink.bytes.size(), before);
  EXPECT_EQ(bench.sink.level_changes.size(), 0U) << "ready all the time";
  EXPECT_FALSE(bench.decode({0, 0, 3}).check_ok);
}

TEST(HeadDiskAssembly, WriteGateBeforeWriteReady_WritesNothing) {
  Bench bench(small_drive());
  bench.hda.seek(1, 0);
  const Picoseconds ready = bench.hda.heads().stack().write_ready_at();
  ASSERT_GT(ready, bench.hda.heads().stack().read_ready_at());
  run_until(ready - 1);
  bench.hda.gates(false, true);
  run_until(ready + from_ms(15));
  EXPECT_EQ(bench.sink.bytes.size(), 0U);
  EXPECT_EQ(bench.hda.counters().unsafe_writes, 1U);
  EXPECT_EQ(bench.hda.surface().destroyed_headers().size(), 0U);
  bench.hda.gates(false, false);
  bench.hda.gates(false, true);
  run_until(now_ps() + from_ms(0.1));
  EXPECT_GT(bench.sink.bytes.size(), 0U);
}

TEST(HeadDiskAssembly, WriteGateExactlyAtWriteReady_Writes) {
  Bench bench(small_drive());
  bench.hda.seek(1, 0);
  run_until(bench.hda.heads().stack().write_ready_at());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.hda.gates(false, true);
  run_until(now_ps() + from_ms(0.1));
  EXPECT_GT(bench.sink.bytes.size(), 0U);
  EXPECT_EQ(bench.hda.counters().unsafe_writes, 0U);
}

// "The level write_fault is high from its first byte until the write gate closes", and levels come
// before bytes (sim/channel/hda_sink.hpp).
TEST(HeadDiskAssembly, WriteFault_IsHighFromItsFirstByte_UntilTheGateCloses) {
  drive::DriveDescription description = small_drive();
  description.specimen.flaws = {{media::FlawKind::kWriteFault, 13}};
  Bench bench(description);
  const Chs at = bench.hda.geometry().locate(13).chs();
  bench.seek(at);
  const Picoseconds first = bench.byte_time(at, bench.layout.data_start);
  bench.sink.forget();
  bench.write(at, bench.layout.data_start, bench.layout.data_start + 100, Bytes(560, 1));
  const auto& changes = bench.sink.level_changes;
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].time, first);
  EXPECT_EQ(changes[0].levels, (HdaLevels{true, true, true, false, true}));
  EXPECT_EQ(changes[1].time, now_ps());
  EXPECT_EQ(changes[1].levels, (HdaLevels{true, true, true, false, false}));
  EXPECT_EQ(bench.read(at), bench.expected(at, Bytes(512, 0))) << "everything is as it was";
}

struct Loss {
  const char* what;
  drive::PowerLoss loss;
};

class LostPower : public testing::TestWithParam<Loss> {};

// drive::PowerLoss: the sector under the head ends there, or goes on to its end. Others stay.
TEST_P(LostPower, InTheMiddleOfAWrite_EndsItAsItsKindSays_AndWritesNothingElse) {
  Bench bench(small_drive());
  const Chs at{1, 0, 4};
  const Bytes raw = bench.expected(at, test::random_bytes(4, 512));
  bench.seek(at);
  run_until(bench.byte_time(at, bench.layout.data_start) - 1);
  bench.sink.to_write.assign(raw.begin() + bench.layout.data_start, raw.end());
  bench.hda.gates(false, true);
  run_until(bench.byte_time(at, bench.layout.data_start + 99) + 1);
  bench.hda.lose_power(GetParam().loss);
  run_until(bench.byte_time(at, bench.layout.gap_start - 1) + 1);
  bench.hda.gates(false, false);
  const DecodedSector sector = bench.decode(at);
  const bool torn = GetParam().loss == drive::PowerLoss::kTorn;
  Bytes expected(raw.begin() + bench.layout.data_start, raw.begin() + bench.layout.check_start);
  if (torn) std::fill(expected.begin() + 100, expected.end(), std::uint8_t{0});
  EXPECT_EQ(sector.data, expected);
  EXPECT_EQ(sector.check_ok, !torn);
  bench.write_field({1, 0, 6}, raw);
  bench.write_field(at, Bytes(560, 7));
  EXPECT_EQ(bench.decode({1, 0, 6}).data, Bytes(512, 0));
  EXPECT_EQ(bench.decode(at).data, expected);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LostPower,
                         testing::Values(Loss{"Finished", drive::PowerLoss::kFinished},
                                         Loss{"Torn", drive::PowerLoss::kTorn}),
                         headstack::test::case_name<Loss>);

TEST(HeadDiskAssembly, WriteOverAHeader_LosesThatSector) {
  Bench bench(small_drive());
  const Chs at{2, 1, 7};
  bench.write(at, bench.layout.header_start, bench.layout.header_start + 1, Bytes(560, 0xFF));
  const DecodedSector sector = bench.decode(at);
  EXPECT_FALSE(sector.sync_found);
  EXPECT_TRUE(sector.check_ok) << "its data stay";
  EXPECT_TRUE(bench.decode({2, 1, 6}).place);
  EXPECT_TRUE(bench.decode({2, 1, 8}).place);
  bench.hda.surface().restore_headers();
  EXPECT_EQ(bench.decode(at).place, at);
}

TEST(HeadDiskAssembly, UnreadableBlock_NeverReadsWell) {
  drive::DriveDescription description = small_drive();
  description.specimen.flaws = {{media::FlawKind::kUnreadable, 13, 0}};
  Bench bench(description);
  const Chs at = bench.hda.geometry().locate(13).chs();
  for (int i = 0; i < 3; ++i) {
    const DecodedSector sector = bench.decode(at);
    EXPECT_EQ(sector.place, at) << "the header is well";
    EXPECT_FALSE(sector.check_ok);
  }
  bench.write_field(at, bench.expected(at, Bytes(512, 1)));
  EXPECT_FALSE(bench.decode(at).check_ok) << "writing is no cure";
  EXPECT_TRUE(bench.decode(bench.hda.geometry().locate(12).chs()).check_ok);
  EXPECT_TRUE(bench.decode(bench.hda.geometry().locate(14).chs()).check_ok);
}

TEST(HeadDiskAssembly, CorrectableBlock_ReadsWellAfterItsRetries_CountedInWholePasses) {
  drive::DriveDescription description = small_drive();
  description.specimen.flaws = {{media::FlawKind::kCorrectable, 13, 2}};
  Bench bench(description);
  const Chs at = bench.hda.geometry().locate(13).chs();
  EXPECT_FALSE(bench.decode(at).check_ok);
  EXPECT_FALSE(bench.decode(at).check_ok);
  EXPECT_TRUE(bench.decode(at).check_ok);
  EXPECT_FALSE(bench.decode(at).check_ok) << "sim/media/flaw_spec.hpp: then it starts over";
}

TEST(HeadDiskAssembly, GateOpenForTurns_CountsOneAttemptATurn) {
  drive::DriveDescription description = small_drive();
  description.specimen.flaws = {{media::FlawKind::kCorrectable, 3, 2}};
  Bench bench(description);
  const Chs at = bench.hda.geometry().locate(3).chs();
  run_until(bench.byte_time(at, 0) - 1);
  bench.hda.gates(true, false);
  run_until(now_ps() + 3 * from_ms(10));
  const std::size_t turn = 10 * 560;
  ASSERT_GE(bench.sink.bytes.size(), 2 * turn + 560);
  EXPECT_FALSE(decode_sector(bench.layout, &bench.sink.bytes[0]).check_ok);
  EXPECT_FALSE(decode_sector(bench.layout, &bench.sink.bytes[turn]).check_ok);
  EXPECT_TRUE(decode_sector(bench.layout, &bench.sink.bytes[2 * turn]).check_ok);
}

TEST(HeadDiskAssembly, MisplacedWrite_LandsOnTheNextSector) {
  drive::DriveDescription description = small_drive();
  description.specimen.flaws = {{media::FlawKind::kMisplacedWrite, 13, 0}};
  Bench bench(description);
  const Chs at = bench.hda.geometry().locate(13).chs();
  const Chs next = bench.hda.geometry().sector_at(bench.hda.geometry().sector_index(at) + 1);
  const Bytes data = test::random_bytes(3, 512);
  bench.write_field(at, bench.expected(at, data));
  EXPECT_EQ(bench.decode(at).data, Bytes(512, 0)) << "keeps what it had";
  EXPECT_EQ(bench.decode(next).data, data);
  EXPECT_EQ(bench.decode(next).place, next) << "only the data went astray";
  bench.write_field(at, bench.expected(at, data));
  EXPECT_EQ(bench.decode(at).data, data) << "once, then the flaw is gone";
}

}  // namespace
}  // namespace headstack::channel
