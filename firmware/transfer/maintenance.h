/// @file
/// What the drive does to its media for itself: formats, reassignments, self-tests, and saving of
/// mode pages (save.h).
///
/// A host orders it (firmware/scsi/maintenance_order.h); the task that stands for the order is a
/// barrier, so that nothing else is at the media or in the buffer when it begins, and the media
/// serve it as one request after another (maintenance_work.h).
///
/// Format. Track after track all blocks are written with the initialization pattern, zeros unless
/// the host gave one, and read back, unless the host forbade it: strictly, a sector whose check
/// bytes are wrong at the first attempt is a defect. A defect gets a spare, and the pattern there.
/// With no spare left the format goes on, and ends with 4/32/00 and the first such block. It ends
/// at once when the arm or the head fails. From its beginning to its good end there is nothing to
/// read (3/31/00), power cuts or not where the drive has a store. Headers and sync marks are the
/// maker's: a format does not write them.
///
/// Reassignment. Each block is read, as often as page 01h allows; what cannot be read is zeros from
/// then on. It is written to a spare and read back there.
///
/// Self-test. The first and the last block are read: the arm crosses the whole stroke, and heads,
/// channel and formatter find what they look for. What is wrong with these two blocks themselves is
/// no failure of the drive.
#ifndef FIRMWARE_TRANSFER_MAINTENANCE_H
#define FIRMWARE_TRANSFER_MAINTENANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/transfer/maintenance_work.h"

#ifdef __cplusplus
extern "C" {
#endif

void maintenance_init(struct maintenance* maintenance, const struct predictor* predictor,
                      struct defect_list* defects, struct task_set* tasks, struct scsi* scsi,
                      struct cache* cache, struct media* media, struct store* store,
                      struct remap* remap);

/// Before it begins: a segment for it. @return false when there is no room yet.
bool maintenance_prepare(struct maintenance* maintenance);

// Where these return false, the work is over, and `outcome` says how.

/// The media are free for the task that stands for the order: begins.
bool maintenance_begin(struct maintenance* maintenance, const struct task* task);

/// The request for it has ended.
bool maintenance_on_media(struct maintenance* maintenance, enum status status,
                          uint32_t blocks_done);

/// Goes on behind others, where it yields to them.
bool maintenance_resume(struct maintenance* maintenance);

/// The task is gone, however it ended.
void maintenance_on_ended(struct maintenance* maintenance, const struct task* task);

/// How much of a format that has begun is done: 65,536 is all of it.
uint32_t maintenance_progress(const struct maintenance* maintenance);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MAINTENANCE_H
