// SPDX-License-Identifier: Apache-2.0
/// @file
/// The vendor's page of streams, subpage 01h of the scheduler's page 20h: the properties of each of
/// 16 streams that policies use (queue/policy_stream.h). It is a subpage so that MODE SENSE(6)
/// still has room for all pages.
///
/// The rows of modes.def have its bytes: a descriptor of eight for each stream.
///
/// All initiators share the page, and it can be saved. By default all of it is 0.
#ifndef FIRMWARE_UNIT_STREAM_PAGE_H
#define FIRMWARE_UNIT_STREAM_PAGE_H

#include <stdint.h>

#include "firmware/queue/policy_stream.h"
#include "firmware/unit/mode_fields.h"
#include "firmware/unit/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STREAM_PAGE_CODE MODE_PAGE_SCHEDULER
#define STREAM_PAGE_SUBPAGE MODE_SUBPAGE_STREAMS
#define STREAM_PAGE_BYTES MODE_STREAMS_BYTES

/// Writes the default page, or the bits that can change.
void stream_page_put_default(uint8_t* bytes);
void stream_page_put_changeable(uint8_t* bytes);

/// Checks the whole page at byte `at` of a parameter list.
/// @return SENSE_NONE, or 26/00 with its field pointer. Errors are a reserved byte, u or p out of
/// range, and one without the other. So is the first u, or share, with which the sum exceeds the
/// whole.
struct sense stream_page_check(const uint8_t* list, uint32_t at);

/// Decodes a page that was checked.
void stream_page_decode(const uint8_t* page, struct policy_stream streams[POLICY_STREAMS]);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_STREAM_PAGE_H
