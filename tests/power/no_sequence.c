// SPDX-License-Identifier: Apache-2.0
// A broken build, for tests: the store's copies have no sequence number, so that nobody knows which
// of two good ones is the newer.
#include "firmware/kernel/bytes.h"

#define bytes_put_le32(at, value) \
  bytes_put_le32(at, (at) == image + AT_SEQUENCE ? 1U : (uint32_t)(value))
#include "firmware/transfer/store.c"
