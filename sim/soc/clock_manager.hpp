/// @file
/// Gives the SoC its clock inside a SystemC simulation, without an event per cycle.
///
/// The rules of what is seen when are SocClock's. This module chooses when to run the edges: while
/// the kernel has nothing to do at the current time, in a plain loop up to its next pending
/// activity or the SoC's next output change; else one by one at their times. Asleep, it has no
/// event pending but the timer's.
///
/// Calls may come from any process at any time and in any order; only their time counts. The
/// kernel's resolution must be its default, 1 ps.
///
/// Bounds: the SoC runs at most kLeadPs ahead of the kernel. It cannot know where a bare
/// sc_start(duration) will end; between two calls of run_until() inputs may change, too.
#pragma once

#include <cstdint>
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

  /// Changes inputs now: `manager.change([&](SocInputs& in) { in.at_speed = true; })`. Nothing once
  /// firmware has ended the run: no edge comes any more that could take them.
  template <class Edit>
  void change(Edit&& edit) {
    if (clock_.exited()) return;
    const Picoseconds at = now();
    clock_.change(at, std::forward<Edit>(edit));
    // Behind all that the present processes change; then as far ahead as nothing else is to come.
    wake_.set(at, at);
  }
  /// A pulse, taken by the next edge. Two of a kind between two edges are a bug of the world,
  /// asserted.
  void pulse_sector();
  void pulse_index();
  void strobe_byte(std::uint8_t nrz);

  /// Where bytes may be had before their time; null for nowhere. Must outlive the manager.
  void read_ahead(BytesAhead* bytes) { bytes_ = bytes; }

  /// As of now: those of the last edge at or before it.
  const SocOutputs& outputs() { return clock_.outputs(now()); }
  /// Notified, one delta later, at the time of each edge that changes outputs().
  const sc_core::sc_event& outputs_changed() const { return outputs_changed_; }
  /// Notified when firmware ends the run.
  const sc_core::sc_event& exited() const { return exited_; }
  /// Set from exited() on.
  std::optional<std::uint32_t> exit_code() const { return exit_code_; }

  /// sc_start() up to and with a point in time; the SoC does not run past it.
  void run_until(Picoseconds time);

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

  /// An event and when it is due. To bring it forward is expensive: the kernel keeps what was
  /// cancelled until its time has come.
  struct Wake {
    sc_core::sc_event event;
    Picoseconds at = SocClock::kNever;

    void set(Picoseconds time, Picoseconds now);
    void passed(Picoseconds now);
  };

  SocClock clock_;
  BytesAhead* bytes_ = nullptr;
  Wake wake_;   // within kLeadPs
  Wake alarm_;  // farther away: a timer, which stands while wake_ comes and goes
  sc_core::sc_event outputs_changed_;
  sc_core::sc_event exited_;
  Picoseconds horizon_ = SocClock::kNever;  // where sc_start() returns, if known
  std::uint64_t announced_ = 0;
  std::optional<std::uint32_t> exit_code_;
};

}  // namespace headstack::soc
