// SPDX-License-Identifier: Apache-2.0
#include "host/cli/describe.hpp"

#include <fmt/format.h>

#include <vector>
#include <nlohmann/json.hpp>

#include "host/output/json_text.hpp"
#include "sim/drive/text.hpp"

namespace headstack::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Whether a group is shown: CLI11 hides the group without a name.
bool is_shown(const std::string& group) { return !group.empty(); }

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// The words in a type such as "TEXT:{png,svg}", whose option takes one of them.
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

Json describe_option(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool takes_value = option.get_items_expected_max() > 0;
  Json value = nullptr;
  if (takes_value) value = type.substr(0, type.find(':'));
  return {{"names", names_of(option)},
          {"word", option.get_positional() ? Json(option.get_name()) : Json(nullptr)},
          {"value", value},
          {"choices", choices_in(type)},
          {"default", option.get_default_str()},
          {"required", option.get_required()},
          {"many", option.get_items_expected_max() > 1},
          {"text", option.get_description()}};
}

void add_options(const CLI::App& app, Json& rows) {
  for (const CLI::Option* option : app.get_options()) {
    if (is_shown(option->get_group())) rows.push_back(describe_option(*option));
  }
  // Groups of options are commands without a name.
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (group->get_name().empty()) add_options(*group, rows);
  }
}

Json describe_command(const CLI::App& app) {
  Json options = Json::array();
  Json commands = Json::array();
  add_options(app, options);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_name().empty()) commands.push_back(describe_command(*command));
  }
  return {{"name", app.get_name()},
          {"text", app.get_description()},
          {"behind", app.get_footer()},
          {"options", options},
          {"commands", commands}};
}

/// Collects the names of this command's options and of its groups'.
void collect_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    if (!is_shown(option->get_group())) continue;
    for (std::string& name : names_of(*option)) names.push_back(std::move(name));
  }
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (group->get_name().empty()) collect_names(*group, names);
  }
}

}  // namespace

std::string describe(const CLI::App& app) {
  return output::json_text(describe_command(app), 2) + "\n";
}

std::string find_unknown_option(const CLI::App& app) {
  // Each command reports the words that remain after it.
  for (const CLI::App* command : app.get_subcommands()) {
    if (command->get_name().empty()) continue;
    std::string found = find_unknown_option(*command);
    if (!found.empty()) return found;
  }
  for (const std::string& word : app.remaining()) {
    if (word.size() < 2 || word[0] != '-') continue;
    std::vector<std::string> names;
    collect_names(app, names);
    const std::string option = word.substr(0, word.find('='));
    const std::string near = drive::nearest_word(option, names);
    const std::string remedy = near.empty() ? std::string("run with --help for the options")
                                            : fmt::format("did you mean '{}'?", near);
    return fmt::format("unknown option '{}'; {}", option, remedy);
  }
  return "";
}

}  // namespace headstack::cli
