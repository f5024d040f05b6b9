// SPDX-License-Identifier: Apache-2.0
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

/// Begins to write the cells from `first` to `end` - 1, at least one, with their present content.
/// `saves` stays set until the last is written.
void save_begin(struct maintenance* maintenance, uint32_t first, uint32_t end);

/// Makes the next request. To be called only while `saves` is set.
void save_next(struct maintenance* maintenance, struct media_request* request);

/// @return false: the saving has ended.
bool save_took(struct maintenance* maintenance, enum status status);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SAVE_H
