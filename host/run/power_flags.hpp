// SPDX-License-Identifier: Apache-2.0
// The options of `headstack run` for power, and for media that outlive it.
#pragma once

#include <CLI/CLI.hpp>

#include "host/run/options.hpp"

namespace headstack::run {

void add_power_options(CLI::App& app, RunOptions& options);

/// Throws CLI::ValidationError for options that exclude each other. Power cuts are judged by
/// checked data, and so set verify_data.
void check_power_options(const CLI::App& app, RunOptions& options);

}  // namespace headstack::run
