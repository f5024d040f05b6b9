// SPDX-License-Identifier: Apache-2.0
// The files that a run writes, for a process that continues from a snapshot. Data written after the
// snapshot are cut off, and written again.
//
// After a fork, both processes share the position in a file. So the position is noted at the
// snapshot, when all data are in the files (SnapshotRing::on_commit). The process that continues
// from there reopens the files at those positions. The same run writes the same bytes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace headstack::debug {

class OutputFiles {
 public:
  /// All regular files that this program has opened for writing, with close-on-exec as
  /// output::OutputFile does. Files that it was started with, such as the log of a caller, are the
  /// caller's. Temporary files without a name are left out. Their writers specify the position of
  /// every write, and a repeated run writes the same there.
  static OutputFiles now();

  /// Gives each file a position of its own instead of the shared one, and truncates it there.
  /// Throws std::system_error when a file can no longer be opened. Throws std::runtime_error when
  /// it is shorter than at the snapshot, since missing bytes must not become zeros.
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
