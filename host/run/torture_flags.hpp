// SPDX-License-Identifier: Apache-2.0
// The flags of `headstack torture`: how it cuts the power. They are no part of a scenario.
#pragma once

#include <CLI/CLI.hpp>

#include "host/run/torture.hpp"

namespace headstack::run {

/// All arguments must outlive the parsing. `cuts_again`: RunOptions::cuts_again.
void add_torture_flags(CLI::App& app, TortureOptions& torture, bool& cuts_again);

}  // namespace headstack::run
