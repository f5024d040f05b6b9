// SPDX-License-Identifier: Apache-2.0
// The files that a run writes, for a process that continues from a snapshot. Data written after the
// snapshot is truncated, and written again.
//
// After a fork, both processes share the position in a file. So the position is noted at the
// snapshot, when all data is in the files (SnapshotRing::on_commit). The process that continues
// from there opens the files again at those positions. The same run writes the same bytes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace headstack::debug {

class OutputFiles {
 public:
  /// All regular files that this program has opened for writing, with close-on-exec as
  /// output::OutputFile does. Files that it was started with, such as the log of a caller, are the
  /// caller's.
  /// Temporary files that have no name any more are left out. Their writers name the place of every
  /// write, and a repeated run writes the same there.
  static OutputFiles now();

  /// Gives each file a position of its own instead of the shared one, and truncates it there.
  /// Throws std::system_error when a file cannot be opened any more; std::runtime_error when it is
  /// shorter than at the snapshot. Bytes that are missing must not become zeros.
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
