// The options of `headstack run` that say what its hosts do beside what the trace asks for
// (host_habits.hpp).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "host/run/options.hpp"

namespace headstack::run {

/// Both must outlive the parsing.
void add_habit_options(CLI::App& app, RunOptions& options);

/// Behind the parsing: options that do not go together. Throws CLI::ValidationError.
void check_habit_options(const RunOptions& options);

/// Those that were given, for the summary.
void add_habits(const options::HostHabits& habits, nlohmann::ordered_json& json);

/// Some requests may go out otherwise than the trace has them.
bool has_request_options(const options::HostHabits& habits);

}  // namespace headstack::run
