// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/clock_manager.hpp"

#include "sim/kernel_time.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::soc {
namespace {

void strobe(SocInputs& in, std::uint8_t nrz) {
  HEADSTACK_ASSERT(!in.byte_strobe, "two bytes between two clock edges");
  in.byte_strobe = true;
  in.nrz = nrz;
}

}  // namespace

ClockManager::ClockManager(sc_core::sc_module_name name, Soc& soc, SocListener* listener,
                           bool gating)
    : sc_module(name), clock_(soc, listener, gating) {
  SC_METHOD(run);
  sensitive << wake_.event << alarm_.event;
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
  change([nrz](SocInputs& in) { strobe(in, nrz); });
}

void ClockManager::run() {
  const Picoseconds time = now();
  wake_.passed(time);
  alarm_.passed(time);
  announce(time);
  plan(time);
}

/// Runs the edges up to now, and notifies the events for changes of the outputs.
void ClockManager::announce(Picoseconds now) {
  const std::uint64_t changes = clock_.output_changes(now);
  if (changes == announced_) return;
  announced_ = changes;
  outputs_changed_.notify(sc_core::SC_ZERO_TIME);
  if (clock_.exited() && !exit_code_) {
    exit_code_ = clock_.exit_code();
    exited_.notify(sc_core::SC_ZERO_TIME);
  }
}

/// Runs ahead until other events may interfere, and sets the wake-up for the next activity.
void ClockManager::plan(Picoseconds now) {
  if (!sc_core::sc_pending_activity_at_current_time()) run_ahead(now);
  const Picoseconds time = std::min(clock_.hidden_change(), clock_.next_edge());
  if (time == SocClock::kNever) return;
  (time <= now + kLeadPs ? wake_ : alarm_).set(time, now);
}

void ClockManager::run_ahead(Picoseconds now) {
  clock_.run_ahead(limit(now));
  if (bytes_ == nullptr || clock_.hidden_change() != SocClock::kNever || clock_.exited()) return;
  // A byte is passed ahead only if it is the kernel's next event.
  const std::optional<Picoseconds> next = bytes_->next_byte();
  if (!next || *next != limit(now)) return;
  bytes_->take_over();
  pass_bytes(now);
  bytes_->give_back();
  clock_.run_ahead(limit(now));
}

/// The time until which no event that the SoC could sample is due.
Picoseconds ClockManager::limit(Picoseconds now) const {
  const Picoseconds lead = std::min({now + kLeadPs, horizon_, pause_at_});
  if (!sc_core::sc_pending_activity_at_future_time()) return lead;
  return std::min(lead,
                  now + static_cast<Picoseconds>(sc_core::sc_time_to_pending_activity().value()));
}

/// Passes bytes, with the edges between them, until an output changes or another event is due.
void ClockManager::pass_bytes(Picoseconds now) {
  const Picoseconds others = limit(now);
  std::optional<Picoseconds> next = bytes_->next_byte();
  while (next && *next < others) {
    clock_.change(*next, [this](SocInputs& in) { strobe(in, bytes_->pass_byte_ahead()); });
    next = bytes_->next_byte();
    if (!next) return;
    clock_.run_ahead(std::min(*next, others));
    if (clock_.hidden_change() != SocClock::kNever || clock_.exited()) return;
  }
}

/// Sets a wake-up; one that comes too early does no harm. A notification for the next delta cycle
/// may be pending after its time, if the other wake-up ran the manager first. It would displace
/// this one: of two notifications of an event the kernel keeps the earlier (IEEE 1666-2011,
/// 5.10.8).
void ClockManager::Wake::set(Picoseconds time, Picoseconds now) {
  if (time >= at) return;
  at = time;
  event.cancel();
  event.notify(to_sc_time(time - now));
}

void ClockManager::Wake::passed(Picoseconds now) {
  if (at <= now) at = SocClock::kNever;
}

void ClockManager::pause_at(Picoseconds time) {
  // The pause follows all events of that time, as no clock edge is at the next picosecond.
  pause_at_ = time + 1;
  if (horizon_ == SocClock::kNever || pause_at_ >= horizon_) return;
  // The kernel runs to a later time: it has to begin again.
  interrupted_ = true;
  sc_core::sc_pause();
}

void ClockManager::run_until(Picoseconds time) {
  HEADSTACK_ASSERT(time >= now(), "time runs forward");
  do {
    horizon_ = std::min(pause_at_, time);
    if (horizon_ >= now()) sc_core::sc_start(to_sc_time(horizon_ - now()));
    horizon_ = SocClock::kNever;
    if (std::exchange(interrupted_, false) && now() == time) finish_time();
    if (now() < pause_at_) continue;
    pause_at_ = SocClock::kNever;
    pause_action_();
  } while (now() < time);
}

/// Runs the delta cycles that sc_pause() has left, and that sc_start() would have run.
void ClockManager::finish_time() {
  while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace headstack::soc
