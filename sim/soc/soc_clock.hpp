// SPDX-License-Identifier: Apache-2.0
/// @file
/// The clock gate, without a kernel: which clock edges the SoC runs, and which outputs are visible
/// to the world.
///
/// Edge n is at n * kClockPeriodPs. Results with and without gating are the same by these rules:
///
/// - An edge samples the inputs as they were strictly before it. The next edge samples a change at
///   the very time of an edge. So edges up to and including `now` run before an input changes.
/// - Outputs are those of the last edge at or before `now`, in whatever order callers ask.
/// - Gating omits only edges that change nothing, for each clock of the SoC separately. If the SoC
///   requests no edge, the gate waits for an input change or for the timer. The next edge is the
///   first one after the change, or the one at which the timer is due.
///
/// An edge may run before its time if nothing can change an input until then. Its outputs stay
/// hidden until their time. Running further ahead is a bug of the caller, and asserted.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "sim/soc/soc.hpp"
#include "sim/units.hpp"

namespace headstack::soc {

/// Receives the firmware's reports in the order of edges, perhaps before their time in the kernel.
/// It may record them, but must not act on the world.
class SocListener {
 public:
  virtual ~SocListener() = default;
  virtual void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
    (void)edge, (void)number, (void)argument;
  }
  virtual void console(std::uint64_t edge, char character) { (void)edge, (void)character; }
};

/// Observes the SoC edge by edge, in the inspecting build only. It must not act on the world.
class CoreWatcher {
 public:
  virtual ~CoreWatcher() = default;
  /// Called before every edge that runs, and before every change of an input, with its time. Until
  /// then the SoC's state holds. Times never decrease.
  virtual void time_passes(Picoseconds until) { (void)until; }
  /// Called after every edge that was run.
  virtual void core_cycle(std::uint64_t edge, const CoreActivity& activity) = 0;
};

class SocClock {
 public:
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  /// `soc` must be just out of reset, before its first edge. Both must outlive the clock;
  /// `listener` may be null.
  SocClock(Soc& soc, SocListener* listener, bool gating);

  /// Sets the watcher from the next edge on; null removes it. It must outlive the clock, or be
  /// replaced before it ends.
  void watch_core(CoreWatcher* watcher) { watcher_ = watcher; }

  /// Runs every requested edge at or before `time`.
  void advance_to(Picoseconds time);
  /// Runs requested edges at or before `limit`, but none after one that changes outputs.
  void run_ahead(Picoseconds limit);

  /// Changes inputs at `now`: `edit` gets the SocInputs to change.
  template <class Edit>
  void change(Picoseconds now, Edit&& edit) {
    advance_to(now);
    SocInputs changed = inputs_;
    edit(changed);
    take_inputs(now, changed);
  }

  /// The outputs at time `now`.
  const SocOutputs& outputs(Picoseconds now);
  /// The number of output changes up to `now`.
  std::uint64_t output_changes(Picoseconds now);
  const SocInputs& inputs() const { return inputs_; }

  /// Time of the next edge that the present state requests; kNever while asleep with no timer
  /// armed.
  Picoseconds next_edge() const;
  /// Time of an output change that was run ahead of and is not visible yet; kNever otherwise.
  Picoseconds hidden_change() const { return hidden_change_; }

  /// Makes a fault of the core end the run, too. For programs without `stack_limit` (0) only
  /// exceptions do.
  void stop_at_faults(std::uint32_t stack_limit) { soc_.watch_faults(stack_limit); }
  const std::optional<CoreFault>& fault() const { return fault_; }

  /// Whether the firmware ended the run: no edges follow.
  bool exited() const { return exited_; }
  std::uint32_t exit_code() const { return exit_code_; }

  /// Edges that were evaluated, and how many of them reached the core and any of the blocks: the
  /// cost of the run.
  std::uint64_t evaluations() const { return evaluations_; }
  /// Edges that the core requested. Without gating it gets all, and the others change nothing.
  std::uint64_t core_edges() const { return core_edges_; }
  std::uint64_t io_edges() const { return io_edges_; }
  /// Number of the last edge that was run, -1 before the first.
  std::int64_t last_edge() const { return last_edge_; }

 private:
  void take_inputs(Picoseconds now, const SocInputs& changed);
  void reveal(Picoseconds now);
  void run_edge(Picoseconds at);
  ClockSet wanted(std::int64_t edge) const;
  void look(Picoseconds at, ClockSet edges);
  void tell_listener(const SocReport& report);
  void take_fault(Picoseconds at);

  Soc& soc_;
  SocListener* listener_;
  CoreWatcher* watcher_ = nullptr;
  bool gating_;

  SocInputs inputs_;
  ClockSet entries_ = 0;       // clocks with inputs that no edge has sampled yet
  std::int64_t earliest_ = 0;  // edges below this number cannot run any more: their time has passed
  std::int64_t last_edge_ = -1;
  SocClockState state_;

  SocOutputs visible_;
  SocOutputs computed_;
  Picoseconds hidden_change_ = kNever;
  std::uint64_t output_changes_ = 0;

  bool exited_ = false;
  std::uint32_t exit_code_ = 0;
  std::optional<CoreFault> fault_;
  std::uint64_t evaluations_ = 0;
  std::uint64_t core_edges_ = 0;
  std::uint64_t io_edges_ = 0;
};

}  // namespace headstack::soc
