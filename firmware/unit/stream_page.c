// SPDX-License-Identifier: Apache-2.0
#include "firmware/unit/stream_page.h"

#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

STATIC_ASSERT(MODE_STREAMS_COUNT == POLICY_STREAMS, "the page has all streams");

static uint32_t at_stream(uint32_t stream) { return MODE_STREAMS_AT + stream * MODE_STREAM_BYTES; }

void stream_page_put_default(uint8_t* bytes) {
  bytes_fill(bytes, 0, STREAM_PAGE_BYTES);
  bytes[0] = MODE_SUBPAGE_FORMAT | STREAM_PAGE_CODE;
  bytes[1] = STREAM_PAGE_SUBPAGE;
  bytes_put_be16(bytes + 2, STREAM_PAGE_BYTES - MODE_SUBPAGE_HEADER_BYTES);
}

void stream_page_put_changeable(uint8_t* bytes) {
  stream_page_put_default(bytes);
  for (uint32_t stream = 0; stream < POLICY_STREAMS; ++stream) {
    mode_fields_put_changeable(MODE_LAYOUT_STREAM, bytes + at_stream(stream));
  }
}

static struct policy_stream decode(const uint8_t* bytes) {
  struct policy_stream stream;
#define MODE_HAS(page) ((page) == 0x60)
#define MODE_DESCRIPTOR_FIELD(descriptor, field, name, byte, bit, bits, ...) \
  stream.name = (MODE_UINT_##bits)MODE_GET(bytes, descriptor, field);
#include "firmware/unit/modes.def"
  return stream;
}

struct sense stream_page_check(const uint8_t* list, uint32_t at) {
  uint32_t u_milli = 0, share = 0;
  for (uint32_t number = 0; number < POLICY_STREAMS; ++number) {
    const uint32_t here = at + at_stream(number);
    const struct policy_stream stream = decode(list + here);
    u_milli += stream.u_milli;
    share += stream.share;
    if (u_milli > POLICY_STREAM_U_MAX_MILLI) return sense_parameter_field(here + MODE_STREAM_AT_U);
    if (stream.p_ms > POLICY_STREAM_P_MAX_MS || (stream.p_ms == 0) != (stream.u_milli == 0)) {
      return sense_parameter_field(here + MODE_STREAM_AT_P);
    }
    if (share > POLICY_STREAM_SHARE_MAX) return sense_parameter_field(here + MODE_STREAM_AT_SHARE);
    const uint32_t fixed =
        mode_fields_find_fixed(MODE_LAYOUT_STREAM, list + here, NULL, 0, MODE_STREAM_BYTES);
    if (fixed < MODE_STREAM_BYTES) return sense_parameter_field(here + fixed);
  }
  return sense_plain(SENSE_NONE);
}

void stream_page_decode(const uint8_t* page, struct policy_stream streams[POLICY_STREAMS]) {
  for (uint32_t number = 0; number < POLICY_STREAMS; ++number) {
    streams[number] = decode(page + at_stream(number));
  }
}
