// The words of `headstack run` for power, and for media that outlive it.
#pragma once

#include <CLI/CLI.hpp>

#include "host/run/options.hpp"

namespace headstack::run {

void add_power_options(CLI::App& app, RunOptions& options);

/// Throws CLI::ValidationError for words that do not go together. What judges data needs them
/// checked: sets verify_data.
void check_power_options(const CLI::App& app, RunOptions& options);

}  // namespace headstack::run
