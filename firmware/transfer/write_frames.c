// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/write_frames.h"

#include "firmware/hal/trace_port_hal.h"

// ------------------------------------------------------------------------------------------- mode

static bool is_same_setup(const struct write_buffer_setup* a, const struct write_buffer_setup* b) {
  return a->threshold == b->threshold && a->below == b->below && a->rate_milli == b->rate_milli &&
         a->scale_milli == b->scale_milli && a->frames == b->frames &&
         a->frame_blocks == b->frame_blocks;
}

static struct write_buffer_setup setup_of(const struct mode_caching* caching,
                                          const struct mode_write_buffer* mode) {
  if (!caching->writes || mode->threshold == WRITE_THRESHOLD_NONE) {
    return (struct write_buffer_setup){.threshold = WRITE_THRESHOLD_NONE, .frame_blocks = 1};
  }
  const uint32_t scale = mode->scale_milli;
  return (struct write_buffer_setup){
      .threshold = (enum write_threshold)mode->threshold,
      .below = mode->below,
      .rate_milli = mode->rate_milli,
      .scale_milli = scale == 0 ? WRITE_BUFFER_SCALE_ONE_MILLI : scale,
      .frames = caching->segments,
      .frame_blocks = caching->segment_blocks == 0 ? 1 : caching->segment_blocks};
}

/// Buffers a write anew if the media are not done with it.
static void buffer_again(struct task_set* tasks, const struct cache* cache, struct task* task) {
  const bool is_wanted = cache_reports(cache, task) || task_is_reported(task);
  if (task->operation != TASK_WRITE || !is_wanted || task->state >= TASK_TRANSFERRING) return;
  task_set_buffer(tasks, task);
  if (task->segment != SEGMENT_NONE) task_set_give_frames(tasks, task);
}

void write_frames_set_mode(struct task_set* tasks, const struct cache* cache,
                           const struct mode_write_buffer* mode) {
  const struct write_buffer_setup setup = setup_of(&cache->mode, mode);
  if (is_same_setup(&setup, &tasks->writes.setup)) return;
  struct task* task = NULL;
  for (task = task_set_oldest(tasks); task != NULL; task = task_set_younger(tasks, task)) {
    if (task_is_buffered(task)) task_set_unbuffer(tasks, task);
  }
  task_set_set_writes(tasks, &setup);
  if (setup.threshold == WRITE_THRESHOLD_NONE) return;
  for (task = task_set_oldest(tasks); task != NULL; task = task_set_younger(tasks, task)) {
    buffer_again(tasks, cache, task);
  }
}

// ------------------------------------------------------------------------------------------ writes

void write_frames_arrived(struct task_set* tasks, const struct cache* cache, struct task* task) {
  if (!write_buffer_is_in_force(&tasks->writes) || !cache_reports(cache, task)) return;
  task_set_buffer(tasks, task);
  write_buffer_count_arrival(&tasks->writes, task->candidate.arrived_64ticks);
}

void write_frames_admit(struct task_set* tasks, struct host_side* host) {
  struct task* task = NULL;
  while ((task = task_set_next_for_frames(tasks)) != NULL) {
    task_set_give_frames(tasks, task);
    host_side_fetch_early(host, task, SEGMENT_FOR_ARRIVAL);
    if (task->segment == SEGMENT_NONE) {
      task_set_take_frames(tasks, task);  // The buffer has no room, whatever its frames.
      return;
    }
    trace_port_hal_event(TRACE_WRITE_ADMITTED, task_set_index(tasks, task));
  }
}

bool write_frames_keep_out(struct task_set* tasks, struct host_side* host, struct task* task) {
  if (!task_is_buffered(task) || task_has_frames(task)) return false;
  write_frames_admit(tasks, host);
  if (task_has_frames(task)) return false;
  trace_port_hal_event(TRACE_WRITE_OUTSIDE, task_set_index(tasks, task));
  return true;
}

void write_frames_release(struct task_set* tasks, struct task* task) {
  if (task_is_buffered(task)) task_set_unbuffer(tasks, task);
}
