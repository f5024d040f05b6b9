// SPDX-License-Identifier: Apache-2.0
#include "host/debug/drive_text.hpp"

#include <fmt/format.h>

#include "firmware/queue/policy_table.h"
#include "sim/bus/phase.hpp"

namespace headstack::debug {
namespace {

template <class Number>
std::string or_none(const std::optional<Number>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

std::string service_text(const observe::DriveState& state) {
  if (!state.tag_in_service) return "nothing";
  std::string text = fmt::format("tag {}", *state.tag_in_service);
  if (state.command_in_service) text += fmt::format(", request {}", *state.command_in_service);
  return text;
}

std::string policy_text(const observe::DriveState& state) {
  const ::policy* policy = state.policy ? policy_by_number(*state.policy) : nullptr;
  return policy == nullptr ? "no search yet" : policy->name;
}

}  // namespace

std::string drive_text(const observe::DriveState& state) {
  return fmt::format(
      "spindle   {:.4f} degrees behind the index\n"
      "arm       {}, at cylinder {:.2f} (target {}), {:+.3f} cylinders/ms\n"
      "track     cylinder {}, head {}, zone {}, sector {}\n"
      "bus       {}, operation code {}\n"
      "queue     {} tasks, policy {}; the media work for: {}\n"
      "firmware  serves: {}\n",
      to_degrees(state.angle_turn32), to_string(state.arm), state.position_cylinders,
      state.target_cylinder, state.velocity_cylinders_per_ms, state.cylinder, state.head,
      or_none(state.zone), or_none(state.sector), phase_name(state.phase),
      state.operation_code ? fmt::format("{:02X}h", *state.operation_code) : "none",
      state.queue_depth, policy_text(state), service_text(state), to_string(state.handler));
}

}  // namespace headstack::debug
