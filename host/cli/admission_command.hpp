// `headstack admission`: how many streams of a rate a drive carries, by formulas.
#pragma once

#include <CLI/CLI.hpp>

namespace headstack::cli {

void add_admission_command(CLI::App& app);

}  // namespace headstack::cli
