// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/nexus.h"

#define FILE_ID FILE_ID_NEXUS
#include "firmware/kernel/assert.h"

/// The order in which unit attentions are reported; a code's bit is its row.
static const uint8_t attention_order[] = {
    SENSE_POWER_ON_OR_RESET,
    SENSE_BUS_RESET,
    SENSE_DEVICE_RESET,
    SENSE_MEDIUM_MAY_HAVE_CHANGED,
    SENSE_MODE_PARAMETERS_CHANGED,
    SENSE_LOG_PARAMETERS_CHANGED,
    SENSE_CLEARED_BY_ANOTHER_INITIATOR,
};
#define ATTENTION_COUNT (sizeof(attention_order) / sizeof(attention_order[0]))
/// The rows above that are resets.
#define RESET_ATTENTION_COUNT 3U

void nexus_init(struct nexus* nexus) {
  // The initiator has the status, but not the sense data.
  if (nexus->sense.is_deferred) nexus->unreported = nexus->sense;
  nexus->sense = sense_plain(SENSE_NONE);
  nexus->attentions = 0;
  nexus->contingent_allegiance = nexus->is_held = false;
}

void nexus_raise_attention(struct nexus* nexus, enum sense_code code) {
  for (uint32_t row = 0; row < ATTENTION_COUNT; ++row) {
    if (attention_order[row] != code) continue;
    if (row < RESET_ATTENTION_COUNT) nexus->attentions = 0;
    nexus->attentions |= (uint16_t)(1U << row);
    return;
  }
  ASSERT_UNREACHABLE();
}

enum sense_code nexus_take_attention(struct nexus* nexus) {
  if (nexus->attentions == 0) return SENSE_NONE;
  for (uint32_t row = 0; row < ATTENTION_COUNT; ++row) {
    const uint16_t bit = (uint16_t)(1U << row);
    if ((nexus->attentions & bit) == 0) continue;
    nexus->attentions &= (uint16_t)~bit;
    return (enum sense_code)attention_order[row];
  }
  return SENSE_NONE;
}

void nexus_take_back(struct nexus* nexus, const struct sense* sense) {
  if (sense->is_deferred) {
    nexus->unreported = *sense;
    return;
  }
  for (uint32_t row = 0; row < ATTENTION_COUNT; ++row) {
    if (attention_order[row] == sense->code) nexus->attentions |= (uint16_t)(1U << row);
  }
}
