// SPDX-License-Identifier: Apache-2.0
// headstack run with a scenario in the place of flags: `[FILE.toml...] [KEY=VALUE...] --out DIR`.
// Short names of keys are flags, too. `--print-scenario [--all]` and `--keys [SECTION]` run
// nothing. `headstack torture` and `headstack debug` take the same words, and flags of their own.
// The run's folder keeps the scenario as scenario.toml.
#pragma once

#include <string>
#include <vector>
#include <CLI/CLI.hpp>

#include "host/run/program.hpp"

namespace headstack::run {

/// Whether the words of a command line are for run_scenario(). They are if they begin with a
/// scenario's word, or if none is a flag that is a key now.
bool is_scenario_line(const std::vector<std::string>& words);

/// Declares a scenario's words beside the flags of a run, for its help. Parsing them there is an
/// error: the line has a flag that is a key now.
void declare_scenario_words(CLI::App& app);

/// Carries the command line out, and returns the exit status. `argv` is for the program that has
/// the electronics, which a scenario on `rtl` needs. `firmware`: the build's program.
int run_scenario(const std::vector<std::string>& words, char** argv, const RtlSupport& rtl,
                 const std::string& firmware);

}  // namespace headstack::run
