// SPDX-License-Identifier: Apache-2.0
#include "sim/core/translation_file.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sim/core/translator_id.hpp"

namespace headstack::core {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "/proc/self/exe";

/// A hash like FNV-1a, but of eight bytes at a time. A short last word is filled with zeros.
std::uint64_t hash_of(const std::vector<std::uint8_t>& bytes, std::uint32_t limit) {
  constexpr std::uint64_t kOffsetBasis = 0xCBF2'9CE4'8422'2325;
  constexpr std::uint64_t kPrime = 0x100'0000'01B3;
  std::uint64_t hash = kOffsetBasis ^ (std::uint64_t{limit} << 32 | bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Whether the file is as safe as the running program, whose owner could have changed that, too.
bool is_trusted(int file) {
  struct stat library {};
  struct stat program {};
  if (::fstat(file, &library) != 0 || ::stat(kProgram, &program) != 0) return false;
  const bool is_own = library.st_uid == program.st_uid || library.st_uid == 0;
  return S_ISREG(library.st_mode) && is_own && (library.st_mode & S_IWOTH) == 0;
}

}  // namespace

std::string translation_key(const std::vector<std::uint8_t>& code, std::uint32_t stack_limit) {
  char text[2 * 16 + 1];
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, hash_of(code, stack_limit),
                kTranslatorId);
  return text;
}

std::string own_translations() {
  std::error_code error;
  const fs::path program = fs::read_symlink(kProgram, error);
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    const bool is_home = fs::is_regular_file(folder / "firmware/drive.elf", error);
    if (is_home) return folder / "firmware/translations";
  }
  return "";
}

const translation::Translation* find_translation(const std::string& folder,
                                                 const std::string& key) {
  const std::string place = folder.empty() ? own_translations() : folder;
  if (place.empty()) return nullptr;
  const int file = ::open((place + "/" + key + ".so").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return nullptr;
  // The loaded file is the one that was checked, even if its name now belongs to another file.
  const translation::Translation* found =
      is_trusted(file) ? load_translation("/proc/self/fd/" + std::to_string(file)) : nullptr;
  ::close(file);
  return found;
}

const translation::Translation* load_translation(const std::string& file) {
  // dlopen() does not search other folders for a name with a folder.
  void* const library = dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return static_cast<const translation::Translation*>(dlsym(library, translation::kSymbol));
}

}  // namespace headstack::core
