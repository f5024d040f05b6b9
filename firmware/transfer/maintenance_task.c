// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/maintenance_task.h"

#define FILE_ID FILE_ID_MAINTENANCE_TASK
#include "firmware/kernel/assert.h"

/// The order is carried out, or has failed: its task ends.
static enum arm_answer finish(struct service* service) {
  const struct maintenance_outcome* outcome = &service->maintenance->outcome;
  arm_do_without(service->arm, ARM_MAINTENANCE);
  service_finish_current(service, outcome->status, outcome->lba);
  return ARM_DONE;
}

enum arm_answer maintenance_task_plan(struct service* service, struct media_request* request) {
  switch (maintenance_next(service->maintenance, request)) {
    case MAINTENANCE_REQUESTS: return ARM_REQUEST;
    case MAINTENANCE_YIELDS: service->arm->blocked |= ARM_YIELDED; return ARM_WAITS;
    case MAINTENANCE_IS_OVER: return finish(service);
  }
  ASSERT_UNREACHABLE();
}

enum arm_answer maintenance_task_outcome(struct service* service, enum media_outcome outcome,
                                         struct media_request* request) {
  (void)request;
  if (outcome != MEDIA_ENDED || maintenance_took(service->maintenance)) return ARM_PASSES;
  return finish(service);
}
