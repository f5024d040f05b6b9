// SPDX-License-Identifier: Apache-2.0
/// @file
/// Pages that a MODE SELECT brings: checked, rounded and set.
///
/// Limits and masks are columns of modes.def. The rules here are those that are no rows: they
/// compare fields with each other, or with what the drive's other modules can do.
#ifndef FIRMWARE_DEVICE_MODE_SELECT_H
#define FIRMWARE_DEVICE_MODE_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/unit/mode_page.h"

#ifdef __cplusplus
extern "C" {
#endif

struct device_parts;

/// Checks one or more pages as MODE SELECT sends them: bytes `offset` .. `length` - 1 of the
/// parameter list. PS is reserved in MODE SELECT. A host
/// that sends a page back as MODE SENSE gave it has it set, so it is cleared in the list.
/// @return SENSE_NONE; 1A/00 when the list ends inside a page; else 26/00 with its field pointer.
struct sense mode_select_check(const struct mode_view* view, const struct device_parts* parts,
                               uint8_t* list, uint32_t offset, uint32_t length);

/// Rounds values of pages that mode_select_check() passed to ones that the drive has, in the list
/// (SCSI-2 7.5.4). @return whether any was rounded: 1/37/00.
bool mode_select_round(const struct mode_pages* modes, const struct device_parts* parts,
                       uint8_t* list, uint32_t offset, uint32_t length);

/// Whether the pages, which were checked, say that there is no write cache.
bool mode_select_turn_cache_off(const uint8_t* list, uint32_t offset, uint32_t length);

/// Stores pages that mode_select_check() passed. @return true when a current value changed that all
/// initiators share.
bool mode_select_set(const struct mode_view* view, const uint8_t* list, uint32_t offset,
                     uint32_t length);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_MODE_SELECT_H
