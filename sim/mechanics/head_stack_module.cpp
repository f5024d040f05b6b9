// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/head_stack_module.hpp"

#include <utility>

#include "sim/mechanics/spindle_module.hpp"

namespace headstack::mechanics {
namespace {

void notify_at(sc_core::sc_event& event, Picoseconds at, Picoseconds now) {
  event.cancel();
  if (at != kNever) event.notify(to_sc_time(at - now));
}

}  // namespace

HeadStackModule::HeadStackModule(sc_core::sc_module_name name, const PositioningModel& model,
                                 ArmFaults faults)
    : sc_module(name), stack_(model, std::move(faults)) {
  SC_METHOD(plan_wandering);
  sensitive << wandered_;
  dont_initialize();
}

Positioning HeadStackModule::move(std::uint32_t cylinder, std::uint32_t head, bool for_write) {
  const Positioning parts = stack_.move(now_ps(), cylinder, head, for_write);
  plan();
  return parts;
}

Positioning HeadStackModule::recalibrate() {
  const Positioning parts = stack_.recalibrate(now_ps());
  plan();
  return parts;
}

void HeadStackModule::plan() {
  const Picoseconds now = now_ps();
  notify_at(read_ready_, stack_.read_ready_at(), now);
  notify_at(write_ready_, stack_.write_ready_at(), now);
  notify_at(wandered_, stack_.leaves_at(), now);
}

/// Plans the return of heads that have left their track.
void HeadStackModule::plan_wandering() {
  const Picoseconds now = now_ps();
  if (now < stack_.returns_at()) notify_at(wandered_, stack_.returns_at(), now);
}

HeadStackState HeadStackModule::state() const { return stack_.state(now_ps()); }

}  // namespace headstack::mechanics
