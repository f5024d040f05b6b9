// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive's own work on its media: formats, reassignments, self-tests, and saving of mode pages
/// (save.h).
///
/// A host orders it (firmware/unit/maintenance_order.h). The task for the order is a barrier: no
/// other task is at the media or in the buffer when it begins. The media serve it as one request
/// after another (maintenance_work.h).
///
/// Format. All blocks are written, track after track, with the host's initialization pattern, or
/// with zeros. They are read back, unless the host forbade it. A sector whose check bytes are wrong
/// at the first attempt is a defect. A defect gets a spare, and the pattern there. With no spare
/// left the format goes on, and ends with 4/32/00 and the first such block. It ends at once when
/// the arm or the head fails. From its beginning to its good end no block can be read (3/31/00).
/// With a store this holds across power cuts, too. Headers and sync marks are the maker's: a format
/// does not write them.
///
/// Reassignment. Each block is read, as often as page 01h allows; data that cannot be read become
/// zeros. They are written to a spare and read back there.
///
/// Self-test. The first and the last block are read. So the arm crosses the whole stroke, and
/// heads, channel and formatter find their sectors. Errors of these two blocks themselves are no
/// failure of the drive.
#ifndef FIRMWARE_TRANSFER_MAINTENANCE_H
#define FIRMWARE_TRANSFER_MAINTENANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/transfer/maintenance_work.h"

#ifdef __cplusplus
extern "C" {
#endif

void maintenance_init(struct maintenance* maintenance, const struct predictor* predictor,
                      struct defect_list* defects, struct task_set* tasks, struct target* target,
                      struct unit* unit, struct cache* cache, struct media* media,
                      struct store* store, struct remap* remap, struct scan* scan);

/// Gives the order's task a segment before it begins. @return false when there is no room yet.
bool maintenance_prepare(struct maintenance* maintenance);

/// Begins the order's work: its task has been chosen.
void maintenance_begin(struct maintenance* maintenance, const struct task* task);

/// The next action. MAINTENANCE_REQUESTS: maintenance_took() follows. MAINTENANCE_IS_OVER:
/// `outcome` has the result.
enum maintenance_next maintenance_next(struct maintenance* maintenance,
                                       struct media_request* request);

/// Takes the result of the request. @return false: the work is over, and `outcome` has its result.
MUST_USE bool maintenance_took(struct maintenance* maintenance);

/// Ends the work: its task has left the task set for whatever reason.
void maintenance_on_ended(struct maintenance* maintenance, const struct task* task);

/// The progress of a format that has begun; 65,536 is the whole.
uint32_t maintenance_progress(const struct maintenance* maintenance);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MAINTENANCE_H
