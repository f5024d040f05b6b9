// SPDX-License-Identifier: Apache-2.0
/// @file
/// REASSIGN BLOCKS at the media (maintenance.h).
#ifndef FIRMWARE_TRANSFER_REASSIGN_H
#define FIRMWARE_TRANSFER_REASSIGN_H

#include "firmware/transfer/maintenance_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The block that is being moved, or is next.
uint32_t reassign_block(const struct maintenance* maintenance);

void reassign_begin(struct maintenance* maintenance);

enum maintenance_next reassign_next(struct maintenance* maintenance, struct media_request* request,
                                    struct maintenance_outcome* outcome);

/// @return false: the reassignment has ended.
bool reassign_took(struct maintenance* maintenance, enum status status);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REASSIGN_H
