// SPDX-License-Identifier: Apache-2.0
// The options of `headstack run` that say what its hosts do besides sending the requests of the
// trace (host_habits.hpp).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "host/run/options.hpp"

namespace headstack::run {

/// Adds the options. Both arguments must outlive the parsing.
void add_habit_options(CLI::App& app, RunOptions& options);

/// Called after the parsing, for options that exclude each other. Throws CLI::ValidationError.
void check_habit_options(const RunOptions& options);

/// The options that were given, for the summary.
void add_habits(const options::HostHabits& habits, nlohmann::ordered_json& json);

/// Whether requests may be sent with other properties than the trace gives them.
bool has_request_options(const options::HostHabits& habits);

}  // namespace headstack::run
