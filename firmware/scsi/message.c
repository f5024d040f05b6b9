#include "firmware/scsi/message.h"

#include "firmware/kernel/bytes.h"

/// SCSI-2 6.6: 20h .. 2Fh are two bytes, 01h says its length in its second byte (0 means 256), the
/// rest is one.
static uint32_t size_of(const uint8_t* bytes, uint32_t count) {
  if (count == 0) return 1;
  if (bytes[0] == MESSAGE_EXTENDED) {
    if (count == 1) return 2;
    return 2U + (bytes[1] == 0 ? 256U : bytes[1]);
  }
  return bytes[0] >= 0x20 && bytes[0] <= 0x2F ? 2 : 1;
}

uint32_t message_bytes_missing(const uint8_t* bytes, uint32_t count) {
  const uint32_t size = size_of(bytes, count);
  return size > count ? size - count : 0;
}

static bool is_tag(uint8_t code) {
  return code >= MESSAGE_SIMPLE_TAG && code <= MESSAGE_ORDERED_TAG;
}

/// `bytes`: a whole extended message.
static void parse_extended(const uint8_t* bytes, struct message* message) {
  message->kind = MESSAGE_KIND_UNKNOWN;
  message->code = bytes[2];
  switch (bytes[1] << 8 | bytes[2]) {  // length, code
    case 3 << 8 | MESSAGE_EXTENDED_SYNCHRONOUS:
      message->kind = MESSAGE_KIND_SYNCHRONOUS;
      message->value = bytes_get_be16(bytes + 3);
      break;
    case 2 << 8 | MESSAGE_EXTENDED_WIDE:
      message->kind = MESSAGE_KIND_WIDE;
      message->value = bytes[3];
      break;
    case 4 << 8 | MESSAGE_EXTENDED_LONG_TAG:
      if (!is_tag(bytes[3])) break;
      message->kind = MESSAGE_KIND_LONG_TAG;
      message->code = bytes[3];
      message->value = bytes_get_be16(bytes + 4);
      break;
    case 5 << 8 | MESSAGE_EXTENDED_DEADLINE:
      message->kind = MESSAGE_KIND_DEADLINE;
      message->value = bytes_get_be32(bytes + 3);
      break;
    default: break;
  }
}

struct message message_next(const uint8_t* bytes, uint32_t count) {
  struct message message = {0, 0, MESSAGE_KIND_INCOMPLETE, 0};
  const uint32_t size = size_of(bytes, count);
  if (count < size) return message;
  message.size = (uint16_t)size;
  message.code = bytes[0];
  if (bytes[0] >= MESSAGE_IDENTIFY) {
    message.kind = MESSAGE_KIND_IDENTIFY;
    message.value = bytes[0];
  } else if (bytes[0] == MESSAGE_EXTENDED) {
    parse_extended(bytes, &message);
  } else if (size == 2) {
    message.kind = is_tag(bytes[0]) ? MESSAGE_KIND_TAG : MESSAGE_KIND_UNKNOWN;
    message.value = bytes[1];
  } else {
    message.kind = MESSAGE_KIND_SIMPLE;
  }
  return message;
}

uint32_t message_put_identify(uint8_t* bytes, uint8_t lun) {
  bytes[0] = (uint8_t)(MESSAGE_IDENTIFY | (lun & IDENTIFY_LUN));
  return 1;
}

uint32_t message_put_tag(uint8_t* bytes, uint16_t tag, bool long_tag) {
  if (!long_tag) {
    bytes[0] = MESSAGE_SIMPLE_TAG;
    bytes[1] = (uint8_t)tag;
    return 2;
  }
  bytes[0] = MESSAGE_EXTENDED;
  bytes[1] = 4;
  bytes[2] = MESSAGE_EXTENDED_LONG_TAG;
  bytes[3] = MESSAGE_SIMPLE_TAG;
  bytes_put_be16(bytes + 4, tag);
  return 6;
}

uint32_t message_put_synchronous(uint8_t* bytes, uint8_t period, uint8_t offset) {
  bytes[0] = MESSAGE_EXTENDED;
  bytes[1] = 3;
  bytes[2] = MESSAGE_EXTENDED_SYNCHRONOUS;
  bytes[3] = period;
  bytes[4] = offset;
  return 5;
}

uint32_t message_put_wide(uint8_t* bytes, uint8_t exponent) {
  bytes[0] = MESSAGE_EXTENDED;
  bytes[1] = 2;
  bytes[2] = MESSAGE_EXTENDED_WIDE;
  bytes[3] = exponent;
  return 4;
}
