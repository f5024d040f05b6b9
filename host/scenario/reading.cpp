// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/scenario/tree.hpp"
#include "sim/drive/line_map.hpp"
#include "sim/drive/text.hpp"

namespace headstack::scenario {
namespace {

std::string joined(const std::string& section, const std::string& name) {
  return section.empty() ? name : section + "." + name;
}

/// The last part of a path.
std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string section_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

/// The names of keys and sections directly below a section.
std::vector<std::string> names_below(const Fields& fields, const std::string& section) {
  std::vector<std::string> names;
  for (const Field& field : fields.fields) {
    if (field.section == section) names.emplace_back(field.key.name);
  }
  for (const Section& below : fields.sections) {
    if (section_of(below.path) == section) names.push_back(last_of(below.path));
  }
  return names;
}

/// Whether the name is that of one of the flags, which are separated by blanks. For example,
/// queue_depth is that of --queue-depth.
bool is_flag_of(const Field& field, std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  const std::string flags = std::string(field.key.flags) + " ";
  return flags.find("--" + name + " ") != std::string::npos;
}

/// A key that has this name in another section, or as a former flag; "" if there is none.
std::string same_name_elsewhere(const std::string& name) {
  for (const Field& field : schema_fields().fields) {
    if (name == field.key.short_name || is_flag_of(field, name)) return field.path();
  }
  for (const Field& field : schema_fields().fields) {
    if (name == field.key.name) return field.path();
  }
  return "";
}

std::string remedy_for(const std::string& name, const std::vector<std::string>& known) {
  const std::string elsewhere = same_name_elsewhere(name);
  if (!elsewhere.empty()) return fmt::format("did you mean '{}'?", elsewhere);
  return drive::suggest(name, known);
}

bool is_section(const Fields& fields, const std::string& path) {
  return std::any_of(fields.sections.begin(), fields.sections.end(),
                     [&](const Section& section) { return section.path == path; });
}

void reject_unknown(const toml::table& table, const std::string& section, const Fields& fields) {
  const std::vector<std::string> known = names_below(fields, section);
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string path = joined(section, name);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw drive::Fault(path, "unknown key", remedy_for(name, known));
    }
    if (!is_section(fields, path)) continue;
    reject_unknown(Given(node, path, "").table(), path, fields);
  }
}

std::string folder_of(const Origins& origins, const std::string& path) {
  const Origin origin = origin_of(origins, path);
  if (origin.file == kCommandLine) return "";
  return std::filesystem::path(origin.file).parent_path().string();
}

/// Checked before all other keys, which another version may accept.
void require_schema(const toml::table& root) {
  const auto* schema = root["schema"].as_integer();
  if (schema == nullptr || schema->get() <= kSchema) return;
  throw drive::Fault(
      "schema",
      fmt::format("{}, but this version of headstack knows {} alone", schema->get(), kSchema),
      "use a newer version");
}

}  // namespace

void read_root(const toml::table& root, const Origins& origins, Scenario& scenario) {
  require_schema(root);
  const toml::node* synthetic = find_node(root, "load.synthetic");
  if (synthetic != nullptr && synthetic->is_table()) scenario.load.synthetic.emplace();
  const Fields fields = fields_of(scenario);
  reject_unknown(root, "", fields);
  for (const Field& field : fields.fields) {
    const std::string path = field.path();
    const toml::node* node = find_node(root, path);
    if (node != nullptr) field.take(Given(*node, path, folder_of(origins, path)));
  }
}

void read_row(const Given& given, const Fields& row) {
  const toml::table& table = given.table();
  const std::vector<std::string> known = names_below(row, "");
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string path = joined(given.path(), name);
    const auto field = std::find_if(row.fields.begin(), row.fields.end(),
                                    [&](const Field& f) { return name == f.key.name; });
    if (field == row.fields.end()) {
      throw drive::Fault(path, "unknown key", drive::suggest(name, known));
    }
    field->take(Given(node, path, given.folder()));
  }
}

void require_known_path(const std::string& path) {
  const Fields& schema = schema_fields();
  if (is_section(schema, path)) return;
  std::vector<std::string> known;
  for (const Field& field : schema.fields) {
    const std::string known_path = field.path();
    const bool is_below = path.compare(0, known_path.size() + 1, known_path + ".") == 0;
    if (path == known_path || (field.type == Type::kOverlay && is_below)) return;
    known.push_back(known_path);
    if (*field.key.short_name != '\0') known.emplace_back(field.key.short_name);
  }
  const std::string near = drive::nearest_word(path, known);
  const std::string elsewhere = same_name_elsewhere(last_of(path));
  std::string remedy = "`run --keys` lists all keys";
  if (!near.empty()) remedy = fmt::format("did you mean '{}'?", near);
  if (!elsewhere.empty()) remedy = fmt::format("did you mean '{}'?", elsewhere);
  drive::throw_file_error(kCommandLine, 0, fmt::format("{}: unknown key; {}", path, remedy));
}

}  // namespace headstack::scenario
