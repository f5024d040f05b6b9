// `headstack trace ...`: what a trace holds, and into headstack's own format.
#pragma once

#include <CLI/CLI.hpp>

namespace headstack::cli {

void add_trace_commands(CLI::App& app);

}  // namespace headstack::cli
