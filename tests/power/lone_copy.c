// SPDX-License-Identifier: Apache-2.0
// A broken build, for tests: the store writes the first copy of a cell alone. Two generations in
// turn survive a power cut, but nothing protects them from a bad sector.
#include "firmware/transfer/save.h"

#undef STORE_COPIES
#define STORE_COPIES 1U
#include "firmware/transfer/save.c"
