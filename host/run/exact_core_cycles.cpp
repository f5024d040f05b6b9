#include "host/run/exact_core_cycles.hpp"

namespace headstack::run {

ExactCoreCycles::ExactCoreCycles(tlm::ExactCore& core, soc::CoreWatcher& watcher)
    : core_(core), watcher_(watcher) {
  core.hart().watch(this);
}

/// Where the core slept, it did so right behind the instruction before.
void ExactCoreCycles::retired(std::uint32_t pc, core::Cycle at) {
  const std::int64_t asleep = core_.cycles_asleep();
  shown_ += asleep - asleep_;
  asleep_ = asleep;
  soc::CoreActivity awake;
  awake.core_edge = true;
  while (++shown_ < at) watcher_.core_cycle(static_cast<std::uint64_t>(shown_), awake);
  awake.retirement = {true, pc};
  watcher_.core_cycle(static_cast<std::uint64_t>(at), awake);
}

}  // namespace headstack::run
