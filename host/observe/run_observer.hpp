// SPDX-License-Identifier: Apache-2.0
// The observer of a run. It receives the firmware's events, the mechanics' reports and the trace's
// commands, each in order of time. soc/soc_clock.hpp and channel/hda_observer.hpp have the rules.
// An observer must not act on the world, and a run does not depend on its observers.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "host/report/command_record.hpp"
#include "host/traces/trace.hpp"
#include "sim/channel/hda_observer.hpp"
#include "sim/soc/soc_clock.hpp"

namespace headstack::observe {

class RunObserver : public soc::SocListener, public channel::HdaObserver {
 public:
  /// Reports that request `number` of the trace, counted from 0, goes to the host adapter with a
  /// tag. Called again if the drive had no room for it.
  virtual void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                              const traces::TraceRequest& request) {
    (void)at, (void)number, (void)tag, (void)request;
  }
  /// Reports that the request is completed.
  virtual void command_completed(Picoseconds at, std::uint16_t tag,
                                 const report::CommandRecord& record) {
    (void)at, (void)tag, (void)record;
  }
};

/// Passes calls on to several observers, in the order in which they were added.
class RunObservers : public RunObserver {
 public:
  /// `observer` must outlive this object.
  void add(RunObserver& observer) { observers_.push_back(&observer); }
  /// Removes all observers: no further call is passed on.
  void clear() { observers_.clear(); }
  /// Passes nothing on that the firmware reports with a clock edge after `time`. A processor may be
  /// ahead of the world.
  void end_after(Picoseconds time) { end_ = time; }

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void console(std::uint64_t edge, char character) override;
  void seek_began(Picoseconds at, const geometry::Chs& track,
                  const mechanics::Positioning& parts) override;
  void levels_changed(Picoseconds at, const channel::HdaLevels& levels) override;
  void fault_struck(Picoseconds at, std::string_view what, std::uint64_t where) override;
  void sector_began(Picoseconds at, const geometry::Chs& sector) override;
  void sector_ended(Picoseconds at, const geometry::Chs& sector) override;
  void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                      const traces::TraceRequest& request) override;
  void command_completed(Picoseconds at, std::uint16_t tag,
                         const report::CommandRecord& record) override;

 private:
  template <class Call>
  void tell(const Call& call);

  std::vector<RunObserver*> observers_;
  Picoseconds end_ = std::numeric_limits<Picoseconds>::max();
};

/// Passes the core's cycles to several watchers.
class CoreWatchers : public soc::CoreWatcher {
 public:
  /// `watcher` must outlive this object.
  void add(soc::CoreWatcher& watcher) { watchers_.push_back(&watcher); }
  /// Does the same as in RunObservers.
  void clear() { watchers_.clear(); }
  void end_after(Picoseconds time) { end_ = time; }
  /// The last time whose cycles are passed on.
  Picoseconds end() const { return end_; }

  void time_passes(Picoseconds until) override {
    for (soc::CoreWatcher* watcher : watchers_) watcher->time_passes(until);
  }
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override {
    if (soc::time_of_edge(edge) > end_) return;
    for (soc::CoreWatcher* watcher : watchers_) watcher->core_cycle(edge, activity);
  }

 private:
  std::vector<soc::CoreWatcher*> watchers_;
  Picoseconds end_ = std::numeric_limits<Picoseconds>::max();
};

}  // namespace headstack::observe
