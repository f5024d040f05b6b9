// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/message.h"

#include "firmware/kernel/bytes.h"

static bool is_tag(uint8_t code) {
  return code >= MESSAGE_SIMPLE_TAG && code <= MESSAGE_ORDERED_TAG;
}

static struct message incomplete(uint32_t missing) {
  return (struct message){.size = (uint16_t)missing, .kind = MESSAGE_KIND_INCOMPLETE};
}

/// The second byte is the length of what follows it; 0 means 256. These messages are apart from the
/// others, which are shorter and come with each command.
static __attribute__((noinline)) struct message next_extended(const uint8_t* bytes,
                                                              uint32_t count) {
  if (count == 1) return incomplete(1);
  const uint32_t size = 2U + (bytes[1] == 0 ? 256U : bytes[1]);
  if (count < size) return incomplete(size - count);
  struct message message = {0, (uint16_t)size, MESSAGE_KIND_UNKNOWN, bytes[2]};
  switch (bytes[1] << 8 | bytes[2]) {  // length, code
    case 3 << 8 | MESSAGE_EXTENDED_SYNCHRONOUS:
      message.kind = MESSAGE_KIND_SYNCHRONOUS;
      message.value = bytes_get_be16(bytes + 3);
      break;
    case 2 << 8 | MESSAGE_EXTENDED_WIDE:
      message.kind = MESSAGE_KIND_WIDE;
      message.value = bytes[3];
      break;
    case 4 << 8 | MESSAGE_EXTENDED_LONG_TAG:
      if (!is_tag(bytes[3])) break;
      message.kind = MESSAGE_KIND_LONG_TAG;
      message.code = bytes[3];
      message.value = bytes_get_be16(bytes + 4);
      break;
    case 5 << 8 | MESSAGE_EXTENDED_DEADLINE:
      message.kind = MESSAGE_KIND_DEADLINE;
      message.value = bytes_get_be32(bytes + 3);
      break;
    case 8 << 8 | MESSAGE_EXTENDED_DEADLINE:
      if (bytes[7] > CANDIDATE_REAL_TIME || bytes[9] > TASK_PRIORITY_MAX) break;
      message.kind = MESSAGE_KIND_URGENCY;
      message.value = bytes_get_be32(bytes + 3);
      break;
    default: break;
  }
  return message;
}

/// SCSI-2 6.6: 20h .. 2Fh have two bytes, 01h has its length in its second byte, the others have
/// one.
struct message message_next(const uint8_t* bytes, uint32_t count) {
  if (count == 0) return incomplete(1);
  const uint8_t code = bytes[0];
  if (code >= MESSAGE_IDENTIFY) return (struct message){code, 1, MESSAGE_KIND_IDENTIFY, code};
  if (code == MESSAGE_EXTENDED) return next_extended(bytes, count);
  if (code < 0x20 || code > 0x2F) return (struct message){0, 1, MESSAGE_KIND_SIMPLE, code};
  if (count == 1) return incomplete(1);
  return (struct message){bytes[1], 2, is_tag(code) ? MESSAGE_KIND_TAG : MESSAGE_KIND_UNKNOWN,
                          code};
}

struct task_urgency message_urgency(const uint8_t* bytes) {
  return (struct task_urgency){.due_us = bytes_get_be32(bytes + 3),
                               .service_class = bytes[7],
                               .stream = bytes[8],
                               .priority = bytes[9]};
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
