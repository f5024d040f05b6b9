// SPDX-License-Identifier: Apache-2.0
/// `cello`: two classes share the heads' time, and best effort goes first if all deadlines are
/// still met (Cello, Shenoy and Vin 1998).
///
/// Each class, real time and best effort, is charged the expected time of its accesses, divided by
/// its share. The class with the lower charge is served next; real time, if they are equal. The
/// charge of a class without waiting candidates is raised to that of the other. Real time is served
/// by deadline, best effort as a scan. If real time is next, the next best-effort candidate is
/// served before it on one condition. All deadlines must still be met after it, in their order.
///
/// An access is expected to wait half a turn, as in the paper, or is priced by the drive's
/// predictor.
///
/// The option `by=stream` (Reddy's shares) makes streams the parties instead of classes. Each
/// stream with a share set by the host (policy_stream.h) is a party. All other streams together are
/// one party, with the remaining share, at least one percent. The party with the lowest charge is
/// served next; of equals, the lower stream. Within a party real time is served by deadline, then
/// best effort as a scan. The charge of a party without waiting candidates is raised to that of the
/// party that is served.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/path.h"
#include "firmware/queue/sweep.h"

#define SHARE_ONE 100U
#define FLAG_BY_STREAM 0x02U
/// Deadlines that are sorted at a time.
#define FEW 32U

static const struct policy_parameter parameters[] = {
    {.name = "share",
     .unit = POLICY_TEXT("of the time: share of the real-time class"),
     .minimum = 1,
     .maximum = SHARE_ONE - 1,
     .initial = SHARE_ONE / 2,
     .decimals = 2,
     .not_with = FLAG_BY_STREAM},
    {.name = NULL},
};

static const struct policy_flag flags[] = {
    {"price=exact", POLICY_TEXT("access times from the drive's predictor, not mean times")},
    {"by=stream", POLICY_TEXT("streams, not classes, share the time, as set on mode page 20h/01h")},
    {NULL, NULL},
};
static const char* const defaults[] = {POLICY_TEXT("price=mean"), NULL};
#define FLAG_PRICE_EXACT 0x01U

/// Parties: streams, and after them all others together.
#define PARTIES (POLICY_STREAMS + 1U)
#define PARTY_OTHERS POLICY_STREAMS

/// Weight of a tick before its division by the share, which is rounded down.
#define WEIGHT_ONE 65536U

struct party {
  uint64_t used;    ///< Weighted ticks.
  uint32_t weight;  ///< 0: no party of its own; the stream is one of the others.
};

struct store {
  struct party party[PARTIES];
};

struct state {
  struct sweep sweep;
  bool exact;
  struct store* store;  ///< NULL: the classes are the parties.
  uint32_t share[2];    ///< Share of each enum candidate_class, hundredths.
  uint64_t used[2];     ///< Ticks, times the other class's share.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* cello = state;
  cello->exact = (setup->flags & FLAG_PRICE_EXACT) != 0;
  cello->share[CANDIDATE_REAL_TIME] = setup->parameter[0];
  cello->share[CANDIDATE_BEST_EFFORT] = SHARE_ONE - setup->parameter[0];
  if ((setup->flags & FLAG_BY_STREAM) == 0) return;
  cello->store = setup->store;
  uint32_t left = SHARE_ONE;
  for (uint32_t i = 0; i < POLICY_STREAMS; ++i) {
    const uint32_t share = setup->streams[i].share;
    cello->store->party[i] = (struct party){.weight = share == 0 ? 0 : WEIGHT_ONE / share};
    left -= share;
  }
  cello->store->party[PARTY_OTHERS] =
      (struct party){.weight = left == 0 ? WEIGHT_ONE : WEIGHT_ONE / left};
}

static uint32_t party_of(const struct store* store, const struct candidate* candidate) {
  if (candidate->stream >= POLICY_STREAMS) return PARTY_OTHERS;
  return store->party[candidate->stream].weight == 0 ? PARTY_OTHERS : candidate->stream;
}

/// A bit for each party with a waiting candidate.
static uint32_t parties_waiting(const struct store* store, const struct candidate_set* waiting) {
  uint32_t parties = 0;
  for (const struct candidate* item = waiting->first; item != NULL; item = item->next) {
    parties |= 1U << party_of(store, item);
  }
  return parties;
}

static void charge_party(struct store* store, const struct candidate_set* waiting,
                         const struct candidate* candidate, uint32_t access_ticks) {
  const uint32_t parties = parties_waiting(store, waiting);
  struct party* own = &store->party[party_of(store, candidate)];
  for (uint32_t i = 0; i < PARTIES; ++i) {
    const bool is_idle = (parties >> i & 1U) == 0;
    if (is_idle && store->party[i].used < own->used) store->party[i].used = own->used;
  }
  own->used += (uint64_t)access_ticks * own->weight;
}

static bool waits(const struct candidate_set* waiting, uint32_t service_class) {
  for (const struct candidate* item = waiting->first; item != NULL; item = item->next) {
    if (item->service_class == service_class) return true;
  }
  return false;
}

