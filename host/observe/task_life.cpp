// SPDX-License-Identifier: Apache-2.0
#include "host/observe/task_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "firmware/events.h"
#include "host/options/event_names.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::observe {
namespace {

namespace op = initiator::operation_code;

constexpr std::uint32_t kLow = 0xFFFF;

// Operations that go to the media: READ, WRITE and VERIFY of 6, 10 and 16 bytes (SCSI-2 9.2, SBC-2
// 5).
constexpr std::uint8_t kMediaOperations[] = {op::kRead6,   op::kWrite6,   op::kRead10,
                                             op::kWrite10, op::kVerify10, op::kRead16,
                                             op::kWrite16, op::kVerify16};

// Operations of maintenance: FORMAT UNIT, REASSIGN BLOCKS, SEND DIAGNOSTIC, MODE SELECT of 6 and 10
// bytes (firmware/unit/maintenance_order.h).
constexpr std::uint8_t kMaintenanceOperations[] = {
    op::kFormatUnit, op::kReassignBlocks, op::kSendDiagnostic, op::kModeSelect6, op::kModeSelect10};

template <std::size_t kCount>
bool is_one_of(const std::uint8_t (&codes)[kCount], std::uint8_t operation_code) {
  return std::find(std::begin(codes), std::end(codes), operation_code) != std::end(codes);
}

}  // namespace

CommandKind Life::kind() const {
  if (is_reported) return CommandKind::kReported;
  if (!is_chosen && hit) return CommandKind::kHit;
  if (hit) return CommandKind::kJoined;
  return is_chosen && uses_media ? CommandKind::kMedia : CommandKind::kPlain;
}

void TaskLife::fault(const std::string& what) {
  if (fault_.empty()) fault_ = {what, latest_};
}

report::RecordFault TaskLife::take_fault() { return std::exchange(fault_, {}); }

std::optional<Life> TaskLife::take(HostTag name) {
  const auto found = lives_.find(name);
  if (found == lives_.end()) return std::nullopt;
  std::optional<Life> life = std::move(found->second);
  lives_.erase(found);
  return life;
}

/// The task of this index. It must be in the queue, since an event about any other is a fault.
TaskLife::Task* TaskLife::find(std::uint32_t index, const char* event) {
  if (index < tasks_.size() && tasks_[index].is_in_queue) return &tasks_[index];
  fault(fmt::format("{} names task {}, which is not in the queue", event, index));
  return nullptr;
}

Life* TaskLife::life_of(const Task& task) {
  if (task.is_detached) return nullptr;
  const auto found = lives_.find(task.name);
  return found == lives_.end() ? nullptr : &found->second;
}

void TaskLife::queued(std::uint32_t argument) {
  const std::uint32_t index = argument & kLow;
  if (tasks_.size() <= index) tasks_.resize(index + 1);
  if (tasks_[index].is_in_queue) {
    fault(fmt::format("TASK_QUEUED names task {}, which is in the queue already", index));
  }
  if ((received_ & kLow) != argument >> 16) {
    fault(fmt::format("TASK_QUEUED has tag {}, the command received last {}", argument >> 16,
                      received_ & kLow));
  }
  tasks_[index] = {with_tag(received_, argument >> 16), true,
                   is_one_of(kMediaOperations, operation_code_),
                   is_one_of(kMaintenanceOperations, operation_code_), false};
  Life life;
  life.uses_media = tasks_[index].uses_media;
  lives_[tasks_[index].name] = std::move(life);
}

void TaskLife::chosen(Picoseconds at, std::uint32_t index) {
  if (at_media_ != kNone) {
    fault(fmt::format("TASK_CHOSEN names task {} while the media serve task {}", index, at_media_));
  }
  at_media_ = kNone;
  maintaining_ = kNone;
  Task* task = find(index, "TASK_CHOSEN");
  if (task == nullptr) return;
  if (task->uses_media) at_media_ = index;
  if (task->maintains) maintaining_ = index;
  Life* life = life_of(*task);
  if (life == nullptr) return;
  life->is_chosen = true;
  if (life->uses_media) life->service.push_back({at, std::nullopt});
}

