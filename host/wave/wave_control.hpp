// The wave file of a run, opened and closed by hand: by a debugger's user, or for the time behind a
// snapshot.
#pragma once

#include <string>

namespace headstack::wave {

class WaveControl {
 public:
  virtual ~WaveControl() = default;
  /// Closes the file that is open, if any, and records into this one from now on, whatever windows
  /// were asked for. Throws std::runtime_error when it cannot be made.
  virtual void open(const std::string& path) = 0;
  /// Ends the file that is open, by hand or by a window; nothing when there is none. A line on what
  /// could not be written, or "".
  virtual std::string close() = 0;
  /// In a process that was forked while a file was open: leaves the file to the other process,
  /// untouched. open() makes one of its own.
  virtual void abandon() = 0;
};

}  // namespace headstack::wave
