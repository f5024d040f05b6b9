/// `stfd`: the shortest access that deadlines leave (ours).
///
/// Real-time candidates that can still be met (live) are planned three ahead, with exact prices.
/// Best effort, and what is late for good (expired), profits from no deadline. It is served where
/// the turn of the platter absorbs it, and by a promise. The promise serves one such candidate in
/// PROMISE_SERVICES services: the oldest best effort, once it has waited longer than `wait`; else
/// the oldest expired, once it has waited four times as long.
///
/// 1. The promise.
/// 2. V: the LIVE_NEAREST live candidates that end first, and up to LIVE_URGENT of the earliest
///    deadlines. X: the OTHERS others that cost least, an old one up to half.
/// 3. The plan: the path of at most PLAN_LENGTH of V, each met, that ends first; PLAN_WIDTH paths
///    are kept at each length.
/// 4. No plan: the first of X.
/// 5. One of X goes before the plan when the plan's accesses end no later for it.
/// 6. With more than three quarters of the host's tags waiting as others, throughput goes before
///    deadlines by and by.
/// 7. The plan's first.
///
/// No plan is kept: a choice sees all that has arrived, and begins anew.
#include <stddef.h>

#include "firmware/queue/path.h"
#include "firmware/queue/search.h"

#define LIVE_NEAREST 5U
#define LIVE_URGENT 3U
#define URGENT_TRIES (LIVE_URGENT + 2U)
#define LIVE_MAX (LIVE_NEAREST + LIVE_URGENT)
#define OTHERS 4U
#define PRICES_MAX 96U
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

/// An age of more than 28 minutes counts as that; whoever seems to come from the future has none.
static uint32_t age_of(const struct candidate* candidate, uint32_t now_64ticks) {
  const int32_t age = (int32_t)(now_64ticks - candidate->arrived_64ticks);
  if (age < 0) return 0;
  return (uint32_t)age < CANDIDATE_SLACK_MAX_64TICKS ? (uint32_t)age : CANDIDATE_SLACK_MAX_64TICKS;
}

// ---- survey: one look at all that wait

#define URGENT_MAX (URGENT_TRIES + LIVE_NEAREST)

struct survey {
  struct candidate* oldest_best_effort;
  struct candidate* oldest_expired;
  uint32_t others;        ///< Best effort and expired.
  uint32_t urgent_count;  ///< Not expired, by deadline; those of V may be among them.
  struct candidate* urgent[URGENT_MAX];
  int32_t slack[URGENT_MAX];  ///< Of them, 64 ticks.
};

/// Behind those that are due before it, or as soon and are older.
static void note_urgent(struct survey* survey, struct candidate* item, int32_t slack) {
  uint32_t at = survey->urgent_count;
  if (at == URGENT_MAX) {
    --at;
  } else {
    ++survey->urgent_count;
  }
  for (; at > 0 && slack < survey->slack[at - 1]; --at) {
    survey->urgent[at] = survey->urgent[at - 1];
    survey->slack[at] = survey->slack[at - 1];
  }
  survey->urgent[at] = item;
  survey->slack[at] = slack;
}

static void survey_all(struct survey* survey, const struct path_prices* prices,
                       const struct candidate_set* waiting) {
  const uint32_t now_64ticks = prices->now_64ticks;
  int32_t latest = INT32_MAX;  // whoever is due no sooner is not urgent
  *survey = (struct survey){.others = 0};
  for (struct candidate* item = waiting->first; item != NULL; item = item->next) {
    if (!candidate_is_real_time(item)) {
      if (survey->oldest_best_effort == NULL) survey->oldest_best_effort = item;
      ++survey->others;
      continue;
    }
    const int32_t slack = candidate_slack(item, now_64ticks);
    if (path_is_expired_in(prices, slack, item)) {
      if (survey->oldest_expired == NULL) survey->oldest_expired = item;
      ++survey->others;
    } else if (slack < latest) {
      note_urgent(survey, item, slack);
      if (survey->urgent_count == URGENT_MAX) latest = survey->slack[URGENT_MAX - 1];
    }
  }
}

// ---- the promise

