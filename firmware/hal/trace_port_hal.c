// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/trace_port_hal.h"

#include "firmware/kernel/assert.h"
#include "trace_port_regs.h"

// The inline store depends on the block's layout, which is compared with the generated one here.
STATIC_ASSERT(offsetof(trace_port_t, EVENT) == 0, "events from the block's first address");
STATIC_ASSERT(sizeof(((trace_port_t*)0)->EVENT[0]) == 4, "a word per event");
STATIC_ASSERT(TRACE_EVENT_COUNT * sizeof(uint32_t) <= sizeof(trace_port_t), "a register per event");
