// SPDX-License-Identifier: Apache-2.0
// The flags of `headstack run`.
#pragma once

#include <CLI/CLI.hpp>

#include "host/run/options.hpp"

namespace headstack::run {

/// Adds all of them. Both arguments must outlive the parsing.
void add_run_options(CLI::App& app, RunOptions& options);

/// Called after the parsing, for flags that exclude each other or need another one. Completes the
/// options. Throws CLI::ValidationError.
void check_run_options(const CLI::App& app, RunOptions& options);

}  // namespace headstack::run
