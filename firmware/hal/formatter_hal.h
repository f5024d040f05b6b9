// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the formatter block: operations on the sectors of one track.
#ifndef FIRMWARE_HAL_FORMATTER_HAL_H
#define FIRMWARE_HAL_FORMATTER_HAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Events, the bits of INTR_STATE.
enum formatter_event {
  FORMATTER_EVENT_DONE = 1U << 0,
  FORMATTER_EVENT_ERROR = 1U << 1,
  FORMATTER_EVENT_SECTOR = 1U << 2,
  FORMATTER_EVENT_CHAINED = 1U << 3,
};

/// Values of COMMAND.op.
enum formatter_operation {
  FORMATTER_READ = 1,
  FORMATTER_WRITE = 2,
  FORMATTER_VERIFY = 3,
};

/// Causes of FORMATTER_EVENT_ERROR, the bits of ERROR.
enum formatter_error {
  FORMATTER_ERROR_NOT_FOUND = 1U << 0,
  FORMATTER_ERROR_CHECK = 1U << 1,
  FORMATTER_ERROR_OVERRUN = 1U << 2,
  FORMATTER_ERROR_UNDERRUN = 1U << 3,
  FORMATTER_ERROR_HEADER = 1U << 4,
  FORMATTER_ERROR_OFF_TRACK = 1U << 5,
  FORMATTER_ERROR_WRITE_FAULT = 1U << 6,
  FORMATTER_ERROR_OTHER_TRACK = 1U << 7,
  FORMATTER_ERROR_NO_SYNC = 1U << 8,
};

/// Sectors of one track, ascending.
struct formatter_run {
  uint32_t cylinder;
  uint32_t head;
  uint32_t sector;  ///< First.
  uint32_t count;   ///< 1 .. FORMATTER_COUNT_MAX
};

#define FORMATTER_COUNT_MAX 0xFFFFU

/// How far an operation is.
struct formatter_progress {
  uint32_t done;  ///< Sectors completed without error, in all runs.
  uint32_t runs;  ///< Chained runs that have begun, modulo FORMATTER_RUNS.
};

#define FORMATTER_RUNS 256U

/// Sets the sector format. An operation fails after `revolutions` index pulses, 1 .. 15, without a
/// sector found.
void formatter_hal_configure(uint32_t preamble_bytes, uint32_t data_bytes, uint32_t revolutions);

/// Enables exactly these events as interrupts.
void formatter_hal_enable(uint32_t events);

/// Returns the events since the last call and acknowledges them.
uint32_t formatter_hal_take_events(void);

/// Acknowledges these events, whether they have come or not.
void formatter_hal_forget(uint32_t events);

/// Starts an operation; the block must be idle.
void formatter_hal_start(enum formatter_operation operation, const struct formatter_run* run);

/// Chains a run: the operation under way continues with it as soon as the present run is done. Only
/// the event `chained` reports the transition. The servo seeks to its target, which must be the
/// track of `run`. Call it once per `chained` event. The sectors of all runs together are at most
/// FORMATTER_COUNT_MAX.
void formatter_hal_chain(const struct formatter_run* run);

/// Stops the operation under way; the event `done` follows.
void formatter_hal_abort(void);

bool formatter_hal_busy(void);

struct formatter_progress formatter_hal_progress(void);

/// Why the last operation stopped early: bits of enum formatter_error.
uint32_t formatter_hal_errors(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_FORMATTER_HAL_H
