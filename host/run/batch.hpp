// Runs one after another in one process: for many short ones the start decides the time.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::run {

struct BatchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The runs of a file: a line each, which is a JSON array of the words of its command line, without
/// the program's name. Throws BatchError, naming the line, for a file that cannot be read or has
/// another line.
std::vector<std::vector<std::string>> read_batch(const std::string& file);

/// Carries them out by `run`, which returns an exit status, until one of them fails: then a line
/// on stderr names it. @return its status, or 0.
int run_batch(const std::string& file,
              const std::function<int(const std::vector<std::string>& words)>& run);

}  // namespace headstack::run
