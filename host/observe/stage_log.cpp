// SPDX-License-Identifier: Apache-2.0
#include "host/observe/stage_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "host/options/event_names.hpp"
#include "sim/assert.hpp"

namespace headstack::observe {
namespace {

using report::exact_ms;
using report::Stage;

}  // namespace

/// Most runs have one host, so the tables of other hosts are made on demand.
std::uint32_t& StageLog::slot_of(HostTag name) {
  std::vector<std::uint32_t>& of_host = slots_.at(name >> 16);
  if (of_host.empty()) of_host.assign(kTags, kNone);
  return of_host[name & 0xFFFF];
}

void StageLog::open(HostTag name, traces::Operation operation) {
  std::uint32_t& slot = slot_of(name);
  HEADSTACK_ASSERT(slot == kNone, "a host and its tag name one open command");
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(heard_.size()));
    heard_.emplace_back();
  }
  slot = free_.back();
  free_.pop_back();
  Heard& heard = heard_[slot];
  heard.task = kNone;
  heard.operation = operation;
  heard.media = Media::kQueued;
  heard.search_exposed = 0;
  heard.data_phases.clear();
  heard.changes.clear();
  heard.fault = {};
}

StageLog::Heard* StageLog::of_task(std::uint32_t task) {
  const HostTag name = task < name_of_task_.size() ? name_of_task_[task] : kNone;
  const std::uint32_t slot = name == kNone ? kNone : slot_of(name);
  // A reset may have ended the task's command, and the host may have reused its tag.
  return slot == kNone || heard_[slot].task != task ? nullptr : &heard_[slot];
}

/// The command that the media work for at present, on its track or on the way there.
StageLog::Heard* StageLog::serving() {
  Heard* heard = of_task(serving_task_);
  const bool served =
      heard != nullptr && (heard->media == Media::kWorking || heard->media == Media::kWaiting);
  return served ? heard : nullptr;
}

// --------------------------------------------------------------------------------------- mechanics

void StageLog::seek_began(Picoseconds at, const geometry::Chs& /*track*/,
                          const mechanics::Positioning& parts) {
  movement_ = Movement{at, parts};
  Heard* heard = serving();
  if (heard == nullptr) return;
  run_end_.reset();
  settled_.reset();
  const Picoseconds read_ready = at + parts.seek + parts.settle + parts.head_switch;
  heard->changes.push_back({at, Stage::kSeek});
  heard->changes.push_back({at + parts.seek, Stage::kSettle});
  heard->changes.push_back({at + parts.seek + parts.settle, Stage::kHeadSwitch});
  const Picoseconds settled =
      heard->is_write() ? std::max(read_ready, at + parts.total()) : read_ready;
  if (settled > read_ready) heard->changes.push_back({read_ready, Stage::kSettle});
  awaits_ready_ = settled > at;  // otherwise no level changes
  if (!awaits_ready_) heard->changes.push_back({at, Stage::kRotation});
}

void StageLog::levels_changed(Picoseconds at, const channel::HdaLevels& levels) {
  Heard* heard = serving();
  if (heard == nullptr) return;
  // The electronics wait for read ready before a write, too, to read the sector's header.
  if (!levels.read_ready || (heard->is_write() && !levels.write_ready)) return;
  if (awaits_ready_) {
    awaits_ready_ = false;
    heard->changes.push_back({at, Stage::kRotation});
  } else {
    settled_ = at;
  }
}

void StageLog::sector_began(Picoseconds at, const geometry::Chs& /*sector*/) {
  run_.sector_began = at;
}

void StageLog::sector_ended(Picoseconds at, const geometry::Chs& /*sector*/) {
  run_.began.push_back(run_.sector_began);
  run_.ended.push_back(at);
}

// ---------------------------------------------------------------------------------------- firmware

