// SPDX-License-Identifier: Apache-2.0
// Pins, wired-OR, propagation, wake-ups, phases: sim/bus without any device model.
#include <functional>

#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::LineSet;
using bus::Phase;
using bus::Pins;
namespace line = bus::line;

// The order of scsi_pkg::pins_t: db[15:0] dp[1:0] bsy sel cd io msg req ack atn rst, a packed
// struct, whose first member is the most significant.
TEST(BusPins, PackedOrderIsThatOfTheRtlStruct) {
  const std::vector<std::pair<Pins, unsigned>> order = [] {
    std::vector<std::pair<Pins, unsigned>> list;
    const auto add = [&list](const std::function<void(Pins&)>& set, unsigned bit) {
      Pins pins;
      set(pins);
      list.emplace_back(pins, bit);
    };
    add([](Pins& p) { p.rst = true; }, 0);
    add([](Pins& p) { p.atn = true; }, 1);
    add([](Pins& p) { p.ack = true; }, 2);
    add([](Pins& p) { p.req = true; }, 3);
    add([](Pins& p) { p.msg = true; }, 4);
    add([](Pins& p) { p.io = true; }, 5);
    add([](Pins& p) { p.cd = true; }, 6);
    add([](Pins& p) { p.sel = true; }, 7);
    add([](Pins& p) { p.bsy = true; }, 8);
    add([](Pins& p) { p.dp = 1; }, 9);
    add([](Pins& p) { p.dp = 2; }, 10);
    add([](Pins& p) { p.db = 1; }, 11);
    add([](Pins& p) { p.db = 0x8000; }, 26);
    return list;
  }();
  for (const auto& [pins, bit] : order) {
    EXPECT_EQ(bus::pack(pins), LineSet{1} << bit);
    EXPECT_EQ(bus::pack(bus::unpack(LineSet{1} << bit)), LineSet{1} << bit);
  }
}

// SCSI-2 5.6: DB(P) makes the number of ones odd.
TEST(BusPins, ParityIsOddForEveryByte) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const LineSet lines = bus::data_lines(static_cast<std::uint8_t>(byte));
    EXPECT_EQ(__builtin_popcount(lines) % 2, 1) << byte;
    EXPECT_TRUE(bus::parity_good(lines, false));
    for (unsigned bit = 0; bit < 8; ++bit) {
      EXPECT_FALSE(bus::parity_good(lines ^ (LineSet{1} << (line::kDbShift + bit)), false));
    }
    const LineSet wide = bus::wide_data_lines(static_cast<std::uint16_t>(byte << 8U));
    EXPECT_TRUE(bus::parity_good(wide, true));
    EXPECT_FALSE(bus::parity_good(wide ^ (LineSet{1} << 26U), true));
    EXPECT_TRUE(bus::parity_good(wide ^ (LineSet{1} << 26U), false)) << "the other byte's business";
  }
}

// SCSI-2 6.1.2: 7 is highest, 0 is lowest of the first eight; 15 .. 8 come below them.
TEST(BusPins, ArbitrationPriority) {
  const std::vector<unsigned> falling = {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8};
  for (std::size_t i = 1; i < falling.size(); ++i) {
    EXPECT_GT(bus::priority_of(falling[i - 1]), bus::priority_of(falling[i]));
  }
}

// SCSI-2 6.1.5.
TEST(BusPhases, FollowMsgCdIo) {
  EXPECT_EQ(bus::information_phase(0), Phase::kDataOut);
  EXPECT_EQ(bus::information_phase(line::kIo), Phase::kDataIn);
  EXPECT_EQ(bus::information_phase(line::kCd), Phase::kCommand);
  EXPECT_EQ(bus::information_phase(line::kCd | line::kIo), Phase::kStatus);
  EXPECT_EQ(bus::information_phase(line::kMsg | line::kCd), Phase::kMessageOut);
  EXPECT_EQ(bus::information_phase(line::kMsg | line::kCd | line::kIo), Phase::kMessageIn);
  EXPECT_TRUE(bus::is_reserved(bus::information_phase(line::kMsg)));
  EXPECT_TRUE(bus::is_reserved(bus::information_phase(line::kMsg | line::kIo)));
  EXPECT_STREQ(bus::phase_name(Phase::kMessageOut), "MESSAGE OUT");
  EXPECT_STREQ(bus::phase_name(Phase::kReset), "RESET");
  EXPECT_STREQ(bus::phase_name(Phase::kBusFree), "BUS FREE");
}

/// Notes the time of each wake-up of a port, and the lines then.
class Watcher : public sc_core::sc_module {
 public:
  Watcher(sc_core::sc_module_name name, bus::Port& port) : sc_module(name), port_(port) {
    SC_METHOD(note);
    sensitive << port_.changed();
    dont_initialize();
  }
  std::vector<std::pair<Picoseconds, LineSet>> seen;

 private:
  SC_HAS_PROCESS(Watcher);
  void note() { seen.emplace_back(bus::now_ps(), port_.lines()); }
  bus::Port& port_;
};

void run(Picoseconds time) { sc_core::sc_start(bus::to_sc_time(time)); }

