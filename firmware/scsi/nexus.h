// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive's state for each initiator (I_T_L nexus): sense data, unit attentions, transfer
/// agreement.
#ifndef FIRMWARE_SCSI_NEXUS_H
#define FIRMWARE_SCSI_NEXUS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/hal/scsi_target_hal.h"
#include "firmware/scsi/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Number of ids on a wide bus.
#define SCSI_INITIATORS 16U

struct nexus {
  struct sense sense;               ///< Valid while contingent_allegiance. With key COMPLETED it
                                    ///< follows a GOOD status, until the next command. Else none.
  struct scsi_agreement agreement;  ///< Agreement for data phases with this initiator.
  uint16_t attentions;              ///< Pending unit attentions, one bit each.
  uint16_t lost_first;              ///< Index of the oldest failed write to be reported as a
                                    ///< deferred error; TASK_NONE: none. Resets keep it.
  uint16_t lost_last;               ///< Index of the youngest one.
  struct sense unreported;          ///< A deferred error whose report was interrupted.
  bool contingent_allegiance;  ///< CHECK CONDITION was sent, and no command has come since (SCSI-2
                               ///< 7.6).
};

/// Resets the nexus: no sense, no attention, asynchronous and narrow. Deferred errors stay, also
/// one whose REQUEST SENSE has not come.
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

/// Returns to asynchronous, narrow transfers.
void nexus_forget_agreement(struct nexus* nexus);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_NEXUS_H
