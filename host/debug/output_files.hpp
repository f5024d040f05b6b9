// The files that a run writes, for a process that goes on from a snapshot: what was written behind
// the snapshot is cut off, and written again.
//
// A fork shares the position in a file between both processes, and leaves in each what it has not
// written yet. So the position is noted at the snapshot, and whoever goes on from there opens the
// files anew, at those positions. The same run writes the same bytes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace headstack::debug {

class OutputFiles {
 public:
  /// All regular files that this process has open for writing, but its standard streams.
  static OutputFiles now();

  /// Gives each its own position, in place of the one that is shared, and cuts it off there. Throws
  /// std::system_error when a file cannot be opened any more.
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
