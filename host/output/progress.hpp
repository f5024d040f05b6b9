// Whether somebody watches a command work.
#pragma once

namespace headstack::output {

/// Standard error is a terminal, and `headstack --quiet` did not ask for silence.
bool progress_wanted();

}  // namespace headstack::output
