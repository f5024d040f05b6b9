// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/load.hpp"

#include <fmt/format.h>

#include "sim/drive/line_map.hpp"
#include "sim/drive/reader.hpp"
#include "sim/drive/text.hpp"
#include "sim/drive/toml_file.hpp"

namespace headstack::drive {
namespace {

/// Reads a description from a file's table. Throws Fault.
Loaded read_root(const toml::table& root, const std::string& file) {
  Loaded loaded;
  Reader<TomlFormat>::read(root, "", loaded.description);
  for (const std::string& warning : check(loaded.description)) {
    loaded.warnings.push_back(fmt::format("{}: {}", file, warning));
  }
  return loaded;
}

}  // namespace

Loaded load_text(const std::string& text, const std::string& file) {
  const toml::table root = parse_toml(text, file);
  try {
    return read_root(root, file);
  } catch (const Fault& fault) {
    throw_file_error(file, line_of(lines_in(root), fault.key), fault.what());
  }
}

Loaded load_over(const std::filesystem::path& file, const std::string& over) {
  toml::table root = parse_toml(read_file(file), file.string());
  lay_over(root, parse_toml(over, file.string()));
  try {
    return read_root(root, file.string());
  } catch (const Fault& fault) {
    throw_file_error(file.string(), 0, fault.what());
  }
}

Loaded load(const std::filesystem::path& file) { return load_text(read_file(file), file.string()); }

void throw_fault_in(const std::filesystem::path& file, const Fault& fault) {
  const LineMap lines = lines_in(parse_toml(read_file(file), file.string()));
  throw_file_error(file.string(), line_of(lines, fault.key), fault.what());
}

}  // namespace headstack::drive
