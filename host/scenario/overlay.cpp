// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "host/scenario/value_text.hpp"
#include "sim/drive/reader.hpp"
#include "sim/drive/toml_file.hpp"

namespace headstack::scenario {
namespace {

std::string text_of(const toml::node& node);

std::string text_of(const toml::table& table) {
  std::string text;
  for (const auto& [key, value] : table) {
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ", std::string(key.str()), text_of(value));
  }
  return fmt::format("{{ {} }}", text);
}

/// A table or list on one line. Its keys are those of the drive's schema, which need no quotes.
std::string text_of(const toml::node& node) {
  if (const toml::table* table = node.as_table()) return text_of(*table);
  if (const toml::array* array = node.as_array()) {
    std::vector<std::string> items;
    for (const toml::node& item : *array) items.push_back(text_of(item));
    return list_text(items);
  }
  if (const auto* text = node.as_string()) return quoted(text->get());
  if (const auto* number = node.as_floating_point()) return number_text(number->get());
  std::ostringstream out;
  node.visit([&out](const auto& value) { out << value; });
  return out.str();
}

template <class Structure>
std::string checked_text(const Given& given) {
  const toml::table& table = given.table();
  Structure value;
  drive::Reader<drive::TomlFormat, drive::Extent::kPart>::read(table, given.path(), value);
  return table.empty() ? "" : text_of(table);
}

}  // namespace

std::string overlay_text(const Given& given, const Overlay<drive::Design>& /*part*/) {
  return checked_text<drive::Design>(given);
}

std::string overlay_text(const Given& given, const Overlay<drive::Specimen>& /*part*/) {
  return checked_text<drive::Specimen>(given);
}

}  // namespace headstack::scenario