void StageLog::queued(Picoseconds at, std::uint32_t argument) {
  const std::uint32_t task = argument & 0xFFFF;
  if (name_of_task_.size() <= task) name_of_task_.resize(task + 1, kNone);
  name_of_task_[task] = with_tag(received_, argument >> 16);
  const std::uint32_t slot = slot_of(name_of_task_[task]);
  if (slot != kNone) heard_[slot].task = task;
  if (Heard* heard = of_task(task)) heard->changes.push_back({at, Stage::kQueued});
}

/// The exposed time of the search that ends with the choice at `at` or earlier.
Picoseconds StageLog::take_search_exposed(Picoseconds at) {
  if (!search_began_) return 0;
  const Picoseconds exposed = search_ended_.value_or(at) - std::max(*search_began_, media_free_);
  search_began_.reset();
  search_ended_.reset();
  return std::max<Picoseconds>(exposed, 0);
}

void StageLog::chosen(Picoseconds at, std::uint32_t task) {
  const Picoseconds search_exposed = take_search_exposed(at);
  Heard* heard = of_task(task);
  const bool uses_media = heard == nullptr || heard->operation != traces::Operation::kFlush;
  serving_task_ = uses_media ? task : kNone;
  awaits_ready_ = false;
  idle_since_ = at;
  settled_.reset();
  run_end_.reset();
  if (heard != nullptr) {
    heard->media = Media::kWorking;
    heard->search_exposed = search_exposed;
    heard->chosen_at = at;
    heard->changes.push_back({at, Stage::kChosen});
  }
}

void StageLog::media_waits(Picoseconds at, std::uint32_t task) {
  Heard* heard = of_task(task);
  if (heard == nullptr || heard->media != Media::kWorking)
    return;  // waits for a segment, so it is
             // queued
  heard->media = Media::kWaiting;
  run_end_.reset();
  rest_from(*heard, at);
}

void StageLog::run_started(Picoseconds at, std::uint32_t argument) {
  run_ = Run{};
  run_.is_under_way = true;
  movement_.reset();
  run_.count = argument & 0xFFFF;
  run_end_.reset();
  Heard* heard = serving();
  if (heard == nullptr) return;
  if (settled_ && heard->is_write() && heard->media == Media::kWorking) {
    heard->changes.push_back({idle_since_, Stage::kSettle});
    heard->changes.push_back({*settled_, Stage::kRotation});
  }
  settled_.reset();
  heard->media = Media::kWorking;
  heard->changes.push_back({at, Stage::kRotation});
}

/// Enters the transfer with the first wanted sector of the run that ended. The heads may have
/// become ready within that sector, ahead of its data. Earlier stages end where the sector begins.
void StageLog::enter_transfer(Heard& heard) const {
  const Picoseconds begin = std::max(run_.began[run_.free], heard.chosen_at);
  const Picoseconds end = run_.ended[run_.free];
  std::vector<Change>& changes = heard.changes;
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [begin, end](const Change& change) {
                                 return change.stage == Stage::kRotation && change.at > begin &&
                                        change.at < end;
                               }),
                changes.end());
  changes.push_back({begin, Stage::kMediaTransfer});
}

void StageLog::free_blocks(std::uint32_t count) {
  run_.free = count;
  Heard* heard = serving();
  if (heard == nullptr || count < run_.count) return;
  heard->fault = {fmt::format("{} free blocks in a run of {} sectors", count, run_.count),
                  heard->chosen_at};
  run_.free = 0;
}

/// Ends a complete run. Called while the formatter is at the next one, perhaps far into it.
void StageLog::run_goes_on(Picoseconds at, std::uint32_t argument) {
  Heard* heard = serving();
  if (run_.count == 0 || run_.count > run_.ended.size()) {
    if (heard != nullptr) {
      heard->fault = {fmt::format("RUN_NEXT after a run of {} sectors at {}, of which {} passed",
                                  run_.count, exact_ms(at), run_.ended.size()),
                      at};
    }
    return;
  }
  const Picoseconds end = run_.ended[run_.count - 1];
  const bool moves = movement_ && movement_->at >= end;
  if (heard != nullptr) {
    enter_transfer(*heard);
    const Picoseconds behind = std::max(end, heard->chosen_at);
    heard->changes.push_back({behind, moves ? Stage::kChosen : Stage::kRotation});
  }
  const auto done = static_cast<std::ptrdiff_t>(run_.count);
  run_.began.erase(run_.began.begin(), run_.began.begin() + done);
  run_.ended.erase(run_.ended.begin(), run_.ended.begin() + done);
  run_.count = argument & 0xFFFF;
  run_.free = 0;
  if (!moves) movement_.reset();
  run_end_.reset();
  settled_.reset();
  idle_since_ = end;
}

