// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/stfd_lists.h"

#include <stddef.h>

#include "firmware/queue/search.h"

// ---- survey

/// Inserts after candidates that are due earlier, and after older ones that are due at the same
/// time.
static void note_urgent(struct stfd_survey* survey, struct candidate* item, int32_t slack) {
  uint32_t at = survey->urgent_count;
  if (at == STFD_URGENT_MAX) {
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
  survey->changed = true;
}

static void note_oldest(struct stfd_survey* survey, struct candidate** oldest,
                        struct candidate* item) {
  *oldest = item;
  survey->changed = true;
}

/// A candidate that is due no sooner than this is not urgent.
static inline int32_t latest_urgent(const struct stfd_survey* survey) {
  return survey->urgent_count == STFD_URGENT_MAX ? survey->slack[STFD_URGENT_MAX - 1] : INT32_MAX;
}

/// The slack from which a deadline is neither urgent nor, for a short transfer, expired.
static inline int32_t far_slack(const struct stfd_survey* survey,
                                const struct path_prices* prices) {
  const int32_t latest = latest_urgent(survey);
  return latest > prices->sooner_64ticks ? latest : prices->sooner_64ticks + 1;
}

/// Examines `count` candidates, from `item` on, each older than the next. @return the next.
static struct candidate* survey_some(struct stfd_survey* survey, const struct path_prices* prices,
                                     struct candidate* item, uint32_t count) {
  const uint32_t now_64ticks = prices->now_64ticks;
  int32_t far = far_slack(survey, prices);
  uint32_t others = survey->others;
  for (; count > 0; --count, item = item->next) {
    if (!candidate_is_real_time(item)) {
      if (survey->oldest_best_effort == NULL)
        note_oldest(survey, &survey->oldest_best_effort, item);
      ++others;
      continue;
    }
    const int32_t slack = candidate_slack(item, now_64ticks);
    if (slack >= far && item->span_turn24 <= PATH_SHORT_TURN24) continue;
    if (slack <= 0 || path_is_expired_in(prices, slack, item)) {
      if (survey->oldest_expired == NULL) note_oldest(survey, &survey->oldest_expired, item);
      ++others;
    } else if (slack < latest_urgent(survey)) {
      note_urgent(survey, item, slack);
      far = far_slack(survey, prices);
    }
  }
  survey->others = others;
  return item;
}

/// O, according to the survey.
static uint32_t find_oldest_age(const struct stfd_lists* lists) {
  const struct candidate* oldest[] = {lists->survey.oldest_best_effort,
                                      lists->survey.oldest_expired};
  uint32_t age = lists->wait_64ticks;
  for (uint32_t i = 0; i < 2; ++i) {
    if (oldest[i] == NULL) continue;
    const uint32_t its = stfd_age(oldest[i], lists->prices.now_64ticks);
    if (its > age) age = its;
  }
  return age;
}

// ---- V and X

/// The price of an old candidate is reduced by up to half.
static inline uint32_t weight_of(const struct stfd_lists* lists, const struct candidate* item) {
  const uint32_t age = stfd_age(item, lists->prices.now_64ticks);
  const uint32_t oldest = lists->oldest_age;
  return 2 * oldest - (age < oldest ? age : oldest);
}

static bool ends_before(const struct stfd_live* one, const struct stfd_live* other) {
  return search_is_less(one->end_turn24, one->candidate, other->end_turn24, other->candidate);
}

/// Puts a candidate into V, if it ends before the last of V. @return whether it did.
static bool note_live(struct stfd_lists* lists, const struct stfd_live* item) {
  uint32_t at = lists->nearest_count;
  if (at == STFD_LIVE_NEAREST) {
    if (!ends_before(item, &lists->live[at - 1])) return false;
    --at;
  } else {
    ++lists->nearest_count;
  }
  for (; at > 0 && ends_before(item, &lists->live[at - 1]); --at) {
    lists->live[at] = lists->live[at - 1];
  }
  lists->live[at] = *item;
  lists->changed = true;
  return true;
}

static bool is_less_key(const struct stfd_other* one, const struct stfd_other* other) {
  if (one->key != other->key) return one->key < other->key;
  return candidate_is_older(one->candidate, other->candidate);
}

/// Puts a candidate into X, if it costs less than the last of X. @return whether it did.
static bool note_other(struct stfd_lists* lists, const struct stfd_other* item) {
  uint32_t at = lists->other_count;
  if (at == STFD_OTHERS) {
    if (!is_less_key(item, &lists->others[at - 1])) return false;
    --at;
  } else {
    ++lists->other_count;
  }
  for (; at > 0 && is_less_key(item, &lists->others[at - 1]); --at) {
    lists->others[at] = lists->others[at - 1];
  }
  lists->others[at] = *item;
  lists->changed = true;
  return true;
}

/// Limits for entering V and X: ends, and keys, up to these.
struct limits {
  uint32_t end_turn24;
  uint64_t key;
};

static struct limits limits_of(const struct stfd_lists* lists) {
  const bool live_full = lists->nearest_count == STFD_LIVE_NEAREST;
  const bool others_full = lists->other_count == STFD_OTHERS;
  return (struct limits){live_full ? lists->live[STFD_LIVE_NEAREST - 1].end_turn24 : UINT32_MAX,
                         others_full ? lists->others[STFD_OTHERS - 1].key : UINT64_MAX};
}

/// Prices a candidate that may enter V or X. One that is neither live nor expired is one of X.
/// @return whether it had to be priced.
static inline bool price_one(struct stfd_lists* lists, const struct pricing* pricing,
                             struct limits* limits, struct candidate* item, uint32_t floor_turn24) {
  const struct path_prices* prices = &lists->prices;
  const bool is_real_time = candidate_is_real_time(item);
  const int32_t slack = is_real_time ? candidate_slack(item, prices->now_64ticks) : 0;
  const bool may_live = slack > 0 && !path_is_expired_in(prices, slack, item);
  if (!may_live || floor_turn24 > limits->end_turn24) {
    if ((uint64_t)floor_turn24 * weight_of(lists, item) > limits->key) return false;
  }
  const uint32_t end_turn24 = pricing->margin_turn24 + pricing_access_turn24(pricing, item);
  if (may_live) {
    const struct stfd_live live = {item, end_turn24, path_due_in(prices, slack)};
    if (end_turn24 <= live.due_turn24) {
      if (end_turn24 > limits->end_turn24 || !note_live(lists, &live)) return true;
      *limits = limits_of(lists);
      return true;
    }
  }
  const struct stfd_other other = {item, end_turn24, (uint64_t)end_turn24 * weight_of(lists, item)};
  if (other.key > limits->key || !note_other(lists, &other)) return true;
  *limits = limits_of(lists);
  return true;
}

/// Goes from near to far, until neither list can change, or it has made `looks`. @return whether
/// there are more to be priced.
static bool price_some(struct stfd_lists* lists, uint32_t looks) {
  const struct pricing pricing = lists->from_heads;
  struct limits limits = limits_of(lists);
  struct band_walk walk = lists->walk;
  struct candidate* item = lists->item;
  int32_t looks_left = (int32_t)looks;
  while (item != NULL) {
    const uint32_t floor_turn24 =
        pricing.margin_turn24 + pricing_floor_turn24(&pricing, walk.distance);
    if (floor_turn24 > limits.end_turn24 &&
        (uint64_t)floor_turn24 * lists->least_weight > limits.key) {
      return false;
    }
    for (; item != NULL; item = item->band_next) {
      if (--looks_left < 0) {
        lists->walk = walk;
        lists->item = item;
        return true;
      }
      if (candidate_is_older(lists->youngest, item)) continue;  // a newcomer
      if (!price_one(lists, &pricing, &limits, item, floor_turn24)) continue;
      looks_left -= (int32_t)STFD_PRICE_LOOKS;
      if (++lists->priced == STFD_PRICES_MAX) return false;
    }
    item = band_walk_next(&walk);
  }
  return false;
}

// ---- step by step

void stfd_lists_begin(struct stfd_lists* lists, const struct policy_view* view,
                      uint32_t wait_64ticks) {
  const struct candidate_set* waiting = view->waiting;
  lists->step = STFD_STEP_SURVEY;
  lists->wait_64ticks = wait_64ticks;
  lists->waiting = waiting;
  lists->breaks = waiting->breaks;
  lists->count = 0;
  lists->youngest = NULL;
  lists->item = waiting->first;
  path_prices_begin(&lists->prices, view);
  lists->from_heads = lists->prices.pricing;
  lists->survey = (struct stfd_survey){.others = 0};
  lists->changed = false;
  lists->priced = lists->nearest_count = lists->live_count = lists->other_count = 0;
}

static void make_survey(struct stfd_lists* lists) {
  const uint32_t left = lists->waiting->count - lists->count;
  const uint32_t count = left < STFD_STEP_SURVEYED ? left : STFD_STEP_SURVEYED;
  lists->item = survey_some(&lists->survey, &lists->prices, lists->item, count);
  lists->count += count;
  if (count < left) return;
  lists->youngest = lists->waiting->last;
  lists->oldest_age = find_oldest_age(lists);
  lists->least_weight = weight_of(lists, lists->waiting->first);
  band_walk_begin(&lists->walk, lists->waiting, lists->from_heads.cylinder);
  lists->item = band_walk_next(&lists->walk);
  lists->step = STFD_STEP_PRICES;
}

static bool is_stale(const struct stfd_lists* lists) {
  return lists->breaks != lists->waiting->breaks;
}

bool stfd_lists_step(struct stfd_lists* lists) {
  if (is_stale(lists)) return false;
  if (lists->step == STFD_STEP_SURVEY) {
    make_survey(lists);
    return true;
  }
  if (lists->step == STFD_STEP_PRICES && !price_some(lists, STFD_STEP_PRICED)) {
    lists->step = STFD_STEP_DONE;
  }
  return lists->step != STFD_STEP_DONE;
}

bool stfd_lists_add_newcomers(struct stfd_lists* lists) {
  if (is_stale(lists)) return false;
  struct limits limits = limits_of(lists);
  for (struct candidate* item = lists->youngest->next; item != NULL; item = item->next) {
    lists->survey.changed = false;
    (void)survey_some(&lists->survey, &lists->prices, item, 1);
    lists->changed |= lists->survey.changed;
    lists->priced += price_one(lists, &lists->from_heads, &limits, item, 0) ? 1U : 0U;
    lists->youngest = item;
    ++lists->count;
  }
  // The oldest that matters may be a newcomer.
  return lists->oldest_age == find_oldest_age(lists);
}

// ---- the urgent

static bool is_nearest(const struct stfd_lists* lists, const struct candidate* item) {
  for (uint32_t i = 0; i < lists->nearest_count; ++i) {
    if (lists->live[i].candidate == item) return true;
  }
  return false;
}

void stfd_lists_add_urgent(struct stfd_lists* lists) {
  const struct stfd_survey* survey = &lists->survey;
  const struct path_prices* prices = &lists->prices;
  const struct pricing* pricing = &lists->from_heads;
  uint32_t tried = 0;
  lists->live_count = lists->nearest_count;
  for (uint32_t i = 0; i < survey->urgent_count && tried < STFD_URGENT_TRIES; ++i) {
    struct candidate* item = survey->urgent[i];
    if (is_nearest(lists, item)) continue;
    ++tried;
    const struct stfd_live live = {item,
                                   pricing->margin_turn24 + pricing_access_turn24(pricing, item),
                                   path_due_in(prices, survey->slack[i])};
    if (live.end_turn24 > live.due_turn24) continue;
    lists->live[lists->live_count++] = live;
    if (lists->live_count == lists->nearest_count + STFD_LIVE_URGENT) break;
  }
  lists->priced += tried;
}
