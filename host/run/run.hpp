// SPDX-License-Identifier: Apache-2.0
// One run, from options to the files of its output folder.
#pragma once

#include "host/run/options.hpp"
#include "host/session/session.hpp"
#include "sim/description/description.hpp"

namespace headstack::run {

/// The drive that the options describe. Throws drive::FileError.
drive::DriveDescription describe_drive(const RunOptions& options);

/// Leaves records.csv, summary.json, summary.txt and drive.toml in options.out. Returns the exit
/// status. `make_rtl` is needed for `rtl` alone. Throws what the readers throw for unusable input,
/// and RunError for the rest.
int run_trace(const RunOptions& options, session::PlatformMaker make_rtl);

}  // namespace headstack::run
