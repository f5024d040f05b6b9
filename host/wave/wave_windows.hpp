// SPDX-License-Identifier: Apache-2.0
// Decides whether waves are recorded, by the windows and the events up to now.
//
// Calls come in the order of time. Windows may overlap; waves are recorded while any is open. A
// window of an event is open for `after` from an occurrence on; another occurrence during that time
// extends it. The time before an event cannot be recorded.
#pragma once

#include <string>
#include <vector>

#include "host/options/wave_window.hpp"

namespace headstack::wave {

class WaveWindows {
 public:
  /// Without windows, waves are always recorded.
  WaveWindows(const std::vector<options::WaveWindow>& windows, Picoseconds after);

  /// The next time at which a window opens or closes without an event; kNever when there is none.
  Picoseconds next_change() const;
  /// Reports that time has come to `at`, which is past next_change() by at most the delay of a
  /// call.
  void time_is(Picoseconds at);
  /// Reports event `number` of firmware/events.h, or kBusViolation.
  void event(Picoseconds at, unsigned number);
  void command_issued(std::uint64_t number);
  void command_completed(std::uint64_t number);

  bool wanted() const { return open_ > 0; }
  /// The texts of windows that have not opened.
  std::vector<std::string> not_come() const;

 private:
  struct State {
    options::WaveWindow window;
    bool open = false;
    bool come = false;
    Picoseconds ends_at = options::kNever;
    std::uint64_t count = 0;  // number of occurrences, or of the window's commands that are
                              // complete
  };

  void open(State& state, Picoseconds ends_at);
  void close(State& state);
  void occurred(State& state, Picoseconds at);

  std::vector<State> states_;
  Picoseconds after_;
  unsigned open_ = 0;
};

}  // namespace headstack::wave
