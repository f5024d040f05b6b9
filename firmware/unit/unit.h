// SPDX-License-Identifier: Apache-2.0
/// @file
/// Values of the logical unit that `transfer/` and `device/` share: mode pages, the order for
/// maintenance, limits of durations and their counts.
#ifndef FIRMWARE_UNIT_UNIT_H
#define FIRMWARE_UNIT_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/unit/duration_counts.h"
#include "firmware/unit/duration_page.h"
#include "firmware/unit/maintenance_order.h"
#include "firmware/unit/mode_page.h"
#include "firmware/unit/sense.h"
#include "firmware/unit/unit_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Number of ids on a wide bus.
#define UNIT_INITIATORS 16U

struct unit {
  const struct unit_config* config;
  bool is_corrupt;    ///< A format was interrupted: no block can be read or written (3/31/00).
  uint8_t not_ready;  ///< enum sense_code of the spindle; SENSE_NONE when tasks can be served.
  struct mode_pages modes;
  struct maintenance_order maintenance;
  // The next two are not cleared when the program clears struct drive at its start
  // (start/main.c).
  struct duration_pages durations[UNIT_INITIATORS];         ///< Each initiator's pages of duration
                                                            ///< limits.
  struct duration_counts duration_counts[UNIT_INITIATORS];  ///< Each initiator's counts of duration
                                                            ///< limits.
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_UNIT_H
