/// `fahrrad`: a sweep over all that can be reordered without a deadline's being missed in the worst
/// case (Fahrrad, Povzner, Kaldewey, Brandt and others 2008).
///
/// Each access is taken to last `w`, the worst case. The set has the real time in the order of
/// deadlines, as long as all of them fit before the earliest deadline; the first always. Behind
/// them it has best effort, the oldest first, as long as another `w` fits into the room. The room
/// is `horizon`, or what the real time of the set leaves before the earliest deadline, or the least
/// time between a deadline and the worst-case end of all real time up to it, whichever is least.
/// The set is served as a scan, and made anew for each choice.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/sweep.h"

#define TENTHS 10U
#define FEW 32U

static const struct policy_parameter parameters[] = {
    {.name = "w",
     .unit = POLICY_TEXT("ms, an access's worst case"),
     .minimum = 1,
     .maximum = 1000 * TENTHS,
     .initial = 14 * TENTHS,
     .decimals = 1},
    {.name = "horizon",
     .unit = POLICY_TEXT("ms of best effort at the most"),
     .minimum = 1,
     .maximum = 10000 * TENTHS,
     .initial = 250 * TENTHS,
     .decimals = 1},
    {.name = NULL},
};

struct state {
  struct sweep sweep;
  uint32_t worst_ticks;
  uint32_t horizon_ticks;
};

static void begin(void* state, const struct policy_setup* setup) {
  const uint32_t unit = TIME_TICKS_PER_MILLISECOND / TENTHS;
  struct state* fahrrad = state;
  fahrrad->worst_ticks = setup->parameter[0] * unit;
  fahrrad->horizon_ticks = setup->parameter[1] * unit;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* fahrrad = state;
  sweep_on_served(&fahrrad->sweep, view->head->cylinder, candidate);
}

/// A set that is being made.
struct draft {
  struct candidate* best;  ///< The next of a sweep over what is in it.
  bool is_full;            ///< Of real time.
  uint64_t first_ticks;    ///< To the earliest deadline.
  uint64_t end_ticks;      ///< Of all real time up to the one last looked at, at worst.
  uint64_t room_ticks;     ///< For best effort.
};

static void join(struct draft* draft, const struct state* fahrrad, uint32_t at,
                 struct candidate* item) {
  if (draft->best == NULL || sweep_is_better(&fahrrad->sweep, at, item, draft->best)) {
    draft->best = item;
  }
}

static void limit_room(struct draft* draft, uint64_t due_ticks, uint64_t end_ticks) {
  const uint64_t room_ticks = due_ticks > end_ticks ? due_ticks - end_ticks : 0;
  if (room_ticks < draft->room_ticks) draft->room_ticks = room_ticks;
}

/// The next by deadline.
static void draft_real_time(struct draft* draft, const struct state* fahrrad,
                            const struct policy_view* view, struct candidate* item) {
  const uint64_t due_ticks = deadline_ticks_ahead(item, view->head->at_tick);
  const bool is_first = draft->end_ticks == 0;
  if (is_first) draft->first_ticks = due_ticks;
  draft->end_ticks += fahrrad->worst_ticks;
  limit_room(draft, due_ticks, draft->end_ticks);
  if (draft->end_ticks > draft->first_ticks) draft->is_full = true;
  if (draft->is_full && !is_first) return;
  join(draft, fahrrad, view->head->cylinder, item);
  limit_room(draft, draft->first_ticks, draft->end_ticks);
}

static void draft_all_real_time(struct draft* draft, const struct state* fahrrad,
                                struct policy_view* view) {
  struct candidate* few[FEW];
  const struct candidate* behind = NULL;
  for (;;) {
    const uint32_t count = deadline_next_few(view, behind, few, FEW);
    for (uint32_t i = 0; i < count; ++i) {
      if (!candidate_is_real_time(few[i])) return;
      draft_real_time(draft, fahrrad, view, few[i]);
      if (draft->is_full && draft->room_ticks == 0) return;
    }
    if (count < FEW) return;
    behind = few[FEW - 1];
  }
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* fahrrad = state;
  struct draft draft = {.room_ticks = fahrrad->horizon_ticks};
  draft_all_real_time(&draft, fahrrad, view);
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (candidate_is_real_time(item)) continue;
    // With nothing in the set somebody must be served all the same.
    if (draft.room_ticks < fahrrad->worst_ticks && draft.best != NULL) break;
    const bool fits = draft.room_ticks >= fahrrad->worst_ticks;
    draft.room_ticks -= fits ? fahrrad->worst_ticks : draft.room_ticks;
    join(&draft, fahrrad, view->head->cylinder, item);
  }
  return draft.best;
}

const struct policy policy_fahrrad = {
    .name = "fahrrad",
    .text = POLICY_TEXT("a sweep over all that no deadline forbids in the worst case"),
    .number = POLICY_NUMBER_fahrrad,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 40,
    .parameters = parameters,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next};
