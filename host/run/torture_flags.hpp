// SPDX-License-Identifier: Apache-2.0
// The options of `headstack run` for power, and for media that outlive it.
#pragma once

#include <string>
#include <vector>
#include <CLI/CLI.hpp>

#include "host/run/options.hpp"

namespace headstack::run {

void add_power_options(CLI::App& app, RunOptions& options);

/// Adds the flags that say how a run is tortured, and returns them. Their names begin with
/// `prefix`; `seed` is the whole name of that of the bytes' seed. The other arguments must outlive
/// the parsing.
std::vector<CLI::Option*> add_torture_flags(CLI::App& app, TortureOptions& torture,
                                            bool& cuts_again, const std::string& prefix,
                                            const std::string& seed);

/// Throws CLI::ValidationError for options that exclude each other. Power cuts are judged by
/// checked data, and so set verify_data.
void check_power_options(const CLI::App& app, RunOptions& options);

}  // namespace headstack::run