static void charge_class(struct state* cello, const struct candidate_set* waiting, uint32_t own,
                         uint32_t access_ticks) {
  const uint32_t other = 1U - own;
  const uint64_t before = cello->used[own];
  if (cello->used[other] < before && !waits(waiting, other)) cello->used[other] = before;
  cello->used[own] += (uint64_t)access_ticks * cello->share[other];
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* cello = state;
  struct pricing pricing;
  predictor_begin(view->predictor, view->head, &pricing);
  if (!cello->exact) pricing_expect_half_turns(&pricing);
  const uint32_t access_ticks =
      view->predictor->margin_tick +
      rotation_ticks(view->predictor->rotation, pricing_access_turn24(&pricing, candidate));
  if (cello->store != NULL) {
    charge_party(cello->store, view->waiting, candidate, access_ticks);
  } else {
    charge_class(cello, view->waiting, candidate->service_class, access_ticks);
  }
  if (!candidate_is_real_time(candidate)) {
    sweep_on_served(&cello->sweep, view->head->cylinder, candidate);
  }
}

/// The next best-effort candidate of a sweep; NULL: none waits.
static struct candidate* next_best_effort(const struct state* cello,
                                          const struct policy_view* view) {
  struct candidate* best = NULL;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (candidate_is_real_time(item)) continue;
    const uint32_t at = view->head->cylinder;
    if (best == NULL || sweep_is_better(&cello->sweep, at, item, best)) best = item;
  }
  return best;
}

/// Whether all deadlines, in their order, are met after `first`.
static bool all_are_met_behind(const struct state* cello, struct policy_view* view,
                               const struct candidate* first) {
  struct path_prices prices;
  path_prices_begin(&prices, view);
  if (!cello->exact) path_expect_half_turns(&prices);
  uint32_t end_turn24 = path_end(&prices, 0, first);
  const struct candidate* last = first;
  struct candidate* few[FEW];
  const struct candidate* behind = NULL;
  for (;;) {
    const uint32_t count = deadline_next_few(view, behind, few, FEW);
    for (uint32_t i = 0; i < count; ++i) {
      if (!candidate_is_real_time(few[i])) return true;
      const struct path_stop stop = path_behind(last, end_turn24);
      end_turn24 = path_end_from(&prices, &stop, few[i]);
      if (end_turn24 > path_due(&prices, few[i])) return false;
      last = few[i];
    }
    if (count < FEW) return true;
    behind = few[FEW - 1];
  }
}

/// The next candidate of a party, which has one.
static struct candidate* next_of_party(const struct state* cello, const struct policy_view* view,
                                       uint32_t party) {
  struct candidate* best = NULL;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (party_of(cello->store, item) != party) continue;
    bool is_better = best == NULL;
    if (!is_better && candidate_is_real_time(item)) {
      is_better = candidate_is_due_before(item, best);
    } else if (!is_better && !candidate_is_real_time(best)) {
      is_better = sweep_is_better(&cello->sweep, view->head->cylinder, item, best);
    }
    if (is_better) best = item;
  }
  return best;
}

static struct candidate* next_by_stream(const struct state* cello, struct policy_view* view) {
  const struct store* store = cello->store;
  const uint32_t parties = parties_waiting(store, view->waiting);
  if (parties == 0) return NULL;
  uint32_t least = PARTIES;
  for (uint32_t i = 0; i < PARTIES; ++i) {
    if ((parties >> i & 1U) == 0) continue;
    if (least == PARTIES || store->party[i].used < store->party[least].used) least = i;
  }
  view->looked_at += view->waiting->count;
  struct candidate* next = next_of_party(cello, view, least);
  if (!candidate_is_real_time(next)) return next;
  struct candidate* best_effort = next_best_effort(cello, view);
  if (best_effort == NULL || !all_are_met_behind(cello, view, best_effort)) return next;
  return best_effort;
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* cello = state;
  if (cello->store != NULL) return next_by_stream(cello, view);
  struct candidate* real_time = deadline_earliest(view);
  if (real_time == NULL) return NULL;
  struct candidate* best_effort = next_best_effort(cello, view);
  if (best_effort == NULL) return real_time;
  if (!candidate_is_real_time(real_time)) return best_effort;
  if (cello->used[CANDIDATE_BEST_EFFORT] < cello->used[CANDIDATE_REAL_TIME]) return best_effort;
  return all_are_met_behind(cello, view, best_effort) ? best_effort : real_time;
}

const struct policy policy_cello = {
    .name = "cello",
    .text = POLICY_TEXT("two classes share the time; best effort first if all deadlines are kept"),
    .number = POLICY_NUMBER_cello,
    .state_bytes = sizeof(struct state),
    .store_bytes = sizeof(struct store),
    .candidate_ticks = 80,
    .parameters = parameters,
    .flags = flags,
    .defaults = defaults,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next};
