// SPDX-License-Identifier: Apache-2.0
#include "host/observe/run_observer.hpp"

// By number: one of them may have all fall silent.
namespace headstack::observe {

void RunObservers::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  for (std::size_t i = 0; i < observers_.size(); ++i)
    observers_[i]->firmware_event(edge, number, argument);
}
void RunObservers::console(std::uint64_t edge, char character) {
  for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->console(edge, character);
}
void RunObservers::seek_began(Picoseconds at, const geometry::Chs& track,
                              const mechanics::Positioning& parts) {
  for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->seek_began(at, track, parts);
}
void RunObservers::levels_changed(Picoseconds at, const channel::HdaLevels& levels) {
  for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->levels_changed(at, levels);
}
void RunObservers::fault_struck(Picoseconds at, std::string_view what, std::uint64_t where) {
  for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->fault_struck(at, what, where);
}
void RunObservers::sector_began(Picoseconds at, const geometry::Chs& sector) {
  for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->sector_began(at, sector);
}
void RunObservers::sector_ended(Picoseconds at, const geometry::Chs& sector) {
  for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->sector_ended(at, sector);
}
void RunObservers::command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                                  const traces::TraceRequest& request) {
  for (std::size_t i = 0; i < observers_.size(); ++i)
    observers_[i]->command_issued(at, number, tag, request);
}
void RunObservers::command_completed(Picoseconds at, std::uint16_t tag,
                                     const report::CommandRecord& record) {
  for (std::size_t i = 0; i < observers_.size(); ++i)
    observers_[i]->command_completed(at, tag, record);
}

}  // namespace headstack::observe
