// SPDX-License-Identifier: Apache-2.0
// `headstack drive ...`: the content of a drive description, and the mechanics that it describes.
#pragma once

#include <CLI/CLI.hpp>

namespace headstack::cli {

/// Adds the commands to `app`. A command with insufficient input sets `status` (see main.cpp).
void add_drive_commands(CLI::App& app, int& status);

}  // namespace headstack::cli
