// SPDX-License-Identifier: Apache-2.0
/// `gstf`: the shortest access in the current group of G neighbouring cylinders. When none is left
/// there, it is the shortest in the next group that has one: cyclically, or with `bounce` to and
/// fro.
///
/// `frozen`: only candidates are served that had arrived when the group's first one was served. The
/// others wait until every other group has had its turn.
///
/// The current group is that of the candidate served last; before the first service, the heads'.
#include <stddef.h>

#include "firmware/kernel/arithmetic.h"
#include "firmware/queue/search.h"

static const struct policy_parameter parameters[] = {
    {.name = "group",
     .unit = POLICY_TEXT("cylinders: size of a group"),
     .minimum = 1,
     .maximum = DRIVE_DESIGN_CYLINDERS_MAX,
     .initial_share = 4},
    {.name = NULL},
};

static const struct policy_flag flags[] = {
    {"bounce", POLICY_TEXT("groups are visited up and down in turn, not cyclically upward")},
    {"frozen",
     POLICY_TEXT("a group serves only requests that waited when its first one was served")},
    {NULL, NULL},
};
#define FLAG_BOUNCE 0x01U
#define FLAG_FROZEN 0x02U

struct state {
  uint32_t size;  ///< Size of a group in cylinders.
  uint32_t flags;
  bool has_group;  ///< A candidate has been served.
  bool downward;   ///< `bounce`: the way to the next group.
  uint32_t group;
  uint32_t last_sequence;  ///< `frozen`: the youngest that takes part.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* gstf = state;
  gstf->size = setup->parameter[0];
  gstf->flags = setup->flags;
}

static bool is_frozen(const struct state* gstf) {
  return (gstf->flags & FLAG_FROZEN) != 0 && gstf->has_group;
}

static uint32_t current_group(const struct state* gstf, const struct policy_view* view) {
  return gstf->has_group ? gstf->group : view->head->cylinder / gstf->size;
}

static struct search_scope group_scope(const struct state* gstf, uint32_t group) {
  const uint32_t low = group * gstf->size;
  return search_cylinders(low, low + gstf->size - 1);
}

/// Greater than the number of any group: groups on the far side come after all that lie ahead.
#define BEHIND 0x10000U

/// Sort key: how many groups the sweep visits before the candidate's (0: current group). Candidates
/// outside the frozen set sort last.
static uint32_t turn_of(const struct state* gstf, uint32_t current,
                        const struct candidate* candidate) {
  const uint32_t group = candidate->cylinder / gstf->size;
  if (group == current) {
    const bool takes_part = !is_frozen(gstf) || search_had_arrived(candidate, gstf->last_sequence);
    return takes_part ? 0 : UINT32_MAX;
  }
  if ((gstf->flags & FLAG_BOUNCE) == 0) return group > current ? group : group + BEHIND;
  const bool ahead = gstf->downward ? group < current : group > current;
  const uint32_t distance = distance_u32(group, current);
  return ahead ? distance : distance + BEHIND;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* gstf = state;
  const uint32_t before = current_group(gstf, view);
  const bool entered = !gstf->has_group || turn_of(gstf, before, candidate) != 0;
  const uint32_t group = candidate->cylinder / gstf->size;
  if (group != before) gstf->downward = group < before;
  gstf->group = group;
  gstf->has_group = true;
  if (entered) gstf->last_sequence = search_youngest(view, candidate);
}

/// The candidate nearest to the current group, above or below it; NULL: none is there.
static const struct candidate* nearest_outside(const struct state* gstf, struct policy_view* view,
                                               uint32_t current, bool below) {
  const struct search_scope own = group_scope(gstf, current);
  if (below && own.low == 0) return NULL;
  const struct search_scope side = below ? search_cylinders(0, own.low - 1)
                                         : search_cylinders(own.high + 1, SEARCH_CYLINDER_MAX);
  return search_nearest(view, &side, below ? side.high : side.low);
}

/// A candidate of the group that comes first after the current one; NULL: no other group has any.
static const struct candidate* of_next_group(const struct state* gstf, struct policy_view* view,
                                             uint32_t current) {
  const bool first_below = (gstf->flags & FLAG_BOUNCE) != 0 && gstf->downward;
  const struct candidate* found = nearest_outside(gstf, view, current, first_below);
  if (found != NULL) return found;
  if ((gstf->flags & FLAG_BOUNCE) != 0) return nearest_outside(gstf, view, current, !first_below);
  const struct search_scope own = group_scope(gstf, current);
  if (own.low == 0) return NULL;
  const struct search_scope below = search_cylinders(0, own.low - 1);
  return search_nearest(view, &below, 0);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* gstf = state;
  const uint32_t current = current_group(gstf, view);
  struct search_scope scope = group_scope(gstf, current);
  scope.frozen = is_frozen(gstf);
  scope.last_sequence = gstf->last_sequence;
  struct candidate* best = search_cheapest(view, &scope, SEARCH_ACCESS);
  if (best != NULL) return best;
  const struct candidate* next = of_next_group(gstf, view, current);
  scope = group_scope(gstf, next != NULL ? next->cylinder / gstf->size : current);
  return search_cheapest(view, &scope, SEARCH_ACCESS);
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct state* gstf = state;
  const uint32_t current = current_group(gstf, view);
  const uint32_t one_turn = turn_of(gstf, current, one);
  const uint32_t other_turn = turn_of(gstf, current, other);
  if (one_turn != other_turn) return one_turn < other_turn;
  return search_is_cheaper(view, SEARCH_ACCESS, one, other);
}

const struct policy policy_gstf = {
    .name = "gstf",
    .text = POLICY_TEXT("shortest access time in one group of cylinders; then the next group"),
    .number = POLICY_NUMBER_gstf,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 60,
    .parameters = parameters,
    .flags = flags,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
