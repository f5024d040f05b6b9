// SPDX-License-Identifier: Apache-2.0
#include "host/replay/act_agenda.hpp"

namespace headstack::replay {

using options::Setting;
using traces::Act;

void ActAgenda::repeat(const DueAct& act, Picoseconds period, Picoseconds start) {
  if (period == 0) return;
  planned_.emplace(start + period, Planned{act, period});
}

void ActAgenda::begin(Picoseconds start) {
  for (const options::ActRepeat& habit : habits_.acts) {
    repeat({habit.act, 0, 0}, habit.repeat.time, start);
  }
  for (std::size_t i = 0; i < options::kSettings; ++i) {
    repeat({Act::kNone, 0, 0, static_cast<Setting>(i)}, habits_.changes[i].time, start);
  }
}

void ActAgenda::request_issued(Picoseconds now, std::uint64_t number,
                               const traces::TraceRequest& request) {
  const traces::RequestOptions& options = request.options;
  if (options.act != Act::kNone) {
    const DueAct act = {options.act, request.initiator, number};
    planned_.emplace(now + options.act_delay, Planned{act, 0});
  }
  for (std::size_t i = 0; i < options::kSettings; ++i) {
    const options::Repeat& change = habits_.changes[i];
    if (!options::is_each_nth(number, change.requests)) continue;
    const DueAct act = {Act::kNone, request.initiator, 0, static_cast<Setting>(i)};
    planned_.emplace(now + change.delay.earliest, Planned{act, 0});
  }
}

std::optional<DueAct> ActAgenda::take(Picoseconds now) {
  const auto first = planned_.begin();
  if (first == planned_.end() || first->first > now) return std::nullopt;
  const Picoseconds at = first->first;
  const Planned planned = first->second;
  planned_.erase(first);
  if (planned.period != 0) {
    Planned again = planned;
    again.act.host = (again.act.host + 1) % hosts_;
    planned_.emplace(at + planned.period, again);
  }
  return planned.act;
}

std::optional<Picoseconds> ActAgenda::next() const {
  if (planned_.empty()) return std::nullopt;
  return planned_.begin()->first;
}

}  // namespace headstack::replay
