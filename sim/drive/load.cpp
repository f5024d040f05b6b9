// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <toml++/toml.h>

#include "sim/drive/line_map.hpp"
#include "sim/drive/reader.hpp"
#include "sim/drive/text.hpp"

namespace headstack::drive {
namespace {

/// TOML, as toml++ has it.
struct TomlFormat {
  using Node = toml::node;
  using Table = toml::table;
  using Array = toml::array;

  static constexpr const char* kTable = "a table";
  static std::string table_remedy(const std::string& path) {
    return "write its keys under [" + path + "]";
  }
  static const Node* find(const Table& table, const char* key) { return table.get(key); }
  template <class Use>
  static void each(const Table& table, const Use& use) {
    for (const auto& [key, node] : table) use(std::string(key.str()), node);
  }
  static const Table* table(const Node& node) { return node.as_table(); }
  static const Array* array(const Node& node) { return node.as_array(); }
  static std::size_t size(const Array& array) { return array.size(); }
  static const Node& at(const Array& array, std::size_t index) { return *array.get(index); }
  static std::optional<bool> boolean(const Node& node) {
    return node.is_boolean() ? std::optional(node.as_boolean()->get()) : std::nullopt;
  }
  static std::optional<std::string> text(const Node& node) {
    return node.is_string() ? std::optional(node.as_string()->get()) : std::nullopt;
  }
  static std::optional<double> number(const Node& node) {
    return node.is_floating_point() ? std::optional(node.as_floating_point()->get()) : whole(node);
  }
  static std::optional<double> whole(const Node& node) {
    if (!node.is_integer()) return std::nullopt;
    return static_cast<double>(node.as_integer()->get());
  }
  static bool is_note(const std::string& /*name*/, const Node& /*node*/) { return false; }
};

/// The lines of a node and all below it.
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

/// Made for a fault alone: most files have none.
LineMap lines_in(const toml::table& root) {
  LineMap lines;
  note_lines(root, "", lines);
  return lines;
}

/// The parser descends once per part of a dotted key: a hostile file could exhaust the stack.
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

toml::table parse(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const std::string message =
        fmt::format("not valid TOML: {}; correct the line", error.description());
    throw_file_error(file, error.source().begin.line, message);
  }
}

}  // namespace

Loaded load_text(const std::string& text, const std::string& file) {
  refuse_deep_keys(text, file);
  const toml::table root = parse(text, file);
  try {
    Loaded loaded;
    Reader<TomlFormat>::read(root, "", loaded.description);
    for (const std::string& warning : check(loaded.description)) {
      loaded.warnings.push_back(fmt::format("{}: {}", file, warning));
    }
    return loaded;
  } catch (const Fault& fault) {
    throw_file_error(file, line_of(lines_in(root), fault.key), fault.what());
  }
}

Loaded load(const std::filesystem::path& file) { return load_text(read_file(file), file.string()); }

void throw_fault_in(const std::filesystem::path& file, const Fault& fault) {
  const LineMap lines = lines_in(parse(read_file(file), file.string()));
  throw_file_error(file.string(), line_of(lines, fault.key), fault.what());
}

}  // namespace headstack::drive
