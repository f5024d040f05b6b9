// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/agreement.h"

/// SoC clock, and the unit of the period on the wire.
#define CLOCK_NS 25U
#define PERIOD_UNIT_NS 4U
/// The largest value on the wire.
#define PERIOD_MAX 255U

/// Rounded up: never faster than agreed.
static uint8_t clocks_of(uint8_t period) {
  return (uint8_t)((period * PERIOD_UNIT_NS + CLOCK_NS - 1U) / CLOCK_NS);
}

struct agreement_limits agreement_limits_of(uint32_t width_bits, uint32_t period_ns,
                                            uint32_t offset) {
  const uint32_t period = (period_ns + PERIOD_UNIT_NS - 1U) / PERIOD_UNIT_NS;
  struct agreement_limits limits = {PERIOD_MAX, AGREEMENT_OFFSET_MAX, 0};
  if (period < limits.period) limits.period = (uint8_t)period;
  if (limits.period < AGREEMENT_PERIOD_MIN) limits.period = AGREEMENT_PERIOD_MIN;
  if (offset < limits.offset) limits.offset = (uint8_t)offset;
  if (width_bits > 8) limits.wide_exponent = AGREEMENT_WIDE_EXPONENT_MAX;
  return limits;
}

void agreement_synchronous(const struct agreement_limits* limits, struct scsi_agreement* agreement,
                           uint8_t* period, uint8_t* offset) {
  if (*period < limits->period) *period = limits->period;
  if (*offset > limits->offset) *offset = limits->offset;
  agreement->period_clocks = clocks_of(*period);
  agreement->offset = *offset;
}

void agreement_wide(const struct agreement_limits* limits, struct scsi_agreement* agreement,
                    uint8_t* exponent) {
  if (*exponent > limits->wide_exponent) *exponent = limits->wide_exponent;
  agreement->wide = *exponent != 0;
  agreement->offset = 0;
}
