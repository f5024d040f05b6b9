// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/identity.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/options/catalog.hpp"
#include "host/scenario/canonical.hpp"
#include "host/scenario/digest.hpp"
#include "host/scenario/value_text.hpp"
#include "sim/description/fault.hpp"

namespace headstack::scenario {
namespace {

std::string content_text(const Field& field, const std::string& file) {
  std::string path = file;
  std::error_code error;
  if (field.role == FileRole::kDrive) path = options::find_drive(file).string();
  if (field.role == FileRole::kMade) return quoted("made");
  if (field.role == FileRole::kKept && !std::filesystem::exists(file, error)) return quoted("new");
  if (path == "-") {
    throw drive::FileError(fmt::format(
        "{}: standard input has no identity; write it into a file, and name that", field.path()));
  }
  return quoted("sha256:" + sha256_of_file(path));
}

std::string files_text(const Field& field) {
  std::vector<std::string> texts;
  for (const std::string& file : field.files()) texts.push_back(content_text(field, file));
  if (texts.empty()) return "";
  return texts.size() == 1 ? texts.front() : list_text(texts);
}

}  // namespace

std::string identity_text(const Scenario& scenario) {
  Scenario copy = scenario;
  copy.title.clear();
  // A platform that equals the default is the same as none.
  copy.platform.kind.reset();
  if (platform_of(copy) != platform_of(scenario)) copy.platform.kind = scenario.platform.kind;
  const auto text = [](const Field& field, const std::string& usual) {
    if (field.type == Type::kFile) return files_text(field);
    const std::string value = field.value();
    const bool is_schema = field.section.empty() && field.path() == "schema";
    return is_schema || value != usual ? value : std::string();
  };
  return canonical_text(fields_of(copy), text);
}

std::string identity(const Scenario& scenario) { return sha256_of_text(identity_text(scenario)); }

}  // namespace headstack::scenario
