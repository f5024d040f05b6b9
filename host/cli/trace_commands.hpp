// SPDX-License-Identifier: Apache-2.0
// `headstack trace ...`: shows the content of traces, and converts them to headstack's own format.
#pragma once

#include <CLI/CLI.hpp>

namespace headstack::cli {

void add_trace_commands(CLI::App& app);

}  // namespace headstack::cli
