// SPDX-License-Identifier: Apache-2.0
/// `csfc`: C-SCAN inside the most urgent partition of deadlines (Cascaded-SFC, Mokbel, Aref,
/// Elbassioni and Kamel 2004).
///
/// The time to a deadline, from none to `dmax`, is divided into `p` equal partitions. Past
/// deadlines are in the first. Those farther away, and all best effort, are in the last. The first
/// partition that is not empty is served as by `cscan`. With `priority=first` the host's priority
/// comes before the partition.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/search.h"

/// `dmax` in ticks times `p` fits into 32 bits.
#define PARTITIONS_MAX 16U
#define DMAX_MILLISECONDS_MAX 6000U
#define TENTHS 10U

static const struct policy_parameter parameters[] = {
    {.name = "p",
     .unit = POLICY_TEXT("partitions: equal parts of the time to a deadline, up to dmax"),
     .minimum = 1,
     .maximum = PARTITIONS_MAX,
     .initial = 3},
    {.name = "dmax",
     .unit = POLICY_TEXT("ms: time to a deadline from which on it is in the last partition"),
     .minimum = 1,
     .maximum = DMAX_MILLISECONDS_MAX * TENTHS,
     .initial = 60 * TENTHS,
     .decimals = 1},
    {.name = NULL},
};

static const struct policy_flag flags[] = {
    {"priority=first", POLICY_TEXT("the request's priority ranks before its partition")},
    {NULL, NULL},
};
#define FLAG_PRIORITY_FIRST 0x01U

struct state {
  uint32_t partitions;
  uint32_t dmax_ticks;
  bool priority_first;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* csfc = state;
  csfc->partitions = setup->parameter[0];
  csfc->dmax_ticks = setup->parameter[1] * (TIME_TICKS_PER_MILLISECOND / TENTHS);
  csfc->priority_first = (setup->flags & FLAG_PRIORITY_FIRST) != 0;
}

static uint32_t partition_of(const struct state* csfc, const struct candidate* candidate,
                             time_tick now) {
  const uint32_t last = csfc->partitions - 1;
  if (!candidate_is_real_time(candidate)) return last;
  const uint64_t ahead_ticks = deadline_ticks_ahead(candidate, now);
  if (ahead_ticks >= csfc->dmax_ticks) return last;
  return (uint32_t)ahead_ticks * csfc->partitions / csfc->dmax_ticks;
}

/// A candidate without a priority (0) comes after all others.
static uint32_t priority_of(const struct candidate* candidate) {
  return (candidate->priority - 1U) & 0xFFU;
}

/// The sort key that precedes the cylinder.
static uint32_t urgency_of(const struct state* csfc, const struct candidate* candidate,
                           time_tick now) {
  const uint32_t partition = partition_of(csfc, candidate, now);
  if (!csfc->priority_first) return partition;
  return priority_of(candidate) * PARTITIONS_MAX + partition;
}

/// Candidates below wrap around, and come after all those above.
static bool is_nearer(uint32_t at, const struct candidate* one, const struct candidate* other) {
  return search_is_less(one->cylinder - at, one, other->cylinder - at, other);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* csfc = state;
  const time_tick now = view->head->at_tick;
  const uint32_t at = view->head->cylinder;
  struct candidate* best = NULL;
  uint32_t least = UINT32_MAX;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    const uint32_t urgency = urgency_of(csfc, item, now);
    if (urgency > least || (urgency == least && !is_nearer(at, item, best))) continue;
    best = item;
    least = urgency;
  }
  view->looked_at += view->waiting->count;
  return best;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct state* csfc = state;
  const time_tick now = view->head->at_tick;
  const uint32_t one_urgency = urgency_of(csfc, one, now);
  const uint32_t other_urgency = urgency_of(csfc, other, now);
  if (one_urgency != other_urgency) return one_urgency < other_urgency;
  return is_nearer(view->head->cylinder, one, other);
}

const struct policy policy_csfc = {
    .name = "csfc",
    .text = POLICY_TEXT("C-SCAN within the most urgent partition of deadlines"),
    .number = POLICY_NUMBER_csfc,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 55,
    .parameters = parameters,
    .flags = flags,
    .begin = begin,
    .which_next = which_next,
    .is_better = is_better};
