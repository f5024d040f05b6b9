// SPDX-License-Identifier: Apache-2.0
/// `sstf`: the nearest cylinder.
///
/// It goes by distance, as the policy is defined, not by seek time. Published seek curves are not
/// monotonic (the Eagle's 240-cylinder seek is shorter than its 239-cylinder seek), so the two may
/// differ.
#include "firmware/queue/search.h"

#include "firmware/kernel/arithmetic.h"

static struct candidate* which_next(const void* state, struct policy_view* view) {
  (void)state;
  const struct candidate_set* waiting = view->waiting;
  if (waiting->count == 0) return NULL;
  const uint32_t cylinder = view->head->cylinder;
  struct search_best nearest = {waiting->first, distance_u32(waiting->first->cylinder, cylinder)};
  struct band_walk walk;
  band_walk_begin(&walk, waiting, cylinder);
  struct candidate* item = band_walk_next(&walk);
  while (item != NULL && candidate_set_gap(waiting, walk.distance) <= nearest.price) {
    for (; item != NULL; item = item->band_next) {
      ++view->looked_at;
      search_consider(&nearest, item, distance_u32(item->cylinder, cylinder));
    }
    item = band_walk_next(&walk);
  }
  return nearest.candidate;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  (void)state;
  const uint32_t cylinder = view->head->cylinder;
  return search_is_less(distance_u32(one->cylinder, cylinder), one,
                        distance_u32(other->cylinder, cylinder), other);
}

const struct policy policy_sstf = {
    .name = "sstf",
    .text = POLICY_TEXT("request on the nearest cylinder (shortest seek distance)"),
    .number = POLICY_NUMBER_sstf,
    .candidate_ticks = 40,
    .which_next = which_next,
    .is_better = is_better};
