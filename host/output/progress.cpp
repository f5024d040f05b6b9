// SPDX-License-Identifier: Apache-2.0
#include "host/output/progress.hpp"

#include <unistd.h>

#include <cstdlib>

bool headstack::output::progress_wanted() {
  return std::getenv("HEADSTACK_QUIET") == nullptr && ::isatty(STDERR_FILENO) != 0;
}
