// SPDX-License-Identifier: Apache-2.0
// `headstack admission`: the number of streams of one rate that a drive carries, by formulas.
#pragma once

#include <CLI/CLI.hpp>

namespace headstack::cli {

void add_admission_command(CLI::App& app);

}  // namespace headstack::cli
