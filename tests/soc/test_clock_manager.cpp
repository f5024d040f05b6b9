// SPDX-License-Identifier: Apache-2.0
// The SoC's clock inside a SystemC simulation: nothing that the world sees depends on gating or on
// what else the kernel does. The reference is the same program under a clock without a kernel
// (self_test_run.hpp).
//
// SystemC elaborates once per process: CTest runs every test of this file in its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/draw.hpp"
#include "sim/soc/clock_manager.hpp"
#include "tests/soc/self_test_run.hpp"

namespace headstack::soc {
namespace {

using test::EventLog;
using test::RunResult;

Picoseconds now_ps() { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()); }

/// The program with index pulses from a kernel process, and a note of each change of the outputs.
class World : public sc_core::sc_module {
 public:
  World(sc_core::sc_module_name name, bool gating)
      : sc_module(name), manager("manager", loaded(soc), &log, gating) {
    SC_THREAD(pulse);
    SC_METHOD(note);
    sensitive << manager.outputs_changed();
    dont_initialize();
    SC_METHOD(end);
    sensitive << manager.exited();
    dont_initialize();
  }

  Soc soc;
  EventLog log;
  ClockManager manager;
  std::vector<Picoseconds> output_changes;
  Picoseconds exited_at = 0;
  Picoseconds listens_since = -1;

  /// Expects the same results as the reference.
  void expect_as(const RunResult& reference) {
    EXPECT_EQ(log.events, reference.log.events);
    EXPECT_EQ(log.text, reference.log.text);
    EXPECT_EQ(output_changes, reference.output_changes);
    EXPECT_EQ(manager.exit_code(), std::optional<std::uint32_t>(reference.exit_code));
    // The exit itself counts as the last change.
    EXPECT_EQ(exited_at, reference.output_changes.back());
  }

 private:
  SC_HAS_PROCESS(World);
  static Soc& loaded(Soc& soc) {
    test::load_self_test(soc);
    return soc;
  }
  void pulse() {
    for (const Picoseconds time : test::index_times()) {
      wait(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time - now_ps())));
      manager.pulse_index();
    }
  }
  void note() {
    output_changes.push_back(now_ps());
    if (manager.outputs().index_listen && listens_since < 0) listens_since = now_ps();
  }
  void end() { exited_at = now_ps(); }
};

/// Keeps the kernel busy at a period, and looks at the outputs each time.
class Noise : public sc_core::sc_module {
 public:
  Noise(sc_core::sc_module_name name, ClockManager& manager, Picoseconds period)
      : sc_module(name), manager_(manager), period_(period) {
    SC_METHOD(tick);
  }

  /// An output that rose at `since` was seen from the first look at or after that time.
  void expect_saw_listening(Picoseconds since) const {
    ASSERT_GT(since, 0);
    EXPECT_EQ(saw_listening_, (since + period_ - 1) / period_ * period_) << "period " << period_;
  }

 private:
  SC_HAS_PROCESS(Noise);
  void tick() {
    if (manager_.outputs().index_listen && saw_listening_ < 0) saw_listening_ = now_ps();
    if (now_ps() < kEnd) {
      next_trigger(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(period_)));
    }
  }
  static constexpr Picoseconds kEnd = 6 * kPicosecondsPerMillisecond;
  ClockManager& manager_;
  Picoseconds period_;
  Picoseconds saw_listening_ = -1;
};

using Times = std::vector<Picoseconds>;

/// Toggles a level that no program here looks at, time and again, and notes the times of which no
/// edge came to know. A method, as all in the drive's world are: the kernel runs threads after
/// those.
class Toggle : public sc_core::sc_module {
 public:
  /// The next time after the one given, or none. Asked once that has been taken in.
  using Next = std::function<std::optional<Picoseconds>(Picoseconds)>;

  Toggle(sc_core::sc_module_name name, ClockManager& manager, Next next)
      : sc_module(name), manager_(manager), next_(std::move(next)) {
    SC_METHOD(run);
    sensitive << due_;
    dont_initialize();
    plan(0);
  }
  /// At these times, each 2 clocks or more after the one before.
  Toggle(sc_core::sc_module_name name, ClockManager& manager, Times times)
      : Toggle(name, manager, [times = std::move(times)](Picoseconds time) {
          const auto at = std::upper_bound(times.begin(), times.end(), time);
          return at == times.end() ? std::nullopt : std::optional<Picoseconds>(*at);
        }) {}

  Times missed;
  std::size_t count = 0;