void StageLog::run_done(Picoseconds at, std::uint32_t done) {
  run_.is_under_way = false;
  Heard* heard = serving();
  if (heard == nullptr) return;
  Picoseconds end = at;
  if (done > run_.ended.size()) {
    heard->fault = {fmt::format("RUN_DONE of {} sectors at {}, of which {} passed", done,
                                exact_ms(at), run_.ended.size()),
                    at};
    done = static_cast<std::uint32_t>(run_.ended.size());
  }
  const bool has_moved = done > run_.free;
  if (has_moved) {
    end = std::max(run_.ended[done - 1], heard->chosen_at);  // it may have joined after these
                                                             // sectors
    enter_transfer(*heard);
  }
  if (done < run_.count) {  // the run stopped early
    if (has_moved) heard->changes.push_back({end, Stage::kRotation});
    end = run_.ended.size() > done ? run_.ended.back() : at;
  }
  end = std::max(end, heard->chosen_at);  // it joined after its last sector
  heard->changes.push_back({end, Stage::kChosen});
  run_end_ = end;
  idle_since_ = end;
  settled_.reset();
}

void StageLog::media_done(Picoseconds at, std::uint32_t task) {
  media_free_ = run_end_.value_or(at);
  Heard* heard = of_task(task);
  // After an abort before the media's end, the index may name another task.
  if (heard == nullptr || heard != serving()) return;
  heard->media = Media::kDone;
  const Picoseconds end = run_end_.value_or(at);
  // The formatter may have continued by itself after that end. Such a movement belongs to no
  // command.
  std::vector<Change>& changes = heard->changes;
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [end](const Change& change) {
                                 return change.at > end && change.stage >= Stage::kSeek &&
                                        change.stage <= Stage::kRotation;
                               }),
                changes.end());
  rest_from(*heard, end);
}

void StageLog::cache_hit(Picoseconds at, std::uint32_t task) {
  Heard* heard = of_task(task);
  if (heard == nullptr) return;
  if (heard->media == Media::kWorking) {  // the media work for the command
    join(*heard);
    return;
  }
  heard->media = Media::kDone;
  heard->changes.push_back({at, Stage::kBusWait});
}

/// Joins a read to a read-ahead. From the choice on, what the media do is the command's.
void StageLog::join(Heard& heard) {
  const bool moves = movement_ && (run_.ended.empty() || movement_->at >= run_.ended.back());
  if (run_.is_under_way && !moves) {
    heard.changes.push_back(
        {heard.chosen_at, run_.ended.empty() ? Stage::kRotation : Stage::kMediaTransfer});
  } else if (movement_) {
    Picoseconds begin = movement_->at;
    const auto enter = [&heard, &begin](Stage stage, Picoseconds lasts) {
      if (lasts > 0 && begin + lasts > heard.chosen_at) {
        heard.changes.push_back({std::max(begin, heard.chosen_at), stage});
      }
      begin += lasts;
    };
    enter(Stage::kSeek, movement_->parts.seek);
    enter(Stage::kSettle, movement_->parts.settle);
    enter(Stage::kHeadSwitch, movement_->parts.head_switch);
    heard.changes.push_back({std::max(begin, heard.chosen_at), Stage::kRotation});
  }
}

