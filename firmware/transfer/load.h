// SPDX-License-Identifier: Apache-2.0
/// @file
/// A client of the arm (arm.h): at power-on, before the drive is ready, the media read the store
/// and then the map.
#ifndef FIRMWARE_TRANSFER_LOAD_H
#define FIRMWARE_TRANSFER_LOAD_H

#include <stdbool.h>

#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/store_load.h"

#ifdef __cplusplus
extern "C" {
#endif

enum load_step {
  LOAD_NOT_YET,  ///< The spindle has not been at speed.
  LOAD_STORE,
  LOAD_MAP,
  LOAD_OVER,
};

struct load {
  struct arm* arm;
  struct store_load* store;
  struct remap* remap;
  uint8_t step;  ///< enum load_step
};

/// Begins to load: the spindle is at speed. @return false when loading is over already.
bool load_begin(struct load* load);

/// Whether the client has all that the media keep.
static inline bool load_is_over(const struct load* load) { return load->step == LOAD_OVER; }

enum arm_answer load_plan(struct load* load, struct media_request* request);
enum arm_answer load_outcome(struct load* load, enum media_outcome outcome,
                             struct media_request* request);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_LOAD_H
