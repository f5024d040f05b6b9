// SPDX-License-Identifier: Apache-2.0
/// `stfd`: the shortest access that deadlines allow (ours).
///
/// Real-time candidates that can still meet their deadline (live) are planned three ahead, with
/// exact prices. For best effort and expired candidates no deadline can be gained. Such a candidate
/// is served where the turn of the platter absorbs it, and by a promise. The promise serves one of
/// them in PROMISE_SERVICES services. It is the oldest best effort, once it has waited longer than
/// `wait`. Otherwise it is the oldest expired, once it has waited four times as long.
///
/// 1. The promise.
/// 2. V: the STFD_LIVE_NEAREST live candidates that end first, and up to STFD_LIVE_URGENT of the
///    earliest deadlines. X: the STFD_OTHERS others of the least cost, where age reduces the cost
///    by up to half.
/// 3. The plan: the longest path of at most PLAN_LENGTH of V that meets each deadline. Of the
///    longest, it is the one that ends first. PLAN_WIDTH paths are kept at each length.
/// 4. No plan: the first of X.
/// 5. One of X goes before the plan if the plan's accesses do not end later because of it.
/// 6. If others take more than three quarters of the host's tags, throughput gradually goes before
///    deadlines.
/// 7. The plan's first.
///
/// No plan is kept: a choice considers all arrivals. V and X are prepared while the media work
/// (stfd_lists.h); steps 3 to 7 are done at the choice.
#include <stddef.h>

#include "firmware/queue/stfd_lists.h"

#define PLAN_LENGTH 3U
#define PLAN_WIDTH 4U
#define PROMISE_SERVICES 16U
/// An expired candidate waits this many times as long as best effort before it is promised.
#define EXPIRED_WAITS 4U
/// Default of `wait`, in mean accesses of fcfs.
#define WAIT_ACCESSES 500U
/// Turns that an other may cost more than a plan's first, in step 6.
#define LEAD_TURNS 3U
#define TURN24 0x01000000U

#define UNITS_PER_MILLISECOND (TIME_TICKS_PER_MILLISECOND / TASK_ARRIVED_TICKS)

enum { PARAMETER_WAIT, PARAMETER_TAGS, PARAMETER_RESERVE };

static const struct policy_parameter parameters[] = {
    [PARAMETER_WAIT] = {.name = "wait",
                        .unit = POLICY_TEXT("ms: starvation bound; 0: 500 mean access times"),
                        .minimum = 0,
                        .maximum = 600000,
                        .initial = 0},
    [PARAMETER_TAGS] = {.name = "tags",
                        .unit = POLICY_TEXT("commands: most queue tags that the host uses"),
                        .minimum = 4,
                        .maximum = 65535,
                        .initial = 256},
    [PARAMETER_RESERVE] = {.name = "reserve",
                           .unit = POLICY_TEXT("commands: tags that best effort may not use"),
                           .minimum = 0,
                           .maximum = 65535,
                           .initial = 0},
    {.name = NULL},
};

enum { FLAG_PARK };

static const struct policy_flag flags[] = {
    [FLAG_PARK] = {"park", POLICY_TEXT("an idle arm moves to the middle of the stroke")},
    {.name = NULL},
};

static const struct policy_counter counters[] = {
    {"all_at_once", POLICY_TEXT("choices searched from scratch because no step was prepared")},
    {.name = NULL},
};

struct state {
  uint32_t* all_at_once;
  uint32_t wait_64ticks;
  uint32_t others_low;   ///< Step 6 begins when there are more others than this.
  uint32_t others_high;  ///< Number of others from which deadlines have no lead.
  uint32_t since;        ///< Services since the last promised one.
  uint32_t best_effort_most;
  uint32_t park_cylinder;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* stfd = state;
  stfd->all_at_once = setup->counters;
  const uint32_t access_64ticks =
      predictor_mean_access_part(setup->design) / (DRIVE_DESIGN_TICK_PARTS * TASK_ARRIVED_TICKS);
  const uint32_t wait_ms = setup->parameter[PARAMETER_WAIT];
  const uint32_t tags = setup->parameter[PARAMETER_TAGS];
  const uint32_t spare_tags = tags / 64;
  stfd->wait_64ticks =
      wait_ms != 0 ? wait_ms * UNITS_PER_MILLISECOND : WAIT_ACCESSES * access_64ticks;
  const uint32_t reserve = setup->parameter[PARAMETER_RESERVE];
  stfd->best_effort_most = reserve == 0 ? UINT32_MAX : reserve < tags ? tags - reserve : 0;
  const bool parks = (setup->flags & 1U << FLAG_PARK) != 0;
  stfd->park_cylinder = parks ? setup->design->cylinders / 2 : POLICY_STAYS;
  stfd->others_low = tags * 3 / 4;
  stfd->others_high = tags - (spare_tags == 0 ? 1 : spare_tags);
}

