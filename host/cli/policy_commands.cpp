// SPDX-License-Identifier: Apache-2.0
#include "host/cli/policy_commands.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/slower_policies.hpp"
#include "host/options/policy_option.hpp"
#include "host/output/json_text.hpp"
#include "host/output/output_file.hpp"

namespace headstack::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The value in the parameter's unit.
double in_units(std::uint32_t value, const ::policy_parameter& parameter) {
  double scale = 1;
  for (unsigned i = 0; i < parameter.decimals; ++i) scale *= 10;
  return value / scale;
}

Json parameter_json(const ::policy_parameter& parameter) {
  const bool is_share = parameter.initial_share != 0;
  return {{"name", parameter.name},
          {"text", options::meaning_of(parameter)},
          {"unit", options::unit_of(parameter)},
          {"minimum", in_units(parameter.minimum, parameter)},
          {"maximum", in_units(options::maximum_on_core(parameter), parameter)},
          {"maximum_on_native", in_units(parameter.maximum, parameter)},
          {"step", in_units(1, parameter)},
          {"initial", is_share ? Json(nullptr) : Json(in_units(parameter.initial, parameter))},
          {"initial_cylinders_over", is_share ? Json(parameter.initial_share) : Json(nullptr)}};
}

Json policy_json(const ::policy& policy) {
  Json parameters = Json::array();
  Json flags = Json::array();
  for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
    parameters.push_back(parameter_json(policy.parameters[i]));
  }
  for (std::uint32_t i = 0; i < policy_flag_count(&policy); ++i) {
    flags.push_back({{"name", policy.flags[i].name}, {"text", policy.flags[i].text}});
  }
  Json counters = Json::array();
  for (std::uint32_t i = 0; i < policy_counter_count(&policy); ++i) {
    counters.push_back({{"name", policy.counters[i].name}, {"text", policy.counters[i].text}});
  }
  Json defaults = Json::array();
  for (const char* const* word = policy.defaults; word != nullptr && *word != nullptr; ++word) {
    defaults.push_back(*word);
  }
  Json slower = Json::array();
  for (const SlowerLoad& one : slower_loads_of(policy.name)) {
    slower.push_back({{"load", one.load}, {"percent", one.percent}});
  }
  return {{"name", policy.name},
          {"text", policy.text},
          {"parameters", parameters},
          {"flags", flags},
          {"defaults", defaults},
          {"counters", counters},
          {"may_be_slower_than_fcfs", slower}};
}

void run_list(bool json) {
  if (!json) {
    output::print(options::policy_list(slower_text));
    return;
  }
  Json rows = Json::array();
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    rows.push_back(policy_json(*policy_row(row)));
  }
  output::print(fmt::format("{}\n", output::json_text(rows, 2)));
}

}  // namespace

void add_policy_commands(CLI::App& app) {
  CLI::App* group = app.add_subcommand("policy", "scheduling policies of the drive's queue");
  group->require_subcommand(1);
  auto json = std::make_shared<bool>(false);
  CLI::App* list = group->add_subcommand("list", "list the policies, with parameters and flags");
  list->add_flag("--json", *json, "print the result as JSON");
  list->callback([json] { run_list(*json); });
}

}  // namespace headstack::cli
