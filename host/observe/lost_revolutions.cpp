// SPDX-License-Identifier: Apache-2.0
#include "host/observe/lost_revolutions.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/events.h"

namespace headstack::observe {

void LostRevolutions::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  constexpr std::uint32_t kTask = 0xFFFF;  // the bits with the task in both events
  if (number == TRACE_TASK_CHOSEN) {
    chosen_at_ = soc::time_of_edge(edge);
    task_ = argument & kTask;
  } else if (number == TRACE_MEDIA_DONE && task_ == (argument & kTask)) {
    task_.reset();
  }
}

/// Adds a movement. The additional settling of a write is less than half a revolution.
void LostRevolutions::seek_began(Picoseconds /*at*/, const geometry::Chs& /*track*/,
                                 const mechanics::Positioning& parts) {
  moved_ += parts.seek + parts.settle + parts.head_switch;
}

void LostRevolutions::sector_began(Picoseconds at, const geometry::Chs& /*sector*/) { began_ = at; }

std::int64_t LostRevolutions::lost_before(const geometry::Chs& sector) const {
  if (!angle_of_) {
    const Picoseconds wait = began_ - done_->ended - moved_ - turn_ / 2;
    return wait > 0 ? (wait + turn_ / 2) / turn_ : 0;
  }
  // The difference modulo 2^32, which is a revolution.
  const std::uint32_t angle = angle_of_(sector) - angle_of_(done_->sector);
  const auto skew = static_cast<Picoseconds>(std::ldexp(static_cast<double>(turn_) * angle, -32));
  const Picoseconds beyond = began_ - done_->began - skew;
  return (beyond + turn_ / 2) / turn_ - moved_ / turn_;
}

/// Counts at the end of a pass, since some sectors only pass by between. A pass that ended before
/// the request was chosen belongs to another one.
void LostRevolutions::sector_ended(Picoseconds at, const geometry::Chs& sector) {
  if (done_ && done_->ended >= chosen_at_) {
    const auto lost = static_cast<std::uint64_t>(std::max<std::int64_t>(0, lost_before(sector)));
    (task_ ? count_ : others_) += lost;
  }
  done_ = {sector, began_, at};
  moved_ = 0;
}

}  // namespace headstack::observe
