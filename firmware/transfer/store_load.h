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
  STORE_LOAD_OVER,   ///< Loading is over, or has not begun.
  STORE_LOAD_SCANS,  ///< The area is being read, from sector `index` on.
  STORE_LOAD_TAKES,  ///< Cell `index` is being taken.
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

/// Begins to load, once: the spindle is at speed, and the media are idle. @return false when there
/// is nothing to load.
MUST_USE bool store_load_begin(struct store_load* load);

/// The next request. store_load_took() follows. @return false: all is loaded.
MUST_USE bool store_load_next(struct store_load* load, struct media_request* request);

/// Takes what the request brought.
void store_load_took(struct store_load* load);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_STORE_LOAD_H
