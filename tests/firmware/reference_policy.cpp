// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/reference_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

Request cheapest(const Queue& queue, const Moment& moment) {
  return least(queue, [&](const Request& r) { return moment.access(r); });
}

Request earliest_due(const Queue& queue) {
  return least(queue, [](const Request& r) {
    return r.due_tick ? static_cast<Measure>(*r.due_tick) : std::numeric_limits<Measure>::max();
  });
}

}  // namespace headstack::reference
