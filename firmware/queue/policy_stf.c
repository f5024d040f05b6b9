/// `stf`: the shortest access time (also SATF, SPTF).
///
/// Every candidate is priced. A search that visits cylinders from near to far could stop early, but
/// only against the running minimum of the seek curve: the curve itself is not monotonic.
#include "firmware/queue/policy.h"

#include "firmware/kernel/waypoint.h"

static struct candidate* which_next(const void* state, const struct policy_view* view,
                                    struct candidate* incumbent, struct candidate* from) {
  (void)state;
  struct pricing pricing;
  predictor_begin(view->predictor, view->head, &pricing);
  struct candidate* best = incumbent;
  uint32_t best_turn24 = UINT32_MAX;
  if (incumbent != NULL) {
    WAYPOINT(INCUMBENT_PRICED);
    best_turn24 = pricing_access_turn24(&pricing, incumbent);
  }
  for (struct candidate* item = from; item != view->until; item = item->next) {
    const uint32_t access_turn24 = pricing_access_turn24(&pricing, item);
    if (access_turn24 < best_turn24) {
      best = item;
      best_turn24 = access_turn24;
    }
  }
  return best;
}

const struct policy policy_stf = {
    .name = "stf", .number = 2, .candidate_ticks = 45, .which_next = which_next};
