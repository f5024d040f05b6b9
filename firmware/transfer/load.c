// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/load.h"

static enum load_step begin_map(struct load* load) {
  return remap_load_begin(load->remap) ? LOAD_MAP : LOAD_OVER;
}

bool load_begin(struct load* load) {
  if (load->step == LOAD_NOT_YET) {
    load->step = store_load_begin(load->store) ? LOAD_STORE : (uint8_t)begin_map(load);
    if (load->step != LOAD_OVER) arm_want(load->arm, ARM_LOAD);
  }
  return load->step != LOAD_OVER;
}

enum arm_answer load_plan(struct load* load, struct media_request* request) {
  if (load->step == LOAD_STORE) {
    if (store_load_next(load->store, request)) return ARM_REQUEST;
    load->step = (uint8_t)begin_map(load);
  }
  if (load->step == LOAD_MAP) {
    switch (remap_load_next(load->remap, request)) {
      case REMAP_REQUESTS: return ARM_REQUEST;
      case REMAP_YIELDS: load->arm->blocked |= ARM_YIELDED; return ARM_WAITS;
      case REMAP_HAS_NOTHING: break;
    }
    load->step = LOAD_OVER;
  }
  arm_do_without(load->arm, ARM_LOAD);
  return ARM_WAITS;  // The drive is not ready yet.
}

enum arm_answer load_outcome(struct load* load, enum media_outcome outcome,
                             struct media_request* request) {
  (void)request;
  if (outcome != MEDIA_ENDED) return ARM_PASSES;
  if (load->step == LOAD_STORE) {
    store_load_took(load->store);
  } else {
    remap_load_took(load->remap);
  }
  return ARM_PASSES;
}
