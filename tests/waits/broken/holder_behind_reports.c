// SPDX-License-Identifier: Apache-2.0
// A broken build, for tests: a task that holds the bus waits for a reported write, and the media
// work only for the holder.
#define bus_holder_next honest_next
#include "firmware/transfer/bus_holder.c"
#undef bus_holder_next

struct task* bus_holder_next(struct bus_holder* bus);

struct task* bus_holder_next(struct bus_holder* bus) {
  return bus->task->state == TASK_ENABLED ? bus->task : NULL;
}