/// Whom the promise serves next; NULL: nobody. `since`: services since the last one, this included.
static struct candidate* promised(const struct state* stfd, uint32_t since,
                                  const struct survey* survey, uint32_t now_64ticks) {
  if (since < PROMISE_SERVICES) return NULL;
  struct candidate* best_effort = survey->oldest_best_effort;
  if (best_effort != NULL && age_of(best_effort, now_64ticks) > stfd->wait_64ticks) {
    return best_effort;
  }
  struct candidate* expired = survey->oldest_expired;
  if (expired != NULL && age_of(expired, now_64ticks) > EXPIRED_WAITS * stfd->wait_64ticks) {
    return expired;
  }
  return NULL;
}

/// The candidate has left the list: it is looked at again beside those that wait.
static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* stfd = state;
  const uint32_t since = stfd->since + 1;
  stfd->since = since;
  if (since < PROMISE_SERVICES) return;
  struct path_prices prices;
  path_prices_begin(&prices, view);
  struct survey survey;
  survey_all(&survey, &prices, view->waiting);
  struct candidate* served = (struct candidate*)(uintptr_t)candidate;
  if (!candidate_is_real_time(served)) {
    struct candidate* oldest = survey.oldest_best_effort;
    if (oldest == NULL || candidate_is_older(served, oldest)) survey.oldest_best_effort = served;
  } else if (path_is_expired(&prices, served)) {
    struct candidate* oldest = survey.oldest_expired;
    if (oldest == NULL || candidate_is_older(served, oldest)) survey.oldest_expired = served;
  }
  if (promised(stfd, since, &survey, prices.now_64ticks) == candidate) stfd->since = 0;
}

// ---- V and X

struct live {
  struct candidate* candidate;
  uint32_t end_turn24;
  uint32_t due_turn24;
};

struct other {
  struct candidate* candidate;
  uint32_t end_turn24;
  uint64_t key;
};

struct choice {
  const struct policy_view* view;
  struct path_prices prices;
  struct survey survey;
  uint32_t oldest_age;    ///< O, 64 ticks.
  uint32_t least_weight;  ///< Of all: the oldest's.
  uint32_t priced;
  uint32_t live_count;
  uint32_t other_count;
  struct live live[LIVE_MAX];   ///< V: the nearest, by their ends; the urgent behind them.
  struct other others[OTHERS];  ///< X, by key.
};

/// An old one counts up to half.
static inline uint32_t weight_of(const struct choice* choice, const struct candidate* item) {
  const uint32_t age = age_of(item, choice->prices.now_64ticks);
  const uint32_t oldest = choice->oldest_age;
  return 2 * oldest - (age < oldest ? age : oldest);
}

static bool ends_before(const struct live* one, const struct live* other) {
  return search_is_less(one->end_turn24, one->candidate, other->end_turn24, other->candidate);
}

/// Into V, if it ends before the last of them. @return whether it did.
static bool note_live(struct choice* choice, const struct live* item) {
  uint32_t at = choice->live_count;
  if (at == LIVE_NEAREST) {
    if (!ends_before(item, &choice->live[at - 1])) return false;
    --at;
  } else {
    ++choice->live_count;
  }
  for (; at > 0 && ends_before(item, &choice->live[at - 1]); --at) {
    choice->live[at] = choice->live[at - 1];
  }
  choice->live[at] = *item;
  return true;
}

static bool is_less_key(const struct other* one, const struct other* other) {
  if (one->key != other->key) return one->key < other->key;
  return candidate_is_older(one->candidate, other->candidate);
}

/// Into X, if it costs less than the last of them. @return whether it does.
static bool note_other(struct choice* choice, const struct other* item) {
  uint32_t at = choice->other_count;
  if (at == OTHERS) {
    if (!is_less_key(item, &choice->others[at - 1])) return false;
    --at;
  } else {
    ++choice->other_count;
  }
  for (; at > 0 && is_less_key(item, &choice->others[at - 1]); --at) {
    choice->others[at] = choice->others[at - 1];
  }
  choice->others[at] = *item;
  return true;
}

/// What may still enter V, and X: ends, and keys, up to these.
struct limits {
  uint32_t end_turn24;
  uint64_t key;
};

