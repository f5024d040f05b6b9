// SPDX-License-Identifier: Apache-2.0
#include "host/observe/record_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "firmware/events.h"

namespace headstack::observe {
namespace {

using report::exact_ms;
using report::RecordFault;
using report::Stage;

bool known(Picoseconds at) { return at != bus::kNever; }

/// The first thing that the drive does on the bus after the command.
Picoseconds next_on_bus(const initiator::Times& times) {
  Picoseconds next = times.finished;
  for (const Picoseconds at : {times.data_first, times.status}) {
    if (known(at)) next = std::min(next, at);
  }
  return times.disconnected.empty() ? next : std::min(next, times.disconnected.front());
}

/// Whether the drive and the host are connected at an instant: after a selection or reselection,
/// and before the DISCONNECT or COMMAND COMPLETE that follows.
bool is_connected(const initiator::Times& times, Picoseconds at) {
  Picoseconds began = times.selected;
  for (std::size_t i = 0; i <= times.disconnected.size(); ++i) {
    const bool last = i == times.disconnected.size();
    const Picoseconds end = last ? times.complete : times.disconnected[i];
    if (at >= began && at <= end) return true;
    if (last || i >= times.reselected.size()) return false;
    began = times.reselected[i];
  }
  return false;
}

/// The stage that a record is in just before an instant after its submission.
Stage stage_before(const report::CommandRecord& record, Picoseconds at) {
  Stage stage = Stage::kIssued;
  for (const auto& change : record.changes()) {
    if (change.at < at) stage = change.stage;
  }
  return stage;
}

/// Whether no byte of data moves in this stage.
bool is_without_data(Stage stage) {
  return stage == Stage::kIssued || stage == Stage::kSelection || stage == Stage::kCommand ||
         stage == Stage::kQueued || stage == Stage::kBusWait;
}

RecordFault find_bus_misfit(const report::CommandRecord& record, const initiator::Times& times) {
  const auto& changes = record.changes();
  const auto queued = std::find_if(changes.begin(), changes.end(), [](const auto& change) {
    return change.stage == Stage::kQueued;
  });
  if (queued != changes.end() &&
      (queued->at < times.command_sent || queued->at > next_on_bus(times))) {
    const Picoseconds next = next_on_bus(times);
    return {fmt::format("'queued' at {} is not between the command's last byte at {} and what "
                        "follows on the bus at {}",
                        exact_ms(queued->at), exact_ms(times.command_sent), exact_ms(next)),
            std::min({queued->at, times.command_sent, next})};
  }
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    if (changes[i].stage != Stage::kBusData) continue;
    if (is_connected(times, changes[i].at) && is_connected(times, changes[i + 1].at)) continue;
    return {fmt::format("'bus_data' from {} to {}, when drive and host are not connected",
                        exact_ms(changes[i].at), exact_ms(changes[i + 1].at)),
            changes[i].at};
  }
  for (const Picoseconds at : {times.data_first, times.data_last}) {
    if (!known(at)) continue;
    const Stage stage = stage_before(record, at);
    if (is_without_data(stage)) {
      return {fmt::format("data move at {} in its '{}'", exact_ms(at), to_string(stage)), at};
    }
  }
  return {};
}

}  // namespace

void RecordAudit::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  tasks_.event(soc::time_of_edge(edge), number, argument);
  if (number == TRACE_BLOCK_MOVED) media_.block_moved(argument);
  if (number == TRACE_STORE_LOADED) media_.places_remembered();
  const bool units_moved = number == TRACE_UNITS_MOVED && (argument & 0xFFFFU) > 0;
  if (units_moved) media_.places_remembered();
}

/// Notes faults of arm and spindle. After other faults, such as a missing pulse or a bad sector,
/// the movements are right.
void RecordAudit::fault_struck(Picoseconds at, std::string_view what, std::uint64_t /*where*/) {
  constexpr std::array<std::string_view, 7> kMechanics = {
      "settle", "off_track", "wrong_cylinder", "stuck", "dropout", "power_back", "no_start"};
  if (std::find(kMechanics.begin(), kMechanics.end(), what) != kMechanics.end()) {
    media_.mechanics_failed(at);
  }
}

RecordFault RecordAudit::find_misfit(const report::CommandRecord& record,
                                     const std::optional<Life>& life,
                                     const initiator::Times& times) const {
  const CommandKind kind = life ? life->kind() : CommandKind::kRefused;
  if (RecordFault wrong = find_wrong_order(record, kind, instant_); !wrong.empty()) {
    return wrong;
  }
  // Firmware that takes no time reports at the clock edge after an instant, which is too coarse.
  if (!life || instant_) return {};
  if (RecordFault wrong = find_bus_misfit(record, times); !wrong.empty()) return wrong;
  return media_.find_misfit(record, *life);
}

RecordFault RecordAudit::check(const report::CommandRecord& record, HostTag name,
                               const initiator::Completion& completion) {
  const std::optional<Life> life = tasks_.take(name);
  RecordFault misfit = tasks_.take_fault();
  // A command that failed, or was ended from outside, may end at any stage.
  const bool whole = completion.is_good();
  const bool delayed = media_.mechanics_failed_since(record.submitted());
  if (misfit.empty() && whole && !delayed) misfit = find_misfit(record, life, completion.times);
  if (misfit.empty()) return {};
  return {fmt::format("command {}: {}", record.number(), misfit.text), misfit.at};
}

}  // namespace headstack::observe
