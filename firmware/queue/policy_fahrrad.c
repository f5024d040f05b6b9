// SPDX-License-Identifier: Apache-2.0
/// `fahrrad`: a sweep over all candidates that can be reordered without missing a deadline in the
/// worst case (Fahrrad, Povzner, Kaldewey, Brandt and others 2008).
///
/// Each access is assumed to take `w`, the worst case. The set is formed anew for each choice, and
/// served as a scan. It takes real-time candidates by deadline, as long as all of them fit before
/// the earliest deadline. The first is always in the set. Then it takes best effort, the oldest
/// first, as long as the slack has room for another `w`. The slack is the least of these times:
///
/// - `horizon`;
/// - the time that the set's real time leaves before the earliest deadline;
/// - the least time between a deadline and the worst-case end of all real time up to it.
///
/// A stream may have a reservation (policy_stream.h): a share `u` of the heads' time in each period
/// `p`, a budget of u p. Periods begin at the multiples of p since power-on. A period begins with a
/// full budget, minus the overdraft of the period before, which is less than one access. An access
/// is charged its predicted time when it begins, if budget is left. The oldest candidates of the
/// stream are real time: as many as use up the budget at `w` each. They are due by the command's
/// deadline, or else at the end of the period. All other candidates of the stream are best effort.
/// As long as a candidate of the stream waits, the rest of its budget counts as real time, too. It
/// comes after all candidates that are due as early. The earliest deadline is at most the next end
/// of any period, because the next period may bring more real time.
///
/// The guarantee assumes that all deadlines come from reservations, and that no access takes longer
/// than w. The sum of u + w / p over all reserved streams, plus w / (the shortest p), must be at
/// most 1. Then a stream with a candidate waiting at every choice gets its whole budget in each
/// period, minus its overdraft. So it gets at least n u p in n periods from the beginning. With
/// deadlines from the commands this is the lower layer of Horizon.
#include <stddef.h>

#include "firmware/kernel/assert.h"
#include "firmware/queue/deadline.h"
#include "firmware/queue/sweep.h"

#define TENTHS 10U
#define FEW 32U

/// Mark of real time; set for each choice.
#define MARK_DUE 1U

/// Limit of a reservation's time ahead: periods are shorter.
#define LONG_TICKS 0x80000000U

static const struct policy_parameter parameters[] = {
    {.name = "w",
     .unit = POLICY_TEXT("ms: worst-case time of one access"),
     .minimum = 1,
     .maximum = 1000 * TENTHS,
     .initial = 14 * TENTHS,
     .decimals = 1},
    {.name = "horizon",
     .unit = POLICY_TEXT("ms: most best-effort time in one set"),
     .minimum = 1,
     .maximum = 10000 * TENTHS,
     .initial = 250 * TENTHS,
     .decimals = 1},
    {.name = NULL},
};

/// A stream's reservation.
struct reserve {
  time_tick end_tick;     ///< End of the period.
  uint32_t period_ticks;  ///< 0: nothing is reserved.
  int32_t full_ticks;     ///< u p
  int32_t left_ticks;     ///< Rest of the budget; negative: overdrawn.
};

struct store {
  bool reserves;  ///< Some stream has one.
  struct reserve reserve[POLICY_STREAMS];
};

struct state {
  struct sweep sweep;
  uint32_t worst_ticks;
  uint32_t horizon_ticks;
  struct store* store;
};

static void begin(void* state, const struct policy_setup* setup) {
  const uint32_t unit = TIME_TICKS_PER_MILLISECOND / TENTHS;
  struct state* fahrrad = state;
  struct store* store = setup->store;
  fahrrad->worst_ticks = setup->parameter[0] * unit;
  fahrrad->horizon_ticks = setup->parameter[1] * unit;
  fahrrad->store = store;
  store->reserves = false;
  for (uint32_t i = 0; i < POLICY_STREAMS; ++i) {
    const struct policy_stream* stream = &setup->streams[i];
    const uint32_t period_ticks = stream->p_ms * TIME_TICKS_PER_MILLISECOND;
    const int32_t full_ticks =
        (int32_t)(stream->p_ms * (TIME_TICKS_PER_MILLISECOND / 1000U) * stream->u_milli);
    store->reserve[i] = (struct reserve){.end_tick = period_ticks,
                                         .period_ticks = period_ticks,
                                         .full_ticks = full_ticks,
                                         .left_ticks = full_ticks};
    store->reserves = store->reserves || period_ticks != 0;
  }
}

