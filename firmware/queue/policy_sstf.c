/// `sstf`: the nearest cylinder.
///
/// By distance, as the policy is defined, not by seek time: published seek curves are not monotonic
/// (the Eagle's 240-cylinder seek is shorter than its 239-cylinder seek), so the two may differ.
#include "firmware/queue/policy.h"

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/waypoint.h"

static struct candidate* which_next(const void* state, const struct policy_view* view,
                                    struct candidate* incumbent, struct candidate* from) {
  (void)state;
  const uint32_t cylinder = view->head->cylinder;
  struct candidate* best = incumbent;
  uint32_t best_distance = UINT32_MAX;
  if (incumbent != NULL) {
    WAYPOINT(INCUMBENT_PRICED);
    best_distance = distance_u32(incumbent->cylinder, cylinder);
  }
  for (struct candidate* item = from; item != view->until; item = item->next) {
    const uint32_t distance = distance_u32(item->cylinder, cylinder);
    if (distance < best_distance) {
      best = item;
      best_distance = distance;
    }
  }
  return best;
}

const struct policy policy_sstf = {
    .name = "sstf", .number = 1, .candidate_ticks = 15, .which_next = which_next};
