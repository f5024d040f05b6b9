/// `stfd`: the shortest access that deadlines leave (ours).
///
/// Real-time candidates that can still be met (live) are planned three ahead, with exact prices.
/// Best effort, and what is late for good (expired), profits from no deadline. It is served where
/// the turn of the platter absorbs it, and by a promise. The promise serves one such candidate in
/// PROMISE_SERVICES services: the oldest best effort, once it has waited longer than `wait`; else
/// the oldest expired, once it has waited four times as long.
///
/// 1. The promise.
/// 2. V: the STFD_LIVE_NEAREST live candidates that end first, and up to STFD_LIVE_URGENT of the
///    earliest deadlines. X: the STFD_OTHERS others that cost least, an old one up to half.
/// 3. The plan: the path of at most PLAN_LENGTH of V, each met, that ends first; PLAN_WIDTH paths
///    are kept at each length.
/// 4. No plan: the first of X.
/// 5. One of X goes before the plan when the plan's accesses end no later for it.
/// 6. With more than three quarters of the host's tags waiting as others, throughput goes before
///    deadlines by and by.
/// 7. The plan's first.
///
/// No plan is kept: a choice sees all that has arrived. V and X are made ahead, while the media
/// work (stfd_lists.h); steps 3 to 7 begin anew.
#include <stddef.h>

#include "firmware/queue/stfd_lists.h"

#define PLAN_LENGTH 3U
#define PLAN_WIDTH 4U
#define PROMISE_SERVICES 16U
/// An expired candidate waits so many times as long as best effort for the promise.
#define EXPIRED_WAITS 4U
/// `wait`, if it is not given: so many mean accesses of fcfs.
#define WAIT_ACCESSES 500U
/// Step 6 lets an other cost so many turns more than a plan's first.
#define LEAD_TURNS 3U
#define TURN24 0x01000000U

#define UNITS_PER_MILLISECOND (TIME_TICKS_PER_MILLISECOND / TASK_ARRIVED_TICKS)

enum { PARAMETER_WAIT, PARAMETER_TAGS };

static const struct policy_parameter parameters[] = {
    [PARAMETER_WAIT] = {.name = "wait",
                        .unit = POLICY_TEXT("ms until the promise, 500 mean accesses for 0"),
                        .minimum = 0,
                        .maximum = 600000,
                        .initial = 0},
    [PARAMETER_TAGS] = {.name = "tags",
                        .unit = POLICY_TEXT("commands that the host sends at most"),
                        .minimum = 4,
                        .maximum = 65535,
                        .initial = 256},
    {.name = NULL},
};

struct state {
  uint32_t wait_64ticks;
  uint32_t others_low;   ///< Step 6 begins with more others than this,
  uint32_t others_high;  ///< and from here on gives deadlines no lead.
  uint32_t since;        ///< Services since one that was promised.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* stfd = state;
  const uint32_t access_64ticks =
      predictor_mean_access_part(setup->design) / (DRIVE_DESIGN_TICK_PARTS * TASK_ARRIVED_TICKS);
  const uint32_t wait_ms = setup->parameter[PARAMETER_WAIT];
  const uint32_t tags = setup->parameter[PARAMETER_TAGS];
  const uint32_t spare_tags = tags / 64;
  stfd->wait_64ticks =
      wait_ms != 0 ? wait_ms * UNITS_PER_MILLISECOND : WAIT_ACCESSES * access_64ticks;
  stfd->others_low = tags * 3 / 4;
  stfd->others_high = tags - (spare_tags == 0 ? 1 : spare_tags);
}

// ---- the promise

/// Whom the promise serves next; NULL: nobody. `since`: services since the last one, this included.
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

