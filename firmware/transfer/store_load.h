// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reads the store (store.h) when the spindle has come to speed for the first time, before the
/// drive is ready.
///
/// All of the area is read once, in pieces of the buffer; sectors that cannot be read are skipped.
/// Then the content of each cell is read again and given to its user. A drive without a store, or
/// with an empty one, begins with its defaults. A new store is marked as empty.
#ifndef FIRMWARE_TRANSFER_STORE_LOAD_H
#define FIRMWARE_TRANSFER_STORE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/transfer/host_events.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/segments.h"
#include "firmware/transfer/store.h"
#include "firmware/unit/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

enum store_load_step {
  STORE_LOAD_NOT_YET,  ///< The spindle has not been at speed.
  STORE_LOAD_SCANS,    ///< The area is being read, from sector `index` on.
  STORE_LOAD_TAKES,    ///< Cell `index` is being taken.
  STORE_LOAD_OVER,
};

struct store_load {
  struct store* store;
  struct media* media;
  struct segments* segments;
  struct target* target;
  struct unit* unit;
  struct defect_log* log;
  uint32_t segment;  ///< Segment of the buffer during loading.
  uint32_t sectors;  ///< Length of the segment.
  uint32_t index;
  uint8_t step;  ///< enum store_load_step
};

void store_load_init(struct store_load* load, struct store* store, struct media* media,
                     struct segments* segments, struct target* target,
                     struct unit* unit);  ///< media_init() comes first.

/// Whether the media work for the loading.
static inline bool store_load_is_active(const struct store_load* load) {
  return load->step == STORE_LOAD_SCANS || load->step == STORE_LOAD_TAKES;
}

/// Begins to load: the spindle is at speed. @return false when there is nothing to load, or loading
/// is over.
bool store_load_begin(struct store_load* load);

/// Continues after the request has ended. @return false: that was all.
bool store_load_on_media(struct store_load* load);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_STORE_LOAD_H
