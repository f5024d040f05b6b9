// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/write_buffer.h"

/// In two steps, so that 32 bits suffice for all that a host may set.
static uint32_t scale(uint32_t interval, uint32_t scale_milli) {
  const uint32_t one = WRITE_BUFFER_SCALE_ONE_MILLI;
  if (scale_milli == one) return interval;
  return interval / one * scale_milli + interval % one * scale_milli / one;
}

/// Empty. Its bands take long to clear, so a list gets them when a threshold first needs it.
static void begin_list(struct candidate_set* list, uint32_t band_shift) {
  list->first = list->last = NULL;
  list->count = 0;
  list->band_shift = band_shift;
}

void write_buffer_init(struct write_buffer* buffer, uint32_t band_shift) {
  const struct write_buffer_setup none = {.threshold = WRITE_THRESHOLD_NONE, .frame_blocks = 1};
  buffer->wanted = 0;
  buffer->held = 0;
  buffer->changes = 0;
  buffer->last_arrival = 0;
  buffer->mean_gap_16 = 0;
  write_buffer_set(buffer, &none);
  begin_list(&buffer->reported, band_shift);
  begin_list(&buffer->arriving, band_shift);
}

void write_buffer_set(struct write_buffer* buffer, const struct write_buffer_setup* setup) {
  buffer->setup = *setup;
  buffer->set_interval = 0;
  buffer->arrivals = 0;
  ++buffer->changes;
  if (write_buffer_is_apart(buffer)) {
    candidate_set_init(&buffer->reported, buffer->reported.band_shift);
    candidate_set_init(&buffer->arriving, buffer->arriving.band_shift);
  }
  if (setup->threshold != WRITE_THRESHOLD_TIME || setup->rate_milli == 0) return;
  buffer->set_interval = scale(WRITE_BUFFER_SECOND * 1000U / setup->rate_milli, setup->scale_milli);
}

uint32_t write_buffer_frames(const struct write_buffer* buffer, uint32_t blocks) {
  const uint32_t size = buffer->setup.frame_blocks;
  const uint32_t frames = blocks <= size ? 1 : (blocks - 1) / size + 1;
  return frames < buffer->setup.frames ? frames : buffer->setup.frames;
}

void write_buffer_count_arrival(struct write_buffer* buffer, uint32_t arrived_64ticks) {
  const uint32_t since = arrived_64ticks - buffer->last_arrival;
  const uint32_t gap = since < WRITE_BUFFER_GAP_MOST ? since : WRITE_BUFFER_GAP_MOST;
  buffer->last_arrival = arrived_64ticks;
  if (buffer->arrivals == 0) {
    buffer->arrivals = 1;
  } else if (buffer->arrivals == 1) {
    buffer->arrivals = 2;
    buffer->mean_gap_16 = gap << WRITE_BUFFER_MEAN_SHIFT;
  } else {
    buffer->mean_gap_16 += gap - (buffer->mean_gap_16 >> WRITE_BUFFER_MEAN_SHIFT);
  }
}

uint32_t write_buffer_interval(const struct write_buffer* buffer) {
  if (buffer->set_interval != 0) return buffer->set_interval;
  const uint32_t gap =
      buffer->arrivals < 2 ? WRITE_BUFFER_GAP_MOST : buffer->mean_gap_16 >> WRITE_BUFFER_MEAN_SHIFT;
  return scale(gap, buffer->setup.scale_milli);
}

/// The time from now to the buffer's deadline. No deadline of a task is farther away than the
/// limits.
static int32_t slack_of(const struct write_buffer* buffer) {
  const int64_t slack = (int64_t)(write_buffer_free(buffer) + 1) * write_buffer_interval(buffer);
  const int64_t most = (int64_t)CANDIDATE_SLACK_MAX_64TICKS;
  if (slack > most) return (int32_t)most;
  return slack < INT32_MIN ? INT32_MIN : (int32_t)slack;
}

bool write_buffer_goes_next(const struct write_buffer* buffer, const struct write_rivals* rivals) {
  const bool is_short = write_buffer_free(buffer) < (int32_t)buffer->setup.below;
  switch (buffer->setup.threshold) {
    case WRITE_THRESHOLD_SPACE: return !rivals->wait || is_short;
    case WRITE_THRESHOLD_TIME:
      return !rivals->wait || !rivals->are_due || slack_of(buffer) < rivals->slack;
    case WRITE_THRESHOLD_FREE: return is_short;
    case WRITE_THRESHOLD_NONE: break;
  }
  return false;
}
