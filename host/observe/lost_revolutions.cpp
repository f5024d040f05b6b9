// SPDX-License-Identifier: Apache-2.0
#include "host/observe/lost_revolutions.hpp"

#include "firmware/events.h"

namespace headstack::observe {

void LostRevolutions::firmware_event(std::uint64_t edge, unsigned number,
                                     std::uint32_t /*argument*/) {
  if (number == TRACE_TASK_CHOSEN) chosen_at_ = soc::time_of_edge(edge);
}

/// The settling that a write needs besides is less than half a revolution.
void LostRevolutions::seek_began(Picoseconds /*at*/, const geometry::Chs& /*track*/,
                                 const mechanics::Positioning& parts) {
  moved_ += parts.seek + parts.settle + parts.head_switch;
}

void LostRevolutions::sector_began(Picoseconds at, const geometry::Chs& /*sector*/) { began_ = at; }

/// Some sectors pass by between: this is the pass that ends. What ended before the request was
/// chosen was another's.
void LostRevolutions::sector_ended(Picoseconds at, const geometry::Chs& /*sector*/) {
  if (ended_ && *ended_ >= chosen_at_) {
    const Picoseconds wait = began_ - *ended_ - moved_ - latency_;
    if (wait > 0) count_ += static_cast<std::uint64_t>((wait + turn_ / 2) / turn_);
  }
  ended_ = at;
  moved_ = 0;
}

}  // namespace headstack::observe
