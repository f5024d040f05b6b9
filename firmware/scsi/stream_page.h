// SPDX-License-Identifier: Apache-2.0
/// @file
/// The vendor's page of streams, subpage 01h of the scheduler's page 20h: the properties of each of
/// 16 streams that policies use (queue/policy_stream.h). It is a subpage so that MODE SENSE(6)
/// still has room for all pages.
///
/// It has 132 bytes; numbers are big-endian. Bytes 0-3 are 60h, 01h and the length 0080h. Then come
/// eight bytes for each stream:
///
///     0-1  u, thousandths
///     2-3  p, ms
///     4    share, percent
///     5    k
///     6    w
///     7    reserved
///
/// All initiators share the page, and it can be saved. By default all of it is 0.
#ifndef FIRMWARE_SCSI_STREAM_PAGE_H
#define FIRMWARE_SCSI_STREAM_PAGE_H

#include <stdint.h>

#include "firmware/queue/policy_stream.h"
#include "firmware/scsi/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STREAM_PAGE_CODE 0x20U
#define STREAM_PAGE_SUBPAGE 0x01U
#define STREAM_PAGE_BYTES 132U

#define STREAM_PAGE_AT_STREAMS 4U
#define STREAM_PAGE_STREAM_BYTES 8U
enum stream_page_byte {
  STREAM_PAGE_AT_U = 0,
  STREAM_PAGE_AT_P = 2,
  STREAM_PAGE_AT_SHARE = 4,
  STREAM_PAGE_AT_K = 5,
  STREAM_PAGE_AT_W = 6,
};

/// Writes the default page, or the bits that can change.
void stream_page_put_default(uint8_t* bytes);
void stream_page_put_changeable(uint8_t* bytes);

/// Checks the whole page at byte `at` of a parameter list.
/// @return SENSE_NONE, or 26/00 with its field pointer. Errors are a reserved byte, u or p out of
/// range, and one without the other. So is the first u, or share, with which the sum exceeds the
/// whole.
struct sense stream_page_check(const uint8_t* list, uint32_t at);

/// Stores a page that was checked.
void stream_page_decode(const uint8_t* page, struct policy_stream streams[POLICY_STREAMS]);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_STREAM_PAGE_H
