// SPDX-License-Identifier: Apache-2.0
/// `wrrscan`: rounds with a quota for each stream, each round a sweep (weighted round robin;
/// Kim, Bahn and Won sort Rangan's and Won's rounds).
///
/// A round takes the oldest of each stream: `rt` of real time, `be` of best effort. An arrival
/// waits for the next round. The round is served as a scan, or by arrival with `inner=fcfs`
/// (Rangan, Vin and Ramanathan 1992). With `round`, the length of a round, best effort gets more.
/// It gets as many accesses of a mean length as fit into what the round's own accesses leave of it
/// (Won and Ryu 2000).
///
/// A stream for which the host has set it (policy_stream.h) has a quota of its own, in either
/// class: w, or k with `inner=fcfs`.
#include <stddef.h>

#include "firmware/kernel/bytes.h"
#include "firmware/queue/sweep.h"

#define STREAMS 256U
#define TENTHS 10U

static const struct policy_parameter parameters[] = {
    {.name = "rt",
     .unit = POLICY_TEXT("requests: real-time quota of a stream per round"),
     .minimum = 1,
     .maximum = 255,
     .initial = 4},
    {.name = "be",
     .unit = POLICY_TEXT("requests: best-effort quota of a stream per round"),
     .minimum = 1,
     .maximum = 255,
     .initial = 2},
    {.name = "round",
     .unit = POLICY_TEXT("ms: length of a round, filled up with best effort; 0: not filled up"),
     .minimum = 0,
     .maximum = 6000 * TENTHS,
     .initial = 0,
     .decimals = 1},
    {.name = NULL},
};

static const struct policy_flag flags[] = {
    {"inner=fcfs", POLICY_TEXT("a round is served in order of arrival, not as a sweep")},
    {NULL, NULL},
};
#define FLAG_INNER_FCFS 0x01U

/// Mark of those in the round.
#define MARK_ROUND 1U

struct state {
  struct sweep sweep;
  bool by_arrival;
  uint32_t quota[2];  ///< Quota of each enum candidate_class.
  uint32_t round_ticks;
  const struct policy_stream* streams;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* wrrscan = state;
  wrrscan->by_arrival = (setup->flags & FLAG_INNER_FCFS) != 0;
  wrrscan->quota[CANDIDATE_REAL_TIME] = setup->parameter[0];
  wrrscan->quota[CANDIDATE_BEST_EFFORT] = setup->parameter[1];
  wrrscan->streams = setup->streams;
  wrrscan->round_ticks = setup->parameter[2] * (TIME_TICKS_PER_MILLISECOND / TENTHS);
}

static bool goes_before(const struct state* wrrscan, uint32_t at, const struct candidate* one,
                        const struct candidate* other) {
  if (wrrscan->by_arrival) return candidate_is_older(one, other);
  return sweep_is_better(&wrrscan->sweep, at, one, other);
}

// ------------------------------------------------------------------------------- the next round

/// A round that is being made: each waiting candidate is considered, the oldest first.
struct draft {
  uint8_t taken[STREAMS][2];  ///< Services by stream and enum candidate_class.
  uint32_t extra;             ///< Best effort beyond the quotas.
};

static uint32_t quota_of(const struct state* wrrscan, const struct candidate* item) {
  if (item->stream < POLICY_STREAMS) {
    const struct policy_stream* stream = &wrrscan->streams[item->stream];
    const uint32_t own = wrrscan->by_arrival ? stream->round_quota : stream->weight;
    if (own != 0) return own;
  }
  return wrrscan->quota[item->service_class];
}

static bool quota_takes(struct draft* draft, const struct state* wrrscan,
                        const struct candidate* item) {
  uint8_t* taken = &draft->taken[item->stream][item->service_class];
  if (*taken >= quota_of(wrrscan, item)) return false;
  ++*taken;
  return true;
}

/// Whether the round is empty but for `served`, which may be NULL.
static void clear(struct draft* draft, const struct candidate* served) {
  bytes_fill(&draft->taken[0][0], 0, sizeof draft->taken);
  if (served != NULL) draft->taken[served->stream][served->service_class] = 1;
}

/// How many accesses fit into the length of a round after so many.
static uint32_t extra_of(const struct state* wrrscan, const struct predictor* predictor,
                         uint32_t count) {
  if (wrrscan->round_ticks == 0) return 0;
  const uint32_t access_ticks =
      predictor_mean_access_part(predictor->design) / DRIVE_DESIGN_TICK_PARTS +
      predictor->margin_tick;
  const uint32_t accesses = wrrscan->round_ticks / access_ticks;
  return accesses > count ? accesses - count : 0;
}

/// @param served  A candidate of the round that has left the set; NULL: none has.
static void draft_begin(struct draft* draft, const struct state* wrrscan,
                        const struct policy_view* view, const struct candidate* served) {
  uint32_t count = served != NULL ? 1 : 0;
  clear(draft, served);
  for (const struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    count += quota_takes(draft, wrrscan, item);
  }
  clear(draft, served);
  draft->extra = extra_of(wrrscan, view->predictor, count);
}

static bool draft_takes(struct draft* draft, const struct state* wrrscan,
                        const struct candidate* item) {
  if (quota_takes(draft, wrrscan, item)) return true;
  if (candidate_is_real_time(item) || draft->extra == 0) return false;
  --draft->extra;
  return true;
}

// ------------------------------------------------------------------------------------------ calls

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* wrrscan = state;
  if (!wrrscan->by_arrival) sweep_on_served(&wrrscan->sweep, view->head->cylinder, candidate);
  if (candidate->mark == MARK_ROUND) return;
  struct draft draft;
  draft_begin(&draft, wrrscan, view, candidate);
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (draft_takes(&draft, wrrscan, item)) item->mark = MARK_ROUND;
  }
}

static struct candidate* next_of_round(const struct state* wrrscan,
                                       const struct policy_view* view) {
  struct candidate* best = NULL;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (item->mark != MARK_ROUND) continue;
    if (best == NULL || goes_before(wrrscan, view->head->cylinder, item, best)) best = item;
  }
  return best;
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* wrrscan = state;
  view->looked_at += view->waiting->count;
  struct candidate* best = next_of_round(wrrscan, view);
  if (best != NULL) return best;
  struct draft draft;
  draft_begin(&draft, wrrscan, view, NULL);
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (!draft_takes(&draft, wrrscan, item)) continue;
    if (best == NULL || goes_before(wrrscan, view->head->cylinder, item, best)) best = item;
  }
  return best;
}

const struct policy policy_wrrscan = {
    .name = "wrrscan",
    .text = POLICY_TEXT("rounds with a quota of requests per stream, each served as a sweep"),
    .number = POLICY_NUMBER_wrrscan,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 45,
    .parameters = parameters,
    .flags = flags,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next};