static uint32_t best_effort_most(const void* state) {
  const struct state* stfd = state;
  return stfd->best_effort_most;
}

static uint32_t rest(const void* state) {
  const struct state* stfd = state;
  return stfd->park_cylinder;
}

// ---- the promise

/// The candidate that the promise serves next; NULL: none. `since`: services since the last
/// promised one, this included.
static struct candidate* promised(const struct state* stfd, uint32_t since,
                                  const struct stfd_survey* survey, uint32_t now_64ticks) {
  if (since < PROMISE_SERVICES) return NULL;
  struct candidate* best_effort = survey->oldest_best_effort;
  if (best_effort != NULL && stfd_age(best_effort, now_64ticks) > stfd->wait_64ticks) {
    return best_effort;
  }
  struct candidate* expired = survey->oldest_expired;
  if (expired != NULL && stfd_age(expired, now_64ticks) > EXPIRED_WAITS * stfd->wait_64ticks) {
    return expired;
  }
  return NULL;
}

/// Whether a candidate that has left the list, after a long enough wait, was promised. It was if no
/// candidate that the promise prefers had waited long enough. The list goes from old to young.
static bool was_promised(const struct state* stfd, const struct policy_view* view,
                         const struct path_prices* prices, const struct candidate* served) {
  const bool is_real_time = candidate_is_real_time(served);
  for (const struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    const bool is_older = candidate_is_older(item, served);
    if (candidate_is_real_time(item)) {
      if (is_real_time && is_older && path_is_expired(prices, item)) return false;
    } else if (is_older || is_real_time) {
      return stfd_age(item, prices->now_64ticks) <= stfd->wait_64ticks;
    }
    if (!is_older && !is_real_time) return true;
    if (stfd_age(item, prices->now_64ticks) <= stfd->wait_64ticks) return true;
  }
  return true;
}

/// Most candidates have not waited long enough.
static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* stfd = state;
  if (++stfd->since < PROMISE_SERVICES) return;
  const bool is_real_time = candidate_is_real_time(candidate);
  const uint32_t wait = stfd->wait_64ticks * (is_real_time ? EXPIRED_WAITS : 1U);
  const uint32_t now_64ticks = (uint32_t)(view->head->at_tick / TASK_ARRIVED_TICKS);
  if (stfd_age(candidate, now_64ticks) <= wait) return;
  struct path_prices prices;
  path_prices_begin(&prices, view);
  if (is_real_time && !path_is_expired(&prices, candidate)) return;
  if (was_promised(stfd, view, &prices, candidate)) stfd->since = 0;
}

// ---- the plan

struct path {
  uint32_t end_turn24;  ///< Time at which its last access ends.
  uint8_t taken;        ///< Bit i: i of V is in the path.
  uint8_t length;
  uint8_t live[PLAN_LENGTH];  ///< Index into V.
};

struct paths {
  uint32_t count;
  struct path path[PLAN_WIDTH];  ///< Paths, sorted by their ends.
};

/// Paths, and the times that they are made of. The time of an access after another does not depend
/// on when: the other ends at the angle where its last sector ends.
struct planning {
  struct stfd_lists* lists;
  uint32_t rows;  ///< Bit i: row i is there.
  uint32_t take_turn24[STFD_LIVE_MAX][STFD_LIVE_MAX];
};

static uint32_t end_behind(uint32_t from_turn24, uint32_t take_turn24) {
  const uint32_t end_turn24 = from_turn24 + take_turn24;
  return end_turn24 < from_turn24 ? PATH_NEVER_TURN24 - 1 : end_turn24;
}

/// Times of accesses to each other candidate of V after `last`, when no data are on their way.
static const uint32_t* row_behind(struct planning* planning, uint32_t last) {
  struct stfd_lists* lists = planning->lists;
  uint32_t* row = planning->take_turn24[last];
  if ((planning->rows & 1U << last) != 0) return row;
  const struct path_stop stop = path_behind(lists->live[last].candidate, PATH_NEVER_TURN24);
  path_from(&lists->prices, &stop);
  const struct pricing pricing = lists->prices.pricing;
  const uint32_t count = lists->live_count;
  for (uint32_t i = 0; i < count; ++i) {
    if (i == last) continue;
    row[i] = pricing.margin_turn24 + pricing_access_turn24(&pricing, lists->live[i].candidate);
  }
  lists->priced += count - 1;
  planning->rows |= 1U << last;
  return row;
}

