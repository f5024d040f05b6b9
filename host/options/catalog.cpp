// SPDX-License-Identifier: Apache-2.0
#include "host/options/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/drive/text.hpp"

namespace headstack::options {

namespace fs = std::filesystem;

fs::path source_folder() {
  const char* root = std::getenv("HEADSTACK_ROOT");
  return root != nullptr ? root : ".";
}

fs::path drives_folder() { return source_folder() / "sim" / "drives"; }

std::vector<std::string> drive_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(drives_folder(), error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  if (error) {
    throw drive::FileError(fmt::format(
        "{}: {}; start headstack by the script in its source tree, which sets HEADSTACK_ROOT",
        drives_folder().string(), error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_drive(const std::string& name_or_path) {
  fs::path path(name_or_path);
  if (path.extension() == ".toml" || name_or_path.find('/') != std::string::npos) return path;
  const std::vector<std::string> names = drive_names();
  if (std::find(names.begin(), names.end(), name_or_path) == names.end()) {
    throw drive::FileError(
        fmt::format("no drive named '{}'; {}", name_or_path, drive::suggest(name_or_path, names)));
  }
  return drives_folder() / (name_or_path + ".toml");
}

drive::Loaded load_drive(const std::string& name_or_path) {
  return drive::load(find_drive(name_or_path));
}

}  // namespace headstack::options
