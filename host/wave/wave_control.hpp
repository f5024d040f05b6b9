// SPDX-License-Identifier: Apache-2.0
// Opens and closes the wave file of a run by command: of a debugger's user, or for the time after a
// snapshot.
#pragma once

#include <string>

namespace headstack::wave {

class WaveControl {
 public:
  virtual ~WaveControl() = default;
  /// Closes an open file, and records into this one from now on, regardless of windows. Throws
  /// std::runtime_error when it cannot be made.
  virtual void open(const std::string& path) = 0;
  /// Closes the open file, of a command or of a window, if there is one. @return a line about data
  /// that could not be written, or "".
  virtual std::string close() = 0;
  /// In a process that was forked while a file was open: leaves the file to the other process.
  /// open() makes a new one.
  virtual void abandon() = 0;
};

}  // namespace headstack::wave
