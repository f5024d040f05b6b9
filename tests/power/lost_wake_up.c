// SPDX-License-Identifier: Apache-2.0
// A broken build, for tests: a write awaits the event of reading heads. It has come already when
// the heads are settled for writing, so no event wakes the write until its time is over.
#include "firmware/hal/servo_hal.h"

#define SERVO_EVENT_WRITE_READY SERVO_EVENT_ON_TRACK
#include "firmware/motion/seek.c"