// ----------------------------------------------------------------------------------- reservations

/// Accounts for so many ended periods.
static void refill(struct reserve* reserve, uint32_t periods) {
  const int64_t left_ticks = reserve->left_ticks + (int64_t)reserve->full_ticks * periods;
  reserve->left_ticks =
      left_ticks < reserve->full_ticks ? (int32_t)left_ticks : reserve->full_ticks;
  reserve->end_tick += (uint64_t)reserve->period_ticks * periods;
}

/// Goes on to the period of `now`.
static void bring_up(struct reserve* reserve, time_tick now) {
  if (reserve->period_ticks == 0) return;
  while (now >= reserve->end_tick) {
    const time_tick past_ticks = now - reserve->end_tick;
    // The core divides 32 bits.
    const uint32_t part_ticks = past_ticks < LONG_TICKS ? (uint32_t)past_ticks : LONG_TICKS;
    refill(reserve, part_ticks / reserve->period_ticks + 1U);
  }
}

static struct reserve* reserve_of(struct reserve reserves[], const struct candidate* candidate) {
  if (candidate->stream >= POLICY_STREAMS) return NULL;
  struct reserve* reserve = &reserves[candidate->stream];
  return reserve->period_ticks == 0 ? NULL : reserve;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* fahrrad = state;
  sweep_on_served(&fahrrad->sweep, view->head->cylinder, candidate);
  struct reserve* reserve = reserve_of(fahrrad->store->reserve, candidate);
  if (reserve == NULL) return;
  bring_up(reserve, view->head->at_tick);
  if (reserve->left_ticks <= 0) return;
  const time_tick end = predictor_access_end(view->predictor, view->head, candidate);
  reserve->left_ticks -= (int32_t)(end - view->head->at_tick);
}

// ---------------------------------------------------------------------------------------- the set

/// A set that is being made.
struct draft {
  const struct state* fahrrad;
  time_tick now;
  uint32_t cylinder;                       ///< Cylinder of the heads.
  struct candidate* best;                  ///< The next candidate of a sweep over the set so far.
  bool has_claim;                          ///< A real-time candidate has been found.
  bool is_full;                            ///< No more real time fits.
  bool reserves;                           ///< Some stream has a reservation.
  uint64_t first_ticks;                    ///< Ticks to the earliest deadline.
  uint64_t end_ticks;                      ///< Worst-case end of all real time so far.
  uint64_t room_ticks;                     ///< Ticks left for best effort.
  struct reserve reserve[POLICY_STREAMS];  ///< Reserves of the streams at the present time.
  uint32_t rest[POLICY_STREAMS];           ///< Accesses, at w each, that remain of a budget without
                                           ///< a candidate.
};

static void join(struct draft* draft, struct candidate* item) {
  const struct sweep* sweep = &draft->fahrrad->sweep;
  if (draft->best == NULL || sweep_is_better(sweep, draft->cylinder, item, draft->best)) {
    draft->best = item;
  }
}

static void limit_room(struct draft* draft, uint64_t due_ticks, uint64_t end_ticks) {
  const uint64_t room_ticks = due_ticks > end_ticks ? due_ticks - end_ticks : 0;
  if (room_ticks < draft->room_ticks) draft->room_ticks = room_ticks;
}

static bool is_over(const struct draft* draft) { return draft->is_full && draft->room_ticks == 0; }

static void begin_claims(struct draft* draft, uint64_t due_ticks) {
  if (!draft->has_claim && due_ticks < draft->first_ticks) draft->first_ticks = due_ticks;
  draft->has_claim = true;
}