TEST(BusLines, AreTheOrOfAllDevices_UntilTheLastLetsGo) {
  bus::ScsiBus cable("cable");
  bus::Port& a = cable.attach("a");
  bus::Port& b = cable.attach("b");
  run(0);
  a.drive(line::kRst | line::kBsy);
  b.drive(line::kRst | line::kAtn);
  run(1'000);
  EXPECT_EQ(cable.lines(), line::kRst | line::kBsy | line::kAtn);
  a.drive(LineSet{0});
  run(1'000);
  EXPECT_EQ(cable.lines(), line::kRst | line::kAtn);
  EXPECT_TRUE(b.pins().rst);
  b.drive(Pins{});
  run(1'000);
  EXPECT_EQ(cable.lines(), 0U);
}

TEST(BusLines, DrivesOfOneMoment_AreOneChange) {
  bus::ScsiBus cable("cable");
  bus::Port& a = cable.attach("a");
  bus::Port& b = cable.attach("b");
  Watcher watcher("watcher", b);
  run(1'000);
  a.drive(line::kAtn);
  a.drive(line::kRst);
  b.drive(line::kBsy);
  run(1'000);
  ASSERT_EQ(watcher.seen.size(), 1U);
  EXPECT_EQ(watcher.seen[0].second, line::kRst | line::kBsy) << "the last drive counts";
}

TEST(BusLines, APortIsWokenByTheEdgesItListensTo) {
  bus::ScsiBus cable("cable");
  bus::Port& a = cable.attach("a");
  bus::Port& b = cable.attach("b");
  b.listen(line::kReq, line::kAck);
  Watcher watcher("watcher", b);
  run(0);
  for (const LineSet lines : {line::kReq | line::kAck, line::kAck, LineSet{0}, line::kAtn}) {
    a.drive(lines);
    run(1'000);
  }
  ASSERT_EQ(watcher.seen.size(), 2U);
  EXPECT_EQ(watcher.seen[0].first, 0) << "REQ rose";
  EXPECT_EQ(watcher.seen[1].first, 2'000) << "ACK fell; REQ falling woke nobody";
  const bus::Edges edges = b.take_edges();
  EXPECT_EQ(edges.rose, line::kReq);
  EXPECT_EQ(edges.fell, line::kAck);
  EXPECT_EQ(b.take_edges().rose, 0U);
}

TEST(BusLines, PropagationDelaysEveryEdge_AndKeepsPulsesShorterThanItself) {
  bus::ScsiBus cable("cable", 5'000);
  bus::Port& a = cable.attach("a");
  bus::Port& b = cable.attach("b");
  Watcher watcher("watcher", b);
  run(1'000);
  a.drive(line::kReq);
  run(2'000);
  a.drive(LineSet{0});  // a pulse of 2 ns on a cable of 5 ns
  run(20'000);
  const std::vector<std::pair<Picoseconds, LineSet>> expected = {{6'000, line::kReq}, {8'000, 0}};
  EXPECT_EQ(watcher.seen, expected);
}

TEST(BusLines, NobodyDrives_TheKernelHasNothingToDo) {
  bus::ScsiBus cable("cable");
  initiator::Initiator host("host", cable, {});
  run(kPicosecondsPerMillisecond);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST(BusObservers, SeeBytesAndSelections_AndReportedViolations) {
  Bench bench;
  TestTarget target("target", bench.bus, 3, [](TestTarget& t) {
    t.await_selection();
    t.messages_out();
    t.get(Phase::kCommand, 6);
    t.disconnect(true);
    while (!t.reselect(7)) {
    }
    t.message_in({0x80});
    t.finish(0x00);
  });
  initiator::Command command = test_unit_ready();
  command.target = 3;
  bench.submit(command);
  bench.run();
  ASSERT_EQ(bench.recorder.selections.size(), 2U);
  EXPECT_EQ(bench.recorder.selections[0].by, 7U);
  EXPECT_EQ(bench.recorder.selections[0].selected, 3U);
  EXPECT_FALSE(bench.recorder.selections[0].reselection);
  EXPECT_EQ(bench.recorder.selections[1].by, 3U);
  EXPECT_EQ(bench.recorder.selections[1].selected, 7U);
  EXPECT_TRUE(bench.recorder.selections[1].reselection);
  EXPECT_EQ(bench.recorder.bytes_of(Phase::kCommand), command.cdb);
  EXPECT_EQ(bench.recorder.bytes_of(Phase::kMessageOut), (Bytes{0xC0}));
  EXPECT_EQ(bench.recorder.bytes_of(Phase::kMessageIn), (Bytes{0x02, 0x04, 0x80, 0x00}));
  // SCSI-2 6.1.5: a byte is there when its sender's strobe rises; REQ is the target's, ACK the
  // initiator's.
  for (const Recorder::Byte& byte : bench.recorder.bytes) {
    const LineSet strobe = bus::is_in(byte.phase) ? line::kReq : line::kAck;
    const Recorder::Change& change = bench.recorder.changes.at(byte.changes - 1);
    EXPECT_EQ(change.at, byte.at);
    EXPECT_NE(change.now & ~change.before & strobe, 0U) << byte.at;
  }
  bench.bus.report(bus::Rule::kAgreement);
  ASSERT_EQ(bench.bus.violation_count(), 1U);
  EXPECT_NE(bus::to_string(bench.bus.violations()[0]).find("agreement"), std::string::npos);
}

}  // namespace
}  // namespace headstack::test
