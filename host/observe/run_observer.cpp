// SPDX-License-Identifier: Apache-2.0
#include "host/observe/run_observer.hpp"

namespace headstack::observe {

template <class Call>
void RunObservers::tell(const Call& call) {
  // The loop is over indices, because an observer may remove all of them during its call.
  for (std::size_t i = 0; i < observers_.size(); ++i) call(*observers_[i]);
}

void RunObservers::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  if (soc::time_of_edge(edge) > end_) return;
  tell([&](RunObserver& one) { one.firmware_event(edge, number, argument); });
}
void RunObservers::console(std::uint64_t edge, char character) {
  if (soc::time_of_edge(edge) > end_) return;
  tell([&](RunObserver& one) { one.console(edge, character); });
}
void RunObservers::seek_began(Picoseconds at, const geometry::Chs& track,
                              const mechanics::Positioning& parts) {
  tell([&](RunObserver& one) { one.seek_began(at, track, parts); });
}
void RunObservers::levels_changed(Picoseconds at, const channel::HdaLevels& levels) {
  tell([&](RunObserver& one) { one.levels_changed(at, levels); });
}
void RunObservers::fault_struck(Picoseconds at, std::string_view what, std::uint64_t where) {
  tell([&](RunObserver& one) { one.fault_struck(at, what, where); });
}
void RunObservers::sector_began(Picoseconds at, const geometry::Chs& sector) {
  tell([&](RunObserver& one) { one.sector_began(at, sector); });
}
void RunObservers::sector_ended(Picoseconds at, const geometry::Chs& sector) {
  tell([&](RunObserver& one) { one.sector_ended(at, sector); });
}
void RunObservers::command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                                  const traces::TraceRequest& request) {
  tell([&](RunObserver& one) { one.command_issued(at, number, tag, request); });
}
void RunObservers::command_completed(Picoseconds at, std::uint16_t tag,
                                     const report::CommandRecord& record) {
  tell([&](RunObserver& one) { one.command_completed(at, tag, record); });
}

}  // namespace headstack::observe
