// SPDX-License-Identifier: Apache-2.0
// Describes a command line, for host/command, which makes pages and completion.
#pragma once

#include <string>
#include <CLI/CLI.hpp>

namespace headstack::cli {

/// The commands of `app`, their options and their words, as JSON. host/command/description.py
/// explains the keys; host/output/command_line.py writes the same for programs in Python.
std::string describe(const CLI::App& app);

/// A sentence about the first option that no command of the command line has, with the nearest
/// known option. "" if the error is not an unknown option.
std::string find_unknown_option(const CLI::App& app);

}  // namespace headstack::cli