/// Adds the next by deadline.
static void draft_real_time(struct draft* draft, struct candidate* item, uint64_t due_ticks) {
  begin_claims(draft, due_ticks);
  draft->end_ticks += draft->fahrrad->worst_ticks;
  limit_room(draft, due_ticks, draft->end_ticks);
  if (draft->end_ticks > draft->first_ticks) draft->is_full = true;
  // The first always.
  if (draft->is_full && draft->best != NULL) return;
  join(draft, item);
  limit_room(draft, draft->first_ticks, draft->end_ticks);
}

/// Adds real time without candidates: the rest of a budget, all due at once.
static void draft_claims(struct draft* draft, uint32_t count, uint64_t due_ticks) {
  const uint32_t worst_ticks = draft->fahrrad->worst_ticks;
  begin_claims(draft, due_ticks);
  const uint64_t before_ticks = draft->end_ticks;
  draft->end_ticks += (uint64_t)count * worst_ticks;
  limit_room(draft, due_ticks, draft->end_ticks);
  uint64_t fitting_ticks = draft->end_ticks;
  if (draft->end_ticks > draft->first_ticks) {
    draft->is_full = true;
    if (before_ticks >= draft->first_ticks) return;
    // Less than a budget.
    const uint32_t gap_ticks = (uint32_t)(draft->first_ticks - before_ticks);
    if (gap_ticks < worst_ticks) return;
    fitting_ticks = before_ticks + gap_ticks / worst_ticks * worst_ticks;
  }
  limit_room(draft, draft->first_ticks, fitting_ticks);
}

static uint64_t ticks_ahead(time_tick due, time_tick now) { return due > now ? due - now : 0; }

/// Brings the budgets up to the present time. What comes with a new period must not be late because
/// of the set.
static void draft_reserves(struct draft* draft) {
  for (uint32_t i = 0; i < POLICY_STREAMS; ++i) {
    struct reserve* reserve = &draft->reserve[i];
    *reserve = draft->fahrrad->store->reserve[i];
    bring_up(reserve, draft->now);
    if (reserve->period_ticks == 0) continue;
    const uint64_t ticks = ticks_ahead(reserve->end_tick, draft->now);
    if (ticks < draft->first_ticks) draft->first_ticks = ticks;
  }
}

/// Marks each waiting candidate as real time or not, and works out what is then left of the
/// budgets.
static void mark_due(struct draft* draft, const struct candidate_set* waiting) {
  const uint32_t worst_ticks = draft->fahrrad->worst_ticks;
  uint16_t asked[POLICY_STREAMS] = {0};
  for (struct candidate* item = waiting->first; item != NULL; item = item->next) {
    const struct reserve* reserve = reserve_of(draft->reserve, item);
    bool is_due = candidate_is_real_time(item);
    if (reserve != NULL) {
      uint16_t* count = &asked[item->stream];
      is_due = (int64_t)*count * worst_ticks < reserve->left_ticks;
      if (is_due) ++*count;
    }
    item->mark = is_due ? MARK_DUE : 0;
  }
  for (uint32_t i = 0; i < POLICY_STREAMS; ++i) {
    if (asked[i] == 0) continue;
    const uint32_t left_ticks = (uint32_t)draft->reserve[i].left_ticks;
    draft->rest[i] = (left_ticks - 1U) / worst_ticks + 1U - asked[i];
  }
}

static bool is_due(const struct draft* draft, const struct candidate* item) {
  return draft->reserves ? item->mark == MARK_DUE : candidate_is_real_time(item);
}

/// Deadline of a real-time candidate, in 64 ticks.
static uint32_t due_64ticks(const struct draft* draft, const struct candidate* item) {
  if (candidate_is_real_time(item)) return item->deadline_64ticks;
  return (uint32_t)(draft->reserve[item->stream].end_tick / TASK_ARRIVED_TICKS);
}

static uint64_t due_ticks_of(const struct draft* draft, const struct candidate* item) {
  if (candidate_is_real_time(item)) return deadline_ticks_ahead(item, draft->now);
  return ticks_ahead(draft->reserve[item->stream].end_tick, draft->now);
}

static bool is_due_before(const struct draft* draft, const struct candidate* one,
                          const struct candidate* other) {
  const int32_t gap = (int32_t)(due_64ticks(draft, one) - due_64ticks(draft, other));
  return gap != 0 ? gap < 0 : candidate_is_older(one, other);
}

