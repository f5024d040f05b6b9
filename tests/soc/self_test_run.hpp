// SPDX-License-Identifier: Apache-2.0
/// @file
/// Runs the self-test firmware and notes its reports, for the tests of the SoC and of its clock.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "sim/soc/soc_clock.hpp"
#include "tests/paths.hpp"
#include "tests/soc/self_test_events.h"

namespace headstack::soc::test {

struct Event {
  std::uint64_t edge = 0;
  unsigned number = 0;
  std::uint32_t argument = 0;
};

inline bool operator==(const Event& a, const Event& b) {
  return std::tie(a.edge, a.number, a.argument) == std::tie(b.edge, b.number, b.argument);
}

inline std::ostream& operator<<(std::ostream& out, const Event& event) {
  return out << "edge " << event.edge << ": event " << event.number << " " << hex(event.argument);
}

class EventLog : public SocListener {
 public:
  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    events.push_back({edge, number, argument});
  }
  void console(std::uint64_t, char character) override { text += character; }

  /// Arguments of all events with this number.
  std::vector<std::uint32_t> arguments(unsigned number) const {
    std::vector<std::uint32_t> result;
    for (const Event& event : events) {
      if (event.number == number) result.push_back(event.argument);
    }
    return result;
  }

  /// Numbers and arguments of the reports within one step, without the step's own event.
  std::vector<std::pair<unsigned, std::uint32_t>> step(std::uint32_t wanted) const {
    std::vector<std::pair<unsigned, std::uint32_t>> result;
    bool inside = false;
    for (const Event& event : events) {
      if (event.number == EVENT_STEP) {
        inside = event.argument == wanted;
      } else if (inside) {
        result.emplace_back(event.number, event.argument);
      }
    }
    return result;
  }

  std::vector<Event> events;
  std::string text;
};

/// At its end, the program waits for SELF_TEST_INDEX_PULSES index pulses, from well before 5 ms on.
/// (Its timers wait for 111,100 clocks, which is 2.8 ms.) Some of these times are on an edge, some
/// just beside it.
inline std::vector<Picoseconds> index_times() {
  const Picoseconds edge = 200'000 * kClockPeriodPs;  // 5 ms
  return {edge - 1, edge + 1'000 * kClockPeriodPs, edge + 2'000 * kClockPeriodPs + 1,
          edge + 2'500 * kClockPeriodPs + 12'345, edge + 400'000 * kClockPeriodPs};
}
static_assert(SELF_TEST_INDEX_PULSES == 5, "index_times() has as many");

/// The results of a run, which gating must not change.
struct RunResult {
  EventLog log;
  std::vector<Picoseconds> output_changes;
  std::uint32_t exit_code = 0xFFFFFFFF;
  std::uint64_t evaluations = 0;
};

inline void load_self_test(Soc& soc) {
  soc.load(ElfImage::read(headstack::test::built(SOC_SELF_TEST_ELF)));
}

/// Runs the whole program under a clock without a kernel.
inline RunResult run_plain(SocBuild build, bool gating,
                           const std::vector<Picoseconds>& pulses = index_times()) {
  Soc soc(build);
  load_self_test(soc);
  RunResult result;
  SocClock clock(soc, &result.log, gating);
  const auto run_to = [&](Picoseconds limit) {
    for (clock.run_ahead(limit); clock.hidden_change() != SocClock::kNever;
         clock.run_ahead(limit)) {
      result.output_changes.push_back(clock.hidden_change());
      clock.outputs(clock.hidden_change());
    }
  };
  for (const Picoseconds time : pulses) {
    run_to(time);
    clock.change(time, [](SocInputs& in) { in.index_pulse = true; });
  }
  run_to(pulses.back() + 10'000 * kClockPeriodPs);
  if (clock.exited()) result.exit_code = clock.exit_code();
  result.evaluations = clock.evaluations();
  return result;
}

}  // namespace headstack::soc::test
