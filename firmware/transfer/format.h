// SPDX-License-Identifier: Apache-2.0
/// @file
/// FORMAT UNIT at the media (maintenance.h): the grown list first, then track after track.
#ifndef FIRMWARE_TRANSFER_FORMAT_H
#define FIRMWARE_TRANSFER_FORMAT_H

#include "firmware/transfer/maintenance_work.h"

#ifdef __cplusplus
extern "C" {
#endif

void format_begin(struct maintenance* maintenance);

enum maintenance_next format_next(struct maintenance* maintenance, struct media_request* request,
                                  struct maintenance_outcome* outcome);

/// @return false: the format has ended.
bool format_took(struct maintenance* maintenance, enum status status, uint32_t blocks_done);

/// Progress of the format; 65,536 is the whole.
uint32_t format_progress(const struct maintenance* maintenance);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_FORMAT_H
