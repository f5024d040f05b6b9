// SPDX-License-Identifier: Apache-2.0
#include "host/observe/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "firmware/events.h"
#include "firmware/queue/policy_table.h"
#include "firmware/queue/task.h"
#include "host/options/event_names.hpp"
#include "sim/soc/soc_clock.hpp"

namespace headstack::observe {
namespace {

using report::Stage;

/// The tracks in the order in which they are shown.
enum Rank : unsigned {
  kMechanicsRank,
  kSchedulerRank,
  kFirmwareRank,
  kBusRank,
  kDeadlinesRank,
  kEventsRank,
  kQueueDepthRank,
  kCylinderRank,
  kCommandsOutRank,
  kCommandsRank,
};

constexpr std::uint32_t kLowHalf = 0xFFFF;
/// The bus may report a phase late, by less than this time.
constexpr Picoseconds kLateness = 10 * kPicosecondsPerMillisecond;

/// Whether an event has a mark of its own.
bool is_incident(unsigned event) {
  return event == TRACE_MISSED_REVOLUTION || event == TRACE_MEDIA_RETRY ||
         event == TRACE_SENSE_SET || event == TRACE_BUS_RESET || event == TRACE_SPINDLE;
}

bool is_mechanical(Stage stage) {
  return stage == Stage::kSeek || stage == Stage::kSettle || stage == Stage::kHeadSwitch ||
         stage == Stage::kRotation || stage == Stage::kMediaTransfer;
}

std::string command_name(std::uint64_t number, const traces::TraceRequest& request) {
  if (request.operation == traces::Operation::kFlush) return fmt::format("{} flush", number);
  return fmt::format("{} {} {}+{}", number, to_string(request.operation), request.lba,
                     request.blocks);
}

/// The number of the arrow from a command to its work on the media.
std::uint64_t flow_of(std::uint64_t number) { return number + 1; }

}  // namespace

Timeline::Timeline(const std::string& path, const std::string& title)
    : writer_(path),
      root_(writer_.add_track(title)),
      mechanics_(writer_.add_track("mechanics", root_, kMechanicsRank)),
      scheduler_(writer_.add_track("scheduler", root_, kSchedulerRank)),
      events_(writer_.add_track("events", root_, kEventsRank)),
      queue_depth_(writer_.add_counter("queue depth", "tasks", root_, kQueueDepthRank)),
      cylinder_(writer_.add_counter("cylinder", "cylinder", root_, kCylinderRank)),
      commands_out_(
          writer_.add_counter("outstanding commands", "commands", root_, kCommandsOutRank)),
      commands_(writer_.add_track("commands", root_, kCommandsRank)) {
  writer_.count(queue_depth_, 0, 0);
  writer_.count(cylinder_, 0, 0);
  writer_.count(commands_out_, 0, 0);
}

void Timeline::close() {
  write_deadlines(std::numeric_limits<Picoseconds>::max());
  write_movements(std::numeric_limits<Picoseconds>::max());
  writer_.close();
}

void Timeline::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  const Picoseconds at = soc::time_of_edge(edge);
  switch (number) {
    case TRACE_TASK_QUEUED: writer_.count(queue_depth_, at, ++waiting_); break;
    case TRACE_TASK_ENDED: writer_.count(queue_depth_, at, --waiting_); break;
    case TRACE_PLAN_BEGIN:
      if (searching_) writer_.end(scheduler_, at);  // replaced by a newer search
      searching_ = true;
      writer_.begin(scheduler_, at, "search",
                    {{"policy", 0, policy_by_number(argument >> 16)->name},
                     {"candidates", argument & kLowHalf}});
      break;
    case TRACE_PLAN_END:
      if (searching_) writer_.end(scheduler_, at);
      searching_ = false;
      if (argument != TASK_NONE) writer_.instant(scheduler_, at, "planned", {{"task", argument}});
      break;
    case TRACE_TASK_CHOSEN:
      if (searching_) writer_.end(scheduler_, at);
      searching_ = false;
      writer_.instant(scheduler_, at, "chosen", {{"task", argument}});
      break;
    default:
      if (is_incident(number)) {
        writer_.instant(events_, at, options::event_name(number), {{"argument", argument}});
      }
  }
}

void Timeline::seek_began(Picoseconds at, const geometry::Chs& track,
                          const mechanics::Positioning& parts) {
  writer_.count(cylinder_, at + parts.seek, track.cylinder);
}

PerfettoWriter::Track Timeline::lane_track(std::size_t lane) {
  while (lanes_.size() <= lane) {
    lanes_.push_back(writer_.add_track(fmt::format("lane {}", lanes_.size()), commands_,
                                       static_cast<unsigned>(lanes_.size())));
  }
  return lanes_[lane];
}

