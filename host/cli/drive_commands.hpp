// `headstack drive ...`: what a drive description says, and what its mechanics do with it.
#pragma once

#include <CLI/CLI.hpp>

namespace headstack::cli {

/// Adds the commands; a command that finds its input wanting sets `status` (see main.cpp).
void add_drive_commands(CLI::App& app, int& status);

}  // namespace headstack::cli
