// What a command line takes, for those that make pages and completion of it (host/command).
#pragma once

#include <string>
#include <CLI/CLI.hpp>

namespace headstack::cli {

/// The commands of `app`, their options and their words, as JSON. host/command/description.py says
/// what the keys mean; host/output/command_line.py writes the same for programs in Python.
std::string describe(const CLI::App& app);

/// The first option on a command line that went wrong which no command there has, with the nearest
/// that one has: a sentence, or "" when the options are not what is wrong.
std::string find_unknown_option(const CLI::App& app);

}  // namespace headstack::cli