static struct limits limits_of(const struct choice* choice) {
  const bool live_full = choice->live_count == LIVE_NEAREST;
  const bool others_full = choice->other_count == OTHERS;
  return (struct limits){live_full ? choice->live[LIVE_NEAREST - 1].end_turn24 : UINT32_MAX,
                         others_full ? choice->others[OTHERS - 1].key : UINT64_MAX};
}

/// Prices one that may enter V or X. One that is neither live nor late for good is one of X.
static inline void price_one(struct choice* choice, const struct pricing* pricing,
                             struct limits* limits, struct candidate* item, uint32_t floor_turn24) {
  const struct path_prices* prices = &choice->prices;
  const bool is_real_time = candidate_is_real_time(item);
  const int32_t slack = is_real_time ? candidate_slack(item, prices->now_64ticks) : 0;
  const bool may_live = is_real_time && !path_is_expired_in(prices, slack, item);
  const uint32_t weight = weight_of(choice, item);
  if ((uint64_t)floor_turn24 * weight > limits->key &&
      !(may_live && floor_turn24 <= limits->end_turn24)) {
    return;
  }
  ++choice->priced;
  const uint32_t end_turn24 = pricing->margin_turn24 + pricing_access_turn24(pricing, item);
  if (may_live) {
    const struct live live = {item, end_turn24, path_due_in(prices, slack)};
    if (end_turn24 <= live.due_turn24) {
      if (end_turn24 > limits->end_turn24 || !note_live(choice, &live)) return;
      *limits = limits_of(choice);
      return;
    }
  }
  const struct other other = {item, end_turn24, (uint64_t)end_turn24 * weight};
  if (other.key > limits->key || !note_other(choice, &other)) return;
  *limits = limits_of(choice);
}

/// From near to far, until neither list can change.
static void price_near(struct choice* choice) {
  const struct pricing pricing = choice->prices.pricing;
  struct limits limits = limits_of(choice);
  struct band_walk walk;
  band_walk_begin(&walk, choice->view->waiting, pricing.cylinder);
  for (struct candidate* item = band_walk_next(&walk); item != NULL; item = band_walk_next(&walk)) {
    const uint32_t floor_turn24 =
        pricing.margin_turn24 + pricing_floor_turn24(&pricing, walk.distance);
    if (floor_turn24 > limits.end_turn24 &&
        (uint64_t)floor_turn24 * choice->least_weight > limits.key) {
      return;
    }
    for (; item != NULL; item = item->band_next) {
      if (choice->priced == PRICES_MAX) return;
      price_one(choice, &pricing, &limits, item, floor_turn24);
    }
  }
}

static bool is_live(const struct choice* choice, const struct candidate* item) {
  for (uint32_t i = 0; i < choice->live_count; ++i) {
    if (choice->live[i].candidate == item) return true;
  }
  return false;
}

