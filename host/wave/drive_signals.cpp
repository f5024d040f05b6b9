// SPDX-License-Identifier: Apache-2.0
#include "host/wave/drive_signals.hpp"

#include <limits>
#include <utility>

#include "firmware/events.h"
#include "firmware/queue/policy_table.h"
#include "host/options/event_names.hpp"

namespace headstack::wave {
namespace {

constexpr unsigned kReal = soc::WaveSignal::kReal;
// Without a deadline, its time is infinitely far away.
constexpr double kInfinitelyLate = std::numeric_limits<double>::infinity();
// Values above all indices of functions, which are shown as names, too.
constexpr unsigned kFunctionBits = 12;
constexpr std::uint64_t kAsleep = (1U << kFunctionBits) - 1;
constexpr std::uint64_t kNoFunction = kAsleep - 1;

soc::WaveNames function_names(const observe::FunctionTable& functions) {
  soc::WaveNames names{"firmware_function", {}};
  for (std::size_t i = 0; i < functions.functions().size() && i < kNoFunction; ++i) {
    names.names.emplace_back(i, functions.functions()[i].name);
  }
  names.names.emplace_back(kNoFunction, kNothing);
  names.names.emplace_back(kAsleep, "asleep");
  return names;
}

soc::WaveNames handler_names() {
  soc::WaveNames names{"firmware_handler", {}};
  for (unsigned i = 0; i <= static_cast<unsigned>(observe::Handler::kTimer); ++i) {
    names.names.emplace_back(i, observe::to_string(static_cast<observe::Handler>(i)));
  }
  return names;
}

soc::WaveNames event_names(unsigned bits) {
  soc::WaveNames names{"firmware_event", {}};
  for (unsigned number = 0; number < TRACE_EVENT_COUNT; ++number) {
    if (*options::event_name(number) != '?')
      names.names.emplace_back(number, options::event_name(number));
  }
  names.names.emplace_back(largest(bits), kNothing);
  return names;
}

soc::WaveNames policy_names(unsigned bits) {
  soc::WaveNames names{"scheduling_policy", {}};
  for (std::uint32_t row = 0; row < ::policy_count(); ++row) {
    names.names.emplace_back(::policy_row(row)->number, ::policy_row(row)->name);
  }
  names.names.emplace_back(largest(bits), kNothing);
  return names;
}

soc::WaveNames arm_names() {
  soc::WaveNames names{"arm_state", {}};
  for (unsigned i = 0; i <= static_cast<unsigned>(mechanics::ArmState::kSwitchingHead); ++i) {
    names.names.emplace_back(i, to_string(static_cast<mechanics::ArmState>(i)));
  }
  return names;
}

}  // namespace

soc::WaveNames DriveSignals::decision_names() {
  return {"scheduling_decision",
          {{static_cast<unsigned>(Decision::kNone), kNothing},
           {static_cast<unsigned>(Decision::kPlanned), "planned ahead"},
           {static_cast<unsigned>(Decision::kReplaced), "plan replaced"},
           {static_cast<unsigned>(Decision::kSearched), "searched"},
           {static_cast<unsigned>(Decision::kForced), "forced"}}};
}

DriveSignals::DriveSignals(const observe::FunctionTable& functions) : functions_(functions) {
  constexpr unsigned kEventBits = 7;
  constexpr unsigned kPolicyBits = 8;
  function_ = add("drive.firmware", "function", kFunctionBits, function_names(functions));
  handler_ = add("drive.firmware", "handler", 3, handler_names());
  event_ = add("drive.firmware", "event", kEventBits, event_names(kEventBits));
  event_argument_ = add("drive.firmware", "event_argument", 32);
  marker_ = add("drive.firmware", "marker", 32);
  marker_count_ = add("drive.firmware", "marker_count", 16);
  depth_ = add("drive.queue", "depth", 16);
  command_ = add_optional("drive.queue", "command", 40);
  tag_ = add_optional("drive.queue", "tag", 17);
  policy_ = add("drive.queue", "policy", kPolicyBits, policy_names(kPolicyBits));
  decision_ = add("drive.queue", "decision", 3, decision_names());
  earliest_deadline_ = add("drive.queue", "earliest_deadline_ms", kReal);
  slack_ = add("drive.queue", "slack_in_service_ms", kReal);
  position_ = add("drive.arm", "position_cylinders", kReal);
  velocity_ = add("drive.arm", "velocity_cylinders_per_ms", kReal);
  arm_ = add("drive.arm", "state", 2, arm_names());
  cylinder_ = add("drive.arm", "cylinder", 24);
  target_ = add("drive.arm", "target_cylinder", 24);
  head_ = add("drive.arm", "head", 8);
  zone_ = add_optional("drive.arm", "zone", 8);
  angle_degrees_ = add("drive.spindle", "angle_degrees", kReal);
  angle_turn32_ = add("drive.spindle", "angle_turn32", 32);
  sector_ = add_optional("drive.spindle", "sector", 17);
  phase_ = add("drive.bus", "phase", kPhaseBits, phase_names());
  operation_ = add("drive.bus", "operation", kOperationBits, operation_names());
  message_ = add("drive.bus", "message", kMessageBits, message_names());
  status_ = add("drive.bus", "status", kStatusBits, status_names());
  data_ = add("drive.bus", "data", 16);

  signals_.set(function_, kNoFunction);
  signals_.set(event_, largest(kEventBits));
  signals_.set(policy_, largest(kPolicyBits));
  phase(bus::Phase::kBusFree);
  set_optional(operation_, std::nullopt);
}

soc::WaveSignals::Index DriveSignals::add(const char* scope, const char* name, unsigned bits,
                                          soc::WaveNames names) {
  return signals_.add({scope, name, bits, std::move(names)});
}

soc::WaveSignals::Index DriveSignals::add_optional(const char* scope, const char* name,
                                                   unsigned bits) {
  const Index signal = add(scope, name, bits);
  set_optional(signal, std::nullopt);
  return signal;
}

void DriveSignals::set_optional(Index signal, std::optional<std::uint64_t> value) {
  signals_.set(signal, value.value_or(~std::uint64_t{0}));
}

void DriveSignals::take_mechanics(const observe::DriveState& state) {
  signals_.set_real(slack_, state.deadline_in_service ? to_ms(*state.deadline_in_service - state.at)
                                                      : kInfinitelyLate);
  signals_.set_real(position_, state.position_cylinders);
  signals_.set_real(velocity_, state.velocity_cylinders_per_ms);
  signals_.set(arm_, static_cast<unsigned>(state.arm));
  signals_.set(cylinder_, state.cylinder);
  signals_.set(target_, state.target_cylinder);
  signals_.set(head_, state.head);
  set_optional(zone_, state.zone);
  signals_.set_real(angle_degrees_, to_degrees(state.angle_turn32));
  signals_.set(angle_turn32_, state.angle_turn32);
  set_optional(sector_, state.sector);
}

void DriveSignals::take_firmware(const observe::DriveState& state) {
  signals_.set(handler_, static_cast<unsigned>(state.handler));
  signals_.set(depth_, state.queue_depth);
  signals_.set_real(earliest_deadline_,
                    state.earliest_deadline ? to_ms(*state.earliest_deadline) : kInfinitelyLate);
  set_optional(command_, state.command_in_service);
  set_optional(tag_, state.tag_in_service);
  set_optional(policy_, state.policy);
  set_optional(operation_, state.operation_code);
}

void DriveSignals::retired(std::uint32_t address) {
  const std::uint32_t index = functions_.index_at(address);
  signals_.set(function_, index < functions_.none() ? index : kNoFunction);
}

void DriveSignals::asleep() { signals_.set(function_, kAsleep); }

void DriveSignals::event(unsigned number, std::uint32_t argument) {
  signals_.set(event_, number);
  signals_.set(event_argument_, argument);
  if (number == TRACE_MARKER) {
    signals_.set(marker_, argument);
    signals_.set(marker_count_, signals_.bits(marker_count_) + 1);
  }
  note_decision(number, argument);
}

void DriveSignals::note_decision(unsigned number, std::uint32_t argument) {
  switch (number) {
    case TRACE_PLAN_BEGIN: expected_ = Decision::kSearched; break;
    case TRACE_PLAN_END:
      expected_ = Decision::kPlanned;
      planned_ = argument;
      break;
    case TRACE_TASK_CHOSEN: {
      const bool replaced = expected_ == Decision::kPlanned && argument != planned_;
      signals_.set(decision_, static_cast<unsigned>(replaced ? Decision::kReplaced : expected_));
      expected_ = Decision::kForced;
      break;
    }
    case TRACE_MEDIA_DONE: signals_.set(decision_, static_cast<unsigned>(Decision::kNone)); break;
    default: break;
  }
}

void DriveSignals::phase(bus::Phase phase) {
  signals_.set(phase_, static_cast<unsigned>(phase));
  messages_.end();
  if (phase != bus::Phase::kMessageIn && phase != bus::Phase::kMessageOut) {
    set_optional(message_, std::nullopt);
  }
  if (phase == bus::Phase::kBusFree || phase == bus::Phase::kReset) {
    set_optional(status_, std::nullopt);
    signals_.set(data_, 0);
  }
}

void DriveSignals::byte_moved(bus::Phase phase, bus::LineSet lines) {
  const std::uint16_t data = bus::db_of(lines);
  const auto low = static_cast<std::uint8_t>(data);
  signals_.set(data_, is_data(phase) ? data : low);
  if (phase == bus::Phase::kStatus) signals_.set(status_, low);
  if (phase != bus::Phase::kMessageIn && phase != bus::Phase::kMessageOut) return;
  if (const auto message = messages_.byte(low)) signals_.set(message_, *message);
}

}  // namespace headstack::wave