/// Whether an access from this time on may have to wait for data that are on their way.
static bool is_fetching(const struct stfd_lists* lists, uint32_t from_turn24) {
  return from_turn24 < lists->prices.data_turn24;
}

/// The end of an access to `next` of V, after one to `last` that ends at `from_turn24`.
static uint32_t end_of_step(struct planning* planning, uint32_t last, uint32_t from_turn24,
                            uint32_t next) {
  struct stfd_lists* lists = planning->lists;
  if (is_fetching(lists, from_turn24)) {
    const struct path_stop stop = path_behind(lists->live[last].candidate, from_turn24);
    return path_end_from(&lists->prices, &stop, lists->live[next].candidate);
  }
  return end_behind(from_turn24, row_behind(planning, last)[next]);
}

/// Puts `path` with `live` added among the PLAN_WIDTH paths that end first.
static void keep_path(struct paths* paths, const struct path* path, uint32_t live,
                      uint32_t end_turn24) {
  uint32_t at = paths->count;
  if (at == PLAN_WIDTH) {
    --at;
  } else {
    ++paths->count;
  }
  for (; at > 0 && end_turn24 < paths->path[at - 1].end_turn24; --at) {
    paths->path[at] = paths->path[at - 1];
  }
  struct path* kept = &paths->path[at];
  *kept = *path;
  kept->live[kept->length++] = (uint8_t)live;
  kept->taken |= (uint8_t)(1U << live);
  kept->end_turn24 = end_turn24;
}

/// A path that ends before this is kept.
static uint32_t last_end(const struct paths* paths) {
  return paths->count == PLAN_WIDTH ? paths->path[PLAN_WIDTH - 1].end_turn24 : PATH_NEVER_TURN24;
}

/// Extends `path` by one more of V, for each that then meets its deadline.
static void extend(struct planning* planning, const struct path* path, struct paths* longer) {
  const struct stfd_lists* lists = planning->lists;
  const uint32_t last = path->live[path->length - 1];
  const uint32_t from_turn24 = path->end_turn24;
  const bool fetching = is_fetching(lists, from_turn24);
  const uint32_t* row = fetching ? NULL : row_behind(planning, last);
  uint32_t before = last_end(longer);
  for (uint32_t i = 0; i < lists->live_count; ++i) {
    if ((path->taken >> i & 1U) != 0) continue;
    const uint32_t end_turn24 =
        fetching ? end_of_step(planning, last, from_turn24, i) : end_behind(from_turn24, row[i]);
    if (end_turn24 > lists->live[i].due_turn24 || end_turn24 >= before) continue;
    keep_path(longer, path, i, end_turn24);
    before = last_end(longer);
  }
}

/// The longest path that was found, and of those the one that ends first. Length 0: nothing is
/// live.
static struct path make_plan(struct planning* planning) {
  const struct stfd_lists* lists = planning->lists;
  const struct path nobody = {.length = 0};
  struct paths paths = {.count = 0};
  for (uint32_t i = 0; i < lists->live_count; ++i) {
    const uint32_t end_turn24 = lists->live[i].end_turn24;
    if (end_turn24 < last_end(&paths)) keep_path(&paths, &nobody, i, end_turn24);
  }
  for (uint32_t length = 1; length < PLAN_LENGTH && paths.count > 0; ++length) {
    struct paths longer = {.count = 0};
    for (uint32_t i = 0; i < paths.count; ++i) extend(planning, &paths.path[i], &longer);
    if (longer.count == 0) break;
    paths = longer;
  }
  return paths.count == 0 ? nobody : paths.path[0];
}

/// Whether the plan ends no later when `other` goes before it. The turn has absorbed `other` at the
/// first access of the plan that ends as it did without it. No access before that may be missed.
static bool is_free(struct planning* planning, const struct path* plan,
                    const struct stfd_other* other) {
  struct stfd_lists* lists = planning->lists;
  const struct path_stop stop = path_behind(other->candidate, other->end_turn24);
  uint32_t last = plan->live[0];
  uint32_t without_turn24 = lists->live[last].end_turn24;
  uint32_t end_turn24 = path_end_from(&lists->prices, &stop, lists->live[last].candidate);
  ++lists->priced;
  for (uint32_t i = 0; true; last = plan->live[i]) {
    if (end_turn24 > lists->live[last].due_turn24) return false;
    if (end_turn24 <= without_turn24 + PATH_SAME_TURN24) return true;
    if (++i == plan->length) return false;
    const uint32_t next = plan->live[i];
    without_turn24 = end_of_step(planning, last, without_turn24, next);
    end_turn24 = end_of_step(planning, last, end_turn24, next);
  }
}

