// How a program with a command line ends.
#pragma once

#include <functional>
#include <CLI/CLI.hpp>

namespace headstack::cli {

/// Calls `body`, and returns its exit status. What it throws is one line on stderr: 2 for a command
/// line that is wrong, 1 for everything else, and for a standard output that is not whole. Help and
/// version that were asked for are printed; so is, with --describe, what the command line takes. An
/// option that nothing there has is told with the nearest that something has.
int run_command(CLI::App& app, const std::function<int()>& body);

}  // namespace headstack::cli
