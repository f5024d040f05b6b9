// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/device.h"

#define FILE_ID FILE_ID_DEVICE
#include "firmware/kernel/assert.h"

STATIC_ASSERT(TASK_SET_INITIATORS == UNIT_INITIATORS, "one row per id");
STATIC_ASSERT(SENSE_CODE_COUNT <= TASK_SENSE_CODES_MAX, "a task's sense fits");

void device_init(struct device* device, struct target* target, const struct unit_config* config,
                 struct task_set* tasks) {
  struct unit* unit = &device->unit;
  device->target = target;
  device->tasks = tasks;
  device->stopping = NULL;
  device->purge = (struct purge){0};
  device->defect_cursor = (struct defect_cursor){0, 0, 0};
  device->reserved_by = DEVICE_NOT_RESERVED;
  device->unit.is_corrupt = false;
  unit->config = config;
  unit->not_ready = SENSE_START_REQUIRED;
  unit->maintenance.task = NULL;
  for (uint32_t i = 0; i < UNIT_INITIATORS; ++i) {
    nexus_init(&device->nexus[i]);
    device->nexus[i].lost_first = device->nexus[i].lost_last = TASK_NONE;
    nexus_raise_attention(&device->nexus[i], SENSE_POWER_ON_OR_RESET);
    duration_pages_init(&unit->durations[i]);
    duration_counts_clear(&unit->duration_counts[i]);
  }
  mode_pages_init(&unit->modes, config);
}

void device_restrict_reordering(struct device* device) {
  struct mode_caching caching;
  mode_pages_caching(&device->unit.modes, &caching);
  task_set_restrict(device->tasks,
                    caching.writes || !mode_unrestricted_reordering(&device->unit.modes));
}

static void raise_for_others(struct device* device, uint8_t initiator, enum sense_code code) {
  for (uint8_t other = 0; other < UNIT_INITIATORS; ++other) {
    if (other != initiator) nexus_raise_attention(&device->nexus[other], code);
  }
}

void device_report_medium_changed(struct device* device, uint8_t initiator) {
  raise_for_others(device, initiator, SENSE_MEDIUM_MAY_HAVE_CHANGED);
}

void device_report_modes_changed(struct device* device, uint8_t initiator) {
  raise_for_others(device, initiator, SENSE_MODE_PARAMETERS_CHANGED);
}
