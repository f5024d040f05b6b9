// SPDX-License-Identifier: Apache-2.0
// Carries out a command line of `headstack run`, `torture` or `debug` (command_line.hpp).
#pragma once

#include <string>
#include <vector>

#include "host/run/program.hpp"

namespace headstack::run {

/// Carries the command line out, and returns the exit status. `argv` is passed on to the program
/// that has the electronics, which a scenario on `rtl` needs. `firmware` is the build's program.
int run_scenario(const std::vector<std::string>& words, char** argv, const RtlSupport& rtl,
                 const std::string& firmware);

}  // namespace headstack::run
