// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/spindle_module.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::mechanics {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

}  // namespace

PulseGrid::Mark PulseGrid::at_or_after(std::uint64_t unwrapped) const {
  // Mark i of a turn is at first_mark + floor(i 2^32 / marks). The least i that has not passed is
  // ceil(angle * marks / 2^32). It is one less if the floor puts that mark at the angle.
  const auto into = static_cast<Turn32>(unwrapped - first_mark);
  const std::uint64_t base = unwrapped - into;  // unwrapped angle of mark 0 of this turn
  const auto angle_of = [this](std::uint64_t i) { return (i << 32) / marks; };
  std::uint64_t i = (std::uint64_t{into} * marks + (kTurn - 1)) >> 32;
  while (angle_of(i) < into) ++i;
  while (i > 0 && angle_of(i - 1) >= into) --i;
  return {base + angle_of(i), static_cast<std::uint32_t>(i % marks)};
}

PulseTrain::PulseTrain(sc_core::sc_module_name name, const Spindle& spindle)
    : sc_module(name), spindle_(spindle) {
  SC_METHOD(run);
  sensitive << wake_;
  dont_initialize();
}

void PulseTrain::join() {
  if (listeners_++ == 0) plan();
}

void PulseTrain::leave() {
  HEADSTACK_ASSERT(listeners_ > 0, "every leave() follows a join()");
  if (--listeners_ == 0) wake_.cancel();
}

void PulseTrain::set_grid(PulseGrid grid) {
  HEADSTACK_ASSERT(grid.marks > 0 && grid.marks < 65'536, "1 .. 65,535 marks");
  grid_ = grid;
  replan();
}

void PulseTrain::replan() {
  if (listeners_ > 0) plan();
}

void PulseTrain::plan() {
  wake_.cancel();
  const Picoseconds now = now_ps();
  if (spindle_.state(now) == Spindle::State::kStopped) return;  // a mark pulses in passing only
  next_ = grid_.at_or_after(std::max(spindle_.unwrapped(now), unpulsed_from_));
  // There is no time when the spindle comes to rest before the mark.
  if (const auto at = spindle_.when(now, next_.unwrapped)) wake_.notify(to_sc_time(*at - now));
}

void PulseTrain::run() {
  mark_ = next_.number;
  unpulsed_from_ = next_.unwrapped + 1;
  ++pulse_count_;
  pulse_.notify();
  plan();
}

SpindleModule::SpindleModule(sc_core::sc_module_name name, const Spindle& spindle)
    : sc_module(name), index("index", spindle_), sectors("sectors", spindle_), spindle_(spindle) {
  SC_METHOD(finish_ramp);
  sensitive << ramp_done_;
  dont_initialize();
  SC_METHOD(motor_changes);
  sensitive << motor_due_;
  dont_initialize();
  plan_motor();
}

void SpindleModule::plan_motor() {
  if (const auto at = spindle_.next_change()) motor_due_.notify(to_sc_time(*at - now_ps()));
}

void SpindleModule::motor_changes() {
  spindle_.change(now_ps());
  motion_changed();
  plan_motor();
  changed_by_itself_.notify();
}

bool SpindleModule::start() {
  const bool fails = spindle_.start(now_ps());
  motion_changed();
  return fails;
}

void SpindleModule::stop() {
  spindle_.stop(now_ps());
  motion_changed();
}

void SpindleModule::motion_changed() {
  ramp_done_.cancel();
  const Picoseconds now = now_ps();
  // A start that fails ends its ramp, too, and changes no level.
  ramp_done_.notify(to_sc_time(spindle_.ramp_end(now).value_or(now) - now));
  index.replan();
  sectors.replan();
}

void SpindleModule::finish_ramp() {
  switch (state()) {
    case Spindle::State::kAtSpeed: at_speed_.notify(); return;
    case Spindle::State::kStopped: at_rest_.notify(); return;
    case Spindle::State::kSpinningUp:
    case Spindle::State::kSpinningDown: return;
  }
}

Spindle::State SpindleModule::state() const { return spindle_.state(now_ps()); }
Turn32 SpindleModule::angle() const { return spindle_.angle(now_ps()); }

}  // namespace headstack::mechanics