/// Step 6: whether throughput goes first.
static bool is_crowded_out(const struct state* stfd, const struct stfd_lists* lists,
                           uint32_t end_turn24) {
  const uint32_t others = lists->survey.others;
  if (others <= stfd->others_low || lists->other_count == 0) return false;
  const uint32_t room = others < stfd->others_high ? stfd->others_high - others : 0;
  const uint32_t lead_turn24 = LEAD_TURNS * TURN24 / (stfd->others_high - stfd->others_low) * room;
  // The other's price is its key over 2 O.
  return end_turn24 > lead_turn24 &&
         (end_turn24 - lead_turn24) * (2ULL * lists->oldest_age) > lists->others[0].key;
}

static struct candidate* decide(const struct state* stfd, struct stfd_lists* lists) {
  struct candidate* owed =
      promised(stfd, stfd->since + 1, &lists->survey, lists->prices.now_64ticks);
  if (owed != NULL) return owed;
  lists->changed = false;
  stfd_lists_add_urgent(lists);
  struct planning planning;
  planning.lists = lists;
  planning.rows = 0;
  const struct path plan = make_plan(&planning);
  if (plan.length == 0) return lists->others[0].candidate;
  for (uint32_t i = 0; i < lists->other_count; ++i) {
    const struct stfd_other* other = &lists->others[i];
    if (is_free(&planning, &plan, other)) return other->candidate;
  }
  const struct stfd_live* first = &lists->live[plan.live[0]];
  return is_crowded_out(stfd, lists, first->end_turn24) ? lists->others[0].candidate
                                                        : first->candidate;
}

// ---- ahead, and in time

struct work {
  struct stfd_lists lists;   ///< Their first word is `step`.
  struct candidate* choice;  ///< NULL: no plan has been made from the lists.
};
STATIC_ASSERT(sizeof(struct work) <= POLICY_WORK_BYTES_MAX &&
                  offsetof(struct work, lists.step) == 0,
              "it is as policy.h says");

static bool prepare(const void* state, struct policy_view* view) {
  const struct state* stfd = state;
  struct work* work = (struct work*)view->work->bytes;
  if (view->waiting->count <= 1) return false;
  if (work->lists.step == STFD_STEP_NONE) {
    stfd_lists_begin(&work->lists, view, stfd->wait_64ticks);
    work->choice = NULL;
    return true;
  }
  if (stfd_lists_step(&work->lists)) return true;
  if (stfd_lists_add_newcomers(&work->lists)) work->choice = decide(stfd, &work->lists);
  return false;
}

/// Counts the work of a search from the beginning. Four candidates of the survey take as long as a
/// price.
static void note_looks(struct policy_view* view, const struct stfd_lists* lists) {
  view->looked_at += lists->priced + view->waiting->count / 4;
}

/// The prepared lists, with later arrivals added; NULL: they are of no use.
static struct candidate* choose_prepared(const struct state* stfd, struct policy_view* view) {
  struct work* work = (struct work*)view->work->bytes;
  struct stfd_lists* lists = &work->lists;
  if (lists->step == STFD_STEP_NONE) return NULL;
  while (stfd_lists_step(lists)) {
  }
  const uint32_t others = lists->survey.others;
  if (!stfd_lists_add_newcomers(lists)) return NULL;
  // Step 6 needs the number of others.
  const bool counts = lists->survey.others != others && lists->survey.others > stfd->others_low;
  if (work->choice == NULL || lists->changed || counts) work->choice = decide(stfd, lists);
  note_looks(view, lists);
  return work->choice;
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* stfd = state;
  if (view->waiting->count <= 1) return view->waiting->first;
  struct candidate* prepared = view->work == NULL ? NULL : choose_prepared(stfd, view);
  if (prepared != NULL) return prepared;
  ++*stfd->all_at_once;
  struct stfd_lists lists;
  stfd_lists_begin(&lists, view, stfd->wait_64ticks);
  while (stfd_lists_step(&lists)) {
  }
  struct candidate* best = decide(stfd, &lists);
  note_looks(view, &lists);
  return best;
}

const struct policy policy_stfd = {
    .name = "stfd",
    .text = POLICY_TEXT("shortest access time that keeps deadlines, planned three accesses ahead"),
    .number = POLICY_NUMBER_stfd,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 160,
    .parameters = parameters,
    .flags = flags,
    .counters = counters,
    .begin = begin,
    .task_served = task_served,
    .best_effort_most = best_effort_most,
    .rest = rest,
    .prepare = prepare,
    .which_next = which_next};
