// SPDX-License-Identifier: Apache-2.0
// The exit status of what a signal ended, as shells have it.
#pragma once

#include <sys/wait.h>

namespace headstack::output {

/// Plus the signal's number.
constexpr int kShellSignalBase = 128;

/// Of what waitpid() reports.
inline int exit_status_of(int waited) {
  return WIFSIGNALED(waited) ? kShellSignalBase + WTERMSIG(waited) : WEXITSTATUS(waited);
}

}  // namespace headstack::output
