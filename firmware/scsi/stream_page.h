/// @file
/// The vendor's page of streams, subpage 01h of the scheduler's page 20h: what policies go by for
/// each of 16 streams (queue/policy_stream.h). It is a subpage so that MODE SENSE(6) still has room
/// for all pages.
///
/// 132 bytes: 0-1 60h 01h, 2-3 length 80h, then eight bytes for each stream: 0-1 u (thousandths),
/// 2-3 p (ms), 4 share (percent), 5 k, 6 w, 7 reserved; all big-endian. All initiators share it,
/// and it can be saved. By default all is 0.
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

/// Writes the page as it is by default, or the bits that can change.
void stream_page_put_default(uint8_t* bytes);
void stream_page_put_changeable(uint8_t* bytes);

/// Checks the whole page that stands at byte `at` of a parameter list.
/// @return SENSE_NONE, or 26/00 with its field pointer: a reserved byte; u or p out of range, or
/// one without the other; the first u, or share, with which the sum is more than all.
struct sense stream_page_check(const uint8_t* list, uint32_t at);

/// Of a page that passed.
void stream_page_decode(const uint8_t* page, struct policy_stream streams[POLICY_STREAMS]);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_STREAM_PAGE_H
