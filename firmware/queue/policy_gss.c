// SPDX-License-Identifier: Apache-2.0
/// `gss`: a visit to each stream in turn, which scans the oldest of its requests (Grouped Sweeping
/// Scheduling, Chen, Kandlur and Yu 1993).
///
/// Streams are visited in the order of their numbers, again and again. Streams without a request
/// are left out. A visit is for the `q` oldest that the stream has when the first of them is
/// served. It serves them to the last one as `scan` does, and the direction carries over to the
/// next visit.
#include <stddef.h>

#include "firmware/queue/sweep.h"

static const struct policy_parameter parameters[] = {
    {.name = "q",
     .unit = POLICY_TEXT("requests: most requests of a stream per visit"),
     .minimum = 1,
     .maximum = 256,
     .initial = 4},
    {.name = NULL},
};

#define STREAMS 256U

struct visit {
  uint8_t stream;
  uint32_t last_sequence;  ///< Number of its youngest.
};

struct state {
  struct sweep sweep;
  uint32_t q;
  bool has_visit;  ///< A visit has begun, and is perhaps over.
  struct visit visit;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* gss = state;
  gss->q = setup->parameter[0];
}

static bool is_visited(const struct visit* visit, const struct candidate* candidate) {
  return candidate->stream == visit->stream && search_had_arrived(candidate, visit->last_sequence);
}

/// How many streams lie between the last visit's stream and this one: 0 for the next one.
static uint32_t turn_of(const struct state* gss, uint8_t stream) {
  const uint32_t first = gss->has_visit ? gss->visit.stream + 1U : 0;
  return (stream - first) % STREAMS;
}

/// The visit that begins with the waiting candidates, of which there is one at least.
static struct visit next_visit(const struct state* gss, const struct candidate_set* waiting) {
  struct visit visit = {.stream = waiting->first->stream};
  for (const struct candidate* item = waiting->first; item != NULL; item = item->next) {
    if (turn_of(gss, item->stream) < turn_of(gss, visit.stream)) visit.stream = item->stream;
  }
  uint32_t count = 0;
  for (const struct candidate* item = waiting->first; item != NULL && count < gss->q;
       item = item->next) {
    if (item->stream != visit.stream) continue;
    visit.last_sequence = item->sequence;
    ++count;
  }
  return visit;
}

/// The next candidate of the visit's sweep; NULL: the visit is over.
static struct candidate* next_visited(const struct state* gss, const struct visit* visit,
                                      struct policy_view* view) {
  struct candidate* best = NULL;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (!is_visited(visit, item)) continue;
    const uint32_t at = view->head->cylinder;
    if (best == NULL || sweep_is_better(&gss->sweep, at, item, best)) best = item;
  }
  view->looked_at += view->waiting->count;
  return best;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* gss = state;
  sweep_on_served(&gss->sweep, view->head->cylinder, candidate);
  if (gss->has_visit && is_visited(&gss->visit, candidate)) return;
  // `candidate` has left the set; it was one of the stream's oldest.
  gss->has_visit = true;
  gss->visit = (struct visit){.stream = candidate->stream, .last_sequence = candidate->sequence};
  uint32_t count = 1;
  for (const struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (item->stream != candidate->stream) continue;
    if (++count > gss->q) return;
    if (candidate_is_older(item, candidate)) continue;
    gss->visit.last_sequence = item->sequence;
  }
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* gss = state;
  if (view->waiting->first == NULL) return NULL;
  if (gss->has_visit) {
    struct candidate* next = next_visited(gss, &gss->visit, view);
    if (next != NULL) return next;
  }
  const struct visit visit = next_visit(gss, view->waiting);
  return next_visited(gss, &visit, view);
}

const struct policy policy_gss = {
    .name = "gss",
    .text = POLICY_TEXT("streams in turn, each with a sweep over its oldest requests"),
    .number = POLICY_NUMBER_gss,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 45,
    .parameters = parameters,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next};
