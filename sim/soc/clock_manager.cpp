#include "sim/soc/clock_manager.hpp"

#include "sim/kernel_time.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::soc {
ClockManager::ClockManager(sc_core::sc_module_name name, Soc& soc, SocListener* listener,
                           bool gating)
    : sc_module(name), clock_(soc, listener, gating) {
  SC_METHOD(run);
  sensitive << wake_;
}

Picoseconds ClockManager::now() {
  return static_cast<Picoseconds>(sc_core::sc_time_stamp().value());
}

void ClockManager::pulse_sector() {
  change([](SocInputs& in) {
    HEADSTACK_ASSERT(!in.sector_pulse, "two sector pulses between two clock edges");
    in.sector_pulse = true;
  });
}

void ClockManager::pulse_index() {
  change([](SocInputs& in) {
    HEADSTACK_ASSERT(!in.index_pulse, "two index pulses between two clock edges");
    in.index_pulse = true;
  });
}

void ClockManager::strobe_byte(std::uint8_t nrz) {
  change([nrz](SocInputs& in) {
    HEADSTACK_ASSERT(!in.byte_strobe, "two bytes between two clock edges");
    in.byte_strobe = true;
    in.nrz = nrz;
  });
}

void ClockManager::run() {
  planned_ = SocClock::kNever;
  clock_.advance_to(now());
  announce();
  plan();
}

void ClockManager::announce() {
  const std::uint64_t changes = clock_.output_changes(now());
  if (changes == announced_) return;
  announced_ = changes;
  outputs_changed_.notify(sc_core::SC_ZERO_TIME);
  if (clock_.exited() && !exit_code_) {
    exit_code_ = clock_.exit_code();
    exited_.notify(sc_core::SC_ZERO_TIME);
  }
}

/// Runs ahead as far as nothing can interfere, and comes back when there is something to do.
void ClockManager::plan() {
  if (!sc_core::sc_pending_activity_at_current_time()) {
    Picoseconds limit = std::min(now() + kLeadPs, horizon_);
    if (sc_core::sc_pending_activity_at_future_time()) {
      limit = std::min(
          limit, now() + static_cast<Picoseconds>(sc_core::sc_time_to_pending_activity().value()));
    }
    clock_.run_ahead(limit);
  }
  plan_edge();
}

void ClockManager::plan_edge() { wake_at(std::min(clock_.hidden_change(), clock_.next_edge())); }

void ClockManager::wake_at(Picoseconds time) {
  if (time >= planned_) return;
  planned_ = time;
  wake_.notify(to_sc_time(time - now()));
}

void ClockManager::run_until(Picoseconds time) {
  HEADSTACK_ASSERT(time >= now(), "time runs forward");
  horizon_ = time;
  sc_core::sc_start(to_sc_time(time - now()));
  horizon_ = SocClock::kNever;
}

}  // namespace headstack::soc
