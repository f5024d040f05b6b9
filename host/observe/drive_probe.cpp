// SPDX-License-Identifier: Apache-2.0
#include "host/observe/drive_probe.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/events.h"
#include "sim/channel/byte_grid.hpp"
#include "sim/soc/core_access.hpp"

namespace headstack::observe {
namespace {

constexpr std::uint32_t kInstructionBytes = 2;  // length of the shortest (compressed) instruction
constexpr std::uint32_t kLowHalf = 0xFFFF;

// Marks of instructions: none, or the first instruction of a Handler.
constexpr std::uint8_t kNoMark = 0;
constexpr std::uint8_t kHandlerMark = 1;

// Handlers of firmware/drive.c.
struct HandlerFunction {
  const char* name;
  Handler handler;
};
constexpr HandlerFunction kHandlerFunctions[] = {
    {"on_scsi", Handler::kScsi},   {"on_buffer", Handler::kBuffer},
    {"on_servo", Handler::kServo}, {"on_formatter", Handler::kFormatter},
    {"on_timer", Handler::kTimer}, {"idle", Handler::kNone},
};

}  // namespace

const char* to_string(Handler handler) {
  switch (handler) {
    case Handler::kNone: return "none";
    case Handler::kScsi: return "scsi";
    case Handler::kBuffer: return "buffer";
    case Handler::kFormatter: return "formatter";
    case Handler::kServo: return "servo";
    case Handler::kTimer: return "timer";
  }
  return "?";
}

DriveProbe::DriveProbe(const soc::ElfImage& firmware, const Mechanics& mechanics,
                       bus::ObservedBus& bus)
    : mechanics_(mechanics),
      bus_(bus),
      mark_at_(soc::CoreAccess::kRamBytes / kInstructionBytes, kNoMark) {
  for (const soc::ElfImage::Function& function : firmware.functions()) {
    for (const HandlerFunction& known : kHandlerFunctions) {
      if (function.name != known.name) continue;
      mark_at_.at(function.address / kInstructionBytes) =
          static_cast<std::uint8_t>(kHandlerMark + static_cast<unsigned>(known.handler));
    }
  }
  bus_.add_observer(*this);
}

DriveProbe::~DriveProbe() { bus_.remove_observer(*this); }

// ----------------------------------------------------------------------------------------- queries

DriveState DriveProbe::state(Picoseconds at) const {
  DriveState state;
  state.at = at;

  const mechanics::Spindle& spindle = mechanics_.spindle;
  const mechanics::HeadStack& stack = mechanics_.heads;
  const mechanics::HeadStackState heads = stack.state(at);
  const std::uint64_t unwrapped = spindle.unwrapped(at);
  state.angle_turn32 = static_cast<std::uint32_t>(unwrapped);
  state.arm = heads.arm;
  state.position_cylinders = heads.position_cylinders;
  state.velocity_cylinders_per_ms = heads.velocity_cylinders_per_ms;
  state.cylinder = static_cast<std::uint32_t>(std::lround(heads.position_cylinders));
  state.target_cylinder = heads.target_cylinder;
  state.head = heads.head;
  state.zone = mechanics_.geometry.zone_of(state.cylinder);
  if (at >= stack.read_ready_at() && spindle.state(at) == mechanics::Spindle::State::kAtSpeed) {
    state.sector = sector_at(unwrapped, heads.target_cylinder, heads.head);
  }

  state.phase = bus_.phase();
  state.operation_code = operation_code_;

  state.queue_depth = queue_depth_;
  if (serving_task_ != kNone) {
    const HostTag name = name_of_task_[serving_task_];
    state.tag_in_service = static_cast<std::uint16_t>(name);
    const auto number = numbers_.find(name);
    if (number != numbers_.end()) state.command_in_service = number->second;
    state.deadline_in_service = due_of_task_[serving_task_];
  }
  if (!queued_due_.empty()) state.earliest_deadline = *queued_due_.begin();
  state.policy = policy_;
  state.handler = handler_;
  return state;
}

/// The sector whose mark was the last to pass the head.
std::optional<std::uint32_t> DriveProbe::sector_at(std::uint64_t unwrapped, std::uint32_t cylinder,
                                                   std::uint32_t head) const {
  const geometry::Geometry& geometry = mechanics_.geometry;
  const auto zone = geometry.zone_of(cylinder);
  if (!zone || head >= geometry.head_count()) return std::nullopt;
  const channel::ByteGrid grid(geometry.zones()[*zone].sectors_per_track,
                               mechanics_.raw_sector_bytes);
  const std::uint32_t sectors = grid.sectors();
  const std::uint32_t first =
      grid.mark_at_or_after(geometry.sector_angle({cylinder, head, 0})).mark;
  const std::uint32_t next = grid.mark_at_or_after(unwrapped + 1).mark;
  return (next + 2 * sectors - 1 - first) % sectors;
}

// ----------------------------------------------------------------------------------------- reports

void DriveProbe::firmware_event(std::uint64_t /*edge*/, unsigned number, std::uint32_t argument) {
  const std::uint32_t low = argument & kLowHalf;
  const std::uint32_t high = argument >> 16;
  switch (number) {
    case TRACE_TASK_QUEUED:
      ++queue_depth_;
      name_of_task_.at(low) = with_tag(received_, high);
      note_queued_deadline(low);
      break;
    case TRACE_TASK_ENDED:
      --queue_depth_;
      note_ended_deadline(low);
      if (serving_task_ == low) serving_task_ = kNone;
      break;
    case TRACE_TASK_CHOSEN: serving_task_ = argument; break;
    case TRACE_MEDIA_DONE: serving_task_ = kNone; break;
    case TRACE_PLAN_BEGIN: policy_ = high; break;
    case TRACE_COMMAND_RECEIVED:
      received_ = host_tag_of_event(argument);
      operations_[received_] = static_cast<std::uint8_t>(argument >> 24);
      break;
    case TRACE_RESELECTED: operation_code_ = operations_[host_tag_of_event(argument)]; break;
    default: break;
  }
}

void DriveProbe::note_queued_deadline(std::uint32_t task) {
  const auto due = due_.find(name_of_task_[task]);
  if (due == due_.end()) return;
  due_of_task_[task] = due->second;
  queued_due_.insert(due->second);
}

void DriveProbe::note_ended_deadline(std::uint32_t task) {
  std::optional<Picoseconds>& due = due_of_task_.at(task);
  if (due) queued_due_.erase(queued_due_.find(*due));
  due.reset();
}

void DriveProbe::command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                                const traces::TraceRequest& request) {
  const HostTag name = host_tag(host_scsi_id(request.initiator), tag);
  numbers_[name] = number;
  due_.erase(name);
  if (request.deadline) due_[name] = at + *request.deadline;
}

void DriveProbe::core_cycle(std::uint64_t /*edge*/, const soc::CoreActivity& activity) {
  if (!activity.retirement.valid) return;
  const std::uint32_t half = activity.retirement.pc / kInstructionBytes;
  const std::uint8_t mark = half < mark_at_.size() ? mark_at_[half] : kNoMark;
  if (mark != kNoMark) handler_ = static_cast<Handler>(mark - kHandlerMark);
}

void DriveProbe::phase_changed(Picoseconds /*at*/, bus::Phase /*from*/, bus::Phase to) {
  if (to == bus::Phase::kCommand) command_begins_ = true;
  if (to == bus::Phase::kBusFree || to == bus::Phase::kReset) operation_code_.reset();
}

void DriveProbe::byte_moved(Picoseconds /*at*/, bus::Phase phase, bus::LineSet lines) {
  if (phase != bus::Phase::kCommand || !command_begins_) return;
  command_begins_ = false;
  operation_code_ = static_cast<std::uint8_t>(bus::db_of(lines));
}

}  // namespace headstack::observe