/// Whether a candidate that has left the list was promised: it is looked at again beside those that
/// wait.
static bool was_promised(const struct state* stfd, uint32_t since, const struct policy_view* view,
                         const struct path_prices* prices, struct candidate* served) {
  struct stfd_survey survey;
  stfd_survey_all(&survey, prices, view->waiting);
  struct candidate** oldest =
      candidate_is_real_time(served) ? &survey.oldest_expired : &survey.oldest_best_effort;
  if (*oldest == NULL || candidate_is_older(served, *oldest)) *oldest = served;
  return promised(stfd, since, &survey, prices->now_64ticks) == served;
}

/// Few have waited for long enough.
static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* stfd = state;
  const uint32_t since = ++stfd->since;
  if (since < PROMISE_SERVICES) return;
  const bool is_real_time = candidate_is_real_time(candidate);
  const uint32_t wait = stfd->wait_64ticks * (is_real_time ? EXPIRED_WAITS : 1U);
  const uint32_t now_64ticks = (uint32_t)(view->head->at_tick / TASK_ARRIVED_TICKS);
  if (stfd_age(candidate, now_64ticks) <= wait) return;
  struct path_prices prices;
  path_prices_begin(&prices, view);
  if (is_real_time && !path_is_expired(&prices, candidate)) return;
  struct candidate* served = (struct candidate*)(uintptr_t)candidate;
  if (was_promised(stfd, since, view, &prices, served)) stfd->since = 0;
}

// ---- the plan

struct path {
  uint32_t length;
  uint8_t live[PLAN_LENGTH];  ///< Index into V,
  uint32_t end_turn24[PLAN_LENGTH];
};

struct paths {
  uint32_t count;
  struct path path[PLAN_WIDTH];  ///< By their ends.
};

static uint32_t end_of(const struct path* path) { return path->end_turn24[path->length - 1]; }

static void keep_path(struct paths* paths, const struct path* path) {
  uint32_t at = paths->count;
  if (at == PLAN_WIDTH) {
    if (end_of(path) >= end_of(&paths->path[at - 1])) return;
    --at;
  } else {
    ++paths->count;
  }
  for (; at > 0 && end_of(path) < end_of(&paths->path[at - 1]); --at) {
    paths->path[at] = paths->path[at - 1];
  }
  paths->path[at] = *path;
}

static bool is_on(const struct path* path, uint32_t live) {
  for (uint32_t i = 0; i < path->length; ++i) {
    if (path->live[i] == live) return true;
  }
  return false;
}

/// `path` with one more of V, for each that is then met.
static void extend(struct stfd_lists* lists, const struct path* path, struct paths* longer) {
  const struct candidate* last = lists->live[path->live[path->length - 1]].candidate;
  const struct path_stop stop = path_behind(last, end_of(path));
  path_from(&lists->prices, &stop);
  for (uint32_t i = 0; i < lists->live_count; ++i) {
    if (is_on(path, i)) continue;
    const struct stfd_live* next = &lists->live[i];
    const uint32_t end_turn24 = path_end(&lists->prices, stop.at_turn24, next->candidate);
    ++lists->priced;
    if (end_turn24 > next->due_turn24) continue;
    struct path extended = *path;
    extended.live[path->length] = (uint8_t)i;
    extended.end_turn24[path->length] = end_turn24;
    ++extended.length;
    keep_path(longer, &extended);
  }
}

/// The longest path that was found, and of those the one that ends first. Length 0: nothing is
/// live.
static struct path make_plan(struct stfd_lists* lists) {
  struct paths paths = {0};
  for (uint32_t i = 0; i < lists->live_count; ++i) {
    const struct path first = {
        .length = 1, .live = {(uint8_t)i}, .end_turn24 = {lists->live[i].end_turn24}};
    keep_path(&paths, &first);
  }
  for (uint32_t length = 1; length < PLAN_LENGTH && paths.count > 0; ++length) {
    struct paths longer = {0};
    for (uint32_t i = 0; i < paths.count; ++i) extend(lists, &paths.path[i], &longer);
    if (longer.count == 0) break;
    paths = longer;
  }
  return paths.count == 0 ? (struct path){.length = 0} : paths.path[0];
}