void Timeline::command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                              const traces::TraceRequest& request) {
  if (const auto again = out_.find(number); again != out_.end()) {
    writer_.instant(lanes_[again->second.lane], at, "issued again", {{"tag", tag}});
    return;
  }
  std::size_t lane = out_.size();
  if (!free_lanes_.empty()) {
    lane = *free_lanes_.begin();
    free_lanes_.erase(free_lanes_.begin());
  }
  out_[number] = {lane, at, std::nullopt};
  write_deadlines(at);
  if (request.deadline) {
    // A deadline that is past at the command's submission is marked at the submission.
    const Picoseconds due = at + std::max<Picoseconds>(*request.deadline, 0);
    out_[number].due = due;
    deadlines_.insert({due, {number, false}});
  }
  writer_.begin(lane_track(lane), at, command_name(number, request),
                {{"command", number},
                 {"tag", tag},
                 {"operation", 0, to_string(request.operation)},
                 {"lba", request.lba},
                 {"blocks", request.blocks}},
                flow_of(number));
  writer_.count(commands_out_, at, static_cast<std::int64_t>(out_.size()));
}

void Timeline::write_stages(PerfettoWriter::Track track, const report::CommandRecord& record) {
  const std::vector<report::CommandRecord::Change>& changes = record.changes();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Picoseconds end = i + 1 < changes.size() ? changes[i + 1].at : record.completed();
    if (end == changes[i].at) continue;
    writer_.begin(track, changes[i].at, report::to_string(changes[i].stage));
    writer_.end(track, end);
    if (is_mechanical(changes[i].stage)) {
      movements_.insert({changes[i].at, end, changes[i].stage, record.number()});
    }
  }
}

void Timeline::command_completed(Picoseconds at, std::uint16_t /*tag*/,
                                 const report::CommandRecord& record) {
  const auto found = out_.find(record.number());
  if (found == out_.end()) return;
  const PerfettoWriter::Track track = lanes_[found->second.lane];
  write_stages(track, record);
  writer_.end(track, record.completed());
  settle_deadline(found->second, record.number(), !record.missed_deadline());
  write_deadlines(at);
  free_lanes_.insert(found->second.lane);
  out_.erase(found);
  writer_.count(commands_out_, at, static_cast<std::int64_t>(out_.size()));
  // Commands are numbered in the order of submission.
  write_movements(out_.empty() ? at : out_.begin()->second.submitted);
  release(at);
}

/// Releases packets up to a time. The limits are the submission of an outstanding command and a
/// movement that waits: both are reported later, with earlier times.
void Timeline::release(Picoseconds now) {
  Picoseconds until = std::min(now, core_told_until_);
  if (!out_.empty()) until = std::min(until, out_.begin()->second.submitted);
  if (!movements_.empty()) until = std::min(until, movements_.begin()->begin);
  writer_.release(until - kLateness);
}

void Timeline::settle_deadline(const Out& out, std::uint64_t number, bool met) {
  if (!out.due) return;
  const auto [first, last] = deadlines_.equal_range(*out.due);
  for (auto at = first; at != last; ++at) {
    if (at->second.number == number) at->second.met = met;
  }
}

/// Writes the deadlines up to a time. No new one can be earlier, and one that is not settled
/// belongs to an outstanding command. Deadlines after the run's end are written as missed.
void Timeline::write_deadlines(Picoseconds until) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= until) {
    const auto& [due, deadline] = *deadlines_.begin();
    if (!deadline_track_) {
      deadline_track_ = writer_.add_track("deadlines", root_, kDeadlinesRank);
    }
    writer_.instant(*deadline_track_, due, deadline.met ? "deadline met" : "deadline missed",
                    {{"command", deadline.number}});
    deadlines_.erase(deadlines_.begin());
  }
}

/// Writes the movements that no outstanding command can precede. Commands complete in another order
/// than the media served them, but a track needs its slices in order.
void Timeline::write_movements(Picoseconds until) {
  while (!movements_.empty() && movements_.begin()->end <= until) {
    const Movement& first = *movements_.begin();
    writer_.begin(mechanics_, first.begin, report::to_string(first.stage),
                  {{"command", first.number}}, flow_of(first.number));
    writer_.end(mechanics_, first.end);
    movements_.erase(movements_.begin());
  }
}

// ------------------------------------------------------------------------------------- electronics

ElectronicsTimeline::ElectronicsTimeline(Timeline& timeline, const DriveProbe& probe,
                                         const CoreWatchers& watchers)
    : timeline_(timeline),
      writer_(timeline.writer()),
      probe_(probe),
      watchers_(watchers),
      firmware_(writer_.add_track("firmware", timeline.root(), kFirmwareRank)),
      bus_(writer_.add_track("bus", timeline.root(), kBusRank)) {}

/// Begins another slice of the firmware, or none.
void ElectronicsTimeline::enter(Picoseconds at, const char* what) {
  if (what == shown_) return;
  if (shown_ != nullptr) writer_.end(firmware_, at);
  if (what != nullptr) writer_.begin(firmware_, at, what);
  shown_ = what;
}

void ElectronicsTimeline::core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) {
  const Picoseconds at = soc::time_of_edge(edge);
  timeline_.core_told_until(at);
  const Handler handler = probe_.handler();
  const char* idle = activity.asleep ? "asleep" : nullptr;
  enter(at, handler == Handler::kNone ? idle : to_string(handler));
}

void ElectronicsTimeline::phase_changed(Picoseconds at, bus::Phase /*from*/, bus::Phase to) {
  if (at > watchers_.end()) return;
  if (phase_open_) writer_.end(bus_, at);
  phase_open_ = to != bus::Phase::kBusFree;
  if (phase_open_) writer_.begin(bus_, at, bus::phase_name(to));
}

}  // namespace headstack::observe
