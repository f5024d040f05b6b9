// SPDX-License-Identifier: Apache-2.0
// `headstack policy ...`: the scheduling policies of the drive's queue.
#pragma once

#include <CLI/CLI.hpp>

namespace headstack::cli {

void add_policy_commands(CLI::App& app);

}  // namespace headstack::cli
