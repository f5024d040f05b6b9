// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/blocks/timer.hpp"

#include <algorithm>

#include "sim/tlm/kernel/clock.hpp"

namespace headstack::tlm {

Timer::Timer(Agenda& agenda, InterruptSink& interrupts)
    : agenda_(agenda), interrupts_(interrupts), due_(agenda, [this] { set_level(true); }) {}

timer_regs::TimeLo Timer::on_read_time_lo() const {
  return {static_cast<std::uint32_t>(edge_number(agenda_.now()))};
}

timer_regs::TimeHi Timer::on_read_time_hi() const {
  return {static_cast<std::uint32_t>(edge_number(agenda_.now()) >> 32)};
}

timer_regs::Status Timer::on_read_status() const {
  return timer_regs::Status().set_expired(ctrl().enable() &&
                                          edge_number(agenda_.now()) >= compare());
}

std::uint64_t Timer::compare() const {
  return std::uint64_t{compare_hi().value()} << 32 | compare_lo().value();
}

void Timer::update() {
  due_.cancel();
  const std::uint64_t next_edge = edge_number(agenda_.now()) + 1;
  const std::uint64_t edge = std::max(compare(), next_edge);
  const bool expires = ctrl().enable();
  // A high level stays if it still holds at the next edge.
  if (!expires || edge > next_edge) set_level(false);
  if (!expires || level_) return;
  // A time beyond the range of times never comes.
  if (edge <= edge_number(Agenda::kNever)) due_.set(clocks(static_cast<std::int64_t>(edge)));
}

void Timer::set_level(bool level) {
  if (level == level_) return;
  level_ = level;
  interrupts_.interrupt_level(kLineTimer, level);
}

}  // namespace headstack::tlm
