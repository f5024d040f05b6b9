// SPDX-License-Identifier: Apache-2.0
// One run in a folder: a simulation, its files, progress and signals.
#pragma once

#include "host/run/options.hpp"
#include "host/session/session.hpp"

namespace headstack::run {

/// Leaves records.csv (with observe.records = full), summary.json, summary.txt, drive.toml and
/// scenario.toml in options.out. Returns the exit status. Only `rtl` needs `make_rtl`. Throws what
/// the readers throw for unusable input, and RunError for other errors.
int run_trace(const RunOptions& options, session::PlatformMaker make_rtl);

}  // namespace headstack::run