 private:
  SC_HAS_PROCESS(Toggle);
  static constexpr Picoseconds kTakenIn = 2 * kClockPeriodPs;
  void run() {
    if (now_ps() == at_) {
      // What comes at a later time is told to the kernel now, before the manager tells what it
      // does.
      wake_at(at_ + kTakenIn);
      manager_.change([](SocInputs& in) { in.write_fault = !in.write_fault; });
      ++count;
      return;
    }
    if (manager_.exit_code()) return;
    if (manager_.clock().last_edge() * kClockPeriodPs <= at_) missed.push_back(at_);
    plan(at_);
  }
  void plan(Picoseconds behind) {
    const std::optional<Picoseconds> next = next_(behind);
    if (!next || manager_.exit_code()) return;
    at_ = *next;
    wake_at(at_);
  }
  void wake_at(Picoseconds time) {
    due_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time - now_ps())));
  }
  ClockManager& manager_;
  Next next_;
  Picoseconds at_ = 0;
  sc_core::sc_event due_;
};

const Picoseconds kLongEnough = test::index_times().back() + kPicosecondsPerMillisecond;

TEST(ClockManager, Gated_GivesThePlainClocksLog) {
  World world("world", true);
  sc_core::sc_start();
  world.expect_as(test::run_plain(SocBuild::kFast, true));
  // Only the program needs evaluations: a second of simulated time would have 40,000,000 edges.
  EXPECT_LT(world.manager.clock().evaluations(), 20'000U);
}

TEST(ClockManager, Ungated_GivesThePlainClocksLog) {
  World world("world", false);
  world.manager.run_until(kLongEnough);
  world.expect_as(test::run_plain(SocBuild::kFast, true));
  EXPECT_EQ(static_cast<std::int64_t>(world.manager.clock().evaluations()),
            world.manager.clock().last_edge() + 1);
}

// Activity on every edge, beside the edges, and nearly never.
TEST(ClockManager, KernelBusyOnAndBesideEdges_GivesThePlainClocksLog) {
  World world("world", true);
  Noise on_edge("on_edge", world.manager, kClockPeriodPs);
  Noise beside("beside", world.manager, 33'333);
  Noise rare("rare", world.manager, 1'000'001);
  world.manager.run_until(kLongEnough);
  for (const Noise* noise : {&on_edge, &beside, &rare}) {
    noise->expect_saw_listening(world.listens_since);
  }
  world.expect_as(test::run_plain(SocBuild::kFast, true));
}

TEST(ClockManager, UngatedAndKernelBusy_GivesThePlainClocksLog) {
  World world("world", false);
  Noise noise("noise", world.manager, 4 * kClockPeriodPs);
  world.manager.run_until(kLongEnough);
  world.expect_as(test::run_plain(SocBuild::kFast, true));
}

TEST(ClockManager, TwoDrivesAtOnce_RunAsEachAlone) {
  World first("first", true);
  World second("second", false);
  first.manager.run_until(kLongEnough);
  const RunResult reference = test::run_plain(SocBuild::kFast, true);
  first.expect_as(reference);
  second.expect_as(reference);
}

TEST(ClockManager, StoppedAndResumed_GivesThePlainClocksLog) {
  World world("world", true);
  for (Picoseconds time = 0; time < kLongEnough; time += 77'777'777) world.manager.run_until(time);
  world.manager.run_until(kLongEnough);
  world.expect_as(test::run_plain(SocBuild::kFast, true));
}

// Between two calls of run_until() the outside may change an input: the SoC has not run past it,
// even on an edge.
TEST(ClockManager, InputsMayChangeBetweenRuns) {
  Soc soc;
  test::load_self_test(soc);
  EventLog log;
  ClockManager manager("manager", soc, &log, true);
  for (const Picoseconds time : test::index_times()) {
    manager.run_until(time);
    manager.pulse_index();
  }
  manager.run_until(kLongEnough);
  EXPECT_EQ(log.events, test::run_plain(SocBuild::kFast, true).log.events);
}

// ---- an input changes at the very time for which the manager has a wake-up of its own

/// How soon after such a time the kernel has something else: the manager's next wake-up is near.
constexpr Picoseconds kSoon = ClockManager::kLeadPs / 2;

/// Times of the edges that come more than kLeadPs after the one before, in the plain clock's run.
/// They are the timer's wake-ups, for which the manager waits in the kernel.
Times far_edges() {
  Soc soc;
  test::load_self_test(soc);
  SocClock clock(soc, nullptr, true);
  Times far;
  const auto run_to = [&](Picoseconds limit) {
    for (Picoseconds next = clock.next_edge(); next <= limit; next = clock.next_edge()) {
      if (next - clock.last_edge() * kClockPeriodPs > ClockManager::kLeadPs) far.push_back(next);
      clock.advance_to(next);
    }
  };
  for (const Picoseconds time : test::index_times()) {
    run_to(time);
    clock.change(time, [](SocInputs& in) { in.index_pulse = true; });
  }
  return far;
}

TEST(ClockManager, InputsChangeAsTheTimerIsDue_NoneIsMissed) {
  Times times;
  for (const Picoseconds due : far_edges()) {
    times.push_back(due);
    times.push_back(due + kSoon);
  }
  ASSERT_GE(times.size(), 2U) << "self_test.c sleeps until its timer is due";
  World world("world", true);
  Toggle toggle("toggle", world.manager, times);
  world.manager.run_until(kLongEnough);
  EXPECT_EQ(toggle.missed, Times{});
  world.expect_as(test::run_plain(SocBuild::kFast, true));
}

// A busy core, of which nothing is seen, is run in strides of kLeadPs: the manager comes back at
// the edge after each. That time, and some clocks before and after it.
TEST(ClockManager, InputsChangeAsAStrideEnds_NoneIsMissed) {
  Soc soc;
  soc.load(ElfImage::read(headstack::test::built(SOC_BUSY_LOOP_ELF)));
  ClockManager manager("manager", soc, nullptr, true);
  Times times = {kSoon};
  for (int clocks = -3; clocks <= 5; ++clocks) {
    times.push_back(times.back() + ClockManager::kLeadPs + clocks * kClockPeriodPs);
    times.push_back(times.back() + kSoon);
  }
  Toggle toggle("toggle", manager, times);
  const Picoseconds end = times.back() + 3 * ClockManager::kLeadPs;
  manager.run_until(end);
  EXPECT_EQ(toggle.missed, Times{});
  EXPECT_EQ(manager.clock().last_edge(), end / kClockPeriodPs);
}

/// An adversary's choice of such a time. It is the end of a stride, or beside it; the next that the
/// kernel knows of; the timer's; or any.
std::optional<Picoseconds> worst_time(std::uint64_t number, Picoseconds behind, const Times& far) {
  const std::uint64_t choice = scatter(number);
  const std::uint64_t which = scatter(choice);
  const Picoseconds earliest = now_ps() + 1;
  const auto any = static_cast<Picoseconds>(below(which, 2 * ClockManager::kLeadPs));
  const auto clocks = static_cast<Picoseconds>(below(which, 8));
  switch (below(choice, 16)) {
    case 0: {
      const auto due = std::upper_bound(far.begin(), far.end(), earliest);
      return due == far.end() ? earliest + any : *due;
    }
    case 1:
      if (!sc_core::sc_pending_activity_at_future_time()) return earliest + any;
      return now_ps() + static_cast<Picoseconds>(sc_core::sc_time_to_pending_activity().value());
    case 2:
    case 3: return earliest + any;
    default:
      return behind / kClockPeriodPs * kClockPeriodPs + ClockManager::kLeadPs +
             clocks * kClockPeriodPs;
  }
}

class AdversaryOfTheClock : public testing::TestWithParam<std::uint64_t> {};

TEST_P(AdversaryOfTheClock, ChangesAtTheWorstTimes_NoneIsMissed) {
  const std::uint64_t seed = GetParam();
  const Times far = far_edges();
  World world("world", true);
  std::uint64_t number = seed << 32U;
  Toggle toggle("toggle", world.manager,
                [&](Picoseconds behind) { return worst_time(++number, behind, far); });
  world.manager.run_until(kLongEnough);
  EXPECT_EQ(toggle.missed, Times{}) << "seed " << seed;
  EXPECT_GT(toggle.count, 20U);
  world.expect_as(test::run_plain(SocBuild::kFast, true));
}

INSTANTIATE_TEST_SUITE_P(Seeds, AdversaryOfTheClock, testing::Range<std::uint64_t>(1, 9));

// A core that is busy has the kernel to itself: one event per kLeadPs, not one per edge.
TEST(ClockManager, AsleepWithNothingDue_TheKernelHasNothingToDo) {
  Soc soc;
  test::load_self_test(soc);
  ClockManager manager("manager", soc, nullptr, true);
  manager.run_until(4 * kPicosecondsPerMillisecond);  // waits for index pulses
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

}  // namespace
}  // namespace headstack::soc

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
