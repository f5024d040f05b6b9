// SPDX-License-Identifier: Apache-2.0
/// `wscan`: scan, but a candidate in a small window just behind the sweep goes first, and moves
/// neither the window nor the sweep (windowed SCAN). If there are several, the one nearest to the
/// heads goes first.
///
/// The sweep is where the heads are. While candidates in the window are served, it stays where it
/// was when the first of them was served. Its own cylinder is not in the window.
#include <stddef.h>

#include "firmware/kernel/arithmetic.h"
#include "firmware/queue/sweep.h"

static const struct policy_parameter parameters[] = {
    {.name = "window",
     .unit = POLICY_TEXT("cylinders: size of the window behind the sweep"),
     .minimum = 0,
     .maximum = DRIVE_DESIGN_CYLINDERS_MAX,
     .initial_share = 64},
    {.name = NULL},
};

struct state {
  struct sweep sweep;
  bool held;         ///< The last service was of a candidate in the window.
  uint32_t held_at;  ///< Cylinder at which the sweep stayed.
  uint32_t window;   ///< Width of the window in cylinders.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* wscan = state;
  wscan->window = setup->parameter[0];
}

static uint32_t sweep_at(const struct state* wscan, const struct policy_view* view) {
  return wscan->held ? wscan->held_at : view->head->cylinder;
}

static bool is_in_window(const struct state* wscan, uint32_t at,
                         const struct candidate* candidate) {
  return sweep_is_behind(&wscan->sweep, at, candidate) &&
         distance_u32(candidate->cylinder, at) <= wscan->window;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* wscan = state;
  const uint32_t at = sweep_at(wscan, view);
  wscan->held = is_in_window(wscan, at, candidate);
  wscan->held_at = at;
  if (!wscan->held) sweep_on_served(&wscan->sweep, at, candidate);
}

static struct search_scope window_scope(const struct state* wscan, uint32_t at) {
  if (wscan->sweep.downward) return search_cylinders(at + 1, at + wscan->window);
  if (at == 0) return search_cylinders(1, 0);  // No cylinder is behind.
  return search_cylinders(at > wscan->window ? at - wscan->window : 0, at - 1);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* wscan = state;
  const uint32_t at = sweep_at(wscan, view);
  const struct search_scope window = window_scope(wscan, at);
  struct candidate* best = search_nearest(view, &window, view->head->cylinder);
  if (best != NULL) return best;
  const struct search_scope everything = search_everything();
  return sweep_next(&wscan->sweep, at, view, &everything);
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct state* wscan = state;
  const uint32_t at = sweep_at(wscan, view);
  const bool one_in_window = is_in_window(wscan, at, one);
  if (one_in_window != is_in_window(wscan, at, other)) return one_in_window;
  if (!one_in_window) return sweep_is_better(&wscan->sweep, at, one, other);
  const uint32_t heads_at = view->head->cylinder;
  return search_is_less(distance_u32(one->cylinder, heads_at), one,
                        distance_u32(other->cylinder, heads_at), other);
}

const struct policy policy_wscan = {
    .name = "wscan",
    .text = POLICY_TEXT("SCAN, but requests in a window just behind the sweep go first"),
    .number = POLICY_NUMBER_wscan,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 40,
    .parameters = parameters,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
