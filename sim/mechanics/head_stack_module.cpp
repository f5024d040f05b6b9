#include "sim/mechanics/head_stack_module.hpp"

#include "sim/mechanics/spindle_module.hpp"

namespace headstack::mechanics {

HeadStackModule::HeadStackModule(sc_core::sc_module_name name, const PositioningModel& model)
    : sc_module(name), stack_(model) {}

void HeadStackModule::move(std::uint32_t cylinder, std::uint32_t head) {
  const Picoseconds now = now_ps();
  stack_.move(now, cylinder, head);
  read_ready_.cancel();
  write_ready_.cancel();
  read_ready_.notify(to_sc_time(stack_.read_ready_at() - now));
  write_ready_.notify(to_sc_time(stack_.write_ready_at() - now));
}

HeadStackState HeadStackModule::state() const { return stack_.state(now_ps()); }

}  // namespace headstack::mechanics
