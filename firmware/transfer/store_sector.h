// SPDX-License-Identifier: Apache-2.0
/// @file
/// The sector of buffer RAM from which the store is written: the last one, after all that
/// segments.h gives out. It never holds other data, so it can be written in the middle of a host's
/// command.
#ifndef FIRMWARE_TRANSFER_STORE_SECTOR_H
#define FIRMWARE_TRANSFER_STORE_SECTOR_H

#include "firmware/drive_design.h"
#include "firmware/transfer/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Puts the store's image into the sector, and the sector into the media's own ring, full.
void store_sector_fill(const struct store* store, const struct drive_design* design);

/// Fills the ring again, to write the sector again.
void store_sector_refill(const struct drive_design* design);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_STORE_SECTOR_H
