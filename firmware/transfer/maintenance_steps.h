/// @file
/// Inside the maintenance: what its source files call of each other.
///
/// maintenance.c: the order's life, the buffer, the self-test. format.c, reassign.c: the others.
#ifndef FIRMWARE_TRANSFER_MAINTENANCE_STEPS_H
#define FIRMWARE_TRANSFER_MAINTENANCE_STEPS_H

#include "firmware/drive.h"
#include "firmware/transfer/maintenance.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What next() has found.
enum maintenance_next {
  MAINTENANCE_REQUESTS,  ///< A request for the media.
  MAINTENANCE_YIELDS,    ///< Other events first, then it is asked again.
  MAINTENANCE_IS_OVER,   ///< `status`, and the block concerned.
};

struct maintenance_outcome {
  enum status status;
  uint32_t lba;
};

/// Whether a request failed for what is wrong with a block.
static inline bool maintenance_is_defect(enum status status) {
  return status == STATUS_DATA_DAMAGED || status == STATUS_HEADER_DAMAGED ||
         status == STATUS_SECTOR_NOT_FOUND || status == STATUS_NO_SYNC;
}

/// First byte of the segment.
uint32_t maintenance_byte(const struct drive* drive);

/// Fills so many sectors of the segment with the order's pattern, or with zeros.
void maintenance_fill(struct drive* drive, uint32_t sectors, bool with_pattern);

/// A request for the drive itself, to be completed.
struct media_request maintenance_request(const struct drive* drive, uint32_t lba, uint32_t blocks);

/// Moves a block to a spare; its data are the segment's first sector.
struct media_request maintenance_relocation(const struct drive* drive, uint32_t lba);

// The kinds: begin; what comes next; how the request before ended, false: for good, with `outcome`.
void format_begin(struct drive* drive);
enum maintenance_next format_next(struct drive* drive, struct media_request* request,
                                  struct maintenance_outcome* outcome);
bool format_took(struct drive* drive, enum status status, uint32_t blocks_done);
/// 65,536 is all of it.
uint32_t format_progress(const struct drive* drive);

void reassign_begin(struct drive* drive);
enum maintenance_next reassign_next(struct drive* drive, struct media_request* request,
                                    struct maintenance_outcome* outcome);
bool reassign_took(struct drive* drive, enum status status);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MAINTENANCE_STEPS_H
