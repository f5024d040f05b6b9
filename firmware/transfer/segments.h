/// @file
/// Who owns which part of the sector buffer.
///
/// The buffer is cut into segments of equal size, each a ring that one task has for itself from the
/// moment its data begins to move until the last of it has left. A transfer larger than a segment
/// streams through it.
///
/// Reserves keep the drive from filling up with data that nobody is about to use: a write may fetch
/// its data early only while segments are left for the media's next task and for the one after it.
#ifndef FIRMWARE_TRANSFER_SEGMENTS_H
#define FIRMWARE_TRANSFER_SEGMENTS_H

#include <stdint.h>

#include "firmware/drive_design.h"

#ifdef __cplusplus
extern "C" {
#endif

/// No segment, in a task.
#define SEGMENT_NONE 0xFFU

/// Fewest sectors of a segment, where the buffer is large enough for two of them.
#define SEGMENT_SECTORS_MIN 16U

/// How many segments must stay free after an allocation.
enum segment_reserve {
  SEGMENT_FOR_MEDIA = 0,    ///< The media waits for it.
  SEGMENT_FOR_PLAN = 1,     ///< The task is planned to be next.
  SEGMENT_FOR_ARRIVAL = 2,  ///< The task has just come.
};

struct segments {
  uint32_t count;
  uint32_t sectors;    ///< Of each.
  uint32_t free_mask;  ///< Bit per segment.
  uint32_t free_count;
};

/// Cuts up the buffer and sets the buffer manager up.
void segments_init(struct segments* segments, const struct drive_design* design);

/// An empty segment, or SEGMENT_NONE when the reserve would be touched.
uint32_t segments_allocate(struct segments* segments, enum segment_reserve reserve);

/// Gives back a segment; no channel works on it any more.
void segments_free(struct segments* segments, uint32_t segment);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SEGMENTS_H
