// SPDX-License-Identifier: Apache-2.0
// The scope `drive` of the waves: the drive in an engineer's terms, in addition to the electronics.
// It has names instead of numbers, physical units, and the activity of the firmware.
//
// Values of the mechanics are samples of closed forms. All others change with their events. A value
// stays until it is set again.
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

  /// Sets the signals of the mechanics, at time state.at.
  void take_mechanics(const observe::DriveState& state);
  /// Sets the signals of queue, command in service, handler, and operation on the bus.
  void take_firmware(const observe::DriveState& state);

  /// Reports that an instruction at `address` has retired; asleep(), that the core sleeps.
  void retired(std::uint32_t address);
  void asleep();
  /// Shows an event of the firmware: its name and argument, and its decision or marker.
  void event(unsigned number, std::uint32_t argument);

  void phase(bus::Phase phase);
  void byte_moved(bus::Phase phase, bus::LineSet lines);

 private:
  /// How the command in service was chosen.
  enum class Decision : std::uint8_t {
    kNone,
    kPlanned,   // planned while the media still worked for the previous command
    kReplaced,  // a later arrival or a queue tag replaced the planned command
    kSearched,  // found by a search when the media were free
    kForced,    // chosen without a search, because of its queue tag
  };
  static soc::WaveNames decision_names();

  soc::WaveSignals::Index add(const char* scope, const char* name, unsigned bits,
                              soc::WaveNames names = {});
  /// Adds a signal for a number, whose largest value means none (host/wave/filters).
  soc::WaveSignals::Index add_optional(const char* scope, const char* name, unsigned bits);
  void set_optional(soc::WaveSignals::Index signal, std::optional<std::uint64_t> value);
  void note_decision(unsigned number, std::uint32_t argument);

  const observe::FunctionTable& functions_;
  soc::WaveSignals signals_;
  MessageDecoder messages_;
  Decision expected_ = Decision::kForced;  // decision for the next command, if it is the planned
                                           // one
  std::uint32_t planned_ = 0;              // task of the last plan

  using Index = soc::WaveSignals::Index;
  Index function_, handler_, event_, event_argument_, marker_, marker_count_;
  Index depth_, command_, tag_, policy_, decision_, earliest_deadline_, slack_;
  Index position_, velocity_, arm_, cylinder_, target_, head_, zone_;
  Index angle_degrees_, angle_turn32_, sector_;
  Index phase_, operation_, message_, status_, data_;
};

}  // namespace headstack::wave
