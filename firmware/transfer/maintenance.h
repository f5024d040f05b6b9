/// @file
/// What the drive does to its media for itself: formats, reassignments, self-tests.
///
/// A host orders it (firmware/scsi/maintenance_order.h); the task that stands for the order is a
/// barrier, so that nothing else is at the media or in the buffer when it begins, and the media
/// serve it as one request after another: next() makes one, took() hears how it ended. In the
/// buffer it has a segment of its own, in the media's own ring.
///
/// Format. Track after track all blocks are written with the initialization pattern, zeros unless
/// the host gave one, and read back, unless the host forbade it: strictly, a sector whose check
/// bytes are wrong at the first attempt is a defect. A defect gets a spare, and the pattern there.
/// With no spare left the format goes on, and ends with 4/32/00 and the first such block. It ends
/// at once when the arm or the head fails. From its beginning to its good end there is nothing to
/// read (3/31/00). Headers and sync marks are the maker's: a format does not write them.
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

#include "firmware/kernel/status.h"
#include "firmware/queue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;

/// Sectors of the pattern in the buffer: between two of them the core must have given one back.
#define MAINTENANCE_SECTORS 16U

/// Defects that are entered into the grown list before other events are served.
#define MAINTENANCE_SLICE 16U

struct maintenance {
  uint32_t segment;      ///< Of the buffer, or SEGMENT_NONE.
  uint32_t sectors;      ///< Its length.
  uint32_t index;        ///< Of the order's list.
  uint32_t lba;          ///< Block that the request under way begins with.
  uint32_t track_lba;    ///< First block of the track that is formatted,
  uint32_t track_end;    ///< and the one behind it.
  uint32_t unspared;     ///< First block without a spare, or DEFECT_NO_BLOCK.
  uint8_t step;          ///< The kind's own.
  uint8_t step_resumed;  ///< When a defect has moved.
  bool yields;           ///< To others that ask; it goes on behind them.
};

void maintenance_init(struct maintenance* maintenance);

/// Before it begins: a segment for it. @return false when there is no room yet.
bool maintenance_prepare(struct drive* drive);

/// The task for the order is `current`: begins.
void maintenance_begin(struct drive* drive);

/// The request for it has ended.
void maintenance_on_media(struct drive* drive, enum status status, uint32_t blocks_done);

/// Goes on behind others, where it yields to them.
void maintenance_resume(struct drive* drive);

/// The task is gone, however it ended.
void maintenance_on_ended(struct drive* drive, const struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MAINTENANCE_H
