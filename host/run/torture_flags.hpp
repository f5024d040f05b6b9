// SPDX-License-Identifier: Apache-2.0
// The flags of `headstack torture`, which are no part of a scenario: how it cuts the power.
#pragma once

#include <CLI/CLI.hpp>

#include "host/run/torture.hpp"

namespace headstack::run {

/// Adds the flags to `app`. All arguments must outlive the parsing. `cuts_again` is
/// RunOptions::cuts_again.
void add_torture_flags(CLI::App& app, TortureOptions& torture, bool& cuts_again);

}  // namespace headstack::run
