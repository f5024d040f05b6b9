// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/scsi_state.h"

#define FILE_ID FILE_ID_SCSI_STATE
#include "firmware/kernel/assert.h"
#include "firmware/scsi/scsi_core.h"

void scsi_restrict_reordering(struct scsi* scsi) {
  struct mode_caching caching;
  mode_pages_caching(&scsi->modes, &caching);
  task_set_restrict(scsi->tasks, caching.writes || !mode_unrestricted_reordering(&scsi->modes));
}

void scsi_follow_modes(struct scsi* scsi) {
  scsi_restrict_reordering(scsi);
  mode_pages_controller_stages(&scsi->modes, &scsi->stages);
  mode_pages_tenancy(&scsi->modes, &scsi->limits);
  // One look for both at each reselection.
  if (scsi->limits.any) scsi->stages.any = true;
  scsi->connection.limited = scsi->limits.any;
}

void scsi_apply_modes(struct scsi* scsi) {
  scsi_follow_modes(scsi);
  core_modes_changed(scsi->drive);
}

void scsi_load_modes(struct scsi* scsi, const uint8_t* saved, uint32_t bytes) {
  if (mode_pages_load(&scsi->modes, saved, bytes)) scsi_apply_modes(scsi);
}

bool scsi_remap_mode(const struct scsi* scsi, struct mode_remap* mode) {
  mode_pages_remap(&scsi->modes, mode);
  return scsi->modes.selected_remap;
}

void scsi_set_remap_mode(struct scsi* scsi, const struct mode_remap* mode) {
  mode_pages_set_remap(&scsi->modes, mode);
}

void scsi_set_ready(struct scsi* scsi, enum sense_code not_ready) {
  ASSERT(not_ready == SENSE_NONE || sense_key_of(not_ready) == SENSE_KEY_NOT_READY);
  scsi->not_ready = (uint8_t)not_ready;
}

void scsi_set_corrupt(struct scsi* scsi, bool is_corrupt) { scsi->is_corrupt = is_corrupt; }

static void raise_for_others(struct scsi* scsi, uint8_t initiator, enum sense_code code) {
  for (uint8_t other = 0; other < SCSI_INITIATORS; ++other) {
    if (other != initiator) nexus_raise_attention(&scsi->nexus[other], code);
  }
}

void scsi_medium_changed(struct scsi* scsi, uint8_t initiator) {
  raise_for_others(scsi, initiator, SENSE_MEDIUM_MAY_HAVE_CHANGED);
}

void scsi_report_modes_changed(struct scsi* scsi, uint8_t initiator) {
  raise_for_others(scsi, initiator, SENSE_MODE_PARAMETERS_CHANGED);
}
