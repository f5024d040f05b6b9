// SPDX-License-Identifier: Apache-2.0
// Checks the names of files that a run is given. It does so before the run begins, when nothing has
// been written or removed.
#pragma once

#include "host/run/options.hpp"

namespace headstack::run {

/// The folder of --out must exist. Throws std::runtime_error, which names the option and the
/// remedy:
/// - if media, timeline or waves have the name of one of the run's own files, of each other, or of
///   what the run reads;
/// - if timeline or waves would replace something else than an older one, or cannot be written;
/// - if a debugger cannot be waited for at the address of --gdb.
void require_good_files(const RunOptions& options);

}  // namespace headstack::run
