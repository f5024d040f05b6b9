// SPDX-License-Identifier: Apache-2.0
// Runs a program with a command line, and determines its exit status.
#pragma once

#include <functional>
#include <CLI/CLI.hpp>

namespace headstack::cli {

/// Calls `body`, and returns its exit status. An exception becomes one line on stderr. Its status
/// is 2 for a bad command line and 1 for every other error, including incomplete standard output.
/// Prints help and version on request, and with --describe a description of the command line. The
/// message for an unknown option names the nearest known one.
int run_command(CLI::App& app, const std::function<int()>& body);

}  // namespace headstack::cli
