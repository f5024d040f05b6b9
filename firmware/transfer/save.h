/// @file
/// Writing of cells of the store (store.h): a part of the maintenance (maintenance.h). MODE SELECT
/// with SP saves the mode pages, FORMAT UNIT saves these and the defects (defect_log.h).
///
/// A cell is written copy by copy, and counts from the first copy on. If that copy cannot be
/// written, the cell stays as it was, and the order fails. A second copy that cannot be written is
/// no failure: the next writing of the cell begins with it.
#ifndef FIRMWARE_TRANSFER_SAVE_H
#define FIRMWARE_TRANSFER_SAVE_H

#include "firmware/transfer/maintenance_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Cells from `first` to the one before `end`, one or more, of what they are to hold now. `saves`
/// is set as long as there is something to do.
void save_begin(struct maintenance* maintenance, uint32_t first, uint32_t end);

/// While `saves` is set.
void save_next(struct maintenance* maintenance, struct media_request* request);

/// @return false: the saving has ended.
bool save_took(struct maintenance* maintenance, enum status status);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SAVE_H
