// What the waves show beside the electronics: scope `drive`, the same drive as an engineer thinks
// of it. Names instead of numbers, physical units, and what the firmware is at.
//
// Mechanics are samples of closed forms; everything else changes when it happens. All values stand
// until told otherwise.
#pragma once

#include <cstdint>

#include "host/observe/drive_probe.hpp"
#include "host/observe/function_table.hpp"
#include "host/wave/scsi_names.hpp"
#include "sim/soc/wave_signals.hpp"

namespace headstack::wave {

class DriveSignals {
 public:
  explicit DriveSignals(const observe::FunctionTable& functions);

  const soc::WaveSignals& signals() const { return signals_; }

  /// The mechanics, at state.at.
  void take_mechanics(const observe::DriveState& state);
  /// Queue, command in service, handler; and the operation on the bus.
  void take_firmware(const observe::DriveState& state);

  /// An instruction at `address` has retired; or the core sleeps.
  void retired(std::uint32_t address);
  void asleep();
  /// An event of the firmware: its name and argument, and what it says of decisions and markers.
  void event(unsigned number, std::uint32_t argument);

  void phase(bus::Phase phase);
  void byte_moved(bus::Phase phase, bus::LineSet lines);

 private:
  /// Why the command in service was the next.
  enum class Decision : std::uint8_t {
    kNone,
    kPlanned,   // while the media still worked for the one before
    kReplaced,  // there was a plan, but a later arrival, or its queue tag, came before
    kSearched,  // when the media were free
    kForced,    // without a search: its queue tag says so
  };
  static soc::WaveNames decision_names();

  soc::WaveSignals::Index add(const char* scope, const char* name, unsigned bits,
                              soc::WaveNames names = {});
  /// A number; the largest of its bits stands for none (host/wave/filters).
  soc::WaveSignals::Index add_optional(const char* scope, const char* name, unsigned bits);
  void set_optional(soc::WaveSignals::Index signal, std::optional<std::uint64_t> value);
  void note_decision(unsigned number, std::uint32_t argument);

  const observe::FunctionTable& functions_;
  soc::WaveSignals signals_;
  MessageDecoder messages_;
  Decision expected_ = Decision::kForced;  // of the next command, if it is the one planned
  std::uint32_t planned_ = 0;              // the task of the plan made last

  using Index = soc::WaveSignals::Index;
  Index function_, handler_, event_, event_argument_, marker_, marker_count_;
  Index depth_, command_, tag_, policy_, decision_, earliest_deadline_, slack_;
  Index position_, velocity_, arm_, cylinder_, target_, head_, zone_;
  Index angle_degrees_, angle_turn32_, sector_;
  Index phase_, operation_, message_, status_, data_;
};

}  // namespace headstack::wave
