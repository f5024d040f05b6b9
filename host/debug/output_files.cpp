// SPDX-License-Identifier: Apache-2.0
#include "host/debug/output_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace headstack::debug {

namespace fs = std::filesystem;

OutputFiles OutputFiles::now() {
  OutputFiles result;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    const int number = std::stoi(entry.path().filename().string());
    if (number <= STDERR_FILENO) continue;
    struct stat status {};
    const int flags = ::fcntl(number, F_GETFL);
    if (flags < 0 || ::fstat(number, &status) != 0) continue;
    if (!S_ISREG(status.st_mode) || (flags & O_ACCMODE) == O_RDONLY) continue;
    if (status.st_nlink == 0) continue;
    // Files that were open when this program started do not have the flag.
    if ((::fcntl(number, F_GETFD) & FD_CLOEXEC) == 0) continue;
    result.files_.push_back({number, fs::read_symlink(entry.path()).string(),
                             ::lseek(number, 0, SEEK_CUR), flags & ~(O_CREAT | O_TRUNC | O_EXCL)});
  }
  return result;
}

void OutputFiles::rewind() const {
  for (const File& file : files_) {
    const int own = ::open(file.path.c_str(), file.flags | O_CLOEXEC);
    struct stat status {};
    if (own >= 0 && ::fstat(own, &status) == 0 && status.st_size < file.position) {
      throw std::runtime_error(
          fmt::format("{}: {} bytes are there, but the snapshot needs {}; leave the files of a run "
                      "alone until it has ended, make sure that the disk has room, and run again",
                      file.path, status.st_size, file.position));
    }
    if (own < 0 || ::ftruncate(own, file.position) != 0 ||
        ::lseek(own, file.position, SEEK_SET) < 0 || ::dup3(own, file.number, O_CLOEXEC) < 0) {
      throw std::system_error(errno, std::generic_category(), file.path);
    }
    ::close(own);
  }
}

}  // namespace headstack::debug
