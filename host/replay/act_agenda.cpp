#include "host/replay/act_agenda.hpp"

namespace headstack::replay {

using traces::Act;

void ActAgenda::repeat(Act act, Picoseconds period, Picoseconds start) {
  if (period == 0) return;
  planned_.emplace(start + period, Planned{{act, 0, 0}, period});
}

void ActAgenda::begin(Picoseconds start) {
  for (const options::ActRepeat& habit : habits_.acts) repeat(habit.act, habit.repeat.time, start);
  repeat(Act::kNone, habits_.cache_change.time, start);
}

void ActAgenda::request_issued(Picoseconds now, std::uint64_t number,
                               const traces::TraceRequest& request) {
  const traces::RequestOptions& options = request.options;
  if (options.act != Act::kNone) {
    const DueAct act = {options.act, request.initiator, number};
    planned_.emplace(now + options.act_delay, Planned{act, 0});
  }
  if (options::is_each_nth(number, habits_.cache_change.requests)) {
    const Picoseconds delay = habits_.cache_change.delay.earliest;
    planned_.emplace(now + delay, Planned{{Act::kNone, request.initiator, 0}, 0});
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
