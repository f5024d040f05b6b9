// SPDX-License-Identifier: Apache-2.0
/// @file
/// Bases and stored maps: saving, and loading of these and of records. What they look like:
/// remap_area.h.
#ifndef FIRMWARE_TRANSFER_REMAP_IMAGES_H
#define FIRMWARE_TRANSFER_REMAP_IMAGES_H

#include "firmware/transfer/remap_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins with a step that loads or saves.
void remap_images_begin(struct remap* remap, enum remap_step step);

/// The request of the step under way, and its end.
void remap_images_next(struct remap* remap, struct media_request* request);
void remap_images_took(struct remap* remap, enum status status);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_IMAGES_H
