/// ASSERT in a native program: says where, and aborts.
#include <stdio.h>
#include <stdlib.h>

#include "firmware/kernel/assert.h"

void assert_failed(uint32_t code) {
  fprintf(stderr, "firmware: bug: ASSERT of file id %u, line %u (firmware/kernel/assert.h)\n",
          (unsigned)(code >> 16), (unsigned)(code & 0xFFFFU));
  abort();
}