/// The earliest deadlines are in V, however far away they are.
static void add_urgent(struct choice* choice) {
  const struct survey* survey = &choice->survey;
  uint32_t tried = 0;
  uint32_t added = 0;
  for (uint32_t i = 0; i < survey->urgent_count && tried < URGENT_TRIES; ++i) {
    struct candidate* item = survey->urgent[i];
    if (is_live(choice, item)) continue;
    ++tried;
    const struct live live = {item, path_end(&choice->prices, 0, item),
                              path_due(&choice->prices, item)};
    if (live.end_turn24 > live.due_turn24) continue;
    choice->live[choice->live_count++] = live;
    if (++added == LIVE_URGENT) break;
  }
  choice->priced += tried;
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
static void extend(struct choice* choice, const struct path* path, struct paths* longer) {
  const struct candidate* last = choice->live[path->live[path->length - 1]].candidate;
  const struct path_stop stop = path_behind(last, end_of(path));
  path_from(&choice->prices, &stop);
  for (uint32_t i = 0; i < choice->live_count; ++i) {
    if (is_on(path, i)) continue;
    const struct live* next = &choice->live[i];
    const uint32_t end_turn24 = path_end(&choice->prices, stop.at_turn24, next->candidate);
    ++choice->priced;
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
static struct path make_plan(struct choice* choice) {
  struct paths paths = {0};
  for (uint32_t i = 0; i < choice->live_count; ++i) {
    const struct path first = {
        .length = 1, .live = {(uint8_t)i}, .end_turn24 = {choice->live[i].end_turn24}};
    keep_path(&paths, &first);
  }
  for (uint32_t length = 1; length < PLAN_LENGTH && paths.count > 0; ++length) {
    struct paths longer = {0};
    for (uint32_t i = 0; i < paths.count; ++i) extend(choice, &paths.path[i], &longer);
    if (longer.count == 0) break;
    paths = longer;
  }
  return paths.count == 0 ? (struct path){.length = 0} : paths.path[0];
}

/// Whether the plan ends no later when `other` goes before it: at the first of its accesses that
/// ends when it did, the turn has absorbed `other`. Not when one before that would be missed.
static bool is_free(struct choice* choice, const struct path* plan, const struct other* other) {
  struct path_stop stop = path_behind(other->candidate, other->end_turn24);
  for (uint32_t i = 0; i < plan->length; ++i) {
    const struct live* live = &choice->live[plan->live[i]];
    const uint32_t end_turn24 = path_end_from(&choice->prices, &stop, live->candidate);
    ++choice->priced;
    if (end_turn24 > live->due_turn24) return false;
    if (end_turn24 <= plan->end_turn24[i] + PATH_SAME_TURN24) return true;
    stop = path_behind(live->candidate, end_turn24);
  }
  return false;
}

/// Step 6: whether throughput goes first.
static bool is_crowded_out(const struct state* stfd, const struct choice* choice,
                           const struct path* plan) {
  const uint32_t others = choice->survey.others;
  if (others <= stfd->others_low || choice->other_count == 0) return false;
  const uint32_t room = others < stfd->others_high ? stfd->others_high - others : 0;
  const uint32_t lead_turn24 = LEAD_TURNS * TURN24 / (stfd->others_high - stfd->others_low) * room;
  const uint32_t end_turn24 = plan->end_turn24[0];
  // The other's price is its key over 2 O.
  return end_turn24 > lead_turn24 &&
         (end_turn24 - lead_turn24) * (2ULL * choice->oldest_age) > choice->others[0].key;
}

static uint32_t oldest_other(const struct survey* survey, uint32_t now_64ticks) {
  uint32_t oldest = 0;
  const struct candidate* items[] = {survey->oldest_best_effort, survey->oldest_expired};
  for (uint32_t i = 0; i < 2; ++i) {
    if (items[i] == NULL) continue;
    const uint32_t age = age_of(items[i], now_64ticks);
    if (age > oldest) oldest = age;
  }
  return oldest;
}

static struct candidate* decide(const struct state* stfd, struct choice* choice) {
  const struct survey* survey = &choice->survey;
  const uint32_t now = choice->prices.now_64ticks;
  struct candidate* owed = promised(stfd, stfd->since + 1, survey, now);
  if (owed != NULL) return owed;
  const uint32_t oldest = oldest_other(survey, now);
  choice->oldest_age = oldest > stfd->wait_64ticks ? oldest : stfd->wait_64ticks;
  choice->least_weight = weight_of(choice, choice->view->waiting->first);
  price_near(choice);
  add_urgent(choice);
  const struct path plan = make_plan(choice);
  if (plan.length == 0) return choice->others[0].candidate;
  for (uint32_t i = 0; i < choice->other_count; ++i) {
    if (is_free(choice, &plan, &choice->others[i])) return choice->others[i].candidate;
  }
  if (is_crowded_out(stfd, choice, &plan)) return choice->others[0].candidate;
  return choice->live[plan.live[0]].candidate;
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  if (view->waiting->count <= 1) return view->waiting->first;
  struct choice choice;
  choice.view = view;
  choice.priced = choice.live_count = choice.other_count = 0;
  path_prices_begin(&choice.prices, view);
  survey_all(&choice.survey, &choice.prices, view->waiting);
  struct candidate* best = decide(state, &choice);
  // Four of the survey take as long as a price.
  view->looked_at += choice.priced + view->waiting->count / 4;
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
    .which_next = which_next};
