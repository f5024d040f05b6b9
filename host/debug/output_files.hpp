// SPDX-License-Identifier: Apache-2.0
// The files that a run writes, for a process that continues from a snapshot. Data written after the
// snapshot is truncated, and written again.
//
// After a fork, both processes share the position in a file, and each keeps its unwritten data. So
// the position is noted at the snapshot. The process that continues from there opens the files
// again at those positions. The same run writes the same bytes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace headstack::debug {

class OutputFiles {
 public:
  /// All regular files that this process has open for writing, except its standard streams.
  static OutputFiles now();

  /// Gives each file a position of its own instead of the shared one, and truncates it there.
  /// Throws std::system_error when a file cannot be opened any more.
  void rewind() const;

 private:
  struct File {
    int number = -1;
    std::string path;
    off_t position = 0;
    int flags = 0;
  };
  std::vector<File> files_;
};

}  // namespace headstack::debug
