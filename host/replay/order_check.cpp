// SPDX-License-Identifier: Apache-2.0
#include "host/replay/order_check.hpp"

#include "sim/assert.hpp"

namespace headstack::replay {

using traces::Tagging;

OrderCheck::Ticket OrderCheck::arrived(const Arrival& arrival) {
  out_[++last_] = {arrival, {}};
  const Tagging tagging = arrival.tagging;
  if (tagging == Tagging::kOrdered || tagging == Tagging::kHeadOfQueue) special_.insert(last_);
  return last_;
}

bool OrderCheck::may_pass(const Arrival& command, const Arrival& older) {
  const bool ordered = command.tagging == Tagging::kOrdered || older.tagging == Tagging::kOrdered;
  return command.keeps_bus && (!ordered || command.host != older.host);
}

std::optional<OrderCheck::Overtaken> OrderCheck::ended(Ticket ticket,
                                                       std::optional<Picoseconds> status,
                                                       bool early) {
  const auto mine = out_.find(ticket);
  HEADSTACK_ASSERT(mine != out_.end(), "a command that arrived ends once");
  const Command command = mine->second;
  out_.erase(mine);
  special_.erase(ticket);
  if (status && !early) {
    const auto note = [&](Ticket other) {
      Command& older = out_.at(other);
      if (may_pass(command.arrival, older.arrival)) return;
      older.passed_by.emplace_back(command.arrival.number, *status);
    };
    const Tagging tagging = command.arrival.tagging;
    if (tagging == Tagging::kOrdered) {
      for (auto it = out_.begin(); it != out_.end() && it->first < ticket; ++it) note(it->first);
    } else if (tagging != Tagging::kHeadOfQueue) {
      for (auto it = special_.begin(); it != special_.end() && *it < ticket; ++it) note(*it);
    }
  }
  if (!status) return std::nullopt;  // the drive dropped the command, at an unknown time
  for (const auto& [number, at] : command.passed_by) {
    if (at < *status) return Overtaken{number, command.arrival.number};
  }
  return std::nullopt;
}

}  // namespace headstack::replay
