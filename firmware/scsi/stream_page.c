// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/stream_page.h"

#include "firmware/kernel/bytes.h"
#include "firmware/scsi/duration_page.h"

/// Bits of a stream that can change.
static const uint8_t changeable[STREAM_PAGE_STREAM_BYTES] = {0xFF, 0xFF, 0xFF, 0xFF,
                                                             0xFF, 0xFF, 0xFF, 0};

static uint32_t at_stream(uint32_t stream) {
  return STREAM_PAGE_AT_STREAMS + stream * STREAM_PAGE_STREAM_BYTES;
}

void stream_page_put_default(uint8_t* bytes) {
  bytes_fill(bytes, 0, STREAM_PAGE_BYTES);
  bytes[0] = MODE_SUBPAGE_FORMAT | STREAM_PAGE_CODE;
  bytes[1] = STREAM_PAGE_SUBPAGE;
  bytes_put_be16(bytes + 2, STREAM_PAGE_BYTES - MODE_SUBPAGE_HEADER_BYTES);
}

void stream_page_put_changeable(uint8_t* bytes) {
  stream_page_put_default(bytes);
  for (uint32_t stream = 0; stream < POLICY_STREAMS; ++stream) {
    bytes_copy(bytes + at_stream(stream), changeable, sizeof changeable);
  }
}

static struct policy_stream decode(const uint8_t* bytes) {
  return (struct policy_stream){.u_milli = (uint16_t)bytes_get_be16(bytes + STREAM_PAGE_AT_U),
                                .p_ms = (uint16_t)bytes_get_be16(bytes + STREAM_PAGE_AT_P),
                                .share = bytes[STREAM_PAGE_AT_SHARE],
                                .round_quota = bytes[STREAM_PAGE_AT_K],
                                .weight = bytes[STREAM_PAGE_AT_W]};
}

struct sense stream_page_check(const uint8_t* list, uint32_t at) {
  uint32_t u_milli = 0, share = 0;
  for (uint32_t number = 0; number < POLICY_STREAMS; ++number) {
    const uint32_t here = at + at_stream(number);
    const struct policy_stream stream = decode(list + here);
    u_milli += stream.u_milli;
    share += stream.share;
    if (u_milli > POLICY_STREAM_U_MAX_MILLI) return sense_parameter_field(here + STREAM_PAGE_AT_U);
    if (stream.p_ms > POLICY_STREAM_P_MAX_MS || (stream.p_ms == 0) != (stream.u_milli == 0)) {
      return sense_parameter_field(here + STREAM_PAGE_AT_P);
    }
    if (share > POLICY_STREAM_SHARE_MAX) return sense_parameter_field(here + STREAM_PAGE_AT_SHARE);
    for (uint32_t i = 0; i < STREAM_PAGE_STREAM_BYTES; ++i) {
      if ((list[here + i] & (uint8_t)~changeable[i]) != 0) return sense_parameter_field(here + i);
    }
  }
  return sense_plain(SENSE_NONE);
}

void stream_page_decode(const uint8_t* page, struct policy_stream streams[POLICY_STREAMS]) {
  for (uint32_t number = 0; number < POLICY_STREAMS; ++number) {
    streams[number] = decode(page + at_stream(number));
  }
}
