// SPDX-License-Identifier: Apache-2.0
// Delays an event until the core's watchers have received its clock edge, as on the electronics.
// The exact core makes the store before its cycle is shown.
#pragma once

#include <cstdint>
#include <deque>

#include "host/observe/run_observer.hpp"

namespace headstack::observe {

/// Delays events. Register it as an observer of the run, and as the last watcher of the core.
class EventsBehindCycles : public RunObserver, public soc::CoreWatcher {
 public:
  /// Adds a receiver of events and commands, which must outlive this object.
  void add(RunObserver& observer) { observers_.add(observer); }

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    waiting_.push_back({edge, number, argument});
    tell();
  }
  void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                      const traces::TraceRequest& request) override {
    observers_.command_issued(at, number, tag, request);
  }
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& /*activity*/) override {
    edges_ = edge + 1;
    if (!waiting_.empty()) tell();
  }

 private:
  struct Event {
    std::uint64_t edge;
    unsigned number;
    std::uint32_t argument;
  };

  void tell() {
    while (!waiting_.empty() && waiting_.front().edge < edges_) {
      const Event event = waiting_.front();
      waiting_.pop_front();
      observers_.firmware_event(event.edge, event.number, event.argument);
    }
  }

  RunObservers observers_;
  std::deque<Event> waiting_;
  std::uint64_t edges_ = 0;  // number of edges shown
};

}  // namespace headstack::observe
