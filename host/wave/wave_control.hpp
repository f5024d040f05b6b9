// SPDX-License-Identifier: Apache-2.0
// Opens and closes the wave file of a run by command: for a debugger's user, or for the time after
// a snapshot.
#pragma once

#include <string>

namespace headstack::wave {

class WaveControl {
 public:
  virtual ~WaveControl() = default;
  /// Closes an open file, and records into this one from the present time on, regardless of
  /// windows. Throws std::runtime_error when it cannot be made.
  virtual void open(const std::string& path) = 0;
  /// Closes the open file, if there is one, whether a command or a window opened it. @return a line
  /// about data that could not be written, or "".
  virtual std::string close() = 0;
  /// Leaves an open file to another process. Called after a fork while a file was open; open() then
  /// makes a new one.
  virtual void abandon() = 0;
};

}  // namespace headstack::wave