void TaskLife::run_started(std::uint32_t argument) {
  if (run_sectors_) fault("RUN_START while a run is under way");
  run_sectors_ = argument & kLow;
}

void TaskLife::run_done(std::uint32_t done) {
  if (!run_sectors_) return fault("RUN_DONE without a run under way");
  if (done > *run_sectors_) {
    fault(fmt::format("RUN_DONE of {} sectors in a run of {}", done, *run_sectors_));
  }
  run_sectors_.reset();
}

void TaskLife::media_done(Picoseconds at, std::uint32_t index) {
  const bool maintains = maintaining_ != kNone && index == maintaining_;
  if (index != at_media_ && !maintains) {  // kNone is for read-ahead
    fault(
        fmt::format("MEDIA_DONE names task {:#x}, the media served task {:#x}", index, at_media_));
  }
  const bool reads_on = std::exchange(ahead_told_, false);
  if (run_sectors_ && !reads_on) fault("MEDIA_DONE while a run is under way");
  at_media_ = kNone;
  if (index >= tasks_.size() || !tasks_[index].is_in_queue) return;  // the task was aborted before
  Life* life = life_of(tasks_[index]);
  if (life != nullptr && !life->service.empty()) life->service.back().end = at;
}

void TaskLife::data_began(std::uint32_t index) {
  if (on_bus_ != kNone) fault("DATA_PHASE_BEGIN while a data phase is under way");
  on_bus_ = index;
  find(index, "DATA_PHASE_BEGIN");
}

void TaskLife::data_ended(std::uint32_t index) {
  if (std::exchange(on_bus_, kNone) != index) {
    fault(fmt::format("DATA_PHASE_END names task {}, whose data phase is not under way", index));
  }
}

void TaskLife::reported(std::uint32_t index) {
  Task* task = find(index, "WRITE_REPORTED");
  if (task == nullptr) return;
  if (Life* life = life_of(*task)) life->is_reported = true;
  task->is_detached = true;
}

void TaskLife::event(Picoseconds at, unsigned number, std::uint32_t argument) {
  if (at < latest_) fault(fmt::format("{} comes after a later event", options::event_name(number)));
  latest_ = at;
  const std::uint32_t low = argument & kLow;
  switch (number) {
    case TRACE_COMMAND_RECEIVED:
      received_ = host_tag_of_event(argument);
      operation_code_ = static_cast<std::uint8_t>(argument >> 24);
      break;
    case TRACE_TASK_QUEUED: queued(argument); break;
    case TRACE_TASK_CHOSEN: chosen(at, argument); break;
    case TRACE_RUN_START: run_started(argument); break;
    case TRACE_RUN_NEXT:
      if (!run_sectors_) fault("RUN_NEXT without a run under way");
      run_sectors_ = argument & kLow;
      break;
    case TRACE_RUN_DONE: run_done(argument); break;
    case TRACE_READ_AHEAD:
      if (!run_sectors_) fault("READ_AHEAD without a run under way");
      ahead_told_ = true;
      break;
    case TRACE_MEDIA_DONE: media_done(at, low); break;
    case TRACE_MEDIA_WAIT: find(low, "MEDIA_WAIT"); break;
    case TRACE_CACHE_HIT:
      if (Task* task = find(low, "CACHE_HIT")) {
        if (Life* life = life_of(*task)) life->hit = at;
      }
      break;
    case TRACE_CACHE_PART:
      if (Task* task = find(low, "CACHE_PART")) {
        if (Life* life = life_of(*task)) life->had = argument >> 16;
      }
      break;
    case TRACE_WRITE_REPORTED: reported(argument); break;
    case TRACE_DATA_PHASE_BEGIN: data_began(argument); break;
    case TRACE_DATA_PHASE_END: data_ended(argument); break;
    case TRACE_TASK_ENDED:
      if (Task* task = find(argument, "TASK_ENDED")) task->is_in_queue = false;
      break;
    default: break;
  }
}

}  // namespace headstack::observe
