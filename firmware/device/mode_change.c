// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/mode_change.h"
#include "firmware/transfer/host_events.h"

void mode_change_note(struct device* device, uint8_t initiator) {
  struct mode_change* change = &device->change;
  change->initiator = initiator;
  change->before = device->unit.modes;
  change->owned = device->unit.durations[initiator];
}

void mode_change_await(struct device* device, const struct task* task, bool is_shared) {
  device->change.task = task;
  device->change.is_shared = is_shared;
}

void mode_change_undo(struct device* device) {
  struct mode_change* change = &device->change;
  change->task = NULL;
  device->unit.modes = change->before;
  device->unit.durations[change->initiator] = change->owned;
}

void mode_change_take_effect(struct device* device) {
  struct mode_change* change = &device->change;
  change->task = NULL;
  if (!change->is_shared) return;
  device_report_modes_changed(device, change->initiator);
  host_modes_changed(device->target);
}
