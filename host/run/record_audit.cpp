#include "host/run/record_audit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headstack::run {
namespace {

constexpr std::uint8_t kGood = 0x00;

bool known(Picoseconds at) { return at != bus::kNever; }

/// The first thing that the drive does on the bus behind the command.
Picoseconds next_on_bus(const initiator::Times& times) {
  Picoseconds next = times.finished;
  for (const Picoseconds at : {times.data_first, times.status}) {
    if (known(at)) next = std::min(next, at);
  }
  return times.disconnected.empty() ? next : std::min(next, times.disconnected.front());
}

/// The drive and the host are connected then: behind a selection or reselection, and not yet
/// behind the DISCONNECT or COMMAND COMPLETE that follows.
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

std::string find_bus_misfit(const Life& life, const initiator::Times& times) {
  if (life.queued < times.command_sent || life.queued > next_on_bus(times)) {
    return fmt::format(
        "TASK_QUEUED at {} ps is not between the command's last byte at {} ps and "
        "what follows on the bus at {} ps",
        life.queued, times.command_sent, next_on_bus(times));
  }
  for (const Window& phase : life.data) {
    for (const Picoseconds at : {phase.begin, phase.end.value_or(phase.begin)}) {
      if (!is_connected(times, at)) {
        return fmt::format("a data phase is told at {} ps, when drive and host are not connected",
                           at);
      }
    }
  }
  if (!known(times.data_first)) return "";
  if (life.data.empty() || life.data.front().begin > times.data_first) {
    return fmt::format("data move from {} ps on, ahead of the first DATA_PHASE_BEGIN",
                       times.data_first);
  }
  const auto& end = life.data.back().end;
  if (!end || *end < times.data_last) {
    return fmt::format("data move until {} ps, behind the last DATA_PHASE_END", times.data_last);
  }
  return "";
}

}  // namespace

void RecordAudit::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  tasks_.event(soc::time_of_edge(edge), number, argument);
}

std::string RecordAudit::find_misfit(const report::CommandRecord& record,
                                     const std::optional<Life>& life,
                                     const initiator::Times& times) const {
  const CommandKind kind = life ? life->kind() : CommandKind::kRefused;
  if (std::string wrong = find_wrong_order(record, kind, instant_); !wrong.empty()) {
    return wrong;
  }
  // Firmware that takes no time reports with the clock edge behind an instant: too coarse.
  if (!life || instant_) return "";
  if (std::string wrong = find_bus_misfit(*life, times); !wrong.empty()) return wrong;
  return media_.find_misfit(record, *life);
}

std::string RecordAudit::check(const report::CommandRecord& record, HostTag name,
                               const initiator::Completion& completion) {
  const std::optional<Life> life = tasks_.take(name);
  std::string misfit = tasks_.take_fault();
  // One that failed, or was ended from outside, may end anywhere on its way.
  const bool whole =
      completion.outcome == initiator::Outcome::kComplete && completion.status == kGood;
  if (misfit.empty() && whole) misfit = find_misfit(record, life, completion.times);
  return misfit.empty() ? "" : fmt::format("command {}: {}", record.number(), misfit);
}

}  // namespace headstack::run
