// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "host/options/failure_limit.hpp"
#include "host/options/wave_window.hpp"
#include "host/scenario/fields.hpp"
#include "host/scenario/load.hpp"
#include "host/scenario/value_text.hpp"
#include "sim/drive/line_map.hpp"
#include "sim/drive/text.hpp"

namespace headstack::scenario {
namespace {

std::string one_kind(const Field& field) {
  switch (field.type) {
    case Type::kBoolean: return "true or false";
    case Type::kInteger: return "whole, " + range_text(field.whole);
    case Type::kNumber: return range_text(field.bounds);
    case Type::kTime: return "time, " + range_text(field.times);
    case Type::kCountOrTime: return fmt::format("whole, {}, or time", range_text(field.whole));
    case Type::kChoice: return fmt::format("{}", fmt::join(field.choices, " | "));
    case Type::kText: return "text";
    case Type::kFile: return "file";
    case Type::kWord: return fmt::format("text, as in {}", field.word->example);
    case Type::kRequests: return "rows";
    case Type::kOverlay: return "table of `drive keys`";
    case Type::kRows: return "tables";
  }
  return "";
}

std::string line_of(const Field& field, const std::string& path) {
  std::string kind = one_kind(field);
  if (field.is_list) kind += ", or a list";
  const std::string usual = field.value();
  if (!usual.empty() && usual != "[]") kind += ", default " + usual;
  const std::string short_name =
      *field.key.short_name == '\0' ? std::string() : fmt::format(" ({})", field.key.short_name);
  std::string lines = fmt::format("  {}{}\n      {}; {}\n", path, short_name, kind, field.key.help);
  for (const Field& below : field.row) {
    lines += line_of(below, fmt::format("{}[].{}", path, below.key.name));
  }
  return lines;
}

bool is_within(const std::string& path, const std::string& section) {
  return section.empty() || path == section ||
         path.compare(0, section.size() + 1, section + ".") == 0;
}

/// Indents lines as far as a key's meaning.
std::string indented(const std::string& text) {
  std::istringstream in(text);
  std::string lines;
  for (std::string line; std::getline(in, line);) lines += fmt::format("      {}\n", line);
  return lines;
}

/// The keys of a section, with the words that some of them take.
std::string lines_of(const std::string& section) {
  std::string lines;
  for (const Field& field : schema_fields().fields) {
    if (field.section == section) lines += line_of(field, field.path());
  }
  if (section == "observe.waves") lines += indented(options::trigger_list());
  if (section == "stop") lines += indented(options::failure_list());
  return lines;
}

void require_section(const std::string& section) {
  std::vector<std::string> paths;
  for (const Section& known : schema_fields().sections) {
    if (known.path == section) return;
    paths.push_back(known.path);
  }
  drive::throw_file_error(
      kCommandLine, 0,
      fmt::format("there is no section '{}'; {}", section, drive::suggest(section, paths)));
}

}  // namespace

std::string list_keys(const std::string& section) {
  if (!section.empty()) require_section(section);
  std::string text = section.empty() ? lines_of("") : "";
  for (const Section& known : schema_fields().sections) {
    if (!is_within(known.path, section)) continue;
    text += fmt::format("{}[{}]  {}\n{}", text.empty() ? "" : "\n", known.path, known.help,
                        lines_of(known.path));
  }
  return text;
}

}  // namespace headstack::scenario
