// SPDX-License-Identifier: Apache-2.0
/// ASSERT in a native program: says where, and aborts.
#include "firmware/kernel/assert.h"

#include <stdio.h>
#include <stdlib.h>

static const char* file_of(uint32_t code) {
  switch (code >> 16) {
#define ASSERTING_FILE(number, name, path) \
  case (number):                           \
    return (path);
#include "firmware/kernel/file_ids.def"
#undef ASSERTING_FILE
    default: return "a test";
  }
}

void assert_failed(uint32_t code) {
  fprintf(stderr, "firmware: bug: ASSERT at %s:%u\n", file_of(code), (unsigned)(code & 0xFFFFU));
  abort();
}
