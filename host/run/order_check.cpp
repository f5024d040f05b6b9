#include "host/run/order_check.hpp"

#include "sim/assert.hpp"

namespace headstack::run {

using replay::Tagging;

OrderCheck::Ticket OrderCheck::arrived(std::uint64_t number, Tagging tagging) {
  out_[++last_] = {number, tagging, {}};
  if (tagging == Tagging::kOrdered || tagging == Tagging::kHeadOfQueue) special_.insert(last_);
  return last_;
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
      out_.at(other).passed_by.emplace_back(command.number, *status);
    };
    if (command.tagging == Tagging::kOrdered) {
      for (auto it = out_.begin(); it != out_.end() && it->first < ticket; ++it) note(it->first);
    } else if (command.tagging != Tagging::kHeadOfQueue) {
      for (auto it = special_.begin(); it != special_.end() && *it < ticket; ++it) note(*it);
    }
  }
  if (!status) return std::nullopt;  // the drive had dropped it, who knows when
  for (const auto& [number, at] : command.passed_by) {
    if (at < *status) return Overtaken{number, command.number};
  }
  return std::nullopt;
}

}  // namespace headstack::run
