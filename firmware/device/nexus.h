// SPDX-License-Identifier: Apache-2.0
/// @file
/// The device server's state for each initiator (I_T_L nexus): sense data and unit attentions.
#ifndef FIRMWARE_DEVICE_NEXUS_H
#define FIRMWARE_DEVICE_NEXUS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/unit/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nexus {
  struct sense sense;          ///< Valid while contingent_allegiance. With key COMPLETED it
                               ///< follows a GOOD status, until the next command. Else none.
  uint16_t attentions;         ///< Pending unit attentions, one bit each.
  uint16_t lost_first;         ///< Index of the oldest failed write to be reported as a
                               ///< deferred error; TASK_NONE: none. Resets keep it.
  uint16_t lost_last;          ///< Index of the youngest one.
  struct sense unreported;     ///< A deferred error whose report was interrupted.
  bool contingent_allegiance;  ///< CHECK CONDITION was sent, and no command has come since (SCSI-2
                               ///< 7.6).
  bool is_held;                ///< No task of the nexus is reselected for: there is a contingent
                               ///< allegiance, or its tasks are being aborted.
};

/// Resets the nexus: no sense, no attention. Deferred errors stay, also one whose REQUEST SENSE has
/// not come.
void nexus_init(struct nexus* nexus);

/// Adds a unit attention. A reset (29/xx) clears what was pending, because it implies all of that.
/// @param code  A SENSE_ code whose key is UNIT ATTENTION.
void nexus_raise_attention(struct nexus* nexus, enum sense_code code);

/// Takes the most important unit attention: resets first, then 28/00, 2A/01, 2A/02, 2F/00.
/// SENSE_NONE for none.
enum sense_code nexus_take_attention(struct nexus* nexus);

/// Makes a unit attention or deferred error pending again, because its report did not reach the
/// initiator.
void nexus_take_back(struct nexus* nexus, const struct sense* sense);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_NEXUS_H
