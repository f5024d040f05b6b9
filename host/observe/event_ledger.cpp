// SPDX-License-Identifier: Apache-2.0
#include "host/observe/event_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/options/event_names.hpp"

namespace headstack::observe {

EventLedger::EventLedger(const std::string& file, const soc::ElfImage& image)
    : functions_(image), asleep_(functions_.none() + 1), out_(file) {
  std::map<std::string, unsigned> bearers;
  for (const soc::ElfImage::Function& function : functions_.functions()) ++bearers[function.name];
  for (const soc::ElfImage::Function& function : functions_.functions()) {
    const bool shared = bearers[function.name] > 1;
    names_.push_back(shared ? fmt::format("{}@{:x}", function.name, function.address)
                            : function.name);
  }
  names_.insert(names_.end(), {"(none)", "(asleep)"});
}

EventLedger::Work& EventLedger::work_of(std::uint32_t function) {
  const auto known = std::find_if(work_.begin(), work_.end(), [function](const Work& work) {
    return work.function == function;
  });
  if (known != work_.end()) return *known;
  work_.push_back({function, 0, 0});
  return work_.back();
}

void EventLedger::core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) {
  const std::uint64_t elapsed = edge + 1 - edges_;
  edges_ = edge + 1;
  const std::uint64_t awake = activity.core_edge ? 1 : 0;
  if (elapsed > awake) work_of(asleep_).cycles += elapsed - awake;
  waiting_ += awake;
  if (!activity.retirement.valid) return;
  pc_ = activity.retirement.pc;
  Work& work = work_of(functions_.index_at(pc_));
  work.cycles += waiting_;
  ++work.instructions;
  waiting_ = 0;
}

/// Writes the line of an event. The store that reports it retires at the edge with which it is
/// stamped.
void EventLedger::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  std::string line = fmt::format("{} {} {:x} {:x} {}", edge, options::event_name(number), argument,
                                 pc_, name_of(functions_.index_at(pc_)));
  for (const Work& work : work_) {
    line += fmt::format(" {}:{}:{}", name_of(work.function), work.cycles, work.instructions);
  }
  out_ << line << '\n';
  work_.clear();
}

void EventLedger::command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                                 const traces::TraceRequest& /*request*/) {
  out_ << fmt::format("issue {} {} {}\n", at, number, tag);
}

}  // namespace headstack::observe
