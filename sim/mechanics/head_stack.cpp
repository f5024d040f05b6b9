// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/head_stack.hpp"

#include <algorithm>
#include <cmath>

#include "sim/assert.hpp"

namespace headstack::mechanics {

PositioningModel::PositioningModel(const drive::Design& design)
    : curve_(design),
      head_switch_(from_ms(design.head_switch_ms)),
      write_settle_(std::max<Picoseconds>(from_ms(design.write_settle_ms), 0)),
      write_offset_(from_ms(design.write_offset_ms)) {}

Positioning PositioningModel::parts(std::uint32_t distance, bool head_changes, bool is_write,
                                    bool element_changes) const {
  Positioning parts;
  const Picoseconds offset = element_changes ? write_offset_ : 0;
  if (distance == 0) parts.settle = offset;
  if (distance == 0 && !head_changes) return parts;
  if (distance > 0) parts.settle = curve_.settle(distance);
  if (distance > 0) parts.seek = curve_.time(distance) - parts.settle;
  if (head_changes)
    parts.head_switch = std::max<Picoseconds>(head_switch_ - parts.seek - parts.settle, 0);
  if (is_write) parts.write_settle = write_settle_;
  return parts;
}

/// The cylinder on which a movement to a target ends.
std::uint32_t HeadStack::end_of_movement(std::uint32_t target) const {
  if (!mishap_) return target;
  if (mishap_->kind == drive::ArmFaultKind::kWrongCylinder) {
    const std::int64_t last = std::int64_t{model_->curve().cylinder_count()} - 1;
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(target + mishap_->by_cylinders, 0, last));
  }
  if (mishap_->kind != drive::ArmFaultKind::kStuck) return target;
  return static_cast<std::uint32_t>(from_cylinder_ +
                                    (std::int64_t{target} - std::int64_t{from_cylinder_}) / 2);
}

/// Begins a movement from `from_cylinder_`.
void HeadStack::begin(Picoseconds now, std::uint32_t target, std::uint32_t head) {
  mishap_ = faults_.strike(target);
  to_cylinder_ = end_of_movement(target);
  head_ = head;
  start_ = now;
  leaves_ = returns_ = kNever;
}

/// Adds the effect of the mishap to a movement that takes `parts` without it.
void HeadStack::apply_fault(Positioning& parts) {
  if (!mishap_) return;
  const Picoseconds lasts = mishap_->lasts;
  switch (mishap_->kind) {
    case drive::ArmFaultKind::kSettle:
      if (lasts == kNever) {
        read_ready_ = write_ready_ = kNever;
        return;
      }
      parts.settle += lasts;
      seek_time_ += lasts;
      read_ready_ += lasts;
      write_ready_ += lasts;
      return;
    case drive::ArmFaultKind::kOffTrack:
      leaves_ = read_ready_ + mishap_->leaves_after;
      returns_ = lasts == kNever ? kNever : leaves_ + lasts;
      return;
    case drive::ArmFaultKind::kStuck: read_ready_ = write_ready_ = kNever; return;
    case drive::ArmFaultKind::kWrongCylinder: return;
  }
}

Positioning HeadStack::move(Picoseconds now, std::uint32_t cylinder, std::uint32_t head,
                            bool for_write) {
  HEADSTACK_ASSERT(now >= read_ready_at(), "one movement at a time");
  HEADSTACK_ASSERT(cylinder < model_->curve().cylinder_count(), "the cylinder exists");
  const bool head_changes = head != head_;
  const bool element_changes = model_->has_offset() && for_write != writes_;
  from_cylinder_ = to_cylinder_;
  if (cylinder == from_cylinder_ && !head_changes && !element_changes) {
    start_ = read_ready_ = write_ready_ = now;
    profile_ = SeekProfile();
    seek_time_ = 0;
    return {};
  }
  begin(now, cylinder, head);
  writes_ = for_write;
  return travel(now, distance(), head_changes, element_changes);
}

Positioning HeadStack::recalibrate(Picoseconds now) {
  const std::uint32_t stroke = model_->curve().cylinder_count() - 1;
  from_cylinder_ = static_cast<std::uint32_t>(std::llround(state(now).position_cylinders));
  begin(now, 0, 0);
  writes_ = false;
  return travel(now, stroke, true, false);
}

std::uint32_t HeadStack::distance() const {
  return to_cylinder_ > from_cylinder_ ? to_cylinder_ - from_cylinder_
                                       : from_cylinder_ - to_cylinder_;
}

Positioning HeadStack::travel(Picoseconds now, std::uint32_t charged, bool head_changes,
                              bool element_changes) {
  // A small movement on the track does not cut a settling for writing, which goes on.
  const Picoseconds settled = charged == 0 && !head_changes ? write_ready_ : now;
  Positioning parts = model_->parts(charged, head_changes, true, element_changes);
  profile_ = model_->curve().profile(distance());
  seek_time_ = parts.seek + parts.settle;
  read_ready_ = now + model_->total(charged, head_changes, false, element_changes);
  write_ready_ =
      std::max(now + model_->total(charged, head_changes, true, element_changes), settled);
  apply_fault(parts);
  return parts;
}

HeadStackState HeadStack::state(Picoseconds now) const {
  HEADSTACK_ASSERT(now >= start_, "the head stack is asked about its past");
  const Picoseconds since = now - start_;
  const double direction = to_cylinder_ >= from_cylinder_ ? 1 : -1;
  HeadStackState state;
  state.target_cylinder = to_cylinder_;
  state.head = head_;
  state.position_cylinders = from_cylinder_ + direction * profile_.position_cylinders(since);
  state.velocity_cylinders_per_ms = direction * profile_.velocity_cylinders_per_ms(since);
  state.write_ready = write_ready(now);
  const bool rings_on = read_ready_ == kNever;  // the arm rings on, or stands still off any track
  if (since < profile_.motion_time()) {
    state.arm = ArmState::kSeeking;
  } else if (since < seek_time_ || rings_on || is_away(now)) {
    state.arm = ArmState::kSettling;
  } else if (now < read_ready_) {
    state.arm = ArmState::kSwitchingHead;
  }
  return state;
}

const char* to_string(ArmState state) {
  switch (state) {
    case ArmState::kOnTrack: return "on track";
    case ArmState::kSeeking: return "seeking";
    case ArmState::kSettling: return "settling";
    case ArmState::kSwitchingHead: return "switching head";
  }
  return "?";
}

}  // namespace headstack::mechanics
