// SPDX-License-Identifier: Apache-2.0
// Carries out many runs in one process, one after another. For short runs, starting a process would
// take most of the time.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::run {

struct BatchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The runs of a file. Each line is a JSON array: the words of a command line, without the
/// program's name. Throws BatchError for a file that cannot be read, is empty, or has any other
/// line, which it names.
std::vector<std::vector<std::string>> read_batch(const std::string& file);

/// Carries out the runs by `run`, which returns an exit status. The first run that fails ends the
/// batch and is named on stderr. @return that run's status, or 0.
int run_batch(const std::string& file,
              const std::function<int(const std::vector<std::string>& words)>& run);

}  // namespace headstack::run
