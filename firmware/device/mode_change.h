// SPDX-License-Identifier: Apache-2.0
/// @file
/// A MODE SELECT whose command ends later: it saves its pages, or it writes cached data back first.
///
/// Its pages are set at once, because the save reads them. They take effect when its initiator has
/// left the bus, or its status is sent. Until then the initiator may reject DISCONNECT. If the
/// drive cannot serve the command first, it ends with BUSY or QUEUE FULL. Such a command has not
/// been queued (SCSI-2 7.3), so the pages are as they were before. No other command can come in
/// between.
#ifndef FIRMWARE_DEVICE_MODE_CHANGE_H
#define FIRMWARE_DEVICE_MODE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/device/device.h"
#include "firmware/device/mode_change_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Notes the pages before a MODE SELECT of this initiator sets any.
void mode_change_note(struct device* device, uint8_t initiator);

/// Notes that the pages have been set, and that the command has become a task.
void mode_change_await(struct device* device, const struct task* task, bool is_shared);

/// Sets the pages to the noted values.
void mode_change_undo(struct device* device);

/// Makes the change final. If the pages are shared, the other initiators get 2A/01.
void mode_change_take_effect(struct device* device);

/// Drops an uncertain change. The caller has set the pages to their values after a reset.
static inline void mode_change_forget(struct mode_change* change) { change->task = NULL; }

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_MODE_CHANGE_H
