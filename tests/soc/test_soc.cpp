// SPDX-License-Identifier: Apache-2.0
// The SoC under its self-test firmware, and the clock gate, without a kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/soc/soc_waves.hpp"
#include "tests/soc/self_test_run.hpp"

namespace headstack::soc {
namespace {

using test::Event;
using test::EventLog;
using test::RunResult;
using testing::ElementsAre;
using testing::Pair;

using Reports = std::vector<std::pair<unsigned, std::uint32_t>>;

Reports values(std::initializer_list<std::uint32_t> arguments) {
  Reports result;
  for (const std::uint32_t argument : arguments) result.emplace_back(EVENT_VALUE, argument);
  return result;
}

const RunResult& gated_run() {
  static const RunResult run = test::run_plain(SocBuild::kFast, true);
  return run;
}

TEST(Soc, SelfTest_EndsWell) {
  EXPECT_EQ(gated_run().exit_code, 0U);
  EXPECT_EQ(gated_run().log.text, "headstack self-test\n");
}

// Little-endian, as RISC-V memory is: each value follows from what self_test.c stored.
TEST(Soc, NarrowAccesses_ChangeTheirBytesOnly) {
  EXPECT_EQ(gated_run().log.step(STEP_MEMORY), values({0xBEEFAA44, 0xBE, 0xAA44, 0x06050403}));
  EXPECT_EQ(gated_run().log.step(STEP_WINDOW), values({0xCAFE5534, 0xCAFE}));
}

// PLATFORM is 1 on the RTL (testdev.rdl); the trace port reads as 0 (trace_port.rdl).
TEST(Soc, Registers_TakeNarrowAccesses) {
  EXPECT_EQ(gated_run().log.step(STEP_REGISTERS), values({0x01EEABCD, 0x01, 1, 0}));
}

// mcause 5 is a load access fault, 7 a store's (RISC-V privileged architecture); mtval has the
// address. The addresses are the first ones outside the map of docs/architecture.md, and none of
// those just inside it fails.
TEST(Soc, AddressesThatNobodyOwns_AreBusErrors) {
  Reports expected;
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> faults = {
      {5, 0x00400000}, {7, 0x00400000}, {5, 0x40008000}, {5, 0x40000018},
      {7, 0x40003FFC}, {5, 0x50200000}, {5, 0xFFFFFFFC}};
  for (const auto& [cause, address] : faults) {
    expected.emplace_back(EVENT_EXCEPTION_CAUSE, cause);
    expected.emplace_back(EVENT_EXCEPTION_VALUE, address);
  }
  expected.emplace_back(EVENT_VALUE, faults.size());
  expected.emplace_back(EVENT_VALUE, faults.size());
  EXPECT_EQ(gated_run().log.step(STEP_BUS_ERRORS), expected);
}

// Bit 4 of PENDING is the timer (irq_ctrl.rdl). Four sleeps and one time that was past already.
TEST(Soc, Timer_InterruptsOncePerSleep) {
  const Reports reports = gated_run().log.step(STEP_TIMER);
  EXPECT_EQ(reports.back(), std::make_pair(unsigned{EVENT_VALUE}, std::uint32_t{5}));
  EXPECT_EQ(std::count(reports.begin(), reports.end(),
                       std::make_pair(unsigned{EVENT_INTERRUPT}, 1U << 4)),
            5);
}

// The timer expires when TIME >= COMPARE (timer.rdl), and TIME is the number of the last edge. So
// the core sleeps after edge due - 1 and wakes after edge due, gated or not.
TEST(Soc, Timer_WakesAtExactlyTheDueEdge) {
  for (const bool gating : {true, false}) {
    Soc soc;
    test::load_self_test(soc);
    EventLog log;
    SocClock clock(soc, &log, gating);
    std::vector<std::uint64_t> woke;
    bool asleep = false;
    while (log.arguments(EVENT_TIMER_WOKE).size() < 4) {
      clock.advance_to(clock.next_edge());
      if (asleep && !soc.clock_state().core_asleep) {
        woke.push_back(static_cast<std::uint64_t>(clock.last_edge()));
      }
      asleep = soc.clock_state().core_asleep;
    }
    const std::vector<std::uint32_t> due = log.arguments(EVENT_TIMER_DUE);
    EXPECT_EQ(woke, std::vector<std::uint64_t>(due.begin(), due.end())) << "gating " << gating;
  }
}

// A pulse that comes at the time of an edge is seen by the next: soc_clock.hpp. The servo captures
// the number of the edge that took the pulse (servo.sv), which is the first edge after it, rounded
// up.
TEST(Soc, IndexPulse_IsTakenByTheFirstEdgeBehindIt) {
  std::vector<std::uint32_t> expected;
  for (const Picoseconds time : test::index_times()) {
    expected.push_back(static_cast<std::uint32_t>(time / kClockPeriodPs + 1));
  }
  EXPECT_EQ(expected[0], 200'000U) << "one picosecond before edge 200,000";
  EXPECT_EQ(expected[1], 201'001U) << "at the time of edge 201,000";
  EXPECT_EQ(gated_run().log.arguments(EVENT_INDEX_TIME), expected);
}

// Nothing that can be observed depends on the gate, on the build, or on the run.
TEST(Soc, EventLog_IsTheSameGatedUngatedInspectedAndAgain) {
  struct Case {
    const char* name;
    SocBuild build;
    bool gating;
  };
  for (const Case& c :
       {Case{"second run", SocBuild::kFast, true}, Case{"ungated", SocBuild::kFast, false},
        Case{"inspected", SocBuild::kInspect, true}}) {
    const RunResult other = test::run_plain(c.build, c.gating);
    EXPECT_EQ(other.log.events, gated_run().log.events) << c.name;
    EXPECT_EQ(other.log.text, gated_run().log.text) << c.name;
    EXPECT_EQ(other.output_changes, gated_run().output_changes) << c.name;
    EXPECT_EQ(other.exit_code, gated_run().exit_code) << c.name;
  }
}

// Five pulses, the last a second after the others. What the program does in a second of sleep is
// nothing: the edges that are given do not grow with it.
TEST(Soc, ASecondAsleep_CostsNoEvaluations) {
  std::vector<Picoseconds> pulses = test::index_times();
  const std::uint64_t before = test::run_plain(SocBuild::kFast, true, pulses).evaluations;
  pulses.back() += kPicosecondsPerSecond;
  EXPECT_EQ(test::run_plain(SocBuild::kFast, true, pulses).evaluations, before);
  EXPECT_LT(before, 20'000U) << "the program itself; a second has 40,000,000 edges";
}

// An edge may be run before its time; what it did shows at its time and not a picosecond earlier.
TEST(Soc, OutputsOfAnEdgeRunAhead_ShowAtItsTime) {
  Soc soc;
  test::load_self_test(soc);
  SocClock clock(soc, nullptr, true);
  clock.advance_to(kPicosecondsPerMillisecond);
  // The next change is the program's last step, which begins to listen to the index.
  clock.run_ahead(test::index_times().front() - 1);
  const Picoseconds change = clock.hidden_change();
  ASSERT_NE(change, SocClock::kNever);
  ASSERT_GT(change, kPicosecondsPerMillisecond);
  EXPECT_FALSE(clock.outputs(change - 1).index_listen);
  EXPECT_EQ(clock.hidden_change(), change);
  EXPECT_TRUE(clock.outputs(change).index_listen);
  EXPECT_EQ(clock.hidden_change(), SocClock::kNever);
}

TEST(Soc, LevelThatChangesAndReturnsBetweenEdges_ChangesNothing) {
  Soc soc;
  test::load_self_test(soc);
  SocClock clock(soc, nullptr, true);
  clock.advance_to(kPicosecondsPerMillisecond);  // asleep in the third of its timers
  const Picoseconds now = 40'000 * kClockPeriodPs;
  ASSERT_EQ(clock.outputs(now).scsi, 0U);
  ASSERT_TRUE(soc.clock_state().core_asleep);
  const std::uint64_t before = clock.evaluations();
  clock.change(now + 1, [](SocInputs& in) { in.at_speed = true; });
  EXPECT_EQ(clock.next_edge(), now + kClockPeriodPs);
  clock.change(now + 2, [](SocInputs& in) { in.at_speed = false; });
  clock.advance_to(now + 10 * kClockPeriodPs);
  EXPECT_LE(clock.evaluations() - before, 1U);
}

TEST(Soc, Retirement_FollowsTheProgram) {
  Soc soc(SocBuild::kInspect);
  test::load_self_test(soc);
  std::vector<std::uint32_t> pcs;
  for (std::uint64_t edge = 0; pcs.size() < 3; ++edge) {
    soc.step(edge);
    if (soc.retirement().valid) pcs.push_back(soc.retirement().pc);
  }
  EXPECT_EQ(pcs[0], 0x80U) << "the reset vector, hdl/README.md";
  EXPECT_EQ(pcs[2], pcs[1] + 4) << "start.S: the first instruction after the jump has four bytes";
}

/// Writes every edge, and nothing beside it.
class EdgeWaves : public CoreWatcher {
 public:
  explicit EdgeWaves(Soc& soc) : waves_(soc, none_) {}
  SocWaves& waves() { return waves_; }
  void time_passes(Picoseconds until) override { waves_.moment(until); }
  void core_cycle(std::uint64_t edge, const CoreActivity& /*activity*/) override {
    waves_.edge(static_cast<Picoseconds>(edge) * kClockPeriodPs);
  }

 private:
  WaveSignals none_;
  SocWaves waves_;
};

TEST(Soc, Waves_ChangeNothing_AndAreWritten) {
  const auto path = std::filesystem::temp_directory_path() / "headstack_test_soc.fst";
  Soc soc(SocBuild::kInspect);
  test::load_self_test(soc);
  EdgeWaves recorder(soc);
  recorder.waves().open(path.string(), 0);
  EventLog log;
  SocClock clock(soc, &log, true);
  clock.watch_core(&recorder);
  clock.advance_to(100 * kPicosecondsPerMicrosecond);
  recorder.waves().close();
  EXPECT_GT(std::filesystem::file_size(path), 0U);
  std::filesystem::remove(path);
  ASSERT_GT(log.events.size(), 10U);
  const std::vector<Event>& all = gated_run().log.events;
  EXPECT_EQ(log.events, std::vector<Event>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(
                                                                          log.events.size())));
  EXPECT_THROW(soc.open_waves("/dev/null/folder/x.fst"), std::runtime_error);
}

/// The first 60 us of the self-test, with a file; `at_half` is called at 30 us.
template <class AtHalf>
void record_self_test(const std::filesystem::path& path, AtHalf at_half) {
  Soc soc(SocBuild::kInspect);
  test::load_self_test(soc);
  EdgeWaves recorder(soc);
  recorder.waves().open(path.string(), 0);
  SocClock clock(soc, nullptr, true);
  clock.watch_core(&recorder);
  clock.advance_to(30 * kPicosecondsPerMicrosecond);
  at_half(recorder, clock);
  clock.advance_to(60 * kPicosecondsPerMicrosecond);
  recorder.waves().close();
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The date's place in the header block, by fstapi.c: 119 bytes at 202. The same run gives the same
// file at any time.
TEST(Soc, Waves_HaveNoDate) {
  const auto path =
      std::filesystem::temp_directory_path() / ("headstack_date_" + std::to_string(::getpid()));
  record_self_test(path, [](EdgeWaves&, SocClock&) {});
  EXPECT_EQ(bytes_of(path).substr(202, 119), std::string(119, '\0'));
  std::filesystem::remove(path);
}

// A child shares the open file with its parent, down to the buffers that exit() empties.
TEST(Soc, WavesAbandonedByAForkedProcess_StayTheParents) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("headstack_abandon_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  record_self_test(folder / "alone.fst", [](EdgeWaves&, SocClock&) {});
  record_self_test(folder / "parent.fst", [&](EdgeWaves& recorder, SocClock& clock) {
    const ::pid_t child = ::fork();
    if (child == 0) {
      recorder.waves().abandon();
      recorder.waves().open((folder / "child.fst").string(), 30 * kPicosecondsPerMicrosecond);
      clock.advance_to(60 * kPicosecondsPerMicrosecond);
      recorder.waves().close();
      std::exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
  EXPECT_GT(bytes_of(folder / "alone.fst").size(), 10'000U);
  EXPECT_TRUE(bytes_of(folder / "parent.fst") == bytes_of(folder / "alone.fst"));
  EXPECT_GT(bytes_of(folder / "child.fst").size(), 10'000U);
  std::filesystem::remove_all(folder);
}

TEST(Soc, Ram_IsReadAndWrittenByAddress) {
  Soc soc;
  soc.write_ram(Soc::kRamBytes - 3, {1, 2, 3});
  EXPECT_EQ(soc.read_ram(Soc::kRamBytes - 4, 4), (std::vector<std::uint8_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace headstack::soc
