// SPDX-License-Identifier: Apache-2.0
// A broken build, for tests: a suspended task that holds the bus resumes in its turn, after others
// that wait for the bus.
#define bus_holder_find_resumable honest_find_resumable
#include "firmware/transfer/bus_holder.c"
#undef bus_holder_find_resumable

uint32_t bus_holder_find_resumable(const struct bus_holder* bus);

uint32_t bus_holder_find_resumable(const struct bus_holder* bus) {
  for (uint32_t i = 0; i < bus->suspended_count; ++i) {
    const struct task* task = bus->suspended[i].task;
    const bool is_held_up = bus_holder_decides(bus) || task_set_suspends(bus->tasks, task);
    if (task_is_reported(task) || !is_held_up) return i;
  }
  return BUS_HOLDER_SUSPENDED_MAX;
}
