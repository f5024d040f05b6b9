// SPDX-License-Identifier: Apache-2.0
/// @file
/// Bases and stored maps: saving, and loading of these and of records. What they look like:
/// remap_area.h.
///
/// A good copy of the base is not written before the other one is whole. So one of them is good
/// whenever the power goes, also after cuts that left only one. If the other one cannot be written,
/// the saving fails.
#ifndef FIRMWARE_TRANSFER_REMAP_IMAGES_H
#define FIRMWARE_TRANSFER_REMAP_IMAGES_H

#include "firmware/transfer/remap_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins with a step that loads or saves.
void remap_images_begin(struct remap* remap, enum remap_step step);

/// The request of the step under way, and its end. @return false: a sector of it was composed, and
/// there are more.
MUST_USE bool remap_images_next(struct remap* remap, struct media_request* request);
void remap_images_took(struct remap* remap, enum status status);

/// Takes the content of the next sector of REMAP_TAKES.
void remap_images_take(struct remap* remap);

/// Continues after REMAP_INVERTS.
void remap_images_inverted(struct remap* remap);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_IMAGES_H
