// SPDX-License-Identifier: Apache-2.0
#include "host/reference/waiting.hpp"

#include "firmware/queue/task.h"

namespace headstack::reference_scheduler {
namespace {

/// The unit of deadlines, in parts.
constexpr Parts kUnit = Parts{TASK_ARRIVED_TICKS} * DRIVE_DESIGN_TICK_PARTS;

/// The time from `now` to a deadline; 0 when it is past.
Parts due_from(const ::candidate& candidate, time_tick now) {
  const std::int32_t slack =
      candidate_slack(&candidate, static_cast<std::uint32_t>(now / TASK_ARRIVED_TICKS));
  const Parts begun = now % TASK_ARRIVED_TICKS * DRIVE_DESIGN_TICK_PARTS;
  if (slack <= 0) return 0;
  return static_cast<Parts>(slack) * kUnit - begun;
}

}  // namespace

Waiting::Waiting(const ::policy_view& view)
    : seek_part_(&view.predictor->design->pool[view.predictor->design->seek_table]),
      arm_(view.head->cylinder) {
  const ::rotation& rotation = *view.predictor->rotation;
  const Parts half_turn = Parts{rotation.period_tick64} * DRIVE_DESIGN_TICK_PARTS / (64 * 2);
  const Parts margin = Parts{view.predictor->margin_tick} * DRIVE_DESIGN_TICK_PARTS;
  requests_.reserve(view.waiting->count);
  for (::candidate* item = view.waiting->first; item != nullptr; item = item->next) {
    const Parts transfer =
        Parts{rotation_ticks(&rotation, item->span_turn24)} * DRIVE_DESIGN_TICK_PARTS;
    const bool real_time = candidate_is_real_time(item);
    requests_.push_back({item, item->cylinder, margin + half_turn + transfer,
                         real_time ? due_from(*item, view.head->at_tick) : kNever, real_time});
  }
}

bool is_due_first(const Request& one, const Request& other) {
  if (candidate_is_due_before(one.candidate, other.candidate)) return true;
  if (candidate_is_due_before(other.candidate, one.candidate)) return false;
  return candidate_is_older(one.candidate, other.candidate);
}

}  // namespace headstack::reference_scheduler
