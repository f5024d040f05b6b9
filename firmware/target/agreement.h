// SPDX-License-Identifier: Apache-2.0
/// @file
/// Negotiation of data transfers: what the drive answers to SDTR and WDTR (SCSI-2 6.6.21, 6.6.23).
///
/// An answer never exceeds the offer. Nor does it exceed what the drive's bus interface and the
/// block behind it can do: offset not above, period not below. A wide negotiation ends a
/// synchronous agreement. Periods on the wire are in units of 4 ns, in the block in SoC clocks.
#ifndef FIRMWARE_TARGET_AGREEMENT_H
#define FIRMWARE_TARGET_AGREEMENT_H

#include <stdint.h>

#include "firmware/hal/scsi_target_hal.h"

#ifdef __cplusplus
extern "C" {
#endif

// Limits of the scsi_target block.
/// Fast SCSI: 100 ns (SCSI-2 table 9, "fast").
#define AGREEMENT_PERIOD_MIN 25U
/// Largest offset: one less than the FIFO holds, because the byte that is moving has left the
/// count.
#define AGREEMENT_OFFSET_MAX 15U
/// SoC clocks per transfer after a reset of the block; asynchronous transfers do not use it.
#define AGREEMENT_PERIOD_CLOCKS_AT_RESET 4U
/// Exponent of 16 bits; 32 would be 2.
#define AGREEMENT_WIDE_EXPONENT_MAX 1U

/// The limits of what a drive agrees to.
struct agreement_limits {
  uint8_t period;         ///< Least period, in units of 4 ns.
  uint8_t offset;         ///< Largest offset; 0: asynchronous only.
  uint8_t wide_exponent;  ///< Largest width; 0: 8 bits, 1: 16 bits.
};

/// The limits of a drive with this interface, as far as the block can follow.
struct agreement_limits agreement_limits_of(uint32_t width_bits, uint32_t period_ns,
                                            uint32_t offset);

/// Ends an agreement: transfers are asynchronous and narrow.
static inline void agreement_forget(struct scsi_agreement* agreement) {
  agreement->period_clocks = AGREEMENT_PERIOD_CLOCKS_AT_RESET;
  agreement->offset = 0;
  agreement->wide = false;
}

/// Changes the initiator's SDTR into the drive's answer, and `agreement` with it. offset 0:
/// asynchronous.
void agreement_synchronous(const struct agreement_limits* limits, struct scsi_agreement* agreement,
                           uint8_t* period, uint8_t* offset);

/// Changes the initiator's WDTR into the drive's answer, and `agreement` with it.
void agreement_wide(const struct agreement_limits* limits, struct scsi_agreement* agreement,
                    uint8_t* exponent);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_AGREEMENT_H
