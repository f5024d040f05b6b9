#include "host/observe/run_observer.hpp"

namespace headstack::observe {

void RunObservers::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  for (RunObserver* observer : observers_) observer->firmware_event(edge, number, argument);
}
void RunObservers::console(std::uint64_t edge, char character) {
  for (RunObserver* observer : observers_) observer->console(edge, character);
}
void RunObservers::seek_began(Picoseconds at, const geometry::Chs& track,
                              const mechanics::Positioning& parts) {
  for (RunObserver* observer : observers_) observer->seek_began(at, track, parts);
}
void RunObservers::levels_changed(Picoseconds at, const channel::HdaLevels& levels) {
  for (RunObserver* observer : observers_) observer->levels_changed(at, levels);
}
void RunObservers::fault_struck(Picoseconds at, std::string_view what, std::uint64_t where) {
  for (RunObserver* observer : observers_) observer->fault_struck(at, what, where);
}
void RunObservers::sector_began(Picoseconds at, const geometry::Chs& sector) {
  for (RunObserver* observer : observers_) observer->sector_began(at, sector);
}
void RunObservers::sector_ended(Picoseconds at, const geometry::Chs& sector) {
  for (RunObserver* observer : observers_) observer->sector_ended(at, sector);
}
void RunObservers::command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                                  const traces::TraceRequest& request) {
  for (RunObserver* observer : observers_) observer->command_issued(at, number, tag, request);
}
void RunObservers::command_completed(Picoseconds at, std::uint16_t tag,
                                     const report::CommandRecord& record) {
  for (RunObserver* observer : observers_) observer->command_completed(at, tag, record);
}

}  // namespace headstack::observe
