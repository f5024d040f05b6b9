// SPDX-License-Identifier: Apache-2.0
/// @file
/// Gives the SoC its clock inside a SystemC simulation, without an event per cycle.
///
/// SocClock defines which edge samples which input. This module chooses when to run the edges. If
/// the kernel has nothing to do at the current time, a plain loop runs them. The loop ends at the
/// kernel's next pending activity or at the SoC's next output change. Otherwise they run one by one
/// at their times. While the SoC sleeps, only the timer's event is pending.
///
/// Calls may come from any process, at any time and in any order; only their time matters. The
/// kernel's resolution must be its default, 1 ps.
///
/// Bounds: the SoC runs at most kLeadPs ahead of the kernel. The end of a bare sc_start(duration)
/// is unknown to it; between two calls of run_until() inputs may change, too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <utility>

#include "sim/soc/bytes_ahead.hpp"
#include "sim/soc/soc_clock.hpp"

namespace headstack::soc {

class ClockManager : public sc_core::sc_module {
 public:
  /// One kernel event per 1,000 cycles costs less than a thousandth of them.
  static constexpr Picoseconds kLeadPs = 1'000 * kClockPeriodPs;

  ClockManager(sc_core::sc_module_name name, Soc& soc, SocListener* listener, bool gating);

  /// Changes inputs now: `manager.change([&](SocInputs& in) { in.at_speed = true; })`. Does nothing
  /// once the firmware has ended the run: no edge follows that could sample the inputs.
  template <class Edit>
  void change(Edit&& edit) {
    if (clock_.exited()) return;
    const Picoseconds at = now();
    clock_.change(at, std::forward<Edit>(edit));
    // Runs after all changes by the present processes; then as far ahead as no other event is
    // pending.
    wake_.set(at, at);
  }
  /// Gives the SoC a pulse, which the next edge samples. Two pulses of a kind between two edges are
  /// a bug of the caller, and asserted.
  void pulse_sector();
  void pulse_index();
  void strobe_byte(std::uint8_t nrz);

  /// Sets the source of bytes before their time, or null. It must outlive the manager.
  void read_ahead(BytesAhead* bytes) { bytes_ = bytes; }

  /// The outputs at this time: those of the last edge at or before it.
  const SocOutputs& outputs() { return clock_.outputs(now()); }
  /// Notified, one delta later, at the time of each edge that changes outputs().
  const sc_core::sc_event& outputs_changed() const { return outputs_changed_; }
  /// Notified when firmware ends the run.
  const sc_core::sc_event& exited() const { return exited_; }
  /// The exit code, from exited() on.
  std::optional<std::uint32_t> exit_code() const { return exit_code_; }

  /// Runs like sc_start(), up to and including a time; the SoC does not run past it.
  void run_until(Picoseconds time);
  /// Sets the `action` that is called, once, when the kernel has come past the time of the last
  /// pause_at(), and no further. The kernel stops there by itself: an event of its own could change
  /// the order of others. Any process may call pause_at(), also while run_until() is under way.
  void on_pause(std::function<void()> action) { pause_action_ = std::move(action); }
  void pause_at(Picoseconds time);

  /// See SocClock::stop_at_faults().
  void stop_at_faults(std::uint32_t stack_limit) { clock_.stop_at_faults(stack_limit); }

  /// See SocClock::watch_core().
  void watch_core(CoreWatcher* watcher) { clock_.watch_core(watcher); }

  /// The clock itself, for its counters.
  const SocClock& clock() const { return clock_; }

 private:
  SC_HAS_PROCESS(ClockManager);
  static Picoseconds now();
  void run();
  void announce(Picoseconds now);
  void plan(Picoseconds now);
  void run_ahead(Picoseconds now);
  Picoseconds limit(Picoseconds now) const;
  void pass_bytes(Picoseconds now);
  static void finish_time();

  /// An event and its time. Moving it forward is expensive: the kernel keeps a cancelled event
  /// until its time.
  struct Wake {
    sc_core::sc_event event;
    Picoseconds at = SocClock::kNever;

    void set(Picoseconds time, Picoseconds now);
    void passed(Picoseconds now);
  };

  SocClock clock_;
  BytesAhead* bytes_ = nullptr;
  Wake wake_;   // event within kLeadPs
  Wake alarm_;  // timer for events farther away, which stays set while wake_ is set and cancelled
  sc_core::sc_event outputs_changed_;
  sc_core::sc_event exited_;
  Picoseconds horizon_ = SocClock::kNever;  // time at which sc_start() returns, if known
  Picoseconds pause_at_ = SocClock::kNever;
  std::function<void()> pause_action_;
  bool interrupted_ = false;  // whether sc_pause() interrupted the run
  std::uint64_t announced_ = 0;
  std::optional<std::uint32_t> exit_code_;
};

}  // namespace headstack::soc
