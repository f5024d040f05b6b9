#include "sim/mechanics/head_stack.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::mechanics {

PositioningModel::PositioningModel(const drive::Design& design)
    : curve_(design),
      head_switch_(from_ms(design.head_switch_ms)),
      write_settle_(std::max<Picoseconds>(from_ms(design.write_settle_ms), 0)) {}

Positioning PositioningModel::parts(std::uint32_t distance, bool head_changes,
                                    bool is_write) const {
  Positioning parts;
  if (distance == 0 && !head_changes) return parts;
  parts.settle = curve_.settle(distance);
  parts.seek = curve_.time(distance) - parts.settle;
  if (head_changes)
    parts.head_switch = std::max<Picoseconds>(head_switch_ - curve_.time(distance), 0);
  if (is_write) parts.write_settle = write_settle_;
  return parts;
}

void HeadStack::move(Picoseconds now, std::uint32_t cylinder, std::uint32_t head) {
  HEADSTACK_ASSERT(now >= read_ready_at(), "one movement at a time");
  HEADSTACK_ASSERT(cylinder < model_->curve().cylinder_count(), "the cylinder exists");
  const std::uint32_t distance =
      cylinder > to_cylinder_ ? cylinder - to_cylinder_ : to_cylinder_ - cylinder;
  const bool head_changes = head != head_;
  from_cylinder_ = to_cylinder_;
  to_cylinder_ = cylinder;
  head_ = head;
  start_ = now;
  profile_ = model_->curve().profile(distance);
  seek_time_ = model_->curve().time(distance);
  read_time_ = model_->total(distance, head_changes, false);
  write_time_ = model_->total(distance, head_changes, true);
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
  state.write_ready = since >= write_time_;
  if (since < profile_.motion_time()) {
    state.arm = ArmState::kSeeking;
  } else if (since < seek_time_) {
    state.arm = ArmState::kSettling;
  } else if (since < read_time_) {
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
