// SPDX-License-Identifier: Apache-2.0
#include "host/run/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "host/options/catalog.hpp"
#include "host/output/run_folder.hpp"
#include "host/wave/wave_file.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;
using output::OutputError;

struct NamedFile {
  const char* option;
  std::string path;
};

std::vector<NamedFile> files_written(const RunOptions& options) {
  std::vector<NamedFile> files = {{"drive.media", options.media},
                                  {"observe.waves.file", options.wave}};
  files.erase(std::remove_if(files.begin(), files.end(),
                             [](const NamedFile& file) { return file.path.empty(); }),
              files.end());
  return files;
}

std::vector<NamedFile> files_read(const RunOptions& options) {
  std::vector<NamedFile> files = {{"drive.name", options::find_drive(options.drive).string()}};
  const bool is_file = options.trace != "-" && options.trace_text.empty();
  if (is_file) files.push_back({"load.trace", options.trace});
  if (!options.firmware.empty()) files.push_back({"platform.firmware", options.firmware});
  for (const std::string& map : options.remap.maps) files.push_back({"remap.maps", map});
  return files;
}

void require_apart(const NamedFile& file, const std::vector<NamedFile>& others) {
  for (const NamedFile& other : others) {
    if (!output::is_same_file(file.path, other.path)) continue;
    throw OutputError(fmt::format("{} {}: is the file of {}, too; give another name", file.option,
                                  file.path, other.option));
  }
}

void require_writable(const char* option, const std::string& path) {
  try {
    output::require_writable(path);
  } catch (const OutputError& error) {
    throw OutputError(fmt::format("{} {}", option, error.what()));
  }
}

}  // namespace

void require_good_files(const RunOptions& options) {
  std::vector<NamedFile> others = files_read(options);
  for (const NamedFile& file : files_written(options)) {
    if (output::is_own_name(options.out, file.path)) {
      throw OutputError(
          fmt::format("{} {}: the run leaves a file of its own under this name; give another name",
                      file.option, file.path));
    }
    require_apart(file, others);
    others.push_back(file);
  }
  if (!options.wave.empty()) {
    wave::require_room_for_waves(options.wave);
    require_writable("observe.waves.file", options.wave);
  }
  if (!options.gdb.empty()) debug::require_address(options);
}

}  // namespace headstack::run
