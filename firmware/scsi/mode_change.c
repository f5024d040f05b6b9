// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/mode_change.h"

void mode_change_note(struct scsi* scsi, uint8_t initiator) {
  struct mode_change* change = &scsi->change;
  change->initiator = initiator;
  change->before = scsi->modes;
  change->owned = scsi->durations[initiator];
}

void mode_change_await(struct scsi* scsi, const struct task* task, bool is_shared) {
  scsi->change.task = task;
  scsi->change.is_shared = is_shared;
}

void mode_change_undo(struct scsi* scsi) {
  struct mode_change* change = &scsi->change;
  change->task = NULL;
  scsi->modes = change->before;
  scsi->durations[change->initiator] = change->owned;
}

void mode_change_take_effect(struct scsi* scsi) {
  struct mode_change* change = &scsi->change;
  change->task = NULL;
  if (!change->is_shared) return;
  scsi_report_modes_changed(scsi, change->initiator);
  scsi_apply_modes(scsi);
}
