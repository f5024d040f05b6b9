// One run on the `rtl` platform, from options to the files of its output folder.
#pragma once

#include "host/run/options.hpp"

namespace headstack::run {

/// Leaves records.csv, summary.json and summary.txt in options.out. Returns the exit status. Throws
/// what the readers throw for unusable input; RunError for the rest.
int run_on_rtl(const RunOptions& options);

}  // namespace headstack::run
