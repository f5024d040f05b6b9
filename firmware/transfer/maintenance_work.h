// SPDX-License-Identifier: Apache-2.0
/// @file
/// The state of a maintenance, and functions that its kinds share.
///
/// maintenance.c has the order's life and the self-test, format.c and reassign.c the other kinds.
/// Each kind has begin(), next() for the next action, and took() for the end of the request before.
/// The work has a segment of its own in the buffer, in the media's own ring.
#ifndef FIRMWARE_TRANSFER_MAINTENANCE_WORK_H
#define FIRMWARE_TRANSFER_MAINTENANCE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/status.h"
#include "firmware/motion/defect_list.h"
#include "firmware/motion/predictor.h"
#include "firmware/queue/task_set.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/host_events.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/segments.h"
#include "firmware/transfer/store.h"
#include "firmware/unit/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sectors of the pattern in the buffer. While the media write them, the core returns written ones
/// to the ring, to be written again.
#define MAINTENANCE_SECTORS 16U

/// Defects that are entered into the grown list, and bytes of the buffer that are filled with the
/// pattern, before other events are served.
#define MAINTENANCE_SLICE 16U
#define MAINTENANCE_SLICE_BYTES 2048U

/// The result of a maintenance.
struct maintenance_outcome {
  enum status status;
  uint32_t lba;  ///< The block concerned.
};

struct maintenance {
  const struct drive_design* design;
  const struct predictor* predictor;
  struct defect_list* defects;
  struct task_set* tasks;
  struct target* target;
  struct unit* unit;  ///< Holder of the maintenance order.
  struct segments* segments;
  struct cache* cache;
  struct media* media;
  struct store* store;
  struct remap* remap;
  struct scan* scan;
  const struct task* task;             ///< The order's task, once it is at the media.
  struct maintenance_outcome outcome;  ///< The result, once it is over.
  uint32_t segment;                    ///< Segment of the buffer, or SEGMENT_NONE.
  uint32_t sectors;                    ///< Length of the segment.
  uint32_t index;                      ///< Index in the order's list.
  uint32_t lba;                        ///< First block of the request under way.
  uint32_t track_lba;                  ///< First block of the track that is being formatted.
  uint32_t track_end;                  ///< The block after that track.
  uint32_t unspared;                   ///< First block without a spare, or DEFECT_NO_BLOCK.
  uint8_t step;                        ///< Step of the work, an enum of its kind.
  uint8_t step_resumed;                ///< The step after a defect has moved.
  uint8_t cell;                        ///< Cell of the store that is being written (save.h).
  uint8_t cells_end;                   ///< The cell after the last one to write.
  uint8_t copy;                        ///< Copy of the cell that is being written.
  uint8_t saved_copies;                ///< Number of copies of the cell that were written.
  bool lacks_data;                     ///< The block that is being reassigned could not be read.
  bool saves;                          ///< Cells of the store are being written.
  bool saves_map;                      ///< A base of the map is being written.
};

/// The result of next().
enum maintenance_next {
  MAINTENANCE_REQUESTS,  ///< The media have a request to do.
  MAINTENANCE_YIELDS,    ///< The next call has to wait for other events of the drive.
  MAINTENANCE_IS_OVER,   ///< `outcome` has the result.
};

/// Whether the status is an error of a block, as opposed to the drive.
static inline bool maintenance_is_defect(enum status status) {
  return status == STATUS_DATA_DAMAGED || status == STATUS_HEADER_DAMAGED ||
         status == STATUS_SECTOR_NOT_FOUND || status == STATUS_NO_SYNC;
}

/// First byte of the segment.
uint32_t maintenance_byte(const struct maintenance* maintenance);

/// Fills sectors `from` to `end` - 1 of the segment with the order's pattern, or with zeros.
void maintenance_fill(struct maintenance* maintenance, uint32_t from, uint32_t end,
                      bool with_pattern);

/// A request of the drive's own, for the caller to complete.
struct media_request maintenance_request(const struct maintenance* maintenance, uint32_t lba,
                                         uint32_t blocks);

/// Moves a block to a spare; its data are the segment's first sector.
struct media_request maintenance_relocation(const struct maintenance* maintenance, uint32_t lba);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MAINTENANCE_WORK_H
