/// @file
/// Saving of mode pages: a part of the maintenance (maintenance.h), which MODE SELECT with SP and
/// FORMAT UNIT ask for.
///
/// One cell of the store (store.h) is written, copy by copy. From the first copy on the pages are
/// the saved ones. Where that copy cannot be written, nothing is saved, and the order fails. A
/// second copy that cannot be written is no failure: the next saving begins with it.
#ifndef FIRMWARE_TRANSFER_SAVE_H
#define FIRMWARE_TRANSFER_SAVE_H

#include "firmware/transfer/maintenance_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/// With the current values. `saves` is set as long as there is something to do.
void save_begin(struct maintenance* maintenance);

/// While `saves` is set.
void save_next(struct maintenance* maintenance, struct media_request* request);

/// @return false: that is the end of it.
bool save_took(struct maintenance* maintenance, enum status status);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SAVE_H
