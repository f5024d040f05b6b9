// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/arm_idle.h"

/// Ends work for which no task waits. If the arm or a sector is under way, the end follows later.
static void abort_idle(struct service* service) {
  if (!media_reads_ahead(service->media) || media_abort(service->media) != MEDIA_ENDED) return;
  arm_release(service->arm);
  cache_end_fill(service->cache);
}

enum arm_answer read_ahead_plan(struct service* service, struct media_request* request) {
  arm_do_without(service->arm, ARM_READ_AHEAD);
  return cache_read_on(service->cache, request) ? ARM_REQUEST : ARM_PASSES;
}

enum arm_answer read_ahead_outcome(struct service* service, enum media_outcome outcome,
                                   struct media_request* request) {
  (void)request;
  if (outcome == MEDIA_ENDED) {
    cache_end_fill(service->cache);
  } else {
    service_on_progress(service, outcome);
  }
  return ARM_PASSES;
}

void read_ahead_yield(struct service* service, bool may_begin) {
  if (may_begin) abort_idle(service);
}

enum arm_answer park_plan(struct service* service, struct media_request* request) {
  request->detour = service->scheduler->park_cylinder;
  if (request->detour == POLICY_STAYS || host_task_wants(service)) return ARM_PASSES;
  return ARM_GOES;
}

enum arm_answer park_outcome(struct service* service, enum media_outcome outcome,
                             struct media_request* request) {
  (void)service;
  (void)outcome;
  (void)request;
  return ARM_PASSES;
}

void park_yield(struct service* service, bool may_begin) {
  if (may_begin) abort_idle(service);
}
