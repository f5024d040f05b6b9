// SPDX-License-Identifier: Apache-2.0
// `headstack remap arrange`: a map from counts, by the firmware's own code.
#pragma once

#include <CLI/CLI.hpp>

namespace headstack::cli {

void add_remap_commands(CLI::App& app);

}  // namespace headstack::cli
