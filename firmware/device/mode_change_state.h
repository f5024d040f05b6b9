// SPDX-License-Identifier: Apache-2.0
/// @file
/// The state of a MODE SELECT whose command ends later (mode_change.h).
#ifndef FIRMWARE_DEVICE_MODE_CHANGE_STATE_H
#define FIRMWARE_DEVICE_MODE_CHANGE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/unit/duration_page.h"
#include "firmware/unit/mode_page.h"

#ifdef __cplusplus
extern "C" {
#endif

struct task;

struct mode_change {
  const struct task* task;  ///< The command's task; NULL: no change is uncertain.
  uint8_t initiator;
  bool is_shared;               ///< Pages that all initiators share have new values.
  struct mode_pages before;     ///< The pages before the command.
  struct duration_pages owned;  ///< The initiator's own pages before it.
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_MODE_CHANGE_STATE_H