/// Ends a command's part of the run under way. The run continues after its sector `wanted`, the
/// last that a command waited for.
void StageLog::read_ahead(std::uint32_t wanted) {
  Heard* heard = serving();
  if (heard == nullptr || wanted == 0) return;
  if (wanted > run_.ended.size() || wanted <= run_.free) {
    heard->fault = {
        fmt::format("READ_AHEAD after {} sectors, of which {} passed", wanted, run_.ended.size()),
        heard->chosen_at};
    return;
  }
  enter_transfer(*heard);
  run_end_ = std::max(run_.ended[wanted - 1], heard->chosen_at);
}

/// Removes the mechanical stages of a reported write, whose status depends only on its data. Later
/// reports about its task belong to no command.
void StageLog::write_reported(std::uint32_t task) {
  Heard* heard = of_task(task);
  if (heard == nullptr) return;
  std::vector<Change>& changes = heard->changes;
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [](const Change& change) { return change.stage != Stage::kQueued; }),
                changes.end());
  heard->media = Media::kQueued;
  for (const DataPhase& phase : heard->data_phases) {
    changes.push_back({phase.at, stage_at_rest(*heard, phase.begins)});
  }
  name_of_task_[task] = kNone;
}

/// Notes a write that found no free frame. If it is reported again after it was withdrawn, its wait
/// began with the first report.
void StageLog::write_outside(Picoseconds at, std::uint32_t task) {
  if (outside_since_.emplace(task, at).second) ++writes_outside_;
}

void StageLog::write_inside(Picoseconds at, std::uint32_t task) {
  const auto found = outside_since_.find(task);
  if (found == outside_since_.end()) return;
  longest_outside_ = std::max(longest_outside_, at - found->second);
  outside_since_.erase(found);
}

void StageLog::ended(std::uint32_t task) {
  if (task < name_of_task_.size()) name_of_task_[task] = kNone;
}

void StageLog::data_phase(Picoseconds at, std::uint32_t task, bool begins) {
  Heard* heard = of_task(task);
  if (heard == nullptr) return;
  heard->data_phases.push_back({at, begins});
  if (heard->media == Media::kWorking) return;
  heard->changes.push_back({at, stage_at_rest(*heard, begins)});
}

Stage StageLog::stage_at_rest(const Heard& heard, bool on_bus) {
  if (on_bus) return Stage::kBusData;
  return heard.media == Media::kQueued ? Stage::kQueued : Stage::kBusWait;
}

/// Enters the stages without work of the media, from `at` on.
void StageLog::rest_from(Heard& heard, Picoseconds at) {
  bool on_bus = false;
  for (const DataPhase& phase : heard.data_phases) {
    if (phase.at <= at) on_bus = phase.begins;
  }
  heard.changes.push_back({at, stage_at_rest(heard, on_bus)});
  for (const DataPhase& phase : heard.data_phases) {
    if (phase.at > at) heard.changes.push_back({phase.at, stage_at_rest(heard, phase.begins)});
  }
}

