// SPDX-License-Identifier: Apache-2.0
/// @file
/// The SCSI target port: from bus events to commands, and from finished tasks back to the
/// initiator.
///
/// struct drive contains struct target, which contains the device server (device/device.h). Events
/// of the bus come by target_on_events(), with the bits that scsi_target_hal_take_events()
/// acknowledged. Notices of the layers below come by the functions of transfer/host_events.h. The
/// device server answers commands that need no media (INQUIRY, MODE SENSE, ...) at once.
#ifndef FIRMWARE_TARGET_TARGET_H
#define FIRMWARE_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/queue/task_set.h"
#include "firmware/target/agreement.h"
#include "firmware/target/target_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Power-on: the device server is initialised, no initiator has an agreement, and the target is
/// enabled. `config` and `tasks` stay the caller's and must outlive `target`. The caller has set
/// `parts` of the target and of its device, and calls host_modes_changed() next.
void target_init(struct target* target, const struct unit_config* config,
                 const struct agreement_limits* bus, struct task_set* tasks, struct alarms* alarms);

/// Acts on acknowledged bits of enum scsi_target_event.
void target_on_events(struct target* target, uint32_t events);

/// Aborts another slice of the tasks that are being aborted (device/task_management.h).
void target_purge(struct target* target);

/// Acts on `alarm`. Late or spurious calls do no harm.
void target_on_alarm(struct target* target);

/// Whether a command's status or COMMAND COMPLETE is on its way.
bool target_is_completing(const struct target* target);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_TARGET_H
