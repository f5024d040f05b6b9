#include "host/run/stage_log.hpp"

#include <algorithm>

#include "firmware/events.h"
#include "sim/assert.hpp"

namespace headstack::run {
namespace {

using report::Stage;

constexpr std::uint64_t kFnvPrime = 0x100000001B3ULL;

}  // namespace

StageLog::StageLog(const mechanics::PositioningModel& positioning,
                   const geometry::Geometry& geometry, double revolution_ms)
    : positioning_(positioning), geometry_(geometry), revolution_ms_(revolution_ms) {}

void StageLog::open(std::uint16_t tag, bool is_write) {
  const bool fresh = open_.emplace(tag, Heard{is_write, false, false, false, {}}).second;
  HEADSTACK_ASSERT(fresh, "a tag names one open command");
}

StageLog::Heard* StageLog::of_task(std::uint32_t task) {
  const auto tag = tag_of_task_.find(task);
  if (tag == tag_of_task_.end()) return nullptr;
  const auto heard = open_.find(tag->second);
  return heard == open_.end() ? nullptr : &heard->second;
}

StageLog::Heard* StageLog::serving() { return of_task(serving_task_); }

void StageLog::queued(Picoseconds at, std::uint32_t argument) {
  const std::uint32_t task = argument & 0xFFFF;
  tag_of_task_[task] = static_cast<std::uint16_t>(argument >> 16);
  if (Heard* heard = of_task(task)) heard->changes.push_back({at, Stage::kQueued});
}

void StageLog::seek_started(Picoseconds at, std::uint32_t argument) {
  const std::uint32_t cylinder = argument >> 8;
  const std::uint32_t head = argument & 0xFF;
  const std::uint32_t distance = cylinder > cylinder_ ? cylinder - cylinder_ : cylinder_ - cylinder;
  Heard* heard = serving();
  if (heard != nullptr) {
    const mechanics::Positioning parts =
        positioning_.parts(distance, head != head_, heard->is_write);
    heard->changes.push_back({at, Stage::kSeek});
    heard->changes.push_back({at + parts.seek, Stage::kSettle});
    heard->changes.push_back({at + parts.seek + parts.settle, Stage::kHeadSwitch});
    const Picoseconds read_ready = at + parts.seek + parts.settle + parts.head_switch;
    heard->changes.push_back({read_ready, Stage::kSettle});  // for a write
    heard->changes.push_back(
        {std::max(read_ready, read_ready + parts.write_settle), Stage::kRotation});
  }
  cylinder_ = cylinder;
  head_ = head;
}

void StageLog::first_sector_done(Picoseconds at) {
  Heard* heard = serving();
  const auto zone = geometry_.zone_of(cylinder_);
  if (heard == nullptr || !zone) return;
  const double sector_ms = revolution_ms_ / geometry_.zones()[*zone].sectors_per_track;
  heard->changes.push_back({at - from_ms(sector_ms), Stage::kMediaTransfer});
}

void StageLog::media_done(Picoseconds at, std::uint32_t task) {
  Heard* heard = of_task(task);
  if (heard == nullptr) return;
  heard->media = false;
  heard->done = true;
  heard->changes.push_back({at, heard->on_bus ? Stage::kBusData : Stage::kBusWait});
}

void StageLog::data_phase(Picoseconds at, std::uint32_t task, bool begins) {
  Heard* heard = of_task(task);
  if (heard == nullptr) return;
  heard->on_bus = begins;
  if (heard->media) return;
  const Stage idle = heard->done ? Stage::kBusWait : Stage::kQueued;
  heard->changes.push_back({at, begins ? Stage::kBusData : idle});
}

void StageLog::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  ++event_count_;
  for (const std::uint64_t word : {edge, std::uint64_t{number}, std::uint64_t{argument}}) {
    event_hash_ = (event_hash_ ^ word) * kFnvPrime;
  }
  const Picoseconds at = static_cast<Picoseconds>(edge) * soc::kClockPeriodPs;
  switch (number) {
    case TRACE_TASK_QUEUED: queued(at, argument); break;
    case TRACE_TASK_CHOSEN:
      serving_task_ = argument;
      if (Heard* heard = serving()) {
        heard->media = true;
        heard->changes.push_back({at, Stage::kChosen});
      }
      break;
    case TRACE_SEEK_START: seek_started(at, argument); break;
    case TRACE_RUN_START:
      if (Heard* heard = serving()) heard->changes.push_back({at, Stage::kRotation});
      break;
    case TRACE_FIRST_SECTOR: first_sector_done(at); break;
    case TRACE_MEDIA_DONE: media_done(at, argument & 0xFFFF); break;
    case TRACE_DATA_PHASE_BEGIN: data_phase(at, argument, true); break;
    case TRACE_DATA_PHASE_END: data_phase(at, argument, false); break;
    case TRACE_MISSED_REVOLUTION: missed_revolutions_ += 1; break;
    case TRACE_MEDIA_RETRY: media_retries_ += 1; break;
    default: break;
  }
}

void StageLog::console(std::uint64_t /*edge*/, char character) { console_ += character; }

report::CommandRecord StageLog::close(std::uint16_t tag, std::uint64_t number,
                                      const replay::TraceRequest& request,
                                      const initiator::Completion& completion) {
  const auto heard = open_.find(tag);
  HEADSTACK_ASSERT(heard != open_.end(), "only an open command is closed");
  std::vector<Change> changes = std::move(heard->second.changes);
  open_.erase(heard);

  const initiator::Times& times = completion.times;
  const auto note = [&changes](Picoseconds at, Stage stage) {
    if (at != bus::kNever) changes.push_back({at, stage});
  };
  note(times.arbitration_won, Stage::kSelection);
  note(times.selected, Stage::kCommand);
  if (completion.outcome == initiator::Outcome::kComplete) {
    note(std::max(times.data_last, times.status), Stage::kStatus);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.at < b.at; });

  report::CommandRecord record(number, request, times.submitted);
  for (const Change& change : changes) {
    if (change.at > times.finished) break;
    record.enter(change.stage, std::max(change.at, times.submitted));
  }
  const bool complete = completion.outcome == initiator::Outcome::kComplete;
  record.complete(times.finished, complete ? completion.status : 0xFF);
  return record;
}

}  // namespace headstack::run
