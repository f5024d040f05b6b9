// SPDX-License-Identifier: Apache-2.0
#include "host/wave/wave_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace headstack::wave {
namespace {

namespace fs = std::filesystem;

// According to fstapi.h and fstapi.c of GTKWave, a file begins with its header block, type 0. Its
// length, in eight bytes with the highest first, is 329.
constexpr std::array<std::uint8_t, 9> kHeaderBlock = {0, 0, 0, 0, 0, 0, 0, 1, 0x49};

bool is_below(const fs::path& folder, const fs::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

bool is_taken(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

bool is_wave_file(const std::string& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::regular) return false;
  std::array<char, kHeaderBlock.size()> head{};
  std::ifstream in(path, std::ios::binary);
  if (!in.read(head.data(), head.size())) return false;
  return std::equal(head.begin(), head.end(), kHeaderBlock.begin(), [](char byte, std::uint8_t is) {
    return static_cast<std::uint8_t>(byte) == is;
  });
}

void require_room_for_waves(const std::string& path) {
  const bool wave = is_wave_file(path);
  if (is_taken(path) && !wave) {
    throw WaveFileError(fmt::format(
        "{}: exists, and is not a wave file; give another name, or remove it first", path));
  }
  const std::string names = path + ".hier";
  std::error_code error;
  const bool file = fs::symlink_status(names, error).type() == fs::file_type::regular;
  if (is_taken(names) && !(wave && file)) {
    throw WaveFileError(
        fmt::format("{}: exists, but the signals' names go there while waves are written; give "
                    "another name, or remove it first",
                    names));
  }
}

std::string wave_path_below(const std::string& folder, const std::string& name) {
  const fs::path wanted = fs::path(folder) / name;  // an absolute name stays as it is
  if (wanted.extension() != ".fst") {
    throw WaveFileError(fmt::format("{}: a wave file's name ends in .fst", name));
  }
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path parent = error ? fs::path() : fs::canonical(wanted.parent_path(), error);
  if (error) {
    throw WaveFileError(fmt::format("{}: there is no folder {}; names are relative to {}", name,
                                    wanted.parent_path().string(), folder));
  }
  if (!is_below(root, parent)) {
    throw WaveFileError(fmt::format("{}: lies outside of the run's folder; give a name in {}", name,
                                    root.string()));
  }
  std::string path = (parent / wanted.filename()).string();
  require_room_for_waves(path);
  return path;
}

}  // namespace headstack::wave
