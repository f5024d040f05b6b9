// SPDX-License-Identifier: Apache-2.0
// Whether a command shows its progress.
#pragma once

namespace headstack::output {

/// Whether standard error is a terminal, and `headstack --quiet` was not given.
bool progress_wanted();

}  // namespace headstack::output
