// SPDX-License-Identifier: Apache-2.0
#include "host/wave/mechanics_sampler.hpp"

#include <algorithm>

#include "host/options/wave_window.hpp"
#include "sim/channel/byte_grid.hpp"

namespace headstack::wave {
namespace {

using mechanics::Spindle;

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

Picoseconds next_multiple(Picoseconds time, Picoseconds grid) { return (time / grid + 1) * grid; }

}  // namespace

void MechanicsSampler::seek_began(Picoseconds at, const mechanics::Positioning& parts) {
  Picoseconds step = at;
  steps_[0] = step;
  steps_[1] = step += parts.seek;
  steps_[2] = step += parts.settle;
  steps_[3] = step += parts.head_switch;
  steps_[4] = step + parts.write_settle;
}

Picoseconds MechanicsSampler::next_after(Picoseconds time) const {
  return std::min({next_of_arm(time), next_of_angle(time), next_of_sector(time)});
}

Picoseconds MechanicsSampler::next_of_arm(Picoseconds time) const {
  const auto* const step = std::upper_bound(steps_.begin(), steps_.end(), time);
  if (step == steps_.end()) return options::kNever;
  const bool moving = step == steps_.begin() + 1;
  return moving ? std::min(*step, next_multiple(time, kArmGrid)) : *step;
}

Picoseconds MechanicsSampler::next_of_angle(Picoseconds time) const {
  const Spindle& spindle = hda_.spindle().spindle();
  if (spindle.state(time) == Spindle::State::kStopped) return options::kNever;
  const Picoseconds grid = next_multiple(time, kAngleGrid);
  const auto index = spindle.when(time, (spindle.unwrapped(time) / kTurn + 1) * kTurn);
  if (!index || *index > grid) return grid;
  return *index - 1 > time ? *index - 1 : *index;
}

Picoseconds MechanicsSampler::next_of_sector(Picoseconds time) const {
  const Spindle& spindle = hda_.spindle().spindle();
  const mechanics::HeadStack& stack = hda_.heads().stack();
  if (time < stack.read_ready_at() || spindle.state(time) != Spindle::State::kAtSpeed) {
    return options::kNever;
  }
  const geometry::Geometry& geometry = hda_.geometry();
  const auto zone = geometry.zone_of(stack.cylinder());
  if (!zone) return options::kNever;
  const channel::ByteGrid grid(geometry.zones()[*zone].sectors_per_track,
                               hda_.surface().layout().raw_bytes);
  const auto mark = grid.mark_at_or_after(spindle.unwrapped(time) + 1);
  return spindle.when(time, mark.angle).value_or(options::kNever);
}

}  // namespace headstack::wave
