// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/load.hpp"

#include "host/scenario/reading.hpp"
#include "host/scenario/tree.hpp"
#include "sim/drive/line_map.hpp"

namespace headstack::scenario {
namespace {

Loaded loaded_from(const Tree& tree) {
  Loaded loaded;
  loaded.origins = tree.origins;
  try {
    read_root(tree.root, tree.origins, loaded.scenario);
  } catch (const drive::Fault& fault) {
    throw_located(tree.origins, fault);
  }
  return loaded;
}

Loaded with_settings(Tree tree, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) apply_setting(setting, tree);
  return loaded_from(tree);
}

}  // namespace

Loaded load(const std::string& file, const std::vector<std::string>& settings) {
  return with_settings(tree_of_file(file), settings);
}

Loaded load_text(const std::string& text, const std::string& file,
                 const std::vector<std::string>& settings) {
  return with_settings(tree_of_text(text, file), settings);
}

Loaded load_settings(const std::vector<std::string>& settings) {
  return with_settings({}, settings);
}

void require_good(const Loaded& loaded, Purpose purpose) {
  for (const Finding& finding : check(loaded.scenario, purpose)) {
    throw_located(loaded.origins, drive::Fault(finding.key, finding.problem, finding.remedy));
  }
}

void throw_located(const Origins& origins, const drive::Fault& fault) {
  const Origin at = origin_of(origins, fault.key);
  drive::throw_file_error(at.file, at.line, fault.what());
}

}  // namespace headstack::scenario
