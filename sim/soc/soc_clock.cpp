// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/soc_clock.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::soc {
namespace {

/// C/D, MSG and REQ of scsi_pkg::pins_t.
constexpr std::uint32_t kTargetDrives = 1U << 6 | 1U << 4 | 1U << 3;

/// The clocks that sample the inputs which have changed, as the head of soc_top.sv says.
ClockSet entries_of(const SocInputs& before, const SocInputs& now) {
  ClockSet entries = 0;
  if ((now.scsi ^ before.scsi) & ~kTargetDrives) entries |= clocks::kPins;
  if (now.byte_strobe || now.sector_pulse) entries |= clocks::kMedia;
  const bool levels = now.read_ready != before.read_ready ||
                      now.write_ready != before.write_ready || now.at_speed != before.at_speed ||
                      now.at_rest != before.at_rest || now.write_fault != before.write_fault;
  if (levels || now.index_pulse) entries |= clocks::kRegs;
  return entries;
}

}  // namespace

SocClock::SocClock(Soc& soc, SocListener* listener, bool gating)
    : soc_(soc), listener_(listener), gating_(gating) {
  soc_.set_inputs(inputs_);
  state_ = soc_.clock_state();
  visible_ = computed_ = soc_.outputs();
}

Picoseconds SocClock::next_edge() const {
  if (exited_) return kNever;
  const std::int64_t next = std::max(last_edge_ + 1, earliest_);
  if (!gating_ || (state_.requests | entries_) != 0) return next * kClockPeriodPs;
  if (!state_.timer_armed) return kNever;
  // A due time that no simulation reaches is no wake-up, and it must not overflow.
  constexpr auto kLastEdge = static_cast<std::uint64_t>(kNever / kClockPeriodPs);
  if (state_.timer_due >= kLastEdge) return kNever;
  return std::max(next, static_cast<std::int64_t>(state_.timer_due)) * kClockPeriodPs;
}

void SocClock::advance_to(Picoseconds time) {
  reveal(time);
  for (Picoseconds edge = next_edge(); edge <= time && edge != kNever; edge = next_edge()) {
    run_edge(edge);
    reveal(time);
  }
}

void SocClock::run_ahead(Picoseconds limit) {
  while (hidden_change_ == kNever) {
    const Picoseconds edge = next_edge();
    if (edge > limit || edge == kNever) return;
    run_edge(edge);
  }
}

void SocClock::take_inputs(Picoseconds now, const SocInputs& changed) {
  if (changed == inputs_) return;
  HEADSTACK_ASSERT(last_edge_ * kClockPeriodPs <= now,
                   "the SoC was run past the time at which an input changes");
  if (watcher_ != nullptr) watcher_->time_passes(now);
  entries_ |= entries_of(inputs_, changed);
  inputs_ = changed;
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

ClockSet SocClock::wanted(std::int64_t edge) const {
  if (!gating_) return clocks::kAll;
  const bool timer = state_.timer_armed && state_.timer_due <= static_cast<std::uint64_t>(edge);
  return state_.requests | entries_ | (timer ? clocks::kRegs : 0);
}

void SocClock::run_edge(Picoseconds at) {
  last_edge_ = at / kClockPeriodPs;
  const ClockSet edges = wanted(last_edge_);
  if (watcher_ != nullptr) watcher_->time_passes(at);
  if (((state_.requests | entries_) & clocks::kCore) != 0) ++core_edges_;
  const bool has_failed = soc_.step(static_cast<std::uint64_t>(last_edge_), edges);
  ++evaluations_;
  if (watcher_ != nullptr) {
    CoreActivity activity = soc_.activity();
    activity.core_edge = (state_.requests & clocks::kCore) != 0;
    watcher_->core_cycle(static_cast<std::uint64_t>(last_edge_), activity);
  }
  state_ = soc_.clock_state();
  if (edges & clocks::kBlocks) look(at, edges);
  if (has_failed) take_fault(at);
}

/// Ends the run because of a fault, as the test device would.
void SocClock::take_fault(Picoseconds at) {
  fault_ = soc_.fault();
  exited_ = true;
  exit_code_ = exit_code_of(*fault_);
  hidden_change_ = at;
}

/// Handles an edge of any of the blocks' clocks.
void SocClock::look(Picoseconds at, ClockSet edges) {
  ++io_edges_;
  entries_ = 0;
  if (inputs_.byte_strobe || inputs_.sector_pulse || inputs_.index_pulse) {
    inputs_.byte_strobe = inputs_.sector_pulse = inputs_.index_pulse = false;
    // The fall needs no edge: the edge after a pulse comes anyway.
    soc_.set_inputs(inputs_);
  }
  if (edges & clocks::kRegs) tell_listener(soc_.report());
  // The pins' input register alone does not change any output.
  if ((edges & clocks::kBlocks) == clocks::kPins) return;
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
