// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/reference_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace headstack::reference {

Request least(const Queue& queue, const std::function<Measure(const Request&)>& measure) {
  Request best = queue.at(0);
  for (const Request& request : queue) {
    const Measure here = measure(request);
    const Measure there = measure(best);
    if (here < there || (here == there && request.order < best.order)) best = request;
  }
  return best;
}

Queue those(const Queue& queue, const std::function<bool(const Request&)>& which) {
  Queue result;
  std::copy_if(queue.begin(), queue.end(), std::back_inserter(result), which);
  return result;
}

Measure distance(Measure a, Measure b) { return std::abs(a - b); }

Request nearest(const Queue& queue, std::uint32_t cylinder) {
  return least(queue, [&](const Request& r) { return distance(r.cylinder, cylinder); });
}

Request cheapest(const Queue& queue, const Moment& moment) {
  return least(queue, [&](const Request& r) { return moment.access(r); });
}

Request earliest_due(const Queue& queue) {
  return least(queue, [](const Request& r) {
    return r.due_tick ? static_cast<Measure>(*r.due_tick) : std::numeric_limits<Measure>::max();
  });
}

bool is_due_before(const Request& one, const Request& other) {
  const auto due = [](const Request& r) { return r.due_tick.value_or(UINT64_MAX); };
  return due(one) != due(other) ? due(one) < due(other) : one.order < other.order;
}

Queue by_deadline(Queue queue) {
  std::sort(queue.begin(), queue.end(), is_due_before);
  return queue;
}

std::uint64_t youngest(const Request& request, const Queue& others) {
  std::uint64_t order = request.order;
  for (const Request& other : others) order = std::max(order, other.order);
  return order;
}

void Directed::served(const Request& request, const Queue& /*others*/, const Moment& moment) {
  if (is_behind(request, moment.cylinder)) up_ = !up_;
}

bool Directed::is_behind(const Request& request, std::uint32_t from) const {
  return up_ ? request.cylinder < from : request.cylinder > from;
}

Request Directed::towards(const Request& target, const Queue& queue, std::uint32_t from) const {
  const bool up = target.cylinder == from ? up_ : target.cylinder > from;
  return nearest(
      those(queue, [&](const Request& r) { return up ? r.cylinder >= from : r.cylinder <= from; }),
      from);
}

Queue Directed::scan_order(Queue queue, std::uint32_t from) const {
  std::sort(queue.begin(), queue.end(), [&](const Request& one, const Request& other) {
    const auto key = [&](const Request& r) {
      return std::make_tuple(is_behind(r, from), distance(r.cylinder, from), r.order);
    };
    return key(one) < key(other);
  });
  return queue;
}

Request Directed::scan(const Queue& queue, std::uint32_t from) const {
  const Queue ahead = those(queue, [&](const Request& r) { return !is_behind(r, from); });
  return nearest(ahead.empty() ? queue : ahead, from);
}

}  // namespace headstack::reference
