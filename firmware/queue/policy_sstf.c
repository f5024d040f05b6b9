/// `sstf`: the nearest cylinder.
///
/// By distance, as the policy is defined, not by seek time: published seek curves are not monotonic
/// (the Eagle's 240-cylinder seek is shorter than its 239-cylinder seek), so the two may differ.
#include "firmware/queue/policy.h"

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/waypoint.h"

struct nearest {
  struct candidate* candidate;
  uint32_t distance;
};

static inline void compare(struct nearest* nearest, uint32_t cylinder, struct candidate* item) {
  WAYPOINT(SSTF_COMPARED);
  const uint32_t distance = distance_u32(item->cylinder, cylinder);
  if (distance > nearest->distance) return;
  if (distance == nearest->distance && !candidate_is_older(item, nearest->candidate)) return;
  *nearest = (struct nearest){item, distance};
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  WAYPOINT(SSTF_SEARCHES);
  (void)state;
  const struct candidate_set* waiting = view->waiting;
  if (waiting->count == 0) return NULL;
  const uint32_t cylinder = view->head->cylinder;
  struct nearest nearest = {waiting->first, distance_u32(waiting->first->cylinder, cylinder)};
  struct band_walk walk;
  band_walk_begin(&walk, waiting, cylinder);
  struct candidate* item = band_walk_next(&walk);
  while (item != NULL && candidate_set_gap(waiting, walk.distance) <= nearest.distance) {
    for (; item != NULL; item = item->band_next) {
      ++view->looked_at;
      compare(&nearest, cylinder, item);
    }
    item = band_walk_next(&walk);
  }
  return nearest.candidate;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  WAYPOINT(SSTF_JUDGED);
  (void)state;
  const uint32_t cylinder = view->head->cylinder;
  const uint32_t distance = distance_u32(one->cylinder, cylinder);
  const uint32_t other_distance = distance_u32(other->cylinder, cylinder);
  return distance != other_distance ? distance < other_distance : candidate_is_older(one, other);
}

const struct policy policy_sstf = {.name = "sstf",
                                   .text = POLICY_TEXT("the nearest cylinder"),
                                   .number = 1,
                                   .candidate_ticks = 40,
                                   .which_next = which_next,
                                   .is_better = is_better};
