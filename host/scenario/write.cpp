// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/scenario/canonical.hpp"
#include "host/scenario/value_text.hpp"

namespace headstack::scenario {
namespace {

std::string lines_of(const Fields& fields, const std::string& section, const LineText& text) {
  std::string lines;
  for (std::size_t i = 0; i < fields.fields.size(); ++i) {
    const Field& field = fields.fields[i];
    if (field.section != section || field.is_absent) continue;
    const std::string value = text(field, usual_texts()[i]);
    if (!value.empty()) lines += fmt::format("{} = {}\n", field.key.name, value);
  }
  return lines;
}

/// Whether a path is meant. A drive of sim/drives and standard input have only a name.
bool has_place(const Field& field, const std::string& file) {
  const std::filesystem::path path(file);
  const bool is_name =
      field.role == FileRole::kDrive && !path.has_parent_path() && path.extension() != ".toml";
  return !is_name && file != "-";
}

/// The path from `folder` to `file`; neither need exist.
std::string path_from(const std::string& folder, const std::string& file) {
  using std::filesystem::absolute;
  return std::filesystem::relative(absolute(file), absolute(folder)).string();
}

std::string files_in(const std::string& folder, const Field& field) {
  std::vector<std::string> texts;
  for (const std::string& file : field.files()) {
    texts.push_back(quoted(has_place(field, file) ? path_from(folder, file) : file));
  }
  return texts.size() == 1 ? texts.front() : list_text(texts);
}

}  // namespace

const std::vector<std::string>& usual_texts() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    for (const Field& field : schema_fields().fields) all.push_back(field.value());
    return all;
  }();
  return texts;
}

std::string canonical_text(const Fields& fields, const LineText& text) {
  std::string all = lines_of(fields, "", text);
  for (const Section& section : fields.sections) {
    const std::string lines = lines_of(fields, section.path, text);
    const bool has_heading = !lines.empty() || (section.is_optional && section.is_there);
    if (!has_heading) continue;
    all += fmt::format("{}[{}]\n{}", all.empty() ? "" : "\n", section.path, lines);
  }
  return all;
}

std::string to_toml(const Scenario& scenario, Written written) {
  Scenario copy = scenario;  // a copy, since the schema visits by reference; nothing is changed
  const auto text = [written](const Field& field, const std::string& usual) {
    const std::string value = field.value();
    const bool is_wanted = written == Written::kAll || value != usual;
    // An empty list of sources would be a source itself.
    const bool is_empty_source = field.type == Type::kRequests && value == usual;
    return is_wanted && !is_empty_source ? value : std::string();
  };
  return canonical_text(fields_of(copy), text);
}

std::string to_toml_in(const std::string& folder, const Scenario& scenario) {
  Scenario copy = scenario;
  const auto text = [&folder](const Field& field, const std::string& usual) {
    const std::string value = field.value();
    if (value == usual) return std::string();
    return field.type == Type::kFile ? files_in(folder, field) : value;
  };
  return canonical_text(fields_of(copy), text);
}

}  // namespace headstack::scenario
