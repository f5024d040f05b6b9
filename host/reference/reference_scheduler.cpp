// SPDX-License-Identifier: Apache-2.0
#include "host/reference/reference_scheduler.hpp"

#include <algorithm>

#include "host/reference/waiting.hpp"

namespace headstack::reference_scheduler {
namespace {

constexpr std::size_t kSeen = 20;  // most requests that opt-g examines: real time by deadline, then
                                   // by age
constexpr std::size_t kExactSeeks = 8;       // most for an exact search of opt-g; a beam searches
                                             // more
constexpr std::size_t kExactDeadlines = 11;  // most for an exact search of opt-d; with more, the
                                             // earliest deadline is served

// ------------------------------------------------------------------------------------------ OPT-T

/// The seeks of a sweep that goes up first, or down first. `cylinders` must ascend.
Parts sweep_seeks(const Waiting& waiting, std::uint32_t lowest, std::uint32_t highest,
                  const std::vector<std::uint32_t>& cylinders, bool upward) {
  const std::uint32_t arm = waiting.arm();
  Parts seeks = 0;
  std::uint32_t at = arm;
  const auto go = [&](std::uint32_t cylinder) {
    seeks += waiting.seek(at, cylinder);
    at = cylinder;
  };
  if (upward) {
    for (const std::uint32_t cylinder : cylinders) {
      if (cylinder >= arm) go(cylinder);
    }
    for (auto it = cylinders.rbegin(); it != cylinders.rend() && lowest < arm; ++it) {
      if (*it < arm) go(*it);
    }
  } else {
    for (auto it = cylinders.rbegin(); it != cylinders.rend(); ++it) {
      if (*it <= arm) go(*it);
    }
    for (const std::uint32_t cylinder : cylinders) {
      if (cylinder > arm && highest > arm) go(cylinder);
    }
  }
  return seeks;
}

/// The nearest request on one side, the arm's cylinder included. If several are as near, the
/// oldest.
::candidate* nearest(const Waiting& waiting, bool upward) {
  const Request* best = nullptr;
  for (const Request& request : waiting.requests()) {
    const bool ahead =
        upward ? request.cylinder >= waiting.arm() : request.cylinder <= waiting.arm();
    if (!ahead) continue;
    const auto distance = [&](const Request& one) {
      return upward ? one.cylinder - waiting.arm() : waiting.arm() - one.cylinder;
    };
    if (best == nullptr || distance(request) < distance(*best)) best = &request;
  }
  return best == nullptr ? nullptr : best->candidate;
}

/// The first request of the cheaper of two sweeps, or of the upward one if they are equal. They are
/// planned again at each decision.
::candidate* next_opt_t(const void* /*state*/, ::policy_view* view) {
  if (view->waiting->count == 0) return nullptr;
  view->looked_at += view->waiting->count;
  const Waiting waiting(*view);
  std::vector<std::uint32_t> cylinders;
  for (const Request& request : waiting.requests()) cylinders.push_back(request.cylinder);
  std::sort(cylinders.begin(), cylinders.end());
  const std::uint32_t lowest = cylinders.front(), highest = cylinders.back();
  const bool upward = sweep_seeks(waiting, lowest, highest, cylinders, true) <=
                      sweep_seeks(waiting, lowest, highest, cylinders, false);
  ::candidate* first = nearest(waiting, upward);
  return first != nullptr ? first : nearest(waiting, !upward);
}

// ------------------------------------------------------------------------------------------ OPT-D

/// The direction of the SCAN for best effort, upward at first.
struct SweepState {
  bool downward;
};

/// Whether all requests end by their deadlines in this order.
bool meets_all(const Waiting& waiting, const std::vector<Request>& order) {
  Parts now = 0;
  std::uint32_t at = waiting.arm();
  for (const Request& request : order) {
    now += waiting.seek(at, request.cylinder) + request.fixed;
    at = request.cylinder;
    if (now > request.due) return false;
  }
  return true;
}

/// Meets the most deadlines of requests that are not hopeless. The earliest one comes first if that
/// order meets all of them, or if there are more than kExactDeadlines. Otherwise the search is
/// exact. Hopeless requests follow, by deadline. Best effort comes last, by SCAN, whose direction
/// only its own steps set.
::candidate* next_opt_d(const void* state, ::policy_view* view) {
  if (view->waiting->count == 0) return nullptr;
  view->looked_at += view->waiting->count;
  const Waiting waiting(*view);
  std::vector<Request> live, hopeless;
  for (const Request& request : waiting.requests()) {
    if (!request.real_time) continue;
    (waiting.is_hopeless(request) ? hopeless : live).push_back(request);
  }
  std::sort(live.begin(), live.end(), is_due_first);
  if (live.empty()) {
    if (!hopeless.empty()) {
      return std::min_element(hopeless.begin(), hopeless.end(), is_due_first)->candidate;
    }
    const bool upward = !static_cast<const SweepState*>(state)->downward;
    ::candidate* ahead = nearest(waiting, upward);
    return ahead != nullptr ? ahead : nearest(waiting, !upward);
  }
  if (live.size() > kExactDeadlines || meets_all(waiting, live)) return live.front().candidate;
  return live[most_in_time(waiting, live).places.front()].candidate;
}

void served_opt_d(void* state, const ::policy_view* view, const ::candidate* candidate) {
  if (candidate_is_real_time(candidate) || candidate->cylinder == view->head->cylinder) return;
  static_cast<SweepState*>(state)->downward = candidate->cylinder < view->head->cylinder;
}

// ------------------------------------------------------------------------------------------ OPT-G

/// The first request of the order with the least seeks that keeps all deadlines. If none is found,
/// that of the order with the least seeks.
::candidate* next_opt_g(::policy_view* view, bool leaves_hopeless_out) {
  if (view->waiting->count == 0) return nullptr;
  view->looked_at += view->waiting->count;
  const Waiting waiting(*view);
  std::vector<Request> seen = waiting.requests();
  if (seen.size() > kSeen) {
    std::sort(seen.begin(), seen.end(), is_due_first);
    seen.resize(kSeen);
    std::sort(seen.begin(), seen.end(), [](const Request& one, const Request& other) {
      return candidate_is_older(one.candidate, other.candidate);
    });
  }
  for (Request& request : seen) {
    if (leaves_hopeless_out && waiting.is_hopeless(request)) request.due = kNever;
  }
  Order order = least_seeks(waiting, seen, true, kExactSeeks);
  if (order.places.empty()) order = least_seeks(waiting, seen, false, kExactSeeks);
  return seen[order.places.front()].candidate;
}

::candidate* next_opt_g_live(const void* /*state*/, ::policy_view* view) {
  return next_opt_g(view, true);
}
::candidate* next_opt_g_literal(const void* /*state*/, ::policy_view* view) {
  return next_opt_g(view, false);
}

::policy row(const char* name, const char* text) {
  ::policy policy{};
  policy.name = name;
  policy.text = text;
  policy.number = 0xFF;  // number of no policy, which no mode page names
  return policy;
}

const std::vector<::policy>& rows() {
  static const std::vector<::policy> all = [] {
    ::policy opt_t = row("opt-t", "the cheaper of the two sweeps");
    opt_t.which_next = next_opt_t;
    ::policy opt_d = row("opt-d", "most deadlines met");
    opt_d.state_bytes = sizeof(SweepState);
    opt_d.which_next = next_opt_d;
    opt_d.task_served = served_opt_d;
    ::policy opt_g = row("opt-g", "the least seeks that meet all deadlines that can be met");
    opt_g.which_next = next_opt_g_live;
    ::policy literal = row("opt-g-literal", "the least seeks that meet all deadlines");
    literal.which_next = next_opt_g_literal;
    return std::vector<::policy>{opt_t, opt_d, opt_g, literal};
  }();
  return all;
}

}  // namespace

const ::policy* find(const std::string& name) {
  for (const ::policy& policy : rows()) {
    if (name == policy.name) return &policy;
  }
  return nullptr;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ::policy& policy : rows()) all.emplace_back(policy.name);
  return all;
}

}  // namespace headstack::reference_scheduler
