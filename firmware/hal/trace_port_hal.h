// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the trace port: one store reports an event, stamped by the simulator with its cycle.
///
/// Tracing is always on and costs as much as any store. The drive behaves the same with and without
/// a reader.
#ifndef FIRMWARE_HAL_TRACE_PORT_HAL_H
#define FIRMWARE_HAL_TRACE_PORT_HAL_H

#include "firmware/events.h"
#include "firmware/hal/mmio.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline void trace_port_hal_event(enum trace_event event, uint32_t argument) {
  hal_write32(HAL_BASE_TRACE_PORT + 4U * (uint32_t)event, argument);
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_TRACE_PORT_HAL_H
