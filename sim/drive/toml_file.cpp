// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/toml_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace headstack::drive {
namespace {

/// Notes the lines of a node and of all nodes below it.
void note_lines(const toml::node& node, const std::string& path, LineMap& lines) {
  lines[path] = node.source().begin.line;
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      note_lines(value, (path.empty() ? "" : path + ".") + std::string(key.str()), lines);
    }
  }
  if (const toml::array* array = node.as_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      note_lines(*array->get(i), path + "[" + std::to_string(i) + "]", lines);
    }
  }
}

/// Refuses deep keys. The parser descends once per part of a dotted key, and could exhaust the
/// stack.
void refuse_deep_keys(const std::string& text, const std::string& file) {
  constexpr std::ptrdiff_t kMostParts = 100;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto key_end =
        line.begin() + static_cast<std::ptrdiff_t>(std::min(line.find('='), line.size()));
    if (std::count(line.begin(), key_end, '.') <= kMostParts) continue;
    throw_file_error(file, number, "a key of more than 100 parts; correct the line");
  }
}

}  // namespace

toml::table parse_toml(const std::string& text, const std::string& file) {
  refuse_deep_keys(text, file);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const std::string message =
        fmt::format("not valid TOML: {}; correct the line", error.description());
    throw_file_error(file, error.source().begin.line, message);
  }
}

void lay_over(toml::table& base, toml::table&& over) {
  for (auto&& [key, node] : over) {
    toml::table* above = node.as_table();
    toml::table* below = above == nullptr ? nullptr : base[key.str()].as_table();
    if (below != nullptr) {
      lay_over(*below, std::move(*above));
    } else {
      base.insert_or_assign(key.str(), std::move(node));
    }
  }
}

LineMap lines_in(const toml::table& root) {
  LineMap lines;
  note_lines(root, "", lines);
  return lines;
}

}  // namespace headstack::drive