void StageLog::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  ++event_count_;
  if (events_ != nullptr) {
    *events_ << fmt::format("{} {} {:x}\n", edge, options::event_name(number), argument);
  }
  for (const std::uint64_t word : {edge, std::uint64_t{number}, std::uint64_t{argument}}) {
    event_hash_.add_word(word);
  }
  const Picoseconds at = soc::time_of_edge(edge);
  switch (number) {
    case TRACE_COMMAND_RECEIVED:
      received_ = host_tag_of_event(argument);
      if (on_received_) on_received_(received_, static_cast<std::uint8_t>(argument >> 24));
      break;
    case TRACE_TASK_QUEUED: queued(at, argument); break;
    case TRACE_TASK_CHOSEN:
      write_inside(at, argument);
      chosen(at, argument);
      break;
    case TRACE_PLAN_BEGIN:
      search_began_ = at;
      search_ended_.reset();
      break;
    case TRACE_PLAN_END: search_ended_ = at; break;
    case TRACE_MEDIA_WAIT: media_waits(at, argument); break;
    case TRACE_RUN_START: run_started(at, argument); break;
    case TRACE_FREE_BLOCKS: free_blocks(argument); break;
    case TRACE_RUN_NEXT: run_goes_on(at, argument); break;
    case TRACE_RUN_DONE: run_done(at, argument); break;
    case TRACE_MEDIA_DONE: media_done(at, argument & 0xFFFF); break;
    case TRACE_CACHE_HIT: cache_hit(at, argument & 0xFFFF); break;
    case TRACE_READ_AHEAD: read_ahead(argument); break;
    case TRACE_WRITE_REPORTED: write_reported(argument); break;
    case TRACE_DATA_PHASE_BEGIN: data_phase(at, argument, true); break;
    case TRACE_DATA_PHASE_END: data_phase(at, argument, false); break;
    case TRACE_WRITE_OUTSIDE: write_outside(at, argument); break;
    case TRACE_WRITE_ADMITTED: write_inside(at, argument); break;
    case TRACE_TASK_ENDED:
      write_inside(at, argument);
      ended(argument);
      break;
    case TRACE_MISSED_REVOLUTION: missed_revolutions_ += 1; break;
    case TRACE_MEDIA_RETRY: media_retries_ += 1; break;
    default: break;
  }
}

void StageLog::console(std::uint64_t /*edge*/, char character) { console_ += character; }

// ----------------------------------------------------------------------------------------- records

/// A stable sort: the changes are few, and nearly in order.
void StageLog::sort_by_time(std::vector<Change>& changes) {
  for (auto item = changes.begin(); item != changes.end(); ++item) {
    const auto place = std::upper_bound(
        changes.begin(), item, *item, [](const Change& a, const Change& b) { return a.at < b.at; });
    std::rotate(place, item, item + 1);
  }
}

report::CommandRecord StageLog::close(HostTag name, std::uint64_t number,
                                      const traces::TraceRequest& request,
                                      const initiator::Completion& completion) {
  const std::uint32_t slot = std::exchange(slot_of(name), kNone);
  HEADSTACK_ASSERT(slot != kNone, "only an open command is closed");
  free_.push_back(slot);
  std::vector<Change>& changes = heard_[slot].changes;

  const initiator::Times& times = completion.times;
  const auto note = [&changes](Picoseconds at, Stage stage) {
    if (at != bus::kNever) changes.push_back({at, stage});
  };
  note(times.arbitration_won, Stage::kSelection);
  note(times.selected, Stage::kCommand);
  if (completion.outcome == initiator::Outcome::kComplete) {
    note(std::max(times.data_last, times.status), Stage::kStatus);
  }
  sort_by_time(changes);

  report::CommandRecord record(number, request, times.submitted);
  const bool complete = completion.outcome == initiator::Outcome::kComplete;
  const bool whole = completion.is_good();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    // If the command failed, or was ended from outside, expected changes may not occur.
    const bool late = changes[i].at > times.finished;
    if (late && (!whole || changes[i].at <= times.finished + lag_)) break;
    if (late || changes[i].at < times.submitted) {
      const Picoseconds bound = late ? times.finished : times.submitted;
      record.note_fault(
          {fmt::format("command {}: '{}' at {} lies {}, at {}", number, to_string(changes[i].stage),
                       exact_ms(changes[i].at), late ? "after its end" : "before it was submitted",
                       exact_ms(bound)),
           std::min(changes[i].at, bound)});
      continue;
    }
    // If several changes are at one instant, the one that was reported last counts.
    if (i + 1 < changes.size() && changes[i + 1].at == changes[i].at) continue;
    record.enter(changes[i].stage, changes[i].at);
  }
  if (const report::RecordFault& fault = heard_[slot].fault; !fault.empty()) {
    record.note_fault({fmt::format("command {}: {}", number, fault.text), fault.at});
  }
  record.complete(times.finished, complete ? completion.status : 0xFF);
  record.set_search_exposed(heard_[slot].search_exposed);
  return record;
}

}  // namespace headstack::observe