/// deadline_next_few() for the real-time candidates that are marked.
static uint32_t next_few(const struct draft* draft, struct policy_view* view,
                         const struct candidate* behind, struct candidate* few[]) {
  if (!draft->reserves) return deadline_next_few(view, behind, few, FEW);
  uint32_t count = 0;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (item->mark != MARK_DUE) continue;
    if (behind != NULL && !is_due_before(draft, behind, item)) continue;
    uint32_t at = count;
    if (count < FEW) {
      ++count;
    } else if (!is_due_before(draft, item, few[--at])) {
      continue;
    }
    for (; at > 0 && is_due_before(draft, item, few[at - 1]); --at) few[at] = few[at - 1];
    few[at] = item;
  }
  view->looked_at += view->waiting->count;
  return count;
}

/// The stream whose rest is due first, before `due_ticks` from now; POLICY_STREAMS: none.
static uint32_t find_rest(const struct draft* draft, uint64_t due_ticks) {
  uint32_t first = POLICY_STREAMS;
  for (uint32_t i = 0; i < POLICY_STREAMS; ++i) {
    const time_tick end = draft->reserve[i].end_tick;
    if (draft->rest[i] == 0 || ticks_ahead(end, draft->now) >= due_ticks) continue;
    if (first == POLICY_STREAMS || end < draft->reserve[first].end_tick) first = i;
  }
  return first;
}

static void draft_rests(struct draft* draft, uint64_t due_ticks) {
  if (!draft->reserves) return;
  for (;;) {
    const uint32_t stream = find_rest(draft, due_ticks);
    if (stream == POLICY_STREAMS) return;
    draft_claims(draft, draft->rest[stream],
                 ticks_ahead(draft->reserve[stream].end_tick, draft->now));
    draft->rest[stream] = 0;
  }
}

static void draft_all_real_time(struct draft* draft, struct policy_view* view) {
  struct candidate* few[FEW];
  const struct candidate* behind = NULL;
  for (;;) {
    const uint32_t count = next_few(draft, view, behind, few);
    for (uint32_t i = 0; i < count; ++i) {
      if (!is_due(draft, few[i])) return;
      const uint64_t due_ticks = due_ticks_of(draft, few[i]);
      draft_rests(draft, due_ticks);
      draft_real_time(draft, few[i], due_ticks);
      if (is_over(draft)) return;
    }
    if (count < FEW) break;
    behind = few[FEW - 1];
  }
  draft_rests(draft, UINT64_MAX);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* fahrrad = state;
  struct draft draft;
  draft.fahrrad = fahrrad;
  draft.now = view->head->at_tick;
  draft.cylinder = view->head->cylinder;
  draft.best = NULL;
  draft.has_claim = draft.is_full = false;
  draft.reserves = fahrrad->store->reserves;
  draft.first_ticks = UINT64_MAX;
  draft.end_ticks = 0;
  draft.room_ticks = fahrrad->horizon_ticks;
  if (draft.reserves) {
    for (uint32_t i = 0; i < POLICY_STREAMS; ++i) draft.rest[i] = 0;
    draft_reserves(&draft);
    mark_due(&draft, view->waiting);
  }
  draft_all_real_time(&draft, view);
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (is_due(&draft, item)) continue;
    // If the set is empty, a candidate must be served all the same.
    if (draft.room_ticks < fahrrad->worst_ticks && draft.best != NULL) break;
    const bool fits = draft.room_ticks >= fahrrad->worst_ticks;
    draft.room_ticks -= fits ? fahrrad->worst_ticks : draft.room_ticks;
    join(&draft, item);
  }
  return draft.best;
}

STATIC_ASSERT(sizeof(struct store) <= POLICY_STORE_BYTES_MAX, "the store is too small");

const struct policy policy_fahrrad = {
    .name = "fahrrad",
    .text =
        POLICY_TEXT("sweep over requests whose order cannot break a deadline in the worst case"),
    .number = POLICY_NUMBER_fahrrad,
    .state_bytes = sizeof(struct state),
    .store_bytes = sizeof(struct store),
    .candidate_ticks = 40,
    .parameters = parameters,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next};
