/// @file
/// Which clock edges the SoC gets, and what the world sees of them: the clock gate, without a
/// kernel.
///
/// Edge n is at n * kClockPeriodPs. The rules, which hold with and without gating and make the two
/// alike:
///
/// - An edge sees the inputs as they were strictly before it: a change at the very time of an edge
/// is
///   seen by the next. So edges up to and with `now` are run before an input changes.
/// - Outputs are those of the last edge at or before `now`, whoever asks, in whatever order.
/// - Gating leaves out only edges that change nothing, for each clock of the SoC apart. With none
///   asked for, it waits for an input to change or for the timer. The next edge is the first one
///   behind the change, or the one at which the timer is due.
///
/// An edge may be run before its time when nothing can change an input until then; its outputs stay
/// hidden until their time has come. Running further than that is the caller's bug, and asserted.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/soc/soc.hpp"
#include "sim/units.hpp"

namespace headstack::soc {

/// Hears what firmware reports, in the order of edges, perhaps before its time in the kernel: it
/// notes, and must not act on the world.
class SocListener {
 public:
  virtual ~SocListener() = default;
  virtual void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
    (void)edge, (void)number, (void)argument;
  }
  virtual void console(std::uint64_t edge, char character) { (void)edge, (void)character; }
};

/// Sees what the SoC does, edge by edge; the inspecting build only. It must not act on the world.
class CoreWatcher {
 public:
  virtual ~CoreWatcher() = default;
  /// Before every edge that is run, and before every change of an input, with its time: until then
  /// the SoC stands as it is. Times never decrease.
  virtual void time_passes(Picoseconds until) { (void)until; }
  /// Behind every edge that was run.
  virtual void core_cycle(std::uint64_t edge, const CoreActivity& activity) = 0;
};

class SocClock {
 public:
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  /// `soc` just out of reset, no edge given yet. Both must outlive the clock; `listener` may be
  /// null.
  SocClock(Soc& soc, SocListener* listener, bool gating);

  /// From the next edge on; null for nobody. Must outlive the clock or be taken back.
  void watch_core(CoreWatcher* watcher) { watcher_ = watcher; }

  /// Runs every wanted edge at or before `time`.
  void advance_to(Picoseconds time);
  /// Runs wanted edges at or before `limit`, but none behind one whose outputs the world must see.
  void run_ahead(Picoseconds limit);

  /// Changes inputs at `now`: `edit` gets the SocInputs to change.
  template <class Edit>
  void change(Picoseconds now, Edit&& edit) {
    advance_to(now);
    SocInputs changed = inputs_;
    edit(changed);
    take_inputs(now, changed);
  }

  /// As of `now`.
  const SocOutputs& outputs(Picoseconds now);
  /// Changes of the outputs up to `now`, counted.
  std::uint64_t output_changes(Picoseconds now);
  const SocInputs& inputs() const { return inputs_; }

  /// Time of the next edge that is wanted, as things stand; kNever while asleep with nothing due.
  Picoseconds next_edge() const;
  /// Time of an output change that was run ahead of and is not visible yet; kNever otherwise.
  Picoseconds hidden_change() const { return hidden_change_; }

  /// Firmware ended the run: no more edges.
  bool exited() const { return exited_; }
  std::uint32_t exit_code() const { return exit_code_; }

  /// Edges that were evaluated, and how many of them reached the core and any of the blocks: what
  /// the run costs.
  std::uint64_t evaluations() const { return evaluations_; }
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

  Soc& soc_;
  SocListener* listener_;
  CoreWatcher* watcher_ = nullptr;
  bool gating_;

  SocInputs inputs_;
  ClockSet entries_ = 0;       // that have inputs to take in which no edge has seen yet
  std::int64_t earliest_ = 0;  // no edge below this number any more: that time has passed
  std::int64_t last_edge_ = -1;
  SocClockState state_;

  SocOutputs visible_;
  SocOutputs computed_;
  Picoseconds hidden_change_ = kNever;
  std::uint64_t output_changes_ = 0;

  bool exited_ = false;
  std::uint32_t exit_code_ = 0;
  std::uint64_t evaluations_ = 0;
  std::uint64_t core_edges_ = 0;
  std::uint64_t io_edges_ = 0;
};

}  // namespace headstack::soc
