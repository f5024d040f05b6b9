// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

#include "host/scenario/fields.hpp"
#include "host/scenario/keys.hpp"
#include "host/scenario/value_text.hpp"

namespace headstack::scenario {
namespace {

constexpr const char* kHead = R"(# SPDX-License-Identifier: Apache-2.0
"""Keys of a scenario. Generated from host/scenario/schema.hpp.

A time is a text with a unit ("12.5ms"), or whole picoseconds.
"""

from typing import Any, Literal, TypedDict, Union

Time = Union[str, int]
)";

/// The class of a section: "hosts.every" becomes "HostsEvery".
std::string class_of(const std::string& path) {
  std::string name;
  bool is_first = true;
  for (const char c : path) {
    const bool is_letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_letter) {
      name += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
    is_first = !is_letter;
  }
  return name.empty() ? "ScenarioKeys" : name;
}

std::string literal_of(const Field& field) {
  std::vector<std::string> words;
  for (const std::string& choice : field.choices) {
    words.push_back(quoted(choice));
    if (choice.find_first_not_of("0123456789") == std::string::npos) words.push_back(choice);
  }
  return fmt::format("Literal[{}]", fmt::join(words, ", "));
}

std::string one_type(const Field& field) {
  switch (field.type) {
    case Type::kBoolean: return "bool";
    case Type::kInteger: return "int";
    case Type::kNumber: return "float";
    case Type::kTime: return "Time";
    case Type::kCountOrTime: return "Union[int, str]";
    case Type::kChoice: return literal_of(field);
    case Type::kText:
    case Type::kFile:
    case Type::kWord: return "str";
    case Type::kRequests: return "list[list[Any]]";
    case Type::kOverlay: return "dict[str, Any]";
    case Type::kRows: return fmt::format("list[{}]", class_of(field.path()));
  }
  return "Any";
}

std::string type_of(const Field& field) {
  const std::string one = one_type(field);
  return field.is_list ? fmt::format("Union[{0}, list[{0}]]", one) : one;
}

std::string doc_of(std::string text) {
  for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  if (!text.empty() && text.back() == '"') text += ' ';
  return fmt::format("\"\"\"{}\"\"\"", text);
}

std::string member_of(const Field& field) {
  return fmt::format("    {}: {}\n    {}\n", field.key.name, type_of(field),
                     doc_of(field.key.help));
}

std::string class_text(const std::string& name, const std::string& help,
                       const std::string& members) {
  return fmt::format("\nclass {}(TypedDict, total=False):\n    {}\n\n{}", name, doc_of(help),
                     members);
}

std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// The sections directly below one, as members whose types are classes.
std::string sections_below(const std::string& path) {
  std::string members;
  const std::string start = path.empty() ? "" : path + ".";
  for (const Section& section : schema_fields().sections) {
    const std::string name = last_of(section.path);
    if (section.path != start + name) continue;
    std::string type = class_of(section.path);
    const bool may_be_text = section.path == "drive" || section.path == "platform";
    if (may_be_text) type = fmt::format("Union[str, {}]", type);
    members += fmt::format("    {}: {}\n    {}\n", name, type, doc_of(section.help));
  }
  return members;
}

std::string members_of(const std::string& path) {
  std::string members;
  for (const Field& field : schema_fields().fields) {
    if (field.section == path) members += member_of(field);
  }
  return members + sections_below(path);
}

}  // namespace

std::string python_stub() {
  std::string text = kHead;
  for (const Field& field : schema_fields().fields) {
    if (field.type != Type::kRows) continue;
    std::string members;
    for (const Field& below : field.row) members += member_of(below);
    text += class_text(class_of(field.path()), field.key.help, members);
  }
  // A class comes after the classes of its members.
  const std::vector<Section>& sections = schema_fields().sections;
  for (auto section = sections.rbegin(); section != sections.rend(); ++section) {
    text += class_text(class_of(section->path), section->help, members_of(section->path));
  }
  return text + class_text(class_of(""), "All keys.", members_of(""));
}

}  // namespace headstack::scenario
