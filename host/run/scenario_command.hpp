// SPDX-License-Identifier: Apache-2.0
// headstack run with a scenario in the place of flags:
//
//   headstack run [FILE.toml] [KEY=VALUE...] [short flags] --out DIR
//   headstack run [FILE.toml] [KEY=VALUE...] --print-scenario [--all]
//   headstack run --keys [SECTION]
//
// The run's folder keeps the scenario as scenario.toml. With --gdb and --run-until a debugger waits
// in the run, as for `headstack debug`.
#pragma once

#include <string>
#include <vector>
#include <CLI/CLI.hpp>

#include "host/run/program.hpp"

namespace headstack::run {

/// Whether the words of a command line are for run_scenario(): the first is no flag, or they ask
/// for keys or a scenario's text.
bool is_scenario_line(const std::vector<std::string>& words);

/// Declares a scenario's words beside the flags of a run, for its help. Parsing them is an error:
/// they come first.
void declare_scenario_words(CLI::App& app);

/// Carries the command line out, and returns the exit status. `argv` is for the program that has
/// the electronics, which a scenario on `rtl` needs. `firmware`: the build's program.
int run_scenario(const std::vector<std::string>& words, char** argv, const RtlSupport& rtl,
                 const std::string& firmware);

}  // namespace headstack::run
