// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/arm.h"

#define FILE_ID FILE_ID_ARM
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"
#include "firmware/motion/seek.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/unit/unit.h"
#include ARM_CLIENTS_H

void arm_init(struct arm* arm) {
  arm->wants = 0;
  arm->owner = ARM_NO_CLIENT;
  arm->blocked = 0;
}

// A row's part of an expression or of a switch, by its KIND.
#define OR_WANTS_TASK(name) || name##_wants(arm->name)
#define OR_WANTS_FOREGROUND(name)
#define OR_WANTS_BACKGROUND(name)
#define OR_WANTS_IDLE(name)
#define BEGUN_TASK(NAME, name)        \
  case ARM_##NAME:                    \
    name##_begun(arm->name, outcome); \
    return;
#define BEGUN_FOREGROUND(NAME, name)
#define BEGUN_BACKGROUND(NAME, name)
#define BEGUN_IDLE(NAME, name)
#define YIELD_TASK(NAME, name)
#define YIELD_FOREGROUND(NAME, name)
#define YIELD_BACKGROUND(NAME, name)    \
  case ARM_##NAME:                      \
    name##_yield(arm->name, may_begin); \
    return;
#define YIELD_IDLE(NAME, name) YIELD_BACKGROUND(NAME, name)
#define MAY_TASK(arm) true
#define MAY_FOREGROUND(arm) true
#define MAY_BACKGROUND(arm) may_run_in_background(arm)
#define MAY_IDLE(arm) true
#define KEEPS_TASK 1U
#define KEEPS_FOREGROUND 1U
#define KEEPS_BACKGROUND 0U
#define KEEPS_IDLE 0U

/// Whether a task of a host could use the arm at this moment.
static bool task_waits(const struct arm* arm) {
#define ARM_CLIENT(NAME, name, TYPE, KIND) OR_WANTS_##KIND(name)
  return false
#include ARM_CLIENTS_DEF
      ;
#undef ARM_CLIENT
}

// ------------------------------------------------------------------------------- calls of clients

static RARE bool may_run_in_background(struct arm* arm) {
  if (arm->media->seek->spindle != SPINDLE_AT_SPEED || arm->unit->not_ready != SENSE_NONE) {
    return false;
  }
  if (bus_holder_decides(arm->bus)) return false;
  arm->others_wait = task_waits(arm);
  return true;
}

/// Offers the arm to one client after the other, until one does not pass.
static ALWAYS_INLINE enum arm_answer plan(struct arm* arm, enum arm_client* client) {
  enum arm_answer answer = ARM_PASSES;
#define ARM_CLIENT(NAME, name, TYPE, KIND)                                     \
  if (arm_is_wanted_by(arm, ARM_##NAME) && MAY_##KIND(arm) &&                  \
      (answer = name##_plan(arm->name, &arm->media->request)) != ARM_PASSES) { \
    *client = ARM_##NAME;                                                      \
    return answer;                                                             \
  }
#include ARM_CLIENTS_DEF
#undef ARM_CLIENT
  return ARM_PASSES;
}

static ALWAYS_INLINE enum arm_answer outcome_of(struct arm* arm, enum arm_client client,
                                                enum media_outcome outcome) {
  // Most events are those of tasks.
  if (client == ARM_HOST) return host_task_outcome(arm->host_task, outcome, &arm->media->request);
  switch (client) {
    case ARM_NO_CLIENT: return ARM_PASSES;
#define ARM_CLIENT(NAME, name, TYPE, KIND) \
  case ARM_##NAME:                         \
    return name##_outcome(arm->name, outcome, &arm->media->request);
#include ARM_CLIENTS_DEF
#undef ARM_CLIENT
  }
  ASSERT_UNREACHABLE();
}

static ALWAYS_INLINE void begun(struct arm* arm, enum arm_client client,
                                enum media_outcome outcome) {
  switch (client) {
#define ARM_CLIENT(NAME, name, TYPE, KIND) BEGUN_##KIND(NAME, name)
#include ARM_CLIENTS_DEF
#undef ARM_CLIENT
    default: return;
  }
}

static RARE void ask_to_yield(struct arm* arm, bool may_begin) {
  if (!task_waits(arm)) return;
  switch (arm->owner) {
#define ARM_CLIENT(NAME, name, TYPE, KIND) YIELD_##KIND(NAME, name)
#include ARM_CLIENTS_DEF
#undef ARM_CLIENT
    default: return;
  }
}

/// The clients that keep the arm, and are not asked to yield.
#define ARM_CLIENT(NAME, name, TYPE, KIND) | (KEEPS_##KIND << ARM_##NAME)
static const uint32_t keepers = 0
#include ARM_CLIENTS_DEF
    ;
#undef ARM_CLIENT

// ------------------------------------------------------------------------------------ the media

/// Starts the media for a client. A request may end at once, and the client may have another one.
static void start(struct arm* arm, enum arm_client client) {
  while (true) {
    arm->owner = (uint8_t)client;
    const enum media_outcome outcome = media_start(arm->media);
    if (outcome != MEDIA_ENDED) {
      begun(arm, client, outcome);
      return;
    }
    arm_release(arm);
    if (outcome_of(arm, client, MEDIA_ENDED) != ARM_REQUEST) return;
  }
}

static RARE void go(struct arm* arm, enum arm_client client) {
  media_rest(arm->media, arm->media->request.detour);
  if (!media_is_idle(arm->media)) arm->owner = (uint8_t)client;
}

/// Offers the arm once. @return whether it has to be offered again.
static bool offer(struct arm* arm) {
  enum arm_client client = ARM_NO_CLIENT;
  switch (plan(arm, &client)) {
    case ARM_PASSES:
    case ARM_WAITS: return false;
    case ARM_DONE: return true;
    case ARM_REQUEST: start(arm, client); return true;
    case ARM_GOES: go(arm, client); return false;
  }
  ASSERT_UNREACHABLE();
}

static __attribute__((noinline)) void dispatch_free(struct arm* arm) {
  if (arm->owner != ARM_NO_CLIENT) ask_to_yield(arm, !arm_is_blocked(arm));
  if (arm_is_blocked(arm)) return;
  arm->blocked |= ARM_IS_OFFERED;
  while (arm->owner == ARM_NO_CLIENT && media_is_idle(arm->media) && offer(arm)) {
  }
  arm->blocked &= (uint8_t)~ARM_IS_OFFERED;
}

/// The test before the call is quick, because in most calls a task keeps the arm, or no client
/// wants it.
void arm_dispatch(struct arm* arm) {
  if (arm->wants == 0 || (keepers >> arm->owner & 1U) != 0) return;
  dispatch_free(arm);
}

void arm_ask_to_yield(struct arm* arm) {
  if (arm->owner != ARM_NO_CLIENT) ask_to_yield(arm, true);
}

RARE void arm_resume(struct arm* arm) {
  arm->blocked &= (uint8_t)~ARM_YIELDED;
  arm_dispatch(arm);
}

void arm_on_media(struct arm* arm, enum media_outcome outcome) {
  const enum arm_client client = (enum arm_client)arm->owner;
  if (outcome == MEDIA_ENDED) arm_release(arm);
  if (outcome == MEDIA_SERVED) arm->owner = ARM_READ_AHEAD;
  const enum arm_answer answer = outcome_of(arm, client, outcome);
  if (answer == ARM_REQUEST) start(arm, client);
  if (outcome >= MEDIA_SERVED || answer == ARM_DONE) arm_dispatch(arm);
}
