// SPDX-License-Identifier: Apache-2.0
// A broken build, for tests: the store has one copy of each cell, and writes it in place.
#include "firmware/transfer/store.h"

#define store_index(store, cell, copy) store_index(store, cell, 0U * (copy))
#include "firmware/transfer/save.c"
