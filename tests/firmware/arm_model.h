// SPDX-License-Identifier: Apache-2.0
// The functions of the clients in arm_model.def. test_arm.cpp defines them.
#pragma once

#include "firmware/transfer/arm_state.h"

#ifdef __cplusplus
extern "C" {
#endif

enum arm_answer work_plan(struct model*, struct media_request*);
enum arm_answer work_outcome(struct model*, enum media_outcome, struct media_request*);
enum arm_answer spare_plan(struct model*, struct media_request*);
enum arm_answer spare_outcome(struct model*, enum media_outcome, struct media_request*);
void spare_yield(struct model*, bool may_begin);
bool host_task_wants(struct model*);
enum arm_answer host_task_plan(struct model*, struct media_request*);
void host_task_begun(struct model*, enum media_outcome);
enum arm_answer host_task_outcome(struct model*, enum media_outcome, struct media_request*);
enum arm_answer read_ahead_plan(struct model*, struct media_request*);
enum arm_answer read_ahead_outcome(struct model*, enum media_outcome, struct media_request*);
void read_ahead_yield(struct model*, bool may_begin);
enum arm_answer park_plan(struct model*, struct media_request*);
enum arm_answer park_outcome(struct model*, enum media_outcome, struct media_request*);
void park_yield(struct model*, bool may_begin);

#ifdef __cplusplus
}
#endif
