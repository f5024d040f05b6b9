// SPDX-License-Identifier: Apache-2.0
// The schedule of what hosts do besides sending requests. A request's options can ask for an act
// after its issue. Habits repeat acts at intervals of time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "host/options/host_habits.hpp"

namespace headstack::replay {

/// Something that a host does at a given time.
struct DueAct {
  traces::Act act = traces::Act::kNone;  // the act; kNone: a setting is changed
  std::uint32_t host = 0;
  std::uint64_t number = 0;                             // number of the request (kAbort)
  options::Setting setting = options::Setting::kCache;  // setting that is changed (kNone)
};

class ActAgenda {
 public:
  ActAgenda(const options::HostHabits& habits, std::uint32_t hosts)
      : habits_(habits), hosts_(hosts) {}

  /// Starts the schedule at the trace's time 0. The periods of acts that are repeated by time begin
  /// here, host after host.
  void begin(Picoseconds start);
  /// Called when a request is issued for the first time.
  void request_issued(Picoseconds now, std::uint64_t number, const traces::TraceRequest& request);
  /// The next act that is due by now, if any.
  std::optional<DueAct> take(Picoseconds now);
  std::optional<Picoseconds> next() const;

 private:
  struct Planned {
    DueAct act;
    Picoseconds period = 0;  // time between repetitions; 0: not repeated
  };
  void repeat(const DueAct& act, Picoseconds period, Picoseconds start);

  const options::HostHabits& habits_;
  std::uint32_t hosts_;
  std::multimap<Picoseconds, Planned> planned_;  // acts by their time; equal times in the order of
                                                 // planning
};

}  // namespace headstack::replay
