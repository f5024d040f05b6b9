#include "firmware/scsi/agreement.h"

/// SoC clock, and the unit of the period on the wire.
#define CLOCK_NS 25U
#define PERIOD_UNIT_NS 4U

/// Rounded up: never faster than agreed.
static uint8_t clocks_of(uint8_t period) {
  return (uint8_t)((period * PERIOD_UNIT_NS + CLOCK_NS - 1U) / CLOCK_NS);
}

void agreement_synchronous(struct scsi_agreement* agreement, uint8_t* period, uint8_t* offset) {
  if (*period < AGREEMENT_PERIOD_MIN) *period = AGREEMENT_PERIOD_MIN;
  if (*offset > AGREEMENT_OFFSET_MAX) *offset = AGREEMENT_OFFSET_MAX;
  agreement->period_clocks = clocks_of(*period);
  agreement->offset = *offset;
}

void agreement_wide(struct scsi_agreement* agreement, uint8_t* exponent) {
  if (*exponent > AGREEMENT_WIDE_EXPONENT_MAX) *exponent = AGREEMENT_WIDE_EXPONENT_MAX;
  agreement->wide = *exponent != 0;
  agreement->offset = 0;
}
