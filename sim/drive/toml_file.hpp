// SPDX-License-Identifier: Apache-2.0
// Files of TOML: their tables, the lines of their keys, and the format of toml++ for Reader.
#pragma once

#include <optional>
#include <string>
#include <toml++/toml.h>

#include "sim/drive/line_map.hpp"

namespace headstack::drive {

/// The table of a file's text. Throws FileError, which names `file` and the line.
toml::table parse_toml(const std::string& text, const std::string& file);

/// Keys of `over` replace those of `base`. Tables in both are laid over each other; a list is
/// replaced as a whole.
void lay_over(toml::table& base, toml::table&& over);

/// The lines of all keys. They are computed only for the message of a fault.
LineMap lines_in(const toml::table& root);

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

}  // namespace headstack::drive
