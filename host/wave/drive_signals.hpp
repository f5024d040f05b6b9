// What the waves show beside the electronics: scope `drive`, the same drive as an engineer thinks
// of it. Names instead of numbers, physical units, and what the firmware is at.
//
// Mechanics are samples of closed forms; everything else changes when it happens. All values stand
// until told otherwise.
#pragma once

#include <cstdint>

#include "host/run/drive_probe.hpp"
#include "host/run/function_table.hpp"
#include "host/wave/scsi_names.hpp"
#include "sim/soc/wave_signals.hpp"

namespace headstack::wave {

class DriveSignals {
 public:
  explicit DriveSignals(const run::FunctionTable& functions);

  const soc::WaveSignals& signals() const { return signals_; }

  /// The mechanics, at state.at.
  void take_mechanics(const run::DriveState& state);
  /// Queue, command in service, handler; and the operation on the bus.
  void take_firmware(const run::DriveState& state);

  /// An instruction at `address` has retired; or the core sleeps.
  void retired(std::uint32_t address);
  void asleep();
  /// An event of the firmware: its name and argument, and what it says of decisions and markers.
  void event(unsigned number, std::uint32_t argument);

  void phase(bus::Phase phase);
  void byte_moved(bus::Phase phase, bus::LineSet lines);

 private:
  /// Why the command in service was the next.
  enum class Decision : std::uint8_t { kNone, kPlanned, kSearched, kForced };
  static soc::WaveNames decision_names();

  soc::WaveSignals::Index add(const char* scope, const char* name, unsigned bits,
                              soc::WaveNames names = {});
  soc::WaveSignals::Index add_optional(const char* scope, const char* name, unsigned bits);
  void set_optional(soc::WaveSignals::Index signal, std::optional<std::uint64_t> value);
  void note_decision(unsigned number, std::uint32_t argument);

  const run::FunctionTable& functions_;
  soc::WaveSignals signals_;
  MessageDecoder messages_;
  bool searching_ = false;     // since the last command was chosen, with no plan made yet
  std::uint32_t planned_ = 0;  // the task of the plan made last
  bool has_plan_ = false;

  using Index = soc::WaveSignals::Index;
  Index function_, handler_, event_, event_argument_, marker_, marker_count_;
  Index depth_, command_, tag_, policy_, decision_;
  Index position_, velocity_, arm_, cylinder_, target_, head_, zone_;
  Index angle_degrees_, angle_turn32_, sector_;
  Index phase_, operation_, message_, status_, data_;
};

}  // namespace headstack::wave
