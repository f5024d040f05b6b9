// SPDX-License-Identifier: Apache-2.0
// The exit status of a process, in the form of shells if a signal ended it.
#pragma once

#include <sys/wait.h>

namespace headstack::output {

/// Exit status of a process that a signal ended, minus the signal's number.
constexpr int kShellSignalBase = 128;

/// The exit status for a status that waitpid() reported.
inline int exit_status_of(int waited) {
  return WIFSIGNALED(waited) ? kShellSignalBase + WTERMSIG(waited) : WEXITSTATUS(waited);
}

}  // namespace headstack::output
