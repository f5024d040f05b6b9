/// @file
/// The arm and the spindle: one movement at a time, ended by servo events.
///
/// After every servo interrupt seek_on_events() says what came of it. A refused or lost seek is
/// tried again SEEK_RETRIES times. The position before the first seek is the one that the drive
/// parks at: cylinder 0, head 0.
#ifndef FIRMWARE_MOTION_SEEK_H
#define FIRMWARE_MOTION_SEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEEK_RETRIES 3U

enum spindle_state {
  SPINDLE_AT_REST,
  SPINDLE_SPINNING_UP,
  SPINDLE_AT_SPEED,
  SPINDLE_SPINNING_DOWN,
};

/// What an event meant, bits.
enum seek_result {
  SEEK_RESULT_ARRIVED = 1U << 0,  ///< Settled on the track that was asked for, as it was asked for.
  SEEK_RESULT_FAILED = 1U << 1,   ///< Given up after SEEK_RETRIES.
  SEEK_RESULT_AT_SPEED = 1U << 2,
  SEEK_RESULT_AT_REST = 1U << 3,
};

struct seek {
  uint32_t cylinder;  ///< Of the track under the heads, or the one they move to.
  uint32_t head;
  uint8_t spindle;      ///< enum spindle_state
  uint8_t retries;      ///< Left for the movement under way.
  bool moving;          ///< Somebody waits for SEEK_RESULT_ARRIVED.
  bool for_write;       ///< It needs the settling that writing needs.
  bool position_known;  ///< The heads have been sent somewhere since the spindle started.
};

void seek_init(struct seek* seek);

/// Starts or stops the spindle; nothing, when it is there or on its way. No movement may be under
/// way when it stops.
void seek_spin_up(struct seek* seek);
void seek_spin_down(struct seek* seek);

/// Goes to a track. `again`: even if the heads are on it, because they proved not to be.
///
/// @return STATUS_OK when the heads are there and settled already, STATUS_BUSY when
///         SEEK_RESULT_ARRIVED or SEEK_RESULT_FAILED will follow, STATUS_NOT_READY when the spindle
///         is not at speed. One movement at a time: a second one is a bug.
MUST_USE enum status seek_start(struct seek* seek, uint32_t cylinder, uint32_t head, bool for_write,
                                bool again);

/// enum servo_event bits in, enum seek_result bits out.
uint32_t seek_on_events(struct seek* seek, uint32_t events);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_SEEK_H