/// Whether the plan ends no later when `other` goes before it: at the first of its accesses that
/// ends when it did, the turn has absorbed `other`. Not when one before that would be missed.
static bool is_free(struct stfd_lists* lists, const struct path* plan,
                    const struct stfd_other* other) {
  struct path_stop stop = path_behind(other->candidate, other->end_turn24);
  for (uint32_t i = 0; i < plan->length; ++i) {
    const struct stfd_live* live = &lists->live[plan->live[i]];
    const uint32_t end_turn24 = path_end_from(&lists->prices, &stop, live->candidate);
    ++lists->priced;
    if (end_turn24 > live->due_turn24) return false;
    if (end_turn24 <= plan->end_turn24[i] + PATH_SAME_TURN24) return true;
    stop = path_behind(live->candidate, end_turn24);
  }
  return false;
}

/// Step 6: whether throughput goes first.
static bool is_crowded_out(const struct state* stfd, const struct stfd_lists* lists,
                           const struct path* plan) {
  const uint32_t others = lists->survey.others;
  if (others <= stfd->others_low || lists->other_count == 0) return false;
  const uint32_t room = others < stfd->others_high ? stfd->others_high - others : 0;
  const uint32_t lead_turn24 = LEAD_TURNS * TURN24 / (stfd->others_high - stfd->others_low) * room;
  const uint32_t end_turn24 = plan->end_turn24[0];
  // The other's price is its key over 2 O.
  return end_turn24 > lead_turn24 &&
         (end_turn24 - lead_turn24) * (2ULL * lists->oldest_age) > lists->others[0].key;
}

static struct candidate* decide(const struct state* stfd, struct stfd_lists* lists) {
  struct candidate* owed =
      promised(stfd, stfd->since + 1, &lists->survey, lists->prices.now_64ticks);
  if (owed != NULL) return owed;
  stfd_lists_add_urgent(lists);
  const struct path plan = make_plan(lists);
  if (plan.length == 0) return lists->others[0].candidate;
  for (uint32_t i = 0; i < lists->other_count; ++i) {
    if (is_free(lists, &plan, &lists->others[i])) return lists->others[i].candidate;
  }
  if (is_crowded_out(stfd, lists, &plan)) return lists->others[0].candidate;
  return lists->live[plan.live[0]].candidate;
}

// ---- ahead, and in time

struct work {
  struct stfd_lists lists;   ///< Their first word is `step`.
  struct candidate* choice;  ///< NULL: none has been made of the lists.
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

/// By what was prepared, with those who have arrived since; NULL: it is of no use.
static struct candidate* choose_prepared(const struct state* stfd, struct policy_view* view) {
  struct work* work = (struct work*)view->work->bytes;
  struct stfd_lists* lists = &work->lists;
  if (lists->step == STFD_STEP_NONE) return NULL;
  while (stfd_lists_step(lists)) {
  }
  if (stfd_lists_are_complete(lists) && work->choice != NULL) return work->choice;
  if (!stfd_lists_add_newcomers(lists)) return NULL;
  work->choice = decide(stfd, lists);
  return work->choice;
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* stfd = state;
  if (view->waiting->count <= 1) return view->waiting->first;
  struct candidate* prepared = view->work == NULL ? NULL : choose_prepared(stfd, view);
  if (prepared != NULL) return prepared;
  struct stfd_lists lists;
  stfd_lists_begin(&lists, view, stfd->wait_64ticks);
  while (stfd_lists_step(&lists)) {
  }
  struct candidate* best = decide(stfd, &lists);
  // Four of the survey take as long as a price.
  view->looked_at += lists.priced + view->waiting->count / 4;
  return best;
}

const struct policy policy_stfd = {
    .name = "stfd",
    .text = POLICY_TEXT("the shortest access that deadlines leave, planned three ahead"),
    .number = POLICY_NUMBER_stfd,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 160,
    .parameters = parameters,
    .begin = begin,
    .task_served = task_served,
    .prepare = prepare,
    .which_next = which_next};
