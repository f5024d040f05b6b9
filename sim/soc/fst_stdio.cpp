// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/fst_stdio.hpp"

#include <cerrno>
#include <map>
#include <string>

namespace headstack::soc {
namespace {

constexpr const char* kNamesEnding = ".hier";

enum class Kind { kWaves, kOther };

/// The files that are open for writing. Files that are only read do not matter.
std::map<std::FILE*, Kind>& files() {
  static std::map<std::FILE*, Kind> files;
  return files;
}
int first_error = 0;

[[noreturn]] void end_program(int error) {
  // exit() is not called, since the library is in the middle of its work, and would go on with it.
  std::fprintf(stderr,
               "headstack: error: the temporary files of waves cannot be written: %s; make room on "
               "the disks of the wave file and of temporary files (/tmp), or lift the limit for "
               "files (ulimit -f)\n",
               std::strerror(error));
  std::_Exit(EXIT_FAILURE);
}

void note(std::FILE* file, int error) {
  const auto known = files().find(file);
  if (known == files().end()) return;
  if (known->second == Kind::kOther) end_program(error);
  if (first_error == 0) first_error = error;
}

bool ends_in(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

std::FILE* wave_fopen(const char* path, const char* mode) {
  std::FILE* const file = std::fopen(path, mode);
  const bool names = ends_in(path, kNamesEnding);
  if (file != nullptr && *mode == 'w') files()[file] = names ? Kind::kOther : Kind::kWaves;
  return file;
}

std::FILE* wave_tmpfile() {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) end_program(errno);
  files()[file] = Kind::kOther;
  return file;
}

std::size_t wave_fwrite(const void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  const std::size_t written = std::fwrite(bytes, size, count, file);
  if (written != count) note(file, errno);
  return written;
}

int wave_fflush(std::FILE* file) {
  const int result = std::fflush(file);
  if (result != 0) note(file, errno);
  return result;
}

int wave_fseeko(std::FILE* file, off_t offset, int whence) {
  const int result = ::fseeko(file, offset, whence);
  if (result != 0) note(file, errno);
  return result;
}

int wave_fclose(std::FILE* file) {
  // Data buffered by an earlier call of fputc() may have failed to reach the file.
  if (std::ferror(file) != 0) note(file, errno != 0 ? errno : EIO);
  if (std::fflush(file) != 0) note(file, errno);
  files().erase(file);
  return std::fclose(file);
}

const char* wave_date(const std::tm*) { return ""; }

int take_wave_error() {
  const int error = first_error;
  first_error = 0;
  return error;
}

}  // namespace headstack::soc
