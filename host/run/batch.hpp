// SPDX-License-Identifier: Apache-2.0
// Carries out many runs in one process, one after another. For short runs the start of a process
// would take most of the time.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::run {

struct BatchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The runs of a file: one line each, a JSON array of the words of its command line, without the
/// program's name. Throws BatchError for a file that cannot be read, is empty or has any other
/// line, which is then named.
std::vector<std::vector<std::string>> read_batch(const std::string& file);

/// Carries out the runs by `run`, which returns an exit status. The first run that fails ends the
/// batch, and a line on stderr names it. @return that run's status, or 0.
int run_batch(const std::string& file,
              const std::function<int(const std::vector<std::string>& words)>& run);

}  // namespace headstack::run
