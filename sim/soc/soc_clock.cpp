#include "sim/soc/soc_clock.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::soc {

SocClock::SocClock(Soc& soc, SocListener* listener, bool gating)
    : soc_(soc), listener_(listener), gating_(gating) {
  soc_.set_inputs(inputs_);
  state_ = soc_.clock_state();
  visible_ = computed_ = soc_.outputs();
}

Picoseconds SocClock::next_edge() const {
  if (exited_) return kNever;
  const std::int64_t next = std::max(last_edge_ + 1, earliest_);
  if (!gating_ || state_.core_request || state_.io_request || inputs_dirty_)
    return next * kClockPeriodPs;
  if (!state_.timer_armed) return kNever;
  // A due time that no simulation reaches is no wake-up; it must not overflow either.
  constexpr auto kLastEdge = static_cast<std::uint64_t>(kNever / kClockPeriodPs);
  if (state_.timer_due >= kLastEdge) return kNever;
  return std::max(next, static_cast<std::int64_t>(state_.timer_due)) * kClockPeriodPs;
}

void SocClock::advance_to(Picoseconds time) {
  reveal(time);
  for (Picoseconds edge = next_edge(); edge <= time && edge != kNever; edge = next_edge()) {
    run_edge();
    reveal(time);
  }
}

void SocClock::run_ahead(Picoseconds limit) {
  while (hidden_change_ == kNever) {
    const Picoseconds edge = next_edge();
    if (edge > limit || edge == kNever) return;
    run_edge();
  }
}

void SocClock::take_inputs(Picoseconds now, const SocInputs& changed) {
  if (changed == inputs_) return;
  HEADSTACK_ASSERT(last_edge_ * kClockPeriodPs <= now,
                   "the SoC was run past the time at which an input changes");
  if (watcher_ != nullptr) watcher_->time_passes(now);
  inputs_ = changed;
  inputs_dirty_ = true;
  earliest_ = now / kClockPeriodPs + 1;
  soc_.set_inputs(inputs_);
}

const SocOutputs& SocClock::outputs(Picoseconds now) {
  advance_to(now);
  return visible_;
}

std::uint64_t SocClock::output_changes(Picoseconds now) {
  advance_to(now);
  return output_changes_;
}

void SocClock::reveal(Picoseconds now) {
  if (hidden_change_ > now) return;
  visible_ = computed_;
  hidden_change_ = kNever;
  ++output_changes_;
}

ClockEdge SocClock::wanted(std::int64_t edge) const {
  if (!gating_) return {};
  const bool timer = state_.timer_armed && state_.timer_due <= static_cast<std::uint64_t>(edge);
  return {state_.core_request, state_.io_request || inputs_dirty_ || timer};
}

void SocClock::run_edge() {
  const Picoseconds at = next_edge();
  last_edge_ = at / kClockPeriodPs;
  const ClockEdge clocks = wanted(last_edge_);
  if (watcher_ != nullptr) watcher_->time_passes(at);
  soc_.step(static_cast<std::uint64_t>(last_edge_), clocks);
  ++evaluations_;
  if (clocks.core) ++core_edges_;
  if (watcher_ != nullptr) {
    CoreActivity activity = soc_.activity();
    activity.core_edge = state_.core_request;
    watcher_->core_cycle(static_cast<std::uint64_t>(last_edge_), activity);
  }
  state_ = soc_.clock_state();
  if (clocks.io) look(at);
}

/// Behind an edge of the blocks' clock.
void SocClock::look(Picoseconds at) {
  ++io_edges_;
  inputs_dirty_ = false;
  if (inputs_.byte_strobe || inputs_.sector_pulse || inputs_.index_pulse) {
    inputs_.byte_strobe = inputs_.sector_pulse = inputs_.index_pulse = false;
    // No edge is needed for this: the one behind a pulse comes anyway.
    soc_.set_inputs(inputs_);
  }
  const SocReport report = soc_.report();
  if (report.event_valid || report.console_valid || report.exit_valid) tell_listener(report);
  const SocOutputs outputs = soc_.outputs();
  if (outputs != computed_ || exited_) {
    computed_ = outputs;
    hidden_change_ = at;
  }
}

void SocClock::tell_listener(const SocReport& report) {
  const auto edge = static_cast<std::uint64_t>(last_edge_);
  if (listener_ != nullptr && report.event_valid) {
    listener_->firmware_event(edge, report.event_number, report.event_argument);
  }
  if (listener_ != nullptr && report.console_valid) {
    listener_->console(edge, static_cast<char>(report.console_character));
  }
  if (report.exit_valid) {
    exited_ = true;
    exit_code_ = report.exit_code;
  }
}

}  // namespace headstack::soc
