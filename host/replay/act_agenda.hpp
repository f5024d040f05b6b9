// When the hosts of a run act, beside sending requests: what a request's options ask for behind its
// issue, and what the habits repeat by time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "host/options/host_habits.hpp"

namespace headstack::replay {

/// Something that a host does at a time.
struct DueAct {
  traces::Act act = traces::Act::kNone;  // kNone: a setting is changed
  std::uint32_t host = 0;
  std::uint64_t number = 0;                             // kAbort: of the request
  options::Setting setting = options::Setting::kCache;  // kNone: which
};

class ActAgenda {
 public:
  ActAgenda(const options::HostHabits& habits, std::uint32_t hosts)
      : habits_(habits), hosts_(hosts) {}

  /// The trace's time 0; what is repeated by time counts from here, host after host.
  void begin(Picoseconds start);
  /// A request goes out for the first time.
  void request_issued(Picoseconds now, std::uint64_t number, const traces::TraceRequest& request);
  /// The next that is due by now, if any.
  std::optional<DueAct> take(Picoseconds now);
  std::optional<Picoseconds> next() const;

 private:
  struct Planned {
    DueAct act;
    Picoseconds period = 0;  // 0: once
  };
  void repeat(const DueAct& act, Picoseconds period, Picoseconds start);

  const options::HostHabits& habits_;
  std::uint32_t hosts_;
  std::multimap<Picoseconds, Planned> planned_;  // of those at one time, in the order of planning
};

}  // namespace headstack::replay
